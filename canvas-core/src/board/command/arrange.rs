//! Where components stand: sizes and places checked, moves and resizes judged together, others made to make room.

use super::refusal::{Refused, about, listed, refused};
use super::run::{Done, Execution, Placement};
use super::{CanvasCommand, MoveComponent, ResizeComponent};
use crate::board::layout::{Blocked, PlacementRequest, place};
use crate::board::model::grid::{Bounds, NO_CELL, Position, Size};
use crate::board::model::id::ComponentId;
use crate::board::model::placement::{
    GridPolicy, OnCollision, PlacementAdjustment, PlacementHints, PlacementReason, PlacementResult,
};
use crate::board::registry::ComponentDefinition;
use crate::board::state::board::Board;
use crate::board::wire::result::{CommandError, CommandErrorCode};

/// A component that a run of commands arranges.
struct Arranged {
    id: ComponentId,
    from: Bounds,
    to: Bounds,
    /// The command that spoke of it last.
    by: usize,
}

impl Execution<'_, '_> {
    /// Moves and resizes components. Sizes, places and what stands in the way are judged when all are done, so that
    /// two may change places. Of a refusal it tells what was done before.
    pub(super) fn arrange(&mut self, commands: &[&CanvasCommand]) -> Result<Vec<Done>, (Vec<Done>, Refused)> {
        let mut arranged: Vec<Arranged> = Vec::with_capacity(commands.len());
        let mut targets = Vec::with_capacity(commands.len());
        for (number, command) in commands.iter().enumerate() {
            match self.target(command, number, &mut arranged) {
                Ok(target) => targets.push(target),
                Err(error) => return Err((self.told(commands, &arranged, &targets), error)),
            }
        }
        let done = self.told(commands, &arranged, &targets);
        match self.judge(commands, &arranged) {
            Ok(moved) => {
                Ok(done.into_iter().zip(moved).map(|(done, place)| with_place(done, place)).collect())
            }
            Err((number, error)) => Err((done.into_iter().take(number).collect(), error)),
        }
    }

    /// Notes where a command wants its component.
    fn target(
        &self,
        command: &CanvasCommand,
        by: usize,
        arranged: &mut Vec<Arranged>,
    ) -> Result<usize, Refused> {
        let (id, change): (_, &dyn Fn(Bounds) -> Bounds) = match command {
            CanvasCommand::Move(MoveComponent { component_id, position, .. }) => {
                (component_id, &|bounds| Bounds::new(*position, bounds.size))
            }
            CanvasCommand::Resize(ResizeComponent { component_id, size, .. }) => {
                (component_id, &|bounds| Bounds::new(bounds.position, *size))
            }
            _ => unreachable!("only these are arranged"),
        };
        let id = self.meant(id).clone();
        self.find(&id, "/payload/componentId")?;
        let known = arranged.iter().position(|one| one.id == id);
        Ok(match known {
            Some(at) => {
                arranged[at].to = change(arranged[at].to);
                arranged[at].by = by;
                at
            }
            None => {
                let from = self.transaction.board.bounds(&id).expect("it was found just now");
                arranged.push(Arranged { id, from, to: change(from), by });
                arranged.len() - 1
            }
        })
    }

    /// What the commands so far say that they do.
    fn told(&self, commands: &[&CanvasCommand], arranged: &[Arranged], targets: &[usize]) -> Vec<Done> {
        let tell = |(command, at): (&&CanvasCommand, &usize)| {
            let one = &arranged[*at];
            let body = &self.transaction.board.slot_of(&one.id).expect("it is there").body;
            let name = self.name_of(body);
            let explanation = match command {
                _ if one.from == one.to => format!("{name} is there already."),
                CanvasCommand::Resize(resize) => format!("Resized {name} to {}.", resize.size),
                _ => format!("Moved {name} to {}.", one.to.position),
            };
            Done::new(explanation, vec![one.id.clone()])
        };
        commands.iter().zip(targets).map(tell).collect()
    }

