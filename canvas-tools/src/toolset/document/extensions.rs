//! The tools beyond those of specs 000 §5.

/// Which tools a model has beside the seven of specs 000 §5. All are off unless the host says otherwise, and a call of
/// one that is off is answered as that of a tool that does not exist.
///
/// ```
/// use canvas_tools::{Extensions, document_tools_with};
///
/// let tools = document_tools_with(Extensions { outline: true, ..Extensions::default() });
/// assert!(tools.iter().any(|tool| tool.name == "canvas_outline"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Extensions {
    /// `canvas_outline`: the headings with their lines, with or without a lease.
    pub outline: bool,
    /// `canvas_read_section`: the lines of one section by its path, with or without a lease.
    pub read_section: bool,
    /// `canvas_replace_lines`: whole lines by number, under a hash of what they are. The replies of `canvas_read_lines`
    /// and `canvas_read_all` then carry that hash, too.
    pub replace_lines: bool,
}

impl Extensions {
    /// All of them.
    pub const ALL: Self = Self { outline: true, read_section: true, replace_lines: true };
}
