//! Undo and redo of the changes of one of several actors.

use canvas_core::document::Edit;
use canvas_core::history::{
    ChangeNumber, ChangeSelection, ChangesOf, EntryKind, HistoryRefusal, Undo, UndoScope,
};
use canvas_core::lease::Turn;
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{Author, CallId, OpKey, Refusal, Revision};

use super::any::{Call, Outcome, code, dynamic};
use super::party::{Party, conversation, edits, kinds, last, of, person};
use super::world::World;
use crate::policy_with;

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
