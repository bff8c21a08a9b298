//! A template divided into literal parts and values, before and after a sink has judged it.

use std::borrow::Cow;

/// A character of a template, or one of its placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    Char(char),
    /// Number of the placeholder.
    Value(usize),
}

/// An [`Item`] and its byte offset in the template's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) item: Item,
    pub(crate) at: usize,
}

impl Placed {
    pub(crate) fn char(self) -> Option<char> {
        match self.item {
            Item::Char(char) => Some(char),
            Item::Value(_) => None,
        }
    }

    pub(crate) fn is(self, char: char) -> bool {
        self.item == Item::Char(char)
    }

    pub(crate) fn is_value(self) -> bool {
        matches!(self.item, Item::Value(_))
    }
}

/// A part of a judged template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Literal(Box<str>),
    /// Number of the placeholder.
    Value(usize),
}

/// Parts with a common form, such as one word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) parts: Box<[Part]>,
    pub(crate) form: Form,
}

/// The form in which the values of a run are written. Literals are written verbatim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Verbatim.
    Plain,
    /// As one word of a shell command. `after_options` if `--` precedes it.
    ShellWord { after_options: bool },
    /// Percent-encoded, as one segment of a URL's path.
    UrlSegment,
    /// Percent-encoded, in the value of a URL's query.
    UrlQuery,
    /// As one segment of a path. `first` if the path begins with it.
    PathSegment { first: bool },
    /// With character references, as text or within quotes.
    Html,
    /// Like `Html`, but the result is a URL that cannot run code.
    HtmlUrl,
    /// Escaped, so that a pattern matches exactly the value.
    Regex,
    /// Between fences.
    Prompt,
}

/// A value as text, with its placeholder.
#[derive(Debug, Clone)]
pub(crate) struct Shown<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Text of the placeholder, such as `state.service`.
    pub(crate) name: &'a str,
}

impl Shown<'_> {
    /// An empty text without a placeholder.
    pub(crate) const NOTHING: Self = Self { text: Cow::Borrowed(""), name: "" };
}

/// The reason why a template may not be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Forbidden {
    /// Byte offset in the template's text.
    pub(crate) at: usize,
    /// The fault at this offset, and the remedy.
    pub(crate) message: Cow<'static, str>,
}

impl Forbidden {
    pub(crate) fn new(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { at, message: message.into() }
    }
}

/// The reason why a value may not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Number of its placeholder.
    pub(crate) value: usize,
    /// The fault of the value, and the remedy.
    pub(crate) message: &'static str,
}

impl Run {
    /// Creates a run that is written verbatim, from literals and values.
    pub(crate) fn plain(items: &[Placed]) -> Self {
        Self::new(items, Form::Plain)
    }

    pub(crate) fn new(items: &[Placed], form: Form) -> Self {
        let mut parts = Vec::new();
        let mut literal = String::new();
        for placed in items {
            match placed.item {
                Item::Char(char) => literal.push(char),
                Item::Value(value) => {
                    if !literal.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut literal).into()));
                    }
                    parts.push(Part::Value(value));
                }
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal.into()));
        }
        Self { parts: parts.into(), form }
    }

    pub(crate) fn literal_bytes(&self) -> usize {
        let literal = |part: &Part| match part {
            Part::Literal(text) => text.len(),
            Part::Value(_) => 0,
        };
        self.parts.iter().map(literal).sum()
    }
}

/// Divides a template into plain runs and those that `runs` names, which are nonempty ranges in ascending order.
pub(crate) fn cut(items: &[Placed], runs: &[(std::ops::Range<usize>, Form)]) -> Vec<Run> {
    let mut all = Vec::new();
    let mut end = 0;
    for (range, form) in runs {
        if end < range.start {
            all.push(Run::plain(&items[end..range.start]));
        }
        all.push(Run::new(&items[range.clone()], *form));
        end = range.end;
    }
    if end < items.len() {
        all.push(Run::plain(&items[end..]));
    }
    all
}
