//! How tools are shown to clients: titles, what they do to the canvas, what they answer, which page shows them.

use std::sync::Arc;

use canvas_tools::{SURFACE_TOOL, ToolSpec};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::toolbox::{Naming, Toolbox};

/// The page of the document.
pub(crate) const DOCUMENT_PAGE: &str = "ui://canvas/document";

/// The page of the board.
pub(crate) const BOARD_PAGE: &str = "ui://canvas/board";

/// What a tool does to the canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing.
    Reads,
    /// It changes what can be taken back by undo, and nothing is lost.
    Changes,
    /// It takes something away, which undo brings back.
    Removes,
}

/// What is said of a tool besides its spec.
#[derive(Debug, Clone, Copy)]
struct Entry {
    name: &'static str,
    title: &'static str,
    effect: Effect,
    /// Whether the same call twice does what one does.
    idempotent: bool,
    page: Option<&'static str>,
    /// Fields of a success, beside `ok` and `revision_id`, each with its type.
    fields: &'static [(&'static str, &'static str)],
}

const fn document(
    name: &'static str,
    title: &'static str,
    effect: Effect,
    fields: &'static [(&'static str, &'static str)],
) -> Entry {
    Entry {
        name,
        title,
        effect,
        idempotent: matches!(effect, Effect::Reads),
        page: Some(DOCUMENT_PAGE),
        fields,
    }
}

const fn board(name: &'static str, title: &'static str, effect: Effect) -> Entry {
    let fields = &[("explanation", "string")];
    Entry { name, title, effect, idempotent: matches!(effect, Effect::Reads), page: Some(BOARD_PAGE), fields }
}

const PATCHED: &[(&str, &str)] = &[("new_revision_id", "string"), ("lines", "array"), ("repairs", "array")];
const LINES: &[(&str, &str)] = &[("text", "string"), ("start_line", "integer"), ("end_line", "integer")];

const ENTRIES: &[Entry] = &[
    document(
        "canvas_check_out",
        "Take the canvas",
        Effect::Changes,
        &[("lease_id", "string"), ("expires_in_s", "integer"), ("canvas_epoch", "integer")],
    ),
    Entry {
        idempotent: true,
        ..document(
            "canvas_renew_lease",
            "Keep the canvas",
            Effect::Changes,
            &[("lease_id", "string"), ("expires_in_s", "integer"), ("at_max_hold", "boolean")],
        )
    },
    Entry {
        idempotent: true,
        ..document("canvas_check_in", "Give the canvas back", Effect::Changes, &[("released", "boolean")])
    },
    document(
        "canvas_grep",
        "Search the document",
        Effect::Reads,
        &[("matches", "array"), ("total", "integer")],
    ),
    document(
        "canvas_read_lines",
        "Read lines",
        Effect::Reads,
        &[
            ("text", "string"),
            ("start_line", "integer"),
            ("end_line", "integer"),
            ("past_revision_id", "string"),
            ("past_lines", "array"),
        ],
    ),
    document("canvas_read_all", "Read the document", Effect::Reads, LINES),
    document("canvas_apply_patch", "Patch the document", Effect::Removes, PATCHED),
    document(
        "canvas_outline",
        "List the headings",
        Effect::Reads,
        &[("sections", "array"), ("total_sections", "integer"), ("truncated", "boolean")],
    ),
    document("canvas_read_section", "Read a section", Effect::Reads, LINES),
    document(
        "canvas_history",
        "List the last changes",
        Effect::Reads,
        &[("changes", "array"), ("next_before", "integer"), ("versions", "array")],
    ),
    document("canvas_replace_lines", "Replace lines", Effect::Removes, PATCHED),
    document("canvas_move", "Move a place", Effect::Changes, PATCHED),
    document("canvas_replace_all", "Replace all matches", Effect::Removes, PATCHED),
    document("canvas_edit_table", "Edit a table", Effect::Removes, PATCHED),
    document("canvas_set_front_matter", "Set a key of the front matter", Effect::Removes, PATCHED),
    document("canvas_edit_list", "Edit a list", Effect::Removes, PATCHED),
    document("canvas_rename_heading", "Rename a heading", Effect::Changes, PATCHED),
    document(
        "document_snapshot",
        "Read the document by characters",
        Effect::Reads,
        &[("text", "string"), ("total_chars", "integer"), ("truncated", "boolean")],
    ),
    document(
        "document_edit",
        "Edit the document",
        Effect::Removes,
        &[("status", "string"), ("summary", "string")],
    ),
    document("diff_builder", "Write a diff", Effect::Reads, &[("diff", "string"), ("applies", "boolean")]),
    board("create_component", "Add a component", Effect::Changes),
    board("modify_component", "Change a component", Effect::Removes),
    board("arrange_canvas", "Move components", Effect::Changes),
    board("remove_component", "Remove a component", Effect::Removes),
    board("refresh_component", "Refresh a component", Effect::Reads),
    board("undo", "Undo on the board", Effect::Removes),
    board("redo", "Redo on the board", Effect::Changes),
    board("save_view", "Save a view", Effect::Changes),
    board("load_view", "Load a view", Effect::Removes),
    board("show_canvas", "Show the board", Effect::Reads),
    Entry {
        page: None,
        ..document(
            "canvas_list_documents",
            "List the documents",
            Effect::Reads,
            &[("documents", "array"), ("total", "integer"), ("after", "string")],
        )
    },
    Entry {
        name: SURFACE_TOOL,
        title: "Panels of state and actions",
        effect: Effect::Removes,
        idempotent: false,
        page: None,
        fields: &[],
    },
    Entry {
        name: "surface_action",
        title: "Run an action of a panel",
        effect: Effect::Removes,
        idempotent: false,
        page: None,
        fields: &[],
    },
];

