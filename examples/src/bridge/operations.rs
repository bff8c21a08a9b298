//! The operations: the fields that a request of each may have, and the function that answers it.

use std::pin::Pin;

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
use super::{directives, history, native, proposals, text, versions};

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
    /// JSON that may wait for the store.
    Stored(for<'a> fn(&'a mut Documents, &'a Request<'_>) -> Answering<'a>),
}

type Answering<'a> = Pin<Box<dyn Future<Output = Result<String, BridgeError>> + 'a>>;

/// The function of an operation that returns a value and may wait for the store.
macro_rules! awaiting {
    ($answer:path) => {
        |documents, request| {
            Box::pin(async move { $answer(documents, request).await.map(|answer| answer.to_string()) })
        }
    };
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

const fn stored(
    name: &'static str,
    fields: &'static [&'static str],
    answer: for<'a> fn(&'a mut Documents, &'a Request<'_>) -> Answering<'a>,
) -> Operation {
    Operation { name, fields, answer: Answer::Stored(answer) }
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
    stored("store.collect", &["canvas?", "keep_entries?", "older_than?"], awaiting!(Documents::collect)),
    stored("store.stats", &["canvas?"], awaiting!(Documents::stats)),
    stored("canvas.create", &["canvas", "markdown", "person?"], awaiting!(Documents::create)),
    stored("canvas.mode", &["canvas", "mode", "person?"], awaiting!(Documents::set_mode)),
    stored("canvas.text", &["canvas"], awaiting!(Documents::text)),
    stored("canvas.version", &["canvas"], awaiting!(Documents::version)),
    stored(
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
        awaiting!(tool_call),
    ),
    operation("tool.list", &["toolset?", "dialect?", "path?"], |documents, request| {
        match request.field::<Option<&str>>("toolset")? {
            Some("native") => native_tools(request),
            _ => documents.tool_list(request),
        }
    }),
    operation("tool.prompt", &["toolset?"], |documents, request| documents.tool_prompt(request)),
    stored(
        "user.edit",
        &["canvas", "markdown", "base_revision_id?", "person?"],
        awaiting!(Documents::user_edit),
    ),
    stored(
        "user.message",
        &["canvas", "session?", "person?", "selection?"],
        awaiting!(Documents::user_message),
    ),
    stored("user.cancel", &["canvas", "session?", "person?"], awaiting!(Documents::user_cancel)),
    stored("turn.end", &["canvas", "session?"], awaiting!(Documents::turn_end)),
    stored("directive.apply", &["canvas", "session?", "directive", "person?"], awaiting!(directives::apply)),
    stored("history.list", &["canvas", "after?", "limit?", "by?"], awaiting!(history::list)),
    stored("history.blame", &["canvas", "start_line?", "end_line?"], awaiting!(history::blame)),
    stored("history.text_at", &["canvas", "revision?", "version?"], awaiting!(history::text_at)),
    stored("history.diff", &["canvas", "from", "to"], awaiting!(history::diff)),
    stored(
        "history.undo",
        &["canvas", "steps?", "by?", "since?", "partial?", "person?"],
        awaiting!(history::undo),
    ),
    stored("history.redo", &["canvas", "steps?", "by?", "person?"], awaiting!(history::redo)),
    stored(
        "version.create",
        &["canvas", "label", "revision?", "note?", "person?"],
        awaiting!(versions::create),
    ),
    stored("version.list", &["canvas", "person?"], awaiting!(versions::list)),
    stored("version.remove", &["canvas", "label", "person?"], awaiting!(versions::remove)),
    stored("version.rename", &["canvas", "label", "to", "person?"], awaiting!(versions::rename)),
    stored(
        "version.restore",
        &["canvas", "version?", "revision?", "faces?", "person?"],
        awaiting!(versions::restore),
    ),
    stored("session.mode", &["canvas", "session?", "mode"], awaiting!(Documents::set_session_mode)),
    stored("session.close", &["canvas", "session?"], awaiting!(Documents::close_session)),
    stored(
        "proposal.make",
        &["canvas", "person?", "patch?", "markdown?", "reason?"],
        awaiting!(proposals::make),
    ),
    stored("proposal.list", &["canvas"], awaiting!(proposals::list)),
    stored("proposal.text", &["canvas", "owner?"], awaiting!(proposals::text)),
    stored(
        "proposal.decide",
        &["canvas", "accept?", "reject?", "edit?", "note?", "seen?", "person?"],
        awaiting!(proposals::decide),
    ),
    stored("proposal.withdraw", &["canvas", "owner", "parts?"], awaiting!(proposals::withdraw)),
    stored("proposal.redline", &["canvas", "owner?", "format?"], awaiting!(proposals::redline)),
    operation("host.restart", &[], |documents, _| Ok(documents.restart())),
];

