//! Sequences of edits, undos and redos by several people, as tables.

use canvas_core::Policy;
use canvas_core::history::{ChangeNumber, ChangeSelection, ChangesOf, EntryKind};

use super::any::{Outcome, code};
use super::party::{Party, edits, kinds, last, of};
use crate::policy_with;

/// A paragraph for each letter.
fn paragraphs(letters: &str) -> String {
    letters.chars().map(|letter| format!("{letter}\n\n")).collect::<String>().trim_end().to_owned() + "\n"
}

/// Plays lines of the form `who does | answer | text`, on paragraphs from a to h. A text is written without blank
/// lines. The ways to act are
///
/// * `a>A`: change paragraphs in one edit;
/// * `undo #2`, `undo #2/0`: undo a change, or an edit of it;
/// * `undo 1`, `undo all`, `undo some`: undo the last changes of the person, all, or as many as still apply;
/// * `redo`: redo the person's last undo.
///
/// An answer has the kinds and the changes of the new entries, or is a code. An edit has none.
fn play(policy: Policy, script: &str) -> Party {
    let mut party = Party::with(&paragraphs("abcdefgh"), policy);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let parts: Vec<_> = line.split('|').map(str::trim).collect();
        let [act, expected, text] = parts[..] else { panic!("{line}") };
        let (who, act) = act.split_once(' ').expect(line);
        let selected = |what: &str| match what.strip_prefix('#').map(|change| change.split_once('/')) {
            Some(Some((change, edit))) => edits(change.parse().unwrap(), &[edit.parse().unwrap()]).into(),
            Some(None) => ChangesOf::Change(ChangeNumber::new(what[1..].parse().unwrap())).into(),
            None => match what {
                "all" => of(who),
                "some" => ChangeSelection { partial: true, ..of(who) },
                count => last(who, count.parse().unwrap()),
            },
        };
        let answer = match act.split_once(' ') {
            Some(("undo", what)) => short(&party.undo(who, selected(what))),
            None if act == "redo" => short(&party.redo(who)),
            _ => {
                let mut text = party.world.text();
                for change in act.split(' ') {
                    let (old, new) = change.split_once('>').expect(line);
                    assert!(text.contains(&format!("{old}\n")), "{line}");
                    text = text.replacen(&format!("{old}\n"), &format!("{new}\n"), 1);
                }
                party.edit(who, &text);
                String::new()
            }
        };
        assert_eq!(answer, expected, "{line}");
        assert_eq!(party.world.text().split_whitespace().collect::<String>(), text, "{line}");
        party.replay();
    }
    party
}

fn short(outcome: &Outcome) -> String {
    let Outcome::Moved(_) = outcome else { return code(outcome) };
    let name = |kind| match kind {
        EntryKind::Undo => "undo",
        EntryKind::Redo => "redo",
        EntryKind::Revert => "revert",
        other => panic!("{other:?} is no undo"),
    };
    let moved: Vec<_> =
        kinds(outcome).into_iter().map(|(kind, change)| format!("{} {change}", name(kind))).collect();
    moved.join(", ")
}

/// Keeps both texts instead of edits if a change replaces two paragraphs or more.
fn large() -> Policy {
    policy_with(|policy| policy.history.entry_bytes = 7)
}

#[test]
fn an_undo_that_was_undone_and_redone_is_in_effect_once() {
    play(
        Policy::default(),
        "bert h>H                | | abcdefgH
         anna a>A e>E            | | AbcdEfgH
         anna undo #2/0 | revert 2 | abcdEfgH
         bert g>G                | | abcdEfGH
         bert undo #3/0 | EDIT_NOT_FOUND | abcdEfGH
         bert undo #3   | revert 3 | AbcdEfGH
         bert redo      | redo 3   | abcdEfGH
         anna undo 1    | revert 2 | abcdefGH
         anna undo 1    | NOTHING_TO_UNDO | abcdefGH
         anna redo      | revert 7 | abcdEfGH
         bert undo all  | revert 4, revert 1 | abcdEfgh",
    );
    play(
        Policy::default(),
        "anna a>A       | | Abcdefgh
         bert g>G       | | AbcdefGh
         anna undo 1    | revert 1 | abcdefGh
         carl h>H       | | abcdefGH
         bert undo #3   | revert 3 | AbcdefGH
         bert redo      | redo 3   | abcdefGH
         anna redo      | redo 1   | AbcdefGH
         bert redo      | NOTHING_TO_REDO | AbcdefGH
         anna undo 1    | undo 1   | abcdefGH",
    );
}

