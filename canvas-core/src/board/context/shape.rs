//! The context in the form that a model receives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::temporal::TemporalContext;
use crate::board::model::data::DataLoadingState;
use crate::board::model::grid::{Position, Size};
use crate::board::model::id::{ComponentId, TypeId, ViewId, WorkspaceId};
use crate::board::registry::ComponentCategory;

/// The view of a board for a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanvasContext {
    /// Components in the order of the workspace, at most `max_components`.
    pub components: Vec<ComponentSummary>,
    /// Local time and time zone of the user.
    pub temporal: TemporalContext,
    /// Workspace that contains the components.
    pub workspace: WorkspaceContext,
    /// Token and component limits of the context, with their usage.
    pub budget: ContextBudget,
}

/// The view of a component for a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentSummary {
    /// Id, or the alias if the caller gave aliases.
    pub id: ComponentId,
    /// Type id from the registry.
    pub type_id: TypeId,
    /// Name of the type, or its id if the type is unknown.
    pub type_name: String,
    /// Category of the type, or `utility` if the type is not registered.
    pub category: ComponentCategory,
    /// Upper left cell.
    pub position: Position,
    /// Number of columns and rows covered.
    pub size: Size,
    /// Config and content in fewer than 50 words. A minimal summary is only the label.
    pub summary: String,
    /// Notable facts. If the data could not be fetched, code and message come first, at every level.
    pub highlights: Vec<String>,
    /// Ids of the type's actions. Empty in a minimal summary.
    pub actions: Vec<String>,
    /// Status of the component's data.
    pub state_status: LoadingStatus,
}

/// The `status` of a [`DataLoadingState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoadingStatus {
    /// No request was sent for the data.
    Idle,
    /// The first request for the data is running.
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

/// Workspace that contains the components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceContext {
    /// Id of the workspace, unchanged.
    pub id: WorkspaceId,
    /// Name of the workspace, cut to 80 characters.
    pub name: String,
    /// View loaded last, if it still exists.
    pub active_view_id: Option<ViewId>,
    /// Saved views, oldest first.
    pub saved_views: Vec<ViewSummary>,
    /// Number of all components, including those not listed.
    pub component_count: usize,
    /// Covered share of all cells down to the lowest component, from 0 to 1.
    pub grid_utilization: f64,
}

/// A saved view that a command can load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewSummary {
    /// Id for the command that loads the view.
    pub id: ViewId,
    /// Name, cut to 80 characters.
    pub name: String,
    /// Description of the view, if the budget has room for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Number of components in the saved canvas.
    pub component_count: usize,
}

/// Limits and usage of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextBudget {
    /// Maximum set by the caller.
    pub max_tokens: u64,
    /// Number of tokens in the context, by its counter.
    pub used_tokens: u64,
    /// Maximum set by the caller.
    pub max_components: usize,
    /// Level of the least detailed component.
    pub summarization_level: SummarizationLevel,
}

/// Level of detail of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SummarizationLevel {
    /// Position, label and error.
    Minimal,
    /// Also actions, a short summary, and the first highlights.
    Condensed,
    /// Every field within the limits of a summary.
    Full,
}
