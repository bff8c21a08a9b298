//! Commands that name neither lease nor base. The canvas derives both from its record of the conversation.

use canvas_patch::{Delta, Repair};
use serde_json::Value;

use crate::document::quoted::lines_of;
use crate::model::author::Role;
use crate::model::blob::BlobId;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::{Base, RevisionId};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::document::{AppliedPatch, LineSpan, Readable, Shown, summary};
use crate::transition::refusal::{ApplyPatchRefusal, BaseRefusal, HolderRefusal};
use crate::transition::rollout::Access;
use crate::transition::stale::StaleBase;
use crate::transition::step::{Record, Stop, Transition};

/// Changes the document by located edits, for a conversation that saw the current document.
///
/// The command needs no lease. It is refused while another conversation holds the lease, and after the user ended the
/// turn. If its own conversation holds the lease, the command keeps the lease alive.
#[derive(Debug, Clone, PartialEq)]
pub struct ApplyEdits {
    /// The revision to which the edits apply.
    pub made_on: RevisionId,
    /// The edits of the text at that revision. If the list is empty, the command is always refused, at the latest with
    /// the reason `STALE_BASE`.
    pub delta: Delta,
    /// Repairs made while the request was turned into edits.
    pub repairs: Vec<Repair>,
    /// The hash of the request behind the edits. A call with the same key and the same hash is the same call.
    pub request: BlobId,
}

/// Reads the document without naming a lease. The conversation then counts as having seen it, whichever part is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The part of the document that the caller is about to see.
    pub shown: Shown,
}

/// Extends the caller's lease, if it has one, for a call that failed early because of wrong arguments or an unknown
/// tool. It leaves no receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepAlive;

impl ApplyEdits {
    /// Computes the hash of a request.
    pub fn request(name: &str, arguments: &Value) -> BlobId {
        BlobId::of(format!("{name}\n{arguments}").as_bytes())
    }
}

impl Command for Look {
    type Done = Readable;
    type Refusal = HolderRefusal;
}

impl Decide for Look {
    const NAME: &'static str = "look";
    const KIND: &'static str = "readable";
    const IS_READ: bool = true;
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Read)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"look"])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<Readable, Stop<HolderRefusal>> {
        at.mark_seen(at.head.now());
        if self.shown.is_whole(at.view.text()) {
            at.mark_known();
        }
        Ok(Readable { revision: at.head.revision_id(), expires_at: None })
    }
}

impl Command for KeepAlive {
    type Done = Readable;
    type Refusal = HolderRefusal;
}

impl Decide for KeepAlive {
    const NAME: &'static str = "keep_alive";
    const KIND: &'static str = "readable";
    const IS_READ: bool = true;
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Lease)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"keep_alive"])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<Readable, Stop<HolderRefusal>> {
        let expires_at = at.keep_alive().map(|(_, expires_at)| expires_at);
        Ok(Readable { revision: at.head.revision_id(), expires_at })
    }
}

impl Command for ApplyEdits {
    type Done = AppliedPatch;
    type Refusal = ApplyPatchRefusal;
}

impl Decide for ApplyEdits {
    const NAME: &'static str = "apply_edits";
    const KIND: &'static str = "applied";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Write)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"edits", self.request.as_bytes()])
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<AppliedPatch, Stop<ApplyPatchRefusal>> {
        let expires_at = at.authorize_turn(operation)?;
        at.check_base::<ApplyPatchRefusal>(None, None)?;
        at.check_base::<ApplyPatchRefusal>(Some(self.made_on.into()), None)?;
        let fitting = (!self.delta.is_empty()).then(|| self.delta.apply(at.view.text()));
        let Some(Ok(text)) = fitting else {
            let base: Option<Base> = Some(self.made_on.into());
            return Err(Stop::refused(BaseRefusal::StaleBase(Box::new(StaleBase::of(base)))));
        };
        at.check_size::<ApplyPatchRefusal>(text.len())?;
        at.check_edit::<ApplyPatchRefusal>(&text, &self.delta, None)?;
        let (summary, spans) = (summary(&self.delta), spans(&text, &self.delta));
        let places: Vec<_> = spans.iter().map(|span| (span.start_line, span.end_line)).collect();
        let lines = lines_of(&text, &places);
        at.replace_document::<ApplyPatchRefusal>(text, self.delta.edits())?;
        let record = Record { actor: Role::Assistant, operation, summary: summary.to_string() };
        at.record(record, at.document_step(self.delta.clone()));
        at.mark_seen(at.head.now());
        let (revision, repairs) = (at.head.revision_id(), self.repairs.clone());
        Ok(AppliedPatch {
            revision,
            summary,
            repairs,
            spans,
            lines,
            expires_at,
            changes: None,
            proposed: at.proposed(),
            retaken: None,
        })
    }
}

/// Returns the lines of the new text that edits touch.
pub(super) fn spans(after: &str, delta: &Delta) -> Vec<LineSpan> {
    let newlines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    let (mut line, mut from, mut shift) = (1, 0, 0_isize);
    let mut spans: Vec<LineSpan> = Vec::new();
    for one in delta.edits() {
        let start = one.at.wrapping_add_signed(shift);
        shift += one.new.len().cast_signed() - one.old.len().cast_signed();
        line += newlines(&after[from..start]);
        from = start;
        let starts_line = start == 0 || after.as_bytes()[start - 1] == b'\n';
        // Removed whole lines leave an empty span. Every other edit is within a line.
        let is_removal = one.new.is_empty() && starts_line && one.old.ends_with('\n');
        let last = newlines(one.new.strip_suffix('\n').unwrap_or(&one.new));
        let end_line = if is_removal { line - 1 } else { line + last };
        match spans.last_mut() {
            Some(before) if before.end_line >= line => before.end_line = before.end_line.max(end_line),
            _ => spans.push(LineSpan { start_line: line, end_line }),
        }
    }
    spans
}
