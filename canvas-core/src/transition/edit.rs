//! Applies a user's edit, either replacing the document or rebasing from the edit's base revision.

use std::borrow::Cow;
use std::ops::Range;

use canvas_lease::{Epoch, PreemptionCause};
use canvas_patch::{Delta, Merged, MergedLine, Rebase, merge_words};
use serde::{Deserialize, Serialize};

use crate::document::changes::changes_since;
use crate::document::step::DocumentStep;
use crate::history::cause::Cause;
use crate::history::journal::Entry;
use crate::history::number::ChangeNumber;
use crate::history::reach::{Chain, ChainStep};
use crate::model::actor::Actor;
use crate::model::author::Role;
use crate::model::blob::{BlobId, Missing, is_document};
use crate::model::conversation::SyncPoint;
use crate::model::face::Face;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::{Base, RevisionId};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::document::summary;
use crate::transition::refusal::EditRefusal;
use crate::transition::stale::{StaleCause, StaleEdit};
use crate::transition::step::{Record, Stop, Transition};

/// Applies the user's edit of the text and ends the lease.
///
/// With a base, the user's changes are rebased over later ones by the rules of
/// [`UndoScope::Author`](crate::history::UndoScope::Author). If both touch the same place, the edit is not stored and
/// the refusal holds both texts. If both made the identical change, it is attributed to the other author and undone
/// with theirs. Rebasing needs the journal, and reads one entry for each change since the base. Effects of tools and
/// jobs are free, and do not count toward [`HistoryLimits::reach`](crate::policy::HistoryLimits::reach).
///
/// # What a place is
///
/// The edit is split into runs of whole changed lines, as [`Delta::between`](canvas_patch::Delta::between) finds them. A
/// place is such a run, or the point between two lines for a pure insertion. Two changes touch the same place in three
/// cases: both change or remove the same line, one inserts within a run of lines that the other changes or removes, or
/// both insert at the same point. Changes of adjacent lines do not touch. Two different edits of one line conflict.
///
/// If the policy sets [`WriteRules::merge_words`](crate::policy::WriteRules::merge_words), or if each conversation has its
/// own turn, an edit that conflicts by these rules is merged by words instead
/// ([`merge_words`](canvas_patch::merge_words)), so that both changes of one line stay. If people alone inserted lines at a
/// place, the edit's own lines follow. [`Edited::merged`] lists the lines merged by words.
///
/// Directives and native edit tools may change a part of a line. Their places are ranges of bytes, which are compared by
/// the rule of [`Delta::transform`](canvas_patch::Delta::transform).
///
/// [`StaleCause::Conflict`](crate::document::StaleCause::Conflict) names the first later change that touches a place of
/// the edit, and [`StaleEdit::changes`](crate::document::StaleEdit::changes) shows all later changes as a diff. The
/// position within the line is not reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The complete new text in Markdown.
    pub markdown: String,
    /// The revision whose text the user changed. With `None`, the text replaces the current document, whatever it is.
    pub base: Option<Base>,
}

impl Edit {
    /// Creates an edit that replaces the current document, even if it changed since the user saw it.
    pub fn overwrite(markdown: impl Into<String>) -> Self {
        Self { markdown: markdown.into(), base: None }
    }

    /// Creates an edit of the document at a revision.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let seen = engine.snapshot(&plan, now).await?;
    /// let edit = Edit::on(seen.revision_id(), format!("{}\n- one\n", seen.text()));
    /// engine.call(&plan, &OpKey::user("edit".parse()?), edit, now).await?.result?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn on(base: impl Into<Base>, markdown: impl Into<String>) -> Self {
        Self { markdown: markdown.into(), base: Some(base.into()) }
    }
}

/// The answer to [`Edit`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edited {
    /// The lock's epoch after the edit.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
    /// The revision after the edit. Unchanged if the text is unchanged.
    pub revision: RevisionId,
    /// Whether the changes were moved past later ones. The document then differs from the text that you sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// The lines merged by words, in order. Empty unless
    /// [`WriteRules::merge_words`](crate::policy::WriteRules::merge_words) is set, or if each
    /// conversation has its own turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedLine>,
}

impl Command for Edit {
    type Done = Edited;
    type Refusal = EditRefusal;
}

impl Decide for Edit {
    const NAME: &'static str = "edit";
    const KIND: &'static str = "edited";

