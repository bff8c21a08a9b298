//! Judges an answer. The judgement lists the calls to run, the results of the others, and the next step of the turn.

use canvas_tools::{CodedError as _, ToolCall};

use super::Outcome;
use super::overflow::is_overflow;
use crate::decoded::{DecodeError, Decoded, StopReason};
use crate::not_executed::NotExecuted;
use crate::verdict::{DecodedCall, Verdict};

#[derive(Debug)]
pub(super) struct Judgement {
    /// The calls to run, in the order of the answer.
    pub(super) run: Vec<ToolCall>,
    pub(super) refuse: Vec<(DecodedCall, NotExecuted)>,
    pub(super) next: Next,
}

/// The step after the calls have run.
#[derive(Debug)]
pub(super) enum Next {
    /// Send another request.
    GoOn,
    /// Send another request, although the answer did not advance the turn. After too many such answers, end with this
    /// outcome.
    Stall(Outcome),
    End(Outcome),
}

pub(super) fn judge(answer: &Decoded) -> Judgement {
    let reason = match (&answer.failure, answer.stop_reason) {
        (Some(_), _) => Some(NotExecuted::AnswerBroken),
        (None, StopReason::Refusal) => Some(NotExecuted::Declined),
        (None, _) => None,
    };
    let (mut run, mut refuse) = (Vec::new(), Vec::new());
    for call in answer.calls() {
        match (call.to_call(), reason) {
            (Some(complete), None) => run.push(complete),
            (None, Some(NotExecuted::AnswerBroken) | None) => {
                refuse.push((call.clone(), NotExecuted::of(call)));
            }
            (_, Some(reason)) => refuse.push((call.clone(), reason)),
        }
    }
    let next = match &answer.failure {
        Some(failure) => Next::End(broken(failure)),
        None => next(answer, &run, &refuse),
    };
    Judgement { run, refuse, next }
}

fn next(answer: &Decoded, run: &[ToolCall], refuse: &[(DecodedCall, NotExecuted)]) -> Next {
    match answer.stop_reason {
        StopReason::Refusal => Next::End(Outcome::Refused),
        StopReason::ContextFull => Next::End(Outcome::ContextOverflow),
        _ if !run.is_empty() => Next::GoOn,
        _ if refuse.iter().any(|(call, _)| call.verdict() == Verdict::Truncated) => {
            Next::Stall(Outcome::Truncated)
        }
        _ if !refuse.is_empty() => Next::Stall(Outcome::Unusable {
            code: "CALLS_MALFORMED",
            message: "no call of the last answers can run; try another model, or look at the tools' schemas"
                .to_owned(),
            retryable: false,
        }),
        StopReason::Pause => Next::Stall(Outcome::Paused),
        StopReason::Length => Next::End(Outcome::Truncated),
        StopReason::ToolUse if answer.events.is_empty() => Next::End(Outcome::Unusable {
            code: "RESPONSE_WITHOUT_CALLS",
            message: "the answer announces calls and holds none; send the request again".to_owned(),
            retryable: true,
        }),
        StopReason::End | StopReason::ToolUse | StopReason::Other => Next::End(Outcome::Completed),
    }
}

fn broken(failure: &DecodeError) -> Outcome {
    if is_overflow(failure) {
        return Outcome::ContextOverflow;
    }
    Outcome::Broken { code: failure.code(), message: failure.to_string(), retryable: failure.is_retryable() }
}

/// The outcome of a turn whose last answer could not be read at all.
pub(super) fn unusable(error: &DecodeError) -> Outcome {
    if is_overflow(error) {
        return Outcome::ContextOverflow;
    }
    Outcome::Unusable { code: error.code(), message: error.to_string(), retryable: error.is_retryable() }
}
