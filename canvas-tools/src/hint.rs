//! Next steps for a model if the engine cannot answer or the turn is over.

use canvas_core::text::Reason;
use canvas_core::{CodedError as _, EngineError};

/// The next step after the user has ended the turn.
pub(crate) const STOP: &str =
    "Next: the user has ended this turn, so stop and wait for the next user message.";

/// Whether the lines that a patch quotes are missing from the document.
pub(crate) const fn is_missing(reason: Reason) -> bool {
    matches!(reason, Reason::NotFound | Reason::ContextMismatch)
}

/// The next step for the model if the engine cannot answer. The engine's own message is for the host.
pub(crate) fn after_error(error: &EngineError) -> &'static str {
    const AGAIN: &str = "Next: make the same call again; if it fails again, stop and tell the user.";
    match error {
        error if error.is_retryable() => AGAIN,
        EngineError::TooLarge { .. } | EngineError::KeyReused | EngineError::Abandoned => {
            "Next: make the call again as corrected."
        }
        _ => "Next: stop and tell the user.",
    }
}

/// Appends the next step to the description of a failure.
pub(crate) fn with_hint(what: &str, hint: Option<&str>) -> String {
    let Some(hint) = hint else { return what.to_owned() };
    let stop = if what.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{what}{stop} {hint}")
}
