//! Edits as values: there and back, and past one another.

use canvas_patch::{ApplyOptions, Delta, DeltaConflict, Rebase, TextEdit, apply, build};
use proptest::prelude::*;

fn delta(edits: &[(usize, &str, &str)]) -> Delta {
    let one = |&(at, old, new): &(usize, &str, &str)| TextEdit { at, old: old.into(), new: new.into() };
    Delta::try_from(edits.iter().map(one).collect::<Vec<_>>()).expect("they are in order")
}

/// One edit after another, and the first moved past the second.
#[test]
fn edits_move_past_each_other_where_they_do_not_touch() {
    for (own, later, expected) in [
        // Before, after, between.
        (vec![(4, "b", "x")], vec![(0, "a", "aa")], Ok("aabcdxfgh")),
        (vec![(0, "a", "x")], vec![(7, "h", "")], Ok("xbcdefg")),
        (vec![(0, "a", ""), (7, "h", "")], vec![(3, "d", "DD")], Ok("bcDDefg")),
        // Bordering.
        (vec![(2, "cd", "")], vec![(4, "", "+")], Ok("ab+efgh")),
        (vec![(2, "cd", "")], vec![(2, "", "+")], Ok("ab+efgh")),
        (vec![(2, "cd", "x")], vec![(0, "ab", "y")], Ok("yxefgh")),
        (vec![(2, "", "x")], vec![(2, "cd", "y")], Ok("abxyefgh")),
        (vec![(4, "", "x")], vec![(2, "cd", "y")], Ok("abyxefgh")),
        // Two that come to border on each other.
        (vec![(1, "b", "x"), (3, "d", "y")], vec![(2, "c", "")], Ok("axyefgh")),
        (vec![(1, "b", ""), (3, "", "b"), (7, "h", "")], vec![(2, "c", "")], Ok("abdefg")),
        // In each other's way.
        (vec![(2, "cd", "x")], vec![(3, "de", "y")], Err(3)),
        (vec![(2, "cd", "x")], vec![(2, "c", "")], Err(2)),
        (vec![(2, "", "x")], vec![(2, "", "y")], Err(2)),
        (vec![(3, "", "x")], vec![(2, "cd", "y")], Err(3)),
        (vec![(2, "cd", "y")], vec![(3, "", "x")], Err(3)),
        (vec![(0, "a", "x"), (5, "f", "")], vec![(3, "d", ""), (5, "f", "g")], Err(5)),
    ] {
        let text = if own[0] == (4, "b", "x") { "abcdbfgh" } else { "abcdefgh" };
        let (own, later) = (delta(&own), delta(&later));
        let now = later.apply(text).unwrap();
        let moved = own.transform(&later);
        if let Ok(moved) = &moved {
            let edits = Vec::from(moved.clone());
            assert_eq!(Delta::try_from(edits).as_ref(), Ok(moved), "{own:?} past {later:?}");
        }
        let moved = moved.map(|moved| moved.apply(&now).unwrap());
        assert_eq!(
            moved,
            expected.map(str::to_owned).map_err(|at| DeltaConflict { at }),
            "{own:?} past {later:?}"
        );
    }
}

/// What a later change has done too is left out, as long as nothing comes near it afterwards.
#[test]
fn a_rebase_leaves_out_what_was_done_already() {
    for (own, later, expected) in [
        // All of it, a part, one beside others.
        (vec![(2, "cd", "x")], vec![vec![(2, "cd", "x")]], Ok("abxefgh")),
        (vec![(2, "cd", ""), (6, "g", "y")], vec![vec![(2, "cd", "")]], Ok("abefyh")),
        (vec![(2, "", "x"), (6, "", "y")], vec![vec![(2, "", "x"), (4, "e", "")]], Ok("abxcdfygh")),
        (vec![(0, "a", "x"), (7, "h", "")], vec![vec![(0, "a", "x"), (7, "h", "")]], Ok("xbcdefg")),
        // One by one, and what lies before has moved it.
        (vec![(2, "c", "x"), (4, "e", "y")], vec![vec![(4, "e", "y")], vec![(2, "c", "x")]], Ok("abxdyfgh")),
        (
            vec![(4, "e", "y"), (7, "h", "")],
            vec![vec![(0, "a", "aaa")], vec![(6, "e", "y")]],
            Ok("aaabcdyfg"),
        ),
        // More or less than that, and something else at the same place.
        (vec![(2, "cd", "x")], vec![vec![(2, "c", "x")]], Err((0, 2))),
        (vec![(2, "c", "x")], vec![vec![(2, "cd", "x")]], Err((0, 2))),
        (vec![(2, "", "x")], vec![vec![(2, "", "xx")]], Err((0, 2))),
        // A change after that: away from it, or touching it in some way.
        (vec![(2, "c", "x")], vec![vec![(2, "c", "x")], vec![(0, "a", ""), (4, "e", "")]], Ok("bxdfgh")),
        (vec![(2, "c", "x")], vec![vec![(2, "c", "x")], vec![(2, "x", "c")]], Err((1, 2))),
        (vec![(2, "c", "")], vec![vec![(2, "c", "")], vec![(2, "", "c")]], Err((1, 2))),
        (vec![(2, "c", "")], vec![vec![(2, "c", "")], vec![(1, "b", "yc")]], Err((1, 2))),
        (vec![(2, "c", "x")], vec![vec![(2, "c", "x")], vec![(3, "d", "")]], Err((1, 3))),
        (
            vec![(2, "c", "x")],
            vec![vec![(2, "c", "x")], vec![(0, "a", "aa")], vec![(3, "x", "y")]],
            Err((2, 3)),
        ),
        (
            vec![(6, "g", "x"), (0, "a", "x")],
            vec![vec![(6, "g", "x")], vec![(0, "a", "x")], vec![(6, "x", "")]],
            Err((2, 6)),
        ),
    ] {
        let mut own = own;
        own.sort_unstable();
        let mut text = "abcdefgh".to_owned();
        let mut rebase = Ok(Rebase::new(delta(&own)));
        for (index, later) in later.iter().map(|later| delta(later)).enumerate() {
            text = later.apply(&text).unwrap();
            rebase = rebase.and_then(|rebase| rebase.past(&later).map_err(|e| (index, e.at)));
        }
        let after = rebase.map(|rebase| rebase.into_delta().apply(&text).unwrap());
        assert_eq!(after, expected.map(str::to_owned), "{own:?} past {later:?}");
    }
}

