//! `edit` and `replace`, which take an old string that occurs once, and a new one.

use serde::Deserialize;
use serde_json::Value;

use super::outcome::{Document, NativeEdit, NativeError};
use super::reason::NativeReason;
use super::string::{Count, Miss, replace};
use crate::arguments::arguments;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// Path of the document.
    file_path: String,
    /// Text to replace.
    old_string: String,
    /// Text in its place.
    new_string: String,
    /// Replace every occurrence. Default false.
    #[serde(default)]
    replace_all: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Replace {
    /// Path of the document.
    file_path: String,
    /// Purpose of the change.
    #[serde(default, rename = "instruction")]
    _instruction: Option<String>,
    /// Text to replace.
    old_string: String,
    /// Text in its place.
    new_string: String,
    /// Replace every occurrence. Default false.
    #[serde(default)]
    allow_multiple: Option<bool>,
}

/// The messages of a dialect for each outcome.
struct Words {
    missing_file: fn(&str) -> String,
    exists: fn(&str) -> String,
    created: fn(&str) -> String,
    edited: fn(&str, usize) -> String,
    equal: fn(&str) -> String,
    not_found: fn(&str) -> String,
    several: fn(&str, Count) -> String,
}

const EDIT: Words = Words {
    missing_file: |path| format!("edit: {path}: File does not exist."),
    exists: |path| format!("edit: {path}: Cannot create new file - file already exists."),
    created: |path| format!("created {path}"),
    edited: |path, count| format!("edited {path} ({count} replacement(s))"),
    equal: |_| "No changes to make: old_string and new_string are exactly the same.".into(),
    not_found: |path| format!("edit: old_string not found in {path}"),
    several: |path, count| format!("edit: old_string appears {count} times in {path} (must be unique)"),
};

const REPLACE: Words = Words {
    missing_file: |path| format!("File not found: {path}"),
    exists: |path| format!("Failed to edit. Attempted to create a file that already exists: {path}"),
    created: |path| format!("Created new file: {path} with provided content."),
    edited: |path, count| format!("Successfully modified file: {path} ({count} replacements)."),
    equal: |path| format!("No changes to apply. The old_string and new_string are identical in file: {path}"),
    not_found: |path| {
        format!(
            "Failed to edit, could not find the string to replace. Could not find an exact match for 'old_string' in '{path}'."
        )
    },
    several: |path, count| {
        format!(
            "Failed to edit, Expected 1 occurrence but found {count} for old_string in file: {path}. If you intended to \
             replace multiple occurrences, set 'allow_multiple' to true."
        )
    },
};

pub(super) fn apply_edit(document: &Document<'_>, call: &Value) -> Result<NativeEdit, NativeError> {
    let Edit { file_path, old_string, new_string, replace_all } = arguments(call)?;
    edit(document, &EDIT, &file_path, [&old_string, &new_string], replace_all == Some(true))
}

pub(super) fn apply_replace(document: &Document<'_>, call: &Value) -> Result<NativeEdit, NativeError> {
    let Replace { file_path, _instruction, old_string, new_string, allow_multiple } = arguments(call)?;
    edit(document, &REPLACE, &file_path, [&old_string, &new_string], allow_multiple == Some(true))
}

fn edit(
    document: &Document<'_>,
    words: &Words,
    path: &str,
    [old, new]: [&str; 2],
    all: bool,
) -> Result<NativeEdit, NativeError> {
    let known = document.options.path;
    if !document.is_own(path) {
        let sentence =
            format!("{}\nThe document is {known}.", (words.missing_file)(&crate::reply::shorten(path)));
        return Err(NativeError::of(sentence, NativeReason::FileNotFound));
    }
    // An edit without old text never replaces existing text as a whole, even if the host allows whole replacement.
    if old.is_empty() && document.text.is_empty() {
        return document.replace_whole(new, (words.created)(known), || (words.exists)(known));
    }
    let limits = &document.options.limits;
    match replace(document.text, old, new, all, limits) {
        Ok(done) => {
            let message = (words.edited)(known, done.places.len());
            document.edit(done.delta, done.repairs, message)
        }
        Err(miss) => {
            let sentence = match &miss {
                Miss::Empty => (words.exists)(known),
                Miss::Equal => (words.equal)(known),
                Miss::NotFound(_) => (words.not_found)(known),
                Miss::Several { count, .. } => (words.several)(known, *count),
            };
            Err(NativeError::at(sentence, vec![miss.conflict()], document.text))
        }
    }
}
