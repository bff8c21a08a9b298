//! What a model gets back for a call.

mod address;
mod error;
#[cfg(feature = "schema")]
pub(crate) mod schema;

use std::borrow::Cow;

#[cfg(feature = "board")]
use canvas_core::board::{CanvasEvent, ComponentId};
#[cfg(feature = "surface")]
use canvas_core::surface::SurfaceEvent;
use canvas_core::text::{ApplyError, Conflict, EditPolicyError, LineRange, Suggestion, truncate};
use canvas_core::{
    BaseRefusal, LeaseRefusal, LinesRefusal, NotAvailable, PatchRefusal, Refusal, RevisionId, Snapshot,
    StaleBase,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::hint::with_hint;
use crate::lease_change::LeaseChange;

pub(crate) use self::address::{PATH_BYTES, address_place, address_words, candidates_json, shown_path};
pub use self::error::ToolError;

/// The answer to one call: a JSON object with `"ok"`, and `revision_id` wherever the canvas exists.
///
/// A failure has `"ok": false` and `error: {code, message, retryable, ...}`; the message says what to do next.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
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

/// What a call did on the board, for the host. A retry has the same effects again.
#[cfg(feature = "board")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardEffects {
    /// What happened, in order.
    pub events: Vec<CanvasEvent>,
    /// Components whose data the host should fetch: new ones, those with another binding, and those to be refreshed.
    pub fetch: Vec<ComponentId>,
    /// An action that the model asks the user to run. A host shows its label and parameters, and runs it if a person says
    /// so: it is never run for a model.
    pub requested: Option<ActionRequest>,
}

/// An action of a component that a model asks the user to run. Its parameters are right by the schema of the action.
#[cfg(feature = "board")]
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRequest {
    /// The component.
    pub component_id: ComponentId,
    /// One of the actions of its type.
    pub action_id: String,
    /// What people call it.
    pub label: String,
    /// The parameters.
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

    /// This reply to a call that did `change` to its caller's lease.
    #[must_use]
    pub fn with_lease_change(self, change: LeaseChange) -> Self {
        Self { lease_change: change, ..self }
    }

    /// The lines of its revision that the reply shows from their first to their last byte, in order. It is no part of the
    /// JSON.
    pub fn shown_lines(&self) -> &[LineRange] {
        &self.shown_lines
    }

    pub(crate) fn with_shown_lines(self, shown_lines: Vec<LineRange>) -> Self {
        Self { shown_lines, ..self }
    }

    /// Whether nobody knows what became of the call, since the store did not answer: the same call again, under the same id,
    /// tells, or does what the first one has not done.
    pub fn is_unanswered(&self) -> bool {
        self.unanswered
    }

    /// What the call did on the board; nothing for calls of other toolsets and for failures.
    #[cfg(feature = "board")]
    pub fn board(&self) -> &BoardEffects {
        &self.board
    }

    #[cfg(feature = "board")]
    pub(crate) fn with_board(self, board: BoardEffects) -> Self {
        Self { board, ..self }
    }

    /// What the call did to surfaces, for the clients that show them. A retry has the same events again.
    #[cfg(feature = "surface")]
    pub fn surface_events(&self) -> &[SurfaceEvent] {
        &self.surface
    }

    #[cfg(feature = "surface")]
    pub(crate) fn with_surface_events(self, surface: Vec<SurfaceEvent>) -> Self {
        Self { surface, ..self }
    }

    /// The JSON that the model gets.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// False where the call failed; a body without `ok` counts as success.
    pub fn is_ok(&self) -> bool {
        self.body.get("ok").and_then(Value::as_bool).unwrap_or(true)
    }

    /// The revision that the reply speaks of.
    pub fn revision_id(&self) -> Option<&str> {
        self.body.get("revision_id").and_then(Value::as_str)
    }

    /// The lease that the reply to a success speaks of.
    pub fn lease_id(&self) -> Option<&str> {
        self.body.get("lease_id").and_then(Value::as_str)
    }

    /// What the call did to the caller's lease. It is no part of the JSON.
    pub fn lease_change(&self) -> LeaseChange {
        self.lease_change
    }

    /// The code of a failure.
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

    /// Says which hunks of a refused patch may be sent again alone.
    pub(crate) fn with_resend(mut self, id: &str, faults: &[usize]) -> Self {
        if let Some(error) = self.body.get_mut("error").and_then(Value::as_object_mut) {
            let hunks = faults.iter().map(|hunk| hunk.to_string()).collect::<Vec<_>>().join(", ");
            error.insert("resend".into(), json!({"of": id, "hunks": faults}));
            if let Some(Value::String(message)) = error.get_mut("message") {
                let s = if faults.len() == 1 { "" } else { "s" };
                message.push_str(&format!(" resend takes hunk{s} {hunks} alone."));
            }
        }
        self
    }

    /// The reply to a call that failed.
    pub(crate) fn of_error(error: &ToolError, snapshot: Option<&Snapshot>) -> Self {
        Self { unanswered: error.is_unanswered(), ..Self::failure(error.to_json(), snapshot) }
    }

    pub(crate) fn failure(error: Value, snapshot: Option<&Snapshot>) -> Self {
        let mut body = json!({"ok": false, "error": error});
        if let Some(snapshot) = snapshot {
            body["revision_id"] = json!(snapshot.revision_id());
            body["canvas_epoch"] = json!(snapshot.head.lock().epoch());
        }
        Self::new(body)
    }

    /// The beginning of a reply to a read that took no lease.
    pub(crate) fn of_snapshot(snapshot: &Snapshot) -> Self {
        Self::new(json!({"ok": true, "revision_id": snapshot.revision_id()}))
    }
}