    fn digest(&self) -> Digest {
        let base = self.base.map(|base| base.to_string());
        // Without a base, the digest is unchanged from versions without bases, so their receipts still match.
        let parts = ["edit", &self.markdown].into_iter().chain(base.as_deref());
        Digest::of(&parts.map(str::as_bytes).collect::<Vec<_>>())
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<Edited, Stop<EditRefusal>> {
        // The user has acted even if the text is refused below.
        at.preempt(PreemptionCause::UserEdit);
        at.check_size::<EditRefusal>(self.markdown.len())?;
        let (Merged { delta, lines: merged }, moved) = match self.base {
            Some(base) => at.rebase_edit::<EditRefusal>(base, &self.markdown)?,
            None => (by_line(Delta::between(at.view.text(), &self.markdown)), false),
        };
        if !delta.is_empty() {
            let text = if moved {
                delta.apply(at.view.text()).expect("it was transformed to fit the document")
            } else {
                self.markdown.clone()
            };
            // Later edits are compared with whole lines, so that none lands within a merged line.
            let delta = if merged.is_empty() { delta } else { Delta::between(at.view.text(), &text) };
            at.replace_document::<EditRefusal>(text, delta.edits())?;
            let record = Record { actor: Role::User, operation, summary: summary(&delta).to_string() };
            at.record(record, at.document_step(delta));
        }
        Ok(Edited { epoch: at.head.lock.epoch(), revision: at.head.revision_id(), moved, merged })
    }
}

/// An edit without lines merged by words.
fn by_line(delta: Delta) -> Merged {
    Merged { delta, lines: Vec::new() }
}

/// The document at an older revision, with the changes from there to the current one.
pub(super) struct Past<'e> {
    pub(super) document: BlobId,
    pub(super) text: String,
    /// Changes since that revision, oldest first.
    later: Vec<Later<'e>>,
}

/// A change of the document after a revision.
struct Later<'e> {
    change: ChangeNumber,
    cause: Cause,
    /// Whether a person made it.
    is_by_person: bool,
    delta: Cow<'e, Delta>,
}

/// Changes after a revision.
struct Reached<'e> {
    /// The changes, newest first.
    entries: Vec<&'e Entry>,
    /// Whether the journal reaches back to the revision. If not, a face may have been created since, which has no entry.
    is_whole: bool,
}

impl Past<'_> {
    /// Changes since that revision, oldest first.
    pub(super) fn since(&self) -> Vec<Delta> {
        self.later.iter().map(|later| Delta::clone(&later.delta)).collect()
    }

    /// Returns the changes since that revision, oldest first, with the numbers by which parts of proposals know them.
    pub(super) fn later(&self) -> impl Iterator<Item = (&Delta, &Cause)> {
        self.later.iter().map(|later| (&*later.delta, &later.cause))
    }

    /// Whether nobody but people changed a range of the current text since that revision.
    fn is_by_people(&self, mut range: Range<usize>) -> bool {
        self.later.iter().rev().all(|later| {
            let (is_apart, before) = before(&later.delta, &range);
            range = before;
            is_apart || later.is_by_person
        })
    }
}

/// Moves a range of the text after a change back to the text before it, so that it includes all that the change removed
/// there. Also returns whether the change is apart from the range.
fn before(delta: &Delta, range: &Range<usize>) -> (bool, Range<usize>) {
    let (mut is_apart, mut start, mut end, mut shift) = (true, range.start, range.end, 0_isize);
    for edit in delta.edits() {
        let at = edit.at.wrapping_add_signed(shift);
        if at >= range.end {
            break;
        }
        let grown = edit.new.len() as isize - edit.old.len() as isize;
        if at + edit.new.len() <= range.start {
            start = start.wrapping_add_signed(-grown);
            end = end.wrapping_add_signed(-grown);
        } else {
            is_apart = false;
            start = start.min(edit.at);
            end = end.saturating_add_signed(-grown).max(edit.range().end);
        }
        shift += grown;
    }
    (is_apart, start..end)
}

