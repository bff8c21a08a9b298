//! Two edits of one text, merged by lines and words.

use canvas_patch::{MergeCause, MergeConflict, Merged, MergedLine, merge_words};

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

/// What becomes of a base, of mine and of theirs.
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
        ("a *b* c\n", "a *b c\n", "A *b* c\n", Err(TOUCHING)),
        ("x a *b* c\n", "x a *b c\n", "X a *b* c\n", Ok("X a *b c\n")),
        ("w x *b* y z\n", "*w x b* y z\n", "w x *b y z\n", Err(TOUCHING)),
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
