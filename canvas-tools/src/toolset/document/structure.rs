//! Checks the arguments of the tools that edit the structure, and makes the edit that they describe.

use canvas_core::RevisionId;
use canvas_core::text::{
    Address, Destination, ItemChange, MatchCount, Query, SectionPath, StructureEdit, TableChange,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::structure_arguments::{EditList, EditTable, Move, RenameHeading, ReplaceAll, SetFrontMatter};
use crate::arguments::{arguments, arguments_but, read};
use crate::reply::{ToolError, shorten};

/// A checked call of one of the tools.
#[derive(Debug)]
pub(super) struct StructureCall {
    pub(super) lease_id: Option<String>,
    pub(super) edit: StructureEdit,
    /// The search whose matches are to be replaced.
    pub(super) search: Option<Search>,
}

/// A search of the conversation, as a call names it.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) revision: RevisionId,
    pub(super) query: String,
    pub(super) regex: bool,
}

type Checked = Result<StructureCall, ToolError>;

fn call(lease_id: Option<String>, edit: StructureEdit) -> StructureCall {
    StructureCall { lease_id, edit, search: None }
}

pub(super) fn move_place(hidden: &[&str], sent: &Value) -> Checked {
    let Move { lease_id, from, before, after, into, shift } = arguments_but(hidden, sent)?;
    // No heading can have more levels.
    let shift = shift.map(|levels| i8::try_from(levels.clamp(-7, 7)).unwrap_or_default());
    let to = [("before", before), ("after", after), ("into", into)];
    let edit = match (at_most_one(to)?, shift, from) {
        (Some((name, place)), shift, from) => {
            StructureEdit::Move { from, to: named::<Destination>(name, place)?, shift }
        }
        (None, Some(by), Address::Section { path, ordinal, part: None }) => {
            StructureEdit::Shift { section: SectionPath { path, ordinal }, by }
        }
        (None, Some(_), _) => {
            let message = "only a section has levels to shift: pass a section, or a destination too";
            return Err(ToolError::argument("/from", message));
        }
        (None, None, _) => {
            return Err(ToolError::argument("", "pass one of before, after and into, or shift"));
        }
    };
    Ok(call(lease_id, edit))
}

pub(super) fn replace_all(hidden: &[&str], sent: &Value) -> Checked {
    let ReplaceAll { lease_id, find, with, regex, revision_id, count } = arguments_but(hidden, sent)?;
    let regex = regex.unwrap_or(false);
    let query = if regex { Query::regex(&find) } else { Query::literal(&find) };
    let query =
        query.map_err(|error| ToolError::argument("/find", error.to_string()).with_reason(error.code()))?;
    let revision =
        revision_id.parse::<RevisionId>().map_err(|e| ToolError::argument("/revision_id", e.to_string()))?;
    let edit = StructureEdit::ReplaceAll { query, with, count: MatchCount::Lines(count) };
    Ok(StructureCall { lease_id, edit, search: Some(Search { revision, query: find, regex }) })
}

pub(super) fn edit_table(hidden: &[&str], sent: &Value) -> Checked {
    let EditTable {
        lease_id,
        section,
        ordinal,
        table,
        set,
        insert_row,
        remove_row,
        move_row,
        insert_column,
        remove_column,
        move_column,
    } = arguments_but(hidden, sent)?;
    let change = at_most_one([
        ("set", set),
        ("insert_row", insert_row),
        ("remove_row", remove_row),
        ("move_row", move_row),
        ("insert_column", insert_column),
        ("remove_column", remove_column),
        ("move_column", move_column),
    ])?;
    let Some((name, change)) = change else {
        let message = "pass one change: set, or one that inserts, removes or moves a row or column";
        return Err(ToolError::argument("", message));
    };
    let (section, change) = (optional(section, ordinal)?, named::<TableChange>(name, change)?);
    Ok(call(lease_id, StructureEdit::Table { section, table, change }))
}

pub(super) fn set_front_matter(hidden: &[&str], sent: &Value) -> Checked {
    let SetFrontMatter { lease_id, key, value, remove } = arguments_but(hidden, sent)?;
    let is_null = sent.get("value").is_none_or(Value::is_null);
    let value = match (value, remove.unwrap_or(false)) {
        (_, true) if is_null => None,
        (Some(value), false) => Some(value),
        _ => return Err(ToolError::argument("/value", "pass either a value or remove true")),
    };
    Ok(call(lease_id, StructureEdit::FrontMatter { key, value }))
}

pub(super) fn edit_list(hidden: &[&str], sent: &Value) -> Checked {
    let EditList { lease_id, section, ordinal, item, check, insert_after, remove, move_to, list } =
        arguments_but(hidden, sent)?;
    let changes = [
        ("check", check.map(ItemChange::Check)),
        ("insert_after", insert_after.map(ItemChange::InsertAfter)),
        ("remove", remove.filter(|is_removed| *is_removed).map(|_| ItemChange::Remove)),
        ("move_to", move_to.map(|to| numbers("move_to", &to)).transpose()?.map(ItemChange::MoveTo)),
    ];
    let section = optional(section, ordinal)?;
    let edit = match (at_most_one(changes)?, item, list) {
        (Some((_, change)), Some(item), None) => {
            StructureEdit::Item { section, item: numbers("item", &item)?, change }
        }
        (None, None, Some(list)) => StructureEdit::Renumber { section, list },
        (_, _, Some(_)) => {
            return Err(ToolError::argument("/list", "pass a list to renumber alone, without an item"));
        }
        (Some(_), None, None) => return Err(ToolError::argument("/item", "pass the numbers of the item")),
        (None, _, None) => {
            let message = "pass an item with one of check, insert_after, remove and move_to, or a list";
            return Err(ToolError::argument("", message));
        }
    };
    Ok(call(lease_id, edit))
}

pub(super) fn rename_heading(hidden: &[&str], sent: &Value) -> Checked {
    let RenameHeading { lease_id, section, ordinal, title, links } = arguments_but(hidden, sent)?;
    let section = SectionPath { path: section, ordinal };
    Ok(call(lease_id, StructureEdit::Rename { section, title, links: links.unwrap_or(false) }))
}

/// Returns the only field that has a value, with its name.
fn at_most_one<T>(
    fields: impl IntoIterator<Item = (&'static str, Option<T>)>,
) -> Result<Option<(&'static str, T)>, ToolError> {
    let mut given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let first = given.next();
    match (&first, given.next()) {
        (Some((one, _)), Some((other, _))) => {
            let message = format!("pass {one} or {other}, not both, and make two calls for two changes");
            Err(ToolError::argument(&format!("/{other}"), message))
        }
        _ => Ok(first),
    }
}

/// Reads a variant of an enum from the field that has its name, so that faults are reported at their place in the call.
fn named<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, ToolError> {
    arguments(&json!({name: value}))
}

fn optional(path: Option<Vec<String>>, ordinal: Option<usize>) -> Result<Option<SectionPath>, ToolError> {
    match (path, ordinal) {
        (None, Some(_)) => Err(ToolError::argument("/ordinal", "pass the section that it counts, too")),
        (path, ordinal) => Ok(path.map(|path| SectionPath { path, ordinal })),
    }
}

/// Reads the numbers of an item. A single number needs no brackets.
fn numbers(field: &str, sent: &Value) -> Result<Vec<usize>, ToolError> {
    let numbers = if sent.is_array() { read(sent) } else { read(sent).map(|number| vec![number]) };
    numbers.map_err(|fault| {
        ToolError::argument(&format!("/{field}{}", shorten(fault.place())), fault.message(&[]))
    })
}
