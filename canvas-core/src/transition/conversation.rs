//! What a conversation knows of the document, what it is told, and what it may judge by (specs 000 §12, §13).

use canvas_patch::{Mode, Options, apply};

use crate::document::changes::{Changes, changes_around, changes_since};
use crate::model::blob::Missing;
use crate::model::face::Face;
use crate::model::head::{Conversation, SyncPoint};
use crate::model::revision::RevisionId;
use crate::transition::contents::Contents;
use crate::transition::decide::{Step, Stop};
use crate::transition::refusal::Refusal;

impl Step<'_> {
    /// What changed since the conversation last saw the document.
    pub(super) fn changes_seen(&self) -> Result<Option<Changes>, Missing> {
        let limit = self.policy.refusal_diff_bytes;
        match self.head.conversation(self.who).seen {
            Some(seen) => Ok(changes_since((seen, self.text_of(seen)?), self.text_now(), limit)),
            None => Ok(Some(self.whole(limit))),
        }
    }

    fn text_of(&self, point: SyncPoint) -> Result<&str, Missing> {
        Ok(self.view.blob(point.document)?.as_text().unwrap_or_default())
    }

    fn text_now(&self) -> (SyncPoint, &str) {
        (self.head.now(), self.view.text())
    }

    /// The whole document, for a conversation that knows nothing of it.
    pub(super) fn whole(&self, most: usize) -> Changes {
        Changes::whole(None, self.head.revision_id(), self.view.text(), most)
    }

    /// A patch is judged only against a text that its author knows.
    pub(super) fn base_holds(&self, base: Option<RevisionId>, patch: &str) -> Result<(), Stop> {
        let face = self.head.face_revision(Face::Document);
        let conversation = self.head.conversation(self.who);
        let known = match (base, conversation.seen) {
            (Some(base), _) if base.revision() >= face && base.revision() <= self.head.revision => {
                return Ok(());
            }
            (Some(base), _) => Some(base.revision()),
            (None, Some(seen)) if seen.revision >= face => return Ok(()),
            (None, seen) => seen.map(|seen| seen.revision),
        };
        let points = [conversation.seen, conversation.synced, Some(self.head.origin)];
        let (changes, near) = match points.iter().flatten().find(|point| Some(point.revision) == known) {
            Some(point) => {
                let known = (*point, self.text_of(*point)?);
                let limits = (self.policy.refusal_diff_bytes, &self.policy.patch);
                changes_around(known, self.text_now(), patch, base.is_some(), limits)
            }
            // It knows nothing at all.
            None if known.is_none() => (Some(self.whole(self.policy.refusal_diff_bytes)), None),
            None => (None, None),
        };
        let shown = near.is_some() || changes.as_ref().is_some_and(Changes::is_shown);
        let rebased = if shown { self.rebased(patch) } else { None };
        Err(Refusal::StaleBase { base, changes, near, rebased }.into())
    }

    /// The same patch for the text now, where it fits.
    pub(super) fn rebased(&self, patch: &str) -> Option<String> {
        let options = Options { mode: Mode::Anchored, limits: self.policy.patch };
        let applied = apply(self.view.text(), patch, &options).ok()?;
        Some(applied.patch()).filter(|patch| patch.len() <= self.policy.refusal_diff_bytes)
    }

    /// After a refusal that showed the changes, the conversation has seen the document.
    pub(super) fn refuse(&mut self, refusal: &Refusal) {
        // `not_after` stays: a refusal under the lease extends it, and must not do so once it has expired.
        self.blobs.clear();
        self.contents = Contents::default();
        let shown = match refusal {
            // Without changes, the text is again what the conversation has seen.
            Refusal::StaleEpoch { changes, .. } | Refusal::StaleBase { base: None, changes, .. } => {
                changes.as_ref().is_none_or(Changes::is_shown)
            }
            // Without changes, the base may be one that nobody remembers.
            Refusal::StaleBase { base: Some(_), changes, .. } => {
                changes.as_ref().is_some_and(Changes::is_shown)
            }
            _ => false,
        };
        if shown {
            let _ = self.sees(self.head.now());
        }
    }

    pub(super) fn sees(&mut self, point: SyncPoint) -> Result<(), Stop> {
        self.know(|conversation| conversation.seen = Some(point))
    }

    pub(super) fn know(&mut self, change: impl FnOnce(&mut Conversation)) -> Result<(), Stop> {
        let mut conversation = self.head.conversation(self.who);
        change(&mut conversation);
        self.make_room();
        self.head.conversations.insert(self.who.clone(), conversation);
        Ok(())
    }

    /// Makes room for a conversation that the canvas does not follow yet.
    pub(super) fn make_room(&mut self) {
        if !self.head.conversations.contains_key(self.who) {
            while self.head.conversations.len() >= self.policy.conversations.max(1) {
                let before = self.head.conversations.len();
                self.head.give_up_one();
                if self.head.conversations.len() == before {
                    break;
                }
            }
        }
    }

    /// Tells what the conversation does not know yet, and counts it as known.
    pub(super) fn sync(&mut self) -> Result<Option<Changes>, Stop> {
        let now = self.head.now();
        let changes = match self.head.conversation(self.who).synced {
            Some(known) => {
                let changes = changes_since((known, self.text_of(known)?), self.text_now(), usize::MAX);
                changes.map(|changes| changes.or_whole(self.view.text(), self.policy.sync_diff_bytes))
            }
            None => Some(self.whole(usize::MAX)),
        };
        self.know(|conversation| *conversation = Conversation::knows(now))?;
        Ok(changes)
    }
}
