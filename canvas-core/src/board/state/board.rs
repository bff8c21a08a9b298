//! A board in memory, with components by id, by place and in their order.

use std::sync::Arc;

use canvas_lease::{Timestamp, safe_integer};
use serde::{Deserialize, Serialize};

use super::body::ComponentBody;
use super::id_index::IdIndex;
use super::pages::Pages;
use super::patch::PlacedComponent;
use super::saved_view::SavedView;
use crate::board::layout::Layout;
use crate::board::layout::cow_list::CowList;
use crate::board::model::data::DataLoadingState;
use crate::board::model::grid::{Bounds, GridConfig};
use crate::board::model::id::{ComponentId, TriggerId, ViewId, WorkspaceId};
use crate::board::model::trigger::ProactiveTrigger;
use crate::board::model::workspace::{Canvas, ComponentInstance, Workspace, WorkspaceSettings};
use crate::model::blob::BlobId;
use crate::model::error::CodedError;
use crate::model::face::INVALID_BOARD;

/// A board with the content of a [`Workspace`], ready for changes.
///
/// The lookup of a component costs the same on any board. Components are ordered by their creation. A copy shares the
/// parts that neither copy changes. It costs a 64th of the components and 8 bytes for each covered row.
#[derive(Debug, Clone)]
pub struct Board {
    pub(crate) meta: Arc<BoardMeta>,
    pub(crate) updated_at: Timestamp,
    pub(crate) views: Vec<StoredView>,
    pub(crate) layout: Layout,
    pub(crate) slots: Slots,
    pub(crate) spare: Vec<u32>,
    pub(crate) pages: Pages,
    pub(crate) ids: IdIndex,
}

/// Components by slot. A component keeps its slot as long as it exists.
pub(crate) type Slots = CowList<Option<PlacedComponent>, 64>;

/// The parts of a board that seldom change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BoardMeta {
    pub(crate) id: WorkspaceId,
    pub(crate) name: String,
    pub(crate) thread_id: String,
    pub(crate) settings: WorkspaceSettings,
    pub(crate) created_at: Timestamp,
    pub(crate) grid: GridConfig,
    pub(crate) active_view: Option<ViewId>,
    pub(crate) triggers: Vec<ProactiveTrigger>,
}

/// A view, and its blob if the board that this one came from stored it.
#[derive(Debug, Clone)]
pub(crate) struct StoredView {
    pub(crate) view: Arc<SavedView>,
    pub(crate) blob: Option<BlobId>,
}

/// Error returned if a workspace cannot be a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The grid has no columns or rows, or too many of them.
    #[error(
        "the grid has {columns} columns and {rows} rows: choose 1 to {} columns and 1 to {} rows",
        Board::COLUMNS,
        Board::ROWS
    )]
    Grid {
        /// Number of columns in the workspace.
        columns: u32,
        /// Number of rows in the workspace.
        rows: u32,
    },
    /// The workspace has more components than a board may have.
    #[error("the board has {found} components, the limit is {}: split it", Board::COMPONENTS)]
    TooMany {
        /// Number of components in the workspace.
        found: usize,
    },
    /// Two components have the same id.
    #[error("two components have the id {id}: give each its own")]
    Twice {
        /// The id that both components have.
        id: ComponentId,
    },
    /// A component is outside of the columns, or too tall.
    #[error("component {id} is outside the {columns} columns: move or resize it")]
    Outside {
        /// The first such component, in the order of the workspace.
        id: ComponentId,
        /// Number of columns of the grid.
        columns: u32,
    },
}

impl CodedError for BoardError {
    fn code(&self) -> &'static str {
        INVALID_BOARD
    }
}

impl Board {
    /// Maximum number of columns of a grid.
    pub const COLUMNS: u32 = 64;
    /// Maximum number of rows of a grid.
    pub const ROWS: u32 = 1 << 20;
    /// Maximum number of components of a board.
    pub const COMPONENTS: usize = 100_000;

