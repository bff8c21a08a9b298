//! Tools of the document face. Seven are standard, and a host can switch on ten more.
//!
//! * A call of a tool that the host did not switch on fails like a call of an unknown tool (`UNKNOWN_TOOL`).
//! * One call reads at most 256 KiB of text, a search shows at most 8 KB, and the reply says where to continue.
//! * A reply does not repeat itself or its call. [`ToolReply::shown_lines`] has the lines of the canvas that it shows.
//! * `canvas_outline` and `canvas_read_section` need no lease. Without one they leave no trace, and the shown text does
//!   not count as seen.
//! * A read of the past needs no lease either, and leaves no trace even with one. Its reply names the current revision as
//!   `revision_id`, so that no model takes the past for the base of an edit.
//! * A `lease_id` that cannot be parsed is refused with `LOCK_NOT_OWNED`, unless the tool takes none.

mod answer;
pub(super) mod arguments;
mod check;
mod declare;
mod failure;
mod fields;
mod history;
mod lines;
pub(super) mod next;
mod outline;
mod past;
mod prompt;
mod reading;
mod search;
mod structure;
mod structure_arguments;
mod structure_place;
pub(crate) mod tool;

use canvas_core::document::{
    AppliedPatch, ApplyPatch, ApplyPatchRefusal, Base, BaseRefusal, EditStructure, PatchRefusal, Read,
    ReplaceLines, StructureRefusal,
};
use canvas_core::lease::{CheckOut, LeaseId};
use canvas_core::rollout::Rollout;
use canvas_core::store::Store;
use canvas_core::text::LineRange;
use canvas_core::turn::WorkMode;
use canvas_core::{Answered, Author, Command, Engine, Policy, Refusal, Refused as _, Snapshot};
use serde::Serialize;
use serde_json::{Value, json};

use self::answer::Answer;
use self::check::{CheckedCall, ReadAccess, Resend, check};
use self::failure::{Resendable, add_resend};
use self::next::CallKind;
use self::reading::{Looked, Reading};
use self::tool::{DocumentTools, Tool};
use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::ToolSpec;
use crate::reply::{ToolError, ToolReply, read_in};
use crate::session::Session;
use crate::session::refused::{RefusedPatch, ResendError};

impl<S: Store> Toolset<S> for DocumentTools {
    fn names(&self) -> Vec<&str> {
        Tool::of(*self).map(Tool::name).collect()
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        self.list(engine.policy())
    }

    fn task(&self) -> &'static str {
        "edit a shared Markdown canvas"
    }

    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String> {
        prompt::lines(specs)
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(call_document_tool(*self, context, call))
    }
}

/// Checks a call. A call needs no lease on a canvas where each conversation has a turn of its own, or if it proposes.
async fn checked<S: Store>(
    toolset: DocumentTools,
    tool: Tool,
    call: &ToolCall,
    context: &ToolContext<'_, S>,
) -> Result<CheckedCall, ToolError> {
    let policy = context.engine.policy();
    let checked = check(toolset, tool, call, policy);
    let names_no_lease = call.arguments.get("lease_id").is_none_or(Value::is_null);
    if checked.is_ok() || !policy.rollout.needs_lease() || !names_no_lease {
        return checked;
    }
    let needs_none = !context.session.mode.is_direct()
        || matches!(context.snapshot().await, Ok(snapshot) if snapshot.head.work_mode() == WorkMode::Collaborative);
    match needs_none {
        true => check(toolset, tool, call, &Policy { rollout: Rollout::LeaseOptional, ..*policy }),
        false => checked,
    }
}

