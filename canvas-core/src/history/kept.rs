//! Retention of journal entries, which keeps the newest ones within limits for changes and effects.
//!
//! * Changes and effects have separate limits, so that a poll never displaces a change that a person may undo. The
//!   longest end of the chain within both limits is kept. If there are too many effects, the oldest of them are dropped
//!   together with the changes before them.
//! * Each entry records how many effects came before it, so any entry shows by itself whether it is kept.
//! * Each change links to the change before it, past the effects in between, so that an edit of an older revision need
//!   not read these.

use crate::history::journal::Entry;
use crate::model::blob::BlobId;
use crate::model::journal_slot::JournalSlot;

/// Maximum number of entries to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeepLimits {
    /// All entries except effects.
    pub(crate) changes: u64,
    pub(crate) effects: u64,
}

/// The retained end of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Entries with lower numbers were dropped.
    from: u64,
    /// Number of changes before the retained end.
    changes: u64,
    /// Number of effects before the retained end.
    effects: u64,
    /// Whether the journal never had an effect, in which case numbers alone decide.
    has_changes_only: bool,
}

impl JournalSlot {
    /// Computes the retained end under these limits, without entries already dropped.
    pub(crate) fn kept(&self, limits: KeepLimits) -> Kept {
        let changes = self.entries.saturating_sub(self.effects);
        Kept {
            from: self.kept_from,
            changes: changes.saturating_sub(limits.changes),
            effects: self.effects.saturating_sub(limits.effects),
            has_changes_only: self.effects == 0,
        }
    }

    /// Returns the newest entry that is not an effect, with its number. If all entries are effects, returns the first
    /// of them.
    pub(crate) fn last_change(&self) -> Option<(u64, BlobId)> {
        self.before_effects.or_else(|| Some((self.entries, self.last?)))
    }
}

impl Kept {
    /// Returns a number below which no entry is kept.
    pub(crate) fn oldest(&self) -> u64 {
        self.changes.saturating_add(self.effects).saturating_add(1).max(self.from)
    }

    /// Whether [`Kept::oldest`] is exactly the oldest kept entry, if that entry exists.
    pub(crate) fn is_exact(&self) -> bool {
        self.has_changes_only || (self.changes == 0 && self.effects == 0)
    }

    pub(crate) fn has(&self, entry: &Entry) -> bool {
        self.has_number(entry.number.get(), entry.effects_before())
    }

    /// Whether the entry with this number is kept, which this many effects precede.
    pub(crate) fn has_number(&self, number: u64, effects_before: u64) -> bool {
        let changes_before = number.saturating_sub(1).saturating_sub(effects_before);
        number >= self.from && effects_before >= self.effects && changes_before >= self.changes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use canvas_lease::Timestamp;
    use canvas_patch::Delta;
    use proptest::prelude::*;

    use super::*;
    use crate::document::step::DocumentStep;
    use crate::history::journal::{EntryKind, NewEntry};
    use crate::model::author::Role;
    use crate::model::id::{CallId, ConversationId};
    use crate::model::op_key::OpKey;
    use crate::model::revision::Revision;

    /// An action on a journal.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Act {
        Change,
        Effect,
        Clear,
        /// Drops this many of the oldest kept entries.
        Drop(u64),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = prop_oneof![
            4 => Just(Act::Change),
            // Runs of effects, as a poll leaves them.
            8 => Just(Act::Effect),
            1 => Just(Act::Clear),
            1 => (0..4_u64).prop_map(Act::Drop),
        ];
        prop::collection::vec(act, 0..60)
    }

    fn entry(kind: EntryKind) -> NewEntry {
        let (conversation, call) = (ConversationId::new("c").unwrap(), CallId::new("c").unwrap());
        let document = BlobId::of(b"");
        NewEntry {
            kind,
            change: None,
            actor: Role::User,
            author: Role::User,
            written_by: None,
            first_made_by: None,
            reverts: None,
            operation: OpKey::of(conversation, call),
            at: Timestamp::from_millis(0),
            summary: String::new(),
            revisions: (Revision::ZERO, Revision::ZERO),
            step: DocumentStep { before: document, after: document, delta: Some(Delta::between("", "")) }
                .into(),
            also: Vec::new(),
            decisions: Vec::new(),
        }
    }

    proptest! {
        /// Compares with plain lists. The longest end within both limits is kept, and the links lead from change to
        /// change and finally to the first entry.
        #[test]
        fn entries_tell_by_themselves_whether_they_are_kept(
            acts in acts(), changes in 0..12_u64, effects in 0..20_u64,
        ) {
            let (mut slot, mut entries, mut first) = (JournalSlot::default(), BTreeMap::new(), 1);
            for act in acts {
                match act {
                    Act::Change | Act::Effect => {
                        let kind = if act == Act::Change { EntryKind::Edit } else { EntryKind::Effect };
                        let (entry, blob) = slot.push(entry(kind));
                        entries.insert(entry.number.get(), (entry, blob.id()));
                    }
                    Act::Clear => {
                        slot = slot.cleared();
                        (entries, first) = (BTreeMap::new(), slot.entries + 1);
                    }
                    Act::Drop(count) => slot.kept_from = (slot.kept_from.max(1) + count).min(slot.entries + 1),
                }
            }
            let kept = slot.kept(KeepLimits { changes, effects });
            let (mut left, mut expected) = ((changes, effects), Vec::new());
            for (number, (entry, _)) in entries.iter().rev().take_while(|(number, _)| **number >= slot.kept_from) {
                let room = if entry.kind == EntryKind::Effect { &mut left.1 } else { &mut left.0 };
                if *room == 0 {
                    break;
                }
                *room -= 1;
                expected.push(*number);
            }
            let found: Vec<_> =
                entries.iter().rev().filter(|(_, (entry, _))| kept.has(entry)).map(|(number, _)| *number).collect();
            prop_assert_eq!(&found, &expected);
            prop_assert!(expected.iter().all(|number| *number >= kept.oldest()));
            if let (true, Some(oldest)) = (kept.is_exact(), expected.last()) {
                prop_assert_eq!(*oldest, kept.oldest().max(first));
            }
            let (mut followed, mut next) = (Vec::new(), slot.last_change());
            while let Some((number, id)) = next {
                let (entry, own) = &entries[&number];
                prop_assert_eq!(*own, id);
                followed.push(number);
                next = entry.previous_change();
            }
            let is_linked = |(number, (entry, _)): &(&u64, &(Entry, BlobId))| {
                **number == first || entry.kind != EntryKind::Effect
            };
            let expected: Vec<_> = entries.iter().rev().filter(is_linked).map(|(number, _)| *number).collect();
            prop_assert_eq!(followed, expected);
        }
    }
}
