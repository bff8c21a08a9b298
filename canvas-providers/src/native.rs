//! Tools for edits that models know without a description: how their providers declare them.

use canvas_tools::{CODEX_GRAMMAR, Dialect, ToolSpec};
use serde_json::{Value, json};

/// The tool of a dialect, as the provider declares it whose models were trained on it.
///
/// The dialects that are not here are functions, which [`Provider::tools`](crate::Provider::tools) declares like any other.
///
/// ```
/// use canvas_providers::NativeTool;
/// use canvas_tools::Dialect;
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
    /// The custom tool of Codex: free text in a grammar.
    CodexPatch,
}

/// A version of Anthropic's text editor tool; models take the one that they were trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextEditor {
    /// Since Claude 4.
    V20250728 {
        /// Characters of a view, after which the tool may cut it.
        max_characters: Option<u32>,
    },
    /// Of Claude 4, at first.
    V20250429,
    /// Of Claude 3.7, with `undo_edit`.
    V20250124,
    /// Of Claude 3.5.
    V20241022,
}

impl NativeTool {
    /// The tool of a dialect, in its newest version; `None` for one that is a function everywhere.
    pub fn of(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::TextEditor => Some(Self::TextEditor(TextEditor::V20250728 { max_characters: None })),
            Dialect::ApplyPatch => Some(Self::ApplyPatch),
            Dialect::CodexPatch => Some(Self::CodexPatch),
            Dialect::Edit | Dialect::Replace | Dialect::SearchReplace => None,
        }
    }

    /// The dialect that its calls are in.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::TextEditor(_) => Dialect::TextEditor,
            Self::ApplyPatch => Dialect::ApplyPatch,
            Self::CodexPatch => Dialect::CodexPatch,
        }
    }

    /// The name that the model calls.
    pub fn name(self) -> &'static str {
        match self {
            Self::TextEditor(TextEditor::V20250728 { .. } | TextEditor::V20250429) => {
                "str_replace_based_edit_tool"
            }
            Self::TextEditor(TextEditor::V20250124 | TextEditor::V20241022) => "str_replace_editor",
            Self::ApplyPatch | Self::CodexPatch => "apply_patch",
        }
    }

    /// Its entry in a list of tools. Of its spec only a custom tool says anything.
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

    /// Whether a spec is that of its dialect.
    pub(crate) fn is_of(self, spec: &ToolSpec) -> bool {
        self.dialect().tool_names()[0] == spec.name
    }
}
