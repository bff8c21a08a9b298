//! The history in the form that clients receive.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::board::command::run::BoardChange;
use crate::board::command::{
    CanvasCommand, MoveComponent, RemoveComponent, RemoveTrigger, ResizeComponent, SetTrigger,
};
use crate::board::model::id::UndoId;
use crate::board::model::placement::OnCollision;
use crate::board::state::diff::Diff;
use crate::board::state::patch::{BoardPatch, ComponentDiff};
use crate::board::state::settings::{SettingsDiff, TriggerDiff, TriggerRecordDiff};
use crate::model::author::Role;

/// The changes that can be undone and redone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryState {
    /// Changes to undo, the most recent one last.
    pub undo_stack: Vec<UndoEntry>,
    /// Changes to redo, the next one last.
    pub redo_stack: Vec<UndoEntry>,
    /// Maximum number of changes kept.
    pub max_size: usize,
}

/// A change that can be undone or redone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoEntry {
    /// Id of the change, as in the command's result.
    pub id: UndoId,
    /// Time of the change in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub timestamp: Timestamp,
    /// Author of the change.
    pub source: Role,
    /// One sentence about the change, for people.
    pub description: String,
    /// Executed command, with its final position, size and ids. The restore of an earlier board has none, so that this
    /// is its patch instead.
    pub forward: Recorded,
    /// Inverse of the command.
    pub inverse: Recorded,
}

/// A command in the history. Commands reserved for the history keep ids, order and times, which no other command can
/// do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Recorded {
    /// A public command.
    Command(Box<CanvasCommand>),
    /// A command reserved for the history.
    Restore(Restore),
}

/// Restores an earlier state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload")]
pub enum Restore {
    /// Restores a component.
    #[serde(rename = "component.restore")]
    Component(Value),
    /// Restores views and triggers, or several settings and triggers.
    #[serde(rename = "view.restore")]
    View(Value),
    /// Restores several components, or the grid.
    #[serde(rename = "canvas.restore")]
    Canvas(Value),
}

impl BoardChange {
    /// Returns the entry in the form that clients receive.
    pub fn shown(&self) -> UndoEntry {
        UndoEntry {
            id: self.id.clone(),
            timestamp: self.at,
            source: self.source,
            description: self.description.clone(),
            forward: Recorded::Command(self.forward.clone()),
            inverse: Recorded::inverse_of(&self.patch),
        }
    }
}

impl Recorded {
    /// Returns the inverse of a change, as a public command if one exists.
    pub(crate) fn inverse_of(patch: &BoardPatch) -> Self {
        match Inverse::of(patch) {
            Inverse::Command(command) => Self::Command(command),
            Inverse::Restore { kind, payload } => {
                let payload = serde_json::to_value(payload).expect("its maps have text for keys");
                Self::Restore(match kind {
                    RestoreKind::Component => Restore::Component(payload),
                    RestoreKind::View => Restore::View(payload),
                    RestoreKind::Canvas => Restore::Canvas(payload),
                })
            }
        }
    }
}

/// The JSON of a [`HistoryState`], written directly from the journal's entries, because a change of a whole board is
/// long.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryJson<'e> {
    /// Changes to undo. The most recent one comes last.
    pub undo_stack: Vec<UndoEntryJson<'e>>,
    /// Changes to redo. The next one comes last.
    pub redo_stack: Vec<UndoEntryJson<'e>>,
    /// Maximum number of changes kept.
    pub max_size: usize,
}

/// The JSON of an [`UndoEntry`], written directly from the journal.
#[derive(Debug, Serialize)]
pub struct UndoEntryJson<'e> {
    pub(crate) id: &'e UndoId,
    pub(crate) timestamp: Timestamp,
    pub(crate) source: Role,
    pub(crate) description: &'e str,
    pub(crate) forward: Forward<'e>,
    pub(crate) inverse: Inverse,
}

/// The inverse of a change, in the cases of [`Recorded`].
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Inverse {
    Command(Box<CanvasCommand>),
    Restore {
        #[serde(rename = "type")]
        kind: RestoreKind,
        payload: BoardPatch,
    },
}

/// A change, in the cases of [`Recorded`].
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Forward<'e> {
    Command(&'e CanvasCommand),
    /// A change without a command is the inverse of its inverse.
    Restore(Inverse),
}

/// The kinds of [`Restore`].
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) enum RestoreKind {
    #[serde(rename = "component.restore")]
    Component,
    #[serde(rename = "view.restore")]
    View,
    #[serde(rename = "canvas.restore")]
    Canvas,
}

impl Inverse {
    pub(crate) fn of(patch: &BoardPatch) -> Self {
        let command = match (patch.components.as_slice(), &patch.settings) {
            ([ComponentDiff::Bounds { id, bounds: Diff { before, after } }], None)
                if before.size == after.size =>
            {
                Some(CanvasCommand::Move(MoveComponent {
                    component_id: id.clone(),
                    position: before.position,
                    on_collision: OnCollision::Reject,
                }))
            }
            ([ComponentDiff::Bounds { id, bounds: Diff { before, after } }], None)
                if before.position == after.position =>
            {
                Some(CanvasCommand::Resize(ResizeComponent {
                    component_id: id.clone(),
                    size: before.size,
                    on_collision: OnCollision::Reject,
                }))
            }
            ([], Some(settings)) => inverse_of_settings(settings),
            ([ComponentDiff::Added(record)], None) => {
                Some(CanvasCommand::Remove(RemoveComponent { component_id: record.body.id.clone() }))
            }
            _ => None,
        };
        if let Some(command) = command {
            return Self::Command(Box::new(command));
        }
        let kind = match (patch.components.as_slice(), &patch.settings) {
            ([_], None) => RestoreKind::Component,
            ([], Some(settings)) if settings.grid.is_none() => RestoreKind::View,
            _ => RestoreKind::Canvas,
        };
        Self::Restore { kind, payload: patch.inverse() }
    }
}

/// Returns the inverse for a change of settings only, or of one trigger replaced or added at the end.
fn inverse_of_settings(diff: &SettingsDiff) -> Option<CanvasCommand> {
    let SettingsDiff { views, triggers, active_view: None, grid: None, settings } = diff else { return None };
    match (views.as_slice(), triggers.as_slice(), settings) {
        ([], [], Some(settings)) => Some(CanvasCommand::UpdateSettings(Box::new(settings.before))),
        ([], [TriggerDiff::Record(TriggerRecordDiff::Changed(diff))], None) => {
            Some(CanvasCommand::SetTrigger(Box::new(SetTrigger { trigger: diff.before.clone() })))
        }
        ([], [TriggerDiff::Record(TriggerRecordDiff::Added { trigger, .. })], None) => {
            Some(CanvasCommand::RemoveTrigger(RemoveTrigger { trigger_id: trigger.id.clone() }))
        }
        _ => None,
    }
}
