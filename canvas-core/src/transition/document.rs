//! Commands on the document.

use canvas_lease::{LeaseId, Timestamp};
use canvas_patch::{
    Address, Applied, ApplyError, ApplyOptions, Delta, Mode, QuotedLine, Repair, RepairKind, Suggestion,
    Summary, TextEdit, apply,
};
use serde::{Deserialize, Serialize};

use crate::document::changes::Changes;
use crate::document::quoted::changed_lines;
use crate::document::replace::{Hunks, Replacement, hunks};
use crate::document::shown::ShownLines;
use crate::history::number::ChangeNumber;
use crate::model::author::Role;
use crate::model::blob::BlobId;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::{Base, RevisionId};
use crate::proposal::told::ProposedParts;
use crate::transition::base::Written;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::lease::lease_text;
use crate::transition::refusal::{
    ApplyPatchRefusal, BaseRefusal, HolderRefusal, HostEditRefusal, LimitRefusal, PatchRefusal,
    ReplaceLinesRefusal,
};
use crate::transition::rollout::Access;
use crate::transition::stale::StaleBase;
use crate::transition::step::{Record, Stop, Transition};

/// Reads the document.
///
/// In this and the following commands, the lease is `None` if the model sent no readable lease id. This suffices if the
/// [`Rollout`](crate::rollout::Rollout) requires no lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The caller's lease, which the read extends.
    pub lease: Option<LeaseId>,
    /// The part of the document that the caller is about to see. After a conversation sees the whole document, its next
    /// message does not carry it.
    pub shown: Shown,
}

/// The beginning of a document as shown to a caller, with as many whole lines as fit into the bytes. Both fields are 0
/// if the part does not start at the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shown {
    /// Maximum number of lines shown.
    pub lines: usize,
    /// Maximum number of bytes shown.
    pub bytes: usize,
}

impl Shown {
    pub(super) fn is_whole(self, text: &str) -> bool {
        self.lines > 0 && text.len() <= self.bytes && text.split_inclusive('\n').nth(self.lines).is_none()
    }
}

impl Read {
    /// Creates a read of some part of the document, which does not count as the whole.
    pub fn new(lease: Option<LeaseId>) -> Self {
        Self { lease, shown: Shown::default() }
    }
}

/// Result of [`Read`], which permits the caller to read the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Readable {
    /// Revision to read.
    pub revision: RevisionId,
    /// Time at which the lease ends, or `None` if the call had no lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub expires_at: Option<Timestamp>,
}

/// Changes the document by an anchored patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplyPatch {
    /// The caller's lease, which the write extends.
    pub lease: Option<LeaseId>,
    /// A unified diff of the document.
    pub patch: String,
    /// The revision that the patch was written against, or `None` for the text that the conversation saw last.
    pub base: Option<Base>,
    /// The only place that the patch may change; `None` for the whole document. Blank lines directly below the place
    /// belong to it, and an inserted line belongs to the line above it.
    pub scope: Option<Address>,
    /// The lines shown to the patch's author. If a patch fits several places, its line numbers count only for these
    /// lines. `None` trusts all numbers, for example if a host computes its patches. A retry may pass other lines and
    /// is still the same call.
    pub shown: Option<ShownLines>,
}

/// Replaces whole lines of the document if they are unchanged since their author saw them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceLines {
    /// The caller's lease, which the write extends.
    pub lease: Option<LeaseId>,
    /// The replacements, in any order. No line may occur twice. If one is refused, all are.
    pub replacements: Vec<Replacement>,
    /// The revision that the line numbers refer to, or `None` for the text that the conversation saw last.
    pub base: Option<Base>,
    /// The lines shown to the caller. If the document has other lines equal to the replaced ones, the numbers count
    /// only for shown lines that are still in place. `None` trusts all numbers. A retry may pass other lines and is
    /// still the same call.
    pub shown: Option<ShownLines>,
}

/// Result of an applied patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedPatch {
    /// Revision created by the patch.
    pub revision: RevisionId,
    /// Lines added and removed, and hunks.
    pub summary: Summary,
    /// Repairs that anchored mode made to the patch.
    pub repairs: Vec<Repair>,
    /// The changed lines of the new text.
    pub spans: Vec<LineSpan>,
    /// The changed lines and one line around each span. At most 20 lines of 60 bytes each are kept, and a long span
    /// keeps the lines at its ends. Empty in receipts of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<QuotedLine>,
    /// Time at which the lease ends, or `None` if the call had no lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub expires_at: Option<Timestamp>,
    /// Changes by others since the conversation last saw the document, if the patch was moved past them under
    /// [`WriteRules::rebase`](crate::policy::WriteRules::rebase). If the diff is too large, it is omitted and the
    /// conversation does not count as having seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// The parts of the conversation's proposal that the patch made or changed, if it runs in
    /// [`Proposing`](crate::proposal::Proposing).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<ProposedParts>,
    /// New lease issued under [`WriteRules::retake`](crate::policy::WriteRules::retake) in place of the expired one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub retaken: Option<LeaseId>,
}

/// Range of lines in the new text, from 1 and inclusive. If lines were only removed, `end_line` is `start_line - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineSpan {
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
}

