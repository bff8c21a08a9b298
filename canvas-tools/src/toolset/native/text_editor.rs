//! Anthropic's text editor tool: `view`, `str_replace`, `insert`, `create`.

use canvas_core::text::{Block, BlockLine, Delta, Reason, apply_blocks};
use serde::Deserialize;
use serde_json::Value;

use super::outcome::{Document, NativeConflict, NativeEdit, NativeError, of_apply_error};
use super::reason::NativeReason;
use super::string::{Miss, replace, without_cr};
use crate::arguments::arguments;
use crate::reply::{ToolError, shorten};

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    command: Command,
    path: String,
    #[serde(default)]
    view_range: Option<[i64; 2]>,
    #[serde(default)]
    old_str: Option<String>,
    #[serde(default)]
    new_str: Option<String>,
    #[serde(default)]
    insert_line: Option<i64>,
    #[serde(default)]
    insert_text: Option<String>,
    #[serde(default)]
    file_text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schemars(inline))]
enum Command {
    View,
    StrReplace,
    Insert,
    Create,
    /// Of `text_editor_20250124`.
    UndoEdit,
}

/// Whether a call only reads.
pub(super) fn is_view(call: &Value) -> bool {
    call.get("command").and_then(Value::as_str) == Some("view")
}

pub(super) fn apply(document: &Document<'_>, call: &Value) -> Result<NativeEdit, NativeError> {
    let call: Call = arguments(call)?;
    let path = document.options.path;
    if !document.is_own(&call.path) {
        let wanted = shorten(&call.path);
        let sentence = format!(
            "Error: File not found\nThe path {wanted} does not exist. Please provide a valid path: {path}."
        );
        return Err(NativeError::of(sentence, NativeReason::FileNotFound));
    }
    match call.command {
        Command::View => view(document, call.view_range),
        Command::StrReplace => {
            let old = field(call.old_str, "/old_str", "str_replace needs old_str")?;
            str_replace(document, &old, &call.new_str.unwrap_or_default())
        }
        Command::Insert => {
            let line = field(call.insert_line, "/insert_line", "insert needs insert_line")?;
            let text = match (call.insert_text, call.new_str) {
                (Some(text), Some(other)) if text != other => {
                    let message = "insert_text and new_str differ: send one of them";
                    return Err(ToolError::argument("/insert_text", message).into());
                }
                (text, other) => field(text.or(other), "/insert_text", "insert needs insert_text")?,
            };
            insert(document, line, &text)
        }
        Command::Create => {
            let text = field(call.file_text, "/file_text", "create needs file_text")?;
            let created = format!("File created successfully at: {path}");
            document.replace_whole(&text, created, || format!("Error: File {path} already exists"))
        }
        Command::UndoEdit => {
            let sentence = "Error: undo_edit is not supported.";
            Err(NativeError::of(sentence, NativeReason::UnsupportedOp))
        }
    }
}

fn field<T>(value: Option<T>, place: &str, message: &str) -> Result<T, NativeError> {
    value.ok_or_else(|| ToolError::argument(place, message).into())
}

fn str_replace(document: &Document<'_>, old: &str, new: &str) -> Result<NativeEdit, NativeError> {
    let path = document.options.path;
    match replace(document.text, old, new, false, &document.options.limits) {
        Ok(done) => {
            let message = format!(
                "The file {path} has been edited. Successfully replaced text at exactly one location."
            );
            document.edit(done.delta, done.repairs, message)
        }
        Err(miss) => {
            let sentence = match &miss {
                Miss::Empty => "Error: old_str is empty. Please provide the text to replace.".into(),
                Miss::Equal => {
                    "Error: old_str and new_str are the same. No replacement was performed.".into()
                }
                Miss::NotFound(_) => {
                    "Error: No match found for replacement. Please check your text and try again.".into()
                }
                Miss::Several { count, .. } => format!(
                    "Error: Found {count} matches for replacement text. Please provide more context to make a unique match."
                ),
            };
            Err(NativeError::at(sentence, vec![miss.conflict()], document.text))
        }
    }
}

fn insert(document: &Document<'_>, line: i64, text: &str) -> Result<NativeEdit, NativeError> {
    let path = document.options.path;
    let total = document.text.lines().count();
    let Some(place) = usize::try_from(line).ok().filter(|place| *place <= total) else {
        let sentence = format!(
            "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {total}]"
        );
        return Err(NativeError::of(sentence, NativeReason::InvalidRange));
    };
    if text.is_empty() {
        let sentence = "Error: insert_text is empty. Nothing was inserted.";
        return Err(NativeError::of(sentence, NativeReason::Patch(Reason::NoEffect)));
    }
    let text = without_cr(text);
    let lines = text.strip_suffix('\n').unwrap_or(&text).split('\n').map(BlockLine::Add).collect();
    let block = (Block { lines, patch_line: 1 }, place);
    let applied = apply_blocks(document.text, &[block], &document.options.limits)
        .map_err(|e| of_apply_error("Error: Nothing was inserted.".into(), &e, document.text))?;
    let (delta, repairs) = (applied.delta(), applied.repairs().to_vec());
    Ok(NativeEdit {
        text: applied.into_text(),
        delta,
        repairs,
        message: format!("The file {path} has been edited."),
    })
}

/// Returns numbered lines. An end of -1 means the last line.
fn view(document: &Document<'_>, range: Option<[i64; 2]>) -> Result<NativeEdit, NativeError> {
    let Document { text, options } = document;
    let total = text.lines().count();
    let [start, end] = range.unwrap_or([1, -1]);
    let from = usize::try_from(start).ok().filter(|from| (1..=total.max(1)).contains(from));
    let to = if end == -1 { Some(total) } else { usize::try_from(end).ok().map(|to| to.min(total)) };
    let (Some(from), Some(to)) = (from, to.filter(|to| range.is_none() || *to + 1 > from.unwrap_or(0)))
    else {
        let sentence = format!(
            "Error: Invalid `view_range` parameter: [{start}, {end}]. It should be within the range of lines of the file: [1, {total}]"
        );
        return Err(NativeError::new(sentence, NativeConflict::new(0, NativeReason::InvalidRange)));
    };
    let mut message = format!("Here's the content of {} with line numbers:\n", options.path);
    for (number, line) in (1..=to).zip(text.lines()).skip(from - 1) {
        message += &format!("{number:>6}\t{line}\n");
    }
    Ok(NativeEdit { text: (*text).to_owned(), delta: Delta::default(), repairs: Vec::new(), message })
}
