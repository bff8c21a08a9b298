//! Parts of sentences about a board, each of bounded length.

use super::id::ComponentId;

pub(crate) fn counted(components: usize) -> String {
    match components {
        1 => "one component".to_owned(),
        many => format!("{many} components"),
    }
}

/// Lists the first five ids, and the number of the rest.
pub(crate) fn listed(ids: &[ComponentId]) -> String {
    const SHOWN: usize = 5;
    let mut text = ids.iter().take(SHOWN).map(ComponentId::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN {
        text.push_str(&format!(" and {} more", ids.len() - SHOWN));
    }
    text
}

/// Quotes a text from a command, cut at 80 characters.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", canvas_patch::truncate(text, 80))
}