    /// Puts everything where it is wanted, if that is possible. The places are those of the commands, in order.
    fn judge(
        &mut self,
        commands: &[&CanvasCommand],
        arranged: &[Arranged],
    ) -> Result<Vec<Option<PlacementResult>>, (usize, Refused)> {
        let mut places = vec![None; commands.len()];
        let mut by_command: Vec<&Arranged> = arranged.iter().filter(|one| one.from != one.to).collect();
        by_command.sort_by_key(|one| one.by);
        for one in &by_command {
            self.check_arranged(commands[one.by], one).map_err(|error| (one.by, about(error, &one.id)))?;
        }
        if let [one] = by_command.as_slice() {
            let number = self.transaction.board.number_of(&one.id);
            let (mode, retry) = collision_of(commands[one.by]);
            let place = self.requested(number, one.to, mode, retry);
            let place = place.map_err(|error| {
                (one.by, self.with_shift(about(error, &one.id), number, one.to, commands[one.by]))
            })?;
            let (adjustments, _) = self.shift_all(place.moved);
            self.transaction.set_bounds(&one.id, one.to);
            places[one.by] =
                Some(PlacementResult { position: one.to.position, reason: place.reason, adjustments });
            return Ok(places);
        }
        for one in &by_command {
            self.transaction.set_bounds(&one.id, one.to);
        }
        for one in &by_command {
            let number = self.transaction.board.number_of(&one.id);
            let (mode, retry) = collision_of(commands[one.by]);
            self.requested(number, one.to, mode, retry).map_err(|error| (one.by, about(error, &one.id)))?;
            let (reason, adjustments) = (PlacementReason::Requested, None);
            places[one.by] = Some(PlacementResult { position: one.to.position, reason, adjustments });
        }
        Ok(places)
    }

    /// A larger size is put right by letting others make room, where they can.
    fn with_shift(
        &self,
        mut error: Refused,
        own: Option<u32>,
        to: Bounds,
        command: &CanvasCommand,
    ) -> Refused {
        if let CanvasCommand::Resize(resize) = command
            && resize.on_collision.is_reject()
            && self
                .transaction
                .board
                .layout
                .shift(to, own, self.rows(), |number| self.transaction.board.is_pinned(number))
                .is_ok()
        {
            let corrected = ResizeComponent { on_collision: OnCollision::Shift, ..resize.clone() };
            error.corrected = Some(Box::new(CanvasCommand::Resize(corrected)));
        }
        error
    }

    fn check_arranged(&self, command: &CanvasCommand, one: &Arranged) -> Result<(), Refused> {
        let body = &self.transaction.board.slot_of(&one.id).expect("it is there").body;
        if one.from.size != one.to.size {
            match self.env.registry.get(&body.type_id) {
                Some(definition) => self.check_size(one.to.size, definition)?,
                None => {
                    self.check_extent(one.to.size, Size::new(1, 1), Size::new(Board::COLUMNS, Board::ROWS))?
                }
            };
        }
        let retry = |position: Position| match command {
            CanvasCommand::Move(one) => CanvasCommand::Move(MoveComponent { position, ..one.clone() }),
            other => other.clone(),
        };
        if matches!(command, CanvasCommand::Resize(_)) && !self.is_inside(one.to) {
            // Crossing the edge by growing is a fault of the size.
            let most = Size::new(
                self.transaction.board.grid().columns.saturating_sub(one.to.position.col),
                self.most_rows().saturating_sub(one.to.position.row),
            );
            let message =
                format!("from {} it may have at most {most}: choose a smaller size", one.to.position);
            let mut error = refused(CommandErrorCode::InvalidSize, message);
            error.place = Some("/payload/size".into());
            if let CanvasCommand::Resize(resize) = command {
                let size = Size::new(resize.size.cols.min(most.cols), resize.size.rows.min(most.rows));
                if size.cols > 0 && size.rows > 0 {
                    error.corrected =
                        Some(Box::new(CanvasCommand::Resize(ResizeComponent { size, ..resize.clone() })));
                }
            }
            return Err(error);
        }
        self.check_position(one.to, retry)
    }

