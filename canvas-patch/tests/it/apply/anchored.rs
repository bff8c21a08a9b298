//! Patches that anchored mode alone applies, with what it puts right.

use canvas_patch::Mode::Anchored;

use crate::apply::{adapts, applies, refuses};

#[test]
fn headers() {
    let (text, body, after) = ("a\nb\nc\n", " a\n-b\n+x\n c\n", "a\nx\nc\n");
    for (header, repairs) in [
        ("@@\n", "1:BARE_HEADER"),
        ("@@ @@\n", "1:BARE_HEADER"),
        ("@@ ... @@\n", "1:BARE_HEADER"),
        ("@@@ -1,3 -1,3 +1,3 @@@\n", "1:BARE_HEADER"),
        ("@@ -a,b +c,d @@\n", "1:BARE_HEADER"),
        ("@@ -0,3 +0,3 @@\n", "1:BARE_HEADER"),
        ("@@ -1,3 +1,3 @@x\n", "1:BARE_HEADER"),
        ("@@ -99999999999999999999,3 +1,3 @@\n", "1:BARE_HEADER"),
        ("@@ class A:\n", "1:BARE_HEADER"),
        ("@@ -1,3 +1,3 @@\r\n", "1:EOL_ADAPTED"),
        ("\n@@ -1,3 +1,3 @@\n", "0:SEPARATOR_DROPPED"),
        ("--- a\n@@ -1,3 +1,3 @@\n", "0:FILE_HEADER_IGNORED"),
        ("+++ a\n@@ -1,3 +1,3 @@\n", "0:FILE_HEADER_IGNORED"),
        ("--- a\n\n+++ a\n\n@@ -1,3 +1,3 @@\n", "0:FILE_HEADER_IGNORED 0:SEPARATOR_DROPPED"),
        ("@@ -2,3 +1,3 @@\n", "1:MOVED"),
        ("@@ -1,3 +2,3 @@\n", "1:MOVED"),
        ("@@ -9,3 +9,3 @@\n", "1:MOVED"),
        ("@@ -18446744073709551615,3 +1,3 @@\n", "1:MOVED"),
        ("@@ -1,4 +1,3 @@\n", "1:COUNTS_CORRECTED"),
        ("@@ -1,3 +1,4 @@\n", "1:COUNTS_CORRECTED"),
        ("@@ -1,2 +1,2 @@\n", "1:COUNTS_CORRECTED"),
        ("@@ -1 +1 @@\n", "1:COUNTS_CORRECTED"),
        ("@@ -1,18446744073709551615 +1,18446744073709551615 @@\n", "1:COUNTS_CORRECTED"),
        ("@@ -2,5 +7,9 @@ Heading\n", "1:COUNTS_CORRECTED 1:MOVED"),
    ] {
        adapts(text, &format!("{header}{body}"), after, repairs);
    }
    adapts("a\nb\n", "@@ -1,9 +1 @@\n-a\n+x\n@@ -2 +7 @@\n-b\n+y\n", "x\ny\n", "1:COUNTS_CORRECTED 2:MOVED");
    adapts("a\nb\n", "@@ -1 +1,2 @@\n-a\n+x\n+y\n@@ -2 +2 @@\n-b\n+z\n", "x\ny\nz\n", "2:MOVED");
    adapts("a\nb\n", "@@\n-a\n+x\n+y\n@@ -2 +3 @@\n-b\n+z\n", "x\ny\nz\n", "1:BARE_HEADER");
    adapts("a\nb\n", "@@\n-a\n@@ -2 +1 @@\n-b\n+z\n", "z\n", "1:BARE_HEADER");
}

