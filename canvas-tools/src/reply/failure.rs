//! Failures in the form that models read.

use std::borrow::Cow;
use std::fmt;

use canvas_core::document::{Base, BaseRefusal, Changes, Fits, PatchRefusal, StaleBase};
use canvas_core::lease::{LeaseId, LeaseRefusal, Timestamp};
use canvas_core::refusal::NotAvailable;
use canvas_core::text::{DiffExcerpt, Suggestion};
use canvas_core::{CodedError as _, Refusal};
use serde::Serialize;

use crate::hint::with_hint;

/// `error` object of a reply. `D` has the failure fields of one toolset; their schema is derived from it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Failure<D> {
    pub(crate) code: &'static str,
    /// Distinguishes cases with the same code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<Cow<'static, str>>,
    pub(crate) message: String,
    pub(crate) retryable: bool,
    /// JSON Pointer into the arguments.
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
    /// Builds the failure of a refused command.
    pub(crate) fn of(refusal: Refusal<'_>, detail: D) -> Self {
        let (code, reason) = (refusal.code(), refusal.reason().map(Cow::from));
        Self {
            code,
            reason,
            message: refusal.to_string(),
            retryable: refusal.is_retryable(),
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

/// Lease that blocks a call, or that the caller already holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct HeldDetail {
    /// Seconds until another holder's lease ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_in_s: Option<u64>,
    /// Lease already held by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    lease_id: Option<LeaseId>,
}

impl HeldDetail {
    /// Builds the detail of a refusal. `clock` is the current time by the clock that ends leases.
    pub(crate) fn of(refusal: Refusal<'_>, clock: Timestamp) -> Self {
        let (held_until, lease_id) = match refusal {
            Refusal::NotAvailable(NotAvailable::Held { until, own }) => (Some(*until), *own),
            Refusal::Lease(LeaseRefusal::NotOwned { own: Some(own), .. }) => (None, Some(*own)),
            Refusal::Lease(LeaseRefusal::NotOwned { held_until, .. }) => (*held_until, None),
            _ => (None, None),
        };
        let other = held_until.filter(|_| lease_id.is_none());
        Self { retry_in_s: other.map(|until| seconds_until(until, clock)), lease_id }
    }
}

/// Returns the whole seconds until a time, rounded up.
pub(crate) fn seconds_until(until: Timestamp, clock: Timestamp) -> u64 {
    until.as_millis().saturating_sub(clock.as_millis()).div_ceil(1_000)
}

/// Changes to the document that made a call stale.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct StaleDetail {
    /// Changes since the caller's lease was issued or since the base of its patch. Null if there are none or they are
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Changes>", extend("nullable" = true)))]
    changes: Option<Option<Changes>>,
    /// Revision that the patch was written for. Null if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<canvas_core::RevisionId>", extend("nullable" = true)))]
    base_revision_id: Option<Option<Base>>,
    /// Changes near the lines of the patch, instead of all changes.
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
                let StaleBase { changes, base, near, rebased, fits, already_applied, .. } = &**stale;
                let near = near.clone().filter(|near| !near.diff.is_empty());
                // Where a part of the changes is shown, or none matters, the rest is nothing but length.
                let rest = stale.near.is_none() && *fits != Some(Fits::Untouched);
                let fits = FitDetail {
                    rebased_patch: rebased.clone(),
                    already_applied: already_applied.then_some(true),
                };
                Self {
                    changes: rest.then(|| changes.clone()),
                    base_revision_id: rest.then_some(*base),
                    changes_near: near,
                    fits,
                }
            }
            Refusal::Patch(PatchRefusal::PatchRejected(error)) => {
                Self { fits: FitDetail::of(error.suggestion()), ..Self::default() }
            }
            _ => Self::default(),
        }
    }
}

/// Patch that fits the current document.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FitDetail {
    /// Patch that fits the current document. Send it if it still says what was meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    rebased_patch: Option<String>,
    /// Whether the document already contains the intended change, so that no call is needed.
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
            _ => Self::default(),
        }
    }
}
