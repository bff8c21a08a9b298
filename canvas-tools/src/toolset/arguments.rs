//! Arguments of the tools: their types, and every check that needs no canvas.

use std::borrow::Cow;

use canvas_core::lease::LeaseId;
use canvas_core::text::{GrepError, Query};
use canvas_core::{Command, RevisionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use super::document::Tool;
use crate::call::ToolCall;
use crate::reply::Problem;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckOut {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lease {
    /// The lease_id of your last canvas_check_out.
    lease_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Grep {
    /// The lease_id of your last canvas_check_out.
    lease_id: String,
    /// What to look for: literal text within one line, or a regular expression if regex is true.
    query: String,
    /// Read query as a regular expression. Default false.
    #[serde(default)]
    regex: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadLines {
    /// The lease_id of your last canvas_check_out.
    lease_id: String,
    /// First line, from 1.
    #[schemars(range(min = 1))]
    start_line: u64,
    /// Last line, inclusive; past the end means the last line.
    #[schemars(range(min = 1))]
    end_line: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ApplyPatch {
    /// The lease_id of your last canvas_check_out.
    lease_id: String,
    /// One unified diff of the canvas: hunks that begin with @@, lines that begin with a space, + or -.
    patch: String,
    /// The revision_id that the patch was written for.
    #[serde(default)]
    base_revision_id: Option<String>,
}
/// Arguments that have passed every check which needs no canvas.
#[derive(Debug)]
pub(super) enum Checked {
    Command(Command),
    Grep { lease: Option<LeaseId>, query: Query },
    ReadLines { lease: Option<LeaseId>, start: usize, end: usize },
    ReadAll { lease: Option<LeaseId> },
}

pub(super) fn check(call: &ToolCall) -> Result<Checked, Problem> {
    let tool = Tool::ALL.into_iter().find(|tool| tool.name() == call.name).ok_or_else(|| {
        let names = Tool::ALL.map(Tool::name).join(", ");
        let name: String = call.name.chars().take(80).collect();
        Problem::new("UNKNOWN_TOOL", format!("there is no tool \"{name}\": call one of {names}"))
    })?;
    Ok(match tool {
        Tool::CheckOut => {
            let CheckOut {} = arguments(call)?;
            Checked::Command(Command::CheckOut)
        }
        Tool::RenewLease => {
            Checked::Command(Command::Renew { lease: lease(&arguments::<Lease>(call)?.lease_id) })
        }
        Tool::CheckIn => {
            Checked::Command(Command::CheckIn { lease: lease(&arguments::<Lease>(call)?.lease_id) })
        }
        Tool::Grep => {
            let Grep { lease_id, query, regex } = arguments(call)?;
            let is_regex = regex.unwrap_or(false);
            let query = if is_regex { Query::regex(&query) } else { Query::literal(&query) };
            Checked::Grep { lease: lease(&lease_id), query: query.map_err(|e| bad_query(&e))? }
        }
        Tool::ReadLines => {
            let ReadLines { lease_id, start_line, end_line } = arguments(call)?;
            if start_line == 0 {
                return Err(Problem::argument("/start_line", "lines count from 1: pass 1 or more"));
            }
            if end_line < start_line {
                return Err(Problem::argument("/end_line", "pass an end_line that is not before start_line"));
            }
            let line = |line| usize::try_from(line).unwrap_or(usize::MAX);
            Checked::ReadLines { lease: lease(&lease_id), start: line(start_line), end: line(end_line) }
        }
        Tool::ReadAll => Checked::ReadAll { lease: lease(&arguments::<Lease>(call)?.lease_id) },
        Tool::ApplyPatch => {
            let ApplyPatch { lease_id, patch, base_revision_id } = arguments(call)?;
            let base = match base_revision_id.as_deref().map(str::parse::<RevisionId>).transpose() {
                Ok(base) => base,
                Err(e) => return Err(Problem::argument("/base_revision_id", e.to_string())),
            };
            Checked::Command(Command::Apply { lease: lease(&lease_id), patch, base })
        }
    })
}

fn arguments<T: DeserializeOwned>(call: &ToolCall) -> Result<T, Problem> {
    if !call.arguments.is_object() {
        return Err(Problem::argument("", "pass the arguments as one JSON object"));
    }
    serde_path_to_error::deserialize(&call.arguments).map_err(|e| {
        let place: String = e.path().iter().map(pointer_step).collect();
        let what = e.inner().to_string();
        let message = format!("{}: correct the arguments to the tool's schema", shorten(&what));
        Problem::argument(&shorten(&place), message)
    })
}

/// One step of a JSON Pointer (RFC 6901).
fn pointer_step(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } | Segment::Enum { variant: key } => {
            format!("/{}", key.replace('~', "~0").replace('/', "~1"))
        }
        Segment::Unknown => String::new(),
    }
}

/// The beginning of what may hold a model's own words at any length.
fn shorten(text: &str) -> Cow<'_, str> {
    const CHARS: usize = 300;
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

pub(super) fn bad_query(error: &GrepError) -> Problem {
    Problem::argument("/query", error.to_string()).with_reason(error.code())
}

/// What cannot be read as a lease id belongs to nobody, which the rules refuse as `LOCK_NOT_OWNED`.
fn lease(text: &str) -> Option<LeaseId> {
    text.parse().ok()
}
