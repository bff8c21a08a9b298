//! What a model does next where a call failed and the failure's own words name no tool: the core knows none.

use std::borrow::Cow;

use canvas_core::lease::Timestamp;
use canvas_core::text::{Conflict, LineRange, Reason, Suggestion};
use canvas_core::{
    BaseRefusal, Changes, EngineError, LeaseRefusal, LinesRefusal, NotAvailable, PatchRefusal, Refusal,
    RevisionId, StaleBase,
};

const READ: &str = "Next: call canvas_read_lines.";
const SEARCH: &str = "Next: call canvas_grep.";
const CHECK_OUT: &str = "Next: call canvas_check_out, then this call with its lease_id.";
const STOP: &str = "Next: the user has ended this turn, so stop and wait for the next user message.";

/// What a call was, as far as the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// It looks, or is about the lease.
    Other,
    /// A patch.
    Patch,
    /// Lines replaced by number.
    Lines,
}

/// The canvas and its conversation after a refused call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aftermath {
    pub(crate) kind: CallKind,
    /// Anybody may check out in the turn that runs.
    pub(crate) turn_open: bool,
    /// The conversation has seen the document as it is.
    pub(crate) has_seen: bool,
    pub(crate) revision: RevisionId,
    /// The clock by which leases end.
    pub(crate) clock: Timestamp,
}

/// The next call after a refusal by a document tool. `None` where the refusal says which arguments to change, or to
/// stop.
pub(crate) fn after_refusal(refusal: Refusal<'_>, after: Aftermath) -> Option<Cow<'static, str>> {
    let next = match refusal {
        Refusal::NotAvailable(NotAvailable::Held { own: Some(own), .. }) => {
            return Some(format!("Next: call the other tools with lease_id {own}.").into());
        }
        Refusal::NotAvailable(NotAvailable::Held { until, .. }) => {
            return Some(after.check_out_later(*until));
        }
        Refusal::Lease(LeaseRefusal::TooManyCalls { .. }) => {
            "Next: call canvas_check_in, then canvas_check_out."
        }
        Refusal::Lease(_) if !after.turn_open => STOP,
        Refusal::Lease(LeaseRefusal::NotOwned { own: Some(own), .. }) => {
            return Some(format!("Next: the same call with lease_id {own}.").into());
        }
        Refusal::Lease(LeaseRefusal::NotOwned { held_until: Some(until), .. }) => {
            return Some(after.check_out_later(*until));
        }
        Refusal::Lease(refusal) => after.check_out(refusal),
        Refusal::Base(BaseRefusal::StaleBase(stale)) => return after.write_again(stale),
        Refusal::Lines(LinesRefusal::NoSuchLines { .. }) => READ,
        Refusal::Patch(PatchRefusal::NotLocated { lines }) => {
            let LineRange { start, end } = lines;
            return Some(
                format!("Next: call canvas_read_lines with start_line {start} and end_line {end}.").into(),
            );
        }
        Refusal::Patch(PatchRefusal::PatchRejected(error)) => match error.suggestion() {
            Some(Suggestion::Rebased(_)) => "Next: call canvas_apply_patch with rebased_patch.",
            Some(Suggestion::AlreadyApplied) => return None,
            None if error.conflicts().iter().any(must_search) => SEARCH,
            None => return None,
        },
        Refusal::Lines(LinesRefusal::ContentChanged { lines }) if lines.range_hash.is_none() => READ,
        Refusal::NotAvailable(NotAvailable::UserActive)
        | Refusal::Patch(PatchRefusal::EditRefused { .. })
        | Refusal::Lines(LinesRefusal::ContentChanged { .. } | LinesRefusal::NoEffect)
        | Refusal::Call(_)
        | Refusal::Limit(_)
        | Refusal::StaleEdit(_)
        | Refusal::History(_)
        | Refusal::Board(_)
        | Refusal::NewBoard(_) => return None,
        // Document tools meet no other face.
        _ => return None,
    };
    Some(next.into())
}

impl Aftermath {
    fn check_out_later(self, until: Timestamp) -> Cow<'static, str> {
        match seconds_until(until, self.clock) {
            0 => CHECK_OUT.into(),
            seconds => format!("Next: call canvas_check_out in {seconds} s.").into(),
        }
    }

    /// After a lease that is over. A write is repeated only where its author knows what it changes.
    fn check_out(self, refusal: &LeaseRefusal) -> &'static str {
        let is_known = match refusal {
            LeaseRefusal::StaleEpoch { changes, .. } => changes.as_ref().is_none_or(Changes::is_shown),
            _ => self.has_seen,
        };
        match self.kind {
            CallKind::Other => CHECK_OUT,
            CallKind::Patch | CallKind::Lines if !is_known => {
                "Next: call canvas_check_out, then canvas_read_lines."
            }
            CallKind::Patch | CallKind::Lines => {
                "Next: call canvas_check_out, then this call with its lease_id and revision_id, if it still says what you mean."
            }
        }
    }

    /// After a base that is not the document as it is.
    fn write_again(self, stale: &StaleBase) -> Option<Cow<'static, str>> {
        let now = stale.changes.as_ref().map_or(self.revision, |changes| changes.to);
        if stale.already_applied {
            return None;
        }
        if self.kind == CallKind::Lines {
            return Some(READ.into());
        }
        Some(if stale.rebased.is_some() {
            format!("Next: call canvas_apply_patch with rebased_patch and base_revision_id {now}.").into()
        } else if stale.shows_changes() && stale.near.as_ref().is_none_or(|near| !near.diff.is_empty()) {
            format!("Next: call canvas_apply_patch, written for that text, with base_revision_id {now}.")
                .into()
        } else if stale.up_to_date {
            format!("Next: the same call with base_revision_id {}.", self.revision).into()
        } else {
            READ.into()
        })
    }
}

