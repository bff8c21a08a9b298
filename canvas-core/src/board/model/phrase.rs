//! Parts of sentences about a board, each of bounded length.

use super::id::ComponentId;

pub(crate) fn counted(components: usize) -> String {
    match components {
        1 => "one component".to_owned(),
        many => format!("{many} components"),
    }
}

/// The first five ids, and how many more there are.
pub(crate) fn listed(ids: &[ComponentId]) -> String {
    const SHOWN: usize = 5;
    let mut text = ids.iter().take(SHOWN).map(ComponentId::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN {
        text.push_str(&format!(" and {} more", ids.len() - SHOWN));
    }
    text
}

/// What a command has named.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", canvas_patch::truncate(text, 80))
}
