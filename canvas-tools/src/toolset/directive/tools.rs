//! Tools that take directives. They need no lease.

use canvas_core::{Access, Engine, Policy, Snapshot, Store};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::apply::apply_directive;
use super::builder::diff_for;
use super::failure::{DirectiveError, DirectiveFailure};
use super::parse::{Action, Directive, MAX_CONTENT_BYTES};
use super::prompt;
use super::range::CharRange;
use super::schema::tool_schema;
use super::snapshot::snapshot_fields;
use crate::reply::ToolReply;
use crate::toolset::arguments::{arguments, shorten};
use crate::toolset::call::ToolCall;
use crate::toolset::error::ToolError;
use crate::toolset::spec::{ToolSpec, schema_of};
use crate::toolset::{ToolContext, ToolFuture, Toolset, permit, unknown_tool};

/// Name of the tool that shows the document.
pub const DOCUMENT_SNAPSHOT: &str = "document_snapshot";

/// Name of the tool that takes a directive.
pub const DOCUMENT_EDIT: &str = "document_edit";

/// Name of the tool that writes a diff.
pub const DIFF_BUILDER: &str = "diff_builder";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TakeSnapshot {
    /// The character to begin at, from 0. Default 0; a long document comes in parts.
    #[serde(default)]
    offset: Option<u64>,
    /// [start, end] in characters: the reply has selection_hash, the fingerprint of the text there.
    #[serde(default)]
    #[schemars(length(equal = 2))]
    selection: Option<Vec<u64>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BuildDiff {
    /// The text as it is, copied exactly from a snapshot: whole lines, one part of the document or all of it.
    original: String,
    /// The text as it should be.
    updated: String,
}

/// The tools that take directives: `document_snapshot`, `document_edit` and, with patches, `diff_builder`.
///
/// A failure of `document_edit` has the fields of [`DirectiveFailure::to_json`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DirectiveTools {
    /// Whether the model may send patches. Off for models that write no good diffs: `document_edit` then refuses a patch,
    /// and there is no `diff_builder`.
    pub use_patch_edits: bool,
}

impl Default for DirectiveTools {
    /// With patches.
    fn default() -> Self {
        Self { use_patch_edits: true }
    }
}

impl DirectiveTools {
    /// The tools that a policy opens to models.
    pub fn list(self, policy: &Policy) -> Vec<ToolSpec> {
        let open = self.tools().filter(|(_, access)| policy.permits(*access).is_ok());
        open.map(|(name, _)| self.spec(name)).collect()
    }

    fn tools(self) -> impl Iterator<Item = (&'static str, Access)> {
        let all =
            [(DOCUMENT_SNAPSHOT, Access::Read), (DOCUMENT_EDIT, Access::Write), (DIFF_BUILDER, Access::Read)];
        all.into_iter().filter(move |(name, _)| *name != DIFF_BUILDER || self.use_patch_edits)
    }

    fn spec(self, name: &str) -> ToolSpec {
        let (description, parameters) = match name {
            DOCUMENT_SNAPSHOT => (
                "Read the document with its document_version and the character offset of every line. Take one before \
                 each edit and after each failure."
                    .to_owned(),
                schema_of::<TakeSnapshot>(),
            ),
            DOCUMENT_EDIT => (edit_description(self.use_patch_edits), tool_schema(self.use_patch_edits)),
            _ => (
                "Write the unified diff that turns original into updated, ready for document_edit with action patch. \
                 It changes nothing by itself."
                    .to_owned(),
                schema_of::<BuildDiff>(),
            ),
        };
        ToolSpec { name: name.into(), description, parameters }
    }

    async fn run<S: Store>(
        self,
        context: ToolContext<'_, S>,
        call: &ToolCall,
    ) -> Result<ToolReply, ToolError> {
        match call.name.as_str() {
            DOCUMENT_SNAPSHOT => {
                permit(context.engine.policy(), Access::Read)?;
                let asked: TakeSnapshot = arguments(&call.arguments)?;
                asked.reply(&context.snapshot().await?)
            }
            DIFF_BUILDER if self.use_patch_edits => {
                permit(context.engine.policy(), Access::Read)?;
                let asked: BuildDiff = arguments(&call.arguments)?;
                asked.check()?;
                asked.reply(&context.snapshot().await?)
            }
            DOCUMENT_EDIT => Ok(self.edit(context, call).await),
            name => Err(unknown_tool(name, self.tools().map(|(name, _)| name))),
        }
    }

