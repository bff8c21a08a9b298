//! Two edits of one text, merged by lines and words.

use std::collections::BTreeMap;

use canvas_patch::strategies::hostile_markdown;
use canvas_patch::{Delta, MergeCause, MergeConflict, Merged, MergedLine, merge_words};
use proptest::prelude::*;

/// Merges both ways, and returns the result of the first, with insertions at one place if `may_follow`.
#[track_caller]
fn merged(base: &str, mine: &str, theirs: &str) -> Result<(String, Vec<MergedLine>), MergeConflict> {
    let one = |mine, theirs: &str| {
        let Merged { delta, lines } = merge_words(base, mine, theirs, |_| false)?;
        Ok((delta.apply(theirs).expect("the delta is of their text"), lines))
    };
    let (there, back) = (one(mine, theirs), one(theirs, mine));
    let text = |merged: &Result<(String, Vec<MergedLine>), _>| {
        merged.as_ref().map(|(text, _)| text.clone()).map_err(|conflict: &MergeConflict| conflict.line)
    };
    assert_eq!(text(&there), text(&back), "{base:?} {mine:?} {theirs:?}");
    there
}

/// A base, mine and theirs, and the expected result.
type Case = (&'static str, &'static str, &'static str, Result<&'static str, MergeCause>);

#[track_caller]
fn check(cases: &[Case]) {
    for (base, mine, theirs, expected) in cases {
        let found = merged(base, mine, theirs).map(|(text, _)| text).map_err(|conflict| conflict.cause);
        assert_eq!(found.as_deref(), expected.as_ref().copied(), "{base:?}\n{mine:?}\n{theirs:?}");
    }
}

const TOUCHING: MergeCause = MergeCause::Touching;
const BLOCK: MergeCause = MergeCause::Block;
const MARKUP: MergeCause = MergeCause::Markup;

#[test]
fn words_of_one_line_are_merged() {
    check(&[
        ("one two three\n", "ONE two three\n", "one two THREE\n", Ok("ONE two THREE\n")),
        ("one two three", "ONE two three", "one two THREE", Ok("ONE two THREE")),
        // Insertions and removals, at both ends too.
        ("one two three\n", "zero one two three\n", "one two three four\n", Ok("zero one two three four\n")),
        ("one two three four\n", "two three four\n", "one two three\n", Ok("two three\n")),
        ("one two three\n", "one two three.\n", "One two three\n", Ok("One two three.\n")),
        // Neighbours, and one place.
        ("one two three\n", "ONE two three\n", "one TWO three\n", Err(TOUCHING)),
        ("one two three\n", "ONE two three\n", "One two three\n", Err(TOUCHING)),
        ("one two three\n", "one two a three\n", "one two b three\n", Err(TOUCHING)),
        ("one two three\n", "one a two three\n", "one TWO three\n", Err(TOUCHING)),
        ("one two three\n", "one\n", "one two THREE\n", Err(TOUCHING)),
        ("one, two\n", "ONE, two\n", "one, TWO\n", Err(TOUCHING)),
        // Both did the same, once with more beside it.
        ("one two three\n", "ONE two three\n", "ONE two three\n", Ok("ONE two three\n")),
        ("one two three\n", "ONE two three\n", "ONE two THREE\n", Ok("ONE two THREE\n")),
        ("one two three\n", "one\n", "one\n", Ok("one\n")),
        // Blocks.
        ("# one two three\n", "# ONE two three\n", "# one two THREE\n", Ok("# ONE two THREE\n")),
        ("one two three\n===\n", "ONE two three\n===\n", "one two THREE\n===\n", Ok("ONE two THREE\n===\n")),
        ("- one two three\n", "- ONE two three\n", "- one two THREE\n", Ok("- ONE two THREE\n")),
        ("1. one two three\n", "1. ONE two three\n", "1. one two THREE\n", Ok("1. ONE two THREE\n")),
        ("> > one two three\n", "> > ONE two three\n", "> > one two THREE\n", Ok("> > ONE two THREE\n")),
        ("- [ ] one two\n", "- [x] one two\n", "- [ ] one TWO\n", Ok("- [x] one TWO\n")),
        ("one two three\n", "# one two three\n", "one two THREE\n", Ok("# one two THREE\n")),
        // Line ends, other scripts.
        ("one two three\r\n", "ONE two three\r\n", "one two THREE\r\n", Ok("ONE two THREE\r\n")),
        ("é ü ñ\n", "É ü ñ\n", "é ü Ñ\n", Ok("É ü Ñ\n")),
        ("我们，今天，去\n", "他们，今天，去\n", "我们，今天，来\n", Ok("他们，今天，来\n")),
        ("我们今天去\n", "他们今天去\n", "我们今天来\n", Err(TOUCHING)),
        ("🙂 a b 🙂\n", "🙃 a b 🙂\n", "🙂 a b 🙁\n", Ok("🙃 a b 🙁\n")),
        ("👩‍🚀👩‍🚀\n", "👨‍🚀👩‍🚀\n", "👩‍🚀👨‍🚀\n", Err(TOUCHING)),
        (
            "one two three  \nfour\n",
            "ONE two three  \nfour\n",
            "one two three\nfour\n",
            Ok("ONE two three\nfour\n"),
        ),
        ("one two three\n", "one two three  \n", "ONE two three\n", Ok("ONE two three  \n")),
        (
            "\u{feff}one two three\n",
            "\u{feff}ONE two three\n",
            "\u{feff}one two THREE\n",
            Ok("\u{feff}ONE two THREE\n"),
        ),
        // A number or a date is one word.
        ("1.234.567\n", "2.234.567\n", "1.234.568\n", Err(TOUCHING)),
        ("on 2026-11-30 at 9\n", "on 2027-11-30 at 9\n", "on 2026-11-29 at 9\n", Err(TOUCHING)),
        ("on 2026-11-30 at 9\n", "on 2027-11-30 at 9\n", "on 2026-11-30 at 8\n", Ok("on 2027-11-30 at 8\n")),
    ]);
}

