//! JSON in columns, for a terminal of 120.

use serde_json::{Map, Value};

/// Characters of a line.
pub(crate) const WIDTH: usize = 118;
/// Characters of a column.
const COLUMN: usize = (WIDTH - 5) / 2;
/// Characters of a string, after which its end is left out.
const LONGEST: usize = 46;
/// Fields that say what an object is come first.
const FIRST: &[&str] =
    &["role", "type", "id", "call_id", "toolUseId", "tool_use_id", "tool_call_id", "name", "tool_name"];

/// A line with a title, and a text at its end.
pub(crate) fn rule(title: &str, end: &str) -> String {
    let title = if title.is_empty() { String::new() } else { format!(" {title} ") };
    let taken = 2 + title.chars().count() + 1 + end.chars().count() + 3;
    format!("──{title}{} {end} ──", "─".repeat(WIDTH.saturating_sub(taken)))
}

/// Two values in columns.
pub(crate) fn beside(left: &Value, right: &Value) -> Vec<String> {
    let (left, right) = (lines(left, COLUMN), lines(right, COLUMN));
    let rows = left.len().max(right.len());
    let cell = |lines: &[String], row: usize| lines.get(row).cloned().unwrap_or_default();
    let row = |row: usize| {
        let line = format!("  {:<COLUMN$} │ {}", cell(&left, row), cell(&right, row));
        line.trim_end().to_owned()
    };
    (0..rows).map(row).collect()
}

/// A value on as few lines as fit.
pub(crate) fn lines(value: &Value, width: usize) -> Vec<String> {
    let line = one_line(value);
    if line.chars().count() <= width {
        return vec![line];
    }
    match value {
        Value::Object(fields) => {
            let fields = in_order(fields).into_iter();
            block('{', fields.map(|(key, value)| field(key, value, width - 1)).collect(), '}')
        }
        Value::Array(items) => block('[', items.iter().map(|item| lines(item, width - 2)).collect(), ']'),
        _ => vec![closed(&line, width)],
    }
}

/// A field; its value begins on a line of its own where it needs several.
fn field(key: &str, value: &Value, width: usize) -> Vec<String> {
    let key = format!("\"{key}\": ");
    let line = format!("{key}{}", one_line(value));
    // A comma or a bracket follows.
    if line.chars().count() < width {
        return vec![line];
    }
    if !value.is_object() && !value.is_array() {
        return vec![closed(&line, width - 1)];
    }
    let inner = lines(value, width.saturating_sub(2));
    let inner = inner.into_iter().map(|line| format!(" {line}"));
    std::iter::once(key.trim_end().to_owned()).chain(inner).collect()
}

/// Blocks of lines inside brackets, with commas between.
fn block(open: char, items: Vec<Vec<String>>, close: char) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let last = items.len().saturating_sub(1);
    for (index, item) in items.into_iter().enumerate() {
        let end = item.len().saturating_sub(1);
        for (at, line) in item.into_iter().enumerate() {
            let before = if out.is_empty() { open } else { ' ' };
            let after = match (at == end, index == last) {
                (false, _) => String::new(),
                (true, false) => ",".to_owned(),
                (true, true) => close.to_string(),
            };
            out.push(format!("{before}{line}{after}"));
        }
    }
    out
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = in_order(fields).into_iter();
            let fields: Vec<_> =
                fields.map(|(key, value)| format!("\"{key}\": {}", one_line(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(one_line).collect::<Vec<_>>().join(", ")),
        Value::String(text) => {
            let line = Value::from(text.as_str()).to_string();
            if line.chars().count() <= LONGEST { line } else { closed(&line, LONGEST) }
        }
        other => other.to_string(),
    }
}

fn in_order(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    let place = |key: &str| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
    fields.sort_by_key(|(key, _)| place(key));
    fields
}

/// The beginning of a string that is too long.
fn closed(text: &str, width: usize) -> String {
    let mut kept: String = text.chars().take(width.saturating_sub(2)).collect();
    // Half of an escape is none, and it may be cut already.
    kept.truncate(kept.trim_end_matches(['\\', '…', '"']).len());
    kept + "…\""
}
