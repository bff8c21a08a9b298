//! Failures, as models read them.

use std::borrow::Cow;
use std::fmt;

use canvas_core::document::{BaseRefusal, Changes, PatchRefusal, StaleBase};
use canvas_core::lease::{LeaseId, LeaseRefusal, Timestamp};
use canvas_core::text::{Conflict, DiffExcerpt, Suggestion};
use canvas_core::{Base, NotAvailable, Refusal};
use serde::Serialize;

use crate::hint::with_hint;

/// The `error` of a reply. `D` has the fields of one toolset's failures, from which their schema follows.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Failure<D> {
    pub(crate) code: &'static str,
    /// Which of several cases the code covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<Cow<'static, str>>,
    pub(crate) message: String,
    pub(crate) retryable: bool,
    /// A JSON Pointer into the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<Cow<'static, str>>,
    #[serde(flatten)]
    pub(crate) detail: D,
}

impl<D: Default> Failure<D> {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), ..Self::default() }
    }
}

impl<D> Failure<D> {
    /// The failure of a refused command.
    pub(crate) fn of(refusal: Refusal<'_>, detail: D) -> Self {
        let (code, reason) = (refusal.code(), refusal.reason().map(Cow::from));
        Self {
            code,
            reason,
            message: refusal.to_string(),
            retryable: refusal.retryable(),
            place: None,
            detail,
        }
    }

    /// Appends the next call to the message.
    pub(crate) fn with_next(mut self, next: Option<impl fmt::Display>) -> Self {
        if let Some(next) = next {
            self.message = with_hint(&self.message, Some(&next.to_string()));
        }
        self
    }
}

/// The lease in the way of a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct HeldDetail {
    /// When the lease of another holder ends, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    retry_after: Option<Timestamp>,
    /// The lease that the caller has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    lease_id: Option<LeaseId>,
}

impl HeldDetail {
    pub(crate) fn of(refusal: Refusal<'_>) -> Self {
        match refusal {
            Refusal::NotAvailable(NotAvailable::Held { until, own }) => {
                Self { retry_after: Some(*until), lease_id: *own }
            }
            Refusal::Lease(LeaseRefusal::NotOwned { own: Some(own), .. }) => {
                Self { lease_id: Some(*own), ..Self::default() }
            }
            Refusal::Lease(LeaseRefusal::NotOwned { held_until, .. }) => {
                Self { retry_after: *held_until, ..Self::default() }
            }
            _ => Self::default(),
        }
    }
}

/// The document since the call was made.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct StaleDetail {
    /// The changes since the caller's lease, or since the base of its patch; null if there are none, or if they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Changes>", extend("nullable" = true)))]
    changes: Option<Option<Changes>>,
    /// The revision that the patch was made for; null if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<canvas_core::RevisionId>", extend("nullable" = true)))]
    base_revision_id: Option<Option<Base>>,
    /// Of these changes those near the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_near: Option<DiffExcerpt>,
    #[serde(flatten)]
    fits: FitDetail,
}

impl StaleDetail {
    pub(crate) fn of(refusal: Refusal<'_>) -> Self {
        match refusal {
            Refusal::Lease(LeaseRefusal::StaleEpoch { changes, .. }) => {
                Self { changes: Some(changes.clone()), ..Self::default() }
            }
            Refusal::Base(BaseRefusal::StaleBase(stale)) => {
                let StaleBase { changes, base, near, rebased, already_applied, .. } = &**stale;
                let fits = FitDetail {
                    rebased_patch: rebased.clone(),
                    already_applied: already_applied.then_some(true),
                };
                let (changes, base_revision_id) = (Some(changes.clone()), Some(*base));
                Self { changes, base_revision_id, changes_near: near.clone(), fits }
            }
            Refusal::Patch(PatchRefusal::PatchRejected(error)) => {
                Self { fits: FitDetail::of(error.suggestion()), ..Self::default() }
            }
            _ => Self::default(),
        }
    }
}

/// A patch that fits the document.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FitDetail {
    /// A patch that fits the document as it is: send it if it still says what was meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    rebased_patch: Option<String>,
    /// The document has what the call would make: nothing is left to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    already_applied: Option<bool>,
}

impl FitDetail {
    pub(crate) fn of(suggestion: Option<&Suggestion>) -> Self {
        match suggestion {
            Some(Suggestion::Rebased(patch)) => {
                Self { rebased_patch: Some(patch.clone()), ..Self::default() }
            }
            Some(Suggestion::AlreadyApplied) => Self { already_applied: Some(true), ..Self::default() },
            None => Self::default(),
        }
    }
}

/// A conflict with the candidates that are shown with their text; the numbers of others tell nothing.
pub(crate) fn shown_conflict(conflict: &Conflict) -> Conflict {
    let mut conflict = conflict.clone();
    conflict.candidates.truncate(Conflict::PLACES);
    conflict
}
