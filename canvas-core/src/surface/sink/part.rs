//! A template cut into what is literal and what is a value, before and after a sink has judged it.

use std::borrow::Cow;

/// A character of a template, or one of its placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    Char(char),
    /// The placeholder of this number.
    Value(usize),
}

/// An [`Item`] and the byte of the template's text at which it begins.
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

/// A piece of a judged template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Literal(Box<str>),
    /// The placeholder of this number.
    Value(usize),
}

/// Parts that are written in one way, such as one word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) parts: Box<[Part]>,
    pub(crate) form: Form,
}

/// How the values of a run are written. Its literals are written as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are.
    Plain,
    /// As one word of a shell command. `after_options` if `--` stands before it.
    ShellWord { after_options: bool },
    /// Percent-encoded, as one segment of a URL's path.
    UrlSegment,
    /// Percent-encoded, in the value of a URL's query.
    UrlQuery,
    /// As one segment of a path. `first` where nothing stands before it.
    PathSegment { first: bool },
    /// With character references, as text or within quotes.
    Html,
    /// As `Html`, and what comes out is a URL that runs nothing.
    HtmlUrl,
    /// So that a pattern matches them and nothing else.
    Regex,
    /// Between fences.
    Prompt,
}

/// A value as text, and the placeholder that it is of.
#[derive(Debug, Clone)]
pub(crate) struct Shown<'a> {
    pub(crate) text: Cow<'a, str>,
    /// What the placeholder says, such as `state.service`.
    pub(crate) name: &'a str,
}

impl Shown<'_> {
    /// No text, of no placeholder.
    pub(crate) const NOTHING: Self = Self { text: Cow::Borrowed(""), name: "" };
}

/// Why a template may not be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Forbidden {
    /// The byte of the template's text.
    pub(crate) at: usize,
    /// What stands there, and what to do instead.
    pub(crate) message: Cow<'static, str>,
}

impl Forbidden {
    pub(crate) fn new(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { at, message: message.into() }
    }
}

/// Why a value may not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The number of its placeholder.
    pub(crate) value: usize,
    /// What is wrong with it, and what to do instead.
    pub(crate) message: &'static str,
}

impl Run {
    /// Literal text, or any mix that is written as it is.
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

/// Cuts a template into plain runs and those that `runs` names: ranges in rising order, none empty.
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
