//! Laws of undo by actor. `PROPTEST_CASES` is the number of histories.

use canvas_core::history::{ChangeNumber, ChangeSelection, ChangesOf, HistoryRefusal};
use canvas_core::{Policy, Refusal};
use proptest::prelude::*;

use super::any::{Outcome, code};
use super::party::{Party, edits, last};
use crate::policy_with;

/// What a random actor does. Lines carry the name of the actor who wrote them.
#[derive(Debug, Clone)]
enum Act {
    /// Inserts lines at one place or two.
    Insert(usize, prop::sample::Index, Option<prop::sample::Index>),
    Remove(usize, prop::sample::Index),
    Undo(usize, usize, u32, bool),
    /// Undoes a change, or one of its edits.
    Part(usize, prop::sample::Index, Option<u32>),
    Redo(usize),
}

const NAMES: [&str; 4] = ["anna", "bert", "one", "two"];

fn act() -> impl Strategy<Value = Act> {
    let (who, at) = (0..NAMES.len(), any::<prop::sample::Index>());
    prop_oneof![
        6 => (who.clone(), at.clone(), prop::option::of(any::<prop::sample::Index>()))
            .prop_map(|(who, at, other)| Act::Insert(who, at, other)),
        2 => (who.clone(), at).prop_map(|(who, at)| Act::Remove(who, at)),
        // 0 means all changes of the actor.
        3 => (0..2_usize, who, 0..3_u32, any::<bool>()).prop_map(|(by, of, count, partial)| Act::Undo(by, of, count, partial)),
        2 => (0..2_usize, any::<prop::sample::Index>(), prop::option::of(0..2_u32))
            .prop_map(|(by, change, edit)| Act::Part(by, change, edit)),
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
    fn undo_of_one_leaves_the_lines_of_the_others(
        acts in prop::collection::vec(act(), 1..28),
        // With the second, an entry for two lines keeps both texts.
        entry_bytes in prop_oneof![3 => Just(Policy::default().history.entry_bytes), 1 => Just(16)],
    ) {
        let policy = policy_with(|policy| policy.history.entry_bytes = entry_bytes);
        let mut party = Party::with("1\n2\n3\n4\n5\n6\n", policy);
        let mut written = 0;
        for act in acts {
            let text = party.world.text();
            let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
            match act {
                Act::Insert(who, at, other) => {
                    for at in std::iter::once(at).chain(other) {
                        written += 1;
                        lines.insert(at.index(lines.len() + 1), format!("{written} by {}\n", NAMES[who]));
                    }
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
                Act::Part(by, change, edit) => {
                    let change = change.index(usize::try_from(party.world.head().journal().entries).unwrap() + 1) as u64;
                    let what = match edit {
                        Some(edit) => edits(change, &[edit]),
                        None => ChangesOf::Change(ChangeNumber::new(change)),
                    };
                    let undone = party.undo(NAMES[by], what);
                    match code(&undone).as_str() {
                        "OK" => {
                            prop_assert_eq!(code(&party.redo(NAMES[by])), "OK");
                            prop_assert_eq!(party.world.text(), text);
                        }
                        "HISTORY_CONFLICT" | "HISTORY_NOT_FOUND" | "EDIT_NOT_FOUND" | "NOTHING_TO_UNDO" => {
                            prop_assert_eq!(party.world.text(), text);
                        }
                        _ => prop_assert!(false, "{undone:?}"),
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
