//! The operations: the fields that a request of each may have, and the function that answers it.

use serde_json::{Map, Value, json};

#[cfg(feature = "board")]
use super::board;
use super::documents::Documents;
use super::faces::FEATURES;
#[cfg(feature = "providers")]
use super::providers::{self, native_tools};
#[cfg(feature = "recipe")]
use super::recipe::{self, replays};
#[cfg(not(feature = "providers"))]
use super::request::left_out;
use super::request::{BridgeError, Request};
#[cfg(feature = "surface")]
use super::surface;
use super::{directives, history, native, proposals, text};

/// An operation by its name.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: &'static str,
    /// Beside [`EVERYWHERE`]. A question mark after the name means that the field may be left out.
    pub(super) fields: &'static [&'static str],
    pub(super) answer: Answer,
}

#[derive(Debug)]
pub(super) enum Answer {
    Text(fn(&Request<'_>) -> Result<Value, BridgeError>),
    Value(fn(&mut Documents, &Request<'_>) -> Result<Value, BridgeError>),
    /// JSON that is written at once.
    #[cfg(feature = "board")]
    Written(fn(&Documents, &Request<'_>) -> Result<String, BridgeError>),
}

/// The fields that every request may have.
pub(super) const EVERYWHERE: [&str; 3] = ["id", "op", "now"];

impl Operation {
    /// The fields of a request, each with whether it may be left out.
    fn own_fields(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.fields.iter().map(|field| field.strip_suffix('?').map_or((*field, false), |name| (name, true)))
    }

    /// The JSON Schema of a request. The types of deeper fields are those of the commands.
    pub(super) fn schema(&self) -> Value {
        let own = self.own_fields().map(|(name, _)| (name.to_owned(), type_of(name)));
        let mut properties: Map<String, Value> = own.collect();
        properties.insert("op".to_owned(), json!({"const": self.name}));
        properties.insert("id".to_owned(), json!({"description": "Comes back in the answer."}));
        properties
            .insert("now".to_owned(), json!({"type": "integer", "description": "Milliseconds since 1970."}));
        let needed = self.own_fields().filter(|(_, is_optional)| !is_optional).map(|(name, _)| name);
        let needed: Vec<_> = ["op"].into_iter().chain(needed).collect();
        json!({
            "description": format!("A line of JSON that asks the bridge for {}.", self.name),
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": false,
        })
    }
}

/// The JSON Schema of a field. One name has one type, unless operations differ.
fn type_of(name: &str) -> Value {
    match name {
        "canvas" | "text" | "patch" | "mode" | "form" | "argument" | "before" | "after" | "dialect"
        | "path" | "expr" | "timezone" | "session" | "kind" | "markdown" | "call_id" | "name" | "toolset"
        | "base_revision_id" | "person" | "provider" | "model" | "system" | "prompt" | "method" | "runId"
        | "eventId" | "step" | "reason" | "note" | "format" => json!({"type": "string"}),
        "context" | "limit" | "steps" | "keep_entries" | "older_than" | "seed" | "max_tokens"
        | "max_steps" | "interrupt_after" | "lease_ttl" => json!({"type": "integer", "minimum": 0}),
        "regex" | "unique" | "dryRun" | "partial" | "rebase" | "retake" | "merge_words" | "strict" => {
            json!({"type": "boolean"})
        }
        "pieces" | "chunks" | "hex" => json!({"type": "array", "items": {"type": "string"}}),
        "at" | "components" | "events" | "bodies" | "required" => json!({"type": "array"}),
        "by" | "selection" | "command" | "responses" | "size" => json!({"type": "object"}),
        _ => json!({}),
    }
}

const fn operation(
    name: &'static str,
    fields: &'static [&'static str],
    answer: fn(&mut Documents, &Request<'_>) -> Result<Value, BridgeError>,
) -> Operation {
    Operation { name, fields, answer: Answer::Value(answer) }
}

const fn on_text(
    name: &'static str,
    fields: &'static [&'static str],
    answer: fn(&Request<'_>) -> Result<Value, BridgeError>,
) -> Operation {
    Operation { name, fields, answer: Answer::Text(answer) }
}

/// Functions on plain text, which need no canvas.
pub(super) const TEXT: &[Operation] = &[
    on_text("patch.apply", &["text", "patch", "mode?"], text::apply),
    on_text("patch.preview", &["text", "pieces", "form?", "argument?"], text::preview),
    on_text("patch.build", &["before", "after", "context?"], text::build),
    on_text("markdown.outline", &["text"], text::outline),
    on_text("structure.apply", &["text", "edit", "protected?"], text::restructure),
    on_text("markdown.effects", &["before", "after"], text::effects_of),
    on_text("text.redline", &["before", "after"], text::redline),
    on_text("text.positions", &["text", "at"], text::positions),
    on_text("markdown.resolve", &["text", "address"], text::resolve),
    on_text("text.grep", &["text", "query", "regex?"], text::grep),
];

/// Canvases with their documents.
const DOCUMENTS: &[Operation] = &[
    operation("native.apply", &["text", "dialect", "call", "path?"], |_, request| native::apply(request)),
    operation(
        "native.render",
        &["before", "after", "dialect", "path?", "context?", "unique?"],
        |_, request| native::render(request),
    ),
    operation("engine.policy", &["lease_ttl?", "rebase?", "retake?", "merge_words?"], Documents::set_policy),
    operation("store.open", &["kind", "path?"], Documents::open),
    operation("store.collect", &["canvas?", "keep_entries?", "older_than?"], Documents::collect),
    operation("store.stats", &["canvas?"], |documents, request| documents.stats(request)),
    operation("canvas.create", &["canvas", "markdown", "person?"], Documents::create),
    operation("canvas.mode", &["canvas", "mode", "person?"], Documents::set_mode),
    operation("canvas.text", &["canvas"], |documents, request| documents.text(request)),
    operation(
        "tool.call",
        &[
            "canvas?",
            "session?",
            "call_id",
            "name?",
            "arguments?",
            "toolset?",
            "strict?",
            "dialect?",
            "path?",
        ],
        |documents, request| match request.has("dialect") {
            true => native::call(documents, request),
            false => documents.tool_call(request),
        },
    ),
    operation("tool.list", &["toolset?", "dialect?", "path?"], |documents, request| {
        match request.field::<Option<&str>>("toolset")? {
            Some("native") => native_tools(request),
            _ => documents.tool_list(request),
        }
    }),
    operation("tool.prompt", &["toolset?"], |documents, request| documents.tool_prompt(request)),
    operation("user.edit", &["canvas", "markdown", "base_revision_id?", "person?"], Documents::user_edit),
    operation("user.message", &["canvas", "session?", "person?", "selection?"], Documents::user_message),
    operation("user.cancel", &["canvas", "session?", "person?"], Documents::user_cancel),
    operation("turn.end", &["canvas", "session?"], Documents::turn_end),
    operation("directive.apply", &["canvas", "session?", "directive", "person?"], directives::apply),
    operation("history.list", &["canvas", "after?", "limit?", "by?"], |documents, request| {
        history::list(documents, request)
    }),
    operation("history.undo", &["canvas", "steps?", "by?", "since?", "partial?", "person?"], history::undo),
    operation("history.redo", &["canvas", "steps?", "by?", "person?"], history::redo),
    operation("session.mode", &["canvas", "session?", "mode"], Documents::set_session_mode),
    operation("session.close", &["canvas", "session?"], Documents::close_session),
    operation("proposal.make", &["canvas", "person?", "patch?", "markdown?", "reason?"], proposals::make),
    operation("proposal.list", &["canvas"], |documents, request| proposals::list(documents, request)),
    operation("proposal.text", &["canvas", "owner?"], |documents, request| {
        proposals::text(documents, request)
    }),
    operation(
        "proposal.decide",
        &["canvas", "accept?", "reject?", "edit?", "note?", "seen?", "person?"],
        proposals::decide,
    ),
    operation("proposal.withdraw", &["canvas", "owner", "parts?"], proposals::withdraw),
    operation("proposal.redline", &["canvas", "owner?", "format?"], |documents, request| {
        proposals::redline(documents, request)
    }),
    operation("host.restart", &[], |documents, _| Ok(documents.restart())),
];

#[cfg(feature = "board")]
const BOARD: &[Operation] = &[
    operation("board.create", &["canvas", "grid?"], board::create),
    operation("board.command", &["canvas", "command", "source?", "person?"], board::command),
    operation("board.action", &["canvas", "action", "person?"], board::action),
    Operation { name: "board.get", fields: &["canvas"], answer: Answer::Written(board::get) },
    operation("board.context", &["canvas", "max_tokens?", "timezone?"], |documents, request| {
        board::context(documents, request)
    }),
    operation("board.place", &["canvas", "size", "hints?"], |documents, request| {
        board::place(documents, request)
    }),
    operation("board.registry", &[], |documents, _| Ok(board::registry(documents))),
    operation("board.data", &["source", "query"], |documents, request| board::data(documents, request)),
];

#[cfg(feature = "surface")]
const SURFACE: &[Operation] = &[
    operation("json.canonical", &["value"], |_, request| surface::canonical(request)),
    operation("surface.host", &["tools?", "sessions?", "ceiling?", "seed?"], surface::set_host),
    operation("surface.request", &["method", "params?", "actor", "call_id?", "person?"], surface::request),
    operation("surface.settle", &["eventId", "result?", "error?"], surface::settle),
    operation("surface.poll", &[], surface::poll),
    operation("surface.check", &["spec"], |documents, request| surface::check(documents, request)),
    operation(
        "surface.template",
        &["template", "state?", "input?", "sink?", "schema?", "required?"],
        |documents, request| surface::template(documents, request),
    ),
    operation("surface.file", &["canvas", "path"], |documents, request| surface::file(documents, request)),
    operation("surface.audit", &["canvas", "limit?"], |documents, request| {
        surface::audit(documents, request)
    }),
];

#[cfg(feature = "recipe")]
const RECIPE: &[Operation] = &[
    operation("date.eval", &["expr", "timezone?"], |_, request| recipe::eval(request)),
    operation("ops.apply", &["value", "ops", "timezone?"], |_, request| recipe::apply(request)),
    operation("recipe.record", &["canvas", "recipe", "person?"], replays::record),
    operation("recipe.observe", &["canvas", "session?", "call", "result"], replays::observe),
    operation(
        "recipe.declare",
        &["canvas", "session?", "mappings", "params?", "timezone?", "shown?"],
        replays::declare,
    ),
    operation("recipe.get", &["canvas"], |documents, request| replays::get(documents, request)),
    operation("recipe.data", &["canvas"], |documents, request| replays::data(documents, request)),
    operation("recipe.replay", &["canvas", "timezone?", "components?", "dryRun?"], replays::replay),
    operation("recipe.settle", &["canvas", "step", "result?", "error?"], replays::settle),
    operation("recipe.run", &["canvas", "runId"], |documents, request| replays::run(documents, request)),
    operation("recipe.rerun", &["run", "responses", "recipe"], |documents, request| {
        replays::rerun(documents, request)
    }),
];

#[cfg(feature = "providers")]
const PROVIDERS: &[Operation] = &[
    operation("provider.tools", &["provider", "toolset?", "dialect?", "path?"], |documents, request| {
        providers::tools(documents, request)
    }),
    operation("provider.decode", &["provider", "body", "issuer?", "dialect?"], |_, request| {
        providers::decode(request)
    }),
    operation(
        "provider.request",
        &["provider", "model", "system?", "toolset?", "events", "issuer?", "dialect?", "path?"],
        |documents, request| providers::request(documents, request),
    ),
    operation("provider.replay", &["provider", "body"], |_, request| providers::replay(request)),
    operation(
        "loop.script",
        &["provider", "canvas", "session?", "prompt", "bodies", "max_steps?", "interrupt_after?"],
        providers::script,
    ),
    operation(
        "provider.decode_stream",
        &["provider", "chunks?", "hex?", "issuer?", "dialect?"],
        |_, request| providers::decode_stream(request),
    ),
];

/// All operations that are built in.
pub(super) const OPERATIONS: &[&[Operation]] = &[
    TEXT,
    DOCUMENTS,
    #[cfg(feature = "board")]
    BOARD,
    #[cfg(feature = "surface")]
    SURFACE,
    #[cfg(feature = "recipe")]
    RECIPE,
    #[cfg(feature = "providers")]
    PROVIDERS,
];

/// The feature that is left out and would have an operation of this name.
pub(super) fn feature_of(name: &str) -> Option<&'static str> {
    let mut left_out = FEATURES.iter().filter(|(_, is_built_in, _)| !is_built_in);
    let feature = left_out.find(|(_, _, prefixes)| prefixes.iter().any(|prefix| name.starts_with(prefix)));
    feature.map(|(feature, ..)| *feature)
}

/// Providers declare the tools of their dialects.
#[cfg(not(feature = "providers"))]
fn native_tools(_: &Request<'_>) -> Result<Value, BridgeError> {
    Err(left_out("providers"))
}
