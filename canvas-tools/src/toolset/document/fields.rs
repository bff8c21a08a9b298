//! Reply fields of the document tools, in addition to `ok` and `revision_id`. The reply schemas are derived from these
//! types.

use canvas_core::RevisionId;
use canvas_core::document::{Changes, RangeHash};
use canvas_core::history::EntryKind;
use canvas_core::lease::{Epoch, LeaseId};
use canvas_core::proposal::ProposedParts;
use canvas_core::text::{LineRange, Repair};
use serde::Serialize;

use super::lines::Lines;
#[cfg(feature = "schema")]
use {
    super::failure::DocumentDetail,
    super::tool::Tool,
    crate::reply::schema::{ReplySchema, codes},
    serde_json::Value,
};

/// Reply of `canvas_check_out`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CheckOutFields {
    /// Lease to pass to the following calls.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub(super) lease_id: LeaseId,
    /// Revision at which the lease begins, equal to `revision_id`.
    pub(super) revision_id_at_checkout: RevisionId,
    /// Counter that grows when the user steps in, which ends every lease.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub(super) canvas_epoch: Epoch,
    /// Seconds until the lease ends, unless a call extends it.
    pub(super) expires_in_s: u64,
}

/// Reply of `canvas_renew_lease`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RenewFields {
    /// Extended lease.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub(super) lease_id: LeaseId,
    /// Seconds until the lease ends, unless a call extends it.
    pub(super) expires_in_s: u64,
    /// Whether the lease is at its maximum hold, so that no call extends it further.
    pub(super) at_max_hold: bool,
}

/// Reply of `canvas_check_in`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CheckInFields {
    /// False if the lease had already ended or been released.
    pub(super) released: bool,
}

/// Reply of `canvas_grep`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct GrepFields {
    /// Number of matching lines in the whole canvas.
    pub(super) total: usize,
    /// Matches as `"12: Text"`, and the lines around them as `"11- Text"`. A long line is shortened to the part around
    /// its match, between `…`.
    pub(super) matches: Vec<String>,
    /// Line of the first match not shown, to pass as `from_line`. Absent if all matches are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_from_line: Option<usize>,
    /// Likely mistake in the query, if it matches no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

/// Reply of `canvas_read_lines`, `canvas_read_all` and `canvas_read_section`. It doesn't repeat numbers from the call.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct LinesFields<'a> {
    /// Lines, byte for byte.
    pub(super) text: &'a str,
    /// Whether the reply stops before the requested end, because it holds at most 256 KiB.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) truncated: bool,
    /// Whether `text` is only the beginning of a single long line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) line_truncated: bool,
    /// Hash of exactly these lines, to pass as `expect_hash` to `canvas_replace_lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range_hash: Option<RangeHash>,
    /// First line. Present for a section and for further ranges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_line: Option<usize>,
    /// Last line shown. Present for a section, for further ranges, and if the reply ends before the requested line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<usize>,
    /// Number of lines in the canvas. Present if the whole canvas was read, or if the reply ends before the requested
    /// line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_lines: Option<usize>,
    /// Last line of the section, if the reply ends before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section_end_line: Option<usize>,
    /// Lines of each range in the `more_ranges` of the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) more_ranges: Vec<Self>,
}

/// Reply of `canvas_read_lines` with a `revision_id`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PastFields {
    /// Revision of the lines. `revision_id` is the current one.
    pub(super) past_revision_id: RevisionId,
    /// Lines as `"12: Text"`. A single line that is too long ends with `…`.
    pub(super) past_lines: Vec<String>,
    /// Whether the reply stops before the requested end, because it holds at most 256 KiB.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) truncated: bool,
    /// Number of lines in that revision.
    pub(super) past_total_lines: usize,
    /// Warning against an edit of these lines.
    pub(super) note: &'static str,
}