#[test]
fn a_redone_change_whose_edits_are_all_undone_is_undone() {
    for policy in [Policy::default(), large()] {
        play(
            policy,
            "anna h>H       | | abcdefgH
             anna a>A e>E   | | AbcdEfgH
             bert g>G       | | AbcdEfGH
             anna undo 1    | revert 2 | abcdefGH
             anna redo      | redo 2   | AbcdEfGH
             anna undo #2/0 | revert 2 | abcdEfGH
             anna undo #2/1 | revert 2 | abcdefGH
             anna undo #2/1 | HISTORY_NOT_FOUND | abcdefGH
             anna undo #2   | HISTORY_NOT_FOUND | abcdefGH
             anna undo 1    | revert 1 | abcdefGh
             anna redo      | redo 1   | abcdefGH
             anna redo      | revert 7 | abcdEfGH
             anna redo      | revert 6 | AbcdEfGH
             anna undo 2    | revert 1, revert 2 | abcdefGh",
        );
    }
}

#[test]
fn redo_takes_the_undo_of_its_person_though_another_is_next() {
    play(
        Policy::default(),
        "bert b>B    | | aBcdefgh
         anna a>A    | | ABcdefgh
         anna undo 1 | undo 2 | aBcdefgh
         bert undo 1 | undo 1 | abcdefgh
         anna redo   | redo 2 | Abcdefgh
         bert redo   | redo 1 | ABcdefgh
         anna redo   | NOTHING_TO_REDO | ABcdefgh
         bert redo   | NOTHING_TO_REDO | ABcdefgh",
    );
}

#[test]
fn changes_kept_as_two_texts_are_undone_and_redone() {
    play(
        large(),
        "anna b>B       | | aBcdefgh
         anna a>AA e>EE | | AABcdEEfgh
         anna undo 1    | undo 2 | aBcdefgh
         anna undo 1    | undo 1 | abcdefgh
         anna redo      | redo 1 | aBcdefgh
         anna redo      | redo 2 | AABcdEEfgh
         anna redo      | NOTHING_TO_REDO | AABcdEEfgh
         bert d>DD h>HH | | AABcDDEEfgHH
         anna undo 2    | revert 2, revert 1 | abcDDefgHH
         anna redo      | redo 1, redo 2 | AABcDDEEfgHH
         bert undo #7/0 | revert 7 | AABcdEEfgHH
         anna undo all  | revert 2, revert 1 | abcdefgHH
         bert undo all  | revert 7 | abcdefgh
         bert redo      | revert 15 | abcdefgHH
         anna redo      | redo 1, redo 2 | AABcdEEfgHH
         bert c>C       | | AABCdEEfgHH
         carl undo #2/1 | revert 2 | AABCdefgHH
         carl undo #2/0 | revert 2 | aBCdefgHH
         anna undo 1    | revert 1 | abCdefgHH
         anna undo 1    | NOTHING_TO_UNDO | abCdefgHH",
    );
}

/// The list of buttons agrees with what undo takes.
#[test]
fn a_change_kept_as_two_texts_leaves_the_stack_with_its_last_edit() {
    let party = play(
        large(),
        "anna a>AA e>EE | | AAbcdEEfgh
         bert g>G       | | AAbcdEEfGh
         anna undo #1/1 | revert 1 | AAbcdefGh
         anna undo #1/0 | revert 1 | abcdefGh",
    );
    assert_eq!(party.stacks("anna"), (vec![], vec![4, 3]));
}

