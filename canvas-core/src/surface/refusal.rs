//! Refusals of commands on surfaces.

use std::borrow::Cow;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::revision::Revision;
use crate::surface::name::EventId;
use crate::surface::{ConfirmationPrompt, SurfaceCode, SurfaceFault};

/// A refusal of a request to a surface. The canvas is unchanged, and no tool ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(tag = "refusal", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SurfaceRefusal {
    /// The canvas does not have a surface that the asker may see.
    #[error("there is no such surface: create it, or list those that you may see")]
    SurfaceNotFound,
    /// The canvas already has a surface.
    #[error("this canvas has a surface already: change that one, or choose another id")]
    SurfaceExists,
    /// The stored surface cannot be read.
    #[error("the surface cannot be read: restore the store from a backup, or update the library")]
    SurfaceDamaged,
    /// The surface changed after the revision that the request expects, or did not reach that revision yet.
    #[error("the surface is at revision {}, not at {}: read it again and repeat the request", current.get(), expected.get())]
    StaleSurface {
        /// The revision that the request expects.
        expected: Revision,
        /// The canvas's current revision.
        current: Revision,
    },
    /// The spec has faults and cannot be saved.
    #[error("{}", spec_faults(faults))]
    SpecInvalid {
        /// All faults, in the order of the spec; at least one.
        faults: Vec<SurfaceFault>,
    },
    /// A person must see the planned call and agree.
    #[error(
        "a person must confirm this action: show what would run, and repeat the request with the confirmation"
    )]
    ConfirmationRequired {
        /// The planned call, to show to the person.
        prompt: Box<ConfirmationPrompt>,
    },
    /// The confirmed call already began, is not the one that would run now, or was confirmed too late.
    #[error(
        "what was confirmed has begun, or is not what would run now: repeat the request without it, and confirm what is shown then"
    )]
    ConfirmStale,
    /// The same request is under way.
    #[error(
        "this action runs already, until {until} at the latest (milliseconds since 1970 UTC): ask again after that"
    )]
    ActionInProgress {
        /// Id of the execution under way.
        event: EventId,
        /// When it ends at the latest, by the store's clock.
        #[schemars(with = "u64")]
        until: Timestamp,
    },
    /// The action was begun, and nobody knows how it ended. It is not run again.
    #[error("nobody knows how this action ended: look at what it did before you send it under a new id")]
    ActionLost {
        /// Id of the lost execution.
        event: EventId,
    },
    /// As many actions are under way as there may be.
    #[error("{limit} actions are under way, which is the limit: try again when one has ended")]
    TooManyRunning {
        /// Maximum number of actions under way.
        limit: usize,
    },
    /// This runner does not run an action under this event.
    #[error(
        "no action is under way under this event, or another runner has begun it: look at its audit record"
    )]
    EventNotFound {
        /// Id of the event in the request.
        event: EventId,
    },
    /// Something is wrong at one place of the request.
    #[error("{fault}")]
    SurfaceRefused {
        /// The first fault and its place in the request.
        fault: SurfaceFault,
        /// Further faults, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<SurfaceFault>,
    },
}

impl CodedError for SurfaceRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::SurfaceNotFound => SurfaceCode::SurfaceNotFound.code(),
            Self::SurfaceExists => "CANVAS_EXISTS",
            Self::SurfaceDamaged => "CANVAS_DAMAGED",
            Self::StaleSurface { .. } => SurfaceCode::RevisionConflict.code(),
            Self::SpecInvalid { .. } => SurfaceCode::SpecInvalid.code(),
            Self::ConfirmationRequired { .. } => SurfaceCode::ConfirmationRequired.code(),
            Self::ConfirmStale => SurfaceCode::ConfirmStale.code(),
            Self::ActionInProgress { .. } => SurfaceCode::ActionInProgress.code(),
            Self::ActionLost { .. } => SurfaceCode::ActionLost.code(),
            Self::TooManyRunning { .. } => SurfaceCode::TooManyRunning.code(),
            Self::EventNotFound { .. } => SurfaceCode::ActionNotFound.code(),
            Self::SurfaceRefused { fault, .. } => fault.code(),
        }
    }

    /// Returns the JSON Pointer to the fault in the request, or `None` if the fault concerns the whole request or no
    /// part of it.
    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::StaleSurface { .. } => Some("/expectedRevision".into()),
            Self::ConfirmationRequired { .. } | Self::ConfirmStale => Some("/confirmation".into()),
            Self::EventNotFound { .. } => Some("/eventId".into()),
            Self::SpecInvalid { faults } => faults.first().and_then(SurfaceFault::place),
            Self::SurfaceRefused { fault, .. } => fault.place(),
            _ => None,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::ActionInProgress { .. } | Self::TooManyRunning { .. } => true,
            Self::SurfaceRefused { fault, .. } => fault.is_retryable(),
            _ => false,
        }
    }
}