    /// Creates the board of a workspace.
    ///
    /// Here, components may cover each other, as they may in older data of a host.
    ///
    /// # Errors
    ///
    /// Returns [`BoardError`] if the workspace cannot be a board.
    pub fn new(workspace: Workspace) -> Result<Self, BoardError> {
        let Workspace { id, name, canvas, thread_id, views, triggers, settings, created_at, updated_at } =
            workspace;
        let views =
            views.into_iter().map(|view| StoredView { view: Arc::new(SavedView::of(view)), blob: None });
        let numbered = canvas.components.into_iter().zip(1..);
        let components = numbered.map(|(component, order)| PlacedComponent {
            order,
            bounds: component.bounds(),
            body: Arc::new(ComponentBody::of(component)),
        });
        let (grid, active_view) = (canvas.grid, None);
        let meta = BoardMeta { id, name, thread_id, settings, created_at, grid, active_view, triggers };
        Self::assemble(meta, updated_at, views.collect(), components.collect())
    }

    pub(crate) fn assemble(
        meta: BoardMeta,
        updated_at: Timestamp,
        views: Vec<StoredView>,
        components: Vec<PlacedComponent>,
    ) -> Result<Self, BoardError> {
        check_grid(&meta.grid)?;
        let found = components.len();
        if found > Self::COMPONENTS {
            return Err(BoardError::TooMany { found });
        }
        let mut board = Self {
            layout: Layout::new(meta.grid.columns),
            meta: Arc::new(meta),
            updated_at,
            views,
            slots: Slots::default(),
            spare: Vec::new(),
            pages: Pages::default(),
            ids: IdIndex::default(),
        };
        for record in components {
            let (id, columns) = (&record.body.id, board.meta.grid.columns);
            if board.number_of(id).is_some() {
                return Err(BoardError::Twice { id: id.clone() });
            }
            if !fits_grid(record.bounds, columns) {
                return Err(BoardError::Outside { id: id.clone(), columns });
            }
            let number = board.new_slot();
            board.put(number, record);
        }
        Ok(board)
    }

    /// Returns the id of the workspace.
    pub fn id(&self) -> &WorkspaceId {
        &self.meta.id
    }

    /// Returns the grid, which changes only when a view with another one is loaded.
    pub fn grid(&self) -> &GridConfig {
        &self.meta.grid
    }

    /// Returns the view loaded last, or `None` if no view was loaded or the view was deleted.
    pub fn active_view(&self) -> Option<&ViewId> {
        self.meta.active_view.as_ref()
    }

    /// Returns the triggers in the order of the workspace.
    pub fn triggers(&self) -> &[ProactiveTrigger] {
        &self.meta.triggers
    }

    /// Returns the number of components. Constant time.
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether the board has no components. Constant time.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of cells that components cover, each counted once. Constant time.
    pub const fn covered_cells(&self) -> u64 {
        self.layout.covered_cells()
    }

    /// Returns the cells of a component, or `None` if its id is unknown.
    pub fn bounds(&self, id: &ComponentId) -> Option<Bounds> {
        self.slot_of(id).map(|slot| slot.bounds)
    }

    /// Returns the components that share a cell with a rectangle, by row, then column, of their upper left cells. The
    /// cost depends on the components near it and not on their total number.
    pub fn collisions(&self, bounds: Bounds) -> Vec<ComponentId> {
        self.ids_of(&self.layout.collisions(bounds, None))
    }

    /// Returns the components in the order of their creation, with the cells that each covers. This copies no data.
    pub fn places(&self) -> impl Iterator<Item = (&ComponentId, Bounds)> {
        self.records().map(|record| (&record.body.id, record.bounds))
    }

    /// Returns the saved views with their names.
    pub fn view_names(&self) -> impl ExactSizeIterator<Item = (&ViewId, &str)> {
        self.views.iter().map(|stored| (&stored.view.id, stored.view.name.as_str()))
    }

    /// Returns a component without its data.
    pub fn component(&self, id: &ComponentId) -> Option<ComponentInstance> {
        self.slot_of(id).map(|slot| slot.body.instance(slot.bounds, DataLoadingState::Idle))
    }

