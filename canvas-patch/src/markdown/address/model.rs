//! Addresses, and the places that they resolve to.

use std::ops::Range;

use crate::markdown::outline::{ContainerKind, LineRange};
use crate::text::grep::Query;

/// An address of a place in a text. You can write any value, and [`resolve`](crate::resolve) decides whether the text
/// has such a place.
///
/// With the feature `serde`, an address has one of these forms in JSON. Other combinations of the fields are errors.
///
/// * `{"lines": [3, 5]}`
/// * `{"front_matter": true}`, optionally with `"key": "author.name"` for one key
/// * `{"section": ["Install", "Linux"]}`, optionally with `"ordinal": 2`, and with one of `"item": 1`, `"item": [1, 2]`,
///   `"fence": 1`, `"paragraph": 1`, `"table": 1` and `"body": true` for a part
/// * `"item"`, `"fence"`, `"paragraph"` or `"table"` alone for a part counted over the whole text, and `"body"` alone for the
///   preamble
/// * `"row": 2` and `"column": 1` or `"column": "Price"` together with `"table"`
/// * `{"footnote": "1"}`
/// * `{"grep": "TODO"}`, optionally with `"ordinal": 2`, and with `"regex"` set to `true` for a regular expression
///
/// Titles may hold any character, so a shorter form would be ambiguous.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address {
    /// A range of lines, counted from 1, with both ends included.
    Lines {
        /// The first line, which is at least 1.
        start: usize,
        /// The last line, which is at least `start`.
        end: usize,
    },
    /// The YAML front matter, including its delimiter lines.
    FrontMatter,
    /// One key of the YAML front matter, with its value. The name may be a path of names joined by dots, unless
    /// a key at the top level has exactly this name.
    Key(String),
    /// A section, or a part of one.
    Section {
        /// The titles in the outline, either the full path from the outermost section or only its last titles. The
        /// empty path is the preamble, which is the text before the first heading outside of quotes and list items,
        /// without front matter.
        path: Vec<String>,
        /// The number of the section if several match, counted from 1 in document order.
        ordinal: Option<usize>,
        /// A part of the section's own body, or `None` for the whole section.
        part: Option<Part>,
    },
    /// A part, counted over the whole text. [`Part::Body`] is the preamble.
    Part(Part),
    /// The definition of the footnote with this label, the first one if there are several.
    Footnote(String),
    /// A line that [`grep`](crate::grep()) finds.
    Hit {
        /// The query that the line must match.
        query: Query,
        /// The number of the line if several match, counted from 1 in document order.
        ordinal: Option<usize>,
    },
}

/// A part of the text between a heading and the next heading, counted from 1 in order of appearance.
///
/// The text below a heading inside a quote or list item belongs to that heading's section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Part {
    /// A list item. The first number counts the items of all lists of the section, also in quotes, that are not inside
    /// another item. The second counts the items inside that item, and so on. An empty list of numbers names no item.
    Item(Vec<usize>),
    /// A fenced code block, also one in a quote or list item.
    Fence(usize),
    /// A paragraph, also one in a quote, but not in a list item, footnote or table.
    Paragraph(usize),
    /// A table as GitHub reads it, also one in a quote or list item, or a row, column or cell of it.
    Table(TablePart),
    /// All of the text between the heading and the next heading, without blank lines at its ends.
    Body,
}

/// A table, or a row, column or cell of one.
///
/// A row and a column together are a cell. A column alone is its header.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TablePart {
    /// The number of the table, counted from 1.
    pub table: usize,
    /// The number of a row of the body, counted from 1.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub row: Option<usize>,
    /// A column.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub column: Option<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum Column {
    /// Its number, counted from 1.
    Number(usize),
    /// The text of its header, without the blanks around it.
    Header(String),
}

impl TablePart {
    /// Creates the address of a whole table.
    pub const fn whole(table: usize) -> Self {
        Self { table, row: None, column: None }
    }
}

/// The place that an address resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The whole lines of the place, without blank lines at the end of a section or item.
    pub lines: LineRange,
    /// The same range in bytes, including the terminator of the last line. For a cell or column header, only its text,
    /// without the blanks around it.
    pub bytes: Range<usize>,
    /// The quotes, list items and footnotes around the place, outermost first. A list item is not one of its own
    /// containers. If the lines were given by number or found by a query, these are the containers that hold all of the
    /// lines.
    ///
    /// A container may begin in the first of the lines. In that case, the bytes include its marker.
    pub container_path: Vec<ContainerKind>,
}
