//! The headings of a text with their lines.

/// The sections of one text, in the order of their headings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    // Invariant: `Section::parent` and `Container::parent` are smaller than their own index, and
    // `Section::container` is an index into `containers`.
    pub(super) sections: Vec<Section>,
    pub(super) containers: Vec<Container>,
    pub(super) front_matter: Option<LineRange>,
}

impl Outline {
    /// Returns every section, in document order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the block quotes, list items and footnotes that contain headings.
    pub fn containers(&self) -> &[Container] {
        &self.containers
    }

    /// Returns the lines of the YAML front matter, including its delimiter lines, or `None` if the text has no front
    /// matter.
    pub fn front_matter(&self) -> Option<LineRange> {
        self.front_matter
    }

    /// Returns the titles from the outermost section down to the section at `index`. The path is empty if there is no
    /// such section.
    pub fn path(&self, index: usize) -> Vec<&str> {
        let mut path: Vec<_> = self.ancestry(index).map(|section| section.title.as_str()).collect();
        path.reverse();
        path
    }

    /// Returns the quotes, list items and footnotes around the heading at `index`, outermost first.
    pub fn container_path(&self, index: usize) -> Vec<ContainerKind> {
        let innermost = self.sections.get(index).and_then(|section| section.container);
        let chain = std::iter::successors(innermost, |&at| self.containers[at].parent);
        let mut path: Vec<_> = chain.map(|at| self.containers[at].kind).collect();
        path.reverse();
        path
    }

    /// Iterates over the section at `index`, its parent, and so on up to the outermost section.
    pub(crate) fn ancestry(&self, index: usize) -> impl Iterator<Item = &Section> {
        let parent = |section: &&Section| section.parent.map(|at| &self.sections[at]);
        std::iter::successors(self.sections.get(index), parent)
    }
}

/// A heading with the lines of its section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The text and code of the heading without markup, trimmed and joined into one line of at most 512 bytes.
    pub title: String,
    /// The heading level, from 1 to 6.
    pub level: u8,
    /// Index of the section that encloses this one, or `None` at the top level. The section around a quote, list item
    /// or footnote is the parent of the outermost headings inside it. A heading inside such a container is never the
    /// parent of a heading outside of it.
    pub parent: Option<usize>,
    /// Index into [`Outline::containers`] of the innermost container around the heading, if there is one.
    pub container: Option<usize>,
    /// The lines of the heading itself. An underlined heading has more than one.
    pub heading: LineRange,
    /// The lines from the heading to the last line before the next heading of the same or a higher level in the same
    /// container, or to the end of the container. Blank lines at the end are left out.
    ///
    /// CommonMark ends a line at a lone CR, but line numbers do not count it. If headings share a numbered line, their
    /// sections share that line too.
    pub lines: LineRange,
}

/// A quote, list item or footnote that contains at least one heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Container {
    /// Whether this is a quote, a list item or a footnote.
    pub kind: ContainerKind,
    /// Index into [`Outline::containers`] of the enclosing container, if there is one.
    pub parent: Option<usize>,
}

/// A kind of Markdown block that contains other blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerKind {
    /// A block quote.
    Quote,
    /// One item of a bullet or ordered list.
    ListItem,
    /// A footnote's definition.
    Footnote,
}

/// Lines `start` to `end`, counted from 1, both included.
///
/// Any pair of numbers can be written down; ranges that this crate returns are never empty and lie
/// inside the text they were made for. A line ends with LF; a lone CR is part of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineRange {
    /// The first line, counted from 1.
    pub start: usize,
    /// The last line, which belongs to the range.
    pub end: usize,
}
