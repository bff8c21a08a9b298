//! A board in memory: components by id and by place, and patches applied to them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use canvas_lease::Timestamp;

use super::data::DataLoadingState;
use super::grid::{Bounds, GridConfig};
use super::id::{ComponentId, TriggerId, ViewId, WorkspaceId};
use super::layout::Layout;
use super::patch::{
    BoardPatch, Body, ComponentDiff, Diff, Record, Rest, SavedView, Standing, TriggerDiff, ViewDiff,
};
use super::trigger::ProactiveTrigger;
use super::workspace::{Canvas, ComponentInstance, View, Workspace, WorkspaceSettings};

/// A board: what [`Workspace`] says, ready to be changed.
///
/// Looking a component up costs the same on any board; the order of components is that in which they were made.
#[derive(Debug, Clone)]
pub struct Board {
    pub(super) id: WorkspaceId,
    pub(super) name: String,
    pub(super) thread_id: String,
    pub(super) settings: WorkspaceSettings,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) grid: GridConfig,
    pub(super) active_view: Option<ViewId>,
    pub(super) views: Vec<Arc<SavedView>>,
    pub(super) triggers: Vec<ProactiveTrigger>,
    pub(super) layout: Layout,
    slots: Vec<Option<Slot>>,
    spare: Vec<u32>,
    /// The id tells those apart that a selective undo brings back under a number that was given again.
    order: BTreeMap<(u64, ComponentId), u32>,
    by_id: HashMap<ComponentId, u32>,
}

/// A component that stands on the board.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) order: u64,
    pub(super) bounds: Bounds,
    pub(super) body: Arc<Body>,
}

/// What a board may not be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The grid has no columns, too many, or too many rows.
    #[error(
        "a grid has 1 to {} columns and 1 to {} rows, not {columns} and {rows}: choose others",
        Board::COLUMNS,
        Board::ROWS
    )]
    Grid {
        /// The columns that were asked for.
        columns: u32,
        /// The rows that were asked for.
        rows: u32,
    },
    /// More components than a board may have.
    #[error("a board has at most {} components, not {found}: split it", Board::COMPONENTS)]
    TooMany {
        /// How many there are.
        found: usize,
    },
    /// Two components have one id.
    #[error("two components have the id {id}: give each its own")]
    Twice {
        /// The id.
        id: ComponentId,
    },
    /// A component stands outside of the columns, or is too tall.
    #[error("component {id} does not stand within {columns} columns: move or resize it")]
    Outside {
        /// The component.
        id: ComponentId,
        /// The columns.
        columns: u32,
    },
}

impl BoardError {
    /// The stable code.
    pub const CODE: &'static str = "INVALID_BOARD";
}

/// A patch that was made for another board. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the change was made for another board: {place} is not what it was")]
pub struct PatchMismatch {
    /// The component, view or trigger.
    pub place: String,
}

impl Board {
    /// Columns that a grid may have.
    pub const COLUMNS: u32 = 64;
    /// Rows that a grid may have.
    pub const ROWS: u32 = 1 << 20;
    /// Components that a board may have.
    pub const COMPONENTS: usize = 100_000;

    /// A board of a workspace.
    ///
    /// Components may cover each other here, as a host's older data may have it.
    ///
    /// # Errors
    ///
    /// [`BoardError`] says what no board can be.
    pub fn new(workspace: Workspace) -> Result<Self, BoardError> {
        let Workspace { id, name, canvas, thread_id, views, triggers, settings, created_at, updated_at } =
            workspace;
        let views = views.into_iter().map(|view| Arc::new(SavedView::of(view))).collect();
        let numbered = canvas.components.into_iter().zip(1..);
        let components = numbered.map(|(component, order)| Record {
            order,
            bounds: component.bounds(),
            body: Arc::new(Body::of(component)),
        });
        let parts = Parts {
            id,
            name,
            thread_id,
            settings,
            created_at,
            updated_at,
            grid: canvas.grid,
            active_view: None,
            views,
            triggers,
        };
        Self::assemble(parts, components.collect())
    }

    pub(super) fn assemble(parts: Parts, components: Vec<Record>) -> Result<Self, BoardError> {
        let Parts {
            id,
            name,
            thread_id,
            settings,
            created_at,
            updated_at,
            grid,
            active_view,
            views,
            triggers,
        } = parts;
        check_grid(&grid)?;
        let found = components.len();
        if found > Self::COMPONENTS {
            return Err(BoardError::TooMany { found });
        }
        let mut board = Self {
            id,
            name,
            thread_id,
            settings,
            created_at,
            updated_at,
            grid,
            active_view,
            views,
            triggers,
            layout: Layout::new(grid.columns),
            slots: Vec::with_capacity(found),
            spare: Vec::new(),
            order: BTreeMap::new(),
            by_id: HashMap::with_capacity(found),
        };
        for record in components {
            if board.by_id.contains_key(&record.body.id) {
                return Err(BoardError::Twice { id: record.body.id.clone() });
            }
            if !stands(record.bounds, grid.columns) {
                return Err(BoardError::Outside { id: record.body.id.clone(), columns: grid.columns });
            }
            board.put(record);
        }
        Ok(board)
    }

