//! What a model gets back for a call.

mod error;

use std::borrow::Cow;

#[cfg(feature = "board")]
use canvas_core::board::{CanvasEvent, ComponentId};
use canvas_core::lease::Timestamp;
use canvas_core::text::{ApplyError, Suggestion, truncate};
use canvas_core::{Outcome, Refusal, Snapshot};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::hint::{after_refusal, with_hint};
use crate::lease_change::LeaseChange;

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
    #[cfg(feature = "board")]
    #[serde(skip)]
    board: BoardEffects,
}

/// What a call did on the board, for the host. A retry has the same effects again.
#[cfg(feature = "board")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardEffects {
    /// What happened, in order.
    pub events: Vec<CanvasEvent>,
    /// Components whose data the host should fetch: new ones, those with another binding, and those to be refreshed.
    pub fetch: Vec<ComponentId>,
}

impl ToolReply {
    /// Wraps a reply body made by this crate or by a host's own tool.
    pub fn new(body: Value) -> Self {
        Self {
            body,
            lease_change: LeaseChange::None,
            #[cfg(feature = "board")]
            board: BoardEffects::default(),
        }
    }

    /// This reply to a call that did `change` to its caller's lease.
    #[must_use]
    pub fn with_lease_change(self, change: LeaseChange) -> Self {
        Self { lease_change: change, ..self }
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

    /// The lease that the reply speaks of.
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

    /// The reply to a call that failed.
    pub(crate) fn of_error(error: &ToolError, snapshot: Option<&Snapshot>) -> Self {
        Self::failure(error.to_json(), snapshot)
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

    /// The reply to an outcome. A retry's outcome is the first one's, and so are its revision and lease; a refusal comes
    /// with the current revision, and its hint names a call that is legal now.
    pub(crate) fn of_outcome(outcome: &Outcome, snapshot: &Snapshot) -> Self {
        let body = match outcome {
            Outcome::CheckedOut { lease, epoch, expires_at, revision } => json!({
                "ok": true,
                "revision_id": revision,
                "lease_id": lease,
                "revision_id_at_checkout": revision,
                "canvas_epoch": epoch,
                "expires_at": expires_at,
            }),
            Outcome::Renewed { lease, expires_at, at_max_hold, revision } => json!({
                "ok": true,
                "revision_id": revision,
                "lease_id": lease,
                "expires_at": expires_at,
                "at_max_hold": at_max_hold,
            }),
            Outcome::CheckedIn { released, revision } => json!({
                "ok": true,
                "revision_id": revision,
                "released": released,
            }),
            Outcome::Readable { revision, expires_at } => {
                expiring(json!({"ok": true, "revision_id": revision}), *expires_at)
            }
            Outcome::Applied(applied) => {
                let body = json!({
                    "ok": true,
                    "revision_id": applied.revision,
                    "new_revision_id": applied.revision,
                    "applied_hunks": applied.summary.hunks,
                    "summary": applied.summary.to_string(),
                    "repairs": applied.repairs,
                    "spans": applied.spans,
                });
                expiring(body, applied.expires_at)
            }
            Outcome::Refused(refusal) => {
                let hint = after_refusal(refusal, snapshot.head.lock().turn_open());
                return Self::failure(refusal_json(refusal, hint), Some(snapshot));
            }
            // No tool of a model leads to the others.
            outcome => json!({"ok": true, "revision_id": snapshot.revision_id(), "outcome": outcome}),
        };
        Self::new(body)
    }
}

/// What is done without a lease does not expire.
fn expiring(mut body: Value, expires_at: Option<Timestamp>) -> Value {
    if let Some(expires_at) = expires_at {
        body["expires_at"] = json!(expires_at);
    }
    body
}

/// The `error` of a reply: code, reason, message with the hint, and what the refusal knows beyond.
pub(crate) fn refusal_json(refusal: &Refusal, hint: Option<&str>) -> Value {
    let mut error = Map::new();
    let mut set = |name: &str, value: Value| drop(error.insert(name.into(), value));
    set("code", refusal.code().into());
    if let Some(reason) = refusal.reason() {
        set("reason", reason.into());
    }
    set("message", with_hint(&refusal.to_string(), hint).into());
    set("retryable", refusal.retryable().into());
    match refusal {
        Refusal::Held { until } => set("retry_after", json!(until)),
        Refusal::StaleEpoch { changes, .. } => set("changes", json!(changes)),
        Refusal::StaleBase { changes, base, near, rebased } => {
            set("base_revision_id", json!(base));
            set("changes", json!(changes));
            if let Some(near) = near {
                set("changes_near", json!(near));
            }
            if let Some(patch) = rebased {
                set("rebased_patch", json!(patch));
            }
        }
        Refusal::PatchRejected(error) => set_patch_error(error, set),
        Refusal::ContentChanged { lines } => {
            set("place", "/expect_hash".into());
            set("lines", json!(lines));
        }
        Refusal::NoSuchLines { .. } => set("place", "/start".into()),
        _ => {}
    }
    Value::Object(error)
}

/// The conflicts of a patch, and what to send in its place.
pub(crate) fn set_patch_error(error: &ApplyError, mut set: impl FnMut(&str, Value)) {
    set("conflicts", json!(error.conflicts()));
    match error.suggestion() {
        Some(Suggestion::Rebased(patch)) => set("rebased_patch", json!(patch)),
        Some(Suggestion::AlreadyApplied) => set("already_applied", true.into()),
        None => {}
    }
}

/// The refusal of a command that has no answer of its own kind.
pub(crate) fn into_refusal(outcome: Outcome) -> Refusal {
    match outcome {
        Outcome::Refused(refusal) => refusal,
        // A receipt of the same key answers only the same command, so another kind of answer is a reused key.
        _ => Refusal::CallIdReused,
    }
}

/// The beginning of what may hold a model's own words at any length: 300 characters and an ellipsis.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    truncate(text, 300)
}