#[test]
fn lines_stay_exact_outside_of_prose() {
    check(&[
        ("```\none two three\n```\n", "```\nONE two three\n```\n", "```\none two THREE\n```\n", Err(BLOCK)),
        ("    one two three\n", "    ONE two three\n", "    one two THREE\n", Err(BLOCK)),
        (
            "---\na: one two three\n---\n",
            "---\na: ONE two three\n---\n",
            "---\na: one two THREE\n---\n",
            Err(BLOCK),
        ),
        (
            "<div>\none two three\n</div>\n",
            "<div>\nONE two three\n</div>\n",
            "<div>\none two THREE\n</div>\n",
            Err(BLOCK),
        ),
        (
            "|a|b|\n|-|-|\n|one two|three|\n",
            "|a|b|\n|-|-|\n|ONE two|three|\n",
            "|a|b|\n|-|-|\n|one two|THREE|\n",
            Err(BLOCK),
        ),
        ("[a]: b 'one two three'\n", "[a]: b 'ONE two three'\n", "[a]: b 'one two THREE'\n", Err(BLOCK)),
        ("[a]: /one/two/three\n", "[a]: /ONE/two/three\n", "[a]: /one/two/THREE\n", Err(BLOCK)),
        ("[^a]: one two three\n", "[^a]: ONE two three\n", "[^a]: one two THREE\n", Err(BLOCK)),
        // Line breaks.
        ("one two three\n", "ONE two three\n", "one two\nthree\n", Err(TOUCHING)),
        (
            "one two three four\nfive\n",
            "ONE two three four\nfive\n",
            "one two three four five\n",
            Err(TOUCHING),
        ),
        // A block of neither.
        ("a one two three\n", "- a one two three\n", "a one two\n", Ok("- a one two\n")),
    ]);
}

