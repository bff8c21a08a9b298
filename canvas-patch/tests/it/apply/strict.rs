//! Patches that strict mode applies.

use canvas_patch::Mode::Strict;

use crate::apply::{applies, refuses};

#[test]
fn one_hunk() {
    applies("a\n", "@@ -1 +1 @@\n-a\n+b\n", "b\n");
    applies("a\n", "@@ -1,1 +1,1 @@\n-a\n+b\n", "b\n");
    applies("a\n", "@@ -01 +001 @@\n-a\n+b\n", "b\n");
    applies("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n", "a\nx\nc\n");
    applies("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n+x\n-b\n c\n", "a\nx\nc\n");
    applies("a\nb\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n", "a\nc\n");
    applies("a\nc\n", "@@ -1,2 +1,3 @@\n a\n+b\n c\n", "a\nb\nc\n");
    applies("a\nb\nc\n", "@@ -1,3 +1,3 @@\n-a\n+x\n b\n-c\n+y\n", "x\nb\ny\n");
}

#[test]
fn no_context() {
    applies("a\nb\nc\n", "@@ -2 +2 @@\n-b\n+x\n", "a\nx\nc\n");
    applies("a\nb\nc\n", "@@ -2 +1,0 @@\n-b\n", "a\nc\n");
    applies("a\nb\n", "@@ -0,0 +1 @@\n+x\n", "x\na\nb\n");
    applies("a\nb\n", "@@ -1,0 +2 @@\n+x\n", "a\nx\nb\n");
    applies("a\nb\n", "@@ -2,0 +3,2 @@\n+x\n+y\n", "a\nb\nx\ny\n");
    applies("a\nb\n", "@@ -1 +0,0 @@\n-a\n@@ -2 +1 @@\n-b\n+c\n", "c\n");
}

