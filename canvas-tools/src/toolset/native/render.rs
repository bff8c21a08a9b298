//! Writes a change as calls of a dialect, in the form that a trained model would send.

use std::ops::Range;

use canvas_core::CodedError;
use canvas_core::text::{BuildOptions, Delta, build, build_unique, outline};
use serde_json::{Value, json};

use super::apply::apply_native;
use super::dialect::Dialect;
use super::envelope::{ADD, BEGIN, END, UPDATE};
use super::options::NativeOptions;
use super::search_replace;
use super::string::without_cr;
use super::v4a::parse::END_OF_FILE;

/// Options for writing a change as calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderOptions {
    /// Number of unchanged lines around each change. Default: 1.
    pub context: usize,
    /// Whether to add context and anchors until each call is accepted. Otherwise the calls are not verified.
    pub unique: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { context: 1, unique: true }
    }
}

/// Error returned when the dialect cannot express the change, because it affects line terminators or the end of the
/// text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{dialect} cannot express this change of line terminators or of the end of the text: send the text itself"
)]
pub struct RenderError {
    /// The requested dialect.
    pub dialect: Dialect,
}

impl CodedError for RenderError {
    fn code(&self) -> &'static str {
        "NOT_SUPPORTED"
    }
}

/// Returns calls that lead from one text to another. Each applies to the result of the previous one. Empty if the texts
/// are equal.
///
/// With [`RenderOptions::unique`], the calls are verified by applying them, at the cost of one copy of the text per
/// call.
///
/// ```
/// use canvas_tools::native::{Dialect, RenderOptions, render_native};
///
/// let calls = render_native("- a\n- b\n", "- a\n- c\n", Dialect::ApplyPatch, "plan.md", &RenderOptions::default())?;
/// assert_eq!(calls[0]["diff"], "@@\n - a\n-- b\n+- c\n");
/// # Ok::<(), canvas_tools::native::RenderError>(())
/// ```
///
/// # Errors
///
/// [`RenderError`] if the dialect cannot express the change.
pub fn render_native(
    before: &str,
    after: &str,
    dialect: Dialect,
    path: &str,
    options: &RenderOptions,
) -> Result<Vec<Value>, RenderError> {
    if before == after {
        return Ok(Vec::new());
    }
    let form = Form { dialect, path };
    if !options.unique {
        return form.write(before, after, options).ok_or(RenderError { dialect });
    }
    // More context is more likely to be unique, and the whole text occurs exactly once.
    let contexts = [options.context, options.context.max(3), usize::MAX];
    contexts
        .into_iter()
        .filter_map(|context| form.write(before, after, &RenderOptions { context, ..*options }))
        .find(|calls| form.leads_to(before, after, calls))
        .ok_or(RenderError { dialect })
}

#[derive(Debug, Clone, Copy)]
struct Form<'a> {
    dialect: Dialect,
    path: &'a str,
}

impl Form<'_> {
    /// Whether the calls, made one after the other, are accepted and produce the text.
    fn leads_to(self, before: &str, after: &str, calls: &[Value]) -> bool {
        let options = NativeOptions { path: self.path, stated_lines: false, ..NativeOptions::default() };
        let mut text = before.to_owned();
        for call in calls {
            match apply_native(self.dialect, &text, call, &options) {
                Ok(edit) => text = edit.text,
                Err(_) => return false,
            }
        }
        text == after
    }

    fn write(self, before: &str, after: &str, options: &RenderOptions) -> Option<Vec<Value>> {
        match self.dialect {
            Dialect::TextEditor | Dialect::Edit | Dialect::Replace => self.strings(before, after, options),
            Dialect::SearchReplace => {
                let blocks = hunks(before, after, options);
                let text: String = blocks.iter().map(|hunk| hunk.as_block()).collect();
                Some(vec![json!({"text": format!("{}\n{text}", self.path)})])
            }
            Dialect::ApplyPatch => {
                let call = match added(before, after) {
                    Some(diff) => json!({"type": "create_file", "path": self.path, "diff": diff}),
                    None => {
                        let diff = v4a(before, after, options);
                        json!({"type": "update_file", "path": self.path, "diff": diff})
                    }
                };
                Some(vec![call])
            }
            Dialect::CodexPatch => {
                let (header, body) = match added(before, after) {
                    Some(diff) => (ADD, diff),
                    None => (UPDATE, v4a(before, after, options)),
                };
                Some(vec![json!({"input": format!("{BEGIN}\n{header}{}\n{body}{END}\n", self.path)})])
            }
        }
    }

    /// Writes one call per change, the last change first, so that the text above each change stays in place.
    fn strings(self, before: &str, after: &str, options: &RenderOptions) -> Option<Vec<Value>> {
        if before.is_empty() {
            return Some(vec![self.create(after)]);
        }
        let mut text = before.to_owned();
        let mut calls = Vec::new();
        for one in Delta::between(before, after).edits().iter().rev() {
            let quoted = quoted(&text, one.range(), options);
            let old = without_cr(&text[quoted.clone()]).into_owned();
            text.replace_range(one.range(), &one.new);
            let grown = quoted.start..quoted.end - one.old.len() + one.new.len();
            let new = without_cr(&text[grown]).into_owned();
            calls.push(self.replace(&old, &new));
        }
        Some(calls)
    }

    fn create(self, text: &str) -> Value {
        match self.dialect {
            Dialect::TextEditor => json!({"command": "create", "path": self.path, "file_text": text}),
            _ => json!({"file_path": self.path, "old_string": "", "new_string": text}),
        }
    }

    fn replace(self, old: &str, new: &str) -> Value {
        match self.dialect {
            Dialect::TextEditor => {
                json!({"command": "str_replace", "path": self.path, "old_str": old, "new_str": new})
            }
            _ => json!({"file_path": self.path, "old_string": old, "new_string": new}),
        }
    }
}

