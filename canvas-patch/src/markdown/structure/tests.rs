use proptest::prelude::*;

use super::*;
use crate::diff::apply::apply;
use crate::diff::delta::Delta;
use crate::diff::options::ApplyOptions;
use crate::markdown::address::Part;
use crate::markdown::outline::live_tests::{cases, changed, made, text_edit, whole};
use crate::strategies::hostile_markdown;

/// Checks the gains and losses between two texts. Headings are given as `#title@line`, followed by the changes in the
/// counts of items, fences and front matter.
#[track_caller]
fn check(before: &str, after: &str, gained: &[&str], lost: &[&str], counts: (isize, isize, isize)) {
    let change = LiveOutline::new(before.to_owned()).change(after, &[]);
    let shown = |headings: &[ChangedHeading]| -> Vec<String> {
        let show = |h: &ChangedHeading| format!("{}{}@{}", "#".repeat(h.level.into()), h.title, h.line);
        headings.iter().map(show).collect()
    };
    assert_eq!(shown(&change.headings_gained), gained, "{before:?} {after:?}");
    assert_eq!(shown(&change.headings_lost), lost, "{before:?} {after:?}");
    assert_eq!((change.items, change.fences, change.front_matter), counts, "{before:?} {after:?}");
}

#[test]
fn gains_and_losses() {
    check("# a\n", "# a\n", &[], &[], (0, 0, 0));
    check("# a\n\n# b\n", "# b\n\n# a\n", &[], &[], (0, 0, 0));
    check("# a\n# a\n", "# a\n", &[], &["#a@2"], (0, 0, 0));
    check("# a\n", "x\n\n## a\n", &["##a@3"], &["#a@1"], (0, 0, 0));
    check("# a\n\n- b\n", "# c\n\n- b\n  - d\n- e\n", &["#c@1"], &["#a@1"], (2, 0, 0));
    check("```\n# a\n```\n", "# a\n", &["#a@1"], &[], (0, -1, 0));
    check("a\n", "---\nb: c\n---\na\n", &[], &[], (0, 0, 1));
    check("---\nb: c\n---\na\n", "---\n\nb: c\n---\na\n", &["##b: c@3"], &[], (0, 0, -1));
    check("# [x]\n\n[x]: y\n", "# [x]\n\nx\n", &["#[x]@1"], &["#x@1"], (0, 0, 0));
}

/// Checks the code and line of the refusal by a strict policy. An empty code means that the policy allows the edit.
#[track_caller]
fn unintended(before: &str, after: &str, code: &str, line: usize) {
    let careful = EditPolicy { refuse_side_effects: true, ..EditPolicy::default() };
    for ending in ["\n", "\r\n"] {
        let (before, after) = (before.replace('\n', ending), after.replace('\n', ending));
        let result = LiveOutline::new(before.clone()).check_edit(&after, &[], &careful);
        let found = match &result {
            Ok(_) => ("", 0),
            Err(error) => (
                error.code(),
                match *error {
                    EditPolicyError::UnclosedFence { line }
                    | EditPolicyError::UnintendedHeading { line, .. }
                    | EditPolicyError::OutOfScope { line, .. }
                    | EditPolicyError::Protected { line, .. }
                    | EditPolicyError::SideEffect { line, .. } => line,
                    EditPolicyError::FrontMatter { .. } | EditPolicyError::Scope(_) => 0,
                },
            ),
        };
        assert_eq!(found, (code, line), "{before:?} {after:?} {result:?}");
        assert!(LiveOutline::new(before).check_edit(&after, &[], &EditPolicy::default()).is_ok());
    }
}