    /// Its id.
    pub fn id(&self) -> &WorkspaceId {
        &self.id
    }

    /// The grid.
    pub fn grid(&self) -> &GridConfig {
        &self.grid
    }

    /// The view that was loaded last; `None` where none was, or it was deleted.
    pub fn active_view(&self) -> Option<&ViewId> {
        self.active_view.as_ref()
    }

    /// What may suggest a view.
    pub fn triggers(&self) -> &[ProactiveTrigger] {
        &self.triggers
    }

    /// How many components stand on it.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether nothing stands on it.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// How many cells components cover, each counted once. Constant time.
    pub const fn covered_cells(&self) -> u64 {
        self.layout.covered_cells()
    }

    /// Where a component stands.
    pub fn bounds(&self, id: &ComponentId) -> Option<Bounds> {
        self.slot_of(id).map(|slot| slot.bounds)
    }

    /// What shares a cell with a rectangle: by row, then column, of the upper left cells. Costs what stands there, however
    /// many components there are.
    pub fn collisions(&self, bounds: Bounds) -> Vec<ComponentId> {
        self.ids_of(&self.layout.collisions(bounds, None))
    }

    /// A component, without its data.
    pub fn component(&self, id: &ComponentId) -> Option<ComponentInstance> {
        self.slot_of(id).map(|slot| slot.body.instance(slot.bounds, DataLoadingState::Idle))
    }

