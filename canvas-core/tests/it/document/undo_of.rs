//! Undo and redo of the changes of one of several actors.

use std::num::NonZeroU32;

use canvas_core::document::{ApplyPatch, Edit};
use canvas_core::history::{
    ChangeNumber, ChangeSelection, ChangesOf, Entry, EntryKind, HistoryEntry, HistoryRefusal, RedoOf, Undo,
    UndoScope,
};
use canvas_core::lease::{CheckIn, Turn};
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{Author, CallId, ConversationId, OpKey, PersonId, Policy, Refusal, Revision};
use proptest::prelude::*;

use super::any::{Call, Command, Outcome, code, dynamic};
use super::world::World;
use crate::policy_with;

fn person(name: &str) -> PersonId {
    PersonId::new(name).unwrap()
}

fn conversation(name: &str) -> ConversationId {
    ConversationId::new(name).unwrap()
}

/// Several actors on one canvas.
struct Party {
    world: World,
    calls: u32,
}

impl Party {
    fn new(markdown: &str) -> Self {
        Self::with(markdown, Policy::default())
    }

    fn with(markdown: &str, policy: Policy) -> Self {
        Self { world: World::with(markdown, policy), calls: 0 }
    }

    fn by(&mut self, name: &str, command: impl Into<Command>) -> Outcome {
        self.calls += 1;
        let call = CallId::new(&format!("call {}", self.calls)).unwrap();
        self.world
            .run(&Call { operation: OpKey::person(person(name), call), command: dynamic(command) })
            .outcome
    }