#[test]
fn markup_is_that_of_one_of_both() {
    check(&[
        // Inside of one emphasis, code span and link text.
        ("*one two three*\n", "*ONE two three*\n", "*one two THREE*\n", Ok("*ONE two THREE*\n")),
        ("`one two three`\n", "`ONE two three`\n", "`one two THREE`\n", Ok("`ONE two THREE`\n")),
        ("[one two three](u)\n", "[ONE two three](u)\n", "[one two THREE](u)\n", Ok("[ONE two THREE](u)\n")),
        ("a [b](u) c d\n", "A [b](u) c d\n", "a [b](u) c D\n", Ok("A [b](u) c D\n")),
        ("a *b* c d\n", "a b c d\n", "a *b* c D\n", Ok("a b c D\n")),
        ("a b c d\n", "a **b** c d\n", "a b c D\n", Ok("a **b** c D\n")),
        ("a b c d\n", "`a` b c d\n", "a b c `d`\n", Ok("`a` b c `d`\n")),
        // Delimiters that find one another.
        ("a b c d\n", "*a b c d\n", "a b c d*\n", Err(MARKUP)),
        ("a b c d\n", "`a b c d\n", "a b c d`\n", Err(MARKUP)),
        ("a b c d\n", "[a b c d\n", "a b c d](u)\n", Err(MARKUP)),
        ("x a b c d\n", "x <a b c d\n", "x a b c d>\n", Err(MARKUP)),
        ("a b c d\n", "<a b c d\n", "a b c d>\n", Err(BLOCK)),
        ("a b *c* d\n", "`a b *c* d\n", "a b *c* d`\n", Err(MARKUP)),
        ("a *b* c\n", "a *b c\n", "A *b* c\n", Ok("A *b c\n")),
        ("x a *b* c\n", "x a *b c\n", "X a *b* c\n", Ok("X a *b c\n")),
        // A delimiter of mine loses its end.
        ("w x *b* y z\n", "*w x b* y z\n", "w x *b y z\n", Err(MARKUP)),
        // A destination of neither.
        ("[a](/one/two/three)\n", "[a](/ONE/two/three)\n", "[a](/one/two/THREE)\n", Err(MARKUP)),
        ("<http://one/two/three>\n", "<http://ONE/two/three>\n", "<http://one/two/THREE>\n", Err(MARKUP)),
    ]);
}

#[test]
fn lines_merged_by_words_are_reported() {
    let (base, mine, theirs) = ("x\n\none two three\n", "x\n\nONE two three\n", "new\nx\n\none two THREE\n");
    let (text, lines) = merged(base, mine, theirs).unwrap();
    assert_eq!(text, "new\nx\n\nONE two THREE\n");
    let line = |line, mine: &str, theirs: &str, now: &str| MergedLine {
        line,
        mine: mine.into(),
        theirs: theirs.into(),
        now: now.into(),
    };
    assert_eq!(lines, [line(4, "ONE two three", "one two THREE", "ONE two THREE")]);
    // By line alone.
    assert_eq!(merged("a\nb\n", "A\nb\n", "a\nB\n").unwrap(), ("A\nB\n".into(), vec![]));
}

#[test]
fn insertions_at_one_place_are_kept_if_they_may_follow() {
    let (base, mine, theirs) = ("a\nz\n", "a\nm\nz\n", "a\nt\nu\nz\n");
    let mut asked = Vec::new();
    let merged = merge_words(base, mine, theirs, |range| {
        asked.push(theirs[range].to_owned());
        true
    });
    assert_eq!(merged.unwrap().delta.apply(theirs).unwrap(), "a\nt\nu\nm\nz\n");
    assert_eq!(asked, ["t\nu\n"]);
    // Both insert the last line, which may lack its end in mine alone.
    let last = merge_words("a\n", "a\nm", "a\nt\n", |_| true).unwrap();
    assert_eq!(last.delta.apply("a\nt\n").unwrap(), "a\nt\nm");
    let last = merge_words("a\n", "a\nm\n", "a\nt", |_| true).unwrap();
    assert_eq!(last.delta.apply("a\nt").unwrap(), "a\nt\nm");
    let refused = merge_words(base, mine, theirs, |_| false).unwrap_err();
    assert_eq!((refused.line, refused.cause, refused.code()), (2, TOUCHING, "MERGE_CONFLICT"));
}

