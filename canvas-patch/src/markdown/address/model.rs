//! What an address says, and where it leads.

use std::ops::Range;

use crate::markdown::outline::{ContainerKind, LineRange};
use crate::text::grep::Query;

/// A place in a text. Any value may be written down; [`resolve`](crate::resolve) says whether it is there.
///
/// With the feature `serde` an address is one of these in JSON, and nothing else can be read:
/// `{"lines": [3, 5]}`, `{"front_matter": true}`, `{"section": ["Install", "Linux"]}` with `"ordinal": 2` and one of
/// `"item": 1`, `"item": [1, 2]` and `"fence": 1` where wanted, `{"grep": "TODO"}` with `"regex": true` and
/// `"ordinal": 2` where wanted. Titles may hold any character, so no shorter form would be unambiguous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Lines counted from 1, both included.
    Lines {
        /// The first line.
        start: usize,
        /// The last line.
        end: usize,
    },
    /// The YAML front matter, its `---` lines included.
    FrontMatter,
    /// A section, or a part of one.
    Section {
        /// Titles as the outline has them: the full path from the outermost section, or the last titles
        /// of it. The empty path is the preamble: the text before the first heading outside of quotes
        /// and list items, front matter left out.
        path: Vec<String>,
        /// Which of several sections is meant, counted from 1 in document order.
        ordinal: Option<usize>,
        /// A part of the section's own body, or all of the section.
        part: Option<Part>,
    },
    /// A line that [`grep`](crate::grep()) finds.
    Hit {
        /// What the line matches.
        query: Query,
        /// Which of several lines is meant, counted from 1 in document order.
        ordinal: Option<usize>,
    },
}

/// A part of the text between a heading and the next heading, counted from 1 in order of appearance.
///
/// The text below a heading inside a quote or list item counts for that heading's section.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Part {
    /// A list item. The first number counts the items of all lists of the section, those in quotes too, that no
    /// other item holds; the second those inside of that item, and so on. No number names no item.
    Item(Vec<usize>),
    /// A fenced code block, also one in a quote or list item.
    Fence(usize),
}

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Whole lines. Blank lines at the end of a section or item are left out.
    pub lines: LineRange,
    /// The same in bytes, the terminator of the last line included.
    pub bytes: Range<usize>,
    /// The quotes and list items around it, outermost first. An item is not around itself; around lines
    /// that were given by number, or found, are those that hold all of them.
    ///
    /// They may begin in the first of the lines: the bytes then hold their markers as well.
    pub container_path: Vec<ContainerKind>,
}
