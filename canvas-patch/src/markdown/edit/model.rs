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
/// ```json
/// {"move": {"from": ADDRESS, "before": ADDRESS, "shift": 1}}
/// {"delete": ADDRESS}
/// {"shift": {"section": ["Install"], "by": -1}}
/// {"rename": {"section": ["Install"], "title": "Set up", "links": true}}
/// {"table": {"section": ["Prices"], "table": 1, "set": {"row": 2, "column": "Price", "value": "3"}}}
/// {"front_matter": {"key": "author.name", "value": "Ada"}}
/// {"item": {"section": ["Tasks"], "item": [1, 2], "check": true}}
/// {"renumber": {"section": ["Steps"], "list": 1}}
/// {"replace_all": {"find": "old", "with": "new", "count": 12, "regex": true}}
/// ```
///
/// * `"lines": 9` may replace `"count"`, to count the lines with a match instead of the matches.
/// * `"after"` or `"into"` may replace `"before"`. `"shift"`, `"links"` and `"regex"` are optional.
/// * `"remove": true` removes a key instead of setting it.
/// * A section is optional in the last forms, because tables, items and lists may be counted over the whole text instead.
/// * `"insert_after": "text"`, `"remove": true` or `"move_to": [3]` may replace `"check"`.
/// * One of the following may replace `"set"`.
///
/// ```json
/// {"insert_row": {"at": 1, "cells": ["Milk", "2"]}}
/// {"remove_row": {"row": 1}}
/// {"move_row": {"row": 1, "to": 3}}
/// {"insert_column": {"at": 2, "name": "Price", "cells": ["2"]}}
/// {"remove_column": {"column": "Price"}}
/// {"move_column": {"column": "Price", "to": 1}}
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum StructureEdit {
    /// Moves a section, list item, fence, table, paragraph, footnote or some lines.
    Move {
        /// Address of the text to move.
        from: Address,
        /// Destination of the text.
        to: Destination,
        /// Levels to add to the headings in the text, which may be negative. With `None`, a section that moves into
        /// another one gets the level below it, and all other headings keep their levels.
        shift: Option<i8>,
    },
    /// Deletes the text at an address, with one gap of blank lines. A cell becomes empty instead.
    Delete {
        /// Address of the text to delete.
        at: Address,
    },
    /// Adds to the levels of a heading and of the headings below it in its section.
    Shift {
        /// Section with the headings.
        section: SectionPath,
        /// Levels to add, which may be negative.
        by: i8,
    },
    /// Gives a heading another title. An explicit id in the form `{#id}` stays unless the title has one, so that links keep
    /// working.
    Rename {
        /// Section with the heading.
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
        /// Change of its cells, rows or columns.
        change: TableChange,
    },
    /// Sets or removes a key of the YAML front matter, which is created if it is missing.
    FrontMatter {
        /// Name of a key at the top level, or a path of names joined by dots.
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
        /// Change of this one item.
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
        /// Text in place of each match. If the query is an expression, `$1` and `${name}` insert its groups.
        with: String,
        /// The number of matches that the text must have, because another number shows that the author did not see them all.
        count: MatchCount,
    },
}

/// The number of matches of a query in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MatchCount {
    /// Number of matches, of which a line may have several.
    Matches(usize),
    /// Number of lines with a match, as [`grep`](crate::grep) lists them.
    Lines(usize),
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
    /// To the end of this section. A text other than a section goes above the section's subsections.
    Into(Address),
}

/// A change of a table. Rows of the body and columns count from 1, and positions are those after the change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum TableChange {
    /// Sets a cell of the body.
    Set {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        column: Column,
        /// The cell in Markdown, in one line. Pipes are escaped.
        value: String,
    },
    /// Inserts a row.
    InsertRow {
        /// Position of the new row.
        at: usize,
        /// Cells of the new row in Markdown. Missing ones are empty.
        cells: Vec<String>,
    },
    /// Removes a row.
    RemoveRow {
        /// Row to remove.
        row: usize,
    },
    /// Moves a row.
    MoveRow {
        /// Row to move.
        row: usize,
        /// Position after the move.
        to: usize,
    },
    /// Inserts a column.
    InsertColumn {
        /// Position of the new column.
        at: usize,
        /// Header in Markdown.
        name: String,
        /// Its cells in the rows of the body. Missing ones are empty.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        cells: Vec<String>,
    },
    /// Removes a column.
    RemoveColumn {
        /// Column to remove.
        column: Column,
    },
    /// Moves a column.
    MoveColumn {
        /// Column to move.
        column: Column,
        /// Position after the move.
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
    /// Moves the item, with everything in it, to the place with these numbers after the move.
    MoveTo(Vec<usize>),
}

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Text after the edit.
    pub text: String,
    /// The change from the text before the edit.
    pub delta: Delta,
}