#[test]
fn an_edit_fits_only_its_own_text() {
    let edit = delta(&[(1, "b", "x"), (3, "", "y")]);
    for (text, expected) in [
        ("abc", Ok("axcy")),
        ("abcd", Ok("axcyd")),
        ("acc", Err(1)),
        ("ab", Err(3)),
        ("", Err(1)),
        ("éb", Err(1)),
        ("abé", Err(3)),
    ] {
        assert_eq!(edit.apply(text).map_err(|e| e.at), expected.map(str::to_owned), "{text:?}");
    }
    assert_eq!(Delta::default().apply("é"), Ok("é".to_owned()));
}

#[test]
fn len_bytes_counts_what_is_removed_and_inserted() {
    for (edits, bytes) in
        [(&[][..], 0), (&[(1, "", "é")], 2), (&[(1, "abc", "")], 3), (&[(1, "é", "xyz"), (9, "b", "")], 6)]
    {
        assert_eq!(delta(edits).len_bytes(), bytes, "{edits:?}");
    }
}

/// What comes from a store may be anything.
#[test]
fn edits_are_checked() {
    let one = |at, old: &str, new: &str| TextEdit { at, old: old.into(), new: new.into() };
    for (edits, fault) in [
        (vec![one(0, "a", "b"), one(2, "a", "b")], None),
        (vec![one(0, "a", "b"), one(1, "a", "b")], Some(1)),
        (vec![one(2, "a", "b"), one(0, "a", "b")], Some(1)),
        (vec![one(0, "a", "a")], Some(0)),
        (vec![one(0, "", "a"), one(0, "", "b")], Some(1)),
        (vec![one(usize::MAX, "a", "b")], Some(0)),
        (vec![one(usize::MAX - 1, "", "bcd")], Some(0)),
        (vec![one(0, "", "bcd"), one(usize::MAX - 1, "a", "")], Some(1)),
        (vec![one(0, "bcd", ""), one(isize::MAX as usize - 1, "a", "")], None),
        (vec![one(0, "", "bcd"), one(isize::MAX as usize - 1, "a", "")], Some(1)),
    ] {
        let delta = Delta::try_from(edits.clone());
        assert_eq!(delta.as_ref().err().map(|e| e.index), fault, "{edits:?}");
        if let Ok(delta) = delta {
            assert_eq!(Delta::try_from(Vec::from(delta.inverse())), Ok(delta.inverse()));
        }
    }
}

/// Lines of few kinds, so that edits meet.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("a\n"), Just("b\r\n"), Just("é\n"), Just("\n"), Just("longer line\n")];
    let last = prop_oneof![3 => Just(""), 1 => Just("end")];
    (prop::collection::vec(line, 0..12), last).prop_map(|(lines, last)| lines.concat() + last)
}

#[test]
fn errors_have_codes() {
    let [one, other] = [delta(&[(0, "a", "b")]), delta(&[(0, "a", "c")])];
    let (mismatch, conflict) = (one.apply("x").unwrap_err(), one.transform(&other).unwrap_err());
    let order =
        Delta::try_from(vec![TextEdit { at: 0, old: String::new(), new: String::new() }]).unwrap_err();
    assert_eq!(mismatch.code(), "DELTA_MISMATCH");
    assert_eq!(conflict.code(), "DELTA_CONFLICT");
    assert_eq!(order.code(), "DELTA_ORDER");
}

