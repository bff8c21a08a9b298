//! The specs of the tools.

use canvas_core::Policy;

use super::schema::tool_schema;
use super::tool::{DOCUMENT_EDIT, DOCUMENT_SNAPSHOT, DirectiveTools};
use crate::toolset::spec::{ToolSpec, argument_schema};

impl DirectiveTools {
    /// Returns the tools that a policy opens to models.
    pub fn list(self, policy: &Policy) -> Vec<ToolSpec> {
        let open = self.tools().filter(|(_, access)| policy.permits(*access).is_ok());
        open.map(|(name, _)| self.spec(name)).collect()
    }

    fn spec(self, name: &str) -> ToolSpec {
        let (description, parameters) = match name {
            DOCUMENT_SNAPSHOT => (
                "Read the document with its document_version and the character offset of every line. Take one before \
                 each edit and after each failure."
                    .to_owned(),
                argument_schema("document_snapshot"),
            ),
            DOCUMENT_EDIT => (edit_description(self.use_patch_edits), tool_schema(self.use_patch_edits)),
            _ => (
                "Write the unified diff that turns original into updated, ready for document_edit with action patch. \
                 It changes nothing by itself."
                    .to_owned(),
                argument_schema("diff_builder"),
            ),
        };
        ToolSpec { name: name.into(), description, parameters }
    }
}

fn edit_description(use_patch_edits: bool) -> String {
    let in_place = "insert, replace and annotate need content and target or target_range; annotate never alters the \
                    text.";
    if use_patch_edits {
        format!(
            "Change the document by one directive. Prefer action patch: diff and document_version, without content, \
             target and target_range; all hunks apply or none. {in_place} A failure says what is wrong and what to do."
        )
    } else {
        format!(
            "Change the document by one directive: {in_place} A failure says what is wrong and what to do."
        )
    }
}

/// Returns the schemas of the tools' arguments and of a directive, derived from their types.
#[cfg(all(test, feature = "schema"))]
pub(crate) fn argument_schemas() -> Vec<(&'static str, serde_json::Value)> {
    use super::builder::BuildDiff;
    use super::schema::DirectiveJson;
    use super::snapshot::TakeSnapshot;
    use super::tool::DIFF_BUILDER;
    use crate::toolset::spec::schema_of;

    vec![
        (DOCUMENT_SNAPSHOT, schema_of::<TakeSnapshot>()),
        (DIFF_BUILDER, schema_of::<BuildDiff>()),
        ("directive", schema_of::<DirectiveJson>()),
    ]
}