/// A moved line is in its old place again if another person removes what it was moved past.
#[test]
fn undo_skips_changes_without_effect() {
    let start = "a\nb\nc\nd\ne\n";
    let mut party = Party::new(start);
    party.edit("anna", "a\nb\nc\nd\nE\n");
    party.edit("anna", "a\nb\nc\nD\nE\n");
    party.edit("anna", "a\nc\nD\nb\nE\n");
    party.edit("bert", "a\nb\nE\n");
    assert_eq!(short(&party.undo("anna", last("anna", 1))), "HISTORY_CONFLICT");
    assert_eq!(party.world.text(), "a\nb\nE\n");
    let mut party = Party::new(start);
    party.edit("anna", "a\nb\nc\nd\nE\n");
    party.edit("anna", "a\nc\nd\nb\nE\n");
    party.edit("bert", "a\nb\nE\n");
    let before = party.world.text();
    for round in 0..3 {
        // A redo is the newest change, until another follows.
        let expected = if round == 0 { "revert 1" } else { "undo 1" };
        assert_eq!(short(&party.undo("anna", last("anna", 1))), expected, "{round}");
        assert_eq!(party.world.text(), "a\nb\ne\n");
        assert_eq!(code(&party.undo("anna", last("anna", 1))), "NOTHING_TO_UNDO");
        assert_eq!(short(&party.redo("anna")), "redo 1");
        assert_eq!(party.world.text(), before);
        // However many are asked for, those without effect do not count.
        assert_eq!(short(&party.undo("anna", last("anna", 2))), "revert 1");
        assert_eq!(short(&party.redo("anna")), "redo 1");
    }
    assert_eq!(short(&party.undo("anna", of("anna"))), "revert 1");
    assert_eq!(code(&party.undo("anna", ChangesOf::Change(ChangeNumber::new(2)))), "NOTHING_TO_UNDO");
    assert_eq!(short(&party.undo("bert", last("bert", 1))), "revert 3");
    party.replay();
}

#[test]
fn redo_skips_undos_without_effect() {
    let mut party = Party::new("a\nb\nc\nd\ne\n");
    party.edit("anna", "a\nc\nd\nb\ne\n");
    party.edit("anna", "a\nc\nd\nb\nE\n");
    assert_eq!(short(&party.undo("anna", last("anna", 1))), "undo 2");
    assert_eq!(short(&party.undo("anna", last("anna", 1))), "undo 1");
    party.edit("bert", "a\nb\ne\n");
    assert_eq!(short(&party.redo("anna")), "redo 2");
    assert_eq!(party.world.text(), "a\nb\nE\n");
    assert_eq!(code(&party.redo("anna")), "NOTHING_TO_REDO");
    assert_eq!(short(&party.undo("anna", last("anna", 1))), "undo 2");
    party.replay();
}

#[test]
fn a_partial_undo_that_undoes_nothing_changes_nothing() {
    let mut party = play(
        Policy::default(),
        "anna a>A | | Abcdefgh
         bert A>B | | Bbcdefgh",
    );
    let before = party.world.head();
    assert_eq!(short(&party.undo("anna", ChangeSelection { partial: true, ..of("anna") })), "");
    let after = party.world.head();
    assert_eq!(after.revision_id(), before.revision_id());
    assert_eq!((after.draft(), after.journal()), (before.draft(), before.journal()));
    assert_eq!(after.lock().epoch(), before.lock().epoch());
}

/// A search that finds fewer changes than it is asked for ends at its limit.
#[test]
fn fewer_changes_than_steps_are_undone_within_the_limit_of_the_search() {
    // Searches 64 entries.
    let mut party = Party::with(&paragraphs("abcdefgh"), policy_with(|policy| policy.history.reach = 1));
    party.replace("anna", "a\n", "A\n");
    let many = |party: &mut Party| {
        for round in 0..64 {
            let (old, new) = if round % 2 == 0 { ("h\n", "H\n") } else { ("H\n", "h\n") };
            party.replace("bert", old, new);
        }
    };
    many(&mut party);
    assert_eq!(code(&party.undo("anna", last("anna", 1))), "HISTORY_TOO_DEEP");
    party.replace("anna", "b\n", "B\n");
    party.replace("bert", "g\n", "G\n");
    assert_eq!(code(&party.undo("anna", of("anna"))), "HISTORY_TOO_DEEP");
    assert_eq!(short(&party.undo("anna", last("anna", 9))), "revert 66");
    assert_eq!(code(&party.undo("carl", last("carl", 1))), "HISTORY_TOO_DEEP");
    party.replay();
}

/// The undo has all that redo needs.
#[test]
fn a_change_is_redone_although_it_is_no_longer_kept() {
    let policy = policy_with(|policy| policy.history.changes = 4);
    play(
        policy,
        "anna a>A    | | Abcdefgh
         bert g>G    | | AbcdefGh
         anna undo 1 | revert 1 | abcdefGh
         bert h>H    | | abcdefGH
         bert f>F    | | abcdeFGH
         bert e>E    | | abcdEFGH
         anna redo   | redo 1 | AbcdEFGH
         bert d>D    | | AbcDEFGH
         anna undo 1 | revert 1 | abcDEFGH",
    );
}
