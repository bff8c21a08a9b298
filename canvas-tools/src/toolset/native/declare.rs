//! Names and parameters of the dialects' tools.

use super::dialect::Dialect;
use crate::toolset::spec::{ToolSpec, argument_schema};

/// The grammar, in Lark, of the input of [`Dialect::CodexPatch`], which is one section of one file.
pub const CODEX_GRAMMAR: &str = include_str!("codex.lark");

const TEXT_EDITOR: &str = "str_replace_based_edit_tool";
const OLDER_TEXT_EDITOR: &str = "str_replace_editor";
const APPLY_PATCH: &str = "apply_patch";

impl Dialect {
    /// Returns the names under which models call its tool, the usual one first.
    pub const fn tool_names(self) -> &'static [&'static str] {
        match self {
            Self::TextEditor => &[TEXT_EDITOR, OLDER_TEXT_EDITOR],
            Self::ApplyPatch | Self::CodexPatch => &[APPLY_PATCH],
            Self::Edit => &["edit"],
            Self::Replace => &["replace"],
            Self::SearchReplace => &["search_replace"],
        }
    }

    /// Returns the tool for a document of this path as a function. Use it for providers without a built-in form.
    pub fn spec(self, path: &str) -> ToolSpec {
        let parameters = argument_schema(self.code());
        ToolSpec { name: self.tool_names()[0].into(), description: self.description(path), parameters }
    }

    fn description(self, path: &str) -> String {
        let how = match self {
            Self::TextEditor => {
                "old_str must be copied exactly and occur once; create only works on an empty document."
            }
            Self::ApplyPatch => {
                "The diff has hunks that begin with @@, and lines that begin with a space, - or +. Context and removed lines \
                 must be copied exactly and occur at one place; @@ may name a line that stands above them."
            }
            Self::CodexPatch => {
                "A patch of this one file. Context and removed lines must be copied exactly and occur at one place; @@ may \
                 name a line that stands above them."
            }
            Self::Edit => {
                "old_string must be copied exactly and occur once, unless replace_all is true; it is empty only where the \
                 document is."
            }
            Self::Replace => {
                "old_string must be copied exactly and occur once, unless allow_multiple is true; it is empty only where the \
                 document is."
            }
            Self::SearchReplace => {
                "Blocks: a line <<<<<<< SEARCH, whole lines copied exactly that occur at one place, a line =======, the lines \
                 in their place, a line >>>>>>> REPLACE. Write a backslash before a line of the document that reads like one \
                 of these."
            }
        };
        format!("Edits {path}. {how}")
    }
}

/// Returns the schemas of the dialects' calls, derived from their types.
#[cfg(all(test, feature = "schema"))]
pub(crate) fn argument_schemas() -> Vec<(&'static str, serde_json::Value)> {
    use super::string_edit::{Edit, Replace};
    use super::{apply_patch, codex, search_replace, text_editor};
    use crate::toolset::spec::schema_of;

    let schema = |dialect| match dialect {
        Dialect::TextEditor => schema_of::<text_editor::Call>(),
        Dialect::ApplyPatch => schema_of::<apply_patch::Call>(),
        Dialect::CodexPatch => schema_of::<codex::Call>(),
        Dialect::Edit => schema_of::<Edit>(),
        Dialect::Replace => schema_of::<Replace>(),
        Dialect::SearchReplace => schema_of::<search_replace::Call>(),
    };
    Dialect::ALL.into_iter().map(|dialect| (dialect.code(), schema(dialect))).collect()
}
