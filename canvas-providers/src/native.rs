//! Declares editing tools that models know without a description, in the form of their providers.

use canvas_tools::ToolSpec;
use canvas_tools::native::{CODEX_GRAMMAR, Dialect};
use serde_json::{Value, json};

/// A dialect's tool that a provider has built in, because its models were trained on it.
///
/// Dialects without such a tool are functions, which [`Provider::tools`](crate::Provider::tools) declares like any
/// other.
///
/// ```
/// use canvas_providers::NativeTool;
/// use canvas_tools::native::Dialect;
///
/// let tool = NativeTool::of(Dialect::TextEditor).expect("it is built in");
/// let declared = tool.declare(&Dialect::TextEditor.spec("document.md"));
/// assert_eq!(declared["type"], "text_editor_20250728");
/// assert_eq!(NativeTool::of(Dialect::Edit), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NativeTool {
    /// Anthropic's text editor.
    TextEditor(TextEditor),
    /// The hosted `apply_patch` of OpenAI's Responses API.
    ApplyPatch,
    /// The custom tool of Codex, which takes free text in a grammar.
    CodexPatch,
}

/// A version of Anthropic's text editor tool. Each model takes the version that it was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextEditor {
    /// For Claude 4 and later.
    V20250728 {
        /// Maximum characters of a view, beyond which the tool may cut it; `None` does not declare a maximum.
        max_characters: Option<u32>,
    },
    /// The first version for Claude 4.
    V20250429,
    /// For Claude 3.7, with `undo_edit`.
    V20250124,
    /// For Claude 3.5.
    V20241022,
}

impl NativeTool {
    /// Returns the newest version of a dialect's tool, or `None` if the dialect is a function at every provider.
    pub fn of(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::TextEditor => Some(Self::TextEditor(TextEditor::V20250728 { max_characters: None })),
            Dialect::ApplyPatch => Some(Self::ApplyPatch),
            Dialect::CodexPatch => Some(Self::CodexPatch),
            _ => None,
        }
    }

    /// Returns the dialect of the tool's calls.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::TextEditor(_) => Dialect::TextEditor,
            Self::ApplyPatch => Dialect::ApplyPatch,
            Self::CodexPatch => Dialect::CodexPatch,
        }
    }

    /// Returns the tool name that the model calls.
    pub fn name(self) -> &'static str {
        match self {
            Self::TextEditor(TextEditor::V20250728 { .. } | TextEditor::V20250429) => {
                "str_replace_based_edit_tool"
            }
            Self::TextEditor(TextEditor::V20250124 | TextEditor::V20241022) => "str_replace_editor",
            Self::ApplyPatch | Self::CodexPatch => "apply_patch",
        }
    }

    /// Returns the entry for a list of tools. Only a custom tool takes its description from the spec.
    pub fn declare(self, spec: &ToolSpec) -> Value {
        match self {
            Self::TextEditor(version) => {
                let (kind, max_characters) = match version {
                    TextEditor::V20250728 { max_characters } => ("text_editor_20250728", max_characters),
                    TextEditor::V20250429 => ("text_editor_20250429", None),
                    TextEditor::V20250124 => ("text_editor_20250124", None),
                    TextEditor::V20241022 => ("text_editor_20241022", None),
                };
                let mut tool = json!({"type": kind, "name": self.name()});
                if let Some(most) = max_characters {
                    tool["max_characters"] = most.into();
                }
                tool
            }
            Self::ApplyPatch => json!({"type": "apply_patch"}),
            Self::CodexPatch => json!({
                "type": "custom",
                "name": self.name(),
                "description": spec.description,
                "format": {"type": "grammar", "syntax": "lark", "definition": CODEX_GRAMMAR},
            }),
        }
    }

    /// Whether the spec belongs to the tool's dialect.
    pub(crate) fn is_of(self, spec: &ToolSpec) -> bool {
        self.dialect().tool_names()[0] == spec.name
    }
}
