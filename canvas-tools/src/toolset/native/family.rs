//! Which dialect the models of a family were trained on.

use super::dialect::Dialect;

/// Models that were trained on the same form of edits, by how their names begin.
///
/// It is a suggestion: the addressed tools are the default for every model, and a host that opts in to a dialect may have
/// a table of its own.
///
/// ```
/// use canvas_tools::{Dialect, FAMILIES, ModelFamily};
///
/// assert_eq!(ModelFamily::suggest(FAMILIES, "gpt-5.6-codex"), Some(Dialect::CodexPatch));
/// assert_eq!(ModelFamily::suggest(FAMILIES, "anthropic/claude-opus-4-6"), Some(Dialect::TextEditor));
/// assert_eq!(ModelFamily::suggest(FAMILIES, "someone's-model"), None);
///
/// let own = [ModelFamily { prefix: "claude", dialect: Some(Dialect::Edit) }];
/// assert_eq!(ModelFamily::suggest(&own, "claude-opus-4-6"), Some(Dialect::Edit));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModelFamily<'a> {
    /// How the names of its models begin, in lower case, without the host before a `/`.
    pub prefix: &'a str,
    /// The form; `None` for a family that is better off with the addressed tools.
    pub dialect: Option<Dialect>,
}

const fn family(prefix: &str, dialect: Dialect) -> ModelFamily<'_> {
    ModelFamily { prefix, dialect: Some(dialect) }
}

/// What hosts of 2026 give each family.
pub const FAMILIES: &[ModelFamily<'static>] = &[
    family("claude", Dialect::TextEditor),
    family("codex", Dialect::CodexPatch),
    family("deepseek", Dialect::SearchReplace),
    family("gemini", Dialect::Replace),
    // Models before V4A, and open weights that were not trained on it.
    ModelFamily { prefix: "gpt-3", dialect: None },
    ModelFamily { prefix: "gpt-4", dialect: None },
    ModelFamily { prefix: "gpt-oss", dialect: None },
    family("gpt-4.1", Dialect::CodexPatch),
    family("gpt", Dialect::CodexPatch),
    family("qwen", Dialect::SearchReplace),
];

impl ModelFamily<'_> {
    /// The dialect of the family with the longest prefix of a model's name; `None` where the addressed tools are better, or
    /// no family is known.
    pub fn suggest(families: &[ModelFamily<'_>], model: &str) -> Option<Dialect> {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let known = families.iter().filter(|family| name.starts_with(family.prefix));
        known.max_by_key(|family| family.prefix.len()).and_then(|family| family.dialect)
    }
}