#[cfg(feature = "board")]
const BOARD: &[Operation] = &[
    stored("board.create", &["canvas", "grid?"], awaiting!(board::create)),
    stored("board.command", &["canvas", "command", "source?", "person?"], awaiting!(board::command)),
    stored("board.action", &["canvas", "action", "person?"], awaiting!(board::action)),
    stored("board.get", &["canvas"], |documents, request| Box::pin(board::get(documents, request))),
    stored("board.context", &["canvas", "max_tokens?", "timezone?"], awaiting!(board::context)),
    stored("board.place", &["canvas", "size", "hints?"], awaiting!(board::place)),
    operation("board.registry", &[], |documents, _| Ok(board::registry(documents))),
    operation("board.data", &["source", "query"], |documents, request| board::data(documents, request)),
];

#[cfg(feature = "surface")]
const SURFACE: &[Operation] = &[
    operation("json.canonical", &["value"], |_, request| surface::canonical(request)),
    stored("surface.host", &["tools?", "sessions?", "ceiling?", "seed?"], awaiting!(surface::set_host)),
    stored(
        "surface.request",
        &["method", "params?", "actor", "call_id?", "person?"],
        awaiting!(surface::request),
    ),
    stored("surface.settle", &["eventId", "result?", "error?"], awaiting!(surface::settle)),
    stored("surface.poll", &[], awaiting!(surface::poll)),
    operation("surface.check", &["spec"], |documents, request| surface::check(documents, request)),
    operation(
        "surface.template",
        &["template", "state?", "input?", "sink?", "schema?", "required?"],
        |documents, request| surface::template(documents, request),
    ),
    stored("surface.file", &["canvas", "path"], awaiting!(surface::file)),
    stored("surface.audit", &["canvas", "limit?"], awaiting!(surface::audit)),
];

#[cfg(feature = "recipe")]
const RECIPE: &[Operation] = &[
    operation("date.eval", &["expr", "timezone?"], |_, request| recipe::eval(request)),
    operation("ops.apply", &["value", "ops", "timezone?"], |_, request| recipe::apply(request)),
    stored("recipe.record", &["canvas", "recipe", "person?"], awaiting!(replays::record)),
    operation("recipe.observe", &["canvas", "session?", "call", "result"], replays::observe),
    stored(
        "recipe.declare",
        &["canvas", "session?", "mappings", "params?", "timezone?", "shown?"],
        awaiting!(replays::declare),
    ),
    stored("recipe.get", &["canvas"], awaiting!(replays::get)),
    stored("recipe.data", &["canvas"], awaiting!(replays::data)),
    stored("recipe.replay", &["canvas", "timezone?", "components?", "dryRun?"], awaiting!(replays::replay)),
    stored("recipe.settle", &["canvas", "step", "result?", "error?"], awaiting!(replays::settle)),
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
    stored(
        "loop.script",
        &["provider", "canvas", "session?", "prompt", "bodies", "max_steps?", "interrupt_after?"],
        awaiting!(providers::script),
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

/// A model's call of a tool of the engine or of a dialect.
async fn tool_call(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    match request.has("dialect") {
        true => native::call(documents, request).await,
        false => documents.tool_call(request).await,
    }
}

/// Providers declare the tools of their dialects.
#[cfg(not(feature = "providers"))]
fn native_tools(_: &Request<'_>) -> Result<Value, BridgeError> {
    Err(left_out("providers"))
}
