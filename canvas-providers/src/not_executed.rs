//! The result of a call that was not executed. Every call needs a result, or the provider refuses the next request.

use serde_json::json;

use crate::event::Event;
use crate::verdict::{Arguments, DecodedCall};

/// The reason that a call was not executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotExecuted {
    Interrupted,
    Truncated,
    Malformed,
    Declined,
    /// The call is complete, but the answer is not.
    AnswerBroken,
}

impl NotExecuted {
    /// Returns the reason that follows from the call itself. A complete call can only have been interrupted.
    pub(crate) fn of(call: &DecodedCall) -> Self {
        match call.arguments {
            Arguments::Complete(_) => Self::Interrupted,
            Arguments::Truncated => Self::Truncated,
            Arguments::Malformed => Self::Malformed,
        }
    }

    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Interrupted => "CALL_INTERRUPTED",
            Self::Truncated => "CALL_TRUNCATED",
            Self::Malformed => "CALL_MALFORMED",
            Self::Declined => "CALL_DECLINED",
            Self::AnswerBroken => "ANSWER_BROKEN",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Interrupted => {
                "The turn was interrupted before this call was answered. Read the current state before relying on it."
            }
            Self::Truncated => {
                "The call was cut off by a limit and did not run. Make it again in full, in smaller pieces if it is long."
            }
            Self::Malformed => {
                "The call did not run: its arguments are not a JSON object. Make it again with an object."
            }
            Self::Declined => "The call did not run because the answer was declined.",
            Self::AnswerBroken => {
                "The answer broke off on its way, so this call did not run. Make it again if it is still wanted."
            }
        }
    }

    /// Builds the result event for a call with this id.
    pub(crate) fn answer(self, id: &str, name: &str) -> Event {
        let retryable = self != Self::Declined;
        let error = json!({"code": self.code(), "message": self.message(), "retryable": retryable});
        Event::result(id, name, json!({"ok": false, "error": error}))
    }
}
