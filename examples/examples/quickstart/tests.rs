//! The checks hold on the runbook and on any text, and the output is the same each time and fits the page.

use std::path::Path;

use serde_json::Value;

use super::script::Script;
use super::terminal::{Terminal, WIDTH, columns};
use super::{derive, run};

fn output(script: &Script, colour: bool) -> String {
    let mut out = Vec::new();
    run(script, &mut Terminal::new(&mut out, colour)).expect("the checks hold");
    String::from_utf8(out).expect("only text is printed")
}

fn runbook() -> Script {
    Script::runbook().expect("the recorded answers can be read")
}

#[track_caller]
fn check_page(page: &str) {
    for line in page.lines() {
        assert!(columns(line) <= WIDTH, "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    for part in [
        "PATCH_REJECTED",
        "NOT_FOUND",
        "STALE_EPOCH",
        "proposed as p1",
        "accepts p",
        "✓ user’s text",
        "✓ invariant",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
}

#[test]
fn the_runbook_fits_one_page_and_never_changes() {
    let page = output(&runbook(), false);
    check_page(&page);
    assert!(page.lines().count() <= 144, "{} lines", page.lines().count());
    assert_eq!(page, output(&runbook(), false));
    assert!(page.contains("COUNTS_CORRECTED"));
}

/// What the model reads has the numbers that it has in the document.
#[test]
fn lines_that_were_read_have_their_numbers() {
    let script = runbook();
    let document: Vec<_> = script.text.lines().collect();
    let page = output(&script, false);
    let (mut read, mut reads) = (0, 0);
    for line in page.lines() {
        match line.split_once(" │ ").map(|(number, text)| (number.trim().parse::<usize>(), text)) {
            Some((Ok(number), text)) => {
                assert_eq!(document[number - 1], text, "line {number}");
                read += 1;
            }
            _ => reads += usize::from(line.contains("✓ read_lines    lines ")),
        }
    }
    assert!(reads >= 3 && read > 2 * reads, "{reads} reads of {read} lines\n{page}");
}

#[test]
fn colour_adds_only_colour() {
    let coloured = output(&runbook(), true);
    let mut plain = String::new();
    for (i, piece) in coloured.split("\x1b[").enumerate() {
        plain.push_str(if i == 0 { piece } else { piece.split_once('m').expect("a colour ends in m").1 });
    }
    assert_eq!(plain, output(&runbook(), false));
}

#[test]
fn any_text_has_a_place_to_edit() {
    let long = "word ".repeat(20_000);
    let same = "the same line\n".repeat(1_000);
    for text in [
        "",
        "\n",
        "\n\n\n",
        "x",
        "hello",
        "hello\n",
        "a\nb\nb\n",
        "\r\n\r\n",
        "# One\r\n\r\nSome text here.\r\nAnd more of it.\r\n",
        "mixed\r\nline\nendings here\r\nlast",
        "lone\rcarriage\rreturns in it\n",
        "\u{feff}# A byte order mark\n\tand\ttabs\x1b[31m\n",
        "nul \0 and \u{202e}bidi\n",
        "二行目\n日本語の文書です。これは最初の行です。\n",
        "```\n````\n@@ -1 +1 @@\n--- a\n+++ b\n-x\n+y\n\\ No newline at end of file\n",
        "Noted by the assistant in turn 1.\nNoted by the assistant in turn 2.\n",
        &same,
        &long,
    ] {
        check_page(&output(&derive::script("text".into(), text.into()), false));
    }
}

#[test]
fn a_script_for_other_ids_is_refused() {
    for (place, given) in
        [("/1/content/0/input/lease_id", "lease-1-1"), ("/4/content/1/input/base_revision_id", "r1-")]
    {
        let mut script = runbook();
        let mut answers = Value::from(script.first.answers);
        *answers.pointer_mut(place).expect("the runbook has such an id") = "lease-7-7".into();
        script.first.answers = answers.as_array().cloned().unwrap_or_default();
        let problem = run(&script, &mut Terminal::new(Vec::new(), false)).expect_err("the id is wrong");
        let words = problem.to_string();
        assert!(words.contains("lease-7-7, the engine gave") && words.contains(given), "{words}");
    }
}

#[test]
fn what_is_no_text_file_is_refused() {
    for path in ["no/such/file.md", "src"] {
        let problem = Script::of_file(Path::new(path)).err().expect("there is nothing to read");
        assert!(problem.to_string().contains("cannot be read"), "{problem}");
    }
}
