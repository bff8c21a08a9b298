//! The whole engine behind one function: JSON in, JSON out.
//!
//! Bindings for other languages wrap [`Bridge::call`]; the `bridge` program reads requests from standard input. The
//! only clock is the `now` of the requests. Everything lives in memory, unless `store.open` comes first.

mod board;
mod data;
mod directives;
mod documents;
mod native;
mod providers;
mod recipe;
mod request;
mod store;
mod surface;
mod text;

use serde_json::{Value, json};

use documents::{Direction, Documents};
use recipe::replays;
use request::{BridgeError, Request};

/// The engine with its canvases.
#[derive(Debug, Default)]
pub struct Bridge {
    documents: Documents,
}

impl Bridge {
    /// A bridge without canvases.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers one request. Whatever it is, the answer is one line of JSON.
    pub fn call(&mut self, request: &str) -> String {
        let parsed: Result<Value, _> = serde_json::from_str(request);
        let (id, result) = match parsed {
            Ok(body) => {
                let id = body.get("id").cloned().unwrap_or(Value::Null);
                (id, self.dispatch(&Request::new(&body)))
            }
            Err(e) => {
                let message = format!("the line is no JSON ({e}): send one JSON object a line");
                (Value::Null, Err(BridgeError::new("BAD_REQUEST", message)))
            }
        };
        match result {
            Ok(result) => format!(r#"{{"id":{id},"ok":true,"result":{result}}}"#),
            Err(error) => json!({"id": id, "ok": false, "error": error.to_json()}).to_string(),
        }
    }

    /// The result, as JSON.
    fn dispatch(&mut self, request: &Request<'_>) -> Result<String, BridgeError> {
        match request.text("op")? {
            "board.get" => board::get(&self.documents, request),
            op => Ok(self.run(op, request)?.to_string()),
        }
    }

    fn run(&mut self, op: &str, request: &Request<'_>) -> Result<Value, BridgeError> {
        match op {
            "patch.apply" => text::apply(request),
            "patch.build" => text::build(request),
            "markdown.outline" => text::outline(request),
            "markdown.resolve" => text::resolve(request),
            "text.grep" => text::grep(request),
            "native.apply" => native::apply(request),
            "native.render" => native::render(request),
            "json.canonical" => text::canonical(request),
            "date.eval" => recipe::eval(request),
            "ops.apply" => recipe::apply(request),
            "recipe.record" => replays::record(&mut self.documents, request),
            "recipe.observe" => replays::observe(&mut self.documents, request),
            "recipe.declare" => replays::declare(&mut self.documents, request),
            "recipe.get" => replays::get(&self.documents, request),
            "recipe.data" => replays::data(&self.documents, request),
            "recipe.replay" => replays::replay(&mut self.documents, request),
            "recipe.settle" => replays::settle(&mut self.documents, request),
            "recipe.run" => replays::run(&self.documents, request),
            "recipe.rerun" => replays::rerun(&self.documents, request),
            "store.open" => self.documents.open(request),
            "store.collect" => self.documents.collect(request),
            "store.stats" => self.documents.stats(request),
            "canvas.create" => self.documents.create(request),
            "canvas.text" => self.documents.text(request),
            "tool.call" if request.has("dialect") => native::call(&mut self.documents, request),
            "tool.call" => self.documents.tool_call(request),
            "tool.list" if request.field::<Option<&str>>("toolset")? == Some("native") => {
                native::list(request)
            }
            "tool.list" => self.documents.tool_list(request),
            "user.edit" => self.documents.user_edit(request),
            "user.message" => self.documents.user_message(request),
            "user.cancel" => self.documents.user_cancel(request),
            "turn.end" => self.documents.turn_end(request),
            "directive.apply" => directives::apply(&mut self.documents, request),
            "history.undo" => self.documents.replay_history(request, Direction::Undo),
            "history.redo" => self.documents.replay_history(request, Direction::Redo),
            "board.create" => board::create(&mut self.documents, request),
            "board.command" => board::command(&mut self.documents, request),
            "board.action" => board::action(&mut self.documents, request),
            "board.context" => board::context(&self.documents, request),
            "board.place" => board::place(&self.documents, request),
            "board.registry" => Ok(board::registry(&self.documents)),
            "board.data" => board::data(&self.documents, request),
            "surface.host" => surface::set_host(&mut self.documents, request),
            "surface.request" => surface::request(&mut self.documents, request),
            "surface.settle" => surface::settle(&mut self.documents, request),
            "surface.poll" => surface::poll(&mut self.documents, request),
            "surface.check" => surface::check(&self.documents, request),
            "surface.template" => surface::template(&self.documents, request),
            "surface.file" => surface::file(&self.documents, request),
            "surface.audit" => surface::audit(&self.documents, request),
            "host.restart" => Ok(surface::restart(&mut self.documents)),
            "provider.tools" => providers::tools(&self.documents, request),
            "provider.decode" => providers::decode(request),
            "provider.request" => providers::request(&self.documents, request),
            "provider.replay" => providers::replay(request),
            "loop.script" => providers::script(&mut self.documents, request),
            "provider.decode_stream" => providers::decode_stream(request),
            op => {
                let message = format!("there is no operation {op:?}: see the table of operations");
                Err(BridgeError::new("BAD_REQUEST", message))
            }
        }
    }
}

fn not_supported(what: &str) -> BridgeError {
    BridgeError::new("NOT_SUPPORTED", format!("{what} is not built yet: leave it out"))
}
