//! A workspace and its contents, as documents and bindings exchange it.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::data::{DataBinding, DataLoadingState};
use super::grid::{Bounds, GridConfig, Position, Size};
use super::id::{ComponentId, TriggerId, TypeId, ViewId, WorkspaceId};
use crate::board::model::trigger::ProactiveTrigger;
use crate::model::author::Role;

/// A complete board, as one JSON value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Workspace {
    /// Id given by the host, which the board never changes.
    pub id: WorkspaceId,
    /// Text for people.
    pub name: String,
    /// Current grid and components.
    pub canvas: Canvas,
    /// Conversation that belongs to the workspace, as given by the host.
    pub thread_id: String,
    /// Saved views.
    pub views: Vec<View>,
    /// Triggers that suggest or load a view, in the order in which they are due.
    pub triggers: Vec<ProactiveTrigger>,
    /// Settings, changed by [`CanvasCommand::UpdateSettings`](crate::board::CanvasCommand::UpdateSettings).
    pub settings: WorkspaceSettings,
    /// Creation time in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
    /// Time of the last change by a command, in milliseconds since 1970.
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

/// The user's preferences. The board stores them, and itself uses only `default_refresh_interval`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSettings {
    /// Colour theme for the host.
    pub theme: Theme,
    /// Whether voice output is on.
    pub voice_enabled: bool,
    /// Milliseconds between two refreshes, if a component's binding does not set them.
    pub default_refresh_interval: u64,
    /// Grid for canvases that the host creates.
    pub grid: GridConfig,
    /// Handling of triggers by [`due`](crate::board::due).
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

/// A colour theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// The theme of the system.
    System,
}

/// Effect of a trigger that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ProactiveMode {
    /// Suggests the trigger's view.
    Suggest,
    /// Loads the trigger's view.
    Auto,
    /// No trigger is ever due.
    Off,
}

/// A grid with its components, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Canvas {
    /// Grid of the canvas. Its rows are the visible ones, and there may be components below them.
    pub grid: GridConfig,
    /// Components in the order of their creation.
    pub components: Vec<ComponentInstance>,
}

/// A canvas saved under a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Id created by the board.
    pub id: ViewId,
    /// Name, which need not be unique.
    pub name: String,
    /// Text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The saved canvas, without data. They are fetched when the view is loaded.
    pub snapshot: Canvas,
    /// Triggers saved with the view.
    pub trigger_ids: Vec<TriggerId>,
    /// Time of saving in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
}

/// A component as documents and bindings exchange it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentInstance {
    /// Id created by the board, which the component keeps through views and undo.
    pub id: ComponentId,
    /// Type of the component. If the type is not registered, the component is shown as a placeholder.
    pub type_id: TypeId,
    /// Upper left cell.
    pub position: Position,
    /// Number of columns and rows covered.
    pub size: Size,
    /// Config that matches the type's schema, with the type's defaults.
    pub config: Map<String, Value>,
    /// Binding to a data source. `None` for a component without data.
    pub data_binding: Option<DataBinding>,
    /// State of the data, which is neither stored nor undone.
    #[serde(default)]
    pub data_state: DataLoadingState,
    /// Author, pin and label.
    pub meta: ComponentMeta,
}

impl ComponentInstance {
    /// Returns the cells that the component covers.
    pub const fn bounds(&self) -> Bounds {
        Bounds::new(self.position, self.size)
    }
}

/// Author of a component, and its pin and label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentMeta {
    /// Creation time in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
    /// Author of the command that created the component.
    pub created_by: Role,
    /// Whether the component stays in place when a view is loaded, the canvas is cleared or others are shifted.
    pub pinned: bool,
    /// Label given by a person, shown instead of the type's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
