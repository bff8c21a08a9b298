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
    /// Every section in document order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The block quotes, list items and footnotes that hold headings.
    pub fn containers(&self) -> &[Container] {
        &self.containers
    }

    /// The lines of the YAML front matter, its `---` lines included.
    pub fn front_matter(&self) -> Option<LineRange> {
        self.front_matter
    }

    /// The titles from the outermost section down to the section at `index`; empty where there is none.
    pub fn path(&self, index: usize) -> Vec<&str> {
        let mut path: Vec<_> = self.ancestry(index).map(|section| section.title.as_str()).collect();
        path.reverse();
        path
    }

    /// The quotes, list items and footnotes around the heading at `index`, outermost first.
    pub fn container_path(&self, index: usize) -> Vec<ContainerKind> {
        let innermost = self.sections.get(index).and_then(|section| section.container);
        let chain = std::iter::successors(innermost, |&at| self.containers[at].parent);
        let mut path: Vec<_> = chain.map(|at| self.containers[at].kind).collect();
        path.reverse();
        path
    }

    /// The section at `index`, its parent, and so on up to the outermost.
    pub(crate) fn ancestry(&self, index: usize) -> impl Iterator<Item = &Section> {
        let parent = |section: &&Section| section.parent.map(|at| &self.sections[at]);
        std::iter::successors(self.sections.get(index), parent)
    }
}

/// A heading and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Text and code of the heading without markup, trimmed, on one line.
    pub title: String,
    /// 1 to 6.
    pub level: u8,
    /// Index of the section that encloses this one. A heading in a quote, list item or footnote has the section
    /// around that container as its parent, and is never the parent of a heading outside of it.
    pub parent: Option<usize>,
    /// Index into [`Outline::containers`] of the innermost container around the heading.
    pub container: Option<usize>,
    /// The lines of the heading itself; more than one for an underlined heading.
    pub heading: LineRange,
    /// From the heading through the last line before the next heading of the same or a higher level in
    /// the same container, or through the end of the container; blank lines at the end left out.
    ///
    /// CommonMark ends a line at a lone CR, line numbers do not count it: sections whose headings share
    /// a line share that line here as well.
    pub lines: LineRange,
}

/// A quote, list item or footnote that holds at least one heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Container {
    /// What it is.
    pub kind: ContainerKind,
    /// Index into [`Outline::containers`] of the container around it.
    pub parent: Option<usize>,
}

/// The blocks of Markdown that hold other blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerKind {
    /// A block quote.
    Quote,
    /// One item of a bullet or ordered list.
    ListItem,
    /// The definition of a footnote.
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
    /// The first line.
    pub start: usize,
    /// The last line.
    pub end: usize,
}
