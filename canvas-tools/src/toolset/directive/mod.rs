//! Directives are edits that name their action, by an address, by offsets or as a diff, and do not need a lease.
//!
//! `parse` turns JSON into a valid [`Directive`], and `schema` describes that JSON. `target` finds the place of an edit
//! in a text. `plan` computes the edit in pure code, and `apply` has the engine make it and recognises retries.
//! `failure` has all errors, and `since` finds the changes that a stale version misses. `recent` and `metrics` are state
//! for a host to keep. `tool`, `declare`, `snapshot`, `builder` and `prompt` offer directives to a model.
//!
//! * Offsets count Unicode scalar values; ranges are half-open.
//! * An address is resolved in the text that the directive is applied to.
//! * An annotation does not change the text or the canvas. The host keeps it.
//! * The hash of a directive identifies the call, so that a retry is answered before the edit is planned.
//! * A diff changes one document (otherwise `MULTI_FILE`) and is matched exactly. A diff may have 1 MiB, content 4 MiB
//!   and a rationale 4 KiB.
//! * The last 20 directives are kept for display. Each can be undone through the journal.

pub(crate) mod action;
pub(crate) mod advice;
pub(crate) mod apply;
mod builder;
pub(super) mod declare;
mod detail;
pub(crate) mod failure;
mod fields;
pub(crate) mod metrics;
pub(crate) mod parse;
pub(crate) mod plan;
mod prompt;
pub(crate) mod range;
pub(crate) mod recent;
pub(crate) mod schema;
mod since;
mod snapshot;
mod target;
pub(crate) mod tool;

use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::{Engine, Snapshot};
use serde_json::json;

use self::action::Action;
use self::builder::BuildDiff;
use self::failure::{DirectiveError, DirectiveFailure};
use self::parse::Directive;
use self::snapshot::TakeSnapshot;
use self::tool::{DIFF_BUILDER, DOCUMENT_EDIT, DOCUMENT_SNAPSHOT, DirectiveTools};
use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::ToolSpec;
use crate::arguments::arguments;
use crate::reply::{ToolError, ToolReply, success};

impl<S: Store> Toolset<S> for DirectiveTools {
    fn names(&self) -> Vec<&str> {
        self.tools().map(|(name, _)| name).collect()
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
        Box::pin(call_directive_tool(*self, context, call))
    }
}

async fn call_directive_tool<S: Store>(
    toolset: DirectiveTools,
    context: ToolContext<'_, S>,
    call: &ToolCall,
) -> Result<ToolReply, ToolError> {
    match call.name.as_str() {
        DOCUMENT_SNAPSHOT => {
            context.engine.policy().permits(Access::Read)?;
            let asked: TakeSnapshot = arguments(&call.arguments)?;
            let snapshot = context.snapshot().await?;
            Ok(ToolReply::new(success(snapshot.revision_id(), &asked.fields(&snapshot)?)))
        }
        DIFF_BUILDER if toolset.use_patch_edits => {
            context.engine.policy().permits(Access::Read)?;
            let asked: BuildDiff = arguments(&call.arguments)?;
            asked.check()?;
            let snapshot = context.snapshot().await?;
            Ok(ToolReply::new(success(snapshot.revision_id(), &asked.fields(&snapshot))))
        }
        DOCUMENT_EDIT => Ok(edit(toolset, context, call).await),
        name => Err(ToolError::unknown_tool(name, toolset.tools().map(|(name, _)| name))),
    }
}

async fn edit<S: Store>(toolset: DirectiveTools, context: ToolContext<'_, S>, call: &ToolCall) -> ToolReply {
    let directive = Directive::parse(&call.arguments).and_then(|directive| {
        let is_off = directive.action() == Action::Patch && !toolset.use_patch_edits;
        if is_off { Err(DirectiveError::PatchOff) } else { Ok(directive) }
    });
    let result = match directive {
        Ok(directive) => {
            let operation = context.session.operation(context.id.clone());
            context.session.apply_directive(context.engine, &operation, &directive, context.now).await
        }
        Err(e) => Err(DirectiveFailure::from(e)),
    };
    // The reply to a retry names the version that the edit made; the reply to a failure names the current version.
    match result {
        Ok(applied) => ToolReply::new(success(applied.version, &applied.fields())),
        Err(failure) => {
            let snapshot = context.snapshot().await.ok();
            let version = snapshot.as_ref().map(Snapshot::revision_id);
            let reply = ToolReply::failed(&failure.failure(), snapshot.as_ref());
            let reply = reply.with(json!({"status": failure.status()}));
            match version {
                Some(version) => reply.with(json!({"document_version": version})),
                None => reply,
            }
        }
    }
}

#[cfg(feature = "schema")]
pub(crate) use fields::reply_schema;
