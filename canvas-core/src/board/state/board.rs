//! A board in memory: components by id, by place and in their order.

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
use crate::model::face::INVALID_BOARD;

/// A board: what [`Workspace`] says, ready to be changed.
///
/// Looking a component up costs the same on any board; the order of components is that in which they were made. A copy
/// shares what neither changes; it costs a 64th of the components and 8 bytes for each row that is covered.
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

/// Components by the number that they have as long as they stand.
pub(crate) type Slots = CowList<Option<PlacedComponent>, 64>;

/// What of a board changes seldom.
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

/// A view, and the blob that keeps it where the board that this one came from has it.
#[derive(Debug, Clone)]
pub(crate) struct StoredView {
    pub(crate) view: Arc<SavedView>,
    pub(crate) blob: Option<BlobId>,
}

/// What a board may not be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The grid has no columns, too many, or too many rows.
    #[error(
        "a grid has 1 to {} columns and 1 to {} rows, not {columns} and {rows}: choose others",
        Board::COLUMNS,
        Board::ROWS
    )]
    Grid {
        /// From the workspace.
        columns: u32,
        /// From the workspace.
        rows: u32,
    },
    /// More components than a board may have.
    #[error("a board has at most {} components, not {found}: split it", Board::COMPONENTS)]
    TooMany {
        /// Components of the workspace.
        found: usize,
    },
    /// Two components have one id.
    #[error("two components have the id {id}: give each its own")]
    Twice {
        /// The id that comes twice.
        id: ComponentId,
    },
    /// A component lies outside of the columns, or is too tall.
    #[error("component {id} does not stand within {columns} columns: move or resize it")]
    Outside {
        /// The first such component.
        id: ComponentId,
        /// Columns of the grid.
        columns: u32,
    },
}

canvas_patch::coded_error!(BoardError => INVALID_BOARD);

impl Board {
    /// The most columns that a grid may have.
    pub const COLUMNS: u32 = 64;
    /// The most rows that a grid may have.
    pub const ROWS: u32 = 1 << 20;
    /// The most components that a board may have.
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

    /// As the workspace has it.
    pub fn id(&self) -> &WorkspaceId {
        &self.meta.id
    }

    /// Changed only by loading a view with another one.
    pub fn grid(&self) -> &GridConfig {
        &self.meta.grid
    }

    /// The view that was loaded last; `None` where none was, or it was deleted.
    pub fn active_view(&self) -> Option<&ViewId> {
        self.meta.active_view.as_ref()
    }

    /// In the order of the workspace.
    pub fn triggers(&self) -> &[ProactiveTrigger] {
        &self.meta.triggers
    }

    /// Constant time.
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// Constant time.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many cells components cover, each counted once. Constant time.
    pub const fn covered_cells(&self) -> u64 {
        self.layout.covered_cells()
    }

    /// `None` where no component has the id.
    pub fn bounds(&self, id: &ComponentId) -> Option<Bounds> {
        self.slot_of(id).map(|slot| slot.bounds)
    }

    /// What shares a cell with a rectangle: by row, then column, of the upper left cells. Costs what lies there, however
    /// many components there are.
    pub fn collisions(&self, bounds: Bounds) -> Vec<ComponentId> {
        self.ids_of(&self.layout.collisions(bounds, None))
    }

    /// The components in the order in which they were made, and the cells that each covers. Nothing is copied.
    pub fn places(&self) -> impl Iterator<Item = (&ComponentId, Bounds)> {
        self.records().map(|record| (&record.body.id, record.bounds))
    }

    /// The saved views, with their names.
    pub fn view_names(&self) -> impl ExactSizeIterator<Item = (&ViewId, &str)> {
        self.views.iter().map(|stored| (&stored.view.id, stored.view.name.as_str()))
    }

    /// A component, without its data.
    pub fn component(&self, id: &ComponentId) -> Option<ComponentInstance> {
        self.slot_of(id).map(|slot| slot.body.instance(slot.bounds, DataLoadingState::Idle))
    }

    /// The whole of it as one value. `state` says how far the data of a component are: they are the host's to keep.
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

    /// In the order in which they were made.
    pub(crate) fn records(&self) -> impl Iterator<Item = &PlacedComponent> {
        self.pages.slots().filter_map(|number| self.slot(number))
    }

    /// Slots and what is in them, in the order in which they were made.
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

    /// The order of a component that is made now. Those that share the last one are in the order of their ids.
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

    /// Ids that no new component may have: of live ones and of those in views.
    pub(crate) fn is_known(&self, id: &ComponentId) -> bool {
        self.number_of(id).is_some()
            || self.views().any(|view| view.components.iter().any(|standing| standing.body.id == *id))
    }
}

/// The id of a component that exists.
pub(crate) fn id_at(slots: &Slots, number: u32) -> &ComponentId {
    let slot = slots.get(number as usize).and_then(Option::as_ref);
    &slot.expect("what has a number has a slot").body.id
}

/// Two boards are equal where everything that is stored of them is: not how they lie in memory.
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

/// Whether a rectangle has cells and lies within some columns and the rows that a board may have.
pub(crate) fn fits_grid(bounds: Bounds, columns: u32) -> bool {
    bounds.size.cols > 0 && bounds.size.rows > 0 && bounds.is_within(columns, Board::ROWS)
}
