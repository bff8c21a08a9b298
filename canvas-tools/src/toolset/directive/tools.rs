//! The tools of specs 003, from JSON arguments to JSON replies. They take no lease.

use canvas_core::lease::Timestamp;
use canvas_core::{Access, CallId, Engine, Snapshot, Store};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::apply::apply_directive;
use super::builder::diff_for;
use super::failure::{DirectiveError, DirectiveFailure};
use super::parse::{Action, Directive, MAX_CONTENT_BYTES};
use super::range::CharRange;
use super::schema::tool_schema;
use super::snapshot::snapshot_fields;
use crate::reply::{ToolError, ToolReply};
use crate::session::Session;
use crate::toolset::call::ToolCall;
use crate::toolset::document::arguments::{arguments, shorten};
use crate::toolset::spec::ToolSpec;

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

/// The directive tools, as they are told to a model. Without `use_patch_edits`, for models that write no good diffs,
/// `document_edit` knows no patch and `diff_builder` is missing.
pub fn directive_tools(use_patch_edits: bool) -> Vec<ToolSpec> {
    let mut tools = vec![
        ToolSpec {
            name: DOCUMENT_SNAPSHOT.into(),
            description:
                "Read the document with its document_version and the character offset of every line. Take \
                          one before each edit and after each failure."
                    .into(),
            parameters: schema::<TakeSnapshot>(),
        },
        ToolSpec {
            name: DOCUMENT_EDIT.into(),
            description: edit_description(use_patch_edits),
            parameters: tool_schema(use_patch_edits),
        },
    ];
    if use_patch_edits {
        tools.push(ToolSpec {
            name: DIFF_BUILDER.into(),
            description:
                "Write the unified diff that turns original into updated, ready for document_edit with \
                          action patch. It changes nothing by itself."
                    .into(),
            parameters: schema::<BuildDiff>(),
        });
    }
    tools
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

fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T);
    schema.remove("$schema");
    schema.remove("title");
    schema.to_value()
}

/// Runs one call of a model on the session's canvas and says what it gets back. Every failure is a reply too.
///
/// A retry of an edit with the same call id is not done again. `use_patch_edits` is what the tools were listed with:
/// without it a patch is refused.
pub async fn call_directive_tool<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    use_patch_edits: bool,
    call: &ToolCall,
    now: Timestamp,
) -> ToolReply {
    match call.name.as_str() {
        DOCUMENT_EDIT => return edit(engine, session, use_patch_edits, call, now).await,
        DOCUMENT_SNAPSHOT => {}
        DIFF_BUILDER if use_patch_edits => {}
        name => {
            let names: Vec<_> = directive_tools(use_patch_edits).into_iter().map(|tool| tool.name).collect();
            let name: String = name.chars().take(80).collect();
            let message = format!("there is no tool \"{name}\": call one of {}", names.join(", "));
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return ToolReply::error(&ToolError::new("UNKNOWN_TOOL", message), snapshot.as_ref());
        }
    }
    let snapshot = match engine.snapshot(&session.canvas, now).await {
        Ok(snapshot) => snapshot,
        Err(e) => return ToolReply::of_error(&e, None),
    };
    if let Err(refusal) = engine.policy().permits(Access::Read) {
        return ToolReply::error(&ToolError::of_refusal(&refusal), Some(&snapshot));
    }
    let fields = match call.name.as_str() {
        DIFF_BUILDER => build_diff(call, &snapshot),
        _ => take_snapshot(call, &snapshot),
    };
    match fields {
        Ok(fields) => succeeded(fields, &snapshot),
        Err(error) => ToolReply::error(&error, Some(&snapshot)),
    }
}

async fn edit<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    use_patch_edits: bool,
    call: &ToolCall,
    now: Timestamp,
) -> ToolReply {
    let id = match CallId::new(&call.id) {
        Ok(id) => id,
        Err(e) => {
            let error = ToolError::argument("", format!("the id of the call: {e}"));
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return ToolReply::error(&error, snapshot.as_ref());
        }
    };
    let directive = Directive::parse(&call.arguments).and_then(|directive| {
        let is_off = directive.action() == Action::Patch && !use_patch_edits;
        if is_off { Err(DirectiveError::PatchOff) } else { Ok(directive) }
    });
    let result = match directive {
        Ok(directive) => apply_directive(engine, session, id, &directive, now).await,
        Err(e) => Err(DirectiveFailure::from(e)),
    };
    // A retry's reply speaks of the version that it made, a failure's of the one that is there.
    match result {
        Ok(applied) => {
            ToolReply::new(json!({"ok": true, "revision_id": applied.version})).with(applied.to_json())
        }
        Err(failure) => {
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            let mut body = json!({"ok": false, "status": failure.status(), "error": failure.to_json()});
            if let Some(snapshot) = snapshot {
                body["revision_id"] = json!(snapshot.revision_id());
                body["document_version"] = json!(snapshot.revision_id());
                body["canvas_epoch"] = json!(snapshot.head.lock().epoch());
            }
            ToolReply::new(body)
        }
    }
}

fn succeeded(fields: Value, snapshot: &Snapshot) -> ToolReply {
    let version = snapshot.revision_id();
    ToolReply::new(json!({"ok": true, "revision_id": version, "document_version": version})).with(fields)
}

fn take_snapshot(call: &ToolCall, snapshot: &Snapshot) -> Result<Value, ToolError> {
    let TakeSnapshot { offset, selection } = arguments(call)?;
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let selection = match selection.as_deref() {
        None => None,
        Some(&[start, end]) if start <= end => CharRange::new(number(start), number(end)),
        Some(_) => return Err(ToolError::argument("/selection", "pass [start, end], start not after end")),
    };
    let from = number(offset.unwrap_or(0));
    snapshot_fields(snapshot.text(), from, selection).map_err(|chars| {
        let place = if from > chars { "/offset" } else { "/selection" };
        let message = format!("the document has {chars} characters: pass offsets of at most {chars}");
        ToolError::new("INVALID_RANGE", message).at(place)
    })
}

fn build_diff(call: &ToolCall, snapshot: &Snapshot) -> Result<Value, ToolError> {
    let BuildDiff { original, updated } = arguments(call)?;
    for (place, text) in [("/original", &original), ("/updated", &updated)] {
        if text.len() > MAX_CONTENT_BYTES {
            let message =
                format!("it has {} bytes, the limit is {MAX_CONTENT_BYTES}: pass a part", text.len());
            return Err(ToolError::argument(place, message));
        }
    }
    let Some(built) = diff_for(snapshot.text(), &original, &updated) else {
        let message = "updated equals original: nothing would change, so send no patch";
        return Err(ToolError::argument("/updated", message).with_reason("NO_EFFECT"));
    };
    let mut fields = json!({"diff": built.diff, "applies": built.applies});
    if !built.applies {
        let what = shorten(original.lines().next().unwrap_or_default()).into_owned();
        fields["advice"] = json!(format!(
            "original (\"{what}\") does not stand in the document exactly once: take a fresh document_snapshot and \
             copy more lines of it"
        ));
    }
    Ok(fields)
}
