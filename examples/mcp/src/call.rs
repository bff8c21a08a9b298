//! A model's call, from its arguments to what the model reads.
//!
//! * The session follows the turn that runs: a client tells its servers of no turns.
//! * What changed since the model was told anything comes with the reply, unless the reply shows it itself.
//! * A check-in ends the turn, and so does an edit that took no lease: the draft is promoted. An edit that is proposed
//!   changes no draft.
//! * A turn that a person has ended begins again by a call, after a pause.

use std::sync::Arc;

use canvas_core::document::{Look, Shown};
use canvas_core::lease::CheckIn;
use canvas_core::proposal::{Owner, Proposing};
use canvas_core::turn::WorkMode;
use canvas_core::{CanvasId, EngineError, Face, Snapshot};
use canvas_tools::directive::DOCUMENT_EDIT;
use canvas_tools::{CHECK_IN, LeaseChange, ToolCall, ToolReply, hidden_message, rejected_message};
use serde_json::{Map, Value, json};

use crate::clock;
use crate::conversation::{Conversation, Seat, Shared, Told};
use crate::files::named_in;
use crate::host::Host;
use crate::log;
use crate::promote::Ending;
use crate::toolbox::Toolbox;
use crate::uri::{CanvasUri, Part};

/// Tools that read without a lease, of which the canvas keeps no trace.
const READS: [&str; 2] = ["canvas_outline", "canvas_read_section"];

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) reply: ToolReply,
    /// What changed since the model was told anything.
    pub(crate) hidden: Option<String>,
}

/// A call's tool and arguments.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
}

impl Outcome {
    pub(crate) fn of(reply: ToolReply) -> Self {
        Self { reply, hidden: None }
    }
}

impl Host {
    /// Runs a call of a model.
    pub(crate) async fn call(&self, shared: &Shared, toolbox: &Toolbox, request: Request) -> Outcome {
        let Request { name, mut arguments } = request;
        let (canvas, own) = match self.canvas_of_call(toolbox, &name, &mut arguments).await {
            Ok(found) => found,
            Err(error) => return Outcome::of(failed(error)),
        };
        let toolbox = own.as_deref().unwrap_or(toolbox);
        let mut conversation = shared.lock().await;
        // A check-in joins what was saved meanwhile, and writes both.
        if (name != CHECK_IN || !self.is_open(&canvas))
            && let Err(error) = self.look(&canvas).await
        {
            return Outcome::of(failed(error.to_json()));
        }
        conversation.last = Some(canvas.clone());
        let seat = conversation.seat(&canvas, None);
        let mut before = self.seen_by(seat).await.ok();
        if let Some(snapshot) = &before
            && toolbox.is_board(&name)
            && snapshot.head.board().is_none()
            && let Err(error) = self.make_board(&canvas).await
        {
            log::line(format_args!("the board of {canvas}: {error}"));
        }
        if let Some(snapshot) = &before {
            seat.follow(snapshot);
            if self.hear_decisions(&canvas, seat, snapshot).await {
                before = self.seen_by(seat).await.ok();
            }
        }
        // A lease that was taken anew has another name than the one that the model knows.
        if name == CHECK_IN
            && let (Some(own), Some(sent)) = (seat.lease, arguments.get_mut("lease_id"))
            && sent.is_string()
        {
            *sent = own.to_string().into();
        }
        let mut call = ToolCall { id: self.names.call().to_string(), name, arguments: arguments.into() };
        let mut reply = self.run(toolbox, seat, &call).await;
        if is_over(&reply)
            && let Some(snapshot) = &before
            && self.may_begin(&canvas, snapshot, seat)
        {
            // The check-out tells what changed.
            self.begin_again(&canvas, seat).await;
            call.id = self.names.call().to_string();
            reply = self.run(toolbox, seat, &call).await;
        }
        let reply = self.settle((&canvas, before.as_ref()), seat, (toolbox, &call.name), reply).await;
        if READS.contains(&call.name.as_str()) && reply.is_ok() {
            self.has_read(&canvas, seat).await;
        }
        let hidden = self.tell(&canvas, seat, before.as_ref(), &reply).await;
        let hidden = match (self.notices.take(), hidden) {
            (Some(notice), Some(hidden)) => Some(format!("{notice}\n\n{hidden}")),
            (notice, hidden) => notice.or(hidden),
        };
        let rejected = rejected_message(&std::mem::take(&mut seat.rejected));
        let hidden = match (hidden, rejected) {
            (Some(hidden), Some(rejected)) => Some(format!("{hidden}\n{rejected}")),
            (hidden, rejected) => hidden.or(rejected),
        };
        Outcome { reply, hidden }
    }

