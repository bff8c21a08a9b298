//! The tool of a dialect in a session. It takes the lease and the base from the canvas's record of the conversation.

use canvas_core::document::{AppliedPatch, ApplyEdits, ApplyPatchRefusal, BaseRefusal, Look, Shown};
use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::text::{Delta, Limits, Reason};
use canvas_core::{Answered, CodedError as _, Engine, Refusal, Refused as _, Revision, RevisionId, Snapshot};
use serde_json::Value;

use super::apply::apply_native;
use super::dialect::Dialect;
use super::fields::{EditFields, NativeDetail, ViewFields};
use super::options::NativeOptions;
use super::outcome::NativeError;
use super::reason::NativeReason;
use super::region::region;
use super::text_editor::is_view;
use crate::reply::{Failure, ToolError, ToolReply, changed_lines, success};
use crate::toolset::call::ToolCall;
use crate::toolset::context::{READ_BYTES, ToolContext, ToolFuture, Toolset};
use crate::toolset::spec::ToolSpec;

/// The tool of one dialect. It replaces the addressed tools of [`DocumentTools`](crate::DocumentTools), which are the
/// default for every model, so a host has to opt in.
///
/// A call takes the lease and releases it with its commit. It applies to the revision that the conversation saw last.
/// If this is not the current revision, the reply is `STALE_BASE` with the changes, and the model may send the call
/// again. A refusal of the call itself does not leave a receipt, so a retry is evaluated again. From the second
/// consecutive miss on, the refusal shows the surrounding lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeTools {
    /// The edit format that the tool accepts.
    pub dialect: Dialect,
    /// The document's name for the model.
    pub path: String,
    /// Whether a call may replace a non-empty document as a whole.
    pub whole_replace: bool,
    /// An additional line for the system prompt, after the dialect's own. May be empty.
    pub prompt: String,
}

impl NativeTools {
    /// Creates the tool of a dialect for a document called `document.md`.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            path: NativeOptions::default().path.to_owned(),
            whole_replace: false,
            prompt: String::new(),
        }
    }

    /// Returns the text of a reply for a model of this dialect: the dialect's message for success, or the refusal with
    /// its lines. After a repeated miss, it also contains the surrounding lines. After a change by someone else, it
    /// contains the changes.
    pub fn text_of(reply: &ToolReply) -> String {
        let body = reply.body();
        let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str);
        let mut words = text("/message").or_else(|| text("/error/message")).unwrap_or_default().to_owned();
        let shown = ["/error/region", "/error/changes/diff", "/error/changes/whole"];
        if let Some(shown) = shown.into_iter().find_map(text) {
            words.push('\n');
            words.push_str(shown);
        }
        words
    }

    fn options(&self, limits: Limits) -> NativeOptions<'_> {
        NativeOptions {
            path: &self.path,
            whole_replace: self.whole_replace,
            // The lines shown to this conversation are not known here, so a stated number must not decide.
            stated_lines: false,
            limits,
        }
    }
}

impl<S: Store> Toolset<S> for NativeTools {
    fn names(&self) -> Vec<&str> {
        self.dialect.tool_names().to_vec()
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        let is_open = engine.policy().permits(Access::Write).is_ok();
        if is_open { vec![self.dialect.spec(&self.path)] } else { Vec::new() }
    }

    fn task(&self) -> &'static str {
        "edit a shared Markdown document"
    }

    fn prompt(&self, _: &[ToolSpec]) -> Vec<String> {
        let rule = format!(
            "The document is {}. Old text must be copied exactly and stand at one place; a refusal shows the places.",
            self.path
        );
        let own = (!self.prompt.is_empty()).then(|| self.prompt.clone());
        [rule, self.dialect.prompt().to_owned()].into_iter().chain(own).collect()
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(run(self, context, call))
    }
}

async fn run<S: Store>(
    tools: &NativeTools,
    context: ToolContext<'_, S>,
    call: &ToolCall,
) -> Result<ToolReply, ToolError> {
    let policy = context.engine.policy();
    let options = tools.options(policy.document.patch);
    if tools.dialect == Dialect::TextEditor && is_view(&call.arguments) {
        policy.permits(Access::Read)?;
        return view(tools, &context, call, &options).await;
    }
    policy.permits(Access::Write)?;
    let request = ApplyEdits::request(&call.name, &call.arguments);
    // Only the key and the request determine whether this is a retry.
    let made_on = RevisionId::new(Revision::ZERO, request);
    let nothing = ApplyEdits { made_on, delta: Delta::default(), repairs: Vec::new(), request };
    let operation = context.session.operation(context.id.clone());
    let recalled = context.session.recall(context.engine, &operation, &nothing, context.now).await;
    let (known, snapshot) = recalled?;
    if let Some(answer) = known {
        return Ok(reply(tools, &answer, &snapshot, None));
    }
    let edits = if snapshot.head.has_seen(&context.session.conversation) {
        match apply_native(tools.dialect, snapshot.text(), &call.arguments, &options) {
            Ok(edit) => {
                let made_on = snapshot.revision_id();
                let edits = ApplyEdits { made_on, delta: edit.delta, repairs: edit.repairs, request };
                Some((edits, edit.message))
            }
            Err(error) => return Ok(missed(&error, &snapshot, &mut context.session.document.misses)),
        }
    } else {
        None
    };
    // A conversation that has not seen the document gets the changes.
    let (edits, message) = match edits {
        Some((edits, message)) => (edits, Some(message)),
        None => (nothing, None),
    };
    let Answered { result, snapshot, .. } = context.run_on_text(edits).await?;
    if result.is_ok() {
        context.session.document.misses = 0;
    }
    Ok(reply(tools, &result, &snapshot, message))
}