    /// Returns the whole board as one value. `state` supplies the data state of a component, because the host keeps the
    /// data.
    pub fn workspace(&self, mut state: impl FnMut(&ComponentId) -> DataLoadingState) -> Workspace {
        let components = self
            .records()
            .map(|record| record.body.instance(record.bounds, state(&record.body.id)))
            .collect();
        let BoardMeta { id, name, thread_id, settings, created_at, grid, active_view: _, triggers } =
            BoardMeta::clone(&self.meta);
        Workspace {
            id,
            name,
            canvas: Canvas { grid, components },
            thread_id,
            views: self.views.iter().map(|stored| stored.view.shown()).collect(),
            triggers,
            settings,
            created_at,
            updated_at: self.updated_at,
        }
    }

    pub(crate) fn number_of(&self, id: &ComponentId) -> Option<u32> {
        self.ids.get(id, |slot| id_at(&self.slots, slot))
    }

    pub(crate) fn slot(&self, number: u32) -> Option<&PlacedComponent> {
        self.slots.get(number as usize)?.as_ref()
    }

    pub(crate) fn slot_of(&self, id: &ComponentId) -> Option<&PlacedComponent> {
        self.slot(self.number_of(id)?)
    }

    /// Returns the components in the order of their creation.
    pub(crate) fn records(&self) -> impl Iterator<Item = &PlacedComponent> {
        self.pages.slots().filter_map(|number| self.slot(number))
    }

    /// Returns the slots and their components, in the order of creation.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u32, &PlacedComponent)> {
        self.pages.slots().filter_map(|number| Some((number, self.slot(number)?)))
    }

    pub(crate) fn is_pinned(&self, number: u32) -> bool {
        self.slot(number).is_some_and(|slot| slot.body.meta.pinned)
    }

    pub(crate) fn ids_of(&self, numbers: &[u32]) -> Vec<ComponentId> {
        numbers.iter().filter_map(|number| self.slot(*number)).map(|slot| slot.body.id.clone()).collect()
    }

    pub(crate) fn id_of(&self, number: u32) -> Option<ComponentId> {
        self.slot(number).map(|slot| slot.body.id.clone())
    }

    /// Returns the order of a new component. Components that share the highest possible order are ordered by their ids.
    pub(crate) fn next_order(&self) -> u64 {
        (self.pages.last_order() + 1).min(safe_integer::MAX)
    }

    pub(crate) fn views(&self) -> impl Iterator<Item = &Arc<SavedView>> + Clone {
        self.views.iter().map(|stored| &stored.view)
    }

    pub(crate) fn view(&self, id: &ViewId) -> Option<(usize, &Arc<SavedView>)> {
        self.views().enumerate().find(|(_, view)| view.id == *id)
    }

    pub(crate) fn has_trigger(&self, id: &TriggerId) -> bool {
        self.meta.triggers.iter().any(|trigger| trigger.id == *id)
    }

    /// Whether a live component or a view has this id, so that a new component cannot have it.
    pub(crate) fn is_known(&self, id: &ComponentId) -> bool {
        self.number_of(id).is_some()
            || self.views().any(|view| view.components.iter().any(|standing| standing.body.id == *id))
    }
}

/// Returns the id of an existing component.
pub(crate) fn id_at(slots: &Slots, number: u32) -> &ComponentId {
    let slot = slots.get(number as usize).and_then(Option::as_ref);
    &slot.expect("what has a number has a slot").body.id
}

/// Two boards are equal if all stored parts are equal, regardless of their arrangement in memory.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        (&self.meta, self.updated_at) == (&other.meta, other.updated_at)
            && self.views().eq(other.views())
            && self.records().eq(other.records())
    }
}

pub(crate) fn check_grid(grid: &GridConfig) -> Result<(), BoardError> {
    let GridConfig { columns, rows, .. } = *grid;
    let holds = (1..=Board::COLUMNS).contains(&columns) && (1..=Board::ROWS).contains(&rows);
    if holds { Ok(()) } else { Err(BoardError::Grid { columns, rows }) }
}

/// Whether a rectangle has cells and is within some columns and the maximum of rows.
pub(crate) fn fits_grid(bounds: Bounds, columns: u32) -> bool {
    bounds.size.cols > 0 && bounds.size.rows > 0 && bounds.is_within(columns, Board::ROWS)
}
