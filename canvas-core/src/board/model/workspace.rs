//! A workspace and its contents, as documents and bindings exchange it.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::data::{DataBinding, DataLoadingState};
use super::grid::{Bounds, GridConfig, Position, Size};
use super::id::{ComponentId, TriggerId, TypeId, ViewId, WorkspaceId};
use crate::board::model::trigger::ProactiveTrigger;
use crate::model::author::Actor;

/// Everything about a board, as one JSON value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Workspace {
    /// Given by the host; a board never changes it.
    pub id: WorkspaceId,
    /// For people.
    pub name: String,
    /// The components that stand now.
    pub canvas: Canvas,
    /// The conversation with the model that belongs to the workspace; the host gives it.
    pub thread_id: String,
    /// Canvases that were saved to be loaded again.
    pub views: Vec<View>,
    /// What may suggest or load a view, in the order in which they are due.
    pub triggers: Vec<ProactiveTrigger>,
    /// Set by [`CanvasCommand::UpdateSettings`](crate::board::CanvasCommand::UpdateSettings).
    pub settings: WorkspaceSettings,
    /// Milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
    /// When a command last changed it, in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub updated_at: Timestamp,
}

impl Workspace {
    /// Creates a workspace without components, views and triggers, with the default settings and `now` as its date, as
    /// a new board begins.
    ///
    /// ```
    /// use canvas_core::board::{Board, GridConfig, Theme, Workspace, WorkspaceId};
    /// use canvas_core::lease::Timestamp;
    ///
    /// let (id, now) = (WorkspaceId::new("ws_1")?, Timestamp::from_millis(1_700_000_000_000));
    /// let grid = GridConfig { columns: 24, ..GridConfig::default() };
    /// let mut workspace = Workspace::empty(id, "Release".to_owned(), "main".to_owned(), grid, now);
    /// workspace.settings.theme = Theme::Dark;
    /// let board = Board::new(workspace)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn empty(id: WorkspaceId, name: String, thread_id: String, grid: GridConfig, now: Timestamp) -> Self {
        let settings = WorkspaceSettings { grid, ..WorkspaceSettings::default() };
        let (canvas, views, triggers) = (Canvas { grid, components: Vec::new() }, Vec::new(), Vec::new());
        Self { id, name, canvas, thread_id, views, triggers, settings, created_at: now, updated_at: now }
    }
}

/// The user's choices. The board keeps them and uses `default_refresh_interval`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSettings {
    /// For the host's colours.
    pub theme: Theme,
    /// Whether the host speaks.
    pub voice_enabled: bool,
    /// Milliseconds between two refreshes of a component whose binding names none.
    pub default_refresh_interval: u64,
    /// For canvases that the host makes.
    pub grid: GridConfig,
    /// What [`due`](crate::board::due) does with triggers.
    pub proactive_mode: ProactiveMode,
}

/// Returns the system's theme, no voice, a refresh each minute, the default grid, and triggers that suggest rather than
/// act.
impl Default for WorkspaceSettings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            voice_enabled: false,
            default_refresh_interval: 60_000,
            grid: GridConfig::default(),
            proactive_mode: ProactiveMode::Suggest,
        }
    }
}

/// Colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// As the system is.
    System,
}

/// What a trigger does when it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ProactiveMode {
    /// Suggest its view.
    Suggest,
    /// Load its view.
    Auto,
    /// No trigger is ever due.
    Off,
}

/// What is shown: a grid and the components on it, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Canvas {
    /// Its rows are those that are shown; there may be components below them.
    pub grid: GridConfig,
    /// In the order in which they were made.
    pub components: Vec<ComponentInstance>,
}

/// A canvas that was saved under a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Made by the board when the view is saved.
    pub id: ViewId,
    /// Need not be unique.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Without data: they are fetched when the view is loaded.
    pub snapshot: Canvas,
    /// Triggers of the workspace that the view was saved with.
    pub trigger_ids: Vec<TriggerId>,
    /// When it was saved, in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
}

/// A component as documents and bindings exchange it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentInstance {
    /// Made by the board; a component keeps it through views and undo.
    pub id: ComponentId,
    /// A type of the registry. One that is not registered is shown as a placeholder.
    pub type_id: TypeId,
    /// The upper left cell.
    pub position: Position,
    /// Columns and rows that it covers.
    pub size: Size,
    /// By the schema of its type, with the type's defaults.
    pub config: Map<String, Value>,
    /// `None` for a component without data.
    pub data_binding: Option<DataBinding>,
    /// How far its data are. It is no part of what is stored or taken back.
    #[serde(default)]
    pub data_state: DataLoadingState,
    /// What is neither place, config nor data.
    pub meta: ComponentMeta,
}

impl ComponentInstance {
    /// Returns the cells that the component covers.
    pub const fn bounds(&self) -> Bounds {
        Bounds::new(self.position, self.size)
    }
}

/// Who made a component, and what a person has said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentMeta {
    /// In milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
    /// Whose command made it.
    pub created_by: Actor,
    /// It stays where it is when a view is loaded or the canvas cleared, and is never shifted.
    pub pinned: bool,
    /// A person's name for it, shown in place of the type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