#[test]
fn unintended_changes() {
    let around = |text: &str| format!("# a\n\n{text}\n\n# z\n\n- i\n");
    let case =
        |before: &str, after: &str, code, line| unintended(&around(before), &around(after), code, line);
    // Intended changes pass.
    case("b", "c", "", 0);
    case("b", "## b\n\n- c\n\n```\nd\n```", "", 0);
    case("b", "c\n---", "", 0);
    case("b\n===", "b\n---", "", 0);
    case("b\n===", "b", "", 0);
    case("b", "b\n\n---", "", 0);
    case("- b\n- c", "- b\n- d\n- c", "", 0);
    case("- b", "- b\n  - c", "", 0);
    case("```\nb\n```", "```\nc\n```", "", 0);
    case("```\nb\n```", "", "", 0);
    case("> b", "> ```\n> b\n> ```", "", 0);
    // Fences that stay open.
    case("b", "```\nc", "UNCLOSED_FENCE", 3);
    case("```\nb\n```", "```\nb", "UNCLOSED_FENCE", 3);
    case("```\nb\n```", "````\nb\n```", "UNCLOSED_FENCE", 3);
    case("b\n```\nc\n```", "```\nb\n```\nc\n```", "UNCLOSED_FENCE", 7);
    unintended("b\n", "````\nc\n```\n", "UNCLOSED_FENCE", 1);
    unintended("b\n", "```\nc\n\n", "UNCLOSED_FENCE", 1);
    unintended("b\n", "```\nc\n````\n", "", 0);
    unintended("```\na\n", "```\na\nb\n", "", 0);
    unintended("a\n\n```\nb\n", "c\n\na\n\n```\nb\n", "", 0);
    // Underlines.
    case("b", "b\n---", "ACCIDENTAL_HEADING", 3);
    case("b\nc", "b\nc\n=", "ACCIDENTAL_HEADING", 3);
    case("---\n\nb", "c\n---\n\nb", "ACCIDENTAL_HEADING", 3);
    case("> b", "> b\n> ---", "ACCIDENTAL_HEADING", 3);
    // Blocks that contain other lines.
    case("b", "<!--", "STRUCTURE_SPILLED", 5);
    case("- b\n\n\n\n    - c", "\n\n    - c", "STRUCTURE_SPILLED", 5);
    case("b\n\n---", "b\n---", "ACCIDENTAL_HEADING", 3);
    // Front matter.
    unintended("---\n\na: b\n\n---\n", "---\nc: d\na: b\n\n---\n", "FRONT_MATTER_CHANGED", 0);
    unintended("---\na: b\n---\nc\n", "# d\n\n---\na: b\n---\nc\n", "FRONT_MATTER_CHANGED", 0);
    unintended("---\na: b\n---\nc\n", "c\n", "", 0);
    unintended("c\n", "---\na: b\n---\nc\n", "", 0);
    unintended("---\na: b\n---\nc\n", "---\na: d\n---\nc\n", "", 0);
}

#[test]
fn what_counts_as_touched_is_what_the_edits_say() {
    let (before, after) = ("```\n## b\n```\n", "```\n```\n## b\n```\n```\n");
    let edits = [text_edit(4, "", "```\n"), text_edit(9, "", "```\n")];
    let careful = EditPolicy { refuse_side_effects: true, ..EditPolicy::default() };
    let check = |edits| LiveOutline::new(before.to_owned()).check_edit(after, edits, &careful);
    assert_eq!(check(&edits).unwrap_err(), EditPolicyError::SideEffect { line: 3, is_now: true });
    assert!(check(&[]).is_ok());
}

/// Lists the touched lines of the old text, counted from 0, and the old number of each line of the new text, counted
/// from 1.
#[test]
fn edits_touch_whole_lines() {
    for (before, after, edits, touched, old_lines) in [
        ("abc\nd\n", "xbc\nd\n", &[(0..1, 0..1)][..], &[(0, 1)][..], &[None, Some(2)][..]),
        // Removing a line end touches the next line too, and inserting one splits a line.
        ("a\nb\nc\n", "ab\nc\n", &[(1..2, 1..1)], &[(0, 2)], &[None, Some(3)]),
        ("ab\nc\n", "a\nb\nc\n", &[(1..1, 1..2)], &[(0, 1)], &[None, None, Some(2)]),
        // Several edits in one line, the last of which may reach into other lines.
        ("abc\nd\n", "xby\nd\n", &[(0..1, 0..1), (2..3, 2..3)], &[(0, 1)], &[None, Some(2)]),
        ("abc\nd\ne\n", "x\nby\ne\n", &[(0..1, 0..2), (2..5, 3..4)], &[(0, 2)], &[None, None, Some(3)]),
        ("abcd", "xbyd", &[(0..1, 0..1), (2..3, 2..3)], &[(0, 1)], &[None]),
        // Edits in neighbouring lines.
        ("a\nb\n", "x\ny\n", &[(0..1, 0..1), (2..3, 2..3)], &[(0, 1), (1, 2)], &[None, None]),
        ("a\nb\n", "x\ny\nb\n", &[(0..1, 0..1), (2..2, 2..4)], &[(0, 1), (1, 1)], &[None, None, Some(2)]),
    ] {
        let changes: Vec<_> = edits.iter().cloned().map(|(old, new)| Changed { old, new }).collect();
        let found = Touched::of(before, after, &changes);
        let lines: Vec<_> = found.old().map(|lines| (lines.start, lines.end)).collect();
        assert_eq!(lines, touched, "{before:?} {after:?}");
        let found: Vec<_> = (1..=old_lines.len()).map(|line| found.old_line(line)).collect();
        assert_eq!(found, old_lines, "{before:?} {after:?}");
    }
}