async fn view<S: Store>(
    tools: &NativeTools,
    context: &ToolContext<'_, S>,
    call: &ToolCall,
    options: &NativeOptions<'_>,
) -> Result<ToolReply, ToolError> {
    let snapshot = context.snapshot().await?;
    let seen = match apply_native(tools.dialect, snapshot.text(), &call.arguments, options) {
        Ok(seen) => seen.message,
        Err(error) => return Ok(ToolReply::failed(&failure(&error), Some(&snapshot))),
    };
    if seen.len() > READ_BYTES {
        let message = "the lines are more than one call shows: send a shorter view_range";
        return Err(ToolError::argument("/view_range", message));
    }
    let is_whole = call.arguments.get("view_range").is_none_or(Value::is_null);
    let shown = if is_whole { Shown { lines: usize::MAX, bytes: READ_BYTES } } else { Shown::default() };
    let Answered { result, snapshot: now, .. } = context.run_on_text(Look { shown }).await?;
    if let Err(refusal) = result {
        let failure = Failure::of(refusal.view(), NativeDetail::of(refusal.view(), now.clock));
        return Ok(ToolReply::failed(&failure, Some(&now)));
    }
    Ok(ToolReply::new(success(snapshot.revision_id(), &ViewFields { message: seen })))
}

fn failure(error: &NativeError) -> Failure<NativeDetail> {
    let detail = NativeDetail { conflicts: Some(error.conflicts().to_vec()), ..NativeDetail::default() };
    let reason = error.reason().map(Into::into);
    Failure { reason, detail, ..Failure::new(error.code(), error.to_string()) }
}

/// Builds the reply to a refused edit. A repeated miss shows the lines that the call could have quoted.
fn missed(error: &NativeError, snapshot: &Snapshot, misses: &mut u32) -> ToolReply {
    let mut failure = failure(error);
    if matches!(error.conflicts()[0].reason, NativeReason::Patch(Reason::NotFound | Reason::Ambiguous)) {
        *misses = misses.saturating_add(1);
        if *misses > 1 {
            failure.detail.region = Some(region(snapshot.text(), error.conflicts()));
        }
    }
    ToolReply::failed(&failure, Some(snapshot))
}

/// Follows the message of an edit that changed a proposal.
const WAITS: &str = "\nThe edit waits for the user's decision.";

fn reply(
    tools: &NativeTools,
    result: &Result<AppliedPatch, ApplyPatchRefusal>,
    snapshot: &Snapshot,
    message: Option<String>,
) -> ToolReply {
    match result {
        Ok(done) => {
            let (lines, shown) = changed_lines(done);
            let fields = EditFields {
                new_revision_id: done.revision,
                applied_hunks: done.summary.hunks,
                summary: done.summary.to_string(),
                repairs: &done.repairs,
                spans: &done.spans,
                message: format!(
                    "{}{}",
                    message.unwrap_or_else(|| tools.dialect.edited(&tools.path)),
                    if done.proposed.is_some() { WAITS } else { "" },
                ),
                proposed: done.proposed.as_ref(),
                lines,
            };
            // The lines in a retry's answer may have changed since.
            let shown = if done.revision == snapshot.revision_id() { shown } else { Vec::new() };
            ToolReply::new(success(done.revision, &fields)).with_shown_lines(shown)
        }
        Err(refusal) => {
            let refusal = refusal.view();
            let hint = match refusal {
                Refusal::Base(BaseRefusal::StaleBase(stale)) => {
                    let shown = stale.changes.as_ref().is_some_and(|c| c.diff.is_some() || c.whole.is_some());
                    Some(if shown {
                        "Next: the same call if it still says what you mean, else one for the document as it is now."
                    } else {
                        "Next: view the document, then the call again."
                    })
                }
                _ => None,
            };
            let mut failure = Failure::of(refusal, NativeDetail::of(refusal, snapshot.clock));
            if hint.is_some() {
                // The refusal's own message mentions a patch and its base, which no dialect does.
                failure.message = "the document has changed since you saw it".to_owned();
            }
            ToolReply::failed(&failure.with_next(hint), Some(snapshot))
        }
    }
}
