//! The seven tools of specs 000 §5 and three more, from JSON arguments to JSON replies.

pub(crate) mod arguments;
pub(crate) mod extensions;
mod outline;
pub(crate) mod reading;

use canvas_core::lease::Timestamp;
use canvas_core::{Access, Call, CallId, Command, Engine, EngineError, Policy, Rollout, Snapshot, Store};
use serde_json::{Value, json};

use self::arguments::{
    ApplyPatch, CheckOut, CheckedCall, Grep, Lease, LeaseRule, Outline, ReadAccess, ReadLines, ReadSection,
    ReplaceLines, check,
};
use crate::lease_change::{LeaseChange, named_lease};
use crate::reply::{ToolError, ToolReply};
use crate::session::Session;
use crate::toolset::call::ToolCall;
use crate::toolset::document::extensions::Extensions;
use crate::toolset::spec::ToolSpec;

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
    Outline,
    ReadSection,
    ReplaceLines,
}

impl Tool {
    const ALL: [Self; 10] = [
        Self::CheckOut,
        Self::RenewLease,
        Self::CheckIn,
        Self::Grep,
        Self::ReadLines,
        Self::ReadAll,
        Self::ApplyPatch,
        Self::Outline,
        Self::ReadSection,
        Self::ReplaceLines,
    ];

    /// The seven, and those that are asked for.
    fn beside(extensions: Extensions) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |tool| match tool {
            Self::Outline => extensions.outline,
            Self::ReadSection => extensions.read_section,
            Self::ReplaceLines => extensions.replace_lines,
            _ => true,
        })
    }

    /// Those of them that the policy opens to models.
    fn among(policy: &Policy, extensions: Extensions) -> impl Iterator<Item = Self> {
        Self::beside(extensions).filter(|tool| policy.permits(tool.access()).is_ok())
    }

    const fn access(self) -> Access {
        match self {
            Self::CheckOut | Self::RenewLease | Self::CheckIn => Access::Lease,
            Self::Grep | Self::ReadLines | Self::ReadAll | Self::Outline | Self::ReadSection => Access::Read,
            Self::ApplyPatch | Self::ReplaceLines => Access::Write,
        }
    }

    const fn lease_rule(self, rollout: Rollout) -> LeaseRule {
        match self {
            Self::CheckOut => LeaseRule::Never,
            Self::RenewLease | Self::CheckIn => LeaseRule::Required,
            _ if !rollout.has_leases() => LeaseRule::Never,
            Self::Outline | Self::ReadSection => LeaseRule::Optional,
            _ if rollout.needs_lease() => LeaseRule::Required,
            _ => LeaseRule::Optional,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::CheckOut => CHECK_OUT,
            Self::RenewLease => "canvas_renew_lease",
            Self::CheckIn => CHECK_IN,
            Self::Grep => "canvas_grep",
            Self::ReadLines => "canvas_read_lines",
            Self::ReadAll => "canvas_read_all",
            Self::ApplyPatch => "canvas_apply_patch",
            Self::Outline => "canvas_outline",
            Self::ReadSection => "canvas_read_section",
            Self::ReplaceLines => "canvas_replace_lines",
        }
    }

    const fn description(self, rollout: Rollout) -> &'static str {
        match self {
            Self::CheckOut if !rollout.needs_lease() => {
                "Take the exclusive lease on the canvas, so that nobody else changes it between your calls. Other \
                 canvas tools work without it while nobody else holds one; pass them its lease_id. Fails with \
                 LOCK_NOT_AVAILABLE while another lease is held or the user has ended the turn."
            }
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
            Self::Outline => {
                "List the headings of the canvas: path, level and lines of each section, and an ordinal where a path \
                 repeats. Needs no lease. Use it to find a section before you read or edit it."
            }
            Self::ReadSection => {
                "Read one section of the canvas by its heading path, or one list item or code fence of it. Needs no \
                 lease. Returns what canvas_read_lines does, and range_hash. A failure lists candidates."
            }
            Self::ReplaceLines => {
                "Replace whole lines of the canvas, start to end inclusive, without quoting them: expect_hash says \
                 what they are. Fails with CONTENT_CHANGED and shows the lines if they are no longer that. Lines of \
                 text get the canvas's own line ends."
            }
        }
    }

    fn parameters(self, rollout: Rollout) -> Value {
        let mut schema = match self {
            Self::CheckOut => schemars::schema_for!(CheckOut),
            Self::RenewLease | Self::CheckIn | Self::ReadAll => schemars::schema_for!(Lease),
            Self::Grep => schemars::schema_for!(Grep),
            Self::ReadLines => schemars::schema_for!(ReadLines),
            Self::ApplyPatch => schemars::schema_for!(ApplyPatch),
            Self::Outline => schemars::schema_for!(Outline),
            Self::ReadSection => schemars::schema_for!(ReadSection),
            Self::ReplaceLines => schemars::schema_for!(ReplaceLines),
        };
        schema.remove("$schema");
        schema.remove("title");
        schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        let mut schema = schema.to_value();
        self.lease_rule(rollout).put_into(&mut schema);
        schema
    }
}

