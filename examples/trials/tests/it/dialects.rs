//! Real changes in every native dialect through the bridge, with zero to three lines of context.
//!
//! What is accepted has the right bytes; what is refused is ambiguous, or has nothing to stand on, by a count of its own.

#![expect(clippy::print_stdout, reason = "counts are the result of a corpus run")]

use std::path::{Path, PathBuf};

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

const DIALECTS: [&str; 6] =
    ["text-editor", "apply-patch", "codex-patch", "edit", "replace", "search-replace"];

const BY_STRING: [&str; 3] = ["text-editor", "edit", "replace"];

/// Our own changes, or those of the large corpus where it is at hand: with `CANVAS_CORPUS=all` every one, else one in eight.
fn rows() -> Vec<[String; 2]> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = here.join("../../canvas-patch/tests/corpus/changes.jsonl");
    let mut text = std::fs::read_to_string(own).expect("our own corpus is in the repository");
    let data = std::env::var("CANVAS_DATA").map_or_else(|_| here.join("../../../shared/data"), PathBuf::from);
    match std::fs::read_to_string(data.join("patch/corpus_dev.jsonl")) {
        Ok(large) => text = large,
        Err(e) => println!("SKIPPED: the large corpus ({e})"),
    }
    let side = |row: &Value, name: &str| row[name].as_str().expect("a change has two texts").to_owned();
    let rows = text.lines().map(|line| serde_json::from_str(line).expect("the corpus is JSON lines"));
    // All of them take minutes in a debug build.
    let step = if is_whole_corpus() { 1 } else { 8 };
    rows.step_by(step).map(|row: Value| [side(&row, "before"), side(&row, "after")]).collect()
}

fn is_whole_corpus() -> bool {
    std::env::var("CANVAS_CORPUS").is_ok_and(|which| which == "all")
}

struct Host(Bridge);

impl Host {
    fn ask(&mut self, request: &Value) -> Value {
        serde_json::from_str(&self.0.call(&request.to_string())).expect("a reply is JSON")
    }

    fn render(
        &mut self,
        [before, after]: &[String; 2],
        dialect: &str,
        context: usize,
        unique: bool,
    ) -> Option<Vec<Value>> {
        let reply = self.ask(&json!({
            "op": "native.render", "before": before, "after": after, "dialect": dialect, "context": context,
            "unique": unique,
        }));
        reply["result"]["calls"].as_array().cloned()
    }

    /// The text that calls lead to; the text, the call and the reply where one is refused.
    fn run(&mut self, text: &str, dialect: &str, calls: &[Value]) -> Result<String, (String, Value, Value)> {
        let mut text = text.to_owned();
        for call in calls {
            let reply =
                self.ask(&json!({"op": "native.apply", "text": text, "dialect": dialect, "call": call}));
            let Some(after) = reply["result"]["text"].as_str() else {
                return Err((text, call.clone(), reply));
            };
            text = after.to_owned();
        }
        Ok(text)
    }
}

#[test]
fn real_changes_in_every_dialect() {
    let (rows, mut host) = (rows(), Host(Bridge::new()));
    for dialect in DIALECTS {
        let sayable: Vec<&[String; 2]> = rows
            .iter()
            .filter(|row| {
                host.render(row, dialect, 1, true).is_some_and(|calls| {
                    let done = host.run(&row[0], dialect, &calls);
                    assert!(
                        done.as_ref() == Ok(&row[1]),
                        "{dialect} does not take what it renders: {calls:?}"
                    );
                    true
                })
            })
            .collect();
        let (mut refused, mut plain) = ([0; 4], [0; 4]);
        for context in 0..4 {
            for row in &sayable {
                let calls = host.render(row, dialect, context, false).expect("it is not tried");
                match host.run(&row[0], dialect, &calls) {
                    Ok(done) => {
                        assert!(is_right(&done, row), "{dialect} with {context} lines: {calls:?}");
                        // Strings may reach over the end of the text, and a file that is made quotes nothing.
                        let is_free = row[0].is_empty() || BY_STRING.contains(&dialect);
                        assert!(is_free || has_one_place(dialect, &row[0], &calls[0]), "{dialect} {calls:?}");
                    }
                    Err((text, call, reply)) => {
                        assert!(!has_one_place(dialect, &text, &call), "{dialect} {call} {reply}");
                        refused[context] += 1;
                        plain[context] += usize::from(is_plain(row));
                    }
                }
            }
        }
        // What the unique rule refuses of the hunks of Myers; of those of difflib it refuses 118, 29, 9 and 2.
        if dialect == "apply-patch" && rows.len() == 400 {
            assert_eq!((sayable.iter().filter(|row| is_plain(row)).count(), plain), (281, [118, 25, 9, 2]));
        }
        println!(
            "{dialect}: {} of {} changes can be said, 0 wrong; refused with 0 to 3 lines of context: {refused:?}",
            sayable.len(),
            rows.len()
        );
    }
}

/// Whether a change is one of lines only, between texts of one terminator.
fn is_plain([before, after]: &[String; 2]) -> bool {
    let terminators =
        |text: &str| (text.contains("\r\n"), text.replace("\r\n", "").contains('\n'), text.ends_with('\n'));
    let is_one = |(crlf, lf, _)| crlf != lf;
    terminators(before) == terminators(after) && is_one(terminators(before))
}

/// Whether a text is the one that is wanted. Where terminators are mixed, no form says which one a line has.
fn is_right(done: &str, [before, after]: &[String; 2]) -> bool {
    let is_mixed = |text: &str| (1..text.matches('\n').count()).contains(&text.matches("\r\n").count());
    let may_differ = is_mixed(before) || is_mixed(after);
    done == after || may_differ && done.replace("\r\n", "\n") == after.replace("\r\n", "\n")
}

/// Whether all that a call quotes occurs at just one place, counted without any of ours.
fn has_one_place(dialect: &str, text: &str, call: &Value) -> bool {
    let field = |name: &str| call[name].as_str().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let once = |quoted: &[&str]| {
        !quoted.is_empty() && lines.windows(quoted.len()).filter(|window| *window == quoted).count() == 1
    };
    match dialect {
        "text-editor" => occurs_once(text, field("old_str")),
        "edit" | "replace" => occurs_once(text, field("old_string")),
        "search-replace" => field("text").split("<<<<<<< SEARCH\n").skip(1).all(|block| {
            let (search, _) = block.split_once("=======\n").unwrap_or_default();
            once(&search.lines().collect::<Vec<_>>())
        }),
        _ => {
            let diff = format!("{}{}", field("diff"), field("input"));
            let hunks = diff.split("@@\n").skip(1);
            hunks.into_iter().all(|hunk| {
                let body = hunk.lines().take_while(|line| *line != "*** End Patch");
                let old: Vec<&str> = body
                    .filter(|line| !line.starts_with('+'))
                    .map(|line| line.get(1..).unwrap_or_default())
                    .collect();
                once(&old)
            })
        }
    }
}

fn occurs_once(text: &str, old: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    let starts = text.char_indices().filter(|(at, _)| text[*at..].starts_with(old));
    !old.is_empty() && starts.take(2).count() == 1
}