#[test]
fn empty_sides() {
    applies("", "@@ -0,0 +1 @@\n+a\n", "a\n");
    applies("", "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline\n", "a\nb");
    applies("", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "a\n");
    applies("a\n", "@@ -1 +0,0 @@\n-a\n", "");
    applies("a\nb", "@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline\n", "");
    applies("a\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "");
}

#[test]
fn several_hunks() {
    applies("a\nb\nc\nd\ne\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -4,2 +5,1 @@\n d\n-e\n", "a\nx\nb\nc\nd\n");
    // Hunks may touch, but share no line.
    applies("a\nb\n", "@@ -1 +1 @@\n-a\n+x\n@@ -2 +2 @@\n-b\n+y\n", "x\ny\n");
    applies("a\nb\n", "@@ -1 +1,2 @@\n a\n+x\n@@ -1,0 +3 @@\n+y\n", "a\nx\ny\nb\n");
    // A hunk without changes has lost them on the way.
    refuses(Strict, "a\nb\n", "@@ -1 +1 @@\n a\n@@ -2 +2 @@\n-b\n+y\n", &["1:NO_EFFECT 1"]);
    applies("a\nb\nc\n", "@@ -1 +0,0 @@\n-a\n@@ -3 +1,0 @@\n-c\n", "b\n");
}

#[test]
fn the_stated_place_decides_among_equals() {
    applies("a\na\na\n", "@@ -2 +2 @@\n-a\n+b\n", "a\nb\na\n");
    applies("x\n\nx\n\nx\n", "@@ -3,2 +3,1 @@\n-x\n \n", "x\n\n\nx\n");
}

#[test]
fn no_newline_at_the_end() {
    applies("a", "@@ -1 +1 @@\n-a\n\\ No newline\n+b\n\\ No newline\n", "b");
    applies("a", "@@ -1 +1 @@\n-a\n\\ No newline\n+b\n", "b\n");
    applies("a", "@@ -1 +1 @@\n-a\n\\ No newline\n+a\n", "a\n");
    applies("a\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline\n", "b");
    applies("a\n", "@@ -1 +1 @@\n-a\n+a\n\\ No newline\n", "a");
    applies("a\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline\n", "x\nb");
    applies("a\nb", "@@ -1,2 +1 @@\n a\n-b\n\\ No newline\n", "a\n");
    applies("a\nb", "@@ -1,2 +1 @@\n-a\n-b\n\\ No newline\n+b\n", "b\n");
    applies("a\nb", "@@ -2 +2 @@\n+x\n\\ No newline\n-b\n\\ No newline\n", "a\nx");
    applies("a", "@@ -1 +1,2 @@\n-a\n\\ No newline\n+a\n+b\n\\ Kein Zeilenumbruch\n", "a\nb");
    applies("a\nb", "@@ -1 +1 @@\n-a\n+x\n@@ -2 +2 @@\n-b\n\\ No newline\n+y\n\\ No newline\n", "x\ny");
    applies("a\nb", "@@ -2 +1,0 @@\n-b\n\\ No newline\n", "a\n");
}

#[test]
fn terminators_are_content() {
    applies("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "a\r\nc\r\n");
    applies("a\r\nb\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n-b\n+b\r\n", "a\nb\r\n");
    applies("a\rb\n", "@@ -1 +1 @@\n-a\rb\n+a\rc\n", "a\rc\n");
    applies("a\n\r", "@@ -2 +2 @@\n-\r\n\\ No newline\n+b\n", "a\nb\n");
    applies("a\r\r\n", "@@ -1 +1 @@\n-a\r\r\n+a\r\n", "a\r\n");
}

#[test]
fn bytes_are_taken_as_they_are() {
    applies("\u{feff}# A\nb\n", "@@ -1,2 +1,2 @@\n \u{feff}# A\n-b\n+c\n", "\u{feff}# A\nc\n");
    applies("\u{feff}a\n", "@@ -1 +1 @@\n-\u{feff}a\n+a\n", "a\n");
    applies("a\0b\n", "@@ -1 +1 @@\n-a\0b\n+a\0\0\n", "a\0\0\n");
    applies("𝔘 🦀\n", "@@ -1 +1 @@\n-𝔘 🦀\n+𝔘 🦀\u{2028}\n", "𝔘 🦀\u{2028}\n");
    applies("\u{b}\u{c}\u{85}\n", "@@ -1 +1 @@\n-\u{b}\u{c}\u{85}\n+\n", "\n");
}

#[test]
fn lines_that_look_like_a_diff() {
    applies("-- a\n", "@@ -1 +1 @@\n--- a\n+++ b\n", "++ b\n");
    applies("-- a\nb\n", "@@ -1 +1 @@\n--- a\n+++ b\n@@ -2 +2 @@\n-b\n+@@ -1 +1 @@\n", "++ b\n@@ -1 +1 @@\n");
    applies("@@ -1 +1 @@\n", "@@ -1 +1 @@\n-@@ -1 +1 @@\n+diff --git a b\n", "diff --git a b\n");
    applies("\\ x\n", "@@ -1 +1 @@\n-\\ x\n+\\ y\n", "\\ y\n");
    applies("```\n", "@@ -1 +1,2 @@\n ```\n+```\n", "```\n```\n");
}

#[test]
fn headers() {
    let (text, body, after) = ("a\n", "-a\n+b\n", "b\n");
    for header in [
        "@@ -1 +1 @@ # Heading\n",
        "@@ -1 +1 @@ @@ x @@\n",
        "@@ -1 +1 @@ \n",
        "--- a\n+++ b\n@@ -1 +1 @@\n",
        "--- a/f\t2026-01-01\n+++ b/f\t2026-01-01\n@@ -1 +1 @@\n",
        "diff -u a b\n--- a\n+++ b\n@@ -1 +1 @@\n",
        "Index: f\n===================================\n--- a\n+++ b\n@@ -1 +1 @@\n",
        "diff --git a/f b/f\nindex 1234567..89abcde 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n",
        "diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n",
        "diff --git a/f b/g\ndissimilarity index 9%\ncopy from f\ncopy to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n",
        "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n",
        "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +1 @@\n",
        "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n",
    ] {
        applies(text, &format!("{header}{body}"), after);
    }
}

#[test]
fn long_texts() {
    let text: String = (1..=5000).map(|i| format!("line {i}\n")).collect();
    let patch = "@@ -4998,2 +4998,3 @@\n line 4998\n+new\n line 4999\n";
    applies(&text, patch, &text.replace("line 4999\n", "new\nline 4999\n"));
}
