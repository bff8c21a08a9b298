//! What replies of the document tools have beside `ok` and `revision_id`: their types, from which their schemas follow.

use canvas_core::RevisionId;
use canvas_core::document::{Changes, RangeHash};
use canvas_core::lease::{Epoch, LeaseId};
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
    /// The lease, for the calls that follow.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub(super) lease_id: LeaseId,
    /// The revision that the lease begins on; the same as `revision_id`.
    pub(super) revision_id_at_checkout: RevisionId,
    /// Goes up when the user steps in, which ends every lease.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub(super) canvas_epoch: Epoch,
    /// Seconds until the lease ends, unless a call extends it.
    pub(super) expires_in_s: u64,
}

/// Reply of `canvas_renew_lease`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RenewFields {
    /// The lease.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub(super) lease_id: LeaseId,
    /// Seconds until it ends, unless a call extends it.
    pub(super) expires_in_s: u64,
    /// No call extends it any further.
    pub(super) at_max_hold: bool,
}

/// Reply of `canvas_check_in`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CheckInFields {
    /// False where the lease was given back or over before.
    pub(super) released: bool,
}

/// Reply of `canvas_grep`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct GrepFields {
    /// Matching lines of the whole canvas.
    pub(super) total: usize,
    /// `"12: text"` for a match, `"11- text"` for a line around one; a long line is shown around its match, between `…`.
    pub(super) matches: Vec<String>,
    /// Where to go on: the first match that is not shown. Left out where all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_from_line: Option<usize>,
    /// Why nothing was found, where the query itself shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

/// Reply of `canvas_read_lines`, `canvas_read_all` and `canvas_read_section`. What its call said is left out.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct LinesFields<'a> {
    /// The lines, byte for byte.
    pub(super) text: &'a str,
    /// More was asked for than one reply has: at most 256 KiB.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) truncated: bool,
    /// The only line is shown in part.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) line_truncated: bool,
    /// What `expect_hash` of `canvas_replace_lines` takes: the hash of exactly these lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range_hash: Option<RangeHash>,
    /// The first line, of a section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_line: Option<usize>,
    /// The last line that is shown, of a section and where it is not the one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<usize>,
    /// Lines of the canvas, of the whole and where fewer were read than asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_lines: Option<usize>,
    /// The last line of the section, where not all of it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section_end_line: Option<usize>,
    /// The same of each of `more_ranges`, with its lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) more_ranges: Vec<Self>,
}

/// Reply of `canvas_apply_patch` and `canvas_replace_lines`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PatchFields<'a> {
    /// The revision that the patch has made; the same as `revision_id`.
    pub(super) new_revision_id: RevisionId,
    /// Hunks of the patch.
    pub(super) applied_hunks: usize,
    /// What of the patch's form was put right. Left out where nothing was, and for missing line numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) repairs: Vec<&'a Repair>,
    /// The lease that has taken the place of an expired one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(super) lease_id: Option<LeaseId>,
    /// Seconds until that one ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_in_s: Option<u64>,
    /// What else had changed since the base of the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<&'a Changes>,
    /// What `lease_id` and `changes` mean, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// The changed lines with one around them, `"12: text"`; `…` ends a line that was cut, and a list that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<Vec<String>>,
}

/// Reply of `canvas_outline`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct OutlineFields<'a> {
    /// The headings in order, at most 200.
    pub(super) sections: Vec<SectionFields<'a>>,
    /// Headings of the canvas, of all levels.
    pub(super) total_sections: usize,
    /// The lines of the front matter; null where there is none.
    pub(super) front_matter: Option<Lines>,
    /// Not all are listed.
    pub(super) truncated: bool,
    /// Where to go on: the `after_line` of the next call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_after_line: Option<usize>,
}

/// A section of an outline. Lines count from 1.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Section"))]
pub(super) struct SectionFields<'a> {
    /// Titles from the outermost heading down to its own.
    pub(super) path: Vec<&'a str>,
    /// Only the last titles of the path are given, which is an address too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) path_clipped: bool,
    /// Of the heading, 1 to 6.
    pub(super) level: u8,
    /// The line of the heading.
    pub(super) heading_line: usize,
    /// The first line of the section.
    pub(super) start_line: usize,
    /// The last line of the section, with all below it.
    pub(super) end_line: usize,
    /// Which of several sections of this path it is, from 1. Left out where the path is the only one.
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
    /// The JSON Schema of its reply.
    pub(super) fn reply_schema(self) -> Value {
        const ADDRESS: &[&str] = &["ADDRESS_AMBIGUOUS", "ADDRESS_NOT_FOUND"];
        const EDIT: &[&str] = &["DOCUMENT_TOO_LARGE", "PATCH_REJECTED"];
        let reply = ReplySchema::new();
        let (reply, own): (_, &[&[&str]]) = match self {
            Self::CheckOut => (reply.success::<CheckOutFields>(), &[codes::TAKE]),
            Self::RenewLease => (reply.success::<RenewFields>(), &[codes::LEASE]),
            Self::CheckIn => (reply.success::<CheckInFields>(), &[codes::LEASE]),
            Self::Grep => (reply.success::<GrepFields>(), &[codes::LEASE]),
            Self::ReadLines => (reply.success::<LinesFields<'_>>(), &[codes::LEASE, &["INVALID_RANGE"]]),
            Self::ReadAll => (reply.success::<LinesFields<'_>>(), &[codes::LEASE]),
            Self::ReadSection => (reply.success::<LinesFields<'_>>(), &[codes::LEASE, ADDRESS]),
            Self::Outline => (reply.success::<OutlineFields<'_>>(), &[codes::LEASE]),
            Self::ApplyPatch => {
                let own: &[&[&str]] = &[
                    codes::LEASE,
                    codes::WRITE,
                    codes::TAKE,
                    EDIT,
                    ADDRESS,
                    &["INVALID_RANGE", "RESEND_LOST"],
                ];
                (reply.success::<PatchFields<'_>>(), own)
            }
            Self::ReplaceLines => {
                let own: &[&[&str]] = &[codes::LEASE, codes::WRITE, codes::TAKE, EDIT, &["INVALID_RANGE"]];
                (reply.success::<PatchFields<'_>>(), own)
            }
        };
        let codes: Vec<&[&str]> = own.iter().copied().chain([codes::CALL, codes::ENGINE]).collect();
        reply.failure::<DocumentDetail>(&codes, &[])
    }
}