/// The body of a reply to a success: `ok`, the revision, and what the tool adds.
pub(crate) fn success(revision: RevisionId, fields: &impl Serialize) -> Value {
    let mut body = json!(fields);
    body["ok"] = true.into();
    body["revision_id"] = json!(revision);
    body
}

/// The `error` of a reply: code, reason, message with the hint, and what the refusal knows beyond.
pub(crate) fn refusal_json(refusal: Refusal<'_>, hint: Option<&str>) -> Value {
    let mut error = Map::new();
    let mut set = |name: &str, value: Value| drop(error.insert(name.into(), value));
    set("code", refusal.code().into());
    if let Some(reason) = refusal.reason() {
        set("reason", reason.into());
    }
    set("message", with_hint(&refusal.to_string(), hint).into());
    set("retryable", refusal.retryable().into());
    match refusal {
        Refusal::NotAvailable(NotAvailable::Held { until, own }) => {
            set("retry_after", json!(until));
            if let Some(own) = own {
                set("lease_id", json!(own));
            }
        }
        Refusal::Lease(LeaseRefusal::NotOwned { own: None, held_until: Some(until), .. }) => {
            set("retry_after", json!(until));
        }
        Refusal::Lease(LeaseRefusal::NotOwned { own: Some(own), .. }) => set("lease_id", json!(own)),
        Refusal::Lease(LeaseRefusal::StaleEpoch { changes, .. }) => set("changes", json!(changes)),
        Refusal::Base(BaseRefusal::StaleBase(stale)) => {
            let StaleBase { changes, base, near, rebased, already_applied, .. } = &**stale;
            set("base_revision_id", json!(base));
            set("changes", json!(changes));
            if let Some(near) = near {
                set("changes_near", json!(near));
            }
            if let Some(patch) = rebased {
                set("rebased_patch", json!(patch));
            }
            if *already_applied {
                set("already_applied", true.into());
            }
        }
        Refusal::Patch(PatchRefusal::PatchRejected(error)) => set_patch_error(error, set),
        Refusal::Patch(PatchRefusal::EditRefused { error }) => set_edit_error(error, set),
        Refusal::Patch(PatchRefusal::NotLocated { lines }) => set("line", json!(lines.start)),
        Refusal::Lines(LinesRefusal::ContentChanged { lines }) => {
            set("place", "/expect_hash".into());
            set("lines", json!(lines));
        }
        Refusal::Lines(LinesRefusal::NoSuchLines { .. }) => set("place", "/start".into()),
        _ => {}
    }
    Value::Object(error)
}

/// The conflicts of a patch, and what to send in its place.
pub(crate) fn set_patch_error(error: &ApplyError, mut set: impl FnMut(&str, Value)) {
    let conflicts = error.conflicts().iter().map(|conflict| {
        let mut json = json!(conflict);
        // Those that are shown with what stands there; the numbers of others tell nothing.
        if let Some(candidates) = json.get_mut("candidates").and_then(Value::as_array_mut) {
            candidates.truncate(Conflict::PLACES);
        }
        json
    });
    set("conflicts", conflicts.collect());
    match error.suggestion() {
        Some(Suggestion::Rebased(patch)) => set("rebased_patch", json!(patch)),
        Some(Suggestion::AlreadyApplied) => set("already_applied", true.into()),
        None => {}
    }
}

/// Where an edit does what it may not: `line` is one of the document, `new_line` one of the text that was not stored.
fn set_edit_error(error: &EditPolicyError, mut set: impl FnMut(&str, Value)) {
    match error {
        EditPolicyError::Scope(error) => {
            set("message", address_words(error).into());
            set("place", format!("/scope{}", address_place(error)).into());
            set("candidates", candidates_json(error).into());
        }
        EditPolicyError::OutOfScope { line, scope } => {
            set("line", json!(line));
            set("scope", json!({"start_line": scope.start, "end_line": scope.end}));
        }
        EditPolicyError::UnclosedFence { line }
        | EditPolicyError::UnintendedHeading { line, .. }
        | EditPolicyError::SideEffect { line, .. } => set("new_line", json!(line)),
        EditPolicyError::FrontMatter { .. } => set("new_line", json!(1)),
    }
}

/// The beginning of what may hold a model's own words at any length: 300 characters and an ellipsis.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    truncate(text, 300)
}