/// Of a tool in a native form, whose names are many.
const NATIVE: Entry = document("", "Edit the document", Effect::Removes, &[("message", "string")]);

fn entry(name: &str) -> Entry {
    ENTRIES.iter().find(|entry| entry.name == name).copied().unwrap_or(NATIVE)
}

/// Whether a tool is one of the board.
pub(crate) fn is_board(name: &str) -> bool {
    entry(name).page == Some(BOARD_PAGE)
}

/// A tool as clients list it, with the page that shows what it does.
pub(crate) fn tool(spec: ToolSpec, toolbox: &Toolbox) -> Tool {
    let ToolSpec { name, description, mut parameters } = spec;
    without_null(&mut parameters);
    let takes_canvas = toolbox.takes_canvas(&name);
    let named = match toolbox.naming {
        Naming::Canvas => {
            Some(("canvas", "Another canvas than the usual: the id in its URI canvas://{id}/document."))
        }
        Naming::One => None,
        Naming::Document => Some(("document", "The document, by a name that canvas_list_documents lists.")),
    };
    if let Some((key, text)) = named.filter(|_| takes_canvas)
        && let Some(properties) = parameters["properties"].as_object_mut()
    {
        properties.insert(key.into(), json!({"type": "string", "description": text}));
        if toolbox.naming == Naming::Document {
            let required = parameters["required"].as_array().cloned().unwrap_or_default();
            let required: Vec<_> = required.into_iter().chain([key.into()]).collect();
            parameters["required"] = required.into();
        }
    }
    shown(name, description, parameters)
}

/// Leaves `null` out of the types of optional fields, which some clients cannot show: who means it leaves the field out. It
/// is taken all the same.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Array(values) => values.iter_mut().for_each(without_null),
        Value::Object(fields) => {
            let required = fields.get("required").cloned().unwrap_or_default();
            let is_required =
                |name: &str| required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
                    not_null(property);
                }
            }
            fields.values_mut().for_each(without_null);
        }
        _ => {}
    }
}

fn not_null(property: &mut Value) {
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = &**types {
            let one = one.clone();
            property["type"] = one;
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|one| !one.is_null());
    }
    if let Some(Value::Array(forms)) = property.get_mut("anyOf") {
        forms.retain(|form| form["type"] != "null");
        if let [Value::Object(one)] = &**forms {
            let one = one.clone();
            if let Value::Object(fields) = property {
                fields.remove("anyOf");
                fields.extend(one);
            }
        }
    }
}

/// A tool by its entry.
pub(crate) fn shown(name: String, description: String, parameters: Value) -> Tool {
    let entry = entry(&name);
    let is_read = entry.effect == Effect::Reads;
    let mut annotations = ToolAnnotations::with_title(entry.title)
        .read_only(is_read)
        .idempotent(entry.idempotent)
        .open_world(name == "surface_action");
    annotations = annotations.destructive(entry.effect == Effect::Removes);
    let mut tool = Tool::new_with_raw(name, Some(description.into()), Arc::new(object(parameters)))
        .with_title(entry.title)
        .with_annotations(annotations)
        .with_raw_output_schema(Arc::new(output(entry.fields)));
    let mut meta = entry.page.map(|page| page_meta(page, None)).unwrap_or_default();
    // What one client of models takes for a limit of its own, below which a reading of 256 KiB would be cut.
    meta.0.insert("anthropic/maxResultSizeChars".to_owned(), MOST_CHARS.into());
    tool.meta = Some(meta);
    tool
}

/// Characters of the longest reply: 256 KiB of text, and what JSON escapes of it.
const MOST_CHARS: u64 = 400_000;

/// What a reply has: its success, or its error, since the same schema counts for both.
fn output(fields: &[(&str, &str)]) -> JsonObject {
    let mut properties = JsonObject::new();
    properties.insert("ok".into(), json!({"type": "boolean"}));
    properties.insert("revision_id".into(), json!({"type": "string"}));
    for (name, kind) in fields {
        properties.insert((*name).into(), json!({"type": kind}));
    }
    let error = json!({
        "type": "object",
        "description": "Why the call failed: message says what to do next.",
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "retryable": {"type": "boolean"}},
    });
    properties.insert("error".into(), error);
    object(json!({"type": "object", "properties": properties, "required": ["ok"]}))
}

/// The page of a tool, and who may see the tool.
pub(crate) fn page_meta(page: &str, visibility: Option<&[&str]>) -> MetaObject {
    let mut ui = json!({"resourceUri": page});
    if let Some(visibility) = visibility {
        ui["visibility"] = json!(visibility);
    }
    MetaObject(object(json!({"ui": ui})))
}

/// The tool for a client that shows no pages.
pub(crate) fn without_page(mut tool: Tool) -> Tool {
    if let Some(meta) = &mut tool.meta {
        meta.0.remove("ui");
    }
    tool.meta = tool.meta.filter(|meta| !meta.0.is_empty());
    tool
}

/// The fields of a value that is an object.
pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}
