//! Reading arguments, and saying where they are wrong.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use super::error::ToolError;

/// Reads the arguments of a call. What is wrong with them is named by its place.
pub(super) fn arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, ToolError> {
    if !arguments.is_object() {
        return Err(ToolError::argument("", "pass the arguments as one JSON object"));
    }
    serde_path_to_error::deserialize(arguments).map_err(|e| {
        let what = e.inner().to_string();
        let message = format!("{}: correct the arguments to the tool's schema", shorten(&what));
        ToolError::argument(&shorten(&pointer(e.path())), message)
    })
}

/// A path as a JSON Pointer (RFC 6901).
pub(super) fn pointer(path: &serde_path_to_error::Path) -> String {
    path.iter().map(pointer_segment).collect()
}

fn pointer_segment(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } | Segment::Enum { variant: key } => pointer_key(key),
        Segment::Unknown => String::new(),
    }
}

pub(super) fn pointer_key(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The beginning of what may hold a model's own words at any length.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    truncate(text, 300)
}

/// The text, or as much of its beginning as makes `limit` characters with the ellipsis that follows it.
pub(super) fn truncate(text: &str, limit: usize) -> Cow<'_, str> {
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