    pub(super) fn check_size(&self, size: Size, definition: &ComponentDefinition) -> Result<Size, Refused> {
        self.check_extent(size, definition.min_size, definition.max_size)
    }

    fn check_extent(&self, size: Size, min: Size, max: Size) -> Result<Size, Refused> {
        let most =
            Size::new(max.cols.min(self.transaction.board.grid().columns), max.rows.min(self.most_rows()));
        let least = Size::new(min.cols.max(1), min.rows.max(1));
        let fits =
            (least.cols..=most.cols).contains(&size.cols) && (least.rows..=most.rows).contains(&size.rows);
        if fits {
            return Ok(size);
        }
        let message = format!("a size from {least} to {most} is possible here, in whole cells: choose one");
        let mut error = refused(CommandErrorCode::InvalidSize, message);
        error.place = Some("/payload/size".into());
        Err(error)
    }

    /// Refuses a place outside of the grid; `retry` makes the same command for another place.
    pub(super) fn check_position(
        &self,
        bounds: Bounds,
        retry: impl Fn(Position) -> CanvasCommand,
    ) -> Result<(), Refused> {
        if self.is_inside(bounds) {
            return Ok(());
        }
        let (columns, rows) = (self.transaction.board.grid().columns, self.most_rows());
        let last =
            Position::new(columns.saturating_sub(bounds.size.cols), rows.saturating_sub(bounds.size.rows));
        let size = bounds.size;
        let message =
            format!("a place from (0, 0) to {last} is possible for {size}, in whole cells: choose one");
        let mut error = refused(CommandErrorCode::InvalidPosition, message);
        error.place = Some("/payload/position".into());
        let Position { col, row } = bounds.position;
        if col != NO_CELL && row != NO_CELL && size.cols <= columns && size.rows <= rows {
            let nearest = Position::new(col.min(last.col), row.min(last.row));
            error.corrected = Some(Box::new(retry(nearest)));
        }
        Err(error)
    }

    /// Whether a place that was asked for can be had. The component itself, if it stands already, is not in the way.
    pub(super) fn requested(
        &mut self,
        own: Option<u32>,
        bounds: Bounds,
        mode: OnCollision,
        retry: impl Fn(Position) -> Option<CanvasCommand>,
    ) -> Result<Placement, Refused> {
        let rows = self.rows();
        let board = &mut *self.transaction.board;
        let met = board.layout.collisions(bounds, own);
        if met.is_empty() {
            return Ok(Placement {
                position: bounds.position,
                reason: PlacementReason::Requested,
                moved: Vec::new(),
            });
        }
        let mut message = None;
        if mode == OnCollision::Shift {
            match board.layout.shift(bounds, own, rows, |number| board.is_pinned(number)) {
                Ok(shifts) => {
                    let moved = shifts.into_iter().map(|shift| (shift.slot, shift.to)).collect();
                    return Ok(Placement {
                        position: bounds.position,
                        reason: PlacementReason::Shifted,
                        moved,
                    });
                }
                Err(Blocked::Pinned(number)) => {
                    message = Some(format!("{} is pinned there and stays", listed(&board.ids_of(&[number]))));
                }
                Err(Blocked::OutOfRows(number)) => {
                    message =
                        Some(format!("{} would have to leave the grid", listed(&board.ids_of(&[number]))));
                }
            }
        }
        // Its own cells are free for itself, and where it stands now is no answer.
        let stands = own.and_then(|own| board.slot(own)).map(|slot| slot.bounds);
        if let (Some(own), Some(stands)) = (own, stands) {
            board.layout.remove(own, stands);
        }
        let mut free = board.layout.nearest_free(bounds.size, bounds.position, rows, 4);
        if let (Some(own), Some(stands)) = (own, stands) {
            board.layout.insert(own, stands);
            free.retain(|position| Bounds::new(*position, bounds.size) != stands);
        }
        free.truncate(3);
        let colliding_ids = board.ids_of(&met);
        let next = match free.first() {
            Some(first) => {
                format!("choose a free place such as {first}, or let others make room (onCollision: shift)")
            }
            None => {
                "there is no free place of this size: choose a smaller size or remove something".to_owned()
            }
        };
        let what = message.unwrap_or_else(|| format!("{} stands there", listed(&colliding_ids)));
        let mut error = refused(CommandErrorCode::CollisionDetected, format!("{what}: {next}"));
        error.place = Some("/payload/position".into());
        error.corrected = free.first().and_then(|first| retry(*first)).map(Box::new);
        Err(Box::new(CommandError { colliding_ids, free_positions: free, ..*error }))
    }

