//! The recommended edit format, tool and prompt for each model family.

use canvas_core::store::Store;

use super::dialect::Dialect;
use super::tool::NativeTools;
use crate::toolset::context::Toolset;
use crate::toolset::document::tool::DocumentTools;

/// Models that were trained on the same edit format, identified by a prefix of their names.
///
/// This is a suggestion. The addressed tools are the default for every model, and a host that opts in to a dialect may
/// use its own table.
///
/// ```
/// use canvas_tools::native::{Dialect, FAMILIES, ModelFamily};
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
    /// The prefix of the models' names, in lower case and without the host before a `/`.
    pub prefix: &'a str,
    /// The dialect, or `None` for a family that works better with the addressed tools.
    pub dialect: Option<Dialect>,
    /// An additional line for the system prompt, after the dialect's own. May be empty.
    pub prompt: &'a str,
}

const fn family<'a>(prefix: &'a str, dialect: Dialect, prompt: &'a str) -> ModelFamily<'a> {
    ModelFamily { prefix, dialect: Some(dialect), prompt }
}

const fn addressed(prefix: &str) -> ModelFamily<'_> {
    ModelFamily { prefix, dialect: None, prompt: "" }
}

/// For models that tend to shorten their quotes.
const WHOLE_LINES: &str = "Quote whole lines; never shorten them with ....";
/// For models that tend to escape twice.
const REAL_NEWLINES: &str = "Write line breaks in strings once escaped.";

/// The dialect and prompt that hosts used for each family in 2026.
pub const FAMILIES: &[ModelFamily<'static>] = &[
    family("claude", Dialect::TextEditor, ""),
    family("codex", Dialect::CodexPatch, ""),
    family("deepseek", Dialect::SearchReplace, WHOLE_LINES),
    family("gemini", Dialect::Replace, REAL_NEWLINES),
    // Models older than V4A, and open weights that were not trained on it.
    addressed("gpt-3"),
    addressed("gpt-4"),
    addressed("gpt-oss"),
    family("gpt-4.1", Dialect::CodexPatch, ""),
    family("gpt", Dialect::CodexPatch, ""),
    family("qwen", Dialect::SearchReplace, WHOLE_LINES),
];

impl<'a> ModelFamily<'a> {
    /// Returns the family with the longest matching prefix of a model's name, or `None` if no family matches.
    pub fn of(families: &[Self], model: &str) -> Option<Self> {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let known = families.iter().filter(|family| name.starts_with(family.prefix));
        known.max_by_key(|family| family.prefix.len()).copied()
    }

    /// Returns the tools for a document with this path. These are the tool of the dialect, with the family's line in
    /// its prompt, or the addressed tools.
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
