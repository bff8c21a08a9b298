//! Edit tasks, made of real changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use canvas_patch::build;
use serde::Deserialize;
use serde_json::{Value, json};

/// How many tasks are played.
pub const TASKS: usize = 24;

/// A change of the corpus.
#[derive(Debug, Deserialize)]
struct Change {
    id: String,
    before: String,
    patch: String,
    after: String,
}

/// One document, what is to become of it, and the calls that do it.
#[derive(Debug)]
pub struct Task {
    /// Of the change in the corpus.
    pub id: String,
    /// The document.
    pub before: String,
    /// What the calls must leave.
    pub after: String,
    /// In order.
    pub steps: Vec<Step>,
    /// Patches that are refused on the document, for each of the three commonest refusals.
    pub mistakes: Vec<Mistake>,
}

/// A patch that is refused.
#[derive(Debug)]
pub struct Mistake {
    /// The patch.
    pub patch: String,
    /// The text that the user saves between the model's reading and its patch.
    pub edited: Option<String>,
}

/// What is sent to the tools. Lease and base are put in as the last replies gave them.
#[derive(Debug, Clone)]
pub enum Step {
    /// A call of a tool.
    Call(&'static str, Value),
    /// A patch that must be done.
    Patch(String),
    /// The user edits the document: adds a line at its end, and takes it away again.
    UserEdits,
}

/// The tasks, or `None` where the corpus is not there.
///
/// They are spread over the changes that a person could ask for in a sentence: documents of 12 KB or more, patches of less
/// than 5 KB. As in a trial with a model, two searches are far too broad, those in the two largest documents, and every
/// fourth task lists the headings first.
///
/// # Panics
///
/// Where a line of the corpus is no JSON.
pub fn tasks() -> Option<Vec<Task>> {
    let data =
        std::env::var_os("CANVAS_DATA").map_or_else(|| PathBuf::from("../../../shared/data"), PathBuf::from);
    let corpus = fs::read_to_string(data.join("patch/corpus_dev.jsonl")).ok()?;
    let changes: Vec<Change> = corpus
        .lines()
        .map(|line| serde_json::from_str(line).expect("the corpus is JSON lines"))
        .filter(|change: &Change| {
            // A change of line terminators alone cannot be asked for: an inserted line takes its neighbour's.
            let differs = without_cr(&change.before) != without_cr(&change.after);
            change.before.len() >= 12_000 && change.patch.len() < 5_000 && differs
        })
        .collect();
    let apart = (changes.len() / TASKS).max(1);
    let chosen: Vec<&Change> = changes.iter().step_by(apart).take(TASKS).collect();
    let mut sizes: Vec<usize> = chosen.iter().map(|change| change.before.len()).collect();
    sizes.sort_unstable();
    let large = sizes.iter().rev().nth(1).copied().unwrap_or(0);
    let tasks = chosen.into_iter().enumerate();
    Some(tasks.map(|(number, change)| task(number, change, change.before.len() >= large)).collect())
}

/// A text with its line terminators made alike.
pub fn without_cr(text: &str) -> String {
    text.replace('\r', "")
}

/// A hunk of a patch.
struct Hunk {
    header: String,
    start: usize,
    lines: Vec<String>,
}

fn task(number: usize, change: &Change, is_large: bool) -> Task {
    let patch = build(&change.before, &change.after, 2);
    let hunks = hunks(&patch);
    let mut steps = vec![Step::Call("canvas_check_out", json!({}))];
    if number.is_multiple_of(4) {
        steps.push(Step::Call("canvas_grep", json!({"query": "^#+ ", "regex": true})));
    }
    if is_large && let Some(word) = commonest_word(&change.before) {
        steps.push(Step::Call("canvas_grep", json!({"query": word})));
    }
    for hunk in hunks.iter().take(3) {
        if let Some(word) = longest_word(hunk) {
            steps.push(Step::Call("canvas_grep", json!({"query": word})));
        }
        let old = hunk.lines.iter().filter(|line| !line.starts_with('+')).count();
        let (start, end) = (hunk.start.saturating_sub(4).max(1), hunk.start + old + 4);
        steps.push(Step::Call("canvas_read_lines", json!({"start_line": start, "end_line": end})));
    }
    // Bare headers, as the prompt invites to write them; the numbered patch follows where a place is not unique.
    let bare: String = hunks.iter().map(|hunk| format!("@@\n{}", hunk.lines.concat())).collect();
    match number % 6 {
        0 => steps
            .extend(misquoted(&hunks).map(|patch| Step::Call("canvas_apply_patch", json!({"patch": patch})))),
        1 => steps.push(Step::Call("canvas_apply_patch", json!({"patch": bare.replace('\n', "\\n")}))),
        2 => steps.push(Step::UserEdits),
        3 => steps.push(Step::Call("canvas_check_out", json!({}))),
        _ => {}
    }
    if number % 3 != 2 {
        let exact: String =
            hunks.iter().map(|hunk| format!("{}\n{}", hunk.header, hunk.lines.concat())).collect();
        steps.push(Step::Call("canvas_apply_patch", json!({"patch": bare})));
        steps.push(Step::Patch(exact));
    } else {
        steps.push(Step::Patch(patch));
    }
    if number.is_multiple_of(3)
        && let Some(word) = hunks.last().and_then(longest_word)
    {
        steps.push(Step::Call("canvas_grep", json!({"query": word})));
    }
    steps.push(Step::Call("canvas_check_in", json!({})));
    let mistakes = mistakes(&change.before, &bare, &hunks);
    Task {
        id: change.id.clone(),
        before: change.before.clone(),
        after: change.after.clone(),
        steps,
        mistakes,
    }
}

/// A letter left out, a line that occurs twice, and a base that the user's edit, far away or right there, made old.
fn mistakes(text: &str, patch: &str, hunks: &[Hunk]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    mistakes.extend(misquoted(hunks).map(|patch| Mistake { patch, edited: None }));
    let mut seen = BTreeMap::<&str, usize>::new();
    for line in text.lines().filter(|line| line.chars().count() > 3) {
        *seen.entry(line).or_default() += 1;
    }
    let twice = text.lines().find(|line| seen.get(line).is_some_and(|times| *times > 1));
    mistakes.extend(twice.map(|line| Mistake { patch: format!("@@\n-{line}\n+{line}!\n"), edited: None }));
    let far = if hunks.first().is_some_and(|hunk| hunk.start > 20) {
        format!("First of all.\n\n{text}")
    } else {
        format!("{text}\n\nLast of all.\n")
    };
    mistakes.push(Mistake { patch: patch.to_owned(), edited: Some(far) });
    let old = hunks.first().and_then(|hunk| hunk.lines.iter().find(|line| line.starts_with('-')));
    if let Some(old) = old.map(|line| line[1..].trim_end())
        && let Some((before, after)) = text.split_once(old)
    {
        let near = format!("{before}{old} indeed{after}");
        mistakes.push(Mistake { patch: patch.to_owned(), edited: Some(near) });
    }
    mistakes
}

fn hunks(patch: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in patch.split_inclusive('\n') {
        if line.starts_with("@@ ") {
            let start = line[4..].split([',', ' ']).next().and_then(|start| start.parse().ok());
            let header = line.trim_end().to_owned();
            hunks.push(Hunk { header, start: start.unwrap_or(1), lines: Vec::new() });
        } else if let Some(hunk) = hunks.last_mut() {
            hunk.lines.push(line.to_owned());
        }
    }
    hunks
}

/// What a model would search for: the longest word of the first line that goes, or else of the first that stays.
fn longest_word(hunk: &Hunk) -> Option<&str> {
    let of = |mark: char| {
        hunk.lines.iter().filter(move |line| line.starts_with(mark)).find_map(|line| {
            let words =
                line[1..].split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
            words.max_by_key(|word| word.len())
        })
    };
    of('-').or_else(|| of(' '))
}

/// The word of four letters or more that occurs most often; of several the first by letter.
fn commonest_word(text: &str) -> Option<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3) {
        *counts.entry(word).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(word, _)| word)
}

/// The first hunk that removes a line, without its context, and with a letter of that line left out.
fn misquoted(hunks: &[Hunk]) -> Option<String> {
    hunks.iter().find_map(|hunk| {
        let lines: String =
            hunk.lines.iter().filter(|line| !line.starts_with(' ')).map(String::as_str).collect();
        let word = longest_word(hunk)?;
        let at = lines.find(word).filter(|_| lines.starts_with('-'))? + word.len() / 2;
        let at = (at..lines.len()).find(|at| lines.is_char_boundary(*at))?;
        let next = at + lines[at..].chars().next()?.len_utf8();
        Some(format!("@@\n{}{}", &lines[..at], &lines[next..]))
    })
}
