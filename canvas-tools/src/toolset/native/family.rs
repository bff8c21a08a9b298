//! What suits the models of a family: the form of edits that they were trained on, its tool and its prompt.

use canvas_core::store::Store;

use super::dialect::Dialect;
use super::tool::NativeTools;
use crate::toolset::context::Toolset;
use crate::toolset::document::tool::DocumentTools;

/// Models that were trained on the same form of edits, by how their names begin.
///
/// It is a suggestion: the addressed tools are the default for every model, and a host that opts in to a dialect may have
/// a table of its own.
///
/// ```
/// use canvas_tools::{Dialect, FAMILIES, ModelFamily};
///
/// let dialect = |families: &[ModelFamily<'_>], model| ModelFamily::of(families, model)?.dialect;
/// assert_eq!(dialect(FAMILIES, "gpt-5.6-codex"), Some(Dialect::CodexPatch));
/// assert_eq!(dialect(FAMILIES, "anthropic/claude-opus-4-6"), Some(Dialect::TextEditor));
/// assert_eq!(dialect(FAMILIES, "someone's-model"), None);
///
/// let own = [ModelFamily { prefix: "claude", dialect: Some(Dialect::Edit), prompt: "" }];
/// assert_eq!(dialect(&own, "claude-opus-4-6"), Some(Dialect::Edit));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModelFamily<'a> {
    /// How the names of its models begin, in lower case, without the host before a `/`.
    pub prefix: &'a str,
    /// The form; `None` for a family that is better off with the addressed tools.
    pub dialect: Option<Dialect>,
    /// A line for the system prompt, beside those of the dialect; may be empty.
    pub prompt: &'a str,
}

const fn family<'a>(prefix: &'a str, dialect: Dialect, prompt: &'a str) -> ModelFamily<'a> {
    ModelFamily { prefix, dialect: Some(dialect), prompt }
}

const fn addressed(prefix: &str) -> ModelFamily<'_> {
    ModelFamily { prefix, dialect: None, prompt: "" }
}

/// They are known to shorten what they quote.
const WHOLE_LINES: &str = "Quote whole lines; never shorten them with ....";
/// They are known to escape twice.
const REAL_NEWLINES: &str = "Write line breaks in strings once escaped.";

/// What hosts of 2026 give each family.
pub const FAMILIES: &[ModelFamily<'static>] = &[
    family("claude", Dialect::TextEditor, ""),
    family("codex", Dialect::CodexPatch, ""),
    family("deepseek", Dialect::SearchReplace, WHOLE_LINES),
    family("gemini", Dialect::Replace, REAL_NEWLINES),
    // Models before V4A, and open weights that were not trained on it.
    addressed("gpt-3"),
    addressed("gpt-4"),
    addressed("gpt-oss"),
    family("gpt-4.1", Dialect::CodexPatch, ""),
    family("gpt", Dialect::CodexPatch, ""),
    family("qwen", Dialect::SearchReplace, WHOLE_LINES),
];

impl<'a> ModelFamily<'a> {
    /// The family with the longest prefix of a model's name; `None` where no family is known.
    pub fn of(families: &[Self], model: &str) -> Option<Self> {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let known = families.iter().filter(|family| name.starts_with(family.prefix));
        known.max_by_key(|family| family.prefix.len()).copied()
    }

    /// The tools for a document of this path, whose prompt has the family's line: those of the dialect, or the addressed
    /// ones.
    pub fn toolset<S: Store>(&self, path: &str) -> Box<dyn Toolset<S>> {
        match self.dialect {
            Some(dialect) => Box::new(NativeTools {
                path: path.to_owned(),
                prompt: self.prompt.to_owned(),
                ..NativeTools::new(dialect)
            }),
            None => Box::new(DocumentTools::default()),
        }
    }
}
