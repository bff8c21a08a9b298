//! Whole lines, replaced by number under a hash of what they are.

use canvas_core::document::{
    ApplyPatch, LineSpan, LinesNow, LinesRefusal, RangeHash, ReplaceLines, Replacement,
};
use canvas_core::lease::LeaseId;
use canvas_core::text::{Limits, RepairKind};
use canvas_core::{Refusal, RevisionId};
use proptest::prelude::*;

use super::world::{Asked, World};
use crate::document::any::{Call, Command, Outcome, code, dynamic};
use crate::policy_with;

fn replace(lease: LeaseId, start: usize, end: usize, expect: &str, text: &str) -> Command {
    let replacement = Replacement { start, end, expect: RangeHash::of(expect), text: text.into() };
    dynamic(ReplaceLines { lease: Some(lease), replacements: vec![replacement], base: None, shown: None })
}

/// What a document becomes, or the code of the refusal. The hash is that of `expect`.
#[track_caller]
fn check(before: &str, (start, end): (usize, usize), expect: &str, text: &str, after: Result<&str, &str>) {
    let world = World::new(before);
    let lease = world.check_out("model");
    let outcome = world.ask("model", replace(lease, start, end, expect, text));
    let case = format!("{before:?} {start}..={end} by {text:?}: {outcome:?}");
    let expected = after.map_or_else(str::to_owned, |_| "OK".to_owned());
    assert_eq!(code(&outcome), expected, "{case}");
    assert_eq!(world.text(), after.unwrap_or(before), "{case}");
}

#[test]
fn lines_are_replaced_removed_and_inserted() {
    const TEXT: &str = "a\nb\nc\n";
    for (range, expect, text, after) in [
        ((2, 2), "b\n", "B\n", "a\nB\nc\n"),
        ((2, 2), "b\n", "B", "a\nB\nc\n"),
        ((2, 2), "b\n", "B\n\n", "a\nB\n\nc\n"),
        ((2, 2), "b\n", "\n", "a\n\nc\n"),
        ((1, 3), TEXT, "x\ny", "x\ny\n"),
        ((1, 2), "a\nb\n", "", "c\n"),
        ((3, 3), "c\n", "", "a\nb\n"),
        ((1, 3), TEXT, "", ""),
        // An insertion is guarded by the line above it, at the top by the one below.
        ((2, 1), "a\n", "x\ny\n", "a\nx\ny\nb\nc\n"),
        ((4, 3), "c\n", "x", "a\nb\nc\nx\n"),
        ((1, 0), "a\n", "x", "x\na\nb\nc\n"),
        // Lines that look like a patch are lines.
        (
            (2, 2),
            "b\n",
            "--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline at end of file\n",
            "a\n--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline at end of file\nc\n",
        ),
    ] {
        check(TEXT, range, expect, text, Ok(after));
    }
    check("", (1, 0), "", "a", Ok("a\n"));
    check("", (1, 0), "", "a\r\nb", Ok("a\r\nb\n"));
    check("-- a\n++ b\n@@ c\n", (1, 3), "-- a\n++ b\n@@ c\n", "x", Ok("x\n"));
}

