//! Arrangement of components. Sizes and places are checked, moves and resizes are judged together, and other components
//! make room.

use super::arranged::{AllArranged, Arranged};
use super::refusal::{BlockedShift, RefusalCause, Refused};
use super::run::{Done, Execution, Placement};
use super::{CanvasCommand, MoveComponent, ResizeComponent};
use crate::board::layout::{Blocked, PlacementRequest, place};
use crate::board::model::grid::{Bounds, NO_CELL, Position, Size};
use crate::board::model::placement::{
    GridPolicy, OnCollision, PlacementAdjustment, PlacementHints, PlacementReason, PlacementResult,
};
use crate::board::registry::ComponentDefinition;
use crate::board::state::board::Board;

impl Execution<'_, '_> {
    /// Moves and resizes components. Sizes, places and collisions are judged after all commands, so that two components
    /// may change places. A refusal comes with the results of the commands before it.
    pub(super) fn arrange(&mut self, commands: &[&CanvasCommand]) -> Result<Vec<Done>, (Vec<Done>, Refused)> {
        let mut arranged = AllArranged::default();
        let mut targets = Vec::with_capacity(commands.len());
        for (by, command) in commands.iter().enumerate() {
            match self.target(command, by, &mut arranged) {
                Ok(target) => targets.push(target),
                Err(error) => return Err((self.done(commands, &arranged.all, &targets), error)),
            }
        }
        let done = self.done(commands, &arranged.all, &targets);
        match self.judge(commands, &arranged.all) {
            Ok(moved) => {
                Ok(done.into_iter().zip(moved).map(|(done, place)| with_place(done, place)).collect())
            }
            Err((number, error)) => Err((done.into_iter().take(number).collect(), error)),
        }
    }

    /// Records the bounds that a command wants for its component.
    fn target(
        &self,
        command: &CanvasCommand,
        by: usize,
        arranged: &mut AllArranged,
    ) -> Result<usize, Refused> {
        let (CanvasCommand::Move(MoveComponent { component_id, .. })
        | CanvasCommand::Resize(ResizeComponent { component_id, .. })) = command
        else {
            unreachable!("only these are arranged")
        };
        let number = self.find(component_id)?;
        let at = arranged.at(number, || {
            let from = self.placed(number).bounds;
            Arranged { number, from, to: from, by }
        });
        let one = &mut arranged.all[at];
        one.by = by;
        match command {
            CanvasCommand::Resize(resize) => one.to.size = resize.size,
            CanvasCommand::Move(moved) => one.to.position = moved.position,
            _ => {}
        }
        Ok(at)
    }

    /// Returns the results of the commands that have a target.
    fn done(&self, commands: &[&CanvasCommand], arranged: &[Arranged], targets: &[usize]) -> Vec<Done> {
        let pairs = commands.iter().zip(targets);
        pairs.map(|(command, at)| self.done_one(command, &arranged[*at])).collect()
    }

    fn done_one(&self, command: &CanvasCommand, one: &Arranged) -> Done {
        let body = &self.placed(one.number).body;
        let name = self.name_of(body);
        let explanation = match command {
            _ if one.from == one.to => format!("{name} is there already."),
            CanvasCommand::Resize(resize) => format!("Resized {name} to {}.", resize.size),
            _ => format!("Moved {name} to {}.", one.to.position),
        };
        Done::new(explanation, vec![body.id.clone()])
    }

    /// Arranges all components as wanted, if that is possible. The returned places are in the order of the commands.
    fn judge(
        &mut self,
        commands: &[&CanvasCommand],
        arranged: &[Arranged],
    ) -> Result<Vec<Option<PlacementResult>>, (usize, Refused)> {
        let mut places = vec![None; commands.len()];
        let mut by_command: Vec<&Arranged> = arranged.iter().filter(|one| one.from != one.to).collect();
        by_command.sort_by_key(|one| one.by);
        for one in &by_command {
            let checked = self.check_arranged(commands[one.by], one);
            checked.map_err(|cause| (one.by, self.about(one.number, cause)))?;
        }
        if let [one] = by_command.as_slice() {
            let requested = self.requested(Some(one.number), one.to, on_collision(commands[one.by]));
            let place = requested.map_err(|mut cause| {
                self.try_shift(one, commands[one.by], &mut cause);
                (one.by, self.about(one.number, cause))
            })?;
            let adjustments = self.shift_all(place.moved, Some((one.number, one.to)));
            places[one.by] =
                Some(PlacementResult { position: one.to.position, reason: place.reason, adjustments });
            return Ok(places);
        }
        let all: Vec<_> = by_command.iter().map(|one| (one.number, one.to)).collect();
        self.transaction.set_all_bounds(&all);
        for one in &by_command {
            let requested = self.requested(Some(one.number), one.to, on_collision(commands[one.by]));
            requested.map_err(|cause| (one.by, self.about(one.number, cause)))?;
            let (reason, adjustments) = (PlacementReason::Requested, None);
            places[one.by] = Some(PlacementResult { position: one.to.position, reason, adjustments });
        }
        Ok(places)
    }

