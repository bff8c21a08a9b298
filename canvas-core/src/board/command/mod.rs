//! Commands, which make every change of a board.

pub(crate) mod action;
mod arrange;
mod arranged;
mod component;
pub(crate) mod env;
pub(crate) mod refusal;
pub(crate) mod run;
mod settings;
mod view;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::board::model::data::DataBinding;
use crate::board::model::grid::{Position, Size};
use crate::board::model::id::{ComponentId, TriggerId, TypeId, ViewId};
use crate::board::model::placement::{OnCollision, PlacementHints};
use crate::board::model::settings::SettingsUpdate;
use crate::board::model::trigger::ProactiveTrigger;

/// A requested change to the board.
///
/// Commands also change settings and triggers, so these are in the history too.
///
/// In a batch, a component id of the form `$0` means the first component that the batch creates, `$1` the second, and
/// so on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload")]
#[non_exhaustive]
pub enum CanvasCommand {
    /// Adds a component.
    #[serde(rename = "component.create")]
    Create(Box<CreateComponent>),
    /// Changes a component's config, binding, label or pin.
    #[serde(rename = "component.update")]
    Update(Box<UpdateComponent>),
    /// Removes a component.
    #[serde(rename = "component.remove")]
    Remove(RemoveComponent),
    /// Moves a component.
    #[serde(rename = "component.move")]
    Move(MoveComponent),
    /// Resizes a component.
    #[serde(rename = "component.resize")]
    Resize(ResizeComponent),
    /// Saves the canvas as a view.
    #[serde(rename = "view.save")]
    SaveView(SaveView),
    /// Replaces the canvas by a saved view. Pinned components stay.
    #[serde(rename = "view.load")]
    LoadView(LoadView),
    /// Deletes a saved view.
    #[serde(rename = "view.delete")]
    DeleteView(DeleteView),
    /// Removes all components.
    #[serde(rename = "canvas.clear")]
    Clear(ClearCanvas),
    /// Sets some settings of the workspace.
    #[serde(rename = "settings.update")]
    UpdateSettings(Box<SettingsUpdate>),
    /// Adds a trigger, or replaces the one with the same id.
    #[serde(rename = "trigger.set")]
    SetTrigger(Box<SetTrigger>),
    /// Removes a trigger, and its id from the views that list it.
    #[serde(rename = "trigger.remove")]
    RemoveTrigger(RemoveTrigger),
    /// Runs several commands as one change, which applies completely or has no effect.
    #[serde(rename = "batch")]
    Batch(Batch),
}

/// Adds a component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateComponent {
    /// Type from the registry.
    pub type_id: TypeId,
    /// Object that matches the type's schema. The type's defaults fill in missing fields. If no field is missing, the
    /// component shares the value.
    #[serde(default)]
    pub config: Arc<Value>,
    /// Source of the data. If absent, built-in types derive it from the config.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_binding: Option<DataBinding>,
    /// Upper left cell. If absent, the board finds room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Size. If absent, the type's default is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Pin and label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<PartialMeta>,
    /// Preferred places, if there is no position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<PlacementHints>,
    /// Behaviour if another component is at the position.
    #[serde(default, skip_serializing_if = "OnCollision::is_reject")]
    pub on_collision: OnCollision,
}

impl CreateComponent {
    /// Creates a command for a component with this type and config. It has the size of its type, and the board finds
    /// room for it. You can set everything else in the value.
    ///
    /// ```
    /// use canvas_core::board::{CanvasCommand, CreateComponent, Position, TypeId};
    /// use serde_json::json;
    ///
    /// let tile = CreateComponent::new(
    ///     TypeId::new("github.stat-tile")?,
    ///     json!({"repo": "octo/plan", "metric": "stars"}),
    /// );
    /// let placed = CreateComponent { position: Some(Position::new(2, 0)), ..tile };
    /// let command = CanvasCommand::Create(Box::new(placed));
    /// # Ok::<(), canvas_core::NameError>(())
    /// ```
    pub fn new(type_id: TypeId, config: Value) -> Self {
        Self {
            type_id,
            config: Arc::new(config),
            data_binding: None,
            position: None,
            size: None,
            meta: None,
            hints: None,
            on_collision: OnCollision::default(),
        }
    }
}

