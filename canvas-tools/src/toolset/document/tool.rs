//! The tools: their names, what they are for, and what they ask of the canvas.

use canvas_core::{Access, Rollout};
use serde_json::Value;

use super::arguments::{
    ApplyPatch, CheckOut, Grep, Lease, LeaseRule, Outline, ReadLines, ReadSection, ReplaceLines,
};
use super::{CHECK_IN, CHECK_OUT, DocumentTools};
use crate::toolset::error::ToolError;
use crate::toolset::spec::{ToolSpec, schema_of};
use crate::toolset::unknown_tool;

/// A tool of the document face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    CheckOut,
    RenewLease,
    CheckIn,
    Grep,
    ReadLines,
    ReadAll,
    ApplyPatch,
    Outline,
    ReadSection,
    ReplaceLines,
}

impl Tool {
    const ALL: [Self; 10] = [
        Self::CheckOut,
        Self::RenewLease,
        Self::CheckIn,
        Self::Grep,
        Self::ReadLines,
        Self::ReadAll,
        Self::ApplyPatch,
        Self::Outline,
        Self::ReadSection,
        Self::ReplaceLines,
    ];

    /// Those that a host has: the usual seven, and what it switched on.
    pub(super) fn of(toolset: DocumentTools) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |tool| match tool {
            Self::Outline => toolset.outline,
            Self::ReadSection => toolset.read_section,
            Self::ReplaceLines => toolset.replace_lines,
            _ => true,
        })
    }

    pub(super) fn named(name: &str, toolset: DocumentTools) -> Result<Self, ToolError> {
        let found = Self::of(toolset).find(|tool| tool.name() == name);
        found.ok_or_else(|| unknown_tool(name, Self::of(toolset).map(Self::name)))
    }

    pub(super) fn spec(self, rollout: Rollout) -> ToolSpec {
        ToolSpec {
            name: self.name().into(),
            description: self.description(rollout).into(),
            parameters: self.parameters(rollout),
        }
    }

    pub(super) const fn access(self) -> Access {
        match self {
            Self::CheckOut | Self::RenewLease | Self::CheckIn => Access::Lease,
            Self::Grep | Self::ReadLines | Self::ReadAll | Self::Outline | Self::ReadSection => Access::Read,
            Self::ApplyPatch | Self::ReplaceLines => Access::Write,
        }
    }

    pub(super) const fn lease_rule(self, rollout: Rollout) -> LeaseRule {
        match self {
            Self::CheckOut => LeaseRule::Never,
            Self::RenewLease | Self::CheckIn => LeaseRule::Required,
            _ if !rollout.has_leases() => LeaseRule::Never,
            Self::Outline | Self::ReadSection => LeaseRule::Optional,
            _ if rollout.needs_lease() => LeaseRule::Required,
            _ => LeaseRule::Optional,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::CheckOut => CHECK_OUT,
            Self::RenewLease => "canvas_renew_lease",
            Self::CheckIn => CHECK_IN,
            Self::Grep => "canvas_grep",
            Self::ReadLines => "canvas_read_lines",
            Self::ReadAll => "canvas_read_all",
            Self::ApplyPatch => "canvas_apply_patch",
            Self::Outline => "canvas_outline",
            Self::ReadSection => "canvas_read_section",
            Self::ReplaceLines => "canvas_replace_lines",
        }
    }

    const fn description(self, rollout: Rollout) -> &'static str {
        match self {
            Self::CheckOut if !rollout.needs_lease() => {
                "Take the exclusive lease on the canvas, so that nobody else changes it between your calls. Other \
                 canvas tools work without it while nobody else holds one; pass them its lease_id. Fails with \
                 LOCK_NOT_AVAILABLE while another lease is held or the user has ended the turn."
            }
            Self::CheckOut => {
                "Take the exclusive lease on the canvas. Call this first: every other canvas tool needs its lease_id. \
                 Fails with LOCK_NOT_AVAILABLE while another lease is held or the user has ended the turn."
            }
            Self::RenewLease => {
                "Extend the lease without doing anything else. Other calls extend it too, so this is needed only \
                 before a long pause."
            }
            Self::CheckIn => {
                "Give the lease back as soon as you are done with the canvas. Calling it twice is fine."
            }
            Self::Grep => {
                "Find lines of the canvas by literal text or regular expression. Returns line numbers (from 1) and \
                 the text of each matching line. Use it to locate before you edit."
            }
            Self::ReadLines => {
                "Read a range of lines of the canvas, both ends inclusive and counted from 1. Inspect the lines \
                 around a place before you patch it."
            }
            Self::ReadAll => {
                "Read the whole canvas. Discouraged: prefer canvas_grep and canvas_read_lines, which cost less."
            }
            Self::ApplyPatch => {
                "Apply one unified diff to the canvas, all hunks or none. The unchanged and removed lines of each \
                 hunk must equal the canvas exactly and occur there once; counts and line numbers in @@ headers may \
                 be wrong or missing. A failure lists every conflict with its line."
            }
            Self::Outline => {
                "List the headings of the canvas: path, level and lines of each section, and an ordinal where a path \
                 repeats. Needs no lease. Use it to find a section before you read or edit it."
            }
            Self::ReadSection => {
                "Read one section of the canvas by its heading path, or one list item or code fence of it. Needs no \
                 lease. Returns what canvas_read_lines does, and range_hash. A failure lists candidates."
            }
            Self::ReplaceLines => {
                "Replace whole lines of the canvas, start to end inclusive, without quoting them: expect_hash says \
                 what they are. Fails with CONTENT_CHANGED and shows the lines if they are no longer that. Lines of \
                 text get the canvas's own line ends."
            }
        }
    }

    fn parameters(self, rollout: Rollout) -> Value {
        let mut schema = match self {
            Self::CheckOut => schema_of::<CheckOut>(),
            Self::RenewLease | Self::CheckIn | Self::ReadAll => schema_of::<Lease>(),
            Self::Grep => schema_of::<Grep>(),
            Self::ReadLines => schema_of::<ReadLines>(),
            Self::ApplyPatch => schema_of::<ApplyPatch>(),
            Self::Outline => schema_of::<Outline>(),
            Self::ReadSection => schema_of::<ReadSection>(),
            Self::ReplaceLines => schema_of::<ReplaceLines>(),
        };
        self.lease_rule(rollout).put_into(&mut schema);
        schema
    }
}
