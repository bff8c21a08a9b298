//! Arguments of the tools: their types, and every check that needs no canvas.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use canvas_core::lease::LeaseId;
use canvas_core::text::{Address, GrepError, Part, Query, truncate};
use canvas_core::{Access, Command, ParseRangeHashError, Policy, Refusal, Replacement, RevisionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use serde_path_to_error::Segment;

use super::Tool;
use super::reading::Reading;
use crate::reply::ToolError;
use crate::toolset::call::ToolCall;
use crate::toolset::document::extensions::Extensions;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckOut {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lease {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    lease_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Grep {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    lease_id: Option<String>,
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
    #[serde(default)]
    lease_id: Option<String>,
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
    #[serde(default)]
    lease_id: Option<String>,
    /// One unified diff of the canvas: hunks that begin with @@, lines that begin with a space, + or -.
    patch: String,
    /// The revision_id that the patch was written for.
    #[serde(default)]
    base_revision_id: Option<String>,
}
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Outline {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    lease_id: Option<String>,
    /// Only headings down to this level, 1 to 6. Default 6.
    #[serde(default)]
    #[schemars(range(min = 1, max = 6))]
    max_level: Option<u8>,
    /// Only headings behind this line: the next_after_line of a reply that was truncated.
    #[serde(default)]
    after_line: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadSection {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    lease_id: Option<String>,
    /// Titles from the outermost heading down to the section's own, or the last of them.
    path: Vec<String>,
    /// Which of several sections of this path, from 1.
    #[serde(default)]
    ordinal: Option<NonZeroUsize>,
    /// Only this list item of the section, from 1.
    #[serde(default)]
    item: Option<NonZeroUsize>,
    /// Only this code fence of the section, from 1.
    #[serde(default)]
    fence: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplaceLines {
    /// The lease_id of your last canvas_check_out.
    #[serde(default)]
    lease_id: Option<String>,
    /// First line to replace, from 1.
    start: NonZeroUsize,
    /// Last line to replace, inclusive. start - 1 replaces nothing and inserts before start.
    end: usize,
    /// The range_hash of the reply that showed exactly these lines; to insert, of the line above, at the top line 1.
    expect_hash: String,
    /// The new lines, each whole. Empty text removes the lines.
    text: String,
    /// The revision_id that the line numbers are of.
    #[serde(default)]
    base_revision_id: Option<String>,
}

/// Arguments that have passed every check which needs no canvas.
#[derive(Debug)]
pub(super) enum CheckedCall {
    Command(Command),
    Read(ReadAccess, Reading),
}

/// By what right a model reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadAccess {
    /// A lease, which the call extends, or what else the rollout asks for; what it shows counts as seen.
    Lease(Option<LeaseId>),
    /// None: a look that leaves no trace.
    Snapshot,
}

/// Whether a tool takes a `lease_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaseRule {
    /// It does not; one that is sent all the same means nothing.
    Never,
    Optional,
    Required,
}

impl LeaseRule {
    /// Puts the rule into the schema of a tool's arguments, where the lease is optional.
    pub(super) fn put_into(self, schema: &mut Value) {
        let Some(property) = schema.pointer_mut("/properties/lease_id") else { return };
        match self {
            Self::Optional => {}
            Self::Required => {
                property["type"] = "string".into();
                if let Some(property) = property.as_object_mut() {
                    property.remove("default");
                }
                match schema.get_mut("required").and_then(Value::as_array_mut) {
                    Some(required) => required.insert(0, "lease_id".into()),
                    None => schema["required"] = json!(["lease_id"]),
                }
            }
            Self::Never => {
                if let Some(properties) = schema["properties"].as_object_mut() {
                    properties.remove("lease_id");
                }
            }
        }
    }
}

pub(super) fn check(
    call: &ToolCall,
    policy: &Policy,
    extensions: Extensions,
) -> Result<CheckedCall, ToolError> {
    let asked = Tool::beside(extensions).find(|tool| tool.name() == call.name);
    let tool = asked.ok_or_else(|| {
        let names: Vec<_> = Tool::among(policy, extensions).map(Tool::name).collect();
        if names.is_empty()
            && let Err(refusal) = policy.permits(Access::Read)
        {
            return ToolError::of_refusal(&refusal);
        }
        let name: String = call.name.chars().take(80).collect();
        let message = format!("there is no tool \"{name}\": call one of {}", names.join(", "));
        ToolError::new("UNKNOWN_TOOL", message)
    })?;
    policy.permits(tool.access()).map_err(|refusal| ToolError::of_refusal(&refusal))?;
    let rule = tool.lease_rule(policy.rollout);
    // What cannot be read as a lease id belongs to nobody: the rules refuse it, unless they would take it for none.
    let lease = |text: Option<String>| match (rule, text) {
        (LeaseRule::Never, _) | (LeaseRule::Optional, None) => Ok(None),
        (LeaseRule::Required, None) => Err(match call.arguments.get("lease_id") {
            Some(_) => {
                ToolError::argument("/lease_id", "pass the lease_id of your last check-out as a string")
            }
            None => ToolError::argument(
                "",
                "missing field `lease_id`: correct the arguments to the tool's schema",
            ),
        }),
        (_, Some(text)) => match text.parse() {
            Ok(lease) => Ok(Some(lease)),
            Err(_) if policy.rollout.needs_lease() => Ok(None),
            Err(_) => Err(ToolError::of_refusal(&Refusal::NotOwned)),
        },
    };
    let look = |text: Option<String>| match (rule, text) {
        (LeaseRule::Never, _) | (_, None) => Ok(ReadAccess::Snapshot),
        (_, text) => lease(text).map(ReadAccess::Lease),
    };
    Ok(match tool {
        Tool::CheckOut => {
            let CheckOut {} = arguments(call)?;
            CheckedCall::Command(Command::CheckOut)
        }
        Tool::RenewLease => {
            CheckedCall::Command(Command::Renew { lease: lease(arguments::<Lease>(call)?.lease_id)? })
        }
        Tool::CheckIn => {
            CheckedCall::Command(Command::CheckIn { lease: lease(arguments::<Lease>(call)?.lease_id)? })
        }
        Tool::Grep => {
            let Grep { lease_id, query, regex } = arguments(call)?;
            let access = ReadAccess::Lease(lease(lease_id)?);
            let is_regex = regex.unwrap_or(false);
            let query = if is_regex { Query::regex(&query) } else { Query::literal(&query) };
            let query = query.map_err(|e| bad_query(&e))?;
            CheckedCall::Read(access, Reading::Grep(query))
        }
        Tool::ReadLines => {
            let ReadLines { lease_id, start_line, end_line } = arguments(call)?;
            let access = ReadAccess::Lease(lease(lease_id)?);
            if start_line == 0 {
                return Err(ToolError::argument("/start_line", "lines count from 1: pass 1 or more"));
            }
            if end_line < start_line {
                return Err(ToolError::argument(
                    "/end_line",
                    "pass an end_line that is not before start_line",
                ));
            }
            let line = |line| usize::try_from(line).unwrap_or(usize::MAX);
            let lines = Reading::Lines { start: line(start_line), end: line(end_line) };
            CheckedCall::Read(access, lines)
        }
        Tool::ReadAll => {
            let Lease { lease_id } = arguments(call)?;
            CheckedCall::Read(ReadAccess::Lease(lease(lease_id)?), Reading::All)
        }
        Tool::ApplyPatch => {
            let ApplyPatch { lease_id, patch, base_revision_id } = arguments(call)?;
            let lease = lease(lease_id)?;
            let base = base(base_revision_id.as_deref())?;
            CheckedCall::Command(Command::Apply { lease, patch, base })
        }
        Tool::Outline => {
            let Outline { lease_id, max_level, after_line } = arguments(call)?;
            let access = look(lease_id)?;
            let max_level = max_level.unwrap_or(6);
            if !(1..=6).contains(&max_level) {
                return Err(ToolError::argument(
                    "/max_level",
                    "headings have levels 1 to 6: pass one of these",
                ));
            }
            let outline = Reading::Outline { max_level, after_line: after_line.unwrap_or(0) };
            CheckedCall::Read(access, outline)
        }
        Tool::ReadSection => {
            let ReadSection { lease_id, path, ordinal, item, fence } = arguments(call)?;
            let access = look(lease_id)?;
            let part = match (item, fence) {
                (None, None) => None,
                (Some(item), None) => Some(Part::Item(vec![item.get()])),
                (None, Some(fence)) => Some(Part::Fence(fence.get())),
                (Some(_), Some(_)) => {
                    return Err(ToolError::argument("/fence", "pass item or fence, not both"));
                }
            };
            let section = Address::Section { path, ordinal: ordinal.map(NonZeroUsize::get), part };
            CheckedCall::Read(access, Reading::Section(section))
        }
        Tool::ReplaceLines => {
            let ReplaceLines { lease_id, start, end, expect_hash, text, base_revision_id } = arguments(call)?;
            let (lease, start) = (lease(lease_id)?, start.get());
            if end < start - 1 {
                return Err(ToolError::argument(
                    "/end",
                    "pass an end that is not before start, or start - 1 to insert before start",
                ));
            }
            let expect = expect_hash
                .parse()
                .map_err(|e: ParseRangeHashError| ToolError::argument("/expect_hash", e.to_string()))?;
            let base = base(base_revision_id.as_deref())?;
            let replacement = Replacement { start, end, expect, text };
            CheckedCall::Command(Command::Replace { lease, replacement, base })
        }
    })
}

pub(crate) fn arguments<T: DeserializeOwned>(call: &ToolCall) -> Result<T, ToolError> {
    if !call.arguments.is_object() {
        return Err(ToolError::argument("", "pass the arguments as one JSON object"));
    }
    serde_path_to_error::deserialize(&call.arguments).map_err(|e| {
        let place = place_of(e.path());
        let what = e.inner().to_string();
        let message = format!("{}: correct the arguments to the tool's schema", shorten(&what));
        ToolError::argument(&shorten(&place), message)
    })
}

/// A path as a JSON Pointer (RFC 6901).
pub(crate) fn place_of(path: &serde_path_to_error::Path) -> String {
    path.iter().map(pointer_step).collect()
}

fn pointer_step(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } | Segment::Enum { variant: key } => pointer_key(key),
        Segment::Unknown => String::new(),
    }
}

pub(crate) fn pointer_key(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The beginning of what may hold a model's own words at any length.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    truncate(text, 300)
}

pub(super) fn bad_query(error: &GrepError) -> ToolError {
    ToolError::argument("/query", error.to_string()).with_reason(error.code())
}

fn base(revision_id: Option<&str>) -> Result<Option<RevisionId>, ToolError> {
    let base = revision_id.map(str::parse::<RevisionId>).transpose();
    base.map_err(|e| ToolError::argument("/base_revision_id", e.to_string()))
}