#[test]
fn scopes() {
    let before = "a\nb\n\n\nc\nd\n";
    for (scope, after, line) in [
        ((2, 2), "a\nx\n\n\nc\nd\n", None),
        ((2, 2), "a\nb\nx\n\n\nc\nd\n", None),
        ((2, 2), "a\nb\n\n\nx\nc\nd\n", None),
        ((2, 2), "a\nb\n\nc\nd\n", None),
        ((2, 2), "a\n\n\nc\nd\n", None),
        ((2, 2), "a\nb\n\n\nc\nx\nd\n", Some(5)),
        ((2, 2), "a\nx\nb\n\n\nc\nd\n", Some(1)),
        ((2, 2), "x\nb\n\n\nc\nd\n", Some(1)),
        ((2, 2), "x\ny\n\n\nc\nd\n", Some(1)),
        ((2, 2), "a\nx\n\n\ny\nd\n", Some(5)),
        ((1, 1), "x\na\nb\n\n\nc\nd\n", None),
        ((1, 1), "ab\n\n\nc\nd\n", Some(2)),
        ((5, 6), "a\nb\n\n\nc\nd\nx\n", None),
        ((5, 6), "a\nb\n\n\nc\nd", None),
        ((5, 5), "a\nb\n\n\nc\nd", Some(6)),
        ((1, 6), "", None),
    ] {
        let scope = LineRange { start: scope.0, end: scope.1 };
        let address = Address::Lines { start: scope.start, end: scope.end };
        let policy = EditPolicy { scope: Some(address), ..EditPolicy::default() };
        let error = LiveOutline::new(before.to_owned()).check_edit(after, &[], &policy).err();
        let expected = line.map(|line| EditPolicyError::OutOfScope { line, scope });
        assert_eq!(error, expected, "{after:?}");
    }
}

#[test]
fn a_scope_is_any_address() {
    let before = "# A\n\na\n\n# B\n\n- b\n- c\n";
    let live = LiveOutline::new(before.to_owned());
    let section = |title: &str, part| {
        let path = vec![title.to_owned()];
        EditPolicy { scope: Some(Address::Section { path, ordinal: None, part }), ..EditPolicy::default() }
    };
    for (policy, after, code) in [
        (section("A", None), "# A\n\nx\n\n# B\n\n- b\n- c\n", ""),
        // Only the old lines of the section count, not its new ones.
        (section("A", None), "# A\n\na\n\n# C\n\n# B\n\n- b\n- c\n", ""),
        (section("B", None), "# A\n\nx\n\n# B\n\n- b\n- c\n", "OUT_OF_SCOPE"),
        (section("B", Some(Part::Item(vec![2]))), "# A\n\na\n\n# B\n\n- b\n- x\n", ""),
        (section("B", Some(Part::Item(vec![2]))), "# A\n\na\n\n# B\n\n- x\n- c\n", "OUT_OF_SCOPE"),
        (section("C", None), "# A\n", "ADDRESS_NOT_FOUND"),
    ] {
        let found = live.check_edit(after, Delta::between(before, after).edits(), &policy);
        assert_eq!(found.map_or_else(|error| error.code(), |_| ""), code, "{after:?}");
    }
}

#[test]
fn any_scope_is_answered() {
    for (start, end) in [(0, 0), (9, 2), (1, usize::MAX), (usize::MAX, usize::MAX)] {
        let scope = Some(Address::Lines { start, end });
        let policy = EditPolicy { scope, refuse_side_effects: true, ..EditPolicy::default() };
        for (before, after) in [("", "a"), ("a\n", ""), ("a\nb", "a\nc")] {
            let error = LiveOutline::new(before.to_owned()).check_edit(after, &[], &policy).unwrap_err();
            assert_eq!(error.code(), "ADDRESS_NOT_FOUND", "{start} {end} {before:?}");
        }
    }
}

/// Counts headings, items and fences with the parser alone.
fn counted(text: &str) -> (usize, isize, isize) {
    use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
    let body = &text[Lead::of(text).bytes..];
    let (mut headings, mut items, mut fences) = (0, 0, 0);
    for event in Parser::new_ext(
        body,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES,
    ) {
        match event {
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Start(Tag::Item) => items += 1,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => fences += 1,
            _ => {}
        }
    }
    (headings, items, fences)
}

