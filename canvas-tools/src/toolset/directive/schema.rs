//! The JSON Schema of a directive.

use canvas_core::text::Address;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::action::Action;
use crate::toolset::spec::argument_schema;

/// The JSON form of a directive.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the four names of the version are read together, so that they can be compared")]
pub(crate) struct DirectiveJson {
    /// Insert, replace and annotate use target or target_range, and patch uses diff.
    pub(crate) action: Action,
    /// The text to put in, or the note of an annotation. Not with patch.
    pub(crate) content: Option<String>,
    /// Whole lines: {section: [titles], item: [n] or table, fence, paragraph: n} or {lines: [1, 2]}. Insert adds below.
    #[cfg_attr(feature = "schema", schemars(with = "Option<AddressJson>"))]
    pub(crate) target: Option<Address>,
    /// Instead of target, [start, end] in characters (Unicode scalar values) from 0, end not included; for insert the same. Not with patch.
    #[cfg_attr(feature = "schema", schemars(with = "Option<RangeJson>"))]
    pub(crate) target_range: Option<Value>,
    /// A unified diff of the document. Hunks begin with @@, and lines with a space, + or -. Only with patch.
    pub(crate) diff: Option<String>,
    /// The document_version of the snapshot that this is made for; needed with patch.
    document_version: Option<String>,
    /// Another name of document_version.
    snapshot_version: Option<String>,
    /// Another name of document_version.
    version: Option<String>,
    /// Another name of document_version.
    document_digest: Option<String>,
    /// The selection_hash of the text there. If the text differs, the edit is refused. Not with patch.
    pub(crate) selection_fingerprint: Option<String>,
    /// The reason, in one sentence, for the user.
    pub(crate) rationale: Option<String>,
}

/// The alternative names of the version. A directive may have several of them if their values agree.
pub(crate) const VERSION_NAMES: [&str; 4] =
    ["document_version", "snapshot_version", "version", "document_digest"];

/// All members that a directive may have.
pub(crate) const FIELDS: [&str; 11] = [
    "action",
    "content",
    "target",
    "target_range",
    "diff",
    "document_version",
    "snapshot_version",
    "version",
    "document_digest",
    "selection_fingerprint",
    "rationale",
];

/// Any object, because the fields of an address would take many tokens. A fault names the value to pass.
#[cfg(feature = "schema")]
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(inline)]
struct AddressJson {}

#[cfg(feature = "schema")]
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used; parse reads it with the place of each fault")]
enum RangeJson {
    Pair(#[schemars(length(equal = 2))] Vec<u64>),
    Named(NamedRange),
}

#[cfg(feature = "schema")]
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used; parse reads it with the place of each fault")]
struct NamedRange {
    start: u64,
    end: u64,
}

/// Returns the JSON Schema of a directive. The schema allows no unknown fields, and its conditions depend on the
/// action. It admits everything that [`Directive::parse`](super::parse::Directive::parse) reads, but it cannot refuse
/// values over a limit in bytes, ranges that run backwards, or versions that differ.
///
/// Without `use_patch_edits`, it has neither `patch` nor `diff`.
pub fn directive_schema(use_patch_edits: bool) -> Value {
    let mut schema = flat_schema(use_patch_edits);
    let patch = json!({
        "required": ["diff"],
        "properties": {
            "diff": {"type": "string", "pattern": "\\S"},
            "content": {"type": "null"},
            "target": {"type": "null"},
            "target_range": {"type": "null"},
            "selection_fingerprint": {"type": "null"},
        },
        "anyOf": (VERSION_NAMES)
            .map(|name| json!({"required": [name], "properties": {name: {"type": "string"}}})),
    });
    let is_by_address = json!({"required": ["target"], "properties": {"target": {"type": "object"}}});
    let by_address = json!({"properties": {"target_range": {"type": "null"}}});
    let by_offsets = json!({
        "required": ["target_range"],
        "properties": {"target_range": {"type": ["array", "object"]}},
    });
    if use_patch_edits {
        let is_patch = json!({"required": ["action"], "properties": {"action": {"const": "patch"}}});
        let in_place = json!({
            "required": ["content"],
            "properties": {"content": {"type": "string"}, "diff": {"type": "null"}},
            "if": is_by_address, "then": by_address, "else": by_offsets,
        });
        (schema["if"], schema["then"], schema["else"]) = (is_patch, patch, in_place);
    } else {
        schema["required"] = json!(["action", "content"]);
        (schema["if"], schema["then"], schema["else"]) = (is_by_address, by_address, by_offsets);
    }
    schema
}

/// Returns the schema for a model, without conditions and alternative names, because some providers do not take
/// conditions at the root.
pub(crate) fn tool_schema(use_patch_edits: bool) -> Value {
    let mut schema = flat_schema(use_patch_edits);
    let properties = properties(&mut schema);
    for alias in &VERSION_NAMES[1..] {
        properties.remove(*alias);
    }
    properties["target_range"] = json!({
        "type": ["array", "null"],
        "items": {"type": "integer", "minimum": 0},
        "minItems": 2,
        "maxItems": 2,
        "description": properties["target_range"]["description"],
    });
    if !use_patch_edits {
        schema["required"] = json!(["action", "content"]);
    }
    schema
}

fn flat_schema(use_patch_edits: bool) -> Value {
    let mut schema = argument_schema("directive");
    let properties = properties(&mut schema);
    let mut actions = vec![Action::Insert, Action::Replace, Action::Annotate];
    let mut what = "insert, replace or annotate by target or target_range";
    if use_patch_edits {
        actions.push(Action::Patch);
        what = "insert, replace or annotate by target or target_range, or patch by a diff";
    } else {
        properties.remove("diff");
    }
    properties["action"] =
        json!({"type": "string", "enum": actions, "description": format!("What to do: {what}.")});
    schema
}

fn properties(schema: &mut Value) -> &mut Map<String, Value> {
    schema["properties"].as_object_mut().expect("the root of a struct's schema has properties")
}
