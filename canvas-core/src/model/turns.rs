//! The conversations of a canvas in its head, and their turns.

use canvas_lease::{LeasePolicy, Lock, Timestamp};

use crate::model::conversation::{Conversation, RunningTurn, TurnStart};
use crate::model::head::Head;
use crate::model::id::ConversationId;
use crate::model::work_mode::WorkMode;

impl Head {
    /// Whether all conversations share one turn and one lease.
    pub fn work_mode(&self) -> WorkMode {
        self.work_mode
    }

    /// Returns the lock that decides for a conversation. In [`WorkMode::Collaborative`], this is the conversation's own
    /// lock, or a closed one if it had no message yet. Otherwise, it is [`Head::lock`].
    pub fn lock_of(&self, conversation: &ConversationId) -> &Lock {
        self.turn_of(conversation).map_or(&self.lock, |turn| &turn.lock)
    }

    /// Returns the start of the turn in which a conversation works.
    pub fn turn_start_of(&self, conversation: &ConversationId) -> TurnStart {
        self.turn_of(conversation).map_or(self.turn_start, |turn| turn.start)
    }

    /// Iterates over the locks of conversations with turns of their own. There are none in [`WorkMode::Exclusive`].
    pub fn own_turns(&self) -> impl Iterator<Item = (&ConversationId, &Lock)> {
        self.conversations.iter().filter_map(|(id, known)| Some((id, &known.turn.as_ref()?.lock)))
    }

    fn turn_of(&self, conversation: &ConversationId) -> Option<&RunningTurn> {
        self.conversations.get(conversation)?.turn.as_ref()
    }

    /// Ends the turns of all conversations. The lock of the canvas outlives theirs.
    pub(crate) fn end_turns(&mut self) {
        for conversation in self.conversations.values_mut() {
            if let Some(turn) = conversation.turn.take() {
                self.lock.close_after(&turn.lock);
            }
        }
    }

    /// Returns the head with a conversation's own turn in place of the shared one, and the shared one. Returns `None` if
    /// conversations share their turn. If the clock fell back too far, all turns are over.
    pub(crate) fn focus(
        &self,
        policy: &LeasePolicy,
        clock: Timestamp,
        who: &ConversationId,
    ) -> Option<(Self, RunningTurn)> {
        if self.work_mode == WorkMode::Exclusive {
            return None;
        }
        let mut head = self.clone();
        if head.lock.observe_clock(policy, clock) {
            head.end_turns();
        }
        let shared = RunningTurn { lock: head.lock.clone(), start: head.turn_start };
        if let Some(RunningTurn { lock, start }) = head.turn_of(who).cloned() {
            (head.lock, head.turn_start) = (lock, start);
        }
        Some((head, shared))
    }

    /// Returns a conversation's knowledge of the document.
    pub(crate) fn conversation(&self, id: &ConversationId) -> Conversation {
        let fresh = match &self.made_by {
            // An unlisted conversation may be new, or may have been evicted.
            _ if self.gave_up => Conversation::NOTHING,
            // It has no text to which a diff would apply. However, its first patch may be for the first document, while
            // that is current.
            Some(maker) if maker != id => Conversation { seen: Some(self.origin), ..Conversation::NOTHING },
            Some(_) | None => Conversation::knows(self.origin),
        };
        self.conversations.get(id).cloned().unwrap_or(fresh)
    }

    /// Evicts the least recently updated conversation, but never the one that holds the shared lease. If conversations have
    /// turns of their own, those without a lease come first. If the evicted one returns, it gets the whole document.
    pub(crate) fn evict_oldest(&mut self) -> Option<Conversation> {
        let holder = self.lock.lease().map(|lease| lease.holder.as_str());
        let spare = self.conversations.iter().filter(|(id, _)| Some(id.as_str()) != holder);
        let holds = |turn: &RunningTurn| turn.lock.lease().is_some();
        let oldest = spare.min_by_key(|(_, known)| (known.turn.as_ref().is_some_and(holds), known.last()));
        let oldest = oldest.map(|(id, _)| id.clone())?;
        self.gave_up = true;
        self.conversations.remove(&oldest)
    }
}
