//! The context in the form that a model receives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::temporal::TemporalContext;
use crate::board::model::data::DataLoadingState;
use crate::board::model::grid::{Position, Size};
use crate::board::model::id::{ComponentId, TypeId, ViewId, WorkspaceId};
use crate::board::registry::ComponentCategory;

/// What a model sees of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanvasContext {
    /// In the order of the workspace; at most `max_components`.
    pub components: Vec<ComponentSummary>,
    /// When and where the user is.
    pub temporal: TemporalContext,
    /// What surrounds the components.
    pub workspace: WorkspaceContext,
    /// What it was made within.
    pub budget: ContextBudget,
}

/// What a model sees of a component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentSummary {
    /// The alias, where the caller gave aliases.
    pub id: ComponentId,
    /// As the registry has it.
    pub type_id: TypeId,
    /// The type's name; its id where nobody knows the type.
    pub type_name: String,
    /// That of its type; `utility` where the type is not registered.
    pub category: ComponentCategory,
    /// The upper left cell.
    pub position: Position,
    /// Columns and rows that it covers.
    pub size: Size,
    /// Its config and what it shows, in fewer than 50 words; of minimal ones the label alone.
    pub summary: String,
    /// What is notable. Of data that could not be had, code and message come first, at every level.
    pub highlights: Vec<String>,
    /// Ids of the actions that its type has; none of minimal ones.
    pub actions: Vec<String>,
    /// The status of its data.
    pub state_status: LoadingStatus,
}

/// The `status` of a [`DataLoadingState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoadingStatus {
    /// No request was made.
    Idle,
    /// The first request is under way.
    Loading,
    /// Fresh data.
    Ready,
    /// The last request failed.
    Error,
    /// Data past their `ttl`.
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

/// What surrounds the components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceContext {
    /// As the workspace has it.
    pub id: WorkspaceId,
    /// As the workspace has it, cut to 80 characters.
    pub name: String,
    /// The view that was loaded last and still exists.
    pub active_view_id: Option<ViewId>,
    /// In the order in which they were saved.
    pub saved_views: Vec<ViewSummary>,
    /// How many components there are, shown here or not.
    pub component_count: usize,
    /// Cells that are covered, of all cells down to the lowest component: 0 to 1.
    pub grid_utilization: f64,
}

/// A saved view, for a command that loads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewSummary {
    /// What the command takes.
    pub id: ViewId,
    /// Cut to 80 characters.
    pub name: String,
    /// What it is for, where the budget has room for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Of the saved canvas.
    pub component_count: usize,
}

/// The limits of a context, and what was used of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextBudget {
    /// What the caller allowed.
    pub max_tokens: u64,
    /// Tokens that it has, by the counter that it was made with.
    pub used_tokens: u64,
    /// What the caller allowed.
    pub max_components: usize,
    /// The level of the least detailed component that it shows.
    pub summarization_level: SummarizationLevel,
}

/// How much a summary says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SummarizationLevel {
    /// Place, label and error.
    Minimal,
    /// Also its actions, a short summary, and the first highlights.
    Condensed,
    /// Every field within the limits of a summary.
    Full,
}