    /// Reports in a collision whether other components could make room for the larger size.
    fn try_shift(&self, one: &Arranged, command: &CanvasCommand, cause: &mut RefusalCause) {
        let board = &*self.transaction.board;
        if let (CanvasCommand::Resize(resize), RefusalCause::Collision { may_shift, .. }) = (command, cause)
            && resize.on_collision.is_reject()
        {
            let shifts =
                board.layout.shift(one.to, Some(one.number), self.rows(), |number| board.is_pinned(number));
            *may_shift = shifts.is_ok();
        }
    }

    fn about(&self, number: u32, cause: RefusalCause) -> Refused {
        cause.of(&self.placed(number).body.id)
    }

    fn check_arranged(&self, command: &CanvasCommand, one: &Arranged) -> Result<(), RefusalCause> {
        if one.from.size != one.to.size {
            match self.env.registry.get(&self.placed(one.number).body.type_id) {
                Some(definition) => self.check_size(one.to.size, definition)?,
                None => {
                    self.check_extent(one.to.size, Size::new(1, 1), Size::new(Board::COLUMNS, Board::ROWS))?
                }
            };
        }
        if matches!(command, CanvasCommand::Resize(_)) && !self.is_inside(one.to) {
            // Crossing the edge by growing is a fault of the size.
            let position = one.to.position;
            let most = Size::new(
                self.transaction.board.grid().columns.saturating_sub(position.col),
                self.most_rows().saturating_sub(position.row),
            );
            return Err(RefusalCause::GrowsOutside { position, most });
        }
        self.check_position(one.to)
    }

    pub(super) fn check_size(
        &self,
        size: Size,
        definition: &ComponentDefinition,
    ) -> Result<Size, RefusalCause> {
        self.check_extent(size, definition.min_size, definition.max_size)
    }

    fn check_extent(&self, size: Size, min: Size, max: Size) -> Result<Size, RefusalCause> {
        let grid = self.transaction.board.grid();
        let most = Size::new(max.cols.min(grid.columns), max.rows.min(self.most_rows()));
        let least = Size::new(min.cols.max(1), min.rows.max(1));
        let fits =
            (least.cols..=most.cols).contains(&size.cols) && (least.rows..=most.rows).contains(&size.rows);
        if fits { Ok(size) } else { Err(RefusalCause::SizeOutOfRange { least, most }) }
    }

    pub(super) fn check_position(&self, bounds: Bounds) -> Result<(), RefusalCause> {
        if self.is_inside(bounds) {
            return Ok(());
        }
        let Bounds { position: Position { col, row }, size } = bounds;
        let (columns, rows) = (self.transaction.board.grid().columns, self.most_rows());
        let last = Position::new(columns.saturating_sub(size.cols), rows.saturating_sub(size.rows));
        let has_nearest = col != NO_CELL && row != NO_CELL && size.cols <= columns && size.rows <= rows;
        let nearest = has_nearest.then(|| Position::new(col.min(last.col), row.min(last.row)));
        Err(RefusalCause::PositionOutside { size, last, nearest })
    }

