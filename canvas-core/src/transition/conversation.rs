//! A conversation's knowledge of the document, and the changes to show to the conversation.

use crate::document::changes::{Changes, Headings, changes_since};
use crate::face::contents::Contents;
use crate::model::blob::Missing;
use crate::model::conversation::{Conversation, SyncPoint};
use crate::model::revision::{Base, RevisionId};
use crate::transition::refusal::{BaseRefusal, LeaseRefusal, Refusal};
use crate::transition::step::Transition;

impl Transition<'_> {
    /// Returns the changes since the conversation last saw the document.
    pub(super) fn changes_seen(&self) -> Result<Option<Changes>, Missing> {
        let limit = self.policy.sync.refusal_diff_bytes;
        match self.head.conversation(self.who).seen {
            Some(seen) => Ok(changes_since((seen, self.text_of(seen)?), self.text_now(), limit)),
            None => Ok(Some(self.whole(limit))),
        }
    }

    fn text_of(&self, point: SyncPoint) -> Result<&str, Missing> {
        Ok(self.view.blob(point.document)?.as_text().unwrap_or_default())
    }

    pub(super) fn text_now(&self) -> (SyncPoint, &str) {
        (self.head.now(), self.view.text())
    }

    /// Returns the whole document, for a conversation without any knowledge of it.
    pub(super) fn whole(&self, most: usize) -> Changes {
        Changes::whole(None, self.head.revision_id(), self.view.text(), most)
    }

    /// Returns the headings, in place of a long document.
    fn headings(&self) -> Changes {
        let outline = self.view.contents.outline().expect("a view has the document at least");
        let headings = Headings::of(self.view.text(), outline.live().outline());
        Changes::headings(self.head.revision_id(), headings)
    }

    /// Resets the head after a refusal. The lock stays, because a user's act preempts, and a call keeps its lease
    /// alive, even if the rest is refused. If the refusal shows the changes, the conversation counts as having seen the
    /// document.
    pub(super) fn refuse(&mut self, refusal: Refusal<'_>) {
        let lock = std::mem::replace(&mut self.head, self.view.head.clone()).lock;
        self.head.lock = lock;
        // `not_after` stays, because a refusal under the lease extends it and must not do so after it has expired.
        self.blobs.clear();
        self.moves.clear();
        if let Some(proposing) = &mut self.proposing {
            (proposing.next, proposing.changed) = (None, None);
        }
        self.contents = Contents::default();
        let shown = match refusal {
            // Without changes, the text again equals the one that the conversation has seen.
            Refusal::Lease(LeaseRefusal::StaleEpoch { changes, .. }) => {
                changes.as_ref().is_none_or(Changes::is_shown)
            }
            Refusal::Base(BaseRefusal::StaleBase(stale)) => {
                // The conversation may not know a base later than the one it has seen.
                let seen = self.head.conversation(self.who).seen;
                let knows = |base: Base| seen.is_some_and(|seen| base.revision() <= seen.revision);
                stale.base.is_none_or(knows) && stale.changes.as_ref().is_some_and(Changes::is_shown)
            }
            _ => false,
        };
        if shown {
            self.mark_seen(self.head.now());
        }
    }

    pub(super) fn mark_seen(&mut self, point: SyncPoint) {
        self.set_conversation(Conversation { seen: Some(point), ..self.head.conversation(self.who) });
    }

    /// Records that a conversation changed the document, and that its reply shows these changes by others. In a turn of its
    /// own, the conversation may not know all the changes before.
    pub(super) fn mark_written(&mut self, shown: Option<&Changes>) {
        let seen = self.view.head.conversation(self.who).seen;
        let knows_before = || {
            let from = seen.map(|seen| RevisionId::new(seen.revision, seen.document));
            self.view.head.has_seen(self.who) || shown.is_some_and(|changes| changes.from == from)
        };
        if shown.is_none_or(Changes::is_shown) && (!self.has_own_turn() || knows_before()) {
            self.mark_seen(self.head.now());
        }
    }

    /// Records that a conversation without prior knowledge was shown the whole document. A conversation that knows an
    /// older text still gets the changes with its next message. One that may have been evicted gets the whole text,
    /// because it may know an older text too.
    pub(super) fn mark_known(&mut self) {
        if self.head.conversation(self.who).synced.is_none() && !self.head.gave_up {
            self.set_conversation(Conversation::knows(self.head.now()));
        }
    }

    /// Records the conversation's new knowledge.
    pub(super) fn set_conversation(&mut self, conversation: Conversation) {
        self.make_room();
        let Conversation { synced, seen, .. } = conversation;
        let followed = self.head.conversations.entry(self.who.clone()).or_insert(Conversation::NOTHING);
        (followed.synced, followed.seen) = (synced, seen);
    }

    /// Makes room for a conversation that the canvas does not follow yet. If an evicted conversation had a turn of its
    /// own, the shared lock outlives it.
    pub(super) fn make_room(&mut self) {
        if self.head.conversations.contains_key(self.who) {
            return;
        }
        while self.head.conversations.len() >= self.policy.sync.conversations.max(1) {
            let Some(evicted) = self.head.evict_oldest() else { break };
            if let (Some(turn), Some(shared)) = (evicted.turn, &mut self.shared) {
                shared.lock.close_after(&turn.lock);
            }
        }
    }

    /// Returns the changes unknown to the conversation, and records them as known.
    pub(super) fn sync(&mut self) -> Result<Option<Changes>, Missing> {
        let now = self.head.now();
        let changes = match self.head.conversation(self.who).synced {
            Some(known) => {
                let changes = changes_since((known, self.text_of(known)?), self.text_now(), usize::MAX);
                changes.map(|changes| changes.or_whole(self.view.text(), self.policy.sync.diff_bytes))
            }
            None if self.view.text().len() > self.policy.sync.snapshot_bytes => {
                // The headings do not extend the text that the conversation has seen.
                let seen = self.head.conversation(self.who).seen;
                self.set_conversation(Conversation { synced: Some(now), seen, ..Conversation::NOTHING });
                return Ok(Some(self.headings()));
            }
            None => Some(self.whole(usize::MAX)),
        };
        self.set_conversation(Conversation::knows(now));
        Ok(changes)
    }
}