    pub(super) fn auto_place(
        &mut self,
        size: Size,
        hints: Option<&PlacementHints>,
    ) -> Result<Placement, Refused> {
        let near = hints.and_then(|hints| hints.near_component_id.as_ref());
        let request = PlacementRequest {
            preferred: hints.and_then(|hints| hints.preferred_position),
            near: near.and_then(|id| self.transaction.board.bounds(self.meant(id))),
            region: hints.and_then(|hints| hints.region),
        };
        let (shown, policy) = (self.transaction.board.grid().rows, self.env.rules.grid);
        match place(&mut self.transaction.board.layout, size, request, shown, policy) {
            Ok((position, reason)) => Ok(Placement { position, reason, moved: Vec::new() }),
            Err(none) => {
                let mut error = refused(none.code(), none.to_string());
                error.place = Some("/payload/size".into());
                Err(error)
            }
        }
    }

    /// Moves what makes room. Tells of each, and which they were.
    pub(super) fn shift_all(
        &mut self,
        moved: Vec<(u32, Position)>,
    ) -> (Option<Vec<PlacementAdjustment>>, Vec<ComponentId>) {
        let mut adjustments = Vec::with_capacity(moved.len());
        let mut ids = Vec::with_capacity(moved.len() + 1);
        for (number, to) in moved {
            let Some(slot) = self.transaction.board.slot(number) else { continue };
            let (id, bounds) = (slot.body.id.clone(), slot.bounds);
            self.transaction.set_bounds(&id, Bounds::new(to, bounds.size));
            ids.push(id.clone());
            let reason = "made room".to_owned();
            adjustments.push(PlacementAdjustment { component_id: id, from: bounds.position, to, reason });
        }
        ((!adjustments.is_empty()).then_some(adjustments), ids)
    }

    /// The last row that there is, where there is one.
    fn rows(&self) -> Option<u32> {
        (self.env.rules.grid != GridPolicy::Grow).then_some(self.transaction.board.grid().rows)
    }

    /// Rows that a component may reach to.
    pub(super) fn most_rows(&self) -> u32 {
        match self.env.rules.grid {
            GridPolicy::Grow => Board::ROWS,
            GridPolicy::Reject | GridPolicy::BestEffort => self.transaction.board.grid().rows,
        }
    }

    fn is_inside(&self, bounds: Bounds) -> bool {
        bounds.right() <= u64::from(self.transaction.board.grid().columns)
            && bounds.bottom() <= u64::from(self.most_rows())
    }
}

/// What a command does about a collision, and the same command for another place.
fn collision_of(command: &CanvasCommand) -> (OnCollision, impl Fn(Position) -> Option<CanvasCommand> + '_) {
    let mode = match command {
        CanvasCommand::Move(one) => one.on_collision,
        CanvasCommand::Resize(one) => one.on_collision,
        _ => OnCollision::Reject,
    };
    (mode, move |position| match command {
        CanvasCommand::Move(one) => Some(CanvasCommand::Move(MoveComponent { position, ..one.clone() })),
        _ => None,
    })
}

fn with_place(mut done: Done, place: Option<PlacementResult>) -> Done {
    if let Some(adjustments) = place.as_ref().and_then(|place| place.adjustments.as_ref()) {
        done.affected.extend(adjustments.iter().map(|one| one.component_id.clone()));
    }
    done.placement = place;
    done
}