    /// Checks whether a requested place is available. A placed component does not block itself.
    pub(super) fn requested(
        &mut self,
        own: Option<u32>,
        bounds: Bounds,
        mode: OnCollision,
    ) -> Result<Placement, RefusalCause> {
        let rows = self.rows();
        let board = &mut *self.transaction.board;
        let position = bounds.position;
        let met = board.layout.collisions(bounds, own);
        if met.is_empty() {
            return Ok(Placement { position, reason: PlacementReason::Requested, moved: Vec::new() });
        }
        let mut blocked = None;
        if mode == OnCollision::Shift {
            match board.layout.shift(bounds, own, rows, |number| board.is_pinned(number)) {
                Ok(shifts) => {
                    let moved = shifts.into_iter().map(|shift| (shift.slot, shift.to)).collect();
                    return Ok(Placement { position, reason: PlacementReason::Shifted, moved });
                }
                Err(Blocked::Pinned(number)) => blocked = board.id_of(number).map(BlockedShift::Pinned),
                Err(Blocked::OutOfRows(number)) => {
                    blocked = board.id_of(number).map(BlockedShift::OutOfGrid);
                }
            }
        }
        // Its own cells are free for itself, and its current place is no alternative.
        let current = own.and_then(|own| board.slot(own)).map(|slot| slot.bounds);
        if let (Some(own), Some(current)) = (own, current) {
            board.layout.remove(own, current);
        }
        let mut free = board.layout.nearest_free(bounds.size, position, rows, 4);
        if let (Some(own), Some(current)) = (own, current) {
            board.layout.insert(own, current);
            free.retain(|position| Bounds::new(*position, bounds.size) != current);
        }
        free.truncate(3);
        let colliding = board.ids_of(&met);
        Err(RefusalCause::Collision { bounds, colliding, blocked, free, may_shift: false })
    }

    /// Finds a place for a component without a requested position. If `near` is given, the place is close to these
    /// bounds.
    pub(super) fn auto_place(
        &mut self,
        size: Size,
        hints: Option<&PlacementHints>,
        near: Option<Bounds>,
    ) -> Result<Placement, RefusalCause> {
        let request = PlacementRequest {
            preferred: hints.and_then(|hints| hints.preferred_position),
            near,
            region: hints.and_then(|hints| hints.region),
        };
        let (shown, policy) = (self.transaction.board.grid().rows, self.env.rules.grid);
        let placed = place(&mut self.transaction.board.layout, size, request, shown, policy);
        let (position, reason) = placed.map_err(RefusalCause::NoRoom)?;
        Ok(Placement { position, reason, moved: Vec::new() })
    }

    /// Moves the components that make room and the one that needs the room. Returns an adjustment for each that made
    /// room.
    pub(super) fn shift_all(
        &mut self,
        moved: Vec<(u32, Position)>,
        own: Option<(u32, Bounds)>,
    ) -> Option<Vec<PlacementAdjustment>> {
        let mut adjustments = Vec::with_capacity(moved.len());
        let mut all = Vec::with_capacity(moved.len() + 1);
        for (number, to) in moved {
            let Some(slot) = self.transaction.board.slot(number) else { continue };
            all.push((number, Bounds::new(to, slot.bounds.size)));
            adjustments.push(PlacementAdjustment {
                component_id: slot.body.id.clone(),
                from: slot.bounds.position,
                to,
                reason: "made room".to_owned(),
            });
        }
        all.extend(own);
        self.transaction.set_all_bounds(&all);
        (!adjustments.is_empty()).then_some(adjustments)
    }

    /// Returns the number of rows, or `None` if the grid grows.
    fn rows(&self) -> Option<u32> {
        (self.env.rules.grid != GridPolicy::Grow).then_some(self.transaction.board.grid().rows)
    }

    /// Returns the number of rows that a component may reach.
    pub(super) fn most_rows(&self) -> u32 {
        match self.env.rules.grid {
            GridPolicy::Grow => Board::ROWS,
            GridPolicy::Reject | GridPolicy::BestEffort => self.transaction.board.grid().rows,
        }
    }

    pub(super) fn is_inside(&self, bounds: Bounds) -> bool {
        bounds.is_within(self.transaction.board.grid().columns, self.most_rows())
    }
}

const fn on_collision(command: &CanvasCommand) -> OnCollision {
    match command {
        CanvasCommand::Move(one) => one.on_collision,
        CanvasCommand::Resize(one) => one.on_collision,
        _ => OnCollision::Reject,
    }
}

fn with_place(mut done: Done, place: Option<PlacementResult>) -> Done {
    if let Some(adjustments) = place.as_ref().and_then(|place| place.adjustments.as_ref()) {
        done.affected.extend(adjustments.iter().map(|one| one.component_id.clone()));
    }
    done.placement = place;
    done
}