impl SurfaceRefusal {
    /// Creates the refusal of a request with these faults, of which there must be at least one.
    pub(crate) fn of(mut faults: Vec<SurfaceFault>) -> Self {
        if faults.is_empty() {
            return Self::SurfaceDamaged;
        }
        let fault = faults.remove(0);
        Self::SurfaceRefused { fault, others: faults }
    }
}

impl From<SurfaceFault> for SurfaceRefusal {
    fn from(fault: SurfaceFault) -> Self {
        Self::SurfaceRefused { fault, others: Vec::new() }
    }
}

/// Returns the first fault of a spec and the number of faults.
fn spec_faults(faults: &[SurfaceFault]) -> String {
    let first = faults.first().map_or("correct the spec", |fault| fault.message.as_str());
    match faults.len() {
        0 | 1 => format!("the spec cannot be saved: {first}"),
        all => format!("the spec cannot be saved for {all} faults, the first of which is: {first}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::json_hash::JsonHash;
    use crate::transition::refusal::SurfaceCommandRefusal;

    fn refusals() -> Vec<(SurfaceRefusal, &'static str, Option<&'static str>)> {
        let (event, until) = (EventId::new("1").unwrap(), Timestamp::from_millis(1));
        let fault =
            |code| SurfaceFault::new("/spec/actions/a", code, "the action is wrong: correct it".to_owned());
        let prompt = ConfirmationPrompt {
            tool: None,
            session_key: None,
            args: json!({"command": "ls"}),
            words: Some(vec!["ls".to_owned()]),
            digest: JsonHash::of(&json!(1)).unwrap(),
            planned_at: until,
            expires_at: until,
        };
        let (expected, current) = (Revision::ZERO, Revision::ZERO);
        let faults = vec![fault(SurfaceCode::TemplateInvalid), fault(SurfaceCode::StatePath)];
        vec![
            (SurfaceRefusal::SurfaceNotFound, "SURFACE_NOT_FOUND", None),
            (SurfaceRefusal::SurfaceExists, "CANVAS_EXISTS", None),
            (SurfaceRefusal::SurfaceDamaged, "CANVAS_DAMAGED", None),
            (
                SurfaceRefusal::StaleSurface { expected, current },
                "REVISION_CONFLICT",
                Some("/expectedRevision"),
            ),
            (SurfaceRefusal::SpecInvalid { faults }, "SPEC_INVALID", Some("/spec/actions/a")),
            (
                SurfaceRefusal::ConfirmationRequired { prompt: Box::new(prompt) },
                "CONFIRMATION_REQUIRED",
                Some("/confirmation"),
            ),
            (SurfaceRefusal::ConfirmStale, "CONFIRM_STALE", Some("/confirmation")),
            (SurfaceRefusal::ActionInProgress { event: event.clone(), until }, "ACTION_IN_PROGRESS", None),
            (SurfaceRefusal::ActionLost { event: event.clone() }, "ACTION_LOST", None),
            (SurfaceRefusal::TooManyRunning { limit: 16 }, "TOO_MANY_RUNNING", None),
            (SurfaceRefusal::EventNotFound { event }, "ACTION_NOT_FOUND", Some("/eventId")),
            (fault(SurfaceCode::ToolNotAllowed).into(), "TOOL_NOT_ALLOWED", Some("/spec/actions/a")),
        ]
    }

    /// A receipt keeps each refusal, and no other group of the command's refusals can parse its JSON.
    #[test]
    fn refusals_are_read_as_they_were_written() {
        for (refusal, code, place) in refusals() {
            assert_eq!((refusal.code(), refusal.place().as_deref()), (code, place), "{refusal:?}");
            let of_command = SurfaceCommandRefusal::from(refusal);
            assert_eq!(of_command.code(), code);
            let json = serde_json::to_value(&of_command).unwrap();
            assert_eq!(serde_json::from_value::<SurfaceCommandRefusal>(json).unwrap(), of_command);
        }
    }

    #[test]
    fn only_what_ends_by_itself_is_worth_a_retry() {
        let retryable = refusals().into_iter().filter(|(refusal, ..)| refusal.is_retryable());
        assert_eq!(
            retryable.map(|(_, code, _)| code).collect::<Vec<_>>(),
            ["ACTION_IN_PROGRESS", "TOO_MANY_RUNNING"]
        );
    }

    #[test]
    fn a_prompt_has_the_names_of_the_protocol() {
        let (refusal, ..) = refusals().swap_remove(5);
        let json = serde_json::to_value(refusal).unwrap();
        let members: Vec<&str> =
            json["prompt"].as_object().unwrap().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(members, ["args", "digest", "expiresAt", "plannedAt", "words"]);
        assert_eq!(json["prompt"]["args"], json!({"command": "ls"}));
        assert!(matches!(json["refusal"], Value::String(ref name) if name == "confirmation_required"));
    }
}
