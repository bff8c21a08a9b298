//! Arguments of the tools: their types, from which their schemas follow.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckOut {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lease {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    pub(super) lease_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Grep {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// What to look for: literal text within one line, or a regular expression if regex is true.
    pub(super) query: String,
    /// Read query as a regular expression. Default false.
    #[serde(default)]
    pub(super) regex: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadLines {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// First line, from 1.
    #[schemars(range(min = 1))]
    pub(super) start_line: u64,
    /// Last line, inclusive; past the end means the last line.
    #[schemars(range(min = 1))]
    pub(super) end_line: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ApplyPatch {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// One unified diff of the canvas: hunks that begin with @@, lines that begin with a space, + or -.
    pub(super) patch: String,
    /// The revision_id that the patch was written for.
    #[serde(default)]
    pub(super) base_revision_id: Option<String>,
    /// Only this section may change, given by heading titles, or one list item or code fence of it, from 1.
    #[serde(default)]
    pub(super) scope: Option<Scope>,
}

/// The fields of [`ReadSection`] that say where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct Scope {
    pub(super) path: Vec<String>,
    #[serde(default)]
    pub(super) ordinal: Option<NonZeroUsize>,
    #[serde(default)]
    pub(super) item: Option<NonZeroUsize>,
    #[serde(default)]
    pub(super) fence: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Outline {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// Only headings down to this level, 1 to 6. Default 6.
    #[serde(default)]
    #[schemars(range(min = 1, max = 6))]
    pub(super) max_level: Option<u8>,
    /// Only headings after this line: the next_after_line of a reply that was truncated.
    #[serde(default)]
    pub(super) after_line: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadSection {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// Titles from the outermost heading down to the section's own, or the last of them.
    pub(super) path: Vec<String>,
    /// Which of several sections of this path, from 1.
    #[serde(default)]
    pub(super) ordinal: Option<NonZeroUsize>,
    /// Only this list item of the section, from 1.
    #[serde(default)]
    pub(super) item: Option<NonZeroUsize>,
    /// Only this code fence of the section, from 1.
    #[serde(default)]
    pub(super) fence: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplaceLines {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// First line to replace, from 1.
    pub(super) start: NonZeroUsize,
    /// Last line to replace, inclusive. start - 1 replaces nothing and inserts before start.
    pub(super) end: usize,
    /// The range_hash of the reply that showed exactly these lines; to insert, of the line above, at the top line 1.
    pub(super) expect_hash: String,
    /// The new lines, each whole. Empty text removes the lines.
    pub(super) text: String,
    /// The revision_id that the line numbers are of.
    #[serde(default)]
    pub(super) base_revision_id: Option<String>,
}
