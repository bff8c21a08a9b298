//! URLs, in which a value is percent-encoded and is part of one path segment or of one query value.

use crate::surface::sink::part::{Forbidden, Form, Item, Part, Placed, Refused, Run, Shown, cut};
use crate::surface::sink::path::percent_decoded;

const AUTHORITY: &str =
    "a value may only follow a literal scheme and host: begin the template with https://host/";
const SCHEME: &str = "a URL of this scheme may run code: begin the template with https://host/";

/// Parses the literal text of the template as an absolute URL.
pub(super) fn judge(items: &[Placed]) -> Result<Vec<Run>, Forbidden> {
    let Some(first) = items.iter().find(|placed| placed.is_value()) else {
        return Ok(cut(items, &[]));
    };
    let head: String = items.iter().map_while(|placed| placed.char()).collect();
    let Some((scheme, rest)) = head.split_once("://") else {
        return Err(Forbidden::new(first.at, AUTHORITY));
    };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !is_scheme || host.is_empty() || host.len() == rest.len() {
        return Err(Forbidden::new(first.at, AUTHORITY));
    }
    if ["javascript", "data", "vbscript", "blob", "file"].iter().any(|s| scheme.eq_ignore_ascii_case(s)) {
        return Err(Forbidden::new(items[0].at, SCHEME));
    }
    let stray = |placed: &&Placed| {
        placed
            .char()
            .is_some_and(|c| c.is_control() || c.is_whitespace() || matches!(c, '\\' | '<' | '>' | '"'))
    };
    if let Some(stray) = items.iter().find(stray) {
        return Err(Forbidden::new(
            stray.at,
            "the URL has a character that must be encoded: percent-encode it",
        ));
    }
    // All of this except the host is ASCII, so that characters are counted.
    let path = scheme.len() + "://".len() + host.chars().count();
    runs(items, path).map(|runs| cut(items, &runs))
}

enum At {
    Segment,
    QueryName,
    QueryValue,
    Fragment,
}

fn runs(items: &[Placed], path: usize) -> Result<Vec<(std::ops::Range<usize>, Form)>, Forbidden> {
    let mut runs = Vec::new();
    let (mut at, mut start, mut has_value) = (At::Segment, path, false);
    let mut end = |at: &At, range: std::ops::Range<usize>, has_value: &mut bool| {
        if std::mem::take(has_value) {
            let form = if matches!(at, At::Segment) { Form::UrlSegment } else { Form::UrlQuery };
            runs.push((range, form));
        }
    };
    for (index, placed) in items.iter().enumerate().skip(path) {
        let next = match (&at, placed.item) {
            (At::Segment | At::QueryValue, Item::Value(_)) => {
                has_value = true;
                continue;
            }
            (At::QueryName, Item::Value(_)) => {
                let message =
                    "a value may not name a member of the query: write its name before it, as in ?name=";
                return Err(Forbidden::new(placed.at, message));
            }
            (At::Fragment, Item::Value(_)) => {
                let message = "a value may not follow #: put it into the path or the query";
                return Err(Forbidden::new(placed.at, message));
            }
            (At::Segment, Item::Char('/')) => At::Segment,
            (At::Segment, Item::Char('?')) => At::QueryName,
            (At::QueryName | At::QueryValue, Item::Char('&' | ';')) => At::QueryName,
            (At::QueryName, Item::Char('=')) => At::QueryValue,
            (At::Segment | At::QueryName | At::QueryValue, Item::Char('#')) => At::Fragment,
            _ => continue,
        };
        end(&at, start..index, &mut has_value);
        at = next;
        start = index + 1;
    }
    end(&at, start..items.len(), &mut has_value);
    Ok(runs)
}

/// Writes a path segment.
pub(super) fn write_segment(parts: &[Part], values: &[Shown<'_>], out: &mut String) -> Result<(), Refused> {
    let start = out.len();
    let mut last = 0;
    for part in parts {
        match part {
            Part::Literal(text) => out.push_str(text),
            &Part::Value(value) => {
                last = value;
                let text = values[value].text.as_ref();
                if text.is_empty() {
                    let message = "is empty, and the URL would be another one: set it first";
                    return Err(Refused { value, message });
                }
                // A server may decode a slash before it looks for dots.
                let decoded = percent_decoded(text.as_bytes());
                let mut segments = text.as_bytes().split(is_slash).chain(decoded.split(is_slash));
                if segments.any(is_dots) {
                    return Err(Refused { value, message: DOTS });
                }
                percent_encode(text, out);
            }
        }
    }
    if is_dots(&percent_decoded(&out.as_bytes()[start..])) {
        return Err(Refused { value: last, message: DOTS });
    }
    Ok(())
}

/// Writes a query value.
pub(super) fn write_query(parts: &[Part], values: &[Shown<'_>], out: &mut String) {
    for part in parts {
        match part {
            Part::Literal(text) => out.push_str(text),
            &Part::Value(value) => percent_encode(&values[value].text, out),
        }
    }
}

const DOTS: &str = "has a segment of dots, which leads elsewhere: pass a name";

fn is_slash(byte: &u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

fn is_dots(segment: &[u8]) -> bool {
    matches!(segment, b"." | b"..")
}

/// Encodes all bytes except those that RFC 3986 calls unreserved.
fn percent_encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            let hex = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit)]);
            out.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
    }
}