#[test]
fn blank_lines() {
    let text = "a\n\nb\n\n";
    adapts(text, "@@ -1,3 +1,3 @@\n a\n\n-b\n+x\n", "a\n\nx\n\n", "1:BLANK_CONTEXT");
    adapts(text, "@@ -1,3 +1,3 @@\n a\n\r\n-b\n+x\n", "a\n\nx\n\n", "1:BLANK_CONTEXT 1:EOL_ADAPTED");
    adapts(text, "@@\n a\n\n-b\n+x\n", "a\n\nx\n\n", "1:BARE_HEADER 1:BLANK_CONTEXT");
    adapts(text, "@@ -3,2 +3,2 @@\n-b\n+x\n\n", "a\n\nx\n\n", "1:BLANK_CONTEXT");
    // The counts are those of the lines without the separators, one of which looks like what the header misses.
    adapts("a\n", "@@ -1 +1,2 @@\n-a\n+b\n\n", "b\n", "1:COUNTS_CORRECTED 1:SEPARATOR_DROPPED");
    adapts(text, "@@ -3 +3 @@\n-b\n+x\n\n", "a\n\nx\n\n", "1:SEPARATOR_DROPPED");
    adapts(text, "@@ -3 +3 @@\n-b\n+x\n\n\n\r\n", "a\n\nx\n\n", "1:SEPARATOR_DROPPED");
    adapts(text, "@@\n-b\n+x\n\n\n\n", "a\n\nx\n\n", "1:BARE_HEADER 1:SEPARATOR_DROPPED");
    adapts(text, "@@ -1 +1 @@\n-a\n+x\n\n@@ -3 +3 @@\n-b\n+y\n", "x\n\ny\n\n", "1:SEPARATOR_DROPPED");
    adapts(
        text,
        "@@\n-a\n+x\n\n\n@@\n-b\n+y\n",
        "x\n\ny\n\n",
        "1:BARE_HEADER 1:SEPARATOR_DROPPED 2:BARE_HEADER",
    );
    adapts(text, "@@\n-a\n+x\n\n b\n\n", "x\n\nb\n\n", "1:BARE_HEADER 1:BLANK_CONTEXT 1:SEPARATOR_DROPPED");
    adapts("a\n", "@@ -1 +1,3 @@\n-a\n+b\n\n", "b\n", "1:COUNTS_CORRECTED 1:SEPARATOR_DROPPED");
    // Counts that hold tell context from separators.
    let repairs = "0:FENCE_REMOVED 1:BLANK_CONTEXT 1:SEPARATOR_DROPPED";
    adapts("b\n\nb\n", "```\n@@ -1,2 +1,2 @@\n-b\n+x\n\n\n```\n", "x\n\nb\n", repairs);
    let patch = "@@ -1,2 +1,2 @@\n-b\n+x\n\n\n@@ -3 +3 @@\n-c\n+y\n";
    adapts("b\n\nc\nb\n", patch, "x\n\ny\nb\n", "1:BLANK_CONTEXT 1:SEPARATOR_DROPPED");
    // Blank lines that were dropped belong to no hunk.
    let repairs = "1:BARE_HEADER 1:SEPARATOR_DROPPED 2:BARE_HEADER";
    adapts("a\nb\n", "@@\n a\n+x\n\n@@\n+y\n b\n", "a\nx\ny\nb\n", repairs);
    // A blank line with its space is context wherever it occurs.
    adapts(text, "@@\n-a\n+x\n \n", "x\n\nb\n\n", "1:BARE_HEADER");
    adapts("a\n\n", "@@ -1,5 +1,2 @@\n-a\n\n+x\n", "\nx\n", "1:COUNTS_CORRECTED 1:BLANK_CONTEXT");
}

#[test]
fn fences() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for (open, close) in [
        ("```", "```\n"),
        ("```diff", "```\n"),
        ("```diff", "```"),
        ("```diff\r", "```\r\n"),
        ("~~~", "~~~\n"),
        ("````markdown", "````\n"),
        ("```", "`````\n"),
        ("```", "```  \n\n\n"),
        ("\n```diff\n--- a\n+++ b", "```\n"),
        // Cut replies lose the closing fence first.
        ("```diff", ""),
        ("```diff", "\n```\n"),
    ] {
        let above = if open.starts_with('\n') { " 0:SEPARATOR_DROPPED" } else { "" };
        let below = if close.starts_with('\n') { " 1:SEPARATOR_DROPPED" } else { "" };
        adapts("a\n", &format!("{open}\n{hunk}{close}"), "b\n", &format!("0:FENCE_REMOVED{above}{below}"));
    }
    adapts("a\n", "```\n@@\n-a\n+b\n```\n", "b\n", "0:FENCE_REMOVED 1:BARE_HEADER");
    adapts("a\n", "```\n@@\n-a\n+b\n\n```\n", "b\n", "0:FENCE_REMOVED 1:BARE_HEADER 1:SEPARATOR_DROPPED");
    // A shorter or other fence closes nothing, and fences of the document have their prefix.
    adapts("```\na\n", "````\n@@\n ```\n-a\n+```\n````\n", "```\n```\n", "0:FENCE_REMOVED 1:BARE_HEADER");
    adapts("```\na\n", "```\n@@\n ```\n-a\n+~~~\n```\n", "```\n~~~\n", "0:FENCE_REMOVED 1:BARE_HEADER");
}