    /// The canvas as a conversation sees it, which is with its proposal if it proposes.
    pub(crate) async fn seen_by(&self, seat: &Seat) -> Result<Snapshot, EngineError> {
        seat.session.snapshot(&self.engine, clock::now()).await
    }

    /// Takes the rejections of which a conversation does not know. A decision of a person is a message to it, which begins a
    /// turn. False if there is nothing to take.
    async fn hear_decisions(&self, canvas: &CanvasId, seat: &mut Seat, now: &Snapshot) -> bool {
        let revision = now.head.face_revision(Face::Proposals);
        if !seat.proposes() || revision <= seat.proposals || !self.may_begin(canvas, now, seat) {
            return false;
        }
        let owner = Owner::Conversation(seat.session.conversation.clone());
        let open = self.engine.proposals(canvas, clock::now()).await;
        let has_news = open.is_ok_and(|(open, _)| open.has_untold(&owner));
        if has_news {
            self.begin_again(canvas, seat).await;
        }
        has_news
    }

    /// Begins a turn of a conversation by itself.
    async fn begin_again(&self, canvas: &CanvasId, seat: &mut Seat) {
        match self.promote(canvas, Ending::Begin(&mut seat.session)).await {
            Ok(begun) => seat.rejected.extend(begun.rejected),
            Err(error) => log::line(format_args!("the turn at {canvas} does not begin: {error}")),
        }
    }

    /// The canvas that a call is about, and the tools in the words of its file. The tools of this crate's toolsets name no
    /// canvas, so it is taken out of the arguments.
    async fn canvas_of_call(
        &self,
        toolbox: &Toolbox,
        name: &str,
        arguments: &mut Map<String, Value>,
    ) -> Result<(CanvasId, Option<Arc<Toolbox>>), Value> {
        if toolbox.takes_canvas(name) {
            return Ok((self.take_canvas(arguments).await?, None));
        }
        if !toolbox.is_native(name) || !self.files.are_several() {
            return Ok((self.first.clone(), None));
        }
        let labels = self.documents().await.map_err(|error| error.to_json())?;
        let Some(label) = named_in(&labels, arguments) else {
            return Ok((self.take_canvas(&mut Map::new()).await?, None));
        };
        let canvas = self.canvas_named("document", &label).await?;
        Ok((canvas, Some(self.toolboxes.of_file(toolbox.dialect, label))))
    }

    fn is_open(&self, canvas: &CanvasId) -> bool {
        self.files.of(canvas).is_some_and(|file| file.agreed.initialized())
    }

    async fn run(&self, toolbox: &Toolbox, seat: &mut Seat, call: &ToolCall) -> ToolReply {
        toolbox.tools.call(&self.engine, &mut seat.session, call, clock::now()).await
    }

    /// What was read without a lease was read too: a conversation that knew nothing of the canvas has seen it as it is.
    async fn has_read(&self, canvas: &CanvasId, seat: &Seat) {
        let snapshot = self.seen_by(seat).await;
        if snapshot.is_ok_and(|snapshot| !snapshot.head.has_seen(&seat.session.conversation)) {
            self.mark_seen(canvas, seat).await;
        }
    }

    async fn mark_seen(&self, canvas: &CanvasId, seat: &Seat) {
        let (key, now) = (seat.session.operation(self.names.call()), clock::now());
        let look = Look { shown: Shown::default() };
        if seat.proposes() {
            drop(self.engine.call(canvas, &key, Proposing(look), now).await);
        } else {
            drop(self.engine.call(canvas, &key, look, now).await);
        }
    }

    /// A client has read a resource, and gives it to its model.
    pub(crate) async fn has_read_resource(&self, shared: &Shared, uri: &str) {
        let Some(CanvasUri { canvas, part: Part::Document }) = CanvasUri::parse(uri) else { return };
        let mut conversation = shared.lock().await;
        let seat = conversation.seat(&canvas, None);
        let Ok(snapshot) = self.seen_by(seat).await else { return };
        seat.follow(&snapshot);
        self.has_read(&canvas, seat).await;
        seat.told.get_or_insert_with(|| Told::of(&snapshot));
    }