/// Returns the whole lines to quote around a change, enough of them to occur only once.
fn quoted(text: &str, change: Range<usize>, options: &RenderOptions) -> Range<usize> {
    let mut context = options.context;
    loop {
        let quoted = widened(text, change.clone(), context);
        let old = &text[quoted.clone()];
        if !options.unique || quoted == (0..text.len()) || (!old.is_empty() && occurs_once(text, old)) {
            return quoted;
        }
        context = context.saturating_mul(2).max(1);
    }
}

fn occurs_once(text: &str, part: &str) -> bool {
    let first = text.find(part);
    first.is_some() && first == text.rfind(part)
}

/// Extends a range by this many whole lines before and after it.
fn widened(text: &str, range: Range<usize>, lines: usize) -> Range<usize> {
    let mut start = range.start;
    for _ in 0..lines {
        if start == 0 {
            break;
        }
        start = text[..start - 1].rfind('\n').map_or(0, |newline| newline + 1);
    }
    let mut end = range.end;
    for _ in 0..lines {
        if end == text.len() {
            break;
        }
        end = text[end..].find('\n').map_or(text.len(), |gap| end + gap + 1);
    }
    start..end
}

/// Returns the diff that creates a file, or `None` if there is text already.
fn added(before: &str, after: &str) -> Option<String> {
    before.is_empty().then(|| after.lines().map(|line| format!("+{line}\n")).collect())
}

/// A hunk of a unified diff. Its lines have their prefixes.
#[derive(Debug)]
struct Unified {
    /// The first line in the old text, counted from 1.
    start: usize,
    lines: Vec<String>,
    is_ambiguous: bool,
}

impl Unified {
    fn old_len(&self) -> usize {
        self.lines.iter().filter(|line| !line.starts_with('+')).count()
    }

    fn as_block(&self) -> String {
        let side = |skip: char| -> Vec<&str> {
            self.lines.iter().filter(|line| !line.starts_with(skip)).map(|line| &line[1..]).collect()
        };
        search_replace::render(&side('+'), &side('-'))
    }
}

/// Returns the hunks of the change. They do not express how the text ends, because none of these dialects can.
fn hunks(before: &str, after: &str, options: &RenderOptions) -> Vec<Unified> {
    let (patch, ambiguous) = if options.unique {
        let built =
            build_unique(before, after, &BuildOptions { context: options.context, widest_context: 64 });
        (built.patch, built.ambiguous)
    } else {
        (build(before, after, options.context), Vec::new())
    };
    let mut hunks: Vec<Unified> = Vec::new();
    for line in patch.split_terminator('\n') {
        if let Some(header) = line.strip_prefix("@@ -") {
            let start = header.split([',', ' ']).next().and_then(|start| start.parse().ok()).unwrap_or(0);
            let is_ambiguous = ambiguous.contains(&(hunks.len() + 1));
            hunks.push(Unified { start, lines: Vec::new(), is_ambiguous });
        } else if let (Some(hunk), false) = (hunks.last_mut(), line.starts_with('\\')) {
            hunk.lines.push(line.strip_suffix('\r').unwrap_or(line).to_owned());
        }
    }
    hunks
}

/// Writes a diff without an envelope. If a hunk's content is ambiguous, the nearest heading above becomes its anchor.
fn v4a(before: &str, after: &str, options: &RenderOptions) -> String {
    let total = before.lines().count();
    let mut diff = String::new();
    for hunk in hunks(before, after, options) {
        let anchor = hunk.is_ambiguous.then(|| heading_above(before, hunk.start)).flatten();
        match anchor {
            Some(heading) => diff += &format!("@@ {heading}\n"),
            None => diff += "@@\n",
        }
        for line in &hunk.lines {
            diff += line;
            diff.push('\n');
        }
        if options.unique && hunk.is_ambiguous && hunk.start + hunk.old_len() == total + 1 {
            diff += END_OF_FILE;
            diff.push('\n');
        }
    }
    diff
}

/// Returns the line of the last heading above a line.
fn heading_above(text: &str, line: usize) -> Option<&str> {
    let outline = outline(text);
    let above = outline.sections().iter().rev().find(|section| section.heading.start < line)?;
    text.lines().nth(above.heading.start - 1)
}
