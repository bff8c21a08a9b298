//! Commands on the document.

use canvas_lease::{LeaseId, Timestamp};
use canvas_patch::{
    Address, Applied, ApplyError, Delta, EditPolicy, Mode, Options, QuotedLine, Repair, RepairKind,
    Suggestion, Summary, TextEdit, apply,
};
use serde::{Deserialize, Serialize};

use crate::document::changes::Changes;
use crate::document::quoted::changed_lines;
use crate::document::replace::{Hunks, Replacement, hunks};
use crate::document::shown::ShownLines;
use crate::history::number::ChangeNumber;
use crate::model::author::Actor;
use crate::model::blob::BlobId;
use crate::model::id::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::{Base, RevisionId};
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

/// See the document.
///
/// Here and below a lease is `None` where the model sent none that can be read: enough where the
/// [`Rollout`](crate::Rollout) asks for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The lease.
    pub lease: Option<LeaseId>,
    /// What the caller is about to be shown. A conversation that is shown all of the document knows it, so its next
    /// message does not bring it.
    pub shown: Shown,
}

/// The beginning of a document that is shown to somebody: as many lines as fit into the bytes. Zero for a part that begins
/// elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shown {
    /// Lines.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
}

impl Shown {
    pub(super) fn is_whole(self, text: &str) -> bool {
        self.lines > 0 && text.len() <= self.bytes && text.split_inclusive('\n').nth(self.lines).is_none()
    }
}

impl Read {
    /// A look at some part of the document.
    pub fn part(lease: Option<LeaseId>) -> Self {
        Self { lease, shown: Shown::default() }
    }
}

/// The document may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Readable {
    /// The revision that is read.
    pub revision: RevisionId,
    /// When the lease ends; `None` where it was done without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub expires_at: Option<Timestamp>,
}

/// Change the document by an anchored patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyPatch {
    /// The lease.
    pub lease: Option<LeaseId>,
    /// A unified diff.
    pub patch: String,
    /// The revision that the patch was written against.
    pub base: Option<Base>,
    /// The only place of the document that the patch may change; `None` for all of it. Blank lines right below it belong to
    /// it, and a line that is inserted to the line above.
    pub scope: Option<Address>,
    /// The lines that its author was shown: elsewhere a line number does not decide between equal places. `None` trusts all
    /// numbers, as for a host that computes its patches. It is no part of what tells a retry from another call.
    pub shown: Option<ShownLines>,
}

/// Change the document by replacing whole lines, where they are as their author knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceLines {
    /// The lease.
    pub lease: Option<LeaseId>,
    /// Which lines, and by what: in any order, no line twice. All are made, or none.
    pub replacements: Vec<Replacement>,
    /// The revision that the line numbers are of.
    pub base: Option<Base>,
    /// The lines that the caller was shown. If others equal to the replaced ones exist, the numbers count only for lines that
    /// were shown and have stayed there. `None` trusts all numbers. A retry may differ in it.
    pub shown: Option<ShownLines>,
}

/// A patch that has become a revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedPatch {
    /// The new revision.
    pub revision: RevisionId,
    /// Lines added and removed, and hunks.
    pub summary: Summary,
    /// What anchored mode has repaired in the patch.
    pub repairs: Vec<Repair>,
    /// The changed lines of the new text.
    pub spans: Vec<LineSpan>,
    /// These lines with one around each span: at most 20, cut to 60 bytes, and of a long span those at its ends. Empty
    /// in receipts of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<QuotedLine>,
    /// When the lease ends; `None` where it was done without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub expires_at: Option<Timestamp>,
    /// What others have changed since the conversation last saw the document, where the patch was moved past that under
    /// [`Policy::rebase`](crate::Policy::rebase). Without its diff where that is too large: the conversation then has not
    /// seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// The lease that was taken anew, under [`Policy::retake`](crate::Policy::retake), in place of the one that had expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub retaken: Option<LeaseId>,
}

/// Lines of the new text, from 1 and inclusive; `end_line` is `start_line - 1` where lines were only removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineSpan {
    /// The first line.
    pub start_line: usize,
    /// The last line.
    pub end_line: usize,
}

impl From<&canvas_patch::Span> for LineSpan {
    fn from(span: &canvas_patch::Span) -> Self {
        Self { start_line: span.new_lines.start + 1, end_line: span.new_lines.end }
    }
}

/// Change the document on a model's behalf without a lease: refused while one is valid, and where the user has ended the
/// turn.
#[derive(Debug, Clone, PartialEq)]
pub struct HostEdit {
    /// The revision that the edit was made for: the document must not have changed since.
    pub base: Base,
    /// The edit.
    pub delta: Delta,
    /// A short line for the history.
    pub summary: String,
    /// The hash of what the edit was made from, where the host makes it anew for a retry: a call with the same key and
    /// the same hash is then the same call, whatever the edit. `None` tells calls apart by the edit.
    pub request: Option<BlobId>,
}

/// The host's edit was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostEdited {
    /// The new revision; the same as before where the edit changes nothing.
    pub revision: RevisionId,
    /// The revision before.
    pub previous: RevisionId,
    /// Its number in the history; `None` where it changes nothing, or no history is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeNumber>,
    /// The line for the history that came with it.
    pub summary: String,
}

