//! Hunks whose pre-image is nowhere: the line that is at fault, and where it was meant for.

use canvas_patch::Mode::Anchored;
use canvas_patch::{ApplyOptions, Conflict, Difference, StatedLines, apply};

use crate::apply::{adapts, applies, refuses, run};

/// The only conflict.
fn refused(text: &str, patch: &str) -> Conflict {
    let refused = run(Anchored, text, patch).expect_err(patch);
    assert_eq!(refused.conflicts().len(), 1, "{patch:?} {refused}");
    refused.conflicts()[0].clone()
}

/// The line of the patch that is at fault, and how it differs from which one of the text.
fn fault(text: &str, patch: &str) -> String {
    let found = refused(text, patch);
    let (mismatch, line) = (found.mismatch.expect(patch), found.line.expect(patch));
    format!("{} @{line}:{} {}", found.patch_line, mismatch.column, mismatch.difference)
}

const TEXT: &str = "# Notes

Read [the guide](https://example.org/guide) before anything else.

## Variables

Determines how many enumerated items are included in a display. This variable
doesn't affect the underlying objects, only the display. When the value of
`$Limit` is lower, an ellipsis stands for what is not shown.

Determines how many commands are saved in the command history for the current
session.

```bash
      find . -name '*.py' | xargs grep some_function
      cat hosts | xargs -I{} ssh root@{} hostname
```

## Links

- カレントディレクトリ（とサブディレクトリ）全体を、ネットワーク内に公開されたWebサーバにする。
- [one](https://example.org/1): the first
- [two](https://example.org/2): the second
- [three](https://example.org/3): the third
- 2<3 && 3>2

## The end

This could ship in one release.

## The issues
";

#[test]
fn the_line_that_was_meant_is_found() {
    for (patch, conflict) in [
        // One wrong word under a bare header.
        (
            "@@\n-Determines how many commands are saved in the command history of the current\n+x\n",
            "2 @11:63 CONTENT",
        ),
        (
            "@@\n-- カレントディレクトリ(とサブディレクトリ)全体を、ネットワーク内に公開されたWebサーバにする。\n+x\n",
            "2 @21:13 INVISIBLE",
        ),
        ("@@\n-## Link\n+x\n", "2 @19:8 PART_OF_LINE"),
        ("@@\n-## links\n+x\n", "2 @19:4 CASE"),
        // All lines are wrong, and the header is too.
        (
            "@@ -3,2 +3,2 @@\n-Determines how many enumerated items get included in a display. This variable\n\
             -doesn't affect the objects beneath, only the display. When the value of\n+x\n",
            "2 @7:38 CONTENT",
        ),
        // The next line is right, or the one before.
        ("@@\n-```sh\n       find . -name '*.py' | xargs grep some_function\n+x\n", "2 @14:4 CONTENT"),
        (
            "@@\n ```bash\n-      find . -name '*.py' | xargs grep some_function\n-     cat hosts | xargs -I{} ssh root@{} hostname\n+x\n",
            "4 @16:6 INDENTATION",
        ),
        // Somebody has changed a heading since.
        ("@@\n-## The ends\n+x\n \n This could ship in one release.\n", "2 @27:11 CONTENT"),
        // Half a line.
        ("@@\n \n-## \n+x\n", "3 @19:4 PART_OF_LINE"),
        // A line that is elsewhere, among lines that are here.
        ("@@\n ## Links\n \n-## Variables\n - [one](https://example.org/1): the first\n", "4 @21:1 CONTENT"),
    ] {
        assert_eq!(fault(TEXT, patch), conflict, "{patch}");
    }
}

/// What the lines of a hunk say of its place, where they disagree.
#[test]
fn the_place_that_was_meant_among_others() {
    let numbered = |prefix: &str, numbers: std::ops::Range<usize>| -> String {
        numbers.map(|i| format!("{prefix}line number {i}\n")).collect()
    };
    let filler = |count: usize| "quite another text\n".repeat(count);
    // Its first lines have been moved away: most of them decide.
    let moved = format!("{}{}{}", numbered("", 0..8), filler(50), numbered("", 8..30));
    // One of its lines stands at one place only: that decides, not what is like the other.
    let exact = format!("## Links\n{}## Links and more\n- the first of all\n", filler(30));
    // Lines that stand at each place tell nothing, however long: the short one that stands nowhere does.
    let section =
        |owner: char| format!("{}{}\n", numbered("a rather long ", 0..8), owner.to_string().repeat(9));
    let copies: String = ('a'..='z').map(section).collect();
    // What few lines share tells more than what many do.
    let common = "- [ ] call the customer about ";
    let tasks: String = (0..20).map(|i| format!("{common}{i}\n")).collect();
    let rare = format!("{tasks}{}- a bill, the last payment and its delay\n", filler(30));
    for (text, patch, conflict) in [
        (moved, format!("@@\n{}+x\n", numbered(" ", 0..30)), "2 @51:1 CONTENT"),
        (exact, "@@\n ## Links\n-- the first of al\n".to_owned(), "3 @2:1 CONTENT"),
        (copies, format!("@@\n{}-yyyyxyyyy\n", numbered(" a rather long ", 0..8)), "10 @225:5 CONTENT"),
        (rare, format!("@@\n-{common}a ball, the lost payment, its delay\n"), "2 @51:3 CONTENT"),
    ] {
        assert_eq!(fault(&text, &patch), conflict, "{patch}");
    }
}

#[test]
fn lines_too_many_or_too_few() {
    let refuses = |text: &str, patch: &str, conflicts: &[&str]| refuses(Anchored, text, patch, conflicts);
    let text = "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\n";
    refuses(text, "@@\n alpha\n beta\n delta\n-epsilon\n", &["1:NOT_FOUND 4 @3:1 LEFT_OUT delta|gamma"]);
    refuses(text, "@@\n alpha\n beta\n iota\n gamma\n-delta\n", &["1:NOT_FOUND 4 @3:1 EXTRA iota|gamma"]);
    refuses(text, "@@\n alpha\n beta\n \n gamma\n-delta\n", &["1:NOT_FOUND 4 @3:1 EXTRA |gamma"]);
    refuses(text, "@@\n epsilon\n zeta\n-eta\n", &["1:NOT_FOUND 4 @7:1 END_OF_TEXT eta|-"]);
    // The line after the one that is left out is only like the one in the text.
    refuses(
        "alpha\nbeta\ngamma delta epsilon\n",
        "@@\n alpha\n-gamma delta epsilom\n",
        &["1:NOT_FOUND 3 @2:1 LEFT_OUT gamma delta epsilom|beta"],
    );
    // The marker of a missing final newline is no line of the hunk.
    refuses(
        "alpha\nbeta\ngamma",
        "@@\n alpha\n-beta\n-gama\n\\ No newline at end of file\n+x\n@@\n-zz\n",
        &["1:NOT_FOUND 4 @3:4 CONTENT gama|gamma", "2:NOT_FOUND 8 @1:1 CONTENT zz|alpha"],
    );
    refuses(
        "alpha\nbeta\ngamma\n",
        "@@\n alpha\n\\ No newline at end of file\n-bet\n",
        &["1:NOT_FOUND 4 @2:4 PART_OF_LINE bet|beta"],
    );
    // Most lines of a long hunk stand one line off.
    let lines: Vec<String> = (0..200).map(|i| format!("line number {i}\n")).collect();
    let quoted: String = lines.iter().map(|line| format!(" {line}")).collect();
    let text = format!("{}{}", lines[..120].concat(), lines[121..].concat());
    refuses(
        &text,
        &format!("@@\n{quoted}+x\n"),
        &["1:NOT_FOUND 122 @121:15 EXTRA line number 120|line number 121"],
    );
    let quoted: String = lines[..150].iter().chain(&lines[151..]).map(|line| format!(" {line}")).collect();
    refuses(
        &lines.concat(),
        &format!("@@\n{quoted}+x\n"),
        &["1:NOT_FOUND 152 @151:15 LEFT_OUT line number 151|line number 150"],
    );
}

#[test]
fn slips_of_copying() {
    let refuses = |patch: &str, conflicts: &[&str]| refuses(Anchored, TEXT, patch, conflicts);
    refuses(
        "@@\n-- 2&lt;3 &amp;&amp; 3&gt;2\n",
        &["1:NOT_FOUND 2 @25:4 HTML_ESCAPED - 2&lt;3 &amp;&amp; 3&gt;2|- 2<3 && 3>2"],
    );
    refuses("@@\n 18: ## Links\n-19: \n+x\n", &["1:NOT_FOUND 2 @19:1 LINE_NUMBER 18: ## Links|## Links"]);
    refuses("@@\n ## Links\n-19:\n+x\n", &["1:NOT_FOUND 3 @20:1 LINE_NUMBER 19:|"]);
    refuses("@@\n   18\t## Links\n+x\n", &["1:NOT_FOUND 2 @19:1 LINE_NUMBER   18\\t## Links|## Links"]);
    // The first line with a slip, not the first with another fault.
    refuses("@@\n 18: ## Links\n-x\n", &["1:NOT_FOUND 2 @19:1 LINE_NUMBER 18: ## Links|## Links"]);
    refuses(
        "@@\n ## Links\n \n-## Variables\n-24: - [three](https://example.org/3): the third\n",
        &[
            "1:NOT_FOUND 4 @21:1 CONTENT ## Variables|- カレントディレクトリ（とサブディレクトリ）全体を、ネットワーク内に公開されたWebサーバにする。",
        ],
    );
}

#[test]
fn dots_for_what_was_left_out() {
    let refuses = |patch: &str, conflicts: &[&str]| refuses(Anchored, TEXT, patch, conflicts);
    let (one, three) =
        ("- [one](https://example.org/1): the first", "- [three](https://example.org/3): the third");
    let two = "- [two](https://example.org/2): the second";
    refuses(&format!("@@\n-{one}\n-...\n-{three}\n"), &[&format!("1:NOT_FOUND 3 @23:1 ELIDED ...|{two}")]);
    refuses(&format!("@@\n {one}\n ... \n-{three}\n"), &[&format!("1:NOT_FOUND 3 @23:1 ELIDED ... |{two}")]);
    refuses(&format!("@@\n-...\n-{three}\n+x\n"), &[&format!("1:NOT_FOUND 2 @23:1 ELIDED ...|{two}")]);
    refuses(&format!("@@\n \n …\n-{three}\n+x\n"), &[&format!("1:NOT_FOUND 3 @23:1 ELIDED …|{two}")]);
    // What is before the dots is wrong first.
    refuses(
        &format!("@@\n-- [one](https://example.org/9): the first\n-...\n-{three}\n"),
        &[&format!("1:NOT_FOUND 2 @22:29 CONTENT - [one](https://example.org/9): the first|{one}")],
    );
    refuses("@@\n-...\n", &["1:NOT_FOUND 2 @1:1 ELIDED ...|# Notes"]);
    // A line of the document is none.
    crate::apply::refuses(Anchored, "a\n...\nb\n", "@@\n a\n ...\n-c\n", &["1:NOT_FOUND 4 @3:1 CONTENT c|b"]);
}

#[test]
fn the_document_is_shown_around() {
    let nearby = |patch: &str| -> Vec<String> {
        let found = refused(TEXT, patch);
        found.nearby.iter().map(|quoted| format!("{}: {}", quoted.line, quoted.text)).collect()
    };
    assert_eq!(nearby("@@\n-## The ends\n+x\n"), ["26: ", "27: ## The end", "28: "]);
    assert_eq!(nearby("@@\n-# Note\n+x\n"), ["1: # Notes", "2: "]);
    assert_eq!(nearby("@@\n ## The issues\n-x\n"), ["31: ## The issues"]);
    // Where nothing is like it and no header says where, nothing is shown.
    assert_eq!(nearby("@@\n-quite another text\n"), [""; 0]);
    assert_eq!(
        nearby("@@ -2 +2 @@\n-quite another text\n+x\n"),
        ["1: # Notes", "2: ", "3: Read [the guide](https://example.org/gui…"]
    );
    // The next line is shown in full length if the patch misquotes it, too.
    let next = "3: Read [the guide](https://example.org/guide) before anything else.";
    assert_eq!(
        nearby("@@ -1,3 +1 @@\n # Notes\n-not blank\n-Read the guide.\n"),
        ["1: # Notes", "2: ", next]
    );
    let long = format!("{}one two{}\n\tq\n", "é".repeat(500), "ü".repeat(500));
    let found = refused(&long, &format!("@@\n-{}one tow{}\n", "é".repeat(500), "ü".repeat(500)));
    let shown = &found.nearby[0].text;
    assert!(shown.contains("one two") && shown.chars().count() == 200, "{shown}");
    assert_eq!(found.nearby[1].text, "\tq");
}

#[test]
fn what_is_in_already() {
    let text = "## Daily use\n\n- a\n- b\n\n## One-liners\n";
    let patch = "@@\n-## Everyday use\n+## Daily use\n@@\n-## One-liners\n+## One liners\n";
    let refused = run(Anchored, text, patch).unwrap_err();
    let present: Vec<_> = refused.conflicts().iter().map(|c| (c.hunk, c.present_at)).collect();
    assert_eq!(present, [(1, Some(1))]);
    for (patch, present_at) in [
        ("@@\n-## Everyday use\n+## Daily use\n", Some(1)),
        ("@@\n - a\n-- x\n+- b\n", Some(3)),
        // It is not what the hunk would leave.
        ("@@\n-- x\n+- b\n - c\n", None),
        // A hunk that only removes, or that adds no word, shows nothing.
        ("@@\n - a\n-- x\n - b\n", None),
        ("@@\n-x\n+\n", None),
    ] {
        assert_eq!(self::refused(text, patch).present_at, present_at, "{patch}");
    }
    assert_eq!(self::refused("b\nb\n", "@@\n-a\n+b\n").present_at, None);
}

#[test]
fn blank_lines_between_added_ones() {
    let text = "a\n\nlast\nx\n";
    let applies_with = |body: &str, after: &str, repairs: &str| adapts(text, body, after, repairs);
    let after = "a\n\nnew\n\ntext\n\nlast\ny\n";
    applies_with("@@\n \n+new\n\n+text\n+\n last\n-x\n+y\n", after, "1:BARE_HEADER 1:BLANK_ADDED");
    // The counts are those of the patch as it was meant.
    applies_with("@@ -2,3 +2,7 @@\n \n+new\n\n+text\n+\n last\n-x\n+y\n", after, "1:BLANK_ADDED");
    applies_with(
        "@@ -2,3 +2,6 @@\n \n+new\n\n+text\n+\n last\n-x\n+y\n",
        after,
        "1:COUNTS_CORRECTED 1:BLANK_ADDED",
    );
    applies_with(
        "@@\n\n+new\n\n+text\n+\n last\n-x\n+y\n",
        after,
        "1:BARE_HEADER 1:BLANK_CONTEXT 1:BLANK_ADDED",
    );
    applies_with(
        "@@\n \n+new\n\n\n+text\n\n+more\n last\n-x\n+y\n",
        "a\n\nnew\n\n\ntext\n\nmore\nlast\ny\n",
        "1:BARE_HEADER 1:BLANK_ADDED",
    );
    adapts(
        "a\r\nb\r\n",
        "@@\n a\n+x\n\n+y\n",
        "a\r\nx\r\n\r\ny\r\nb\r\n",
        "1:BARE_HEADER 1:BLANK_ADDED 1:EOL_ADAPTED",
    );
    adapts("", "@@ -0,0 +1,3 @@\n+x\n\n+y\n", "x\n\ny\n", "1:BLANK_ADDED");
    // Context wherever that fits.
    adapts("a\n\nb\n", "@@\n a\n+x\n\n+y\n b\n", "a\nx\n\ny\nb\n", "1:BARE_HEADER 1:BLANK_CONTEXT");
    applies("a\nb\n", "@@ -1 +1,4 @@\n a\n+x\n+\n+y\n", "a\nx\n\ny\nb\n");
    let refuses = |text: &str, patch: &str, conflicts: &[&str]| refuses(Anchored, text, patch, conflicts);
    refuses("a\nb\na\n", "@@\n a\n+x\n\n+y\n", &["1:AMBIGUOUS 1 [1, 3]"]);
    refuses("a\n", "@@\n+x\n\n+y\n", &["1:NO_ANCHOR 1"]);
    refuses("alpha\nbeta\n", "@@\n alpha\n+x\n\n+y\n bet\n", &["1:NOT_FOUND 6 @2:4 PART_OF_LINE bet|beta"]);
    refuses("alpha\n\nbeta\n", "@@\n alpha\n+x\n\n+y\n bet\n", &["1:NOT_FOUND 6 @3:4 PART_OF_LINE bet|beta"]);
    // Not after a removed line, nor before context.
    refuses("alpha\nbeta\n", "@@\n-alpha\n\n+y\n beta\n", &["1:NOT_FOUND 3 @2:1 EXTRA |beta"]);
    refuses("alpha\nbeta\n", "@@\n alpha\n+y\n\n beta\n", &["1:NOT_FOUND 4 @2:1 EXTRA |beta"]);
}

#[test]
fn newlines_that_were_escaped_twice() {
    for (patch, reason, line) in [
        (r"@@\n-a\n+b\n", "ESCAPED_NEWLINES", 1),
        (r"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "ESCAPED_NEWLINES", 1),
        ("@@ -1 +1 @@\\n-a\\n+b\n", "ESCAPED_NEWLINES", 1),
        ("@@ a\\nb\n", "TRUNCATED", 1),
        ("@@ x\n?a\\n-b @@\n", "BAD_LINE", 2),
        (r"first\n-a\n+b", "NO_HUNKS", 1),
    ] {
        let found = refused("a\n", patch);
        assert_eq!((found.reason.code(), found.patch_line), (reason, line), "{patch:?}");
    }
}

#[test]
fn ambiguous_places() {
    let text = "# Plan\n\n### Step 1\n- todo\n- me\n\n### Step 2\n- todo\n- me\n";
    let found = refused(text, "@@\n-- todo\n+- done\n");
    let headers: Vec<_> = found.places.iter().map(|place| (place.line, place.header.as_deref())).collect();
    assert_eq!(headers, [(4, Some("@@ -4 +4 @@")), (8, Some("@@ -8 +8 @@"))]);
    let nearby: Vec<_> = found.places[1].nearby.iter().map(|quoted| (quoted.line, &*quoted.text)).collect();
    assert_eq!(nearby, [(7, "### Step 2"), (8, "- todo"), (9, "- me")]);
    // No number decides where terminators differ, or where a blank line has to be read as an added one.
    for (text, patch) in [
        ("a\r\na\r\n", "@@\n-a\n+b\n"),
        ("a\na\n", "@@\n-a\n+b"),
        ("a\na\n", "@@\n a\n+b\n\n+c\n"),
        ("a\na", "@@\n-a\n\\ No newline at end of file\n+b\n"),
    ] {
        let found = refused(text, patch);
        assert_eq!((found.places.len(), found.places[0].header.as_deref()), (2, None), "{patch:?}");
    }
    let found = refused("a\na\n", "@@\n-a\n a\n+b\n@@\n-a\n");
    assert_eq!(found.places[1].header.as_deref(), Some("@@ -2 +1,0 @@"));
    assert_eq!(refused(&"a\n".repeat(99), "@@\n-a\n").places.len(), 3);
}

/// The only conflict of an author who was shown no line.
fn unread(text: &str, patch: &str) -> Conflict {
    let options =
        ApplyOptions { mode: Anchored, stated_lines: StatedLines::Shown(&[]), ..ApplyOptions::default() };
    apply(text, patch, &options).expect_err(patch).conflicts()[0].clone()
}

/// Those around the stated line, however many there are; the first ones without a number.
#[test]
fn ambiguous_places_lie_around_the_stated_line() {
    let text = "- todo\n".repeat(500);
    let lines = |patch: &str| unread(&text, patch).places.iter().map(|place| place.line).collect::<Vec<_>>();
    assert_eq!(lines("@@\n-- todo\n+- done\n"), [1, 2, 3]);
    for (stated, expected) in [
        (1, [1, 2, 3]),
        (2, [1, 2, 3]),
        (250, [249, 250, 251]),
        (500, [498, 499, 500]),
        (900, [498, 499, 500]),
    ] {
        assert_eq!(lines(&format!("@@ -{stated} +{stated} @@\n-- todo\n+- done\n")), expected, "{stated}");
    }
    // A hunk of several lines is shown whole, with one line before and after it.
    let text = "# A\n\n- todo\n- me\n\n# B\n\n- todo\n- me\n\n# C\n";
    let found = unread(text, "@@ -7,3 +7,3 @@\n \n-- todo\n+- done\n - me\n");
    let nearby: Vec<_> = found.places[1].nearby.iter().map(|quoted| (quoted.line, &*quoted.text)).collect();
    assert_eq!(nearby, [(6, "# B"), (7, ""), (8, "- todo"), (9, "- me"), (11, "# C")]);
}

/// The number is right, and does not count because its line was not shown.
#[test]
fn a_stated_line_that_was_not_shown_is_named() {
    let text = "a\nx\nb\nx\nc\n";
    let hunk = "@@ -4 +4 @@\n-x\n+y\n";
    for (from, to, unread) in [(0, 0, Some(4)), (0, 3, Some(4)), (3, 4, None)] {
        let shown = from..to;
        let stated_lines = StatedLines::Shown(std::slice::from_ref(&shown));
        let options = ApplyOptions { mode: Anchored, stated_lines, ..ApplyOptions::default() };
        let found = apply(text, hunk, &options).err().map(|error| error.conflicts()[0].unread);
        assert_eq!(found, unread.map(Some), "{shown:?}");
    }
    // A wrong number says nothing.
    assert_eq!(refused(text, "@@ -3 +3 @@\n-x\n+y\n").unread, None);
}

/// Twenty-odd ways to write the same, of which a reader sees one: each is named by its first differing characters.
#[test]
fn differences_that_nobody_sees_are_named() {
    for (quoted, line, column, expected, actual) in [
        ("a b", "a\u{a0}b", 2, "U+0020 space", "U+00A0 no-break space"),
        ("caf\u{e9} x", "cafe\u{301} x", 4, "U+00E9", "U+0065 e"),
        ("日本-語", "日本\u{2010}語", 3, "U+002D hyphen-minus", "U+2010"),
        ("🦀 p", "🦀 \u{440}", 3, "U+0070 p", "U+0440 Cyrillic"),
    ] {
        let text = format!("first\n{line}\nlast\n");
        let found = refused(&text, &format!("@@\n first\n-{quoted}\n+new\n"));
        let mismatch = found.mismatch.clone().unwrap();
        let points = mismatch.code_points.unwrap();
        assert_eq!((found.line, mismatch.column), (Some(2), column), "{quoted:?}");
        assert_eq!((&*points.expected, &*points.actual), (expected, actual), "{quoted:?}");
        let said = found.to_string();
        assert!(said.contains(expected) && said.contains(actual), "{said}");
    }
}

/// Where the two lines do not show it, the message says what to look for.
#[test]
fn differences_have_hints() {
    let with_hint: Vec<_> = Difference::ALL.iter().filter(|difference| difference.hint().is_some()).collect();
    assert_eq!(with_hint.len(), 8, "{with_hint:?}");
}