    /// The whole of it as one value. `state` says how far the data of a component are: they are the host's to keep.
    pub fn workspace(&self, mut state: impl FnMut(&ComponentId) -> DataLoadingState) -> Workspace {
        let components = self
            .slots_in_order()
            .map(|(_, slot)| slot.body.instance(slot.bounds, state(&slot.body.id)))
            .collect();
        Workspace {
            id: self.id.clone(),
            name: self.name.clone(),
            canvas: Canvas { grid: self.grid, components },
            thread_id: self.thread_id.clone(),
            views: self.views.iter().map(|view| view.shown()).collect(),
            triggers: self.triggers.clone(),
            settings: self.settings.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// Applies a change that was made on this very state of the board, or the inverse of the last one.
    ///
    /// # Errors
    ///
    /// [`PatchMismatch`] where a record is not what the patch says that it was; nothing was changed.
    pub fn apply(&mut self, patch: &BoardPatch) -> Result<(), PatchMismatch> {
        if let Some(grid) = patch.rest.as_ref().and_then(|rest| rest.grid) {
            self.widen(grid.before.columns.max(grid.after.columns));
        }
        for (done, diff) in patch.components.iter().enumerate() {
            if let Err(mismatch) = self.apply_component(diff) {
                self.unwind(&patch.components[..done]);
                return Err(mismatch);
            }
        }
        if let Some(rest) = &patch.rest
            && let Err(mismatch) = self.apply_rest(rest)
        {
            self.unwind(&patch.components);
            return Err(mismatch);
        }
        self.updated_at = patch.updated_at.after;
        Ok(())
    }

    /// Takes back what was applied.
    pub(super) fn unwind(&mut self, done: &[ComponentDiff]) {
        for diff in done.iter().rev() {
            self.apply_component(&diff.inverse()).expect("it was applied just now");
        }
    }

    pub(super) fn apply_component(&mut self, diff: &ComponentDiff) -> Result<(), PatchMismatch> {
        let mismatch = || PatchMismatch { place: diff.id().to_string() };
        match diff {
            ComponentDiff::Bounds { id, bounds: Diff { before, after } } => {
                let number = *self.by_id.get(id).ok_or_else(mismatch)?;
                if self.slot(number).is_none_or(|slot| slot.bounds != *before)
                    || !stands(*after, Self::COLUMNS)
                {
                    return Err(mismatch());
                }
                self.widen(right(*after));
                self.layout.remove(number, *before);
                self.layout.insert(number, *after);
                if let Some(slot) = &mut self.slots[number as usize] {
                    slot.bounds = *after;
                }
            }
            ComponentDiff::Body(Diff { before, after }) => {
                let number = *self.by_id.get(&before.id).ok_or_else(mismatch)?;
                let slot = self.slots[number as usize].as_mut().ok_or_else(mismatch)?;
                if before.id != after.id || !same(&slot.body, before) {
                    return Err(mismatch());
                }
                slot.body = Arc::clone(after);
            }
            ComponentDiff::Added(record) => {
                if self.by_id.contains_key(&record.body.id) || !stands(record.bounds, Self::COLUMNS) {
                    return Err(mismatch());
                }
                self.put(record.clone());
            }
            ComponentDiff::Removed(record) => {
                let number = *self.by_id.get(&record.body.id).ok_or_else(mismatch)?;
                let slot = self.slots[number as usize].as_ref().ok_or_else(mismatch)?;
                if slot.order != record.order
                    || slot.bounds != record.bounds
                    || !same(&slot.body, &record.body)
                {
                    return Err(mismatch());
                }
                self.take(number);
            }
        }
        Ok(())
    }

    /// All of it, or nothing.
    pub(super) fn apply_rest(&mut self, rest: &Rest) -> Result<(), PatchMismatch> {
        let mismatch = |place: &str| PatchMismatch { place: place.to_owned() };
        let mut views = self.views.clone();
        for diff in &rest.views {
            match diff {
                ViewDiff::Added { index, view }
                    if *index <= views.len() && views.iter().all(|other| other.id != view.id) =>
                {
                    views.insert(*index, Arc::clone(view))
                }
                ViewDiff::Removed { index, view }
                    if views.get(*index).is_some_and(|there| same(there, view)) =>
                {
                    views.remove(*index);
                }
                ViewDiff::Added { view, .. } | ViewDiff::Removed { view, .. } => {
                    return Err(mismatch(view.id.as_str()));
                }
            }
        }
        let mut triggers = Vec::new();
        for TriggerDiff { id, view } in &rest.triggers {
            let index =
                self.triggers.iter().position(|trigger| trigger.id == *id && trigger.view_id == view.before);
            triggers.push((index.ok_or_else(|| mismatch(id.as_str()))?, view.after.clone()));
        }
        if rest.active_view.as_ref().is_some_and(|active| active.before != self.active_view) {
            return Err(mismatch("activeViewId"));
        }
        if rest.grid.is_some_and(|grid| grid.before != self.grid) {
            return Err(mismatch("grid"));
        }
        self.views = views;
        for (index, view) in triggers {
            self.triggers[index].view_id = view;
        }
        if let Some(active) = &rest.active_view {
            self.active_view.clone_from(&active.after);
        }
        if let Some(grid) = rest.grid {
            self.regrid(grid.after);
        }
        Ok(())
    }

    /// Another grid under the same components. Cost: linear in them where the columns change.
    fn regrid(&mut self, grid: GridConfig) {
        self.grid = grid;
        self.lay_out(grid.columns);
    }

    /// Until the grid is set, components may stand as far to the right as in the wider one of two.
    pub(super) fn widen(&mut self, columns: u32) {
        if columns > self.layout.columns() {
            self.lay_out(columns);
        }
    }

    fn lay_out(&mut self, columns: u32) {
        let standing =
            || self.slots.iter().zip(0..).filter_map(|(slot, number)| Some((number, slot.as_ref()?.bounds)));
        let right = standing().map(|(_, bounds)| right(bounds)).max();
        let columns = columns.max(right.unwrap_or(0));
        if columns != self.layout.columns() {
            let mut layout = Layout::new(columns);
            for (number, bounds) in standing() {
                layout.insert(number, bounds);
            }
            self.layout = layout;
        }
    }

    /// Puts a component back as it was, whatever it is now.
    pub(super) fn reset(&mut self, id: &ComponentId, before: Option<Record>) {
        if let Some(number) = self.number_of(id) {
            self.take(number);
        }
        if let Some(record) = before {
            self.put(record);
        }
    }

    pub(super) fn number_of(&self, id: &ComponentId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    pub(super) fn slot(&self, number: u32) -> Option<&Slot> {
        self.slots.get(number as usize)?.as_ref()
    }

    pub(super) fn slot_of(&self, id: &ComponentId) -> Option<&Slot> {
        self.slot(self.number_of(id)?)
    }

    /// In the order in which they were made.
    pub(super) fn slots_in_order(&self) -> impl ExactSizeIterator<Item = (u32, &Slot)> {
        self.order.values().map(|number| {
            let slot = self.slots[*number as usize].as_ref();
            (*number, slot.expect("what has an order has a slot"))
        })
    }

    pub(super) fn is_pinned(&self, number: u32) -> bool {
        self.slot(number).is_some_and(|slot| slot.body.meta.pinned)
    }

    pub(super) fn ids_of(&self, numbers: &[u32]) -> Vec<ComponentId> {
        numbers.iter().filter_map(|number| self.slot(*number)).map(|slot| slot.body.id.clone()).collect()
    }

    pub(super) fn next_order(&self) -> u64 {
        self.order.last_key_value().map_or(1, |((order, _), _)| order + 1)
    }

    pub(super) fn view(&self, id: &ViewId) -> Option<(usize, &Arc<SavedView>)> {
        self.views.iter().enumerate().find(|(_, view)| view.id == *id)
    }

    pub(super) fn has_trigger(&self, id: &TriggerId) -> bool {
        self.triggers.iter().any(|trigger| trigger.id == *id)
    }

    /// Ids that no new component may have: of live ones and of those in views.
    pub(super) fn knows(&self, id: &ComponentId) -> bool {
        self.by_id.contains_key(id)
            || self.views.iter().any(|view| view.components.iter().any(|standing| standing.body.id == *id))
    }

    fn put(&mut self, record: Record) {
        let Record { order, bounds, body } = record;
        self.widen(right(bounds));
        let number = self.spare.pop().unwrap_or_else(|| {
            self.slots.push(None);
            u32::try_from(self.slots.len() - 1).expect("there are few")
        });
        self.order.insert((order, body.id.clone()), number);
        self.by_id.insert(body.id.clone(), number);
        self.layout.insert(number, bounds);
        self.slots[number as usize] = Some(Slot { order, bounds, body });
    }

    fn take(&mut self, number: u32) {
        if let Some(slot) = self.slots[number as usize].take() {
            self.layout.remove(number, slot.bounds);
            self.by_id.remove(&slot.body.id);
            self.order.remove(&(slot.order, slot.body.id.clone()));
            self.spare.push(number);
        }
    }
}

/// Two boards are equal where everything that is stored of them is: not how they lie in memory.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        let records = |board: &Self| -> Vec<Record> { board.records().collect() };
        self.parts() == other.parts() && records(self) == records(other)
    }
}

impl Board {
    pub(super) fn records(&self) -> impl ExactSizeIterator<Item = Record> {
        self.slots_in_order().map(|(_, slot)| Record {
            order: slot.order,
            bounds: slot.bounds,
            body: Arc::clone(&slot.body),
        })
    }

