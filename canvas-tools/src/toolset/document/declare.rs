//! The specs of the tools.

use canvas_core::Policy;
use canvas_core::rollout::Rollout;
use serde_json::Value;

use super::tool::{DocumentTools, Tool};
use crate::toolset::spec::{ToolSpec, argument_schema};

impl DocumentTools {
    /// Returns the tools that a policy opens to models. The list is empty if the rollout is off, or in Git mode.
    pub fn list(self, policy: &Policy) -> Vec<ToolSpec> {
        let open = Tool::of(self).filter(|tool| policy.permits(tool.access()).is_ok());
        open.map(|tool| tool.spec(self, policy.rollout)).collect()
    }
}

impl Tool {
    fn spec(self, toolset: DocumentTools, rollout: Rollout) -> ToolSpec {
        ToolSpec {
            name: self.name().into(),
            description: self.description(rollout).into(),
            parameters: self.parameters(toolset, rollout),
        }
    }

    const fn description(self, rollout: Rollout) -> &'static str {
        match self {
            Self::CheckOut if !rollout.needs_lease() => {
                "Take the exclusive lease, so that nobody else changes the canvas between your calls. Other canvas tools \
                 work without it while nobody else holds one; pass them its lease_id."
            }
            Self::CheckOut => {
                "Take the exclusive lease. Call this first: every other canvas tool needs its lease_id."
            }
            Self::RenewLease => "Extend the lease before a long pause between calls.",
            Self::CheckIn => "Give the lease back as soon as you are done.",
            Self::Grep => {
                "Find lines by literal text or regular expression; case matters only if query has a capital letter. \
                 Shows \"line: text\", lines from 1. Locate with it before you edit."
            }
            Self::ReadLines => {
                "Read lines, both ends inclusive, from 1. Inspect the lines around a place before you patch it."
            }
            Self::ReadAll => {
                "Read the whole canvas. Discouraged: canvas_grep and canvas_read_lines cost less."
            }
            Self::ApplyPatch => {
                "Apply one unified diff, all hunks or none. The unchanged and removed lines of each hunk must equal the \
                 canvas exactly and occur there once; @@ alone is a header. Shows the changed lines."
            }
            Self::Outline => {
                "List the headings: path, level and lines of each section, and an ordinal where a path repeats. Needs no \
                 lease."
            }
            Self::ReadSection => {
                "Read one section by its heading path, or one list item or code fence of it. Needs no lease. Returns what \
                 canvas_read_lines does, and range_hash."
            }
            Self::History => {
                "List the last changes of the canvas, newest first. canvas_read_lines reads a revision_id of them."
            }
            Self::ReplaceLines => {
                "Replace whole lines, both ends inclusive, without quoting them: expect_hash says what they are. If they \
                 have changed or moved, CONTENT_CHANGED shows them."
            }
            Self::Move => {
                "Move {section: [titles], item: [n] or table, fence, paragraph: n}, or {lines: [1, 2]}. \
                 shift adds heading levels."
            }
            Self::ReplaceAll => {
                "Replace all matches of a canvas_grep with its query as find, its total as count."
            }
            Self::EditTable => {
                "set {row, column, value}, insert_row {at, cells}, remove_row {row}, move_row {row, to}, \
                 insert_column {at, name, cells}, remove_column {column}, move_column {column, to}. Row 1 is below \
                 the header; column may be a header."
            }
            Self::SetFrontMatter => "Set or remove a key of YAML front matter.",
            Self::EditList => "Change a list item ([2, 1]: first in the second), or renumber a list.",
            Self::RenameHeading => "Rename a heading and, if links, links to it.",
        }
    }

    fn parameters(self, toolset: DocumentTools, rollout: Rollout) -> Value {
        let mut schema = argument_schema(self.name());
        if let Some(properties) = schema["properties"].as_object_mut() {
            self.hidden(toolset, rollout).iter().for_each(|name| drop(properties.remove(*name)));
        }
        self.lease_rule(rollout).put_into(&mut schema);
        schema
    }
}