#[test]
fn the_document_keeps_its_terminators_its_end_and_its_mark() {
    for (before, range, expect, text, after) in [
        ("a\r\nb\r\n", (2, 2), "b\r\n", "x\ny\n", "a\r\nx\r\ny\r\n"),
        ("a\nb\r\n", (1, 1), "a\n", "x\r\ny", "x\ny\nb\r\n"),
        ("a\nb\r\n", (3, 2), "b\r\n", "x", "a\nb\r\nx\r\n"),
        ("a\r\nb\n", (1, 0), "a\r\n", "x\n", "x\r\na\r\nb\n"),
        ("a\r\nb", (2, 2), "b", "x\ny\n", "a\r\nx\r\ny"),
        ("a\r\nb", (3, 2), "b", "x\ny\n", "a\r\nb\r\nx\r\ny"),
        ("a\nb", (2, 2), "b", "", "a\n"),
        ("a", (1, 1), "a", "x\r\ny\r\n", "x\r\ny"),
        ("a", (2, 1), "a", "x", "a\nx"),
        ("a\rb\r\n", (1, 1), "a\rb\r\n", "a\rc\n", "a\rc\r\n"),
        ("a\n", (1, 1), "a\n", "x\r", "x\n"),
        ("\u{feff}a\nb\n", (1, 1), "\u{feff}a\n", "x", "\u{feff}x\nb\n"),
        ("\u{feff}a\nb\n", (1, 1), "\u{feff}a\n", "\u{feff}x", "\u{feff}x\nb\n"),
        ("\u{feff}a\nb\n", (1, 1), "\u{feff}a\n", "", "\u{feff}b\n"),
        ("\u{feff}a\nb\n", (1, 0), "\u{feff}a\n", "x", "\u{feff}x\na\nb\n"),
        ("\u{feff}a", (1, 1), "\u{feff}a", "", "\u{feff}"),
        ("\u{feff}", (1, 1), "\u{feff}", "a", "\u{feff}a\n"),
        ("\0🦀\n", (1, 1), "\0🦀\n", "🦀\0", "🦀\0\n"),
    ] {
        check(before, range, expect, text, Ok(after));
    }
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    const TEXT: &str = "a\nb\nc";
    for (range, expect, text, refused) in [
        // The hash binds the bytes, terminators included, and nothing else.
        ((2, 2), "b", "x", "PATCH_REJECTED/CONTENT_CHANGED"),
        ((2, 2), "b\r\n", "x", "PATCH_REJECTED/CONTENT_CHANGED"),
        ((2, 2), "a\n", "x", "PATCH_REJECTED/CONTENT_CHANGED"),
        ((2, 3), "b\n", "x", "PATCH_REJECTED/CONTENT_CHANGED"),
        ((2, 1), "b\n", "x", "PATCH_REJECTED/CONTENT_CHANGED"),
        ((2, 1), "", "x", "PATCH_REJECTED/CONTENT_CHANGED"),
        ((1, 0), "", "x", "PATCH_REJECTED/CONTENT_CHANGED"),
        ((2, 2), "b\n", "b", "PATCH_REJECTED/NO_EFFECT"),
        ((3, 3), "c", "c\n", "PATCH_REJECTED/NO_EFFECT"),
        ((2, 1), "a\n", "", "PATCH_REJECTED/NO_EFFECT"),
        ((1, 3), TEXT, "a\r\nb\r\nc", "PATCH_REJECTED/NO_EFFECT"),
        ((4, 4), "", "x", "INVALID_RANGE"),
        ((3, 4), "c", "x", "INVALID_RANGE"),
        ((5, 4), "", "x", "INVALID_RANGE"),
        ((3, 1), "", "x", "INVALID_RANGE"),
        ((0, 0), "", "x", "INVALID_RANGE"),
        ((0, 1), "", "x", "INVALID_RANGE"),
        ((0, usize::MAX), "", "x", "INVALID_RANGE"),
        ((usize::MAX, usize::MAX - 1), "", "x", "INVALID_RANGE"),
    ] {
        check(TEXT, range, expect, text, Err(refused));
    }
    check("", (1, 1), "", "x", Err("INVALID_RANGE"));
    check("", (2, 1), "", "x", Err("INVALID_RANGE"));
    check("", (1, 0), "a", "x", Err("PATCH_REJECTED/CONTENT_CHANGED"));
    check("", (1, 0), "", "", Err("PATCH_REJECTED/NO_EFFECT"));
    check("a\n", (2, 2), "", "x", Err("INVALID_RANGE"));
}