impl From<&canvas_patch::Span> for LineSpan {
    fn from(span: &canvas_patch::Span) -> Self {
        Self { start_line: span.new_lines.start + 1, end_line: span.new_lines.end }
    }
}

/// Changes the document on a model's behalf without a lease. It is refused while a lease is valid, and after the user
/// ends the turn.
#[derive(Debug, Clone, PartialEq)]
pub struct HostEdit {
    /// The revision that the edit was made for. The document must be unchanged since.
    pub base: Base,
    /// The edits of the text at that revision.
    pub delta: Delta,
    /// A short line for the history.
    pub summary: String,
    /// The hash of the edit's source, if the host computes the edit again for a retry. A call with the same key and the
    /// same hash is then the same call, even if the edit differs. With `None`, calls are distinguished by the edit.
    pub request: Option<BlobId>,
}

/// Result of [`HostEdit`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostEdited {
    /// Revision after the edit, which stays the same if the edit has no effect.
    pub revision: RevisionId,
    /// Revision before the edit.
    pub previous: RevisionId,
    /// Number in the history, or `None` if the edit has no effect or the history is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeNumber>,
    /// The edit's line for the history.
    pub summary: String,
    /// The parts of the conversation's proposal that the edit made or changed, if it runs in
    /// [`Proposing`](crate::proposal::Proposing).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<ProposedParts>,
}

pub(super) fn base_text(base: Option<Base>) -> String {
    base.map_or_else(String::new, |base| base.to_string())
}

impl Command for Read {
    type Done = Readable;
    type Refusal = HolderRefusal;
}

impl Decide for Read {
    const NAME: &'static str = "read";
    const KIND: &'static str = "readable";
    const IS_READ: bool = true;
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Read)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"read", lease_text(self.lease).as_bytes()])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<Readable, Stop<HolderRefusal>> {
        let expires_at = at.authorize_read(self.lease)?;
        at.mark_seen(at.head.now());
        if self.shown.is_whole(at.view.text()) {
            at.mark_known();
        }
        Ok(Readable { revision: at.head.revision_id(), expires_at })
    }
}

impl Command for ApplyPatch {
    type Done = AppliedPatch;
    type Refusal = ApplyPatchRefusal;
}

impl Decide for ApplyPatch {
    const NAME: &'static str = "apply_patch";
    const KIND: &'static str = "applied";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Write)
    }

    fn digest(&self) -> Digest {
        let Self { lease, patch, base, scope, shown: _ } = self;
        let (lease, base) = (lease_text(*lease), base_text(*base));
        let scope = scope.as_ref().map(|scope| serde_json::to_string(scope).expect("an address is JSON"));
        // Without a scope, the digest is unchanged from versions without scopes, so their receipts still match.
        let parts = ["apply", &lease, patch, &base].into_iter().chain(scope.as_deref());
        Digest::of(&parts.map(str::as_bytes).collect::<Vec<_>>())
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<AppliedPatch, Stop<ApplyPatchRefusal>> {
        let permit = at.authorize_write(operation, self.lease)?;
        let written = Written { patch: &self.patch, shown: self.shown.as_ref() };
        let (patched, changes) = at.patch_or_refuse(self.base, written)?;
        let bounds = Bounds { scope: self.scope.as_ref(), shown: self.shown.as_ref() };
        let mut applied = at.apply(operation, patched, bounds, changes)?;
        at.complete_write(operation, permit, &mut applied)?;
        Ok(applied)
    }
}

impl Command for ReplaceLines {
    type Done = AppliedPatch;
    type Refusal = ReplaceLinesRefusal;
}

impl Decide for ReplaceLines {
    const NAME: &'static str = "replace_lines";
    const KIND: &'static str = "applied";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Write)
    }

    fn digest(&self) -> Digest {
        let Self { lease, replacements, base, shown: _ } = self;
        let mut parts = vec!["replace".to_owned(), lease_text(*lease)];
        // A single replacement has the same digest as in versions with only one, so their receipts still match.
        for Replacement { start, end, expect, text } in replacements {
            parts.extend([format!("{start} {end} {expect}"), text.clone()]);
        }
        parts.push(base_text(*base));
        Digest::of(&parts.iter().map(String::as_bytes).collect::<Vec<_>>())
    }

    /// Replaced lines become a patch too, so that only patches change a document under a lease.
    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<AppliedPatch, Stop<ReplaceLinesRefusal>> {
        let permit = at.authorize_write(operation, self.lease)?;
        let (replacements, changes) = at.find_lines(&self.replacements, self.base, self.shown.as_ref())?;
        let Hunks { patch, adapted } = hunks(at.view.text(), &replacements).map_err(Stop::refused)?;
        let options =
            ApplyOptions { mode: Mode::Strict, limits: at.policy.document.patch, ..ApplyOptions::default() };
        let patched = apply(at.view.text(), &patch, &options);
        let mut applied = at.apply::<ReplaceLinesRefusal>(operation, patched, Bounds::default(), changes)?;
        let adapted = adapted.into_iter().map(|hunk| Repair { hunk, kind: RepairKind::EolAdapted });
        applied.repairs.extend(adapted);
        at.complete_write(operation, permit, &mut applied)?;
        Ok(applied)
    }
}

