//! The seven tools of specs 000 §5, from JSON arguments to JSON replies.

use std::borrow::Cow;

use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::text::{GrepError, GrepLimits, Query, grep};
use canvas_core::{Call, CallId, Command, Engine, RevisionId, Snapshot, Store};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use serde_path_to_error::Segment;

use crate::call::ToolCall;
use crate::reply::{Problem, ToolReply};
use crate::session::Session;
use crate::spec::ToolSpec;

/// Bytes of text that one reading call returns at most. The reply says where it stopped; of a single line that is
/// longer, only its beginning can be read (`line_truncated`), and grep shows the rest in parts.
const READ_BYTES: usize = 256 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckOut {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Lease {
    /// The lease_id of your last canvas_check_out.
    lease_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Grep {
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
struct ReadLines {
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
struct ApplyPatch {
    /// The lease_id of your last canvas_check_out.
    lease_id: String,
    /// One unified diff of the canvas: hunks that begin with @@, lines that begin with a space, + or -.
    patch: String,
    /// The revision_id that the patch was written for.
    #[serde(default)]
    base_revision_id: Option<String>,
}

/// Name of the tool that takes the lease.
pub const CHECK_OUT: &str = "canvas_check_out";

/// Name of the tool that gives the lease back.
pub const CHECK_IN: &str = "canvas_check_in";

/// A tool of the document face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    CheckOut,
    RenewLease,
    CheckIn,
    Grep,
    ReadLines,
    ReadAll,
    ApplyPatch,
}

impl Tool {
    const ALL: [Self; 7] = [
        Self::CheckOut,
        Self::RenewLease,
        Self::CheckIn,
        Self::Grep,
        Self::ReadLines,
        Self::ReadAll,
        Self::ApplyPatch,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::CheckOut => CHECK_OUT,
            Self::RenewLease => "canvas_renew_lease",
            Self::CheckIn => CHECK_IN,
            Self::Grep => "canvas_grep",
            Self::ReadLines => "canvas_read_lines",
            Self::ReadAll => "canvas_read_all",
            Self::ApplyPatch => "canvas_apply_patch",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::CheckOut => {
                "Take the exclusive lease on the canvas. Call this first: every other canvas tool needs its lease_id. \
                 Fails with LOCK_NOT_AVAILABLE while another lease is held or the user has ended the turn."
            }
            Self::RenewLease => {
                "Extend the lease without doing anything else. Other calls extend it too, so this is needed only \
                 before a long pause."
            }
            Self::CheckIn => {
                "Give the lease back as soon as you are done with the canvas. Calling it twice is fine."
            }
            Self::Grep => {
                "Find lines of the canvas by literal text or regular expression. Returns line numbers (from 1) and \
                 the text of each matching line. Use it to locate before you edit."
            }
            Self::ReadLines => {
                "Read a range of lines of the canvas, both ends inclusive and counted from 1. Inspect the lines \
                 around a place before you patch it."
            }
            Self::ReadAll => {
                "Read the whole canvas. Discouraged: prefer canvas_grep and canvas_read_lines, which cost less."
            }
            Self::ApplyPatch => {
                "Apply one unified diff to the canvas, all hunks or none. The unchanged and removed lines of each \
                 hunk must equal the canvas exactly and occur there once; counts and line numbers in @@ headers may \
                 be wrong or missing. A failure lists every conflict with its line."
            }
        }
    }

    fn parameters(self) -> Value {
        let mut schema = match self {
            Self::CheckOut => schemars::schema_for!(CheckOut),
            Self::RenewLease | Self::CheckIn | Self::ReadAll => schemars::schema_for!(Lease),
            Self::Grep => schemars::schema_for!(Grep),
            Self::ReadLines => schemars::schema_for!(ReadLines),
            Self::ApplyPatch => schemars::schema_for!(ApplyPatch),
        };
        schema.remove("$schema");
        schema.remove("title");
        schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        schema.to_value()
    }
}

/// The document tools, as they are told to a model.
pub fn document_tools() -> Vec<ToolSpec> {
    let spec = |tool: Tool| ToolSpec {
        name: tool.name().into(),
        description: tool.description().into(),
        parameters: tool.parameters(),
    };
    Tool::ALL.into_iter().map(spec).collect()
}

/// Arguments that have passed every check which needs no canvas.
#[derive(Debug)]
enum Checked {
    Command(Command),
    Grep { lease: Option<LeaseId>, query: Query },
    ReadLines { lease: Option<LeaseId>, start: usize, end: usize },
    ReadAll { lease: Option<LeaseId> },
}

fn check(call: &ToolCall) -> Result<Checked, Problem> {
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

fn bad_query(error: &GrepError) -> Problem {
    Problem::argument("/query", error.to_string()).with_reason(error.code())
}

/// What cannot be read as a lease id belongs to nobody, which the rules refuse as `LOCK_NOT_OWNED`.
fn lease(text: &str) -> Option<LeaseId> {
    text.parse().ok()
}

/// Runs one call of a model on the session's canvas and says what it gets back.
///
/// Every failure is a reply too: the model reads its code and what to do next. Wrong arguments come first, then a
/// retry's receipt, then the lease, then the patch.
pub async fn call_document_tool<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    call: &ToolCall,
    now: Timestamp,
) -> ToolReply {
    let checked = CallId::new(&call.id)
        .map_err(|e| Problem::argument("", format!("the id of the call: {e}")))
        .and_then(|id| Ok((id, check(call)?)));
    let (id, checked) = match checked {
        Ok(checked) => checked,
        Err(problem) => {
            // The canvas is asked only for its revision; where it does not answer, the arguments are still wrong.
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return ToolReply::problem(&problem, snapshot.as_ref());
        }
    };
    let command = match &checked {
        Checked::Command(command) => command.clone(),
        Checked::Grep { lease, .. } | Checked::ReadLines { lease, .. } | Checked::ReadAll { lease } => {
            Command::Read { lease: *lease }
        }
    };
    let call = Call { operation: session.operation(id), command };
    let answered = match engine.call(&session.canvas, &call, now).await {
        Ok(answered) => answered,
        Err(e) => {
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return ToolReply::of_error(&e, snapshot.as_ref());
        }
    };
    let reply = ToolReply::of_outcome(&answered.outcome, &answered.snapshot);
    if !reply.is_ok() {
        return reply;
    }
    let snapshot = &answered.snapshot;
    match checked {
        Checked::Command(_) => reply,
        Checked::Grep { query, .. } => match grep_fields(snapshot, &query) {
            Ok(fields) => reply.with(fields),
            Err(problem) => ToolReply::problem(&problem, Some(snapshot)),
        },
        Checked::ReadLines { start, end, .. } => match read_fields(snapshot, start, end) {
            Ok(fields) => reply.with(fields),
            Err(problem) => ToolReply::problem(&problem, Some(snapshot)),
        },
        Checked::ReadAll { .. } => match read_fields(snapshot, 1, usize::MAX) {
            Ok(fields) => reply.with(fields),
            Err(problem) => ToolReply::problem(&problem, Some(snapshot)),
        },
    }
}

fn grep_fields(snapshot: &Snapshot, query: &Query) -> Result<Value, Problem> {
    let found = grep(snapshot.text(), query, GrepLimits::default()).map_err(|e| bad_query(&e))?;
    let matches: Vec<Value> =
        found.matches.iter().map(|m| json!({"line": m.line, "text": m.text, "clipped": m.clipped})).collect();
    Ok(json!({"matches": matches, "truncated": found.truncated}))
}

fn read_fields(snapshot: &Snapshot, start: usize, end: usize) -> Result<Value, Problem> {
    let text = snapshot.text();
    let mut shown = String::new();
    let (mut total, mut last, mut cut, mut line_cut) = (0, start - 1, false, false);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        total = i + 1;
        if cut || total < start || total > end {
            continue;
        }
        if shown.len() + line.len() <= READ_BYTES {
            shown.push_str(line);
            last = total;
        } else {
            cut = true;
            if last < start {
                // A single line that is too long is shown in part.
                shown.push_str(&line[..line.floor_char_boundary(READ_BYTES)]);
                (last, line_cut) = (total, true);
            }
        }
    }
    if start > total && total > 0 {
        let message = format!("the canvas has {total} lines: pass a start_line of at most {total}");
        return Err(Problem::new("INVALID_RANGE", message).at("/start_line"));
    }
    let mut fields = json!({
        "start_line": start,
        "end_line": last,
        "total_lines": total,
        "text": shown,
        "truncated": cut,
    });
    if line_cut {
        fields["line_truncated"] = true.into();
    }
    Ok(fields)
}