#[test]
fn changes_are_reported_in_lines() {
    let world = World::new("a\r\nb\r\nc\r\n");
    let lease = world.check_out("model");
    let Outcome::Applied(applied) = world.ask("model", replace(lease, 2, 2, "b\r\n", "x\ny\n")) else {
        panic!("nothing is in the way");
    };
    assert_eq!(applied.summary.to_string(), "+2 −1, 1 hunk");
    assert_eq!(applied.spans, [LineSpan { start_line: 2, end_line: 3 }]);
    assert_eq!(
        applied.repairs.iter().map(|repair| repair.kind).collect::<Vec<_>>(),
        [RepairKind::EolAdapted]
    );
    assert_eq!(applied.revision, world.snapshot().revision_id());
    let Outcome::Applied(applied) = world.ask("model", replace(lease, 2, 3, "x\r\ny\r\n", "")) else {
        panic!("nothing is in the way");
    };
    assert_eq!((applied.spans, applied.repairs), (vec![LineSpan { start_line: 2, end_line: 1 }], vec![]));
}

/// The lines as they are now: all of them with their hash, or what fits of them without.
#[test]
fn a_wrong_hash_is_answered_with_the_lines() {
    let lines = |start_line, end_line, text: &str, truncated| LinesNow {
        start_line,
        end_line,
        text: text.into(),
        truncated,
        range_hash: (!truncated).then(|| RangeHash::of(text)),
        named_line: None,
    };
    let policy = policy_with(|policy| policy.sync.refusal_diff_bytes = 6);
    for (before, range, expected) in [
        ("a\nb\nc\n", (1, 2), lines(1, 2, "a\nb\n", false)),
        ("a\nb\nc\n", (1, 3), lines(1, 3, "a\nb\nc\n", false)),
        ("a\nb\nc\nd\n", (1, 4), lines(1, 3, "a\nb\nc\n", true)),
        ("a\nb\ncd\n", (1, 3), lines(1, 2, "a\nb\n", true)),
        ("a\nüüüüü\n", (2, 2), lines(2, 2, "üüü", true)),
        ("🦀🦀\n", (1, 1), lines(1, 1, "🦀", true)),
        ("a\nb\n", (2, 1), lines(1, 1, "a\n", false)),
        ("a\nb\n", (1, 0), lines(1, 1, "a\n", false)),
        ("", (1, 0), lines(1, 0, "", false)),
    ] {
        let world = World::with(before, policy);
        let lease = world.check_out("model");
        let refused = world.ask("model", replace(lease, range.0, range.1, "no such lines", "x"));
        let Some(Refusal::Lines(LinesRefusal::ContentChanged { lines, .. })) = refused.refusal() else {
            panic!("{refused:?}")
        };
        assert_eq!(*lines, expected);
        let Some(hash) = expected.range_hash else { continue };
        let replacement = Replacement { start: range.0, end: range.1, expect: hash, text: "x".into() };
        let again = world.ask(
            "model",
            ReplaceLines { lease: Some(lease), replacements: vec![replacement], base: None, shown: None },
        );
        assert_eq!(code(&again), "OK", "{before:?}");
    }
}

