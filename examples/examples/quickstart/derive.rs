//! Turns for any text: a place to edit, and the answers of a model that edits there.

use canvas_core::proposal::{DecideParts, PartChoice};
use canvas_core::text::{ApplyOptions, Mode, apply, build};
use serde_json::{Value, json};

use super::script::{Script, Turn, UserEdit};
use super::terminal::fit;

const FIRST_NOTE: &str = "Noted by the assistant in turn 1.";
const SECOND_NOTE: &str = "Noted by the assistant in turn 2.";
const THIRD_NOTE: &str = "Proposed by the assistant in turn 3.";
const TYPED: &str = "Typed by the user while the assistant was writing.";

/// Three turns on a text: the model adds a note; then the user edits before the second note is in; then the model proposes a
/// note, which the user accepts.
pub(crate) fn script(name: String, text: String) -> Script {
    let place = Place::choose(&text);
    let after = place.insert(&text, FIRST_NOTE);
    let right = place.patch(&text, &after);
    let late = place.patch(&after, &place.insert(&after, SECOND_NOTE));
    let typed = append(&after);
    let proposed = place.patch(&typed, &place.insert(&typed, THIRD_NOTE));
    let (word, quote) = (&place.word, fit(place.quote, 40));
    let (from, to) = (place.line.saturating_sub(2).max(1), place.line + 2);

    let lease = "lease-1-1";
    let read_start = json!({"lease_id": lease, "start_line": 1, "end_line": 3});
    let read = json!({"lease_id": lease, "start_line": from, "end_line": to});
    let first = [
        answer(
            96,
            vec![
                thinking("A note below one line. I need the lease, then the place."),
                call("1-1", "canvas_check_out", json!({})),
            ],
        ),
        answer(
            118,
            vec![
                call("1-2", "canvas_grep", json!({"lease_id": lease, "query": word})),
                call("1-3", "canvas_read_lines", read_start),
            ],
        ),
        answer(74, vec![call("1-4", "canvas_read_lines", read)]),
        answer(
            232,
            vec![call(
                "1-5",
                "canvas_apply_patch",
                json!({
                    "lease_id": lease, "patch": place.misquoted(&text, &right),
                }),
            )],
        ),
        answer(
            318,
            vec![
                words("I misquoted a line. Once more, from what I have read."),
                call("1-6", "canvas_apply_patch", json!({"lease_id": lease, "patch": right})),
            ],
        ),
        answer(64, vec![call("1-7", "canvas_check_in", json!({"lease_id": lease}))]),
        answer(40, vec![words("The note is in.")]),
    ];

    let lease = "lease-2-2";
    let read = json!({"lease_id": lease, "start_line": from, "end_line": to});
    let second = [
        answer(
            81,
            vec![
                thinking("Line numbers have moved, so I read again."),
                call("2-1", "canvas_check_out", json!({})),
            ],
        ),
        answer(109, vec![call("2-2", "canvas_read_lines", read)]),
        answer(227, vec![call("2-3", "canvas_apply_patch", json!({"lease_id": lease, "patch": late}))]),
        answer(55, vec![words("You are typing at the end of the text, so I have stopped. I wrote nothing.")]),
    ];

    let read = json!({"start_line": from, "end_line": to});
    let third = [
        answer(66, vec![call("3-1", "canvas_read_lines", read)]),
        answer(130, vec![call("3-2", "canvas_apply_patch", json!({"patch": proposed}))]),
        answer(31, vec![words("One more note waits for you.")]),
    ];

    Script {
        first: Turn {
            prompt: if place.quote.trim().is_empty() {
                "Write a first note here.".into()
            } else {
                format!("Put a note beside the line that says “{quote}”.")
            },
            answers: first.into(),
        },
        second: Turn { prompt: "And another note beside it, please.".into(), answers: second.into() },
        user_edit: UserEdit { during: 3, words: TYPED, edit: append },
        third: Turn { prompt: "Propose one more, and I decide later.".into(), answers: third.into() },
        decision: DecideParts::of(PartChoice::All, PartChoice::default()),
        farewell: "Good, leave it like that.".into(),
        name,
        text,
    }
}

/// A line to edit beside.
struct Place<'t> {
    /// Its content, without terminator.
    quote: &'t str,
    /// Its number, from 1.
    line: usize,
    /// Byte offset for a line beside it: after it, or before it where it ends the text without a terminator.
    at: usize,
    eol: &'static str,
    /// What to look for in order to find it.
    word: String,
}

