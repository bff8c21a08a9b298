//! The anchors of headings, and the links to them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};
use regex::Regex;

use crate::markdown::outline::{Lead, OPTIONS, Outline, bounded};

/// A link to an anchor of the same text.
pub(crate) struct AnchorLink {
    /// The anchor without `#`, as written.
    pub(crate) bytes: Range<usize>,
}

/// Characters that GitHub leaves out of an anchor.
static LEFT_OUT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[^\w\- ]").expect("the expression is well-formed"));

/// Returns the anchor of every heading in the form of GitHub, which is the title in lower case, with a number if an earlier
/// heading has the same anchor. A title that ends with `{#id}` has that anchor.
pub(crate) fn anchors(outline: &Outline) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let anchor = |title: &str| {
        if let Some(stated) = explicit_id(title) {
            return stated.id.to_owned();
        }
        let lower = title.to_lowercase();
        let base = LEFT_OUT.replace_all(&lower, "").replace(' ', "-");
        let mut anchor = base.clone();
        let mut next = seen.get(&base).copied().unwrap_or(0);
        while seen.contains_key(&anchor) {
            next += 1;
            anchor = format!("{base}-{next}");
        }
        seen.insert(base, next);
        seen.insert(anchor.clone(), 0);
        anchor
    };
    outline.sections().iter().map(|section| section.title.as_str()).map(anchor).collect()
}

/// Finds the links to anchors of the text itself, in order.
pub(crate) fn anchor_links(text: &str) -> Vec<AnchorLink> {
    let base = Lead::of(text).bytes;
    let body = bounded(&text[base..]);
    let mut links = Vec::new();
    let parser = Parser::new_ext(&body, OPTIONS);
    let definitions = parser.reference_definitions().iter();
    let defined: Vec<_> = definitions
        .filter(|(_, definition)| definition.dest.starts_with('#'))
        .map(|(_, definition)| (definition.span.clone(), definition.dest.to_string()))
        .collect();
    // The links that are open, with the end of what is inside of them so far.
    let mut open: Vec<(Range<usize>, Option<String>, usize)> = Vec::new();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                let anchor = (link_type == LinkType::Inline && dest_url.starts_with('#'))
                    .then(|| dest_url.to_string());
                open.push((range.clone(), anchor, range.start + 1));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let Some((bytes, anchor, inner)) = open.pop() else { continue };
                if let Some((_, _, end)) = open.last_mut() {
                    *end = bytes.end;
                }
                let link = anchor.and_then(|anchor| destination(&body, inner..bytes.end, "](", &anchor));
                links.extend(link);
            }
            _ => {
                if let Some((_, _, end)) = open.last_mut() {
                    *end = (*end).max(range.end);
                }
            }
        }
    }
    links.extend(defined.into_iter().filter_map(|(span, anchor)| destination(&body, span, "]:", &anchor)));
    let at_text = |bytes: Range<usize>| AnchorLink { bytes: base + bytes.start..base + bytes.end };
    let mut links: Vec<_> = links.into_iter().map(at_text).collect();
    links.sort_by_key(|link| link.bytes.start);
    links
}

/// Returns the bytes of an anchor behind the first `open` in a range, if it is written without escapes.
fn destination(body: &str, range: Range<usize>, open: &str, anchor: &str) -> Option<Range<usize>> {
    let source = &body[range.clone()];
    let after = source.find(open)? + open.len();
    let rest = source[after..].trim_start();
    let rest = rest.strip_prefix('<').unwrap_or(rest);
    let start = range.end - rest.len() + 1;
    rest.starts_with(anchor).then(|| start..start + anchor.len() - 1)
}

/// Encodes the bytes of an anchor that are not ASCII in percent.
pub(crate) fn encoded(anchor: &str) -> String {
    let mut out = String::with_capacity(anchor.len());
    for byte in anchor.bytes() {
        match byte {
            byte if byte.is_ascii() => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Decodes the percent-encoded bytes of an anchor.
pub(crate) fn decoded(anchor: &str) -> Cow<'_, str> {
    if !anchor.contains('%') {
        return Cow::Borrowed(anchor);
    }
    let bytes = anchor.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = anchor.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(anchor), Cow::Owned)
}

/// An id that a title states.
pub(crate) struct ExplicitId<'t> {
    id: &'t str,
    /// Bytes from the opening brace to the end of the title.
    pub(crate) whole: usize,
}

/// Returns the id at the end of a title, as in `Title {#id}`.
pub(crate) fn explicit_id(title: &str) -> Option<ExplicitId<'_>> {
    let open = title.rfind("{#")?;
    let id = title[open + 2..].strip_suffix('}')?;
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || "-_:.".contains(c));
    is_id.then_some(ExplicitId { id, whole: title.len() - open })
}
