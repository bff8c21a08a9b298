//! Edits of the structure of a text.

use crate::diff::delta::Delta;
use crate::markdown::address::{Address, Column};
use crate::markdown::front_matter::YamlValue;
use crate::text::grep::Query;

/// An edit that a text's structure describes, so that no text has to be repeated.
///
/// With the feature `serde`, an edit has one of these forms in JSON. Other combinations of the fields are errors. A
/// section is `"section": ["Install", "Linux"]`, optionally with `"ordinal": 2`.
///
/// * `{"move": {"from": ADDRESS, "before": ADDRESS}}`, or `"after"` or `"into"`, optionally with `"shift": 1`
/// * `{"delete": ADDRESS}`
/// * `{"shift": {"section": [..], "by": -1}}`
/// * `{"rename": {"section": [..], "title": "New title"}}`, optionally with `"links": true`
/// * `{"table": {"table": 1, "set": {"row": 2, "column": "Price", "value": "3"}}}`, optionally with a section, and with one
///   of `"insert_row": {"at", "cells"}`, `"remove_row": {"row"}`, `"move_row": {"row", "to"}`,
///   `"insert_column": {"at", "name", "cells"}`, `"remove_column": {"column"}` and `"move_column": {"column", "to"}` in
///   place of `"set"`
/// * `{"front_matter": {"key": "author.name", "value": "Ada"}}`, or `"remove": true`
/// * `{"item": {"item": [1, 2], "check": true}}`, optionally with a section, and with one of `"insert_after": "text"`,
///   `"remove": true` and `"move_to": [3]` in place of `"check"`
/// * `{"renumber": {"list": 1}}`, optionally with a section
/// * `{"replace_all": {"find": "old", "with": "new", "count": 12}}`, optionally with `"regex": true`
#[derive(Debug, Clone, PartialEq)]
pub enum StructureEdit {
    /// Moves a section, list item, fence, table, paragraph, footnote or some lines.
    Move {
        /// The text to move.
        from: Address,
        /// The place to move it to.
        to: Destination,
        /// Levels to add to the headings in the text, which may be negative. With `None`, a section that moves into
        /// another one gets the level below it, and all other headings keep their levels.
        shift: Option<i8>,
    },
    /// Deletes the text at an address, with one gap of blank lines. A cell becomes empty.
    Delete {
        /// The text to delete.
        at: Address,
    },
    /// Adds to the levels of a heading and of the headings below it in its section.
    Shift {
        /// The section.
        section: SectionPath,
        /// Levels to add, which may be negative.
        by: i8,
    },
    /// Gives a heading another title. An explicit id in the form `{#id}` stays unless the title has one.
    Rename {
        /// The section.
        section: SectionPath,
        /// The title in Markdown, in one line.
        title: String,
        /// Whether links to the anchors that change follow.
        links: bool,
    },
    /// Changes a table.
    Table {
        /// The section whose own tables are counted, or `None` to count all tables of the text.
        section: Option<SectionPath>,
        /// The number of the table, counted from 1.
        table: usize,
        /// The change.
        change: TableChange,
    },
    /// Sets or removes a key of the YAML front matter, which is created if it is missing.
    FrontMatter {
        /// A key at the top level or, if there is none of exactly this name, a path of names joined by dots.
        key: String,
        /// The value, or `None` to remove the key.
        value: Option<YamlValue>,
    },
    /// Changes a list item.
    Item {
        /// The section whose own items are counted, or `None` to count the items of the whole text.
        section: Option<SectionPath>,
        /// The numbers of the item, as in [`Part::Item`](crate::Part::Item).
        item: Vec<usize>,
        /// The change.
        change: ItemChange,
    },
    /// Numbers the items of an ordered list in sequence, from its first number on.
    Renumber {
        /// The section whose own lists are counted, or `None` to count all lists of the text.
        section: Option<SectionPath>,
        /// The number of the ordered list, counted from 1 in order of appearance.
        list: usize,
    },
    /// Replaces all matches of a query.
    ReplaceAll {
        /// The query, which matches within lines.
        query: Query,
        /// The replacement. For an expression, `$1` and `${name}` stand for its groups.
        with: String,
        /// The number of matches that the text must have.
        count: usize,
    },
}

/// A section of a text, named like in [`Address::Section`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionPath {
    /// The full path, or its last titles. The empty path is the preamble.
    pub path: Vec<String>,
    /// The number of the section if several match, counted from 1.
    pub ordinal: Option<usize>,
}

/// The place that a text moves to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Destination {
    /// Directly before this place.
    Before(Address),
    /// Directly after this place.
    After(Address),
    /// To the end of this section. A text that is no section goes before the section's subsections.
    Into(Address),
}

/// A change of a table. Rows of the body and columns count from 1, and positions are those after the change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum TableChange {
    /// Sets a cell of the body.
    Set {
        /// The row.
        row: usize,
        /// The column.
        column: Column,
        /// The cell in Markdown, in one line. Pipes are escaped.
        value: String,
    },
    /// Inserts a row.
    InsertRow {
        /// The position of the row.
        at: usize,
        /// Its cells. Missing ones are empty.
        cells: Vec<String>,
    },
    /// Removes a row.
    RemoveRow {
        /// The row.
        row: usize,
    },
    /// Moves a row.
    MoveRow {
        /// The row.
        row: usize,
        /// Its new position.
        to: usize,
    },
    /// Inserts a column.
    InsertColumn {
        /// The position of the column.
        at: usize,
        /// Its header in Markdown.
        name: String,
        /// Its cells in the rows of the body. Missing ones are empty.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        cells: Vec<String>,
    },
    /// Removes a column.
    RemoveColumn {
        /// The column.
        column: Column,
    },
    /// Moves a column.
    MoveColumn {
        /// The column.
        column: Column,
        /// Its new position.
        to: usize,
    },
}

/// A change of a list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemChange {
    /// Checks or unchecks a task.
    Check(bool),
    /// Inserts an item with this text, without a marker, after the item. After a task, it is an unchecked task.
    InsertAfter(String),
    /// Removes the item, with everything in it.
    Remove,
    /// Moves the item, with everything in it. The numbers are those of the item after the move.
    MoveTo(Vec<usize>),
}

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// The change from the text before the edit.
    pub delta: Delta,
}