/// One line that two change, at both ends and in the middle.
#[test]
fn a_line_of_a_megabyte_ends() {
    let words = |count: usize| (0..count).map(|n| format!("w{n} ")).collect::<String>();
    let base = words(140_000);
    assert!(base.len() > 1_000_000);
    let edited = |at: usize, len: usize| [&base[..at], "new words ", &base[at + len..]].concat();
    let (start, end) = (edited(0, 0), edited(base.len(), 0));
    assert_eq!(merged(&base, &start, &end).unwrap().1.len(), 1);
    // Both ends are too far apart to be compared word by word.
    let ends = |word: &str| format!("{word} {base}{word}\n");
    let refused = merged(&base, &ends("a"), &ends("b")).unwrap_err();
    assert_eq!(refused.cause, TOUCHING);
    let other: String = (0..140_000).map(|n| format!("v{n} ")).collect();
    assert_eq!(merged(&base, &other, &end).unwrap_err().cause, TOUCHING);
    // One delimiter a word.
    let marks: String = "*a _b `c [d] <e ".repeat(60_000);
    let (start, end) = (format!("x y {marks}"), format!("{marks} z"));
    let _ = merged(&marks, &start, &end);
    let deep = "> ".repeat(100_000);
    let _ = merged(&format!("{deep}a b c\n"), &format!("{deep}A b c\n"), &format!("{deep}a b C\n"));
}

/// Markdown in which a few words are replaced, removed or added.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "one", "two", "three", "four", "*five*", "`six`", "[a](b)", "*", "`", "é", "我",
    ]);
    let line = (
        prop::sample::select(vec!["", "", "", "- ", "# ", "> ", "    ", "|"]),
        prop::collection::vec(word, 0..7),
    )
        .prop_map(|(start, words)| format!("{start}{}\n", words.join(" ")));
    prop::collection::vec(line, 0..5).prop_map(|lines| lines.concat())
}

/// Changes of places, counted in words.
fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, &'static str)>> {
    let new =
        prop::sample::select(vec!["new", "*", "x y", "`c`", "**b**", "\n", "- ", "[", "](u)", "<i>", "|"]);
    prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, new), 0..4)
}

/// Applies the edits, each with a word of its own that begins with `mark`.
fn edited(text: &str, edits: &[(prop::sample::Index, u8, &str)], mark: &str) -> String {
    let mut words: Vec<String> = text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
    for (nth, (at, kind, new)) in edits.iter().enumerate() {
        let at = at.index(words.len() + 1);
        match kind {
            0 if at < words.len() => drop(words.remove(at)),
            1 if at < words.len() => words[at] = format!("{mark}{nth} "),
            2 => words.insert(at, format!("{mark}{nth} ")),
            _ => words.insert(at, format!("{new} ")),
        }
    }
    words.concat()
}

