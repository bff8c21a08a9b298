//! The keys of YAML front matter, with their places, and how values are written.

mod error;
mod scalar;
mod yaml;

pub(crate) use error::KeyError;
pub use scalar::YamlValue;
pub(crate) use scalar::{Form, written};
pub(crate) use yaml::{Content, Node};

use std::ops::Range;

use crate::markdown::outline::Lead;
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// Maximum bytes of front matter whose keys can be addressed.
const MAX_BYTES: usize = 64 << 10;
/// Maximum keys listed in an error.
const MAX_KEYS: usize = 20;

/// Front matter that keys can be looked up in.
pub(crate) struct FrontMatter<'t> {
    text: &'t str,
    /// The lines between the delimiters.
    pub(crate) body: Range<usize>,
    /// The mapping, with bytes of the text. `None` if there are only comments.
    pub(crate) root: Option<Node>,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'n> {
    pub(crate) key: &'n Node,
    pub(crate) value: &'n Node,
}

/// Place of a key, or the place at which it is missing.
pub(crate) struct Found<'n> {
    /// The innermost mapping on the path. `None` if the front matter has only comments.
    pub(crate) mapping: Option<&'n Node>,
    /// The entry whose value is that mapping, unless it is the outermost one.
    pub(crate) owner: Option<Entry<'n>>,
    /// The name to look up in the mapping, after the names of missing mappings.
    pub(crate) rest: Vec<String>,
    pub(crate) entry: Option<Entry<'n>>,
}

/// Returns the lines of a key and its value.
pub(crate) fn key_lines(text: &str, key: &str) -> Result<Range<usize>, KeyError> {
    let front_matter = FrontMatter::of(text)?.ok_or(KeyError::NoFrontMatter)?;
    let found = front_matter.find(key)?;
    match found.entry {
        Some(entry) => Ok(entry.lines(text)),
        None => Err(found.missing(key)),
    }
}

