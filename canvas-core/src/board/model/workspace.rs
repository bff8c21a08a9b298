//! A workspace and what stands in it, as documents and bindings exchange it (specs 002 §1.3, §1.4).

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
    /// Its id.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// What is shown.
    pub canvas: Canvas,
    /// The conversation that belongs to it.
    pub thread_id: String,
    /// What was saved to be shown again.
    pub views: Vec<View>,
    /// What may suggest a view.
    pub triggers: Vec<ProactiveTrigger>,
    /// What the user has chosen.
    pub settings: WorkspaceSettings,
    /// When it was made, in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
    /// When a command last changed it.
    #[schemars(with = "u64")]
    pub updated_at: Timestamp,
}

/// What the user has chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSettings {
    /// How it looks.
    pub theme: Theme,
    /// Whether it speaks.
    pub voice_enabled: bool,
    /// Milliseconds between two refreshes of a component whose binding names none.
    pub default_refresh_interval: u64,
    /// The grid of a new canvas.
    pub grid: GridConfig,
    /// What a trigger may do.
    pub proactive_mode: ProactiveMode,
}

/// How a workspace looks.
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

/// What a trigger may do when it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProactiveMode {
    /// Suggest its view.
    Suggest,
    /// Load its view.
    Auto,
    /// Nothing.
    Off,
}

/// What is shown: a grid and the components on it, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Canvas {
    /// The grid.
    pub grid: GridConfig,
    /// The components.
    pub components: Vec<ComponentInstance>,
}

/// A canvas that was saved to be shown again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Its id.
    pub id: ViewId,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The canvas as it was.
    pub snapshot: Canvas,
    /// Triggers that belong to it.
    pub trigger_ids: Vec<TriggerId>,
    /// When it was saved.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
}

/// A component on a canvas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentInstance {
    /// Its id.
    pub id: ComponentId,
    /// Its type.
    pub type_id: TypeId,
    /// Its upper left cell.
    pub position: Position,
    /// Its width and height.
    pub size: Size,
    /// What it is told, by its type's schema.
    pub config: Map<String, Value>,
    /// Where its data come from.
    pub data_binding: Option<DataBinding>,
    /// How far its data are. It is no part of what is stored or taken back.
    #[serde(default)]
    pub data_state: DataLoadingState,
    /// Who made it, and what a person has said about it.
    pub meta: ComponentMeta,
}

impl ComponentInstance {
    /// The cells that it covers.
    pub const fn bounds(&self) -> Bounds {
        Bounds::new(self.position, self.size)
    }
}

/// Who made a component, and what a person has said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentMeta {
    /// When it was made.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
    /// Who made it.
    pub created_by: Actor,
    /// It stays where it is when a view is loaded or the canvas cleared, and is never shifted.
    pub pinned: bool,
    /// A person's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