impl Command for HostEdit {
    type Done = HostEdited;
    type Refusal = HostEditRefusal;
}

impl Decide for HostEdit {
    const NAME: &'static str = "host_edit";
    const KIND: &'static str = "amended";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Write)
    }

    fn digest(&self) -> Digest {
        let Self { base, delta, summary, request } = self;
        if let Some(request) = request {
            return Digest::of(&[b"amend", b"request", request.as_bytes()]);
        }
        let mut parts = vec!["amend".to_owned(), base.to_string(), summary.clone()];
        for TextEdit { at, old, new } in delta.edits() {
            parts.extend([at.to_string(), old.clone(), new.clone()]);
        }
        Digest::of(&parts.iter().map(String::as_bytes).collect::<Vec<_>>())
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<HostEdited, Stop<HostEditRefusal>> {
        at.check_turn::<HostEditRefusal>(operation)?;
        at.check_free::<HostEditRefusal>()?;
        // There is no patch that a refusal could offer again.
        at.check_base::<HostEditRefusal>(Some(self.base), None)?;
        let Ok(text) = self.delta.apply(at.view.text()) else {
            let stale = StaleBase::of(Some(self.base));
            return Err(Stop::refused(BaseRefusal::StaleBase(Box::new(stale))));
        };
        let (mut change, previous) = (None, at.head.revision_id());
        if !self.delta.is_empty() {
            at.check_protected::<HostEditRefusal>(&text, &self.delta)?;
            at.replace_document::<HostEditRefusal>(text, self.delta.edits())?;
            let record = Record { actor: Role::Assistant, operation, summary: self.summary.clone() };
            change = at.record(record, at.document_step(self.delta.clone())).map(|entry| entry.change);
        }
        let (revision, summary, proposed) = (at.head.revision_id(), self.summary.clone(), at.proposed());
        Ok(HostEdited { revision, previous, change, summary, proposed })
    }
}

/// The lines that a patch may change; by default all.
#[derive(Default)]
struct Bounds<'p> {
    scope: Option<&'p Address>,
    shown: Option<&'p ShownLines>,
}

impl Transition<'_> {
    /// Stores the result of a patch. `moved_past` holds the changes by others that the patch's author has not seen.
    fn apply<R: From<PatchRefusal> + From<LimitRefusal>>(
        &mut self,
        operation: &OpKey,
        patched: Result<Applied<'_>, ApplyError>,
        bounds: Bounds<'_>,
        moved_past: Option<Changes>,
    ) -> Result<AppliedPatch, Stop<R>> {
        let applied = patched.map_err(|error| {
            Stop::refused(PatchRefusal::PatchRejected(self.with_headings(self.without_long_patch(error))))
        })?;
        let (summary, mut repairs) = (applied.summary(), applied.repairs().to_vec());
        let changed = applied.spans();
        let lines = changed_lines(applied.text(), &changed);
        let spans = changed.iter().map(LineSpan::from).collect();
        let delta = applied.delta();
        self.check_size(applied.text().len())?;
        self.check_located(bounds.shown, &changed)?;
        self.check_edit(applied.text(), &delta, bounds.scope)?;
        self.replace_document(applied.into_text(), delta.edits())?;
        let record = Record { actor: Role::Assistant, operation, summary: summary.to_string() };
        self.record(record, self.document_step(delta));
        if moved_past.is_some() {
            repairs.insert(0, Repair { hunk: 0, kind: RepairKind::Rebased });
        }
        // The conversation has yet to see any changes by others that the reply does not show.
        self.mark_written(moved_past.as_ref());
        let revision = self.head.revision_id();
        Ok(AppliedPatch {
            revision,
            summary,
            repairs,
            spans,
            lines,
            expires_at: None,
            changes: moved_past,
            proposed: self.proposed(),
            retaken: None,
        })
    }

    /// Adds the headings above places that read alike. Only a refusal with such places pays for the outline.
    fn with_headings(&self, error: ApplyError) -> ApplyError {
        if error.conflicts().iter().all(|conflict| conflict.places.is_empty()) {
            return error;
        }
        let outline = self.view.contents.outline().expect("a view has the document at least");
        outline.live().outline().name_places(error)
    }

    /// Removes a suggestion larger than the policy's limit for diffs in refusals.
    fn without_long_patch(&self, error: ApplyError) -> ApplyError {
        match error.suggestion() {
            Some(Suggestion::Rebased(patch)) if patch.len() > self.policy.sync.refusal_diff_bytes => {
                error.without_suggestion()
            }
            _ => error,
        }
    }
}

/// Counts the added and removed lines, and the edits.
pub(super) fn summary(delta: &Delta) -> Summary {
    let lines = |text: &str| text.split_inclusive('\n').count();
    let edits = delta.edits();
    Summary {
        added: edits.iter().map(|edit| lines(&edit.new)).sum(),
        removed: edits.iter().map(|edit| lines(&edit.old)).sum(),
        hunks: edits.len(),
    }
}
