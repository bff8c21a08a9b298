//! Reads which media types a client of HTTP accepts.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// The media types that answers have.
pub(crate) const JSON: &str = "application/json";
pub(crate) const EVENTS: &str = "text/event-stream";

/// Whether the client accepts each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) json: bool,
    pub(crate) events: bool,
}

impl Accepted {
    /// Reads `Accept`. A missing or empty header accepts anything. Parameters other than `q` are ignored, because no answer
    /// has any.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut ranges = Vec::new();
        for value in headers.get_all(ACCEPT) {
            // A value that is not text accepts nothing.
            let value = value.to_str().unwrap_or("-");
            ranges.extend(split(value, ',').filter(|range| !range.trim().is_empty()));
        }
        if ranges.is_empty() {
            return Self { json: true, events: true };
        }
        Self { json: accepts(&ranges, JSON), events: accepts(&ranges, EVENTS) }
    }
}

/// Whether the most specific range that includes a media type has a weight above 0.
fn accepts(ranges: &[&str], media: &str) -> bool {
    let all_of = media.split_once('/').map_or_else(String::new, |(kind, _)| format!("{kind}/*"));
    [media, &all_of, "*/*"].into_iter().find_map(|wanted| {
        let mut found = None;
        for range in ranges {
            let mut parts = split(range, ';').map(str::trim);
            if parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted)) {
                let has_weight = !parts.any(is_zero_weight);
                found = Some(found.unwrap_or(false) || has_weight);
            }
        }
        found
    }) == Some(true)
}

/// Whether a parameter is a weight of zero, such as `q=0` or `Q=0.000`. A malformed weight is ignored.
fn is_zero_weight(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, weight)| {
        name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0)
    })
}

/// Splits at delimiters outside of quoted strings.
fn split(text: &str, delimiter: char) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(move |character| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match character {
            '\\' if is_quoted && !was_escaped => is_escaped = true,
            '"' if !was_escaped => is_quoted = !is_quoted,
            _ => return character == delimiter && !is_quoted,
        }
        false
    })
}