/// Whole seconds until a time, at least one where it is still to come.
pub(crate) fn seconds_until(until: Timestamp, clock: Timestamp) -> u64 {
    until.as_millis().saturating_sub(clock.as_millis()).div_ceil(1_000)
}

/// Whether what a patch quotes is not in the document.
pub(crate) const fn is_missing(reason: Reason) -> bool {
    matches!(reason, Reason::NotFound | Reason::ContextMismatch)
}

/// Whether the patch cannot be corrected by what the conflict says: nothing in the document is like what it quotes.
const fn must_search(conflict: &Conflict) -> bool {
    is_missing(conflict.reason) && conflict.nearby.is_empty() && conflict.present_at.is_none()
}

/// The next call after the tool of surfaces has failed with a code.
#[cfg(feature = "surface")]
pub(crate) fn after_surface(code: &str) -> Option<&'static str> {
    Some(match code {
        "SURFACE_NOT_FOUND" => "Next: call gsv__Canvas with operation list, and name one that it shows.",
        "REVISION_CONFLICT" => {
            "Next: call gsv__Canvas with operation get, and repeat with the revision that it shows."
        }
        "SPEC_INVALID" | "TEMPLATE_INVALID" | "TEMPLATE_SINK_FORBIDDEN" => {
            "Next: the same upsert, corrected at each place in errors."
        }
        "POLICY_WIDENING" => {
            "Next: call gsv__Canvas with operation get, and repeat with the toolPolicy and confirm that it shows; only the \
             user may widen them."
        }
        "PATCH_FAILED" | "STATE_PATH" => {
            "Next: call gsv__Canvas with operation get, and write the patch for the state that it shows."
        }
        "UNSUPPORTED_OP" => "Next: the same patchState with add, replace and remove.",
        "STATE_TOO_LARGE" => "Next: the same patchState with less in it.",
        "INVALID_PATH" => "Next: the same upsert with paths like assets/index.html.",
        "LOCK_NOT_AVAILABLE" => {
            "Next: the user has ended this turn, so stop and wait for the next user message."
        }
        _ => return None,
    })
}

/// The next call after a tool of recipes has failed with a code.
#[cfg(feature = "recipe")]
pub(crate) fn after_recipe(code: &str) -> Option<&'static str> {
    Some(match code {
        "RECIPE_INVALID" | "EXPR_INVALID" | "VERSION_MISMATCH" => {
            "Next: the same canvas_record_recipe, corrected at each place in errors."
        }
        "RECIPE_MISMATCH" => "Next: the same canvas_record_recipe, corrected at place.",
        "RECIPE_NOT_FOUND" => {
            "Next: call the tools that give the data, show the data, and call canvas_record_recipe."
        }
        "RECIPE_REPLACED" => "Next: the same canvas_refresh again.",
        "NOT_IN_RECIPE" => {
            "Next: canvas_refresh with components that the recipe feeds, or without components."
        }
        "RATE_LIMITED" => "Next: go on without refreshing; the data are of just now.",
        "LOCK_NOT_AVAILABLE" => {
            "Next: the user has ended this turn, so stop and wait for the next user message."
        }
        _ => return None,
    })
}

/// What a model does where the engine has no answer. The engine's words are for the host.
pub(crate) const fn after_error(error: &EngineError) -> &'static str {
    const AGAIN: &str = "Next: make the same call again; if it fails again, stop and tell the user.";
    match error {
        EngineError::Contention { .. } => AGAIN,
        EngineError::Store(error) if error.retryable() => AGAIN,
        EngineError::TooLarge { .. } | EngineError::KeyReused | EngineError::Abandoned => {
            "Next: make the call again as corrected."
        }
        EngineError::NotFound { .. }
        | EngineError::Exists { .. }
        | EngineError::Deleted { .. }
        | EngineError::Damaged { .. }
        | EngineError::FaceNotSupported { .. }
        | EngineError::Unreadable { .. }
        | EngineError::RevisionConflict { .. }
        | EngineError::TimeInSeconds { .. }
        | EngineError::Store(_)
        | EngineError::RevisionsExhausted { .. } => "Next: stop and tell the user.",
    }
}

/// A failure in words, and what comes next.
pub(crate) fn with_hint(what: &str, hint: Option<&str>) -> String {
    let Some(hint) = hint else { return what.to_owned() };
    let stop = if what.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{what}{stop} {hint}")
}