/// Minimal edits and edits of whole lines give the same result.
#[test]
fn a_byte_order_mark_belongs_to_the_first_line() {
    let (with, without) = ("\u{feff}- ```\n", "- ```\n");
    let strict = EditPolicy { refuse_side_effects: true, ..EditPolicy::default() };
    for (before, after) in [(with, without), (without, with)] {
        for edits in [vec![text_edit(0, before, after)], vec![]] {
            let found = LiveOutline::new(before.to_owned()).check_edit(after, &edits, &strict);
            assert_eq!(found, Err(EditPolicyError::UnclosedFence { line: 1 }), "{before:?} {edits:?}");
        }
    }
    // An edit right after the mark belongs to the first line, even if it changes no text. An edit before the mark
    // touches no line.
    for (at, expected) in
        [(3, Err(EditPolicyError::UnclosedFence { line: 1 })), (0, Ok(StructureChange::default()))]
    {
        let edits = [text_edit(at, "", "")];
        assert_eq!(LiveOutline::new(with.to_owned()).check_edit(with, &edits, &strict), expected, "{at}");
    }
}

/// The heading between the edits is outside of them, so it is not a candidate.
#[test]
fn of_equal_headings_edits_tell_which_is_new() {
    let (before, after) = ("x\n\ny\n\n# a\n\nz\n\nq\n", "# a\n\nx\n\ny\n\n# a\n\nz\n\nqq\n");
    let applied =
        apply(before, "@@ -1 +1,3 @@\n+# a\n+\n x\n@@ -9 +11 @@\n-q\n+qq\n", &ApplyOptions::default());
    let delta = applied.expect("the patch fits").delta();
    for (edits, line) in [(delta.edits(), 1), (&[], 7)] {
        let expected = ChangedHeading { title: "a".to_owned(), level: 1, line };
        assert_eq!(LiveOutline::new(before.to_owned()).change(after, edits).headings_gained, [expected]);
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_part_tells_what_the_whole_does(before in hostile_markdown(), made in made()) {
        let (after, edits) = changed(&before, &made);
        let (live, fresh) = (LiveOutline::new(before.clone()), LiveOutline::new(after.clone()));
        let changes = changes(&before, &after, &edits);
        let part = Both::of(&live, &after, &changes);
        let (mut old, mut new) = (Vec::new(), Vec::new());
        add_entities(&before, whole(&live), &mut old);
        add_entities(&after, whole(&fresh), &mut new);
        let whole = Both { old, new, ..part };
        let part = Both::of(&live, &after, &changes);

        let touched = Touched::of(&before, &after, &changes);
        prop_assert_eq!(part.check_fences(&touched), whole.check_fences(&touched));
        prop_assert_eq!(part.check_underlines(&touched), whole.check_underlines(&touched));
        prop_assert_eq!(part.check_rest(&touched), whole.check_rest(&touched));

        let (change, expected) = (part.change(), whole.change());
        // Which of two equal headings counts as new may depend on the range compared.
        let titles = |headings: &[ChangedHeading]| {
            let mut titles: Vec<_> = headings.iter().map(|h| (h.level, h.title.clone())).collect();
            titles.sort();
            titles
        };
        prop_assert_eq!(titles(&change.headings_gained), titles(&expected.headings_gained));
        prop_assert_eq!(titles(&change.headings_lost), titles(&expected.headings_lost));
        let sections = |live: &LiveOutline| live.outline().sections().len();
        prop_assert_eq!(sections(&live) + change.headings_gained.len(), sections(&fresh) + change.headings_lost.len());
        // Around tables, the outline corrects the parser.
        let has_table = |text: &str| ["|", ":-", "-:"].iter().any(|sign| text.contains(sign));
        if !has_table(&before) && !has_table(&after) {
            let (was, is) = (counted(&before), counted(&after));
            prop_assert_eq!((change.items, change.fences), (is.1 - was.1, is.2 - was.2));
            prop_assert_eq!((sections(&live), sections(&fresh)), (was.0, is.0));
        }
    }

    #[test]
    fn untouched_lines_stay(before in hostile_markdown(), made in made()) {
        let (after, edits) = changed(&before, &made);
        let touched = Touched::of(&before, &after, &changes(&before, &after, &edits));
        let (old, new): (Vec<_>, Vec<_>) =
            (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
        for (at, line) in new.iter().enumerate() {
            if let Some(there) = touched.old_line(at + 1) {
                prop_assert_eq!(&old[there - 1], line);
                prop_assert_eq!(touched.new_line(there), Some(at + 1));
            }
        }
        let stay = (1..=old.len()).filter(|&line| touched.new_line(line).is_some()).count();
        let came = (1..=new.len()).filter(|&line| touched.old_line(line).is_some()).count();
        prop_assert_eq!(stay, came);
    }
}
