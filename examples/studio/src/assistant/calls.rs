//! The calls of a turn: run through the tools, and shown in the chat.

use std::fmt;
use std::sync::{Arc, Mutex};

use canvas_core::history::{ChangeNumber, Entry, Step};
use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::recipe::StepId;
use canvas_core::store::BoxStore;
use canvas_core::surface::ToolName;
use canvas_core::{CallId, OpKey};
use canvas_tools::directive::{DOCUMENT_EDIT, Directive, DirectiveFailure, apply_directive};
use canvas_tools::{
    CHECK_IN, CHECK_OUT, CallHost, CanvasCalls, ObservedCall, RECORD_RECIPE, REFRESH, SURFACE_TOOL, Session,
    ToolCall, ToolReply, Tools,
};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::watch;

use super::chat::{Content, Icon, Item, Status};
use super::preview;
use super::refused;
use super::seat::{Seat, lock};
use super::transport::Seen;
use crate::host::Host;

/// Entries of the journal among which the change of a call is looked for: others may have written meanwhile.
const LOOKS: usize = 8;

/// Runs the calls of one turn.
pub(super) struct Calls {
    pub(super) host: Arc<Host>,
    pub(super) seat: Arc<Seat>,
    pub(super) tools: Arc<Tools<BoxStore>>,
    pub(super) session: Mutex<Session>,
    pub(super) seen: Arc<Mutex<Seen>>,
    pub(super) stop: watch::Receiver<bool>,
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("seat", &self.seat).finish_non_exhaustive()
    }
}

impl Calls {
    pub(super) fn session(&self) -> Session {
        lock(&self.session).clone()
    }

    /// Waits as the script says, but not for longer than the turn lasts.
    async fn pause(&self) {
        let pause = lock(&self.seen).call_pause;
        let mut stop = self.stop.clone();
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stop.wait_for(|stopped| *stopped) => {}
        }
    }

    /// The text as the model sees it.
    async fn text(&self, session: &Session, now: Timestamp) -> String {
        let snapshot = session.snapshot(&self.host.engine, now).await;
        snapshot.map(|snapshot| snapshot.text().to_owned()).unwrap_or_default()
    }

    /// A directive is done and remembered; the tool, called with the same id after it, finds it done and answers.
    async fn direct(&self, session: &Session, call: &ToolCall, now: Timestamp) {
        let Ok(id) = CallId::new(&call.id) else { return };
        let parsed = Directive::parse(&call.arguments);
        let rationale = call.arguments["rationale"].as_str();
        let result = match parsed {
            Ok(directive) => {
                apply_directive(&self.host.engine, &session.canvas, &session.operation(id), &directive, now)
                    .await
            }
            Err(error) => Err(DirectiveFailure::from(error)),
        };
        self.seat.chat().recent.record(&result, rationale);
    }

    /// A call of a tool of the host, for a recipe of this turn.
    fn observe(&self, session: &mut Session, call: &ToolCall, reply: &ToolReply, now: Timestamp) {
        let (engine, name) = (&self.host.engine, ToolName::new(&call.name));
        let Some(tool) = name.ok().filter(|name| engine.ceiling().tools.contains_key(name)) else { return };
        let Ok(id) = StepId::deserialize(Value::from(call.id.as_str())) else { return };
        let result = reply.body()["result"].clone();
        let call = ObservedCall { id, tool, arguments: call.arguments.clone(), result, now };
        // What is too large is not recorded; a recipe of it is then refused with the reason.
        let _ = session.recorder.observe(call, engine.ceiling(), &engine.policy().recipe);
    }

    /// The change of the document that a call has made, which the person may take back.
    async fn change_of(&self, call: &ToolCall, now: Timestamp) -> Option<ChangeNumber> {
        let newest = self.host.engine.history(&self.seat.canvas, None, LOOKS, now).await.ok()?;
        let is_of = |entry: &Entry| {
            let OpKey { conversation, call: id, .. } = &entry.operation;
            *conversation == self.seat.id && id.as_str() == call.id && matches!(entry.step, Step::Document(_))
        };
        newest.into_iter().find(is_of).map(|entry| entry.change)
    }

    fn show(
        &self,
        call: &ToolCall,
        reply: &ToolReply,
        (before, after): (&str, &str),
        change: Option<ChangeNumber>,
    ) {
        let is_ok = reply.is_ok();
        let (icon, words) = match kind(&call.name) {
            Some((icon, words)) => (directive_icon(call, icon), words),
            // Leases and plans are no news, unless they fail.
            None if is_ok => return,
            None => (Icon::Read, "Lock of the document"),
        };
        let summary = match (is_ok, reply.body()["explanation"].as_str()) {
            (false, _) => refused::sentence(reply.code()).to_owned(),
            (true, Some(explanation)) => explanation.to_owned(),
            (true, None) if reply.body().get("proposed").is_some() => {
                "Proposed a change of the document.".to_owned()
            }
            (true, None) => words.to_owned(),
        };
        let preview =
            match (is_ok, call.arguments["patch"].as_str().or_else(|| call.arguments["diff"].as_str())) {
                (true, _) if before != after => preview::of_texts(before, after),
                (false, Some(diff)) => preview::of_diff(diff),
                _ => Vec::new(),
            };
        self.seat.append(
            &self.host,
            Item::edit(Content::Edit {
                tool: call.name.clone(),
                icon,
                summary,
                preview,
                status: if is_ok { Status::Applied } else { Status::Refused },
                code: reply.code().map(str::to_owned),
                change,
            }),
        );
    }

    fn lease_calls(&self) -> CanvasCalls<BoxStore> {
        CanvasCalls::new(Arc::clone(&self.host.engine), Arc::clone(&self.tools), self.session())
    }
}