proptest! {
    #[test]
    fn there_and_back(before in text(), after in text()) {
        let edit = Delta::between(&before, &after);
        prop_assert_eq!(edit.is_empty(), before == after);
        prop_assert_eq!(edit.apply(&before), Ok(after.clone()));
        prop_assert_eq!(edit.inverse().apply(&after), Ok(before.clone()));
        let mut reverted = after.clone();
        prop_assert_eq!(edit.revert(&mut reverted), Ok(()));
        prop_assert_eq!(&reverted, &before);
        prop_assert_eq!(&edit.inverse().inverse(), &edit);
        if let Ok(applied) = apply(&before, &build(&before, &after, 3), &ApplyOptions::default()) {
            prop_assert_eq!(applied.delta(), edit);
        }
    }

    /// In place or not, on the text that a change has led to and on any other.
    #[test]
    fn a_revert_is_the_inverse_applied(before in text(), after in text(), other in text()) {
        let edit = Delta::between(&before, &after);
        for text in [&before, &after, &other] {
            let expected = edit.inverse().apply(text);
            let mut reverted = text.clone();
            prop_assert_eq!(edit.revert(&mut reverted), expected.clone().map(drop));
            prop_assert_eq!(&reverted, expected.as_ref().unwrap_or(text));
        }
    }

    /// Whichever comes first, the text is the same.
    #[test]
    fn two_deltas_commute_or_conflict(text in text(), a in text(), b in text()) {
        let (a, b) = (Delta::between(&text, &a), Delta::between(&text, &b));
        let (past_b, past_a) = (a.transform(&b), b.transform(&a));
        prop_assert_eq!(past_b.is_err(), past_a.is_err());
        if let (Ok(past_b), Ok(past_a)) = (past_b, past_a) {
            let ab = past_a.apply(&a.apply(&text).unwrap());
            prop_assert!(ab.is_ok());
            prop_assert_eq!(ab, past_b.apply(&b.apply(&text).unwrap()));
        } else {
            let edits = |edit: &Delta| edit.edits().iter().map(TextEdit::range).collect::<Vec<_>>();
            let meet = edits(&a).iter().any(|x| {
                edits(&b).iter().any(|y| x.start <= y.end && y.start <= x.end)
            });
            prop_assert!(meet, "{:?} and {:?} lie apart", a, b);
        }
    }
}

proptest! {
    /// Past changes that have nothing in common with it, a rebase is one transformation after the other.
    #[test]
    fn a_rebase_transforms(text in text(), own in text(), later in prop::collection::vec(text(), 1..4)) {
        let own = Delta::between(&text, &own);
        let (mut transformed, mut rebase, mut now) = (Ok(own.clone()), Ok(Rebase::new(own)), text);
        for after in later {
            let later = Delta::between(&now, &after);
            let in_common = transformed.iter().any(|own: &Delta| {
                own.edits().iter().any(|one| later.edits().contains(one))
            });
            prop_assume!(!in_common);
            transformed = transformed.and_then(|own| own.transform(&later));
            rebase = rebase.and_then(|rebase| rebase.past(&later));
            now = after;
        }
        prop_assert_eq!(rebase.map(Rebase::into_delta), transformed);
    }

    /// What is left of a change beside one that has a part of it is the rest, moved past that one.
    #[test]
    fn a_rebase_past_a_part_leaves_the_rest(
        text in text(),
        own in text(),
        other in text(),
        picked in prop::collection::vec(any::<bool>(), 12),
    ) {
        let own = Delta::between(&text, &own);
        let (part, rest): (Vec<_>, Vec<_>) =
            own.edits().iter().cloned().zip(picked).partition(|(_, picked)| *picked);
        let edits = |picked: Vec<(TextEdit, bool)>| picked.into_iter().map(|(one, _)| one);
        let rest = Delta::try_from(edits(rest).collect::<Vec<_>>()).unwrap();
        // The part among edits of somebody else that lie away from it.
        let other = Delta::between(&text, &other);
        let apart = |one: &&TextEdit| {
            own.edits().iter().all(|own| one.range().end < own.at || own.range().end < one.at)
        };
        let mut theirs: Vec<_> = edits(part).chain(other.edits().iter().filter(apart).cloned()).collect();
        theirs.sort_by_key(|one| one.at);
        let theirs = Delta::try_from(theirs).unwrap();

        let rebased = Rebase::new(own).past(&theirs).map(Rebase::into_delta);
        prop_assert_eq!(&rebased, &rest.transform(&theirs));
        prop_assert!(rebased.is_ok());
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_delta_is_stored_as_its_edits() {
    let edit = delta(&[(1, "b", "x\n"), (9, "", "y")]);
    let json = serde_json::to_string(&edit).unwrap();
    assert_eq!(json, r#"[{"at":1,"old":"b","new":"x\n"},{"at":9,"old":"","new":"y"}]"#);
    assert_eq!(serde_json::from_str::<Delta>(&json).unwrap(), edit);
    let refused = serde_json::from_str::<Delta>(r#"[{"at":1,"old":"b","new":"b"}]"#).unwrap_err();
    assert!(refused.to_string().contains("edit 0 is out of order"), "{refused}");
}
