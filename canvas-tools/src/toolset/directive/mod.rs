//! Directives: edits that name their action, by offsets or by a diff, without a lease.
//!
//! `parse` reads one into a value that cannot be wrong, and `schema` says what it reads. `plan` makes an edit of it, in
//! pure code; `apply` has the engine do it, and says so when a retry comes. `failure` is every way to go wrong. `since`
//! tells what a stale version has missed. `recent` and `metrics` are what a host keeps beside. `tool`, `declare`, `snapshot`,
//! `builder` and `prompt` are the same for a model.
//!
//! * Offsets count Unicode scalar values; ranges are half-open.
//! * An annotation alters no text and leaves nothing on the canvas: the host keeps it.
//! * The hash of a directive identifies the call, so a retry is answered before anything is planned.
//! * A diff names one document (`MULTI_FILE` otherwise) and is matched exactly. It has at most 1 MiB, content 4 MiB, a
//!   rationale 4 KiB.
//! * The last 20 directives are kept for the screen; each is undone through the journal.

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
pub(crate) mod tool;

use canvas_core::store::Store;
use canvas_core::{Access, Engine, Snapshot};
use serde_json::json;

use self::action::Action;
use self::apply::apply_directive;
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
            let id = context.id.clone();
            apply_directive(context.engine, context.session, id, &directive, context.now).await
        }
        Err(e) => Err(DirectiveFailure::from(e)),
    };
    // A retry's reply names the version that the edit made, a failure's the one that is there.
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
