//! Names of the tools, their access to the canvas, and their rules about the lease.

use canvas_core::rollout::{Access, Rollout};
use serde_json::{Value, json};

use crate::toolset::names::tools;

/// Name of the tool that takes the lease.
pub const CHECK_OUT: &str = "canvas_check_out";

/// Name of the tool that gives the lease back.
pub const CHECK_IN: &str = "canvas_check_in";

/// The tools of the document face: `canvas_check_out`, `canvas_renew_lease`, `canvas_check_in`, `canvas_grep`,
/// `canvas_read_lines`, `canvas_read_all`, `canvas_apply_patch`, and the tools below that you switch on. A call of a
/// tool that you did not switch on fails like a call of an unknown tool.
///
/// ```
/// use canvas_core::Policy;
/// use canvas_tools::DocumentTools;
///
/// let tools = DocumentTools { outline: true, ..DocumentTools::default() }.list(&Policy::default());
/// assert!(tools.iter().any(|tool| tool.name == "canvas_outline"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DocumentTools {
    /// Adds `canvas_outline`, which lists the headings with their lines, with or without a lease.
    pub outline: bool,
    /// Adds `canvas_read_section`, which reads the lines of one section by its path, with or without a lease.
    pub read_section: bool,
    /// Adds `canvas_replace_lines`, which replaces whole lines by number, if the call has the hash of their current
    /// text. The replies of `canvas_read_lines` and `canvas_read_all` then contain that hash, too.
    pub replace_lines: bool,
    /// Adds the argument `resend` to `canvas_apply_patch`. After a refusal, the model can then send only the faulty
    /// hunks again.
    pub resend: bool,
    /// Adds `canvas_move`, `canvas_replace_all`, `canvas_edit_table`, `canvas_set_front_matter`, `canvas_edit_list` and
    /// `canvas_rename_heading`, which change text without repeating it.
    pub structure: bool,
    /// Adds `canvas_history`, which lists the last changes, and the argument `revision_id` to `canvas_read_lines`, which
    /// reads the lines of an earlier revision. Both need no lease and leave no trace.
    pub history: bool,
}

impl DocumentTools {
    /// All seventeen tools, `resend` and `revision_id`.
    pub const ALL: Self = Self {
        outline: true,
        read_section: true,
        replace_lines: true,
        resend: true,
        structure: true,
        history: true,
    };
}

pub(crate) const RENEW_LEASE: &str = "canvas_renew_lease";

tools! {
    /// A tool of the document face.
    pub(super) enum Tool of DocumentTools {
        CheckOut = CHECK_OUT,
        RenewLease = RENEW_LEASE,
        CheckIn = CHECK_IN,
        Grep = "canvas_grep",
        ReadLines = "canvas_read_lines",
        ReadAll = "canvas_read_all",
        ApplyPatch = "canvas_apply_patch",
        Outline = "canvas_outline",
        ReadSection = "canvas_read_section",
        History = "canvas_history",
        ReplaceLines = "canvas_replace_lines",
        Move = "canvas_move",
        ReplaceAll = "canvas_replace_all",
        EditTable = "canvas_edit_table",
        SetFrontMatter = "canvas_set_front_matter",
        EditList = "canvas_edit_list",
        RenameHeading = "canvas_rename_heading",
    }
}

impl Tool {
    /// Returns the tools of a host, which are the standard seven and those that it enabled.
    pub(super) fn of(toolset: DocumentTools) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |tool| match tool {
            Self::Outline => toolset.outline,
            Self::ReadSection => toolset.read_section,
            Self::History => toolset.history,
            Self::ReplaceLines => toolset.replace_lines,
            tool if tool.edits_structure() => toolset.structure,
            _ => true,
        })
    }

    pub(super) const fn edits_structure(self) -> bool {
        matches!(
            self,
            Self::Move
                | Self::ReplaceAll
                | Self::EditTable
                | Self::SetFrontMatter
                | Self::EditList
                | Self::RenameHeading
        )
    }

    pub(super) const fn access(self) -> Access {
        match self {
            Self::CheckOut | Self::RenewLease | Self::CheckIn => Access::Lease,
            Self::Grep
            | Self::ReadLines
            | Self::ReadAll
            | Self::Outline
            | Self::ReadSection
            | Self::History => Access::Read,
            _ => Access::Write,
        }
    }

    pub(super) const fn lease_rule(self, rollout: Rollout) -> LeaseRule {
        match self {
            Self::CheckOut | Self::History => LeaseRule::Never,
            Self::RenewLease | Self::CheckIn => LeaseRule::Required,
            _ if !rollout.has_leases() => LeaseRule::Never,
            Self::Outline | Self::ReadSection => LeaseRule::Optional,
            _ if rollout.needs_lease() => LeaseRule::Required,
            _ => LeaseRule::Optional,
        }
    }

    /// Returns the arguments that the tool's type has but its schema lacks.
    pub(super) fn hidden(self, toolset: DocumentTools, rollout: Rollout) -> Vec<&'static str> {
        let lease = (self.lease_rule(rollout) == LeaseRule::Never).then_some("lease_id");
        let off = self.switched_off(toolset);
        // A table or item of a section whose path repeats can be counted over the document instead.
        let ordinal = matches!(self, Self::EditTable | Self::EditList).then_some("ordinal");
        lease.into_iter().chain(off).chain(ordinal).chain(FORMER).collect()
    }

    /// Returns the argument that the host did not switch on.
    pub(super) fn switched_off(self, toolset: DocumentTools) -> Option<&'static str> {
        match self {
            Self::ApplyPatch => (!toolset.resend).then_some("resend"),
            Self::ReadLines => (!toolset.history).then_some("revision_id"),
            _ => None,
        }
    }
}

/// Names of `start_line` and `end_line` until 0.2.
const FORMER: [&str; 2] = ["start", "end"];

/// Whether a tool takes a `lease_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaseRule {
    /// It does not, and a `lease_id` is ignored.
    Never,
    Optional,
    Required,
}

impl LeaseRule {
    /// Marks the lease in the schema of a tool's arguments as required, if this rule requires it.
    pub(super) fn put_into(self, schema: &mut Value) {
        let Some(property) = schema.pointer_mut("/properties/lease_id") else { return };
        if self == Self::Required {
            property["type"] = "string".into();
            match schema.get_mut("required").and_then(Value::as_array_mut) {
                Some(required) => required.insert(0, "lease_id".into()),
                None => schema["required"] = json!(["lease_id"]),
            }
        }
    }
}
