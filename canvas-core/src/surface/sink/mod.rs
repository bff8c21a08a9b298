//! Sinks, the contexts in which a value may be used.
//!
//! When a template is saved, a sink parses its literal text once, and either forbids the template or divides it into
//! runs. A value is later written into its run, or refused; the result is not parsed again.

pub(crate) mod html;
pub(crate) mod part;
mod path;
mod prompt;
mod regex;
pub(crate) mod shell;
mod sql;
mod url;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::part::{Forbidden, Form, Part, Placed, Refused, Run, Shown};

/// The use of a text argument by its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Sink {
    /// A use in which a value cannot do harm. Values are inserted unchanged.
    Text,
    /// Shows it to a model. A value is fenced, labelled as data and cut at 16 KiB.
    Prompt,
    /// Shows it as HTML. A value is text, or in a quoted attribute that does not run code.
    Html,
    /// Fetches it. A value is in one segment of the path, or a value of the query, behind a literal host.
    Url,
    /// Opens it. A value is one segment.
    Path,
    /// Runs it by a POSIX shell. A value is one word or part of one. A word that begins with a value may begin with `-` only
    /// after a literal `--`.
    Shell,
    /// Searches with it. A value is the whole pattern, and matched literally.
    Regex,
    /// Runs it in a database. It may not contain a value.
    Sql,
}

impl Sink {
    /// Returns the sink with this name, as in `x-canvas-sink`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name)).ok()
    }

    /// Divides a template into runs, or returns the reason why it may not be saved.
    pub(crate) fn judge(self, items: &[Placed]) -> Result<Vec<Run>, Forbidden> {
        match self {
            Self::Text => Ok(part::cut(items, &[])),
            Self::Prompt => Ok(part::cut(items, &prompt::runs(items))),
            Self::Html => html::judge(items),
            Self::Url => url::judge(items),
            Self::Path => path::judge(items),
            Self::Shell => shell::judge(items),
            Self::Regex => regex::judge(items),
            Self::Sql => sql::judge(items).map(|()| part::cut(items, &[])),
        }
    }
}

/// Writes a run. If a value is refused, the output may contain a part of the run.
pub(crate) fn write(run: &Run, values: &[Shown<'_>], out: &mut String) -> Result<(), Refused> {
    let parts = &run.parts;
    match run.form {
        Form::Plain => each(parts, out, |value, out| out.push_str(&values[value].text)),
        Form::ShellWord { after_options } => return shell::write(parts, after_options, values, out),
        Form::UrlSegment => return url::write_segment(parts, values, out),
        Form::UrlQuery => url::write_query(parts, values, out),
        Form::PathSegment { first } => return path::write(parts, first, values, out),
        Form::Html => return html::write(parts, values, out),
        Form::HtmlUrl => return html::write_url(parts, values, out),
        Form::Regex => return regex::write(parts, values, out),
        Form::Prompt => each(parts, out, |value, out| prompt::write(&values[value], out)),
    }
    Ok(())
}

fn each(parts: &[Part], out: &mut String, mut write: impl FnMut(usize, &mut String)) {
    for part in parts {
        match part {
            Part::Literal(text) => out.push_str(text),
            &Part::Value(value) => write(value, out),
        }
    }
}