    pub(super) fn parts(&self) -> Parts {
        Parts {
            id: self.id.clone(),
            name: self.name.clone(),
            thread_id: self.thread_id.clone(),
            settings: self.settings.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            grid: self.grid,
            active_view: self.active_view.clone(),
            views: self.views.clone(),
            triggers: self.triggers.clone(),
        }
    }
}

/// All of a board but its components.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parts {
    pub(super) id: WorkspaceId,
    pub(super) name: String,
    pub(super) thread_id: String,
    pub(super) settings: WorkspaceSettings,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) grid: GridConfig,
    pub(super) active_view: Option<ViewId>,
    pub(super) views: Vec<Arc<SavedView>>,
    pub(super) triggers: Vec<ProactiveTrigger>,
}

impl SavedView {
    pub(super) fn of(view: View) -> Self {
        let View { id, name, description, snapshot, trigger_ids, created_at } = view;
        let components = snapshot
            .components
            .into_iter()
            .map(|component| Standing { bounds: component.bounds(), body: Arc::new(Body::of(component)) });
        Self {
            id,
            name,
            description,
            grid: snapshot.grid,
            components: components.collect(),
            trigger_ids,
            created_at,
        }
    }

    pub(super) fn shown(&self) -> View {
        let shown = |standing: &Standing| standing.body.instance(standing.bounds, DataLoadingState::Idle);
        View {
            id: self.id.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            snapshot: Canvas { grid: self.grid, components: self.components.iter().map(shown).collect() },
            trigger_ids: self.trigger_ids.clone(),
            created_at: self.created_at,
        }
    }

    pub(super) fn ids(&self) -> HashSet<&ComponentId> {
        self.components.iter().map(|standing| &standing.body.id).collect()
    }
}

pub(super) fn check_grid(grid: &GridConfig) -> Result<(), BoardError> {
    let GridConfig { columns, rows, .. } = *grid;
    let holds = (1..=Board::COLUMNS).contains(&columns) && (1..=Board::ROWS).contains(&rows);
    if holds { Ok(()) } else { Err(BoardError::Grid { columns, rows }) }
}

/// Whether a rectangle has cells and lies within some columns and the rows that a board may have.
pub(super) fn stands(bounds: Bounds, columns: u32) -> bool {
    bounds.size.cols > 0
        && bounds.size.rows > 0
        && bounds.right() <= u64::from(columns)
        && bounds.bottom() <= u64::from(Board::ROWS)
}

/// The column behind the last one of what stands on a board.
fn right(bounds: Bounds) -> u32 {
    u32::try_from(bounds.right()).unwrap_or(Board::COLUMNS)
}

/// Mostly they are the very same.
fn same<T: PartialEq>(one: &Arc<T>, two: &Arc<T>) -> bool {
    Arc::ptr_eq(one, two) || one == two
}