async fn call_document_tool<S: Store>(
    toolset: DocumentTools,
    mut context: ToolContext<'_, S>,
    call: &ToolCall,
) -> Result<ToolReply, ToolError> {
    let tool = Tool::named(&call.name, toolset)?;
    let (access, reading) = match checked(toolset, tool, call, &context).await? {
        CheckedCall::Read(access, reading) => (access, reading),
        CheckedCall::ReadPast(revision, ranges) => {
            let snapshot = context.snapshot().await?;
            let read = past::past_lines(&context, revision, &ranges).await;
            return Ok(without_trace(&snapshot, read));
        }
        CheckedCall::History(page) => {
            let snapshot = context.snapshot().await?;
            let listed = page.list(&context, &snapshot).await;
            return Ok(without_trace(&snapshot, listed));
        }
        CheckedCall::CheckOut => return Ok(run(&context, (None, CallKind::Other), CheckOut).await?.0),
        CheckedCall::Renew(command) => {
            return Ok(run(&context, (command.lease, CallKind::Other), command).await?.0);
        }
        CheckedCall::CheckIn(command) => {
            return Ok(run(&context, (command.lease, CallKind::Other), command).await?.0);
        }
        CheckedCall::ApplyPatch(command, None) => return patch(&mut context, toolset, command).await,
        CheckedCall::ApplyPatch(command, Some(resend)) => {
            let command = resent(&context.session.document.refused, command, &resend)?;
            return patch(&mut context, toolset, command).await;
        }
        CheckedCall::EditStructure(command, search) => {
            return edit_structure(&mut context, command, search).await;
        }
        CheckedCall::ReplaceLines(command) => {
            let command = ReplaceLines { shown: Some(context.session.document.shown.clone()), ..command };
            let named = (command.lease, CallKind::Lines);
            let Answered { result, snapshot, replayed } = context.run_on_text(command).await?;
            let reply = answer::reply(named, &result, (&*context.session, &snapshot));
            // The lines of an older refusal may have changed since.
            if result.is_ok() || !replayed {
                remember(context.session, reply.shown_lines(), &snapshot);
            }
            return Ok(reply);
        }
    };
    let (reply, snapshot) = match access {
        ReadAccess::Lease(lease) => {
            run(&context, (lease, CallKind::Other), Read { lease, shown: reading.shown() }).await?
        }
        ReadAccess::Snapshot => {
            let snapshot = context.snapshot().await?;
            (ToolReply::of_snapshot(&snapshot), snapshot)
        }
    };
    if !reply.is_ok() {
        return Ok(reply);
    }
    Ok(match reading.look(&snapshot, toolset.replace_lines) {
        Ok(Looked { fields, shown, listed }) => {
            if let Reading::Grep(search) = &reading
                && toolset.structure
            {
                let (query, regex) = search.sent();
                context.session.document.searched.add(snapshot.revision_id(), query, regex);
            }
            remember(context.session, &shown, &snapshot);
            let (shown_lines, head) = (&mut context.session.document.shown, &snapshot.head);
            for lines in listed {
                shown_lines.add_listed(head.revision_id(), head.document(), lines);
            }
            reply.with(fields).with_shown_lines(shown)
        }
        Err(error) => {
            // The call has extended the lease all the same.
            ToolReply::of_error(&error, Some(&snapshot)).with_lease_change(reply.lease_change())
        }
    })
}

/// Returns the reply to a read of the past. Unlike other calls, one that fails does not extend the lease either.
fn without_trace(snapshot: &Snapshot, read: Result<impl Serialize, ToolError>) -> ToolReply {
    match read {
        Ok(fields) => ToolReply::of_snapshot(snapshot).with(json!(fields)),
        Err(error) => ToolReply::of_error(&error, Some(snapshot)),
    }
}

/// Applies a patch, given the lines that the conversation was shown, and remembers the lines that the reply shows.
async fn patch<S: Store>(
    context: &mut ToolContext<'_, S>,
    toolset: DocumentTools,
    command: ApplyPatch,
) -> Result<ToolReply, ToolError> {
    let command = ApplyPatch { shown: Some(context.session.document.shown.clone()), ..command };
    let Answered { result, snapshot, replayed } = context.run_on_text(command.clone()).await?;
    let (named, session) = ((command.lease, CallKind::Patch), &mut *context.session);
    match &result {
        Err(ApplyPatchRefusal::Patch(PatchRefusal::PatchRejected(error))) if toolset.resend => {
            session.document.refused.keep(&command, error);
        }
        // A retry of the call that mended it must find it.
        _ => {}
    }
    let reply = match (&result, session.document.refused.resendable()) {
        (Err(ApplyPatchRefusal::Patch(PatchRefusal::PatchRejected(_))), Some((id, faults))) => {
            let resend = Resendable { of: id.to_owned(), hunks: faults.to_vec() };
            answer::reply_with(named, &result, (session, &snapshot), |failure| add_resend(failure, resend))
        }
        _ => answer::reply(named, &result, (session, &snapshot)),
    };
    // What an older answer shows may have changed since.
    if !replayed {
        remember(session, &quoted_by(&result), &snapshot);
    }
    remember(session, reply.shown_lines(), &snapshot);
    Ok(reply)
}