impl<'t> Place<'t> {
    /// A short line that occurs once, from the second third of the text onwards; failing that, the first line that
    /// is not blank; failing that, the first.
    fn choose(text: &'t str) -> Self {
        let third = (0..=text.len() / 3).rfind(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let start = text[third..].find('\n').map_or(0, |i| third + i + 1);
        let lines = |from: usize| {
            text[from..].split_inclusive('\n').scan(from, |at, line| {
                let start = *at;
                *at += line.len();
                Some((start, line))
            })
        };
        let is_fit = |(_, line): &(usize, &str)| (8..=200).contains(&line.trim().len());
        // A few tries are enough for a text that people wrote; each one looks through all of it.
        let once = lines(start)
            .chain(lines(0))
            .filter(is_fit)
            .take(50)
            .find(|(_, line)| text.match_indices(line.trim()).nth(1).is_none());
        let filled = || lines(0).find(|(_, line)| !line.trim().is_empty());
        let (start, line) = once.or_else(filled).or_else(|| lines(0).next()).unwrap_or((0, ""));

        let unended = line.strip_suffix('\n');
        let quote = unended.map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        let eol = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
        Self {
            quote,
            line: 1 + text[..start].matches('\n').count(),
            at: if unended.is_some() { start + line.len() } else { start },
            eol,
            word: longest_word(quote),
        }
    }

    fn insert(&self, text: &str, note: &str) -> String {
        [&text[..self.at], note, self.eol, &text[self.at..]].concat()
    }

    /// The patch as models write it, with wrong counts and without carriage returns, where it can be placed like
    /// that; exact where lines occur so often that only their numbers tell them apart.
    fn patch(&self, before: &str, after: &str) -> String {
        let exact = build(before, after, 2);
        let lines = exact.split_once('\n').map_or("", |(_, lines)| lines).replace("\r\n", "\n");
        let sloppy = format!("@@ -{0},9 +{0},9 @@\n{lines}", self.line);
        let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
        match apply(before, &sloppy, &options) {
            Ok(applied) if applied.text() == after => sloppy,
            _ => exact,
        }
    }

    /// The patch with one line that the text does not have.
    fn misquoted(&self, text: &str, patch: &str) -> String {
        let mut wrong = if text.is_empty() { "# Title".into() } else { swapped(self.quote, &self.word) };
        while text.contains(&wrong) {
            wrong.push('?');
        }
        let (header, lines) = patch.split_once('\n').unwrap_or((patch, ""));
        let mut lines: Vec<String> = lines.split_inclusive('\n').map(str::to_owned).collect();
        let quoted = lines.iter_mut().find(|line| {
            line.strip_prefix([' ', '-'])
                .is_some_and(|line| line.trim_end_matches(['\r', '\n']) == self.quote)
        });
        match quoted {
            Some(line) => *line = format!("{}{wrong}\n", &line[..1]),
            // An empty text has no line to misquote.
            None => lines.insert(0, format!(" {wrong}\n")),
        }
        format!("{header}\n{}", lines.concat())
    }
}

fn append(text: &str) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { eol };
    [text, end, TYPED, eol].concat()
}

fn longest_word(line: &str) -> String {
    let words = line.split(|c: char| !c.is_alphanumeric());
    let word: String = words.max_by_key(|word| word.len()).unwrap_or_default().chars().take(40).collect();
    match (word.is_empty(), line.trim()) {
        (false, _) => word,
        (true, "") => "TODO".into(),
        (true, marks) => marks.chars().take(40).collect(),
    }
}

/// The line with two letters of the word in the wrong order, as if written from memory.
fn swapped(line: &str, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if let Some(i) = (1..letters.len()).rev().find(|&i| letters[i - 1] != letters[i]) {
        letters.swap(i - 1, i);
    }
    line.replacen(word, &letters.iter().collect::<String>(), 1)
}

/// An answer in the form in which Anthropic Messages gives it.
fn answer(tokens: u32, content: Vec<Value>) -> Value {
    let calls = content.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": format!("msg_quickstart_{tokens}"),
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": content,
        "stop_reason": if calls { "tool_use" } else { "end_turn" },
        "stop_sequence": null,
        "usage": {"input_tokens": 2_000, "output_tokens": tokens},
    })
}

fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": "cXVpY2tzdGFydA=="})
}

fn words(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_quickstart_{id}"), "name": name, "input": input})
}