/// The part of [`ComponentMeta`](crate::board::ComponentMeta) that a command can set. Author and creation time are
/// accepted but ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartialMeta {
    /// Whether shifting, clearing and loading leave the component in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Label given by a person; `null` removes it.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub label: Option<Option<String>>,
}

/// Changes the config of a component. Absent fields stay unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateComponent {
    /// Component. In a batch, `$0` names the first component that the batch creates.
    pub component_id: ComponentId,
    /// Fields to set. Arrays and objects are replaced as a whole, and `null` is a value.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub config: Option<Value>,
    /// New binding; `null` removes the binding.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<DataBinding>")]
    pub data_binding: Option<Option<DataBinding>>,
    /// New pin or label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<PartialMeta>,
}

/// Removes a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoveComponent {
    /// Component. In a batch, `$0` names the first component that the batch creates.
    pub component_id: ComponentId,
}

/// Moves a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveComponent {
    /// Component. In a batch, `$0` names the first component that the batch creates.
    pub component_id: ComponentId,
    /// New upper left cell.
    pub position: Position,
    /// Behaviour if another component covers the new place.
    #[serde(default, skip_serializing_if = "OnCollision::is_reject")]
    pub on_collision: OnCollision,
}

/// Resizes a component. Its upper left cell stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResizeComponent {
    /// Component. In a batch, `$0` names the first component that the batch creates.
    pub component_id: ComponentId,
    /// New size.
    pub size: Size,
    /// Behaviour if another component covers the new cells.
    #[serde(default, skip_serializing_if = "OnCollision::is_reject")]
    pub on_collision: OnCollision,
}

/// Saves the canvas as a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveView {
    /// Name, which need not be unique.
    pub name: String,
    /// Description for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Triggers of the workspace to save with the view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_ids: Option<Vec<TriggerId>>,
}

/// Replaces the canvas by a saved view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoadView {
    /// Id, not the name.
    pub view_id: ViewId,
}

/// Deletes a saved view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteView {
    /// Id, not the name.
    pub view_id: ViewId,
}

/// Removes all components.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClearCanvas {
    /// Whether pinned components stay.
    pub preserve_pinned: bool,
}

/// Adds a trigger after the others, or replaces the one with the same id in place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetTrigger {
    /// Complete trigger, because an absent field is not kept from the old one. Its view must exist, and the time of an
    /// enabled time-based trigger must have a known name.
    pub trigger: ProactiveTrigger,
}

/// Removes a trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoveTrigger {
    /// Id, not the name.
    pub trigger_id: TriggerId,
}

/// Runs several commands as one history entry, which applies completely or has no effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Batch {
    /// Commands in order. A nested batch runs as if its commands were inlined.
    pub commands: Vec<CanvasCommand>,
    /// Description of the change. If empty, the descriptions of the commands are used.
    pub description: String,
}

/// An act of a person by hand. It uses the same commands and the same history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum UserAction {
    /// Drags a component to another place.
    #[serde(rename = "user.move")]
    Move {
        /// Id of the component.
        component_id: ComponentId,
        /// New upper left cell.
        position: Position,
    },
    /// Drags a component's edge.
    #[serde(rename = "user.resize")]
    Resize {
        /// Id of the component.
        component_id: ComponentId,
        /// New size.
        size: Size,
    },
    /// Removes a component.
    #[serde(rename = "user.dismiss")]
    Dismiss {
        /// Id of the component.
        component_id: ComponentId,
    },
    /// Pins or unpins a component.
    #[serde(rename = "user.pin")]
    Pin {
        /// Id of the component.
        component_id: ComponentId,
        /// Whether the component is pinned.
        pinned: bool,
    },
    /// Requests new data.
    #[serde(rename = "user.refresh")]
    Refresh {
        /// Id of the component.
        component_id: ComponentId,
    },
    /// Undoes the last change.
    #[serde(rename = "user.undo")]
    Undo,
    /// Redoes the change undone last.
    #[serde(rename = "user.redo")]
    Redo,
}

/// A request to the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum HistoryAction {
    /// Undoes the last change.
    #[serde(rename = "history.undo")]
    Undo,
    /// Redoes the change undone last.
    #[serde(rename = "history.redo")]
    Redo,
    /// Drops the history. The board stays unchanged.
    #[serde(rename = "history.clear")]
    Clear,
}

/// Distinguishes a `null` field from a missing one.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