/// Makes an edit of the structure, and remembers the lines that the reply shows.
///
/// The matches of a search are replaced only if the conversation made that search. A retry gets its first answer all the
/// same, even if the session has been lost in between.
async fn edit_structure<S: Store>(
    context: &mut ToolContext<'_, S>,
    command: EditStructure,
    search: Option<structure::Search>,
) -> Result<ToolReply, ToolError> {
    let lease = match command.by {
        Author::Assistant { lease } => lease,
        Author::User | Author::Host => None,
    };
    let kind = if search.is_some() { CallKind::ReplaceAll } else { CallKind::Structure };
    let base = search.as_ref().map(|search| Base::Id(search.revision));
    let command = EditStructure { base, ..command };
    if let Some(structure::Search { revision, query, regex }) = &search
        && !context.session.document.searched.has(*revision, query, *regex)
    {
        let operation = context.session.operation(context.id.clone());
        let recalled = context.session.recall(context.engine, &operation, &command, context.now).await?;
        if recalled.0.is_none() {
            return Err(not_searched());
        }
    }
    let Answered { result, snapshot, replayed } = context.run_on_text(command.clone()).await?;
    let at = (&*context.session, &snapshot);
    let reply = answer::reply_with((lease, kind), &result, at, |failure| {
        if let Err(refusal) = &result
            && let Refusal::Structure(StructureRefusal::StructureRejected { error }) = refusal.view()
        {
            failure.place = Some(structure_place::place(&command.edit, error));
        }
    });
    // The lines of an older refusal may have changed since.
    if result.is_ok() || !replayed {
        remember(context.session, reply.shown_lines(), &snapshot);
    }
    Ok(reply)
}

fn not_searched() -> ToolError {
    let message = "this conversation has not searched this revision for exactly this: call canvas_grep with find as \
                   its query and the same regex, and pass the revision_id and total of its reply";
    ToolError::new("NOT_SEARCHED", message).at("/revision_id")
}

/// Records that the model was shown these lines of a document.
fn remember(session: &mut Session, lines: &[LineRange], snapshot: &Snapshot) {
    let head = &snapshot.head;
    lines.iter().for_each(|lines| session.document.shown.add(head.revision_id(), head.document(), *lines));
}

/// Returns the lines that a refusal of a patch shows with their numbers.
fn quoted_by(result: &Result<AppliedPatch, ApplyPatchRefusal>) -> Vec<LineRange> {
    match result {
        Err(ApplyPatchRefusal::Patch(PatchRefusal::PatchRejected(error))) => {
            error.conflicts().iter().flat_map(read_in).collect()
        }
        Err(ApplyPatchRefusal::Base(BaseRefusal::StaleBase(stale))) => {
            stale.rebased.as_deref().map(stated_lines).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Returns the lines that a patch made by this library states in its headers.
fn stated_lines(patch: &str) -> Vec<LineRange> {
    let headers = patch.lines().filter_map(|line| line.strip_prefix("@@ -"));
    let ranges = headers.filter_map(|numbers| {
        let (start, count) = numbers.split_whitespace().next()?.split_once(',')?;
        let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
        Some(LineRange { start, end: (start + count).saturating_sub(1) })
    });
    ranges.collect()
}

/// Returns a refused patch with the resent hunks of a call.
fn resent(refused: &RefusedPatch, call: ApplyPatch, resend: &Resend) -> Result<ApplyPatch, ToolError> {
    let wrong = |message: String| ToolError::argument("/resend/hunks", message);
    refused.with_hunks(&resend.of, &resend.hunks, call).map_err(|error| match error {
        ResendError::Lost => {
            let message = "nothing is kept of the patch that this names: send the whole patch again";
            ToolError::new("RESEND_LOST", message).at("/resend/of")
        }
        ResendError::NoSuchHunk { hunks } => {
            wrong(format!("the refused patch has {hunks} hunks: pass numbers from 1 to {hunks}"))
        }
        ResendError::Unordered => wrong("pass each number once, in order".to_owned()),
        ResendError::OtherCount { hunks } => {
            wrong(format!("patch has {hunks} hunks: begin each with @@, and pass as many numbers"))
        }
    })
}

/// Runs a command, with the lease that it names, and makes the reply.
async fn run<S: Store, C: Command<Done: Answer>>(
    context: &ToolContext<'_, S>,
    named: (Option<LeaseId>, CallKind),
    command: C,
) -> Result<(ToolReply, Snapshot), ToolError> {
    let Answered { result, snapshot, .. } = context.run_on_text(command).await?;
    Ok((answer::reply(named, &result, (&*context.session, &snapshot)), snapshot))
}

/// Returns the JSON Schema of the reply of the tool with this name.
#[cfg(feature = "schema")]
pub(crate) fn reply_schema(tool: &str) -> Option<Value> {
    Tool::of(DocumentTools::ALL).find(|one| one.name() == tool).map(Tool::reply_schema)
}