    /// Follows what became of the lease, and promotes where the turn is over.
    async fn settle(
        &self,
        (canvas, before): (&CanvasId, Option<&Snapshot>),
        seat: &mut Seat,
        (toolbox, name): (&Toolbox, &str),
        reply: ToolReply,
    ) -> ToolReply {
        let mut ends = false;
        match reply.lease_change() {
            LeaseChange::Acquired(term) | LeaseChange::Replaced(_, term) => seat.lease = Some(term.lease_id),
            LeaseChange::Released(lease) => {
                seat.lease = seat.lease.filter(|own| *own != lease);
                ends = true;
            }
            LeaseChange::Lost(lease) => seat.lease = seat.lease.filter(|own| *own != lease),
            LeaseChange::Extended(_) | LeaseChange::None => {}
        }
        // An edit that takes no lease is refused while somebody has one, so that what it ends is its own.
        let has_no_lease = before
            .is_some_and(|before| before.head.work_mode() == WorkMode::Collaborative && seat.lease.is_none());
        let is_edit = toolbox.is_native(name) || name == DOCUMENT_EDIT || has_no_lease;
        if is_edit
            && !seat.proposes()
            && !ends
            && reply.is_ok()
            && let Some(before) = before
            && let Ok(now) = self.engine.snapshot(canvas, clock::now()).await
        {
            ends = now.head.document() != before.head.document();
        }
        if !ends {
            return reply;
        }
        match self.promote(canvas, Ending::End(&mut seat.session)).await {
            Ok(_) => reply,
            Err(error) => {
                let mut body = json!({"ok": false, "error": error.to_json()});
                if let Some(revision) = reply.revision_id() {
                    body["revision_id"] = revision.into();
                }
                ToolReply::new(body).with_lease_change(reply.lease_change())
            }
        }
    }

    /// What the model does not know yet, and is shown beside its reply.
    async fn tell(
        &self,
        canvas: &CanvasId,
        seat: &mut Seat,
        before: Option<&Snapshot>,
        reply: &ToolReply,
    ) -> Option<String> {
        let before = before?;
        let after = self.seen_by(seat).await.ok()?;
        seat.proposals = after.head.face_revision(Face::Proposals);
        let shows = shows_changes(reply);
        let mut hidden = None;
        if !shows {
            hidden = seat.unseen(before).as_ref().and_then(hidden_message);
        }
        let board = self.board_changes(canvas, seat, before).await;
        // What others did between this call and now is told with the next one.
        let is_own = reply.is_ok() && reply.revision_id() == Some(&after.revision_id().to_string());
        let is_same = before.head.document() == after.head.document();
        if is_own || is_same || shows {
            seat.told = Some(Told::of(&after));
            if hidden.is_some() && !after.head.has_seen(&seat.session.conversation) {
                self.mark_seen(canvas, seat).await;
            }
        } else {
            seat.told = Some(Told { board: after.head.face_revision(Face::Board), ..Told::of(before) });
        }
        match (hidden, board) {
            (Some(document), Some(board)) => Some(format!("{document}\n\n{board}")),
            (one, other) => one.or(other),
        }
    }

    /// The client of a conversation has gone: its leases are given back, and what it wrote under them is promoted as at a
    /// check-in.
    pub(crate) async fn leave(&self, shared: &Shared) {
        let mut conversation = shared.lock().await;
        let Conversation { seats, .. } = &mut *conversation;
        for (canvas, seat) in seats {
            let Some(lease) = seat.lease.take() else { continue };
            let key = seat.session.operation(self.names.call());
            let given = CheckIn { lease: Some(lease) };
            match self.engine.call(canvas, &key, given, clock::now()).await {
                // Where a person has taken the lease, the draft stays one.
                Ok(answered) if answered.result.is_ok() => {
                    if let Err(error) = self.promote(canvas, Ending::End(&mut seat.session)).await {
                        log::line(format_args!("the draft of {canvas} is kept: {error}"));
                    }
                }
                Ok(_) => {}
                Err(error) => log::line(format_args!("the lease of {canvas} ends by itself: {error}")),
            }
        }
    }

    /// The process ends: all leases are given back.
    pub async fn leave_all(&self) {
        for shared in self.conversations.all() {
            self.leave(&shared).await;
        }
    }
}

/// Whether the user has ended the turn.
fn is_over(reply: &ToolReply) -> bool {
    reply.body().pointer("/error/reason").and_then(Value::as_str) == Some("USER_ACTIVE")
}

/// Whether a reply has the changes in it.
fn shows_changes(reply: &ToolReply) -> bool {
    ["/error/changes", "/changes"].into_iter().any(|place| {
        let changes = reply.body().pointer(place);
        changes.is_some_and(|changes| changes["diff"].is_string() || changes["whole"].is_string())
    })
}

/// The reply of a call that has an error alone.
fn failed(error: Value) -> ToolReply {
    ToolReply::new(json!({"ok": false, "error": error}))
}
