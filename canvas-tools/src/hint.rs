//! What a model does next where a call failed and the failure's own words name no tool: the core knows none.

use canvas_core::text::{Reason, Suggestion};
use canvas_core::{
    BaseRefusal, EngineError, LeaseRefusal, LinesRefusal, NotAvailable, PatchRefusal, Refusal,
};

const READ: &str = "Next: call canvas_read_lines.";
const CHECK_OUT: &str = "Next: call canvas_check_out, then canvas_read_lines.";

/// The next call after a refusal by a document tool. `None` where the refusal says which arguments to change, or to
/// stop. `turn_open` tells whether anybody may check out in the turn that runs.
pub(crate) fn after_refusal(refusal: Refusal<'_>, turn_open: bool) -> Option<&'static str> {
    match refusal {
        Refusal::NotAvailable(NotAvailable::Held { .. }) => Some("Next: call canvas_check_out after that."),
        Refusal::Lease(LeaseRefusal::TooManyCalls { .. }) => {
            Some("Next: call canvas_check_in, then canvas_check_out.")
        }
        Refusal::Lease(_) if !turn_open => {
            Some("Next: the user has ended this turn, so stop and wait for the next user message.")
        }
        Refusal::Lease(LeaseRefusal::StaleEpoch { .. } | LeaseRefusal::Expired { .. }) => Some(CHECK_OUT),
        Refusal::Lease(LeaseRefusal::NotOwned) => {
            Some("Next: the same call with that lease_id; if you have none, call canvas_check_out.")
        }
        Refusal::Base(BaseRefusal::StaleBase(stale)) if stale.rebased.is_some() => {
            Some("Next: call canvas_apply_patch with rebased_patch, or with one of your own.")
        }
        Refusal::Base(_) | Refusal::Lines(LinesRefusal::NoSuchLines { .. }) => Some(READ),
        Refusal::Patch(PatchRefusal::PatchRejected(error)) => match error.suggestion() {
            Some(Suggestion::Rebased(_)) => Some("Next: call canvas_apply_patch with rebased_patch."),
            Some(Suggestion::AlreadyApplied) => None,
            None => error.conflicts().iter().any(|conflict| must_read(conflict.reason)).then_some(READ),
        },
        Refusal::Lines(LinesRefusal::ContentChanged { lines }) if lines.range_hash.is_none() => Some(READ),
        Refusal::NotAvailable(NotAvailable::UserActive)
        | Refusal::Patch(PatchRefusal::EditRefused { .. })
        | Refusal::Lines(LinesRefusal::ContentChanged { .. } | LinesRefusal::NoEffect)
        | Refusal::Call(_)
        | Refusal::Limit(_)
        | Refusal::StaleEdit(_)
        | Refusal::History(_)
        | Refusal::Board(_)
        | Refusal::NewBoard(_) => None,
        // Document tools meet no other face.
        _ => None,
    }
}

/// Whether the patch cannot be corrected by what it says itself.
pub(crate) const fn must_read(reason: Reason) -> bool {
    matches!(reason, Reason::NotFound | Reason::ContextMismatch)
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
