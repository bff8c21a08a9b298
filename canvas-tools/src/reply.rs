//! What a model gets back for a call.

use canvas_core::lease::Timestamp;
use canvas_core::text::Suggestion;
use canvas_core::{Changes, EngineError, Outcome, Refusal, Snapshot};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::hint::{after_error, after_refusal, with_hint};
use crate::lease_change::LeaseChange;

/// The answer to one call: a JSON object with `"ok"`, and `revision_id` wherever the canvas exists.
///
/// A failure has `"ok": false` and `error: {code, message, retryable, ...}`; the message says what to do next.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ToolReply {
    body: Value,
    #[serde(skip)]
    lease_change: LeaseChange,
}

impl ToolReply {
    /// Wraps a reply body made by this crate or by a host's own tool.
    pub fn new(body: Value) -> Self {
        Self { body, lease_change: LeaseChange::None }
    }

    /// This reply to a call that did `change` to its caller's lease.
    #[must_use]
    pub fn with_lease_change(self, change: LeaseChange) -> Self {
        Self { lease_change: change, ..self }
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

    pub(crate) fn with(mut self, fields: Value) -> Self {
        if let (Value::Object(body), Value::Object(fields)) = (&mut self.body, fields) {
            body.extend(fields);
        }
        self
    }

    pub(crate) fn error(error: &ToolError, snapshot: Option<&Snapshot>) -> Self {
        Self::failure(error.to_json(), snapshot)
    }

    pub(crate) fn failure(error: Value, snapshot: Option<&Snapshot>) -> Self {
        let mut body = Map::new();
        body.insert("ok".into(), false.into());
        if let Some(snapshot) = snapshot {
            body.insert("revision_id".into(), snapshot.revision_id().to_string().into());
            body.insert("canvas_epoch".into(), snapshot.head.lock().epoch().get().into());
        }
        body.insert("error".into(), error);
        Self::new(Value::Object(body))
    }

    /// The reply where the engine has no answer.
    pub(crate) fn of_error(error: &EngineError, snapshot: Option<&Snapshot>) -> Self {
        let message = with_hint(&error.to_string(), Some(after_error(error)));
        let mut json = ToolError::new(error.code(), message).to_json();
        json["retryable"] = error.retryable().into();
        Self::failure(json, snapshot)
    }

    /// The beginning of a reply to a look that took no lease.
    pub(crate) fn of_snapshot(snapshot: &Snapshot) -> Self {
        Self::new(json!({"ok": true, "revision_id": snapshot.revision_id()}))
    }

    /// The reply to an outcome. A retry's outcome is the first one's, and so are its revision and lease; beside a
    /// refusal stands the revision of now, and the next call is one that is legal now.
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
                let mut json = refusal_json(refusal);
                let next = after_refusal(refusal, snapshot.head.lock().turn_open());
                json["message"] = with_hint(&refusal.to_string(), next).into();
                return Self::failure(json, Some(snapshot));
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

pub(crate) fn refusal_json(refusal: &Refusal) -> Value {
    let mut error = Map::new();
    error.insert("code".into(), refusal.code().into());
    if let Some(reason) = refusal.reason() {
        error.insert("reason".into(), reason.into());
    }
    error.insert("message".into(), refusal.to_string().into());
    error.insert("retryable".into(), refusal.retryable().into());
    let mut place = |name: &str, value: Value| error.insert(name.into(), value);
    match refusal {
        Refusal::Held { until } => {
            place("retry_after", json!(until));
        }
        Refusal::StaleEpoch { changes, .. } => {
            place("changes", changes_json(changes.as_ref()));
        }
        Refusal::StaleBase { changes, base, near, rebased } => {
            place("base_revision_id", json!(base));
            place("changes", changes_json(changes.as_ref()));
            if let Some(near) = near {
                place("changes_near", json!(near));
            }
            if let Some(patch) = rebased {
                place("rebased_patch", json!(patch));
            }
        }
        Refusal::PatchRejected(rejected) => {
            place("conflicts", json!(rejected.conflicts()));
            match rejected.suggestion() {
                Some(Suggestion::Rebased(patch)) => {
                    place("rebased_patch", json!(patch));
                }
                Some(Suggestion::AlreadyApplied) => {
                    place("already_applied", true.into());
                }
                None => {}
            }
        }
        Refusal::ContentChanged { lines } => {
            place("place", "/expect_hash".into());
            place("lines", json!(lines));
        }
        Refusal::NoSuchLines { .. } => {
            place("place", "/start".into());
        }
        _ => {}
    }
    Value::Object(error)
}

fn changes_json(changes: Option<&Changes>) -> Value {
    json!(changes)
}

/// A call that never reached the canvas.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolError {
    code: &'static str,
    reason: Option<&'static str>,
    /// JSON Pointer into the arguments.
    place: Option<String>,
    message: String,
    /// What may have been meant.
    candidates: Option<Vec<Value>>,
}

impl ToolError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason: None, place: None, message: message.into(), candidates: None }
    }

    pub(crate) fn of_refusal(refusal: &Refusal) -> Self {
        Self::new(refusal.code(), refusal.to_string())
    }

    pub(crate) fn argument(place: &str, message: impl Into<String>) -> Self {
        Self::new("INVALID_ARGUMENTS", message).at(place)
    }

    pub(crate) fn at(self, place: &str) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// The same of arguments that are part of others.
    pub(crate) fn within(self, place: &str) -> Self {
        Self { place: self.place.map(|within| format!("{place}{within}")), ..self }
    }

    pub(crate) fn with_reason(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    pub(crate) fn with_candidates(self, candidates: Vec<Value>) -> Self {
        Self { candidates: Some(candidates), ..self }
    }

    fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("code".into(), self.code.into());
        if let Some(reason) = self.reason {
            error.insert("reason".into(), reason.into());
        }
        if let Some(place) = &self.place {
            error.insert("place".into(), place.clone().into());
        }
        error.insert("message".into(), self.message.clone().into());
        if let Some(candidates) = &self.candidates {
            error.insert("candidates".into(), candidates.clone().into());
        }
        error.insert("retryable".into(), false.into());
        Value::Object(error)
    }
}
