//! Several actors on one canvas, who undo and redo each other's changes.

use std::num::NonZeroU32;

use canvas_core::document::{ApplyPatch, Edit};
use canvas_core::history::{
    ChangeNumber, ChangeSelection, ChangesOf, Entry, EntryKind, HistoryEntry, RedoOf, Undo, UndoScope,
};
use canvas_core::lease::CheckIn;
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{Author, CallId, ConversationId, OpKey, PersonId, Policy};

use super::any::{Call, Command, Outcome, code, dynamic};
use super::world::World;

pub(super) fn person(name: &str) -> PersonId {
    PersonId::new(name).unwrap()
}

pub(super) fn conversation(name: &str) -> ConversationId {
    ConversationId::new(name).unwrap()
}

/// Several actors on one canvas.
pub(super) struct Party {
    pub(super) world: World,
    calls: u32,
}

impl Party {
    pub(super) fn new(markdown: &str) -> Self {
        Self::with(markdown, Policy::default())
    }

    pub(super) fn with(markdown: &str, policy: Policy) -> Self {
        Self { world: World::with(markdown, policy), calls: 0 }
    }

    pub(super) fn by(&mut self, name: &str, command: impl Into<Command>) -> Outcome {
        self.calls += 1;
        let call = CallId::new(&format!("call {}", self.calls)).unwrap();
        self.world
            .run(&Call { operation: OpKey::person(person(name), call), command: dynamic(command) })
            .outcome
    }

    /// `anna` and `bert` are people, `one` and `two` are conversations.
    pub(super) fn edit(&mut self, who: &str, text: &str) {
        if matches!(who, "anna" | "bert" | "carl" | "user") {
            assert_eq!(code(&self.by(who, Edit::overwrite(text))), "OK");
            return;
        }
        let patch = canvas_core::text::build(&self.world.text(), text, 0);
        let patch =
            if patch.is_empty() { return } else { canvas_core::text::build(&self.world.text(), text, 3) };
        self.world.ask(who, SendMessage);
        let lease = self.world.check_out(who);
        let apply = ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None };
        assert_eq!(code(&self.world.ask(who, apply)), "OK", "{who} {text:?}");
        self.world.ask(who, CheckIn { lease: Some(lease) });
    }

    pub(super) fn replace(&mut self, who: &str, old: &str, new: &str) {
        let text = self.world.text();
        assert!(text.contains(old), "{old:?} in {text:?}");
        self.edit(who, &text.replacen(old, new, 1));
    }

    pub(super) fn undo(&mut self, who: &str, what: impl Into<ChangeSelection>) -> Outcome {
        self.by(who, Undo { by: Author::User, what: UndoScope::Select(what.into()) })
    }

    pub(super) fn redo(&mut self, who: &str) -> Outcome {
        self.by(who, RedoOf { by: Author::User, person: person(who) })
    }

    pub(super) fn stacks(&self, who: &str) -> (Vec<u64>, Vec<u64>) {
        let (world, who) = (&self.world, person(who));
        let stacks = block_on(world.engine.stacks_of(&world.canvas, &who, 99, world.now())).unwrap();
        let changes = |entries: &[Entry]| entries.iter().map(|entry| entry.change.get()).collect();
        (changes(&stacks.undo), changes(&stacks.redo))
    }

    pub(super) fn replay(&self) {
        let replay = block_on(self.world.engine.replay(&self.world.canvas, self.world.now())).unwrap();
        assert_eq!(replay.tree, self.world.head().draft().hash());
    }
}

pub(super) fn of(name: &str) -> ChangeSelection {
    match name {
        "one" | "two" => ChangesOf::Conversation(conversation(name)).into(),
        name => ChangesOf::Person(person(name)).into(),
    }
}

pub(super) fn last(name: &str, count: u32) -> ChangeSelection {
    ChangeSelection { last: NonZeroU32::new(count), ..of(name) }
}

pub(super) fn edits(change: u64, edits: &[u32]) -> ChangesOf {
    ChangesOf::Edits(ChangeNumber::new(change), edits.to_vec())
}

pub(super) fn kinds(outcome: &Outcome) -> Vec<(EntryKind, u64)> {
    let Outcome::Moved(moved) = outcome else { panic!("{outcome:?}") };
    let change = |entry: &HistoryEntry| entry.reverts.first().unwrap_or(&entry.change).get();
    moved.entries.iter().map(|entry| (entry.kind, change(entry))).collect()
}