fn words(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// A merge with an unchanged text is the other text, and the order of both does not matter.
    #[test]
    fn a_merge_is_neutral_and_symmetric(base in text(), mine in edits(), theirs in edits()) {
        let (mine, theirs) = (edited(&base, &mine, "mine"), edited(&base, &theirs, "theirs"));
        prop_assert_eq!(&merged(&base, &mine, &base).unwrap(), &(mine.clone(), vec![]));
        prop_assert_eq!(&merged(&base, &base, &theirs).unwrap(), &(theirs.clone(), vec![]));
        prop_assert_eq!(&merged(&base, &mine, &mine).unwrap(), &(mine.clone(), vec![]));
        let _ = merged(&base, &mine, &theirs);
    }

    /// The words that either adds are there, and those that neither removes stay. Lines merged by words are reported.
    #[test]
    fn no_word_is_lost(base in text(), mine in edits(), theirs in edits()) {
        let (mine, theirs) = (edited(&base, &mine, "mine"), edited(&base, &theirs, "theirs"));
        let Ok((now, lines)) = merged(&base, &mine, &theirs) else { return Ok(()) };
        let [was, own, others, found] = [&base, &mine, &theirs, &now].map(|text| words(text));
        let count = |words: &BTreeMap<&str, usize>, word: &str| words.get(word).copied().unwrap_or(0);
        for word in own.keys().chain(others.keys()).chain(was.keys()) {
            let [was, own, others, found] = [&was, &own, &others, &found].map(|words| count(words, word));
            // An identical change of both is kept once.
            let (both, kept_once) = ((own + others).saturating_sub(was), own.max(others));
            let expected = if own > was && others > was { kept_once..=both } else if own < was && others < was { both..=own.min(others) } else { both..=both };
            prop_assert!(expected.contains(&found), "{word}: {found} in {now:?} of {base:?}, {mine:?}, {theirs:?}");
        }
        for MergedLine { line, mine: own, theirs: others, now: one } in lines {
            prop_assert_eq!(now.split('\n').nth(line - 1), Some(one.as_str()));
            prop_assert!(mine.split('\n').any(|line| line == own) && theirs.split('\n').any(|line| line == others));
            prop_assert!(one != own && one != others);
        }
    }

    /// Any text is merged or refused, and lines that a merge by lines keeps stay the same.
    #[test]
    fn any_texts_are_merged_or_refused(
        base in hostile_markdown(), mine in hostile_markdown(), theirs in hostile_markdown(), from in edits(), to in edits(),
    ) {
        let _ = merged(&base, &mine, &theirs);
        let (mine, theirs) = (edited(&base, &from, "m"), edited(&base, &to, "t"));
        if let Ok((now, _)) = merged(&base, &mine, &theirs) {
            let by_line = Delta::between(&base, &mine).transform(&Delta::between(&base, &theirs));
            // Without a final line end, a transform may join two last lines.
            let are_ended = [&base, &mine, &theirs].into_iter().all(|text| text.is_empty() || text.ends_with('\n'));
            if let (Ok(delta), true) = (by_line, are_ended) {
                prop_assert_eq!(delta.apply(&theirs).unwrap(), now);
            }
        }
    }
}

#[test]
fn lines_inserted_at_one_place_keep_their_blocks() {
    let both = |base: &str, mine: &str, theirs: &str| {
        let merged = merge_words(base, mine, theirs, |_| true).map_err(|conflict| conflict.cause)?;
        Ok(merged.delta.apply(theirs).unwrap())
    };
    for (base, mine, theirs, expected) in [
        ("a\n", "a\nb\n", "a\nc\n", Ok("a\nc\nb\n")),
        // Without a final line end.
        ("a", "a\nb", "a\nc", Ok("a\nc\nb")),
        ("a", "a\nb\n", "a\nc", Ok("a\nc\nb\n")),
        ("", "b", "c", Ok("c\nb")),
        ("x\r\na", "x\r\na\r\nb", "x\r\na\r\nc", Ok("x\r\na\r\nc\r\nb")),
        ("a\nb", "a\nb\nc", "A\nb", Ok("A\nb\nc")),
        ("a", "A", "b", Err(TOUCHING)),
        // Together they would be something else.
        ("a\n\n", "a\n\n---\n", "a\n\nTotal\n", Err(BLOCK)),
        ("a\n", "---\nt: 1\n---\na\n", "b\n\na\n", Err(BLOCK)),
        (
            "a\n\n",
            "a\n\n```\ncode\n```\n",
            "a\n\n~~~\ntheirs\n~~~\n",
            Ok("a\n\n~~~\ntheirs\n~~~\n```\ncode\n```\n"),
        ),
        ("a\n\n", "a\n\nb\n", "a\n\n```\nopen\n", Err(BLOCK)),
    ] {
        assert_eq!(
            both(base, mine, theirs).as_deref(),
            expected.as_ref().copied(),
            "{base:?} {mine:?} {theirs:?}"
        );
    }
}