    /// `anna` and `bert` are people, `one` and `two` are conversations.
    fn edit(&mut self, who: &str, text: &str) {
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

    fn replace(&mut self, who: &str, old: &str, new: &str) {
        let text = self.world.text();
        assert!(text.contains(old), "{old:?} in {text:?}");
        self.edit(who, &text.replacen(old, new, 1));
    }

    fn undo(&mut self, who: &str, what: impl Into<ChangeSelection>) -> Outcome {
        self.by(who, Undo { by: Author::User, what: UndoScope::Select(what.into()) })
    }

    fn redo(&mut self, who: &str) -> Outcome {
        self.by(who, RedoOf { by: Author::User, person: person(who) })
    }

    fn stacks(&self, who: &str) -> (Vec<u64>, Vec<u64>) {
        let (world, who) = (&self.world, person(who));
        let stacks = block_on(world.engine.stacks_of(&world.canvas, &who, 99, world.now())).unwrap();
        let changes = |entries: &[Entry]| entries.iter().map(|entry| entry.change.get()).collect();
        (changes(&stacks.undo), changes(&stacks.redo))
    }

    fn replay(&self) {
        let replay = block_on(self.world.engine.replay(&self.world.canvas, self.world.now())).unwrap();
        assert_eq!(replay.tree, self.world.head().draft().hash());
    }
}

fn of(name: &str) -> ChangeSelection {
    match name {
        "one" | "two" => ChangesOf::Conversation(conversation(name)).into(),
        name => ChangesOf::Person(person(name)).into(),
    }
}

fn last(name: &str, count: u32) -> ChangeSelection {
    ChangeSelection { last: NonZeroU32::new(count), ..of(name) }
}

fn edits(change: u64, edits: &[u32]) -> ChangesOf {
    ChangesOf::Edits(ChangeNumber::new(change), edits.to_vec())
}

fn kinds(outcome: &Outcome) -> Vec<(EntryKind, u64)> {
    let Outcome::Moved(moved) = outcome else { panic!("{outcome:?}") };
    let change = |entry: &HistoryEntry| entry.reverts.first().unwrap_or(&entry.change).get();
    moved.entries.iter().map(|entry| (entry.kind, change(entry))).collect()
}

const TEXT: &str = "# T\n\na\n\nb\n\nc\n\nd\n";

/// Two people and two conversations, each of whom changes a place of their own and one that borders on another's.
fn four() -> Party {
    let mut party = Party::new(TEXT);
    party.replace("anna", "a\n", "a by anna\n");
    party.replace("one", "b\n", "b by one\n");
    party.replace("bert", "c\n", "c by bert\n");
    party.replace("two", "d\n", "d by two\n");
    party.replace("anna", "# T\n", "# T\n\nmore by anna\n");
    party.replace("one", "d by two\n", "d by two\nmore by one\n");
    party
}

#[test]
fn each_of_four_is_undone_alone_in_any_order() {
    let names = ["anna", "one", "bert", "two"];
    for order in 0..24 {
        let (mut left, mut rest, mut number) = (names.to_vec(), Vec::new(), order);
        for count in (1..=4).rev() {
            rest.push(left.remove(number % count));
            number /= count;
        }
        let mut party = four();
        for name in &rest {
            let before = party.world.text();
            assert_eq!(code(&party.undo("carl", of(name))), "OK", "{name} in {rest:?}");
            let after = party.world.text();
            for line in before.lines() {
                let is_theirs = line.ends_with(&format!("by {name}"));
                assert_eq!(
                    after.lines().any(|other| other == line),
                    !is_theirs,
                    "{line} after {name} in {rest:?}"
                );
            }
            assert_eq!(code(&party.undo("carl", of(name))), "NOTHING_TO_UNDO", "{name} in {rest:?}");
            party.replay();
        }
        assert_eq!(party.world.text(), TEXT, "{rest:?}");
        // One redo for each command, newest first, and one undo for all of them again.
        for _ in names {
            assert_eq!(code(&party.redo("carl")), "OK");
            party.replay();
        }
        assert_eq!(party.world.text(), four().world.text());
        assert_eq!(code(&party.redo("carl")), "NOTHING_TO_REDO");
    }
}

#[test]
fn undo_and_redo_toggle_while_others_write() {
    let mut party = Party::new(TEXT);
    party.replace("anna", "a\n", "A\n");
    for round in 0..5 {
        let undone = party.undo("anna", last("anna", 1));
        assert_eq!(kinds(&undone), [(if round == 0 { EntryKind::Undo } else { EntryKind::Revert }, 1)]);
        assert!(party.world.text().contains("\na\n"));
        assert_eq!(party.stacks("anna"), (vec![], vec![if round == 0 { 1 } else { undone_entry(&undone) }]));
        party.replace("bert", "b", "bb");
        let redone = party.redo("anna");
        assert_eq!(kinds(&redone), [(EntryKind::Redo, 1)]);
        assert!(party.world.text().contains("\nA\n"));
        assert_eq!(party.stacks("anna"), (vec![1], vec![]));
        party.replace("bert", "b", "bb");
        party.replay();
    }
    assert_eq!(code(&party.redo("anna")), "NOTHING_TO_REDO");
    assert_eq!(code(&party.undo("bert", of("bert"))), "OK");
    assert_eq!(party.world.text(), TEXT.replace("a\n", "A\n"));
}

fn undone_entry(outcome: &Outcome) -> u64 {
    let Outcome::Moved(moved) = outcome else { panic!("{outcome:?}") };
    moved.entries[0].change.get()
}

#[test]
fn a_change_of_the_same_person_ends_redo() {
    let mut party = Party::new(TEXT);
    party.replace("anna", "a\n", "A\n");
    party.replace("bert", "b\n", "B\n");
    assert_eq!(code(&party.undo("anna", of("anna"))), "OK");
    party.replace("anna", "c\n", "C\n");
    assert_eq!(code(&party.redo("anna")), "NOTHING_TO_REDO");
    assert_eq!(party.stacks("anna").1, [0; 0]);
    // An undo that the host made for nobody in particular is of the person whose changes it took back.
    assert_eq!(code(&party.undo("user", of("anna"))), "OK");
    assert_eq!(code(&party.redo("bert")), "NOTHING_TO_REDO");
    assert_eq!(code(&party.redo("anna")), "OK");
    assert_eq!(party.world.text(), "# T\n\na\n\nB\n\nC\n\nd\n");
    // What bert takes back is not anna's to redo.
    assert_eq!(code(&party.undo("bert", of("anna"))), "OK");
    assert_eq!(code(&party.redo("anna")), "NOTHING_TO_REDO");
    assert_eq!(code(&party.redo("bert")), "OK");
    // The change is still anna's.
    assert_eq!(code(&party.undo("bert", of("bert"))), "OK");
    assert_eq!(code(&party.undo("anna", of("anna"))), "OK");
    assert_eq!(party.world.text(), TEXT);
}

#[test]
fn a_later_change_that_touches_is_a_conflict_until_it_is_undone() {
    let mut party = Party::new(TEXT);
    party.replace("anna", "a\n", "A\n");
    party.replace("anna", "c\n", "C\n");
    party.replace("bert", "A\n", "A!\n");
    let before = (party.world.text(), party.world.head().journal().clone());
    let refused = party.undo("anna", of("anna"));
    let Some(Refusal::History(HistoryRefusal::HistoryConflict { change, with })) = refused.refusal() else {
        panic!("{refused:?}")
    };
    assert_eq!((change.get(), with.get()), (1, 3));
    assert_eq!((party.world.text(), party.world.head().journal().clone()), before);
    let partial = party.undo("anna", ChangeSelection { partial: true, ..of("anna") });
    assert_eq!(kinds(&partial), [(EntryKind::Revert, 2)]);
    let Outcome::Moved(moved) = partial else { unreachable!("its entries were read") };
    assert_eq!(moved.kept.len(), 1);
    assert_eq!((moved.kept[0].change.get(), moved.kept[0].reason.as_str()), (1, "HISTORY_CONFLICT"));
    assert_eq!(party.world.text(), TEXT.replace("a\n", "A!\n"));
    // All that is left is under bert's.
    let kept = party.undo("anna", ChangeSelection { partial: true, ..of("anna") });
    assert_eq!(kinds(&kept), []);
    party.replace("anna", "d\n", "D\n");
    assert_eq!(code(&party.undo("bert", of("bert"))), "OK");
    assert_eq!(code(&party.undo("anna", of("anna"))), "OK");
    assert_eq!(party.world.text(), TEXT);
    party.replay();
}

#[test]
fn one_change_is_undone_edit_by_edit() {
    let mut party = Party::new(TEXT);
    party.edit("anna", "# T\n\nA\n\nB\n\nC\n\nd\n");
    party.replace("bert", "d\n", "D\n");
    let refused = party.undo("anna", edits(1, &[0, 3]));
    let Some(Refusal::History(HistoryRefusal::EditNotFound { edit, count, .. })) = refused.refusal() else {
        panic!("{refused:?}")
    };
    assert_eq!((*edit, *count, code(&refused).as_str()), (3, 3, "EDIT_NOT_FOUND"));
    for (what, answer, text) in [
        (edits(1, &[1]), "OK", "# T\n\nA\n\nb\n\nC\n\nD\n"),
        (edits(1, &[1]), "HISTORY_NOT_FOUND", "# T\n\nA\n\nb\n\nC\n\nD\n"),
        (edits(1, &[1, 2]), "OK", "# T\n\nA\n\nb\n\nc\n\nD\n"),
        (edits(9, &[0]), "HISTORY_NOT_FOUND", "# T\n\nA\n\nb\n\nc\n\nD\n"),
        (ChangesOf::Person(person("anna")), "OK", "# T\n\na\n\nb\n\nc\n\nD\n"),
        (edits(1, &[0]), "HISTORY_NOT_FOUND", "# T\n\na\n\nb\n\nc\n\nD\n"),
        (ChangesOf::Person(person("anna")), "NOTHING_TO_UNDO", "# T\n\na\n\nb\n\nc\n\nD\n"),
    ] {
        assert_eq!(code(&party.undo("anna", what.clone())), answer, "{what:?}");
        assert_eq!(party.world.text(), text, "{what:?}");
        party.replay();
    }
    assert_eq!(party.stacks("anna").0, [0; 0]);
    for text in ["# T\n\nA\n\nb\n\nc\n\nD\n", "# T\n\nA\n\nb\n\nC\n\nD\n", "# T\n\nA\n\nB\n\nC\n\nD\n"] {
        assert_eq!(code(&party.redo("anna")), "OK");
        assert_eq!(party.world.text(), text);
    }
    // Nothing of the parts is left, so the whole goes back from under bert's.
    assert_eq!(code(&party.undo("anna", of("anna"))), "OK");
    assert_eq!(party.world.text(), TEXT.replace("d\n", "D\n"));
    // A change that is kept as two texts.
    let mut party = Party::with(TEXT, policy_with(|policy| policy.history.entry_bytes = 4));
    party.edit("anna", "# T\n\nA\n\nB\n\nC\n\nd\n");
    assert_eq!(code(&party.undo("anna", edits(1, &[0, 2]))), "OK");
    assert_eq!(party.world.text(), TEXT.replace("b\n", "B\n"));
    party.replay();
}

#[test]
fn turns_revisions_and_counts_select_fewer_changes() {
    let play = || {
        let mut party = Party::new(TEXT);
        party.replace("one", "a\n", "A\n");
        party.replace("one", "b\n", "B\n");
        party.replace("anna", "c\n", "C\n");
        party
    };
    let turns: Vec<Turn> = {
        let party = play();
        let history = party.world.engine.history(&party.world.canvas, None, 9, party.world.now());
        block_on(history).unwrap().iter().rev().map(|entry| entry.operation.turn).collect()
    };
    let turn = |turn| ChangeSelection::from(ChangesOf::Turn(conversation("one"), turn));
    let since = |name, number| ChangeSelection { since: Some(Revision::new(number).unwrap()), ..of(name) };
    for (what, text) in [
        (turn(turns[0]), Some("# T\n\na\n\nB\n\nC\n\nd\n")),
        (turn(turns[1]), Some("# T\n\nA\n\nb\n\nC\n\nd\n")),
        (turn(Turn::ZERO), None),
        (last("one", 1), Some("# T\n\nA\n\nb\n\nC\n\nd\n")),
        (last("one", 2), Some("# T\n\na\n\nb\n\nC\n\nd\n")),
        (last("one", 9), Some("# T\n\na\n\nb\n\nC\n\nd\n")),
        (since("one", 2), Some("# T\n\nA\n\nb\n\nC\n\nd\n")),
        (since("one", 1), Some("# T\n\na\n\nb\n\nC\n\nd\n")),
        (since("one", 3), None),
        (since("anna", 99), None),
        (of("two"), None),
        (of("bert"), None),
    ] {
        let mut party = play();
        let before = party.world.text();
        let expected = if text.is_some() { "OK" } else { "NOTHING_TO_UNDO" };
        assert_eq!(code(&party.undo("bert", what.clone())), expected, "{what:?}");
        assert_eq!(party.world.text(), text.unwrap_or(&before), "{what:?}");
    }
}

/// A model undoes only what it did itself, and nothing under a person's change.
#[test]
fn a_model_undoes_only_its_own() {
    let mut party = Party::new(TEXT);
    party.replace("anna", "a\n", "A\n");
    party.replace("two", "b\n", "B\n");
    party.replace("one", "c\n", "C\n");
    party.world.ask("one", SendMessage);
    let lease = party.world.check_out("one");
    let undo = |what: ChangeSelection| Undo {
        by: Author::Assistant { lease: Some(lease) },
        what: UndoScope::Select(what),
    };
    for what in [of("anna"), of("two"), ChangesOf::Change(ChangeNumber::new(1)).into()] {
        let refused = party.world.ask("one", undo(what));
        assert_eq!(code(&refused), "NOT_OWN_CHANGE");
    }
    assert_eq!(code(&party.world.ask("one", undo(of("one")))), "OK");
    assert_eq!(party.world.text(), "# T\n\nA\n\nB\n\nc\n\nd\n");
    party.replace("one", "d\n", "D\n");
    party.replace("anna", "D\n", "DD\n");
    party.world.ask("one", SendMessage);
    let lease = party.world.check_out("one");
    let undo = Undo { by: Author::Assistant { lease: Some(lease) }, what: UndoScope::Select(of("one")) };
    assert_eq!(code(&party.world.ask("one", undo)), "HISTORY_CONFLICT");
}

/// Each of 100 people changes lines of their own, in a random order.
fn hundred(count: u32) -> (World, Vec<usize>) {
    let mut lines: Vec<String> = (0..100).map(|line| format!("line {line}\n")).collect();
    let mut party = Party::new(&lines.concat());
    let (mut seed, mut order) = (1_u64, Vec::new());
    for number in 0..count {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let who = usize::try_from(seed >> 33).unwrap() % 100;
        lines[who] = format!("line {who}, {number}\n");
        assert_eq!(code(&party.by(&format!("p{who}"), Edit::overwrite(lines.concat()))), "OK");
        order.push(who);
    }
    (party.world, order)
}

/// The entries since the oldest of the changes are read in few rounds, and not many more.
#[test]
fn the_last_changes_of_one_of_many_people_are_few_round_trips() {
    let (world, order) = hundred(4_000);
    for who in [0, 17, 50, 99] {
        let since = order.iter().rev().enumerate().filter(|(_, one)| **one == who).nth(9).unwrap().0 + 1;
        let peer = world.peer();
        let call = CallId::new(&format!("undo {who}")).unwrap();
        let operation = OpKey::person(person(&format!("p{who}")), call);
        let what = UndoScope::Select(last(&format!("p{who}"), 10));
        let command = dynamic(Undo { by: Author::User, what });
        let undone = peer.run(&Call { operation, command }).outcome;
        assert_eq!(kinds(&undone).len(), 10);
        let (asked, read) = (peer.spy().asked().len(), peer.spy().read());
        assert!(asked <= 12, "{asked} round trips for {since} entries");
        assert!(read <= 2 * since + 100, "{read} blobs for {since} entries");
    }
}

/// What a random actor does. Lines carry the name of the actor who wrote them.
#[derive(Debug, Clone)]
enum Act {
    Insert(usize, prop::sample::Index),
    Remove(usize, prop::sample::Index),
    Undo(usize, usize, u32, bool),
    Redo(usize),
}

const NAMES: [&str; 4] = ["anna", "bert", "one", "two"];

fn act() -> impl Strategy<Value = Act> {
    let (who, at) = (0..NAMES.len(), any::<prop::sample::Index>());
    prop_oneof![
        6 => (who.clone(), at.clone()).prop_map(|(who, at)| Act::Insert(who, at)),
        2 => (who.clone(), at).prop_map(|(who, at)| Act::Remove(who, at)),
        // 0 means all changes of the actor.
        3 => (0..2_usize, who, 0..3_u32, any::<bool>()).prop_map(|(by, of, count, partial)| Act::Undo(by, of, count, partial)),
        3 => (0..2_usize).prop_map(Act::Redo),
    ]
}

fn lines_of_others(text: &str, name: &str) -> Vec<String> {
    let end = format!(" by {name}");
    text.split_inclusive('\n').filter(|line| !line.trim_end().ends_with(&end)).map(str::to_owned).collect()
}

/// Whether all lines of the first list occur in the second one, in order.
fn has_all(text: &[String], wanted: &[String]) -> bool {
    let mut lines = text.iter();
    wanted.iter().all(|line| lines.any(|other| other == line))
}

proptest! {
    /// Undo of one actor leaves every line of the others byte for byte, or is refused with its place and changes
    /// nothing. Undo and the redo after it restore the text.
    #[test]
    fn undo_of_one_leaves_the_lines_of_the_others(acts in prop::collection::vec(act(), 1..28)) {
        let mut party = Party::new("1\n2\n3\n4\n5\n6\n");
        let mut written = 0;
        for act in acts {
            let text = party.world.text();
            let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
            match act {
                Act::Insert(who, at) => {
                    written += 1;
                    lines.insert(at.index(lines.len() + 1), format!("{written} by {}\n", NAMES[who]));
                    party.edit(NAMES[who], &lines.concat());
                }
                Act::Remove(who, at) if !lines.is_empty() => {
                    lines.remove(at.index(lines.len()));
                    party.edit(NAMES[who], &lines.concat());
                }
                Act::Remove(..) => {}
                Act::Undo(by, of, count, partial) => {
                    let what = ChangeSelection { partial, ..last(NAMES[of], count) };
                    let before = party.world.head().journal().clone();
                    let undone = party.undo(NAMES[by], what);
                    match &undone {
                        Outcome::Refused(_) => {
                            let is_named = matches!(
                                undone.refusal(),
                                Some(Refusal::History(
                                    HistoryRefusal::HistoryConflict { .. } | HistoryRefusal::NothingToUndo
                                ))
                            );
                            prop_assert!(is_named && !(partial && code(&undone) == "HISTORY_CONFLICT"), "{undone:?}");
                            prop_assert_eq!(party.world.text(), text);
                            prop_assert_eq!(party.world.head().journal().clone(), before);
                        }
                        Outcome::Moved(moved) => {
                            let after = party.world.text();
                            let after: Vec<_> = after.split_inclusive('\n').map(str::to_owned).collect();
                            prop_assert!(has_all(&after, &lines_of_others(&text, NAMES[of])), "{text:?} {after:?}");
                            if !moved.entries.is_empty() {
                                prop_assert_eq!(code(&party.redo(NAMES[by])), "OK");
                                prop_assert_eq!(party.world.text(), text);
                                let again = party.undo(NAMES[by], ChangeSelection { partial, ..last(NAMES[of], count) });
                                prop_assert_eq!(code(&again), "OK");
                                prop_assert_eq!(party.world.text(), after.concat());
                            }
                        }
                        other => prop_assert!(false, "{other:?}"),
                    }
                }
                Act::Redo(who) => {
                    let redone = party.redo(NAMES[who]);
                    let is_ok = matches!(code(&redone).as_str(), "OK" | "NOTHING_TO_REDO" | "HISTORY_CONFLICT");
                    prop_assert!(is_ok, "{redone:?}");
                    if code(&redone) != "OK" {
                        prop_assert_eq!(party.world.text(), text);
                    }
                }
            }
        }
        party.replay();
    }
}