    async fn edit<S: Store>(self, context: ToolContext<'_, S>, call: &ToolCall) -> ToolReply {
        let directive = Directive::parse(&call.arguments).and_then(|directive| {
            let is_off = directive.action() == Action::Patch && !self.use_patch_edits;
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
            Ok(applied) => {
                ToolReply::new(json!({"ok": true, "revision_id": applied.version})).with(applied.to_json())
            }
            Err(failure) => {
                let snapshot = context.snapshot().await.ok();
                let version = snapshot.as_ref().map(Snapshot::revision_id);
                let reply = ToolReply::failure(failure.to_json(), snapshot.as_ref());
                let reply = reply.with(json!({"status": failure.status()}));
                match version {
                    Some(version) => reply.with(json!({"document_version": version})),
                    None => reply,
                }
            }
        }
    }
}

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
        Box::pin(self.run(context, call))
    }
}

fn edit_description(use_patch_edits: bool) -> String {
    let by_offsets =
        "insert, replace and annotate need content and target_range; annotate never alters the text.";
    if use_patch_edits {
        format!(
            "Change the document by one directive. Prefer action patch: diff and document_version, without content and \
             target_range; all hunks apply or none. {by_offsets} A failure says what is wrong and what to do."
        )
    } else {
        format!(
            "Change the document by one directive: {by_offsets} A failure says what is wrong and what to do."
        )
    }
}

fn succeeded(fields: Value, snapshot: &Snapshot) -> ToolReply {
    let version = snapshot.revision_id();
    ToolReply::of_snapshot(snapshot).with(json!({"document_version": version})).with(fields)
}

impl TakeSnapshot {
    fn reply(self, snapshot: &Snapshot) -> Result<ToolReply, ToolError> {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let selection = match self.selection.as_deref() {
            None => None,
            Some(&[start, end]) if start <= end => CharRange::new(number(start), number(end)),
            Some(_) => {
                return Err(ToolError::argument("/selection", "pass [start, end], start not after end"));
            }
        };
        let from = number(self.offset.unwrap_or(0));
        match snapshot_fields(snapshot.text(), from, selection) {
            Ok(fields) => Ok(succeeded(fields, snapshot)),
            Err(chars) => {
                let place = if from > chars { "/offset" } else { "/selection" };
                let message = format!("the document has {chars} characters: pass offsets of at most {chars}");
                Err(ToolError::new("INVALID_RANGE", message).at(place))
            }
        }
    }
}

impl BuildDiff {
    fn check(&self) -> Result<(), ToolError> {
        for (place, text) in [("/original", &self.original), ("/updated", &self.updated)] {
            if text.len() > MAX_CONTENT_BYTES {
                let message =
                    format!("it has {} bytes, the limit is {MAX_CONTENT_BYTES}: pass a part", text.len());
                return Err(ToolError::argument(place, message));
            }
        }
        if self.original == self.updated {
            let message = "updated equals original: nothing would change, so send no patch";
            return Err(ToolError::argument("/updated", message).with_reason("NO_EFFECT"));
        }
        Ok(())
    }

    fn reply(self, snapshot: &Snapshot) -> Result<ToolReply, ToolError> {
        let built = diff_for(snapshot.text(), &self.original, &self.updated);
        let mut fields = json!({"diff": built.diff, "applies": built.applies});
        if !built.applies {
            let what = shorten(self.original.lines().next().unwrap_or_default());
            fields["advice"] = json!(format!(
                "original (\"{what}\") does not occur in the document exactly once: take a fresh document_snapshot and \
                 copy more lines of it"
            ));
        }
        Ok(succeeded(fields, snapshot))
    }
}
