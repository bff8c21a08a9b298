//! The JSON of a board's workspace, written without a copy of the board.

use std::borrow::Cow;
use std::fmt;

use canvas_lease::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::board::Board;
use super::body::ComponentBody;
use super::saved_view::SavedView;
use crate::board::model::data::{DataBinding, DataLoadingState};
use crate::board::model::grid::{Bounds, GridConfig, Position, Size};
use crate::board::model::id::{ComponentId, TriggerId, TypeId, ViewId, WorkspaceId};
use crate::board::model::trigger::ProactiveTrigger;
use crate::board::model::workspace::{ComponentMeta, WorkspaceSettings};

/// The result of [`Board::workspace`] for serialization as JSON. See [`Board::workspace_json`].
pub struct WorkspaceJson<'b, F> {
    board: &'b Board,
    state: F,
}

impl<F> fmt::Debug for WorkspaceJson<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkspaceJson").field("board", self.board).finish_non_exhaustive()
    }
}

impl Board {
    /// Returns the whole board for serialization as JSON, equal to the JSON of [`Board::workspace`]. It does not copy
    /// the board, so the only cost is writing. `state` supplies the data state of a component and is called at each
    /// serialization.
    ///
    /// ```
    /// use std::borrow::Cow;
    ///
    /// use canvas_core::board::{Board, DataLoadingState, GridConfig, Workspace, WorkspaceId};
    /// use canvas_core::lease::Timestamp;
    ///
    /// let grid = GridConfig { columns: 12, rows: 8, gap: 8.0, cell_width: 80.0, cell_height: 60.0 };
    /// let (id, now) = (WorkspaceId::new("ws_1")?, Timestamp::from_millis(1));
    /// let workspace = Workspace::empty(id, "Board".into(), "main".into(), grid, now);
    /// let board = Board::new(workspace.clone())?;
    /// let json = serde_json::to_string(&board.workspace_json(|_| Cow::Owned(DataLoadingState::Idle)))?;
    /// assert_eq!(json, serde_json::to_string(&workspace)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn workspace_json<'b, F>(&'b self, state: F) -> WorkspaceJson<'b, F>
    where
        F: Fn(&ComponentId) -> Cow<'b, DataLoadingState>,
    {
        WorkspaceJson { board: self, state }
    }
}

// The types below have the fields of `Workspace` and its parts, in the same order.

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WorkspaceParts<'b, C: Serialize, V: Serialize> {
    id: &'b WorkspaceId,
    name: &'b str,
    canvas: CanvasParts<C>,
    thread_id: &'b str,
    views: V,
    triggers: &'b [ProactiveTrigger],
    settings: &'b WorkspaceSettings,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Serialize)]
struct CanvasParts<C: Serialize> {
    grid: GridConfig,
    components: C,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ViewParts<'b, C: Serialize> {
    id: &'b ViewId,
    name: &'b str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'b str>,
    snapshot: CanvasParts<C>,
    trigger_ids: &'b [TriggerId],
    created_at: Timestamp,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ComponentParts<'b> {
    id: &'b ComponentId,
    type_id: &'b TypeId,
    position: Position,
    size: Size,
    config: &'b Map<String, Value>,
    data_binding: Option<&'b DataBinding>,
    data_state: Cow<'b, DataLoadingState>,
    meta: &'b ComponentMeta,
}

/// A list that each serialization creates again.
struct List<F>(F);

impl<I: IntoIterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl<'b, F: Fn(&ComponentId) -> Cow<'b, DataLoadingState>> Serialize for WorkspaceJson<'b, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Board { meta, updated_at, views, .. } = self.board;
        let component = |body: &'b ComponentBody, bounds| component(body, bounds, (self.state)(&body.id));
        let components = || self.board.records().map(|record| component(&record.body, record.bounds));
        WorkspaceParts {
            id: &meta.id,
            name: &meta.name,
            canvas: CanvasParts { grid: meta.grid, components: List(components) },
            thread_id: &meta.thread_id,
            views: List(|| views.iter().map(|stored| view(&stored.view))),
            triggers: &meta.triggers,
            settings: &meta.settings,
            created_at: meta.created_at,
            updated_at: *updated_at,
        }
        .serialize(serializer)
    }
}

fn view(view: &SavedView) -> impl Serialize {
    let components = || {
        let items = view.components.iter();
        items.map(|item| component(&item.body, item.bounds, Cow::Owned(DataLoadingState::Idle)))
    };
    ViewParts {
        id: &view.id,
        name: &view.name,
        description: view.description.as_deref(),
        snapshot: CanvasParts { grid: view.grid, components: List(components) },
        trigger_ids: &view.trigger_ids,
        created_at: view.created_at,
    }
}

fn component<'b>(
    body: &'b ComponentBody,
    bounds: Bounds,
    data_state: Cow<'b, DataLoadingState>,
) -> ComponentParts<'b> {
    ComponentParts {
        id: &body.id,
        type_id: &body.type_id,
        position: bounds.position,
        size: bounds.size,
        config: body.fields(),
        data_binding: body.data_binding.as_ref(),
        data_state,
        meta: &body.meta,
    }
}