impl Transition<'_> {
    /// Whether an edit that conflicts by line may be merged by words.
    fn merges_words(&self) -> bool {
        self.policy.writes.merge_words || self.has_own_turn()
    }

    /// Rebases the user's edit onto the current document. Returns the edits of the current text, and whether they were
    /// moved past later ones.
    pub(super) fn rebase_edit<R: From<StaleEdit>>(
        &self,
        base: Base,
        markdown: &str,
    ) -> Result<(Merged, bool), Stop<R>> {
        let (revision, now, text) = (base.revision(), self.head.now(), self.view.text());
        let is_of = |document| match base {
            Base::Id(id) => id == RevisionId::new(revision, document),
            Base::Number(_) => true,
        };
        let stale = |cause, changes| {
            let (current, markdown) = (self.head.revision_id(), markdown.to_owned());
            Stop::refused(StaleEdit { base, current, cause, changes, markdown })
        };
        if revision > self.head.revision {
            return Err(stale(StaleCause::UnknownBase, None));
        }
        if self.head.is_current(Face::Document, revision) {
            return match is_of(now.document) {
                true => Ok((by_line(Delta::between(text, markdown)), false)),
                false => Err(stale(StaleCause::UnknownBase, None)),
            };
        }
        let past = self.past(base)?.ok_or_else(|| stale(StaleCause::OutOfReach, None))?;
        if !is_of(past.document) {
            return Err(stale(StaleCause::UnknownBase, None));
        }
        // A last line without its end would be joined with lines after it.
        let are_ended =
            [&past.text, markdown, text].iter().all(|text| text.is_empty() || text.ends_with('\n'));
        let rebase = Rebase::new(Delta::between(&past.text, markdown));
        let moved = past
            .later
            .iter()
            .try_fold(rebase, |rebase, Later { change, delta, .. }| rebase.past(delta).map_err(|_| *change));
        let with = match (moved, past.later.last()) {
            (Ok(_), Some(last)) if !are_ended => last.change,
            (Ok(moved), _) => return Ok((by_line(moved.into_delta()), true)),
            (Err(with), _) => with,
        };
        let merges_words = self.merges_words();
        if merges_words || !are_ended {
            let may_follow = |theirs| merges_words && past.is_by_people(theirs);
            if let Ok(merged) = merge_words(&past.text, markdown, text, may_follow)
                && (merges_words || merged.lines.is_empty())
            {
                return Ok((merged, true));
            }
        }
        let known = SyncPoint { revision, document: past.document };
        let limit = self.policy.sync.refusal_diff_bytes;
        let changes = changes_since((known, &past.text), (now, text), limit);
        Err(stale(StaleCause::Conflict { with }, changes))
    }

    /// Returns the document at a revision, or `None` if the journal does not reach back to it.
    pub(super) fn past(&self, base: Base) -> Result<Option<Past<'_>>, Missing> {
        let Some(Reached { entries, is_whole }) = self.entries_after(base)? else { return Ok(None) };
        let mut past =
            Past { document: self.head.document(), text: self.view.text().to_owned(), later: Vec::new() };
        for entry in entries {
            let Some(DocumentStep { before, after, delta }) = entry.document() else { continue };
            let (before, after) = (*before, *after);
            if after != past.document {
                return Ok(None);
            }
            let delta = match delta {
                Some(delta) if delta.revert(&mut past.text).is_err() => return Ok(None),
                Some(delta) => Cow::Borrowed(delta),
                None => {
                    let text = self.view.blob(before)?.as_text().unwrap_or_default();
                    let after = std::mem::replace(&mut past.text, text.to_owned());
                    Cow::Owned(Delta::between(text, &after))
                }
            };
            past.document = before;
            let is_by_person = matches!(entry.made_by(), Actor::Person { .. });
            let cause = Cause::of(entry.kind, entry.change, entry.reverts.as_ref());
            past.later.push(Later { change: entry.change, cause, is_by_person, delta });
        }
        past.later.reverse();
        // Changes of faces before the first entry do not change the document.
        let is_base = match base {
            Base::Id(id) => id == RevisionId::new(id.revision(), past.document),
            // A text that came back proves nothing about the numbers in between.
            Base::Number(number) => {
                self.head.origin == SyncPoint { revision: number, document: past.document }
            }
        };
        if !is_whole && !is_base {
            return Ok(None);
        }
        // A corrupted delta may still apply cleanly and yield a text that never existed.
        let is_sound = past.later.is_empty() || is_document(&past.text, past.document);
        Ok(is_sound.then_some(past))
    }

    /// Whether anybody but this conversation changed the document after a revision, as far as the journal reaches.
    pub(super) fn is_changed_by_others(&self, base: Base) -> Result<bool, Missing> {
        let reached = self.entries_after(base)?;
        let is_others =
            |entry: &Entry| entry.actor == Role::User || entry.operation.conversation != *self.who;
        Ok(reached
            .into_iter()
            .flat_map(|reached| reached.entries)
            .any(|entry| entry.document().is_some() && is_others(entry)))
    }

    /// Returns the changes of all faces after a revision, or `None` if they are no longer kept. Leaves out effects,
    /// because they do not change the document.
    fn entries_after(&self, base: Base) -> Result<Option<Reached<'_>>, Missing> {
        let (journal, fetched, base) = (&self.head.journal, self.view.blobs, base.revision());
        let (kept, limit) = (journal.kept(self.policy.keep_limits()), self.policy.history.reach);
        let (mut entries, mut chain, mut oldest) =
            (Vec::new(), Chain::of_changes(journal), self.head.revision);
        while oldest > base {
            // Each entry has its own revision.
            let revisions = usize::try_from(oldest.get() - base.get()).unwrap_or(usize::MAX);
            let more = revisions.min(limit - entries.len());
            let entry = match chain.step(journal, (kept, 1), more, |id| fetched.entry(id)) {
                ChainStep::Entry(entry) | ChainStep::Forgotten(entry) if entry.revision_after <= base => {
                    break;
                }
                ChainStep::Entry(entry) if entries.len() < limit => entry,
                ChainStep::End => return Ok(Some(Reached { entries, is_whole: false })),
                ChainStep::Entry(_) | ChainStep::Forgotten(_) => return Ok(None),
                ChainStep::Missing(id, likely) => return Err(Missing { needed: vec![id], likely }),
                ChainStep::Lost(id) => {
                    // An entry that was only a guess before is needed now.
                    self.view.blob(id)?;
                    return Ok(None);
                }
            };
            oldest = entry.revision_before;
            entries.push(entry);
        }
        Ok(Some(Reached { entries, is_whole: true }))
    }
}