/// How a chat shows a tool; `None` for what it does not.
fn kind(tool: &str) -> Option<(Icon, &'static str)> {
    Some(match tool {
        CHECK_OUT | CHECK_IN | "canvas_renew_lease" => return None,
        "canvas_apply_patch" => (Icon::Patch, "Changed the document."),
        "canvas_replace_lines" => (Icon::Replace, "Replaced lines of the document."),
        "canvas_move" => (Icon::Patch, "Moved a part of the document."),
        "canvas_replace_all" => (Icon::Replace, "Replaced all matches of a search."),
        "canvas_edit_table" => (Icon::Patch, "Changed a table."),
        "canvas_set_front_matter" => (Icon::Patch, "Changed the front matter."),
        "canvas_edit_list" => (Icon::Patch, "Changed a list."),
        "canvas_rename_heading" => (Icon::Patch, "Renamed a heading."),
        DOCUMENT_EDIT => (Icon::Patch, "Changed the document."),
        SURFACE_TOOL => (Icon::Surface, "Worked on the surface."),
        RECORD_RECIPE => (Icon::Recipe, "Recorded a recipe of the data."),
        REFRESH => (Icon::Recipe, "Refreshed the data."),
        "create_component" | "modify_component" | "arrange_canvas" | "remove_component"
        | "refresh_component" | "undo" | "redo" | "save_view" | "load_view" => {
            (Icon::Board, "Changed the board.")
        }
        "request_action" => return None,
        "show_canvas" => (Icon::Read, "Read the board."),
        tool if tool.starts_with("canvas_") || tool.starts_with("document_") || tool == "diff_builder" => {
            (Icon::Read, "Read the document.")
        }
        _ => (Icon::Read, "Called a tool of the host."),
    })
}

/// A directive says itself what it does.
fn directive_icon(call: &ToolCall, icon: Icon) -> Icon {
    match (call.name.as_str(), call.arguments["action"].as_str()) {
        (DOCUMENT_EDIT, Some("insert")) => Icon::Insert,
        (DOCUMENT_EDIT, Some("replace")) => Icon::Replace,
        (DOCUMENT_EDIT, Some("annotate")) => Icon::Annotate,
        _ => icon,
    }
}

impl CallHost for Calls {
    async fn call(&self, call: &ToolCall, now: Timestamp) -> ToolReply {
        self.pause().await;
        let mut session = self.session();
        let before = self.text(&session, now).await;
        if call.name == DOCUMENT_EDIT {
            self.direct(&session, call, now).await;
        }
        let reply = self.tools.call(&self.host.engine, &mut session, call, now).await;
        self.observe(&mut session, call, &reply, now);
        self.host.after_reply(&self.seat.canvas, &reply);
        let after = self.text(&session, now).await;
        *lock(&self.session) = session;
        let change = if before == after { None } else { self.change_of(call, now).await };
        self.show(call, &reply, (&before, &after), change);
        if let Some(request) = reply.board().requested.clone() {
            self.seat.append(&self.host, Item::request(request));
        }
        lock(&self.seen).known.replies.push(reply.body().clone());
        reply
    }

    async fn renew(&self, lease: LeaseId, now: Timestamp) -> ToolReply {
        self.lease_calls().renew(lease, now).await
    }

    async fn release(&self, lease: LeaseId, now: Timestamp) -> ToolReply {
        self.lease_calls().release(lease, now).await
    }
}
