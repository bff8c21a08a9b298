//! Text that may be long, in replies.

use std::borrow::Cow;

/// The beginning of what may hold a model's own words at any length.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    truncate(text, 300)
}

/// The text, or as much of its beginning as makes `limit` characters with the ellipsis that follows it.
pub(crate) fn truncate(text: &str, limit: usize) -> Cow<'_, str> {
    // No text has more characters than bytes.
    if text.len() <= limit || text.chars().count() <= limit {
        return text.into();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{kept}…").into()
}

#[cfg(test)]
mod tests {
    use super::truncate;

    #[test]
    fn truncated_text_has_at_most_the_limit_of_characters() {
        for (text, limit, expected) in [
            ("", 0, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("äöü", 3, "äöü"),
            ("äöüx", 3, "äö…"),
            ("😀😀", 1, "…"),
        ] {
            assert_eq!(truncate(text, limit), expected, "{text} {limit}");
        }
    }
}
