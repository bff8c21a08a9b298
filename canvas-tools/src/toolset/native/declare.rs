//! How a dialect is declared to a provider.

use serde_json::{Value, json};

use super::dialect::Dialect;
use super::string_edit::{Edit, Replace};
use crate::toolset::spec::{ToolSpec, schema_of};

/// The grammar, in Lark, of the input of [`Dialect::CodexPatch`]: one section of one file.
pub const CODEX_GRAMMAR: &str = include_str!("codex.lark");

/// A dialect's tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Declaration {
    /// Built into the provider, which takes this in its list of tools.
    BuiltIn(Value),
    /// A function, declared like any other.
    Function(ToolSpec),
}

impl Declaration {
    /// The JSON for a list of tools; of a function name, description and parameters.
    pub fn to_json(&self) -> Value {
        match self {
            Self::BuiltIn(tool) => tool.clone(),
            Self::Function(spec) => json!(spec),
        }
    }
}

const TEXT_EDITOR: &str = "str_replace_based_edit_tool";
const OLDER_TEXT_EDITOR: &str = "str_replace_editor";
const APPLY_PATCH: &str = "apply_patch";

impl Dialect {
    /// The names under which models call its tool, the usual one first.
    pub const fn tool_names(self) -> &'static [&'static str] {
        match self {
            Self::TextEditor => &[TEXT_EDITOR, OLDER_TEXT_EDITOR],
            Self::ApplyPatch | Self::CodexPatch => &[APPLY_PATCH],
            Self::Edit => &["edit"],
            Self::Replace => &["replace"],
            Self::SearchReplace => &["search_replace"],
        }
    }

    /// The tool as its provider takes it, for a document of this path.
    pub fn declare(self, path: &str) -> Declaration {
        let name = self.tool_names()[0];
        match self {
            Self::TextEditor => Declaration::BuiltIn(json!({"type": "text_editor_20250728", "name": name})),
            Self::ApplyPatch => Declaration::BuiltIn(json!({"type": name})),
            Self::CodexPatch => Declaration::BuiltIn(json!({
                "type": "custom",
                "name": name,
                "description": self.description(path),
                "format": {"type": "grammar", "syntax": "lark", "definition": CODEX_GRAMMAR},
            })),
            Self::Edit | Self::Replace | Self::SearchReplace => Declaration::Function(self.spec(path)),
        }
    }

    /// The tool as a function, for providers that do not have it built in.
    pub(super) fn spec(self, path: &str) -> ToolSpec {
        let parameters = match self {
            Self::TextEditor => schema_of::<super::text_editor::Call>(),
            Self::ApplyPatch => schema_of::<super::apply_patch::Call>(),
            Self::CodexPatch => schema_of::<super::codex::Call>(),
            Self::Edit => schema_of::<Edit>(),
            Self::Replace => schema_of::<Replace>(),
            Self::SearchReplace => schema_of::<super::search_replace::Call>(),
        };
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