impl<'t> FrontMatter<'t> {
    /// Reads the front matter of a text. Returns `None` for a text without front matter.
    pub(crate) fn of(text: &'t str) -> Result<Option<Self>, KeyError> {
        let mark = lines::mark(text);
        let body = &text[mark..];
        let first = lines::content(&body[..lines::line_end(body, 0)]).trim_end();
        let lead = Lead::of(text);
        let Some(range) = lead.front_matter else {
            let below = &body[lines::line_end(body, 0)..];
            let next = lines::content(&below[..lines::line_end(below, 0)]).trim_end();
            let is_open = first == "---" && !next.is_empty() && next != "---";
            let is_other =
                first.strip_prefix("---").is_some_and(|rest| rest.starts_with(char::is_alphabetic));
            // Other braces begin a template.
            let object = first.strip_prefix('{').map(str::trim_start);
            let is_json = object.is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '}']));
            return match first {
                _ if is_open => Err(unsupported(1, "an opening line of --- without a closing one")),
                _ if is_other => Err(unsupported(1, "another language than YAML")),
                "+++" => Err(unsupported(1, "the form of TOML")),
                _ if is_json => Err(unsupported(1, "the form of JSON")),
                _ => Ok(None),
            };
        };
        let start = lines::line_end(text, mark);
        let end = lines::skip(text, 0, range.end - 1).unwrap_or(lead.bytes);
        if end - start > MAX_BYTES {
            return Err(unsupported(1, "more than 64 KiB"));
        }
        let yaml = &text[start..end];
        if yaml.contains('\r') && yaml.replace("\r\n", "").contains('\r') {
            return Err(unsupported(1, "a CR without LF"));
        }
        let root = yaml::parse(yaml, start).map_err(|fault| unsupported(fault.line + 1, fault.what))?;
        Ok(Some(Self { text, body: start..end, root }))
    }

    /// Looks up a key at the top level with exactly this name. If the mapping lacks it, takes the name for a path of names
    /// joined by dots.
    pub(crate) fn find(&self, key: &str) -> Result<Found<'_>, KeyError> {
        let Some(root) = &self.root else {
            let rest = key.split('.').map(str::to_owned).collect();
            return Ok(Found { mapping: None, owner: None, rest, entry: None });
        };
        if let Some(entry) = self.entry_of(root, key, key)? {
            return Ok(Found {
                mapping: Some(root),
                owner: None,
                rest: vec![key.to_owned()],
                entry: Some(entry),
            });
        }
        let (mut mapping, mut owner) = (root, None);
        let mut rest: Vec<String> = key.split('.').map(str::to_owned).collect();
        loop {
            let entry = self.entry_of(mapping, &rest[0], key)?;
            match entry {
                Some(entry)
                    if rest.len() > 1
                        && (entry.key.is_marked
                            || entry.value.is_marked
                            || matches!(entry.value.content, Content::Alias(_))) =>
                {
                    return Err(unsupported(self.line(entry.key.bytes.start), "an anchor, alias or tag"));
                }
                Some(entry) if rest.len() > 1 && matches!(entry.value.content, Content::Mapping(_)) => {
                    rest.remove(0);
                    mapping = entry.value;
                    owner = Some(entry);
                }
                Some(entry) if rest.len() > 1 => {
                    // The value has no keys, so that nothing can be found or set below it.
                    let line = self.line(entry.key.bytes.start);
                    return Err(KeyError::NotFound {
                        key: key.to_owned(),
                        keys: Vec::new(),
                        line: Some(line),
                    });
                }
                entry => return Ok(Found { mapping: Some(mapping), owner, rest, entry }),
            }
        }
    }

    fn entry_of<'n>(&self, mapping: &'n Node, name: &str, key: &str) -> Result<Option<Entry<'n>>, KeyError> {
        let Content::Mapping(entries) = &mapping.content else { return Ok(None) };
        let is_named = |node: &Node| matches!(&node.content, Content::Scalar { value, .. } if value == name);
        let mut named = entries.iter().filter(|(key, _)| is_named(key));
        let Some((found, value)) = named.next() else { return Ok(None) };
        let others: Vec<_> = named.map(|(key, _)| self.line(key.bytes.start)).collect();
        if !others.is_empty() {
            let mut lines = vec![self.line(found.bytes.start)];
            lines.extend(others.iter().take(MAX_KEYS - 1));
            return Err(KeyError::Ambiguous { key: key.to_owned(), lines });
        }
        Ok(Some(Entry { key: found, value }))
    }

    pub(crate) fn line(&self, at: usize) -> usize {
        LineCursor::new(self.text).line_at(at)
    }
}

impl Entry<'_> {
    /// Returns the byte after the colon.
    pub(crate) fn after_colon(&self, text: &str) -> usize {
        let from = self.key.bytes.end;
        text[from..].find(':').map_or(from, |colon| from + colon + 1)
    }

    /// Returns the whole lines from the key to the last line of its value.
    pub(crate) fn lines(&self, text: &str) -> Range<usize> {
        let last = self.after_colon(text).max(self.value.bytes.end);
        lines::line_start(text, self.key.bytes.start)..lines::line_end(text, last - 1)
    }
}

impl Found<'_> {
    pub(crate) fn missing(&self, key: &str) -> KeyError {
        let entries = match self.mapping.map(|mapping| &mapping.content) {
            Some(Content::Mapping(entries)) => entries.as_slice(),
            _ => &[],
        };
        let keys = entries.iter().filter_map(|(key, _)| match &key.content {
            Content::Scalar { value, .. } => Some(value.clone()),
            _ => None,
        });
        KeyError::NotFound { key: key.to_owned(), keys: keys.take(MAX_KEYS).collect(), line: None }
    }
}

pub(crate) fn unsupported(line: usize, what: &'static str) -> KeyError {
    KeyError::Unsupported { line, what }
}