#[test]
fn lines_that_look_like_a_diff() {
    // Three lines make a file header; fewer are lines of the hunk.
    adapts("-- a\nb\n", "@@\n--- a\n+++ b\n b\n", "++ b\nb\n", "1:BARE_HEADER");
    adapts("-- a\nb\n", "@@\n--- a\n@@\n-b\n+c\n", "c\n", "1:BARE_HEADER 2:BARE_HEADER");
    adapts("-- a\nb\n", "@@ -9 +9 @@\n--- a\n+++ b\n", "++ b\nb\n", "1:MOVED");
    adapts("-- a\nb\n", "@@ -9 +9 @@\n--- a\n+++ b\n@@\n-b\n", "++ b\n", "1:MOVED 2:BARE_HEADER");
    adapts("- a\n", "@@\n-- a\n+- b\n", "- b\n", "1:BARE_HEADER");
    adapts("@@\n", "@@\n-@@\n+@@ x\n", "@@ x\n", "1:BARE_HEADER");
}

#[test]
fn exact_arithmetic_decides_among_equals() {
    applies("a\nb\na\n", "@@ -3 +3 @@\n-a\n+x\n", "a\nb\nx\n");
    adapts("a\n\na\n", "@@ -2,2 +2,2 @@\n\n-a\n+x\n", "a\n\nx\n", "1:BLANK_CONTEXT");
    adapts("a\nb\na\n", "```\n@@ -3 +3 @@\n-a\n+x\n```\n", "a\nb\nx\n", "0:FENCE_REMOVED");
}

#[test]
fn hunks_share_context() {
    let text = "a\nb\nc\nd\n";
    let bare = "1:BARE_HEADER 2:BARE_HEADER";
    adapts(text, "@@\n-a\n+x\n b\n c\n@@\n b\n c\n-d\n+y\n", "x\nb\nc\ny\n", bare);
    adapts(text, "@@\n-a\n+x\n b\n@@\n b\n+y\n c\n", "x\nb\ny\nc\nd\n", bare);
    adapts(text, "@@\n a\n+x\n b\n@@\n b\n+y\n", "a\nx\nb\ny\nc\nd\n", bare);
    adapts(text, "@@\n a\n+x\n@@\n+y\n b\n", "a\nx\ny\nb\nc\nd\n", bare);
    adapts(text, "@@\n a\n-b\n@@\n-c\n d\n", "a\nd\n", bare);
    // A hunk without changes has lost them on the way.
    refuses(Anchored, text, "@@\n a\n-b\n+x\n c\n@@\n c\n", &["2:NO_EFFECT 6"]);
    refuses(Anchored, text, "@@\n a\n b\n@@\n+x\n a\n", &["1:NO_EFFECT 1"]);
    refuses(
        Anchored,
        text,
        "@@\n z\n-b\n@@\n c\n@@\n-d\n",
        &["1:NOT_FOUND 2 @1:1 CONTENT z|a", "2:NO_EFFECT 4"],
    );
}

