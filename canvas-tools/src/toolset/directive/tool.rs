//! The names of the directive tools, and the access that they need.

use canvas_core::rollout::Access;

/// Name of the tool that shows the document.
pub const DOCUMENT_SNAPSHOT: &str = "document_snapshot";

/// Name of the tool that applies a directive.
pub const DOCUMENT_EDIT: &str = "document_edit";

/// Name of the tool that writes a diff.
pub const DIFF_BUILDER: &str = "diff_builder";

/// The tools for directives: `document_snapshot`, `document_edit` and, with patches, `diff_builder`.
///
/// A failure of `document_edit` has the fields of
/// [`DirectiveFailure::to_json`](super::failure::DirectiveFailure::to_json).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DirectiveTools {
    /// Whether the model may send patches. Turn this off for models that write poor diffs: `document_edit` then refuses
    /// patches, and `diff_builder` is not offered.
    pub use_patch_edits: bool,
}

impl Default for DirectiveTools {
    /// Enables patches.
    fn default() -> Self {
        Self { use_patch_edits: true }
    }
}

impl DirectiveTools {
    /// Returns the name and the required access of each tool.
    pub(super) fn tools(self) -> impl Iterator<Item = (&'static str, Access)> {
        let all =
            [(DOCUMENT_SNAPSHOT, Access::Read), (DOCUMENT_EDIT, Access::Write), (DIFF_BUILDER, Access::Read)];
        all.into_iter().filter(move |(name, _)| *name != DIFF_BUILDER || self.use_patch_edits)
    }
}
