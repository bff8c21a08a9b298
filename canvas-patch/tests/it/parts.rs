//! Changes that wait, by example.

use canvas_patch::{Delta, PartState, Parts, critic_markup, redline};

fn proposed(document: &str, text: &str) -> Parts {
    let mut parts = Parts::default();
    parts.propose(document, text, &mut 0, None);
    parts
}

#[test]
fn an_edit_moves_a_part_or_makes_it_stale() {
    let line = "one two three four five\n";
    let cases = [
        // document, proposed, what another wrote, whether the part stays
        (line, "one two 3 four five\n", "1 two three four five\n", true),
        (line, "one two 3 four five\n", "one 2 three four five\n", false),
        (line, "one two 3 four five\n", "one two THREE four five\n", false),
        (line, "one two 3 four five\n", "one two three four five six\n", true),
        ("a\nb\nc\n", "a\nB\nc\n", "A\nb\nC\n", true),
        ("a\nb\nc\n", "a\nB\nc\n", "a\nnew\nb\nc\n", false),
        ("a\nb\nc\n", "a\nnew\nb\nc\n", "a\nB\nc\n", false),
        ("a\nb x y\nc\n", "a\nnew\nb x y\nc\n", "a\nb x Y\nc\n", true),
        ("a\nb\nc\n", "a\nnew\nb\nc\n", "A\nb\nc\n", true),
        ("a\nb\nc\n", "a\nnew\nb\nc\n", "a\nother\nb\nc\n", false),
        ("a\nb\nc\n", "a\nc\n", "a\nb\nC\n", false),
        ("a\nb\nc\n", "a\nc\n", "A\nb\nc\n", true),
        ("a\nb\nc\n", "a\nb\nc\nd\n", "a\nb\nC\n", true),
        ("a\n", "a\nb", "A\n", true),
        ("a", "a\nb", "A", false),
        ("", "a\n", "b\n", false),
    ];
    for (document, wanted, now, stays) in cases {
        let mut parts = proposed(document, wanted);
        let stale = parts.follow(document, &Delta::between(document, now), 1);
        assert_eq!(stale.is_empty(), stays, "{document:?} {wanted:?} {now:?}");
    }
}

#[test]
fn own_changes_join_parts_that_they_touch_or_border_on() {
    let document = "a\nb\nc\nd\ne\n";
    let (mut parts, mut last) = (proposed(document, "A\nb\nc\nD\ne\n"), 2);
    let ids = |parts: &Parts| parts.iter().map(|part| part.id().get()).collect::<Vec<_>>();
    assert_eq!(ids(&parts), [1, 2]);
    parts.propose(document, "A\nB\nc\nD\ne\n", &mut last, Some("two lines"));
    assert_eq!(ids(&parts), [1, 2]);
    let view = parts.iter().next().unwrap().view(document);
    assert_eq!((view.start_line, view.end_line, view.after.as_str()), (1, 2, "A\nB\n"));
    assert_eq!(view.reason.as_deref(), Some("two lines"));
    parts.propose(document, "A\nB\nC\nD\ne\n", &mut last, None);
    assert_eq!(ids(&parts), [1]);
    parts.propose(document, "a\nb\nc\nd\nE\n", &mut last, None);
    assert_eq!(ids(&parts), [1]);
    parts.propose(document, document, &mut last, None);
    assert!(parts.is_empty());
}

#[test]
fn views_have_exact_lines() {
    for (document, wanted, rows) in [
        ("a\r\nb\r\n", "a\r\nB\r\n", vec![(2, 2, "b\r\n", "B\r\n")]),
        ("a\nb\n", "a\nx\nb\n", vec![(2, 1, "", "x\n")]),
        ("a\nb\n", "b\n", vec![(1, 1, "a\n", "")]),
        ("a\nb\n", "a\nb\nc", vec![(3, 2, "", "c")]),
        ("a", "a\nb", vec![(1, 1, "a", "a\nb")]),
        ("", "a\n", vec![(1, 0, "", "a\n")]),
        ("a\n", "", vec![(1, 1, "a\n", "")]),
    ] {
        let parts = proposed(document, wanted);
        let views: Vec<_> = parts.iter().map(|part| part.view(document)).collect();
        let found: Vec<_> =
            views.iter().map(|v| (v.start_line, v.end_line, v.before.as_str(), v.after.as_str())).collect();
        assert_eq!(found, rows, "{document:?}");
    }
}

#[test]
fn a_part_is_revived_only_by_the_undo_of_the_change_that_made_it_stale() {
    let document = "a\nb\nc\nd\n";
    let mut parts = proposed(document, "a\nB\nc\nd\n");
    let other = "a\nbee\nc\nd\n";
    let change = Delta::between(document, other);
    assert_eq!(parts.follow(document, &change, 5).len(), 1);
    let elsewhere = "a\nbee\nc\nd\ne\n";
    parts.follow(other, &Delta::between(other, elsewhere), 6);
    let back = Delta::between(elsewhere, "a\nb\nc\nd\ne\n");
    let state = |parts: &Parts| parts.iter().next().unwrap().state();
    let mut wrong = parts.clone();
    wrong.follow_undo(elsewhere, &back, 7, &[6]);
    assert_eq!(state(&wrong), PartState::Stale);
    parts.follow_undo(elsewhere, &back, 7, &[5]);
    assert_eq!(
        (state(&parts), parts.proposed("a\nb\nc\nd\ne\n").as_str()),
        (PartState::Pending, "a\nB\nc\nd\ne\n")
    );
}

#[test]
fn a_redline_replaces_whole_sentences_and_whole_markup() {
    for (document, wanted, expected) in [
        ("Buy milk today.\n", "Buy oat milk today.\n", "Buy {++oat ++}milk today.\n"),
        (
            "One two. Three four.\n",
            "One two. All is new here.\n",
            "One two. {~~Three four.~>All is new here.~~}\n",
        ),
        (
            "See *the old* plan of the week.\n",
            "See *the new* plan of the week.\n",
            "See {~~*the old*~>*the new*~~} plan of the week.\n",
        ),
        (
            "See [a b](x) and all of the rest.\n",
            "See [a c](x) and all of the rest.\n",
            "See {~~[a b](x)~>[a c](x)~~} and all of the rest.\n",
        ),
        ("a\nb\n", "a\nnew\nb\n", "a\n{++new\n++}b\n"),
        ("a\nb\n", "b\n", "{--a\n--}b\n"),
    ] {
        let parts = proposed(document, wanted);
        let spans = redline(document, parts.iter().map(|part| (part.id(), part.edits())));
        assert_eq!(critic_markup(&spans), expected);
    }
}
