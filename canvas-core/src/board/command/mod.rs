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

/// A change that is asked for.
///
/// Settings and triggers are changed by commands as all else is, so that they are in the history too.
///
/// In a batch, a component id of the form `$0` means the first component that the batch creates, `$1` the second, and
/// so on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload")]
pub enum CanvasCommand {
    /// Add a component.
    #[serde(rename = "component.create")]
    Create(Box<CreateComponent>),
    /// Change a component's config, binding, label or pin.
    #[serde(rename = "component.update")]
    Update(Box<UpdateComponent>),
    /// Take a component away.
    #[serde(rename = "component.remove")]
    Remove(RemoveComponent),
    /// Put a component elsewhere.
    #[serde(rename = "component.move")]
    Move(MoveComponent),
    /// Make a component larger or smaller.
    #[serde(rename = "component.resize")]
    Resize(ResizeComponent),
    /// Save the canvas as a view.
    #[serde(rename = "view.save")]
    SaveView(SaveView),
    /// Put a saved view in place of the canvas; pinned components stay.
    #[serde(rename = "view.load")]
    LoadView(LoadView),
    /// Delete a saved view.
    #[serde(rename = "view.delete")]
    DeleteView(DeleteView),
    /// Remove all components.
    #[serde(rename = "canvas.clear")]
    Clear(ClearCanvas),
    /// Set some of the workspace's settings.
    #[serde(rename = "settings.update")]
    UpdateSettings(Box<SettingsUpdate>),
    /// Add a trigger, or replace the one that has its id.
    #[serde(rename = "trigger.set")]
    SetTrigger(Box<SetTrigger>),
    /// Take a trigger away, and its id from the views that list it.
    #[serde(rename = "trigger.remove")]
    RemoveTrigger(RemoveTrigger),
    /// Several commands, all or none, as one change.
    #[serde(rename = "batch")]
    Batch(Batch),
}

/// Adds a component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateComponent {
    /// A type of the registry.
    pub type_id: TypeId,
    /// An object by the type's schema; the type's defaults stand under it. Shared with the component, where these add
    /// nothing to it.
    #[serde(default)]
    pub config: Arc<Value>,
    /// Where its data come from. Without, built-in types make theirs from the config.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_binding: Option<DataBinding>,
    /// Its upper left cell. Without, the board finds room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Its size. Without, the type's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Pin and label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<PartialMeta>,
    /// Where to look for room first, where no position is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<PlacementHints>,
    /// What to do where something is at the position.
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

/// What a command may say of [`ComponentMeta`](crate::board::ComponentMeta). Who made a component, and when, is not for a
/// command to say: both are read and dropped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartialMeta {
    /// Shifting, clearing and loading leave a pinned component where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// A person's name for it; `null` takes the name away.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub label: Option<Option<String>>,
}

/// Changes the config of a component. What is left out stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateComponent {
    /// In a batch `$0` names the first component that it makes.
    pub component_id: ComponentId,
    /// Fields to set. Arrays and objects are replaced whole; `null` is a value.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub config: Option<Value>,
    /// Another binding; `null` takes the binding away.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<DataBinding>")]
    pub data_binding: Option<Option<DataBinding>>,
    /// Another pin or label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<PartialMeta>,
}

/// Takes a component away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoveComponent {
    /// In a batch `$0` names the first component that it makes.
    pub component_id: ComponentId,
}

/// Puts a component elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveComponent {
    /// In a batch `$0` names the first component that it makes.
    pub component_id: ComponentId,
    /// The new upper left cell.
    pub position: Position,
    /// What to do where another component covers the new place.
    #[serde(default, skip_serializing_if = "OnCollision::is_reject")]
    pub on_collision: OnCollision,
}

/// Makes a component larger or smaller; its upper left cell stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResizeComponent {
    /// In a batch `$0` names the first component that it makes.
    pub component_id: ComponentId,
    /// The new size.
    pub size: Size,
    /// What to do where another component covers the new cells.
    #[serde(default, skip_serializing_if = "OnCollision::is_reject")]
    pub on_collision: OnCollision,
}

/// Saves the canvas as a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveView {
    /// Need not be unique.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Triggers of the workspace to save with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_ids: Option<Vec<TriggerId>>,
}

/// Puts a saved view in place of the canvas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoadView {
    /// An id, not a name.
    pub view_id: ViewId,
}

/// Deletes a saved view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteView {
    /// An id, not a name.
    pub view_id: ViewId,
}

/// Takes all components away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClearCanvas {
    /// Whether pinned components stay.
    pub preserve_pinned: bool,
}

/// Adds a trigger behind the others, or replaces the one that has its id where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetTrigger {
    /// All of it: a field that is left out is none. Its view must be there, and where it is enabled and time-based, its time
    /// must have a name that is known.
    pub trigger: ProactiveTrigger,
}

/// Takes a trigger away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoveTrigger {
    /// An id, not a name.
    pub trigger_id: TriggerId,
}

/// Several commands, all or none, and one entry of the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Batch {
    /// Them, in order. A batch in a batch is done as if its commands stood there.
    pub commands: Vec<CanvasCommand>,
    /// Becomes the description of the change; empty for the commands' own.
    pub description: String,
}

/// What a person does by hand. It goes through the same commands, and the same history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum UserAction {
    /// Drag a component elsewhere.
    #[serde(rename = "user.move")]
    Move {
        /// Which one.
        component_id: ComponentId,
        /// The new upper left cell.
        position: Position,
    },
    /// Drag a component's edge.
    #[serde(rename = "user.resize")]
    Resize {
        /// Which one.
        component_id: ComponentId,
        /// The new size.
        size: Size,
    },
    /// Remove a component.
    #[serde(rename = "user.dismiss")]
    Dismiss {
        /// Which one.
        component_id: ComponentId,
    },
    /// Pin a component, or loosen it.
    #[serde(rename = "user.pin")]
    Pin {
        /// Which one.
        component_id: ComponentId,
        /// Pinned, or no longer.
        pinned: bool,
    },
    /// Ask for new data.
    #[serde(rename = "user.refresh")]
    Refresh {
        /// Which one.
        component_id: ComponentId,
    },
    /// Undo the last change.
    #[serde(rename = "user.undo")]
    Undo,
    /// Redo the change that was undone last.
    #[serde(rename = "user.redo")]
    Redo,
}

/// What may be asked of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum HistoryAction {
    /// Undo the last change.
    #[serde(rename = "history.undo")]
    Undo,
    /// Redo the change that was undone last.
    #[serde(rename = "history.redo")]
    Redo,
    /// Drop the history; the board stays as it is.
    #[serde(rename = "history.clear")]
    Clear,
}

/// Distinguishes a `null` field from a missing one.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
