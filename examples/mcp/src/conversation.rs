//! Conversations with models, and what each has seen.
//!
//! * A connection with a lifecycle (standard input, a session of HTTP) is one conversation.
//! * Requests of HTTP without a session have no lifecycle. Each check-out begins a conversation, whose calls name its
//!   lease, so that two clients of one name are two; what names no lease belongs to the conversation of the client's name.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError, Weak};

use canvas_core::document::Changes;
use canvas_core::lease::LeaseId;
use canvas_core::proposal::RejectedLines;
use canvas_core::text::build;
use canvas_core::{Blob, CanvasId, ConversationId, Face, Revision, RevisionId, Snapshot};
use canvas_tools::{Session, SessionMode};
use tokio::sync::Mutex;

/// A conversation that calls share: one runs at a time.
pub(crate) type Shared = Arc<Mutex<Conversation>>;

/// One conversation with a model.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) id: ConversationId,
    /// Whether its edits wait for a decision.
    pub(crate) mode: SessionMode,
    /// What it knows of each canvas.
    pub(crate) seats: HashMap<CanvasId, Seat>,
    /// The canvas of its last call, which a page shows that names none.
    pub(crate) last: Option<CanvasId>,
}

/// A conversation at a canvas.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) session: Session,
    /// The lease that it holds, as far as its replies say.
    pub(crate) lease: Option<LeaseId>,
    /// What it was told; `None` before its first call.
    pub(crate) told: Option<Told>,
    /// Whether this process saw a turn of the conversation here.
    pub(crate) had_turn: bool,
    /// The revision of the proposals after its last call.
    pub(crate) proposals: Revision,
    /// Rejections that its next reply tells.
    pub(crate) rejected: Vec<RejectedLines>,
}

/// A state of a canvas that a model was told of.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) document: Blob,
    pub(crate) revision: RevisionId,
    pub(crate) board: Revision,
}

/// Bytes of a diff from which on the whole text takes its place, where that is shorter.
const DIFF_BYTES: usize = 32 << 10;

impl Conversation {
    pub(crate) fn new(id: ConversationId, mode: SessionMode) -> Self {
        Self { id, mode, seats: HashMap::new(), last: None }
    }

    /// The seat at a canvas, in the turn that runs there.
    pub(crate) fn seat(&mut self, canvas: &CanvasId, now: Option<&Snapshot>) -> &mut Seat {
        let (id, mode) = (&self.id, &self.mode);
        let seat = self.seats.entry(canvas.clone()).or_insert_with(|| {
            let session = Session { mode: mode.clone(), ..Session::new(canvas.clone(), id.clone()) };
            let (proposals, rejected) = (Revision::ZERO, Vec::new());
            Seat { session, lease: None, told: None, had_turn: false, proposals, rejected }
        });
        if let Some(snapshot) = now {
            seat.follow(snapshot);
        }
        seat
    }
}

impl Seat {
    /// Enters the turn that runs on the canvas.
    pub(crate) fn follow(&mut self, snapshot: &Snapshot) {
        let id = &self.session.conversation;
        self.session.turn = snapshot.head.lock_of(id).turn();
        self.session.start = snapshot.head.turn_start_of(id);
        self.had_turn |= snapshot.head.lock_of(id).is_turn_open();
    }

    /// Whether edits wait for a decision.
    pub(crate) fn proposes(&self) -> bool {
        !self.session.mode.is_direct()
    }

    /// How the document differs from what the model was told; `None` where it does not, or where it was told nothing yet.
    pub(crate) fn unseen(&self, snapshot: &Snapshot) -> Option<Changes> {
        let told = self.told.as_ref()?;
        if told.document.id() == snapshot.document.id() {
            return None;
        }
        let diff = build(told.document.as_text().unwrap_or_default(), snapshot.text(), 3);
        let is_long = diff.len() > DIFF_BYTES && diff.len() > snapshot.text().len();
        let whole = is_long.then(|| snapshot.text().to_owned());
        let (from, to) = (Some(told.revision), snapshot.revision_id());
        Some(Changes { from, to, diff: (!is_long).then_some(diff), whole, headings: None })
    }
}

/// What one conversation was told, the other counts as told: both are with one client.
pub(crate) async fn inherit(from: &Shared, to: &Shared) {
    if Arc::ptr_eq(from, to) {
        return;
    }
    let told: Vec<_> = {
        let from = from.lock().await;
        from.seats.iter().filter_map(|(canvas, seat)| Some((canvas.clone(), seat.told.clone()?))).collect()
    };
    let mut to = to.lock().await;
    for (canvas, told) in told {
        let seat = to.seat(&canvas, None);
        seat.told = Some(match seat.told.take() {
            Some(known) => known.newest(told),
            None => told,
        });
    }
}

impl Told {
    /// The newer document and the newer board of two states.
    fn newest(self, other: Self) -> Self {
        let board = self.board.max(other.board);
        let is_newer = self.revision.revision() < other.revision.revision();
        Self { board, ..if is_newer { other } else { self } }
    }

    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        Self {
            document: snapshot.document.clone(),
            revision: snapshot.revision_id(),
            board: snapshot.head.face_revision(Face::Board),
        }
    }
}

/// The conversations of a process.
#[derive(Debug)]
pub(crate) struct Conversations {
    mode: SessionMode,
    index: SyncMutex<Index>,
}

#[derive(Debug, Default)]
struct Index {
    /// All that there are, to give their leases back at the end.
    all: Vec<Weak<Mutex<Conversation>>>,
    /// Of clients without a lifecycle, by their names; the oldest first.
    clients: VecDeque<(String, Shared)>,
    /// Of clients without a lifecycle, by the leases that they were given; the oldest first.
    leases: VecDeque<(String, Shared)>,
}

/// Clients without a lifecycle that are remembered, and leases of them.
const MOST: usize = 512;

impl Conversations {
    /// All of one mode.
    pub(crate) fn new(mode: SessionMode) -> Self {
        Self { mode, index: SyncMutex::default() }
    }

    /// A new one, of a connection with a lifecycle.
    pub(crate) fn open(&self, id: ConversationId) -> Shared {
        let shared = Arc::new(Mutex::new(Conversation::new(id, self.mode.clone())));
        let mut index = self.index();
        index.all.retain(|one| one.strong_count() > 0);
        index.all.push(Arc::downgrade(&shared));
        shared
    }

    /// The conversation of a client without a lifecycle, for what names no lease.
    pub(crate) fn of_client(&self, client: &str, id: impl FnOnce() -> ConversationId) -> Shared {
        if let Some((_, shared)) = self.index().clients.iter().find(|(name, _)| name == client) {
            return Arc::clone(shared);
        }
        let shared = self.open(id());
        remember(&mut self.index().clients, client.to_owned(), &shared);
        shared
    }

    /// The conversation that was given a lease.
    pub(crate) fn of_lease(&self, lease: &str) -> Option<Shared> {
        self.index().leases.iter().rev().find(|(id, _)| id == lease).map(|(_, shared)| Arc::clone(shared))
    }

    /// A conversation without a lifecycle has this lease.
    pub(crate) fn give(&self, lease: String, to: &Shared) {
        remember(&mut self.index().leases, lease, to);
    }

    /// All that there are.
    pub(crate) fn all(&self) -> Vec<Shared> {
        self.index().all.iter().filter_map(Weak::upgrade).collect()
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remember(known: &mut VecDeque<(String, Shared)>, name: String, shared: &Shared) {
    if known.len() >= MOST {
        known.pop_front();
    }
    known.push_back((name, Arc::clone(shared)));
}
