//! The context as it is given to a model (specs 002 §6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::temporal::TemporalContext;
use crate::board::model::data::DataLoadingState;
use crate::board::model::grid::{Position, Size};
use crate::board::model::id::{ComponentId, TypeId, ViewId, WorkspaceId};
use crate::board::registry::ComponentCategory;

/// What a model is told of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanvasContext {
    /// The components, oldest first.
    pub components: Vec<ComponentSummary>,
    /// The time.
    pub temporal: TemporalContext,
    /// What they stand in.
    pub workspace: WorkspaceContext,
    /// How much may be told, and how much is.
    pub budget: ContextBudget,
}

/// What a model is told of a component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentSummary {
    /// Its id, or the alias that stands for it.
    pub id: ComponentId,
    /// Its type.
    pub type_id: TypeId,
    /// The type's name; its id where nobody knows the type.
    pub type_name: String,
    /// What it is for.
    pub category: ComponentCategory,
    /// Its upper left cell.
    pub position: Position,
    /// Its width and height.
    pub size: Size,
    /// What it is told and shows, in fewer than 50 words; of minimal ones the label alone.
    pub summary: String,
    /// What stands out. Of data that could not be had, code and message stand first, at every level.
    pub highlights: Vec<String>,
    /// Ids of the actions that its type has; none of minimal ones.
    pub actions: Vec<String>,
    /// How far its data are.
    pub state_status: LoadingStatus,
}

/// The `status` of a [`DataLoadingState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoadingStatus {
    /// Nothing was asked for.
    Idle,
    /// They are under way.
    Loading,
    /// They are there.
    Ready,
    /// They could not be had.
    Error,
    /// They are there, and too old.
    Stale,
}

impl From<&DataLoadingState> for LoadingStatus {
    fn from(state: &DataLoadingState) -> Self {
        match state {
            DataLoadingState::Idle => Self::Idle,
            DataLoadingState::Loading { .. } => Self::Loading,
            DataLoadingState::Ready { .. } => Self::Ready,
            DataLoadingState::Error { .. } => Self::Error,
            DataLoadingState::Stale { .. } => Self::Stale,
        }
    }
}

/// What the components stand in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceContext {
    /// Its id.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The view that was loaded last and still stands.
    pub active_view_id: Option<ViewId>,
    /// What can be loaded.
    pub saved_views: Vec<ViewSummary>,
    /// How many components there are, shown here or not.
    pub component_count: usize,
    /// Cells that are covered, of all cells down to the lowest component: 0 to 1.
    pub grid_utilization: f64,
}

/// A view that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewSummary {
    /// Its id.
    pub id: ViewId,
    /// Its name.
    pub name: String,
    /// What it is for, where the budget has room for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many components it has.
    pub component_count: usize,
}

/// How much may be told, and how much is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextBudget {
    /// Tokens that the whole context may have.
    pub max_tokens: u64,
    /// Tokens that it has, by the counter that it was made with.
    pub used_tokens: u64,
    /// Components that it may show.
    pub max_components: usize,
    /// The level of the least detailed component that it shows.
    pub summarization_level: SummarizationLevel,
}

/// How much is told of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SummarizationLevel {
    /// Where it stands, its label, its error.
    Minimal,
    /// Also its actions, a short summary, and the first highlights.
    Condensed,
    /// All there is.
    Full,
}