/// The document tools, as they are told to a model: the seven of specs 000 §5.
pub fn document_tools() -> Vec<ToolSpec> {
    document_tools_with(Extensions::default())
}

/// The document tools and some of those beyond, where nothing is done without a lease. The [`Session`] must have the
/// same extensions.
pub fn document_tools_with(extensions: Extensions) -> Vec<ToolSpec> {
    document_tools_for(&Policy::default(), extensions)
}

/// The document tools that an engine's policy opens to models, and some of those beyond: none at all where the rollout
/// is off, or in Git mode. A call of one that is closed is answered `TOOL_DISABLED` or `GIT_MODE_UNSUPPORTED`.
///
/// ```
/// use canvas_core::{Policy, Rollout};
/// use canvas_tools::{Extensions, document_tools_for};
///
/// let policy = Policy { rollout: Rollout::ReadOnly, ..Policy::default() };
/// let tools = document_tools_for(&policy, Extensions::default());
/// let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
/// assert_eq!(names, ["canvas_grep", "canvas_read_lines", "canvas_read_all"]);
/// ```
pub fn document_tools_for(policy: &Policy, extensions: Extensions) -> Vec<ToolSpec> {
    let spec = |tool: Tool| ToolSpec {
        name: tool.name().into(),
        description: tool.description(policy.rollout).into(),
        parameters: tool.parameters(policy.rollout),
    };
    Tool::among(policy, extensions).map(spec).collect()
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
        .map_err(|e| ToolError::argument("", format!("the id of the call: {e}")))
        .and_then(|id| Ok((id, check(call, engine.policy(), session.extensions)?)));
    let (id, checked) = match checked {
        Ok(checked) => checked,
        Err(error) => {
            // The canvas is asked only for its revision; where it does not answer, the arguments are still wrong.
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return ToolReply::error(&error, snapshot.as_ref());
        }
    };
    let (answer, reading) = match checked {
        CheckedCall::Command(command) => (run(engine, session, id, command, now).await, None),
        CheckedCall::Read(ReadAccess::Lease(lease), reading) => {
            (run(engine, session, id, Command::Read { lease }, now).await, Some(reading))
        }
        CheckedCall::Read(ReadAccess::Snapshot, reading) => {
            let snapshot = engine.snapshot(&session.canvas, now).await;
            (snapshot.map(|snapshot| (ToolReply::of_snapshot(&snapshot), snapshot)), Some(reading))
        }
    };
    match (answer, reading) {
        (Ok((reply, snapshot)), Some(reading)) if reply.is_ok() => {
            match reading.fields(&snapshot, session.extensions.replace_lines) {
                Ok(fields) => reply.with(fields),
                Err(error) => ToolReply::error(&error, Some(&snapshot)),
            }
        }
        (Ok((reply, _)), _) => reply,
        (Err(e), _) => {
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            ToolReply::of_error(&e, snapshot.as_ref())
        }
    }
}

async fn run<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    id: CallId,
    command: Command,
    now: Timestamp,
) -> Result<(ToolReply, Snapshot), EngineError> {
    let call = Call { operation: session.operation(id), command };
    let answered = engine.call(&session.canvas, &call, now).await?;
    let change = LeaseChange::of(named_lease(&call.command), &answered.outcome);
    let reply = ToolReply::of_outcome(&answered.outcome, &answered.snapshot);
    Ok((reply.with_lease_change(change), answered.snapshot))
}