/// Reply of `canvas_history`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct HistoryFields {
    /// Changes of the document, newest first.
    pub(super) changes: Vec<ChangeFields>,
    /// Value to pass as `before` to list older changes. Absent if no older one is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_before: Option<u64>,
    /// Revision before the oldest kept change. Present if that change is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) oldest_revision_id: Option<RevisionId>,
    /// Named versions of the listed revisions, newest first, at most 50. Without `next_before`, also older ones. Present if
    /// the call asks for versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) versions: Option<Vec<VersionFields>>,
    /// Number of named versions that the reply leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) more_versions: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A change of the document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Change"))]
pub(super) struct ChangeFields {
    /// Revision after the change, to pass to `canvas_read_lines`.
    pub(super) revision_id: RevisionId,
    /// Age of the change.
    pub(super) seconds_ago: u64,
    /// Actor of the change, as `a person`, `you`, `another conversation` or `the host`.
    pub(super) by: &'static str,
    /// Author of the text, if it is not the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) written_by: Option<&'static str>,
    /// Kind of the change.
    pub(super) kind: EntryKind,
    /// Size or purpose of the change, such as `+2 −1, 1 hunk`. It is text from others.
    pub(super) summary: String,
}

/// A revision with a name that a person or the host gave.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Version"))]
pub(super) struct VersionFields {
    /// Name of the version. It is text from others.
    pub(super) label: String,
    /// Its revision, to pass to `canvas_read_lines`.
    pub(super) revision_id: RevisionId,
}

/// Reply of `canvas_apply_patch`, `canvas_replace_lines` and the tools that edit the structure.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PatchFields<'a> {
    /// Revision created by the patch, equal to `revision_id`.
    pub(super) new_revision_id: RevisionId,
    /// Number of hunks in the patch.
    pub(super) applied_hunks: usize,
    /// Repairs to the form of the patch. Missing line numbers are repaired without being listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) repairs: Vec<&'a Repair>,
    /// New lease that replaces an expired one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(super) lease_id: Option<LeaseId>,
    /// Seconds until the new lease ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_in_s: Option<u64>,
    /// Other changes since the base of the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<&'a Changes>,
    /// Explains `lease_id` and `changes` if they are present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// Parts of the proposal, which wait for the user's decision. Present if the conversation proposes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proposed: Option<&'a ProposedParts>,
    /// Changed lines and one line around them, as `"12: Text"`. If a line or the list is shortened, it ends with `…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<Vec<String>>,
}

/// Reply of `canvas_outline`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct OutlineFields<'a> {
    /// Headings in document order, at most 200.
    pub(super) sections: Vec<SectionFields<'a>>,
    /// Number of headings in the canvas, at all levels.
    pub(super) total_sections: usize,
    /// Lines of the front matter, or null without front matter.
    pub(super) front_matter: Option<Lines>,
    /// Whether more headings follow.
    pub(super) truncated: bool,
    /// Value to pass as `after_line` to read on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_after_line: Option<usize>,
}

/// A section of an outline. Lines count from 1.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Section"))]
pub(super) struct SectionFields<'a> {
    /// Titles from the outermost heading down to this one.
    pub(super) path: Vec<&'a str>,
    /// Whether `path` is shortened to its last titles, which still work as an address.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) path_clipped: bool,
    /// Heading level, 1 to 6.
    pub(super) level: u8,
    /// Line of the heading.
    pub(super) heading_line: usize,
    /// First line of the section.
    pub(super) start_line: usize,
    /// Last line of the section, including its subsections.
    pub(super) end_line: usize,
    /// Ordinal among sections with the same path, from 1. Absent if the path is unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ordinal: Option<usize>,
}

impl SectionFields<'_> {
    pub(super) fn heading(&self) -> LineRange {
        LineRange { start: self.heading_line, end: self.heading_line }
    }

    pub(super) fn lines(&self) -> LineRange {
        LineRange { start: self.start_line, end: self.end_line }
    }
}