/// Lease, base and sizes stand before it as before a patch.
#[test]
fn it_stands_under_the_lease_and_the_base() {
    let first = World::new("a\nb\n");
    let base = |base: &str, lease| match replace(lease, 1, 1, "a\n", "x") {
        Command::ReplaceLines(ReplaceLines { lease, replacements, .. }) => dynamic(ReplaceLines {
            lease,
            replacements,
            base: Some(base.parse::<RevisionId>().unwrap().into()),
            shown: None,
        }),
        other => other,
    };
    let lease = first.check_out("model");
    assert_eq!(code(&first.ask("other", replace(lease, 1, 1, "a\n", "x"))), "LOCK_NOT_OWNED");
    first.edit("a\nc\n");
    assert_eq!(code(&first.ask("model", replace(lease, 1, 1, "a\n", "x"))), "STALE_EPOCH");

    let world = World::new("a\nb\n");
    world.edit("a\nc\n");
    let lease = world.check_out("model");
    // The line is the same, the document is not: whoever has not seen that is refused.
    assert_eq!(code(&world.ask("model", base("r1-00000000", lease))), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(code(&world.ask("model", base("r9-00000000", lease))), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(code(&world.ask("model", base("r2-00000000", lease))), "OK");
    world.clock.wait(15_000);
    assert_eq!(code(&world.ask("model", replace(lease, 1, 1, "x\n", "y"))), "LEASE_EXPIRED");
    let unread = dynamic(ReplaceLines { lease: None, replacements: Vec::new(), base: None, shown: None });
    assert_eq!(code(&world.ask("model", unread)), "LOCK_NOT_OWNED");
    assert_eq!(world.text(), "x\nc\n");

    let small = |policy| {
        let world = World::with("a\nb\n", policy);
        let lease = world.check_out("model");
        code(&world.ask("model", replace(lease, 2, 2, "b\n", "0123456789")))
    };
    assert_eq!(small(policy_with(|policy| policy.document.bytes = 12)), "DOCUMENT_TOO_LARGE");
    assert_eq!(small(policy_with(|policy| policy.document.bytes = 13)), "OK");
    let patch = Limits { patch_bytes: 16, ..Limits::default() };
    assert_eq!(small(policy_with(|policy| policy.document.patch = patch)), "PATCH_REJECTED/TOO_LARGE");
}

#[test]
fn a_retry_is_answered_from_the_receipt() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    let done = world.fresh("model", replace(lease, 1, 1, "a\n", "x"));
    let refused = world.fresh("model", replace(lease, 1, 1, "nothing", "y"));
    let reported = [world.run(&done).outcome, world.run(&refused).outcome];
    assert_eq!(reported.each_ref().map(code), ["OK", "PATCH_REJECTED/CONTENT_CHANGED"]);
    world.edit("a\nb\n");
    world.spy().asked();
    for (call, outcome) in [&done, &refused].into_iter().zip(&reported) {
        let again = world.run(call);
        assert_eq!((&again.outcome, again.replayed), (outcome, true));
    }
    assert!(!world.spy().asked().contains(&Asked::Commit));
    assert_eq!(world.text(), "a\nb\n");
    // The same id for any other lines is another call.
    let other = |start, end, expect, text| replace(lease, start, end, expect, text);
    for command in [
        other(2, 1, "a\n", "x"),
        other(1, 2, "a\n", "x"),
        other(1, 1, "b\n", "x"),
        other(1, 1, "a\n", "x\n"),
        dynamic(ApplyPatch {
            lease: Some(lease),
            patch: "@@\n-a\n+x\n".into(),
            base: None,
            scope: None,
            shown: None,
        }),
    ] {
        let reused = Call { operation: done.operation.clone(), command };
        assert_eq!(code(&world.run(&reused).outcome), "CALL_ID_REUSED", "{reused:?}");
    }
}

/// What a model of lines with their terminators would do.
fn reference(text: &str, start: usize, end: usize, new: &str) -> String {
    fn split(text: &str) -> Vec<(&str, &str)> {
        let parts = text.split_inclusive('\n').map(|line| {
            let content = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
            (content, &line[content.len()..])
        });
        parts.collect()
    }
    let (mark, body) = text.split_at(if text.starts_with('\u{feff}') { 3 } else { 0 });
    let marked_range = !mark.is_empty() && start == 1;
    let new = if marked_range { new.strip_prefix('\u{feff}').unwrap_or(new) } else { new };
    let lines = split(body);
    // A text of nothing but the mark is one line of no content.
    let end = end.min(lines.len());
    let open = lines.last().is_some_and(|(_, terminator)| terminator.is_empty());
    let above = lines[..end].iter().rev().map(|line| line.1).find(|terminator| !terminator.is_empty());
    let below = lines[end..].iter().map(|line| line.1).find(|terminator| !terminator.is_empty());
    let wanted = above.or(below);
    let added: Vec<_> = split(new)
        .into_iter()
        .map(|(content, own)| {
            let content =
                if own.is_empty() { content.strip_suffix('\r').unwrap_or(content) } else { content };
            let own = match own {
                "" if new.ends_with("\r") => "\r\n",
                "" => "\n",
                own => own,
            };
            (content, wanted.unwrap_or(own))
        })
        .collect();
    let mut after = [&lines[..(start - 1).min(lines.len())], &added, &lines[end..]].concat();
    if open && !added.is_empty() && end == lines.len() {
        let last = added.last().unwrap().1;
        for line in &mut after {
            if line.1.is_empty() {
                line.1 = last;
            }
        }
        after.last_mut().unwrap().1 = "";
    }
    after.iter().fold(mark.to_owned(), |text, (content, terminator)| text + content + terminator)
}

fn text() -> impl Strategy<Value = String> {
    // Content that a diff or a document could take for something else.
    let line = prop_oneof![
        3 => Just("a"),
        3 => Just(""),
        1 => Just("-- b"),
        1 => Just("++ b"),
        1 => Just("@@ -1 +1 @@"),
        1 => Just("\\ No newline at end of file"),
        1 => Just("\rc"),
        1 => Just("🦀\0"),
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r\r\n")];
    let lines = prop::collection::vec((line, end), 0..6);
    (prop::bool::weighted(0.2), lines, any::<bool>()).prop_map(|(mark, lines, ends)| {
        let mut text = if mark { "\u{feff}".to_owned() } else { String::new() };
        text.extend(lines.iter().flat_map(|(line, end)| [*line, *end]));
        if !ends && text.ends_with('\n') {
            text.pop();
        }
        text
    })
}

proptest! {
    /// Any lines by any others, and their neighbours are untouched.
    #[test]
    fn a_replacement_does_what_a_model_of_lines_does(
        before in text(),
        new in text(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let total = before.split_inclusive('\n').count();
        let start = 1 + from.index(total + 1);
        let end = start - 1 + to.index(total + 2 - start);
        let lines: Vec<&str> = before.split_inclusive('\n').collect();
        let guard = if end < start { start.saturating_sub(2)..(start - 1).max(1).min(total) } else { start - 1..end };
        let world = World::new(&before);
        let lease = world.check_out("model");
        let outcome = world.ask("model", replace(lease, start, end, &lines[guard].concat(), &new));
        let expected = reference(&before, start, end, &new);
        let same = if expected == before { "PATCH_REJECTED/NO_EFFECT" } else { "OK" };
        prop_assert_eq!(code(&outcome), same, "{:?}", outcome);
        prop_assert_eq!(world.text(), expected);
    }

    /// Several ranges at once, in any order, are one after the other from the last to the first.
    #[test]
    fn several_replacements_are_one_after_the_other(
        before in text(),
        cuts in prop::collection::vec((0_usize..3, 0_usize..3, text()), 1..4),
        backwards in any::<bool>(),
    ) {
        let lines: Vec<&str> = before.split_inclusive('\n').collect();
        let (mut next, mut replacements) = (1, Vec::new());
        for (gap, count, new) in cuts {
            let (start, end) = (next + gap, next + gap + count - 1);
            if start > lines.len() + 1 || end > lines.len() {
                break;
            }
            let guard = if end < start { start.saturating_sub(2)..end.max(1).min(lines.len()) } else { start - 1..end };
            let expect = RangeHash::of(&lines[guard].concat());
            replacements.push(Replacement { start, end, expect, text: new });
            next = end + 1 + usize::from(end < start);
        }
        // What is put behind a mark alone becomes its line, and the first terminator of a text decides for later ones.
        if replacements.is_empty() || !before.contains('\n') {
            return Ok(());
        }
        let expected = replacements.iter().rev().fold(before.clone(), |text, Replacement { start, end, text: new, .. }| {
            reference(&text, *start, *end, new)
        });
        if backwards {
            replacements.reverse();
        }
        let world = World::new(&before);
        let lease = world.check_out("model");
        let outcome = world.ask("model", ReplaceLines { lease: Some(lease), replacements, base: None, shown: None });
        match code(&outcome).as_str() {
            "OK" => prop_assert_eq!(world.text(), expected),
            "PATCH_REJECTED/NO_EFFECT" => prop_assert_eq!(before, expected),
            // A last line without a terminator goes with what is inserted behind it, and a first line with a mark that loses
            // its text with the next one.
            "PATCH_REJECTED/OVERLAP" => {
                let is_joined = !before.ends_with('\n') || before.starts_with('\u{feff}');
                prop_assert!(is_joined, "{before:?}");
                prop_assert_eq!(world.text(), before);
            }
            other => prop_assert!(false, "{other}: {outcome:?}"),
        }
    }
}
