//! Types of the tools' arguments, from which their schemas follow.
//!
//! A description costs tokens in every conversation, so fields with telling names have none. The prompt explains
//! `lease_id`.

use std::num::NonZeroUsize;

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct CheckOut {}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Lease {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Grep {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    pub(super) query: String,
    /// Read query as a regular expression.
    #[serde(default)]
    pub(super) regex: Option<bool>,
    /// Lines to show around each match; all lines are then shown whole.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(max = 10)))]
    pub(super) context: Option<usize>,
    /// Line to begin at, such as the next_from_line of a reply.
    #[serde(default)]
    pub(super) from_line: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ReadLines {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub(super) start_line: u64,
    /// May be past the end.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub(super) end_line: u64,
    /// [start_line, end_line] of more ranges.
    #[serde(default)]
    pub(super) more_ranges: Option<Vec<[u64; 2]>>,
    /// Read the lines of this earlier revision, which takes no lease.
    #[serde(default)]
    pub(super) revision_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct History {
    // Ignored, because the prompt says to pass it to every tool.
    #[serde(default, rename = "lease_id")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(super) _lease_id: IgnoredAny,
    /// Changes to list. Default 20.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 50)))]
    pub(super) limit: Option<usize>,
    /// The next_before of a reply.
    #[serde(default)]
    pub(super) before: Option<u64>,
    /// List named versions, too.
    #[serde(default)]
    pub(super) versions: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ApplyPatch {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// Hunks that begin with @@. Each line begins with a space, + or -.
    pub(super) patch: String,
    /// The revision that it was written for.
    #[serde(default)]
    pub(super) base_revision_id: Option<String>,
    /// Only this section may change, by its heading titles, or this item or fence of it.
    #[serde(default)]
    pub(super) scope: Option<Scope>,
    /// After a refusal, if patch has only the new hunks.
    #[serde(default)]
    pub(super) resend: Option<Resend>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub(super) struct Resend {
    /// The id that the refusal has under resend.
    pub(super) of: String,
    /// Their numbers in the refused patch.
    pub(super) hunks: Vec<NonZeroUsize>,
}

/// The fields of [`ReadSection`] that say where.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub(super) struct Scope {
    pub(super) path: Vec<String>,
    #[serde(default)]
    pub(super) ordinal: Option<NonZeroUsize>,
    #[serde(default)]
    pub(super) item: Option<NonZeroUsize>,
    #[serde(default)]
    pub(super) fence: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Outline {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// Only headings down to this level, 1 to 6. Default 6.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 6)))]
    pub(super) max_level: Option<u8>,
    /// The next_after_line of a truncated reply.
    #[serde(default)]
    pub(super) after_line: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ReadSection {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    /// Titles from the outermost heading down to the section's own, or the last of them.
    pub(super) path: Vec<String>,
    /// Number among the sections of this path, from 1.
    #[serde(default)]
    pub(super) ordinal: Option<NonZeroUsize>,
    /// Only this list item, from 1.
    #[serde(default)]
    pub(super) item: Option<NonZeroUsize>,
    /// Only this code fence, from 1.
    #[serde(default)]
    pub(super) fence: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ReplaceLines {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    // Its name until 0.2.
    #[serde(alias = "start")]
    pub(super) start_line: NonZeroUsize,
    /// start_line - 1 inserts before start_line.
    #[serde(alias = "end")]
    pub(super) end_line: usize,
    /// The range_hash of exactly these lines. To insert, take it from the line above, or from line 1 at the top.
    pub(super) expect_hash: String,
    /// Whole lines; empty text removes.
    pub(super) text: String,
    /// More ranges, numbered as before this call.
    #[serde(default)]
    pub(super) more_ranges: Option<Vec<RangeText>>,
    /// The revision_id to which the line numbers belong.
    #[serde(default)]
    pub(super) base_revision_id: Option<String>,
}

// The fields of `ReplaceLines` that every range has; models read no comment of it.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub(super) struct RangeText {
    pub(super) start_line: NonZeroUsize,
    pub(super) end_line: usize,
    pub(super) expect_hash: String,
    pub(super) text: String,
}

/// Returns the schemas of the tools' arguments, derived from their types.
#[cfg(all(test, feature = "schema"))]
pub(crate) fn argument_schemas() -> Vec<(&'static str, serde_json::Value)> {
    use super::structure_arguments as structure;
    use super::tool::{DocumentTools, Tool};
    use crate::toolset::spec::tidy_schema_of;

    let schema = |tool| match tool {
        Tool::CheckOut => tidy_schema_of::<CheckOut>(),
        Tool::RenewLease | Tool::CheckIn | Tool::ReadAll => tidy_schema_of::<Lease>(),
        Tool::Grep => tidy_schema_of::<Grep>(),
        Tool::ReadLines => tidy_schema_of::<ReadLines>(),
        Tool::ApplyPatch => tidy_schema_of::<ApplyPatch>(),
        Tool::Outline => tidy_schema_of::<Outline>(),
        Tool::History => tidy_schema_of::<History>(),
        Tool::ReadSection => tidy_schema_of::<ReadSection>(),
        Tool::ReplaceLines => tidy_schema_of::<ReplaceLines>(),
        Tool::Move => tidy_schema_of::<structure::Move>(),
        Tool::ReplaceAll => tidy_schema_of::<structure::ReplaceAll>(),
        Tool::EditTable => tidy_schema_of::<structure::EditTable>(),
        Tool::SetFrontMatter => tidy_schema_of::<structure::SetFrontMatter>(),
        Tool::EditList => tidy_schema_of::<structure::EditList>(),
        Tool::RenameHeading => tidy_schema_of::<structure::RenameHeading>(),
    };
    Tool::of(DocumentTools::ALL).map(|tool| (tool.name(), schema(tool))).collect()
}
