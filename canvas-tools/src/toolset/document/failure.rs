//! Failures of the document tools in the form that models read.

use std::borrow::Cow;

use canvas_core::Refusal;
use canvas_core::document::{LinesNow, LinesRefusal, PatchRefusal, StructureRefusal};
use canvas_core::lease::Timestamp;
use canvas_core::text::{EditPolicyError, StructureError};
use serde::Serialize;

use super::lines::Lines;
use super::next::Next;
use crate::reply::{
    AddressDetail, ConflictFields, Failure, HeldDetail, StaleDetail, address_place, address_words, candidates,
};

/// Error fields of the document tools, in addition to the common ones.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DocumentDetail {
    #[serde(flatten)]
    held: HeldDetail,
    #[serde(flatten)]
    stale: StaleDetail,
    #[serde(flatten)]
    address: AddressDetail,
    /// All places at which the patch does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<Vec<ConflictFields>>,
    /// Current text of the lines for which `expect_hash` was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<LinesNow>,
    /// Current text of the other ranges that do not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    more_lines: Vec<LinesNow>,
    /// First line of the canvas outside `scope`, or first line that the turn has not located.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// Lines that `scope` allows to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<Lines>,
    /// Line of the rejected text at which the edit has a forbidden side effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_line: Option<usize>,
    /// Values accepted by `resend` in the next call.
    #[serde(skip_serializing_if = "Option::is_none")]
    resend: Option<Resendable>,
}

/// Hunks that may be sent again by themselves.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Resendable {
    /// Id of the refused patch.
    pub(super) of: String,
    /// Hunks that did not fit, from 1.
    pub(super) hunks: Vec<usize>,
}

/// Builds the failure of a refused command.
pub(super) fn failure(refusal: Refusal<'_>, next: Option<Next>, clock: Timestamp) -> Failure<DocumentDetail> {
    let detail = DocumentDetail {
        held: HeldDetail::of(refusal, clock),
        stale: StaleDetail::of(refusal),
        ..DocumentDetail::default()
    };
    let mut failure = Failure::of(refusal, detail);
    if let Refusal::Patch(PatchRefusal::PatchRejected(error)) = refusal {
        // The conflicts quote the lines.
        failure.message = format!("{error:#}");
    }
    let mut failure = failure.with_next(next);
    let detail = &mut failure.detail;
    match refusal {
        Refusal::Patch(PatchRefusal::PatchRejected(error)) => {
            detail.conflicts = Some(error.conflicts().iter().map(ConflictFields::of).collect());
        }
        Refusal::Structure(StructureRefusal::StructureRejected { error }) => {
            structure_refused(error, &mut failure);
        }
        Refusal::Patch(PatchRefusal::EditRefused { error }) => edit_refused(error, &mut failure),
        Refusal::Patch(PatchRefusal::NotLocated { lines }) => detail.line = Some(lines.start),
        Refusal::Lines(LinesRefusal::ContentChanged { index, lines, others, moved }) => {
            detail.lines = Some(LinesNow::clone(lines));
            detail.more_lines = others.clone();
            failure.place = Some(of_range(*index, if *moved { "start_line" } else { "expect_hash" }));
        }
        Refusal::Lines(LinesRefusal::NoSuchLines { index, .. }) => {
            failure.place = Some(of_range(*index, "start_line"));
        }
        _ => {}
    }
    failure
}

/// Returns the place of an argument of a range in `canvas_replace_lines`.
fn of_range(index: usize, name: &str) -> Cow<'static, str> {
    match index.checked_sub(1) {
        None => format!("/{name}").into(),
        Some(more) => format!("/more_ranges/{more}/{name}").into(),
    }
}

/// Adds the places that an edit of the structure may have meant.
fn structure_refused(error: &StructureError, failure: &mut Failure<DocumentDetail>) {
    match error {
        StructureError::Address(error) => {
            failure.detail.address = AddressDetail::of(error);
            failure.message = failure.message.replace(&error.to_string(), &address_words(error));
        }
        StructureError::Spilled(error) => edit_refused(error, failure),
        error => failure.detail.address.places = error.places(),
    }
}

/// Adds the place at which an edit has a forbidden side effect.
fn edit_refused(error: &EditPolicyError, failure: &mut Failure<DocumentDetail>) {
    let detail = &mut failure.detail;
    match error {
        EditPolicyError::Scope(error) => {
            detail.address.candidates = Some(candidates(error));
            failure.message = address_words(error).into_owned();
            failure.place = Some(format!("/scope{}", address_place(error)).into());
        }
        EditPolicyError::Protected { line, place: scope } | EditPolicyError::OutOfScope { line, scope } => {
            (detail.line, detail.scope) = (Some(*line), Some((*scope).into()));
        }
        EditPolicyError::UnclosedFence { line }
        | EditPolicyError::UnintendedHeading { line, .. }
        | EditPolicyError::SideEffect { line, .. } => detail.new_line = Some(*line),
        EditPolicyError::FrontMatter { .. } => detail.new_line = Some(1),
        _ => {}
    }
}

/// Adds the hunks of a refused patch that may be sent again by themselves.
pub(super) fn add_resend(failure: &mut Failure<DocumentDetail>, resend: Resendable) {
    let hunks = resend.hunks.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let s = if resend.hunks.len() == 1 { "" } else { "s" };
    failure.message.push_str(&format!(" resend takes hunk{s} {hunks} alone."));
    failure.detail.resend = Some(resend);
}
