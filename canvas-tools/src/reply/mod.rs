//! The reply to a model's call.

mod address;
mod conflict;
mod error;
mod failure;
mod lines;
#[cfg(feature = "schema")]
pub(crate) mod schema;

#[cfg(feature = "board")]
use canvas_core::board::{CanvasEvent, ComponentId};
#[cfg(feature = "surface")]
use canvas_core::surface::SurfaceEvent;
use canvas_core::text::LineRange;
use canvas_core::{RevisionId, Snapshot};
use serde::Serialize;
#[cfg(feature = "board")]
use serde_json::Map;
use serde_json::{Value, json};

use crate::lease_change::LeaseChange;

pub(crate) use self::address::{
    AddressDetail, PATH_BYTES, address_place, address_words, candidates, shorten, shown_path,
};
pub(crate) use self::conflict::{ConflictFields, read_in};
#[cfg(feature = "surface")]
pub(crate) use self::error::ArgumentDetail;
pub use self::error::ToolError;
pub(crate) use self::failure::{Failure, FitDetail, HeldDetail, StaleDetail, seconds_until};
pub(crate) use self::lines::changed_lines;

/// The answer to one call. It is a JSON object with `"ok"`, and with `revision_id` if the canvas exists.
///
/// A failure has `"ok": false` and `error: {code, message, retryable, ...}`, and its message tells the model how to
/// continue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
#[must_use = "a failure of the call is in the reply, which the model must read"]
pub struct ToolReply {
    body: Value,
    #[serde(skip)]
    lease_change: LeaseChange,
    #[serde(skip)]
    shown_lines: Vec<LineRange>,
    #[serde(skip)]
    unanswered: bool,
    #[cfg(feature = "board")]
    #[serde(skip)]
    board: BoardEffects,
    #[cfg(feature = "surface")]
    #[serde(skip)]
    surface: Vec<SurfaceEvent>,
}

/// The effects of a call on the board, for the host. A retry returns the same effects again.
#[cfg(feature = "board")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardEffects {
    /// The events for subscribers of the board, in order.
    pub events: Vec<CanvasEvent>,
    /// Components whose data the host should fetch. They are new, have another binding, or need a refresh.
    pub fetch: Vec<ComponentId>,
    /// An action that the model asks the user to run. Show its label and parameters, and run it only if a person
    /// agrees.
    pub requested: Option<ActionRequest>,
}

/// An action of a component that a model asks the user to run. Its parameters fit the schema of the action.
#[cfg(feature = "board")]
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRequest {
    /// Id of the component with the action.
    pub component_id: ComponentId,
    /// One of the actions of its type.
    pub action_id: String,
    /// Name of the action for people.
    pub label: String,
    /// Parameters to run the action with.
    pub params: Map<String, Value>,
}

impl ToolReply {
    /// Wraps a reply body made by this crate or by a host's own tool.
    pub fn new(body: Value) -> Self {
        Self {
            body,
            lease_change: LeaseChange::None,
            shown_lines: Vec::new(),
            unanswered: false,
            #[cfg(feature = "board")]
            board: BoardEffects::default(),
            #[cfg(feature = "surface")]
            surface: Vec::new(),
        }
    }

    /// Returns the reply with a change of its caller's lease.
    pub fn with_lease_change(self, change: LeaseChange) -> Self {
        Self { lease_change: change, ..self }
    }

    /// Returns the lines of the reply's revision that the reply shows in full, in order. They are not part of the JSON.
    pub fn shown_lines(&self) -> &[LineRange] {
        &self.shown_lines
    }

    pub(crate) fn with_shown_lines(self, shown_lines: Vec<LineRange>) -> Self {
        Self { shown_lines, ..self }
    }

    /// Whether the outcome of the call is unknown, because the store did not answer. If you send the same call again
    /// under the same id, it returns the outcome, or runs if the first attempt did not.
    pub fn is_unanswered(&self) -> bool {
        self.unanswered
    }

    /// Returns the effects of the call on the board. They are empty for failures and for calls of other toolsets.
    #[cfg(feature = "board")]
    pub fn board(&self) -> &BoardEffects {
        &self.board
    }

    #[cfg(feature = "board")]
    pub(crate) fn with_board(self, board: BoardEffects) -> Self {
        Self { board, ..self }
    }

    /// Returns the events of surfaces for the clients that show them. A retry returns the same events again.
    #[cfg(feature = "surface")]
    pub fn surface_events(&self) -> &[SurfaceEvent] {
        &self.surface
    }

    #[cfg(feature = "surface")]
    pub(crate) fn with_surface_events(self, surface: Vec<SurfaceEvent>) -> Self {
        Self { surface, ..self }
    }

    /// Returns the JSON for the model.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// Returns whether the call succeeded. A body without `ok` counts as success.
    pub fn is_ok(&self) -> bool {
        self.body.get("ok").and_then(Value::as_bool).unwrap_or(true)
    }

    /// Returns the `revision_id` of the reply, if it has one.
    pub fn revision_id(&self) -> Option<&str> {
        self.body.get("revision_id").and_then(Value::as_str)
    }

    /// Returns the `lease_id` of a successful reply, if it has one.
    pub fn lease_id(&self) -> Option<&str> {
        self.body.get("lease_id").and_then(Value::as_str)
    }

    /// Returns the change of the caller's lease. It is not part of the JSON.
    pub fn lease_change(&self) -> LeaseChange {
        self.lease_change
    }

    /// Returns the error code of a failure.
    pub fn code(&self) -> Option<&str> {
        self.body.pointer("/error/code").and_then(Value::as_str)
    }

    #[cfg(feature = "board")]
    pub(crate) fn with_body(self, body: Value) -> Self {
        Self { body, ..self }
    }

    pub(crate) fn with(mut self, fields: Value) -> Self {
        if let (Value::Object(body), Value::Object(fields)) = (&mut self.body, fields) {
            body.extend(fields);
        }
        self
    }

    /// Builds the reply to a call that failed.
    pub(crate) fn of_error(error: &ToolError, snapshot: Option<&Snapshot>) -> Self {
        Self { unanswered: error.is_unanswered(), ..Self::failed(&error.failure(), snapshot) }
    }

    /// Builds the reply to a call that failed for a toolset's own reason.
    pub(crate) fn failed<D: Serialize>(failure: &Failure<D>, snapshot: Option<&Snapshot>) -> Self {
        let mut body = json!({"ok": false, "error": failure});
        if let Some(snapshot) = snapshot {
            body["revision_id"] = json!(snapshot.revision_id());
            body["canvas_epoch"] = json!(snapshot.head.lock().epoch());
        }
        Self::new(body)
    }

    /// Builds the beginning of a reply to a read that took no lease.
    pub(crate) fn of_snapshot(snapshot: &Snapshot) -> Self {
        Self::new(json!({"ok": true, "revision_id": snapshot.revision_id()}))
    }
}

/// Returns the body of a successful reply with `ok`, the revision, and the fields of the tool.
pub(crate) fn success(revision: RevisionId, fields: &impl Serialize) -> Value {
    let mut body = json!(fields);
    body["ok"] = true.into();
    body["revision_id"] = json!(revision);
    body
}