/// A base as a part of a digest.
fn base_text(base: Option<Base>) -> String {
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

    fn access(&self) -> Option<Access> {
        Some(Access::Write)
    }

    fn digest(&self) -> Digest {
        let Self { lease, patch, base, scope, shown: _ } = self;
        let (lease, base) = (lease_text(*lease), base_text(*base));
        let scope = scope.as_ref().map(|scope| serde_json::to_string(scope).expect("an address is JSON"));
        // Without a scope it is what it was before there were scopes, for the receipts of then.
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
        let changes = at.check_base_or_rebase(self.base, written)?;
        let patched = if changes.is_some() { at.moved_patch(&self.patch) } else { at.patch(written)? };
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

    fn access(&self) -> Option<Access> {
        Some(Access::Write)
    }

    fn digest(&self) -> Digest {
        let Self { lease, replacements, base, shown: _ } = self;
        let mut parts = vec!["replace".to_owned(), lease_text(*lease)];
        // One alone is what it was when there was but one, for the receipts of then.
        for Replacement { start, end, expect, text } in replacements {
            parts.extend([format!("{start} {end} {expect}"), text.clone()]);
        }
        parts.push(base_text(*base));
        Digest::of(&parts.iter().map(String::as_bytes).collect::<Vec<_>>())
    }

    /// Lines that are replaced are a patch too, so that nothing else changes a document under a lease.
    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<AppliedPatch, Stop<ReplaceLinesRefusal>> {
        let permit = at.authorize_write(operation, self.lease)?;
        at.check_lines(&self.replacements, self.base, self.shown.as_ref())?;
        let Hunks { patch, adapted } = hunks(at.view.text(), &self.replacements).map_err(Stop::refused)?;
        let options = Options { mode: Mode::Strict, limits: at.policy.patch, ..Options::default() };
        let patched = apply(at.view.text(), &patch, &options);
        let mut applied = at.apply::<ReplaceLinesRefusal>(operation, patched, Bounds::default(), None)?;
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
        // Nobody has written a patch that could be shown again.
        at.check_base::<HostEditRefusal>(Some(self.base), None)?;
        let Ok(text) = self.delta.apply(at.view.text()) else {
            let stale = StaleBase::of(Some(self.base));
            return Err(Stop::refused(BaseRefusal::StaleBase(Box::new(stale))));
        };
        let (mut change, previous) = (None, at.head.revision_id());
        if !self.delta.is_empty() {
            at.replace_document::<HostEditRefusal>(text, self.delta.edits())?;
            let record = Record { actor: Actor::Assistant, operation, summary: self.summary.clone() };
            change = at.record(record, at.document_step(self.delta.clone())).map(|entry| entry.change);
        }
        Ok(HostEdited { revision: at.head.revision_id(), previous, change, summary: self.summary.clone() })
    }
}

/// Which lines a patch may change; by default all.
#[derive(Default)]
struct Bounds<'p> {
    scope: Option<&'p Address>,
    shown: Option<&'p ShownLines>,
}

impl Transition<'_> {
    /// Stores what a patch has made of the document. `moved_past` is what others have changed that its author has not seen.
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
        let record = Record { actor: Actor::Assistant, operation, summary: summary.to_string() };
        self.record(record, self.document_step(delta));
        if moved_past.is_some() {
            repairs.insert(0, Repair { hunk: 0, kind: RepairKind::Rebased });
        }
        // What the answer does not show of others' changes is still to be seen.
        if moved_past.as_ref().is_none_or(Changes::is_shown) {
            self.mark_seen(self.head.now());
        }
        let revision = self.head.revision_id();
        Ok(AppliedPatch {
            revision,
            summary,
            repairs,
            spans,
            lines,
            expires_at: None,
            changes: moved_past,
            retaken: None,
        })
    }

    /// Passes a change that keeps to its scope, and to what the host's policy says of side effects.
    pub(super) fn check_edit<R: From<PatchRefusal>>(
        &self,
        after: &str,
        delta: &Delta,
        scope: Option<&Address>,
    ) -> Result<(), Stop<R>> {
        let refuse_side_effects = self.policy.refuse_side_effects;
        if scope.is_none() && !refuse_side_effects {
            // Only who asks for it pays for the outline.
            return Ok(());
        }
        let outline = self.view.contents.outline().expect("a view has the document at least");
        let policy = EditPolicy { scope: scope.cloned(), refuse_side_effects };
        let checked = outline.live().check_edit(after, delta.edits(), &policy);
        checked.map(drop).map_err(|error| Stop::refused(PatchRefusal::EditRefused { error }))
    }

    /// Places that read alike are told apart by the headings above them; only a refusal that has some pays for the outline.
    fn with_headings(&self, error: ApplyError) -> ApplyError {
        if error.conflicts().iter().all(|conflict| conflict.places.is_empty()) {
            return error;
        }
        let outline = self.view.contents.outline().expect("a view has the document at least");
        outline.live().outline().name_places(error)
    }

    /// A refusal carries no diff past the policy's size, its own suggestion included.
    fn without_long_patch(&self, error: ApplyError) -> ApplyError {
        match error.suggestion() {
            Some(Suggestion::Rebased(patch)) if patch.len() > self.policy.refusal_diff_bytes => {
                error.without_suggestion()
            }
            _ => error,
        }
    }
}

/// Lines added and removed, and the edits that they are in.
pub(super) fn summary(delta: &Delta) -> Summary {
    let lines = |text: &str| text.split_inclusive('\n').count();
    let edits = delta.edits();
    Summary {
        added: edits.iter().map(|edit| lines(&edit.new)).sum(),
        removed: edits.iter().map(|edit| lines(&edit.old)).sum(),
        hunks: edits.len(),
    }
}