#[cfg(feature = "schema")]
impl Tool {
    /// Returns the JSON Schema of the tool's reply.
    pub(super) fn reply_schema(self) -> Value {
        const EDIT: &[&str] = &["DOCUMENT_TOO_LARGE", "PATCH_REJECTED"];
        const STRUCTURE: &[&str] =
            &["FRONT_MATTER_CHANGED", "NO_EFFECT", "STRUCTURE_SPILLED", "VALUE_INVALID"];
        const SHAPE: &[&str] = &["TABLE_SHAPE"];
        let reply = ReplySchema::new();
        let (reply, own): (_, &[&[&str]]) = match self {
            Self::CheckOut => (reply.success::<CheckOutFields>(), &[codes::TAKE]),
            Self::RenewLease => (reply.success::<RenewFields>(), &[codes::LEASE]),
            Self::CheckIn => (reply.success::<CheckInFields>(), &[codes::LEASE]),
            Self::Grep => (reply.success::<GrepFields>(), &[codes::LEASE]),
            Self::ReadLines => {
                let own: &[&[&str]] =
                    &[codes::LEASE, &["INVALID_RANGE", "REVISION_NOT_FOUND", "REVISION_NOT_KEPT"]];
                (reply.success::<LinesFields<'_>>().success::<PastFields>(), own)
            }
            Self::ReadAll => (reply.success::<LinesFields<'_>>(), &[codes::LEASE]),
            Self::ReadSection => (reply.success::<LinesFields<'_>>(), &[codes::LEASE, codes::ADDRESS]),
            Self::History => (reply.success::<HistoryFields>(), &[]),
            Self::Outline => (reply.success::<OutlineFields<'_>>(), &[codes::LEASE]),
            Self::ApplyPatch => {
                let own: &[&[&str]] = &[
                    codes::LEASE,
                    codes::WRITE,
                    codes::TAKE,
                    EDIT,
                    codes::ADDRESS,
                    &["INVALID_RANGE", "RESEND_LOST"],
                ];
                (reply.success::<PatchFields<'_>>(), own)
            }
            Self::ReplaceLines => {
                let own: &[&[&str]] = &[codes::LEASE, codes::WRITE, codes::TAKE, EDIT, &["INVALID_RANGE"]];
                (reply.success::<PatchFields<'_>>(), own)
            }
            Self::Move => {
                let own: &[&[&str]] = &[
                    codes::ADDRESS,
                    codes::TABLE,
                    codes::KEY,
                    SHAPE,
                    &["LEVEL_OUT_OF_RANGE", "MOVE_INTO_ITSELF", "QUERY_TOO_LARGE"],
                ];
                (reply.success::<PatchFields<'_>>(), own)
            }
            Self::ReplaceAll => {
                let own: &[&[&str]] = &[&["COUNT_DIFFERS", "NOT_SEARCHED", "QUERY_TOO_LARGE"]];
                (reply.success::<PatchFields<'_>>(), own)
            }
            Self::EditTable => (reply.success::<PatchFields<'_>>(), &[codes::ADDRESS, codes::TABLE, SHAPE]),
            Self::SetFrontMatter => (reply.success::<PatchFields<'_>>(), &[codes::ADDRESS, codes::KEY]),
            Self::EditList => (reply.success::<PatchFields<'_>>(), &[codes::ADDRESS, &["MOVE_INTO_ITSELF"]]),
            Self::RenameHeading => (reply.success::<PatchFields<'_>>(), &[codes::ADDRESS]),
        };
        let all: &[&[&str]] = match self.edits_structure() {
            true => &[codes::LEASE, codes::WRITE, codes::TAKE, EDIT, STRUCTURE],
            false => &[],
        };
        let codes: Vec<&[&str]> =
            own.iter().chain(all).copied().chain([codes::CALL, codes::ENGINE]).collect();
        reply.failure::<DocumentDetail>(&codes, &[])
    }
}
