//! The dialects, with their names, prompts and messages.

use canvas_core::coded;

coded! {
    /// An edit format that models were trained on.
    #[non_exhaustive]
    pub enum Dialect {
        /// Anthropic's text editor tool, as of `text_editor_20250728`.
        TextEditor = "text-editor",
        /// OpenAI's hosted `apply_patch`, which takes a V4A diff of one file per call.
        ApplyPatch = "apply-patch",
        /// The custom tool `apply_patch` of Codex, which takes a V4A patch in its envelope.
        CodexPatch = "codex-patch",
        /// `old_string` and `new_string`, in the form of Claude Code.
        Edit = "edit",
        /// `old_string` and `new_string`, in the form of Gemini CLI.
        Replace = "replace",
        /// Blocks between `<<<<<<< SEARCH` and `>>>>>>> REPLACE`, for models without tools.
        SearchReplace = "search-replace",
    }
}

impl Dialect {
    /// Returns the dialect with a code such as `text-editor`, or `None` if there is no such dialect.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.code() == code)
    }

    /// Returns the advice on using the dialect, for the system prompt.
    pub(super) fn prompt(self) -> &'static str {
        match self {
            Self::TextEditor => "Insert at a line only where you have viewed the lines as they are now.",
            Self::ApplyPatch | Self::CodexPatch => {
                "Put what belongs together into one patch, its hunks in the order of the document."
            }
            Self::Edit | Self::Replace => "Quote whole lines, as few as are unique.",
            Self::SearchReplace => {
                "Several blocks in one call are applied together or not at all; a block has one separator."
            }
        }
    }

    /// Returns the dialect's message for a successful edit whose details are not known.
    pub(super) fn edited(self, path: &str) -> String {
        match self {
            Self::TextEditor => format!("The file {path} has been edited."),
            Self::ApplyPatch | Self::CodexPatch => format!("Success. Updated the following files:\nM {path}"),
            Self::Edit => format!("edited {path}"),
            Self::Replace => format!("Successfully modified file: {path}."),
            Self::SearchReplace => format!("Applied the SEARCH/REPLACE blocks to {path}."),
        }
    }
}