#[test]
fn empty_documents() {
    applies("", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n");
    adapts("", "@@\n+a\n+b\n", "a\nb\n", "1:BARE_HEADER");
    adapts("", "@@\n+a\r\n+b\n", "a\r\nb\n", "1:BARE_HEADER");
    adapts("", "@@\n+a\n\\ No newline\n", "a", "1:BARE_HEADER");
    adapts("", "@@ -1,0 +1,1 @@\n+a\n", "a\n", "1:MOVED");
    adapts("", "@@\n+a\n@@\n+b\n", "a\nb\n", "1:BARE_HEADER 2:BARE_HEADER");
}

#[test]
fn terminators_are_those_of_the_document() {
    let adapted = "1:BARE_HEADER 1:EOL_ADAPTED";
    adapts("a\r\nb\r\nc\r\n", "@@\n a\n-b\n+x\n+y\n c\n", "a\r\nx\r\ny\r\nc\r\n", adapted);
    adapts("a\nb\n", "@@\r\n a\r\n-b\r\n+x\r\n", "a\nx\n", adapted);
    adapts("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+x\n", "a\r\nx\r\n", "1:EOL_ADAPTED");
    adapts("a\r\nb\r\n", "@@ -1,2 +1 @@\n a\n-b\n", "a\r\n", "1:EOL_ADAPTED");
    adapts("a\r\nb\r\n", "@@\n+x\n a\n", "x\r\na\r\nb\r\n", adapted);
    adapts("a\r\nb\r\n", "@@\n b\n+x\n", "a\r\nb\r\nx\r\n", adapted);
    adapts(
        "a\r\nb",
        "@@\n-b\n+x\n+y\n\\ No newline\n",
        "a\r\nx\r\ny",
        "1:BARE_HEADER 1:EOL_ADAPTED 1:EOF_MARKER_IGNORED",
    );
    adapts("a\r\nb", "@@\n b\n+x\n", "a\r\nb\r\nx", "1:BARE_HEADER 1:EOL_ADAPTED 1:EOF_MARKER_IGNORED");
    // Where endings are mixed: the line above, which may be the removed one, else the line after, else the patch's.
    adapts("a\r\nb\n", "@@\n a\n+x\n b\n", "a\r\nx\r\nb\n", adapted);
    adapts("a\nb\r\n", "@@\n a\n-b\n+x\n", "a\nx\r\n", adapted);
    adapts("a\nb\r\n", "@@\n a\n+x\n", "a\nx\nb\r\n", "1:BARE_HEADER");
    adapts("a\r\nb\n", "@@\n-a\n+x\n-b\n+y\n", "x\r\ny\n", adapted);
    adapts("a\r\nb\n", "@@\n+x\n-a\n", "x\r\nb\n", adapted);
    adapts("a", "@@\n-a\n+x\r\n+y\r\n", "x\r\ny", "1:BARE_HEADER 1:EOF_MARKER_IGNORED");
    adapts("a\r\nb\r\nc\n", "@@ -9,2 +9,2 @@\n b\r\n-c\n+x\n", "a\r\nb\r\nx\n", "1:MOVED");
    // A lone CR is content.
    adapts("a\r\n", "@@\n-a\n+x\r\r\n", "x\r\r\n", adapted);
    // An LF alone would take the CR out of the content.
    adapts("a\n", "@@\n-a\n+x\r\r\n", "x\r\r\n", "1:BARE_HEADER");
    let ignored = "1:BARE_HEADER 1:EOF_MARKER_IGNORED";
    adapts("a\nb\r", "@@\n b\r\n\\ No newline\n+x\n", "a\nb\r\r\nx", ignored);
    adapts("a\rb\n", "@@\n-a\rb\n+c\rd\n", "c\rd\n", "1:BARE_HEADER");
}

#[test]
fn the_final_newline_is_that_of_the_document() {
    let ignored = "1:BARE_HEADER 1:EOF_MARKER_IGNORED";
    for (text, patch, after, repairs) in [
        // Without markers the document's own end is kept.
        ("a\nb", "@@\n a\n-b\n+x\n", "a\nx", ignored),
        ("a\nb\n", "@@\n a\n-b\n+x\n", "a\nx\n", "1:BARE_HEADER"),
        ("a\nb", "@@\n-a\n+x\n b\n", "x\nb", ignored),
        ("a\nb", "@@\n a\n-b\n", "a\n", ignored),
        ("a\nb", "@@\n-a\n+x\n", "x\nb", "1:BARE_HEADER"),
        // Markers that fit the document are honoured.
        ("a\nb", "@@\n a\n-b\n\\ No newline\n+x\n", "a\nx\n", "1:BARE_HEADER"),
        ("a\nb", "@@\n a\n-b\n\\ No newline\n+x\n\\ No newline\n", "a\nx", "1:BARE_HEADER"),
        ("a\nb\n", "@@\n a\n-b\n+x\n\\ No newline\n", "a\nx", "1:BARE_HEADER"),
        ("a\nb\n", "@@\n a\n+x\n\\ No newline\n-b\n", "a\nx", "1:BARE_HEADER"),
        ("a\nb", "@@\n-a\n+x\n b\n\\ No newline\n", "x\nb", "1:BARE_HEADER"),
        ("a\nb", "@@\n a\n-b\n\\ No newline\n", "a\n", "1:BARE_HEADER"),
        (
            "a\r\nb",
            "@@\r\n a\r\n-b\r\n\\ No newline\r\n+x\r\n\\ No newline\r\n",
            "a\r\nx",
            "1:BARE_HEADER 1:EOL_ADAPTED",
        ),
        ("a\nb\r", "@@\n a\n-b\r\n\\ No newline\n+x\r\n\\ No newline\n", "a\nx\r", "1:BARE_HEADER"),
        // Markers that do not are not.
        ("a\nb\n", "@@\n a\n-b\n\\ No newline\n+x\n", "a\nx\n", ignored),
        ("a\nb\n", "@@\n a\n-b\n\\ No newline\n+x\n\\ No newline\n", "a\nx\n", ignored),
        ("a\nb", "@@\n a\n-b\n+x\n\\ No newline\n", "a\nx", ignored),
        ("a\nb\n", "@@\n-a\n+x\n b\n\\ No newline\n", "x\nb\n", ignored),
        ("a\nb\n", "@@\n a\n-b\n\\ No newline\n", "a\n", ignored),
        ("a\nb\n", "@@\n-a\n+x\n\\ No newline\n", "x\nb\n", ignored),
        ("a\nb\n", "@@\n-a\n\\ No newline\n+x\n\\ No newline\n", "x\nb\n", ignored),
        ("a\nb\n", "@@\n-a\n+x\n\\ No newline\n b\n", "x\nb\n", ignored),
        ("a\n", "@@\n a\n+x\n\\ No newline\n+y\n", "a\nx\ny\n", ignored),
        ("a\n", "@@\n a\n+\n\\ No newline\n", "a\n\n", ignored),
        ("a\n", "@@\n\\ No newline\n-a\n+x\n", "x\n", ignored),
        (
            "a\n",
            "@@\n-a\n+x\n\n\\ No newline\n",
            "x\n",
            "1:BARE_HEADER 1:SEPARATOR_DROPPED 1:EOF_MARKER_IGNORED",
        ),
    ] {
        adapts(text, patch, after, repairs);
    }
    // The same where the arithmetic is exact but for the marker.
    adapts("a\n", "@@ -1 +1,3 @@\n a\n+x\n\\ No newline\n+y\n", "a\nx\ny\n", "1:EOF_MARKER_IGNORED");
    adapts("a\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n", "x\nb", "1:EOF_MARKER_IGNORED");
    adapts(
        "a\nb",
        "@@ -2 +2 @@\n-b\n\\ No newline\n+x\n\\ No newline\n\\ No newline\n",
        "a\nx",
        "1:EOF_MARKER_IGNORED",
    );
    adapts(
        "a\nb\nc\n",
        "@@ -1 +1 @@\n-a\n+x\n\\ No newline\n@@ -3 +2,0 @@\n-c\n",
        "x\nb\n",
        "1:EOF_MARKER_IGNORED",
    );
    let repairs = "1:BARE_HEADER 1:EOF_MARKER_IGNORED 2:BARE_HEADER";
    adapts("a\nb\n", "@@\n-a\n+x\n\\ No newline\n@@\n-b\n+y\n", "x\ny\n", repairs);
    // A marker on a blank line that was dropped says nothing of the next hunk.
    adapts(
        "a\nx\nc",
        "@@\n-a\n+b\n\r\n\\ No newline\n@@ -3 +3 @@\n-c\n+d\n",
        "b\nx\nd",
        "1:BARE_HEADER 1:SEPARATOR_DROPPED 2:EOF_MARKER_IGNORED",
    );
}

#[test]
fn appending_to_an_unterminated_line() {
    let ignored = "1:BARE_HEADER 1:EOF_MARKER_IGNORED";
    adapts("a\nb", "@@\n b\n+x\n", "a\nb\nx", ignored);
    adapts("a\nb", "@@\n b\n+x\n+y\n", "a\nb\nx\ny", ignored);
    adapts("b", "@@\n b\n+x\n\\ No newline\n", "b\nx", ignored);
    adapts("b", "@@\n b\n\\ No newline\n+x\n", "b\nx", ignored);
    adapts("a\nb", "@@\n-a\n b\n+x\n", "b\nx", ignored);
    adapts("a\nb", "@@\n a\n+y\n b\n+x\n", "a\ny\nb\nx", ignored);
}

#[test]
fn the_patch_lacks_its_last_newline() {
    let missing = "1:MISSING_FINAL_NEWLINE";
    let adapted = "1:BARE_HEADER 1:EOL_ADAPTED 1:MISSING_FINAL_NEWLINE";
    adapts("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+x", "a\nx\n", missing);
    adapts("a\nb\n", "@@ -1,2 +1 @@\n a\n-b", "a\n", missing);
    adapts("a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\n b", "x\nb\n", missing);
    adapts("a\nb\nc\n", "@@\n a\n-b\n+x", "a\nx\nc\n", "1:BARE_HEADER 1:MISSING_FINAL_NEWLINE");
    adapts("a\r\nb\r\n", "@@\r\n a\r\n-b\r\n+x", "a\r\nx\r\n", adapted);
    adapts("a\r\nb\r\n", "@@\r\n-a\r\n b", "b\r\n", adapted);
    adapts("a\n", "@@ -1 +1 @@\n-a\n+x\n\\ No newline", "x", missing);
    adapts("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline\n+x", "a\nx\n", missing);
}

/// Who trims a CRLF patch leaves the CR of its last terminator, or takes it from before a marker.
#[test]
fn a_trimmed_crlf_patch_leaves_no_cr_in_the_text() {
    let trimmed = "1:EOL_ADAPTED 1:MISSING_FINAL_NEWLINE";
    adapts("a\r\n", "@@ -1 +1 @@\r\n-a\r\n+b\r", "b\r\n", trimmed);
    adapts("a\n", "@@ -1 +1 @@\r\n-a\r\n+b\r", "b\n", trimmed);
    adapts("a\r\nb\r\n", "@@ -1,2 +1,2 @@\r\n-a\r\n+x\r\n b\r", "x\r\nb\r\n", trimmed);
    adapts("a\r\nb\r\n", "@@ -1,2 +1 @@\r\n-a\r\n b\r", "b\r\n", trimmed);
    for end in ["\r", ""] {
        let patch = format!("@@ -1 +1 @@\r\n-a\r\n\\ No newline\r\n+b\r\n\\ No newline{end}");
        adapts("a", &patch, "b", trimmed);
        adapts("a\r\n", &patch, "b\r\n", "1:EOL_ADAPTED 1:EOF_MARKER_IGNORED 1:MISSING_FINAL_NEWLINE");
    }
    // In a patch of LF lines a CR is content.
    adapts("a\n", "@@ -1 +1 @@\n-a\n+b\r", "b\r\r\n", "1:MISSING_FINAL_NEWLINE");
    adapts("a\n", "@@ -1 +1 @@\n-a\n+b\r\n\\ No newline", "b\r", "1:MISSING_FINAL_NEWLINE");
}

/// An empty line cannot go without its terminator, so the text ends with it.
#[test]
fn an_added_blank_last_line_is_kept() {
    let ignored = "1:BARE_HEADER 1:EOF_MARKER_IGNORED";
    adapts("a", "@@\n a\n+\n", "a\n\n", ignored);
    adapts("a", "@@\n a\n+b\n+\n", "a\nb\n\n", ignored);
    adapts("a\r\nb", "@@\n b\n+\n", "a\r\nb\r\n\r\n", "1:BARE_HEADER 1:EOL_ADAPTED 1:EOF_MARKER_IGNORED");
    adapts("a\nb", "@@\n a\n-b\n+\n", "a\n\n", ignored);
    adapts("a", "@@ -1 +1 @@\n-a\n+\n", "\n", "1:EOF_MARKER_IGNORED");
}

#[test]
fn blank_lines_after_a_hunk_are_context_where_that_makes_its_place_unique() {
    let text = "x\ny\nx\n\nz\nx\n\n\nz\n";
    let context = "1:BARE_HEADER 1:BLANK_CONTEXT";
    adapts("x\ny\nx\n\nz\n", "@@\n-x\n+w\n\n", "x\ny\nw\n\nz\n", context);
    let adapted = format!("{context} 1:EOL_ADAPTED");
    adapts("x\ny\nx\n\nz\n", "@@\n-x\n+w\n\r\n", "x\ny\nw\n\nz\n", &adapted);
    adapts(text, "@@\n-x\n+w\n\n\n", "x\ny\nx\n\nz\nw\n\n\nz\n", context);
    adapts(text, "@@\n-x\n+w\n\n\n\n", "x\ny\nx\n\nz\nw\n\n\nz\n", &format!("{context} 1:SEPARATOR_DROPPED"));
    refuses(Anchored, text, "@@\n-x\n+w\n\n", &["1:AMBIGUOUS 1 [1, 3, 6]"]);
    refuses(Anchored, "x\ny\nx\n", "@@\n-x\n+w\n\n", &["1:AMBIGUOUS 1 [1, 3]"]);
    adapts("x\ny\nx\n\nx\n", "@@\n-x\n+w\n\n\n", "x\ny\nw\n\nx\n", &format!("{context} 1:SEPARATOR_DROPPED"));
    let patch = "@@\n-x\n+w\n\n@@\n-z\n+v\n";
    let repairs = "1:BARE_HEADER 1:BLANK_CONTEXT 2:BARE_HEADER";
    adapts("x\ny\nx\n\nz\n", patch, "x\ny\nw\n\nv\n", repairs);
}
