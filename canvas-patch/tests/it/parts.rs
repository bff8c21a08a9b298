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

#[test]
fn a_stale_part_is_listed_wherever_the_text_around_it_went() {
    for (now, then) in
        [("a\nbee\nc\n", "c\n"), ("a\nbee\nc\n", "a\n"), ("a\nbee\nc\n", ""), ("é\nbee\n", "ü\n")]
    {
        let document = "a\nb\nc\n";
        let mut parts = proposed(document, "a\nB\nc\n");
        parts.follow(document, &Delta::between(document, now), 1);
        parts.follow(now, &Delta::between(now, then), 2);
        let view = parts.iter().next().unwrap().view(then);
        assert_eq!((view.state, view.before.as_str(), view.after.as_str()), (PartState::Stale, "b\n", "B\n"));
        assert!(view.start_line <= 1 + then.lines().count(), "{view:?}");
    }
}

#[test]
fn a_line_break_beyond_another_edit_makes_parts_stale() {
    let document = "a b c d\nm\nw x y z\n";
    let mut parts = proposed(document, "A b c d\nm\nw x y zebra\n");
    let stale = parts.follow(document, &Delta::between(document, "a b C d m w X y z\n"), 1);
    assert_eq!(stale.len(), 2);
    let date = "on 2026-11-30 at 9\n";
    let mut parts = proposed(date, "on 2027-11-30 at 9\n");
    assert_eq!(parts.follow(date, &Delta::between(date, "on 2026-11-29 at 9\n"), 1).len(), 1);
}

#[test]
fn all_is_deleted_and_comes_back() {
    let document: String = (0..200).map(|n| format!("line {n} of many\n\n")).collect();
    let wanted = document.replace("of", "out of");
    let mut parts = proposed(&document, &wanted);
    let before = parts.clone();
    let change = Delta::between(&document, "");
    assert_eq!(parts.follow(&document, &change, 1).len(), 200);
    let held: usize = parts.iter().map(|part| part.len_bytes()).sum();
    assert!(held < 3 * wanted.len(), "{held}");
    parts.follow_undo("", &change.inverse(), 2, &[1]);
    assert_eq!(parts, before);
}

#[test]
fn parts_of_several_owners_share_a_line_of_a_redline() {
    let document = "a b c d e\n";
    let (one, two) = (proposed(document, "A b c d E\n"), proposed(document, "a b C d e\n"));
    let all = one.iter().chain(two.iter()).map(|part| (part.id(), part.edits()));
    assert_eq!(critic_markup(&redline(document, all)), "{~~a~>A~~} b {~~c~>C~~} d {~~e~>E~~}\n");
}

#[test]
fn parts_that_came_to_touch_are_joined_under_the_oldest_id() {
    let document = "a x\nb\nc d e\n";
    let mut parts = proposed(document, "A x\nb\nc d E\n");
    let now = "a x\nc d e\n";
    assert_eq!(parts.follow(document, &Delta::between(document, now), 1), []);
    let mut last = 2;
    parts.propose(now, "A x\nc D E\n", &mut last, None);
    let ids: Vec<_> = parts.iter().map(|part| part.id().get()).collect();
    assert_eq!((ids, parts.proposed(now).as_str(), last), (vec![1], "A x\nc D E\n", 2));
}

#[test]
fn a_line_of_a_megabyte_with_many_edits_ends() {
    let words: Vec<String> = (0..150_000).map(|n| format!("w{n}")).collect();
    let document = words.join(" ") + "\n";
    let change = |step: usize, mark: &str| {
        let changed = words.iter().enumerate().map(|(n, word)| match n % step {
            1 => format!("{word}{mark}"),
            _ => word.clone(),
        });
        changed.collect::<Vec<_>>().join(" ") + "\n"
    };
    let mut parts = proposed(&document, &change(1_000, "x"));
    let stale = parts.follow(&document, &Delta::between(&document, &change(700, "y")), 1);
    assert_eq!(stale.len(), parts.iter().count());
}
