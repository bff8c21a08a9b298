//! A small world: one canvas in a memory store behind a spy, and a clock that only the test moves.

use std::collections::{BTreeSet, VecDeque};
use std::future::{Ready, ready};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::any::{Answered, Call, Command, Outcome, dynamic};
use canvas_core::document::{ApplyPatch, Edit};
use canvas_core::lease::{CheckOut, CheckedOut, LeaseId, Timestamp, Turn};
use canvas_core::store::{
    Capabilities, Collected, Commit, Committed, Head, Layer, Loaded, MemoryStore, Store, StoreError,
    StoreErrorKind, TurnStart, Version,
};
use canvas_core::testing::block_on;
use canvas_core::turn::EndTurn;
use canvas_core::{
    Blob, BlobId, CallId, CanvasId, ConversationId, Engine, EngineError, OpKey, Policy, RevisionId, Snapshot,
};

/// When a world begins.
pub(crate) const START: u64 = 1_000;

pub(crate) struct World {
    pub(crate) engine: Engine<Spy>,
    pub(crate) canvas: CanvasId,
    /// The store's clock.
    pub(crate) clock: Clock,
    /// Milliseconds by which the host's clock is ahead of the store's.
    pub(crate) ahead: AtomicU64,
    calls: AtomicU64,
}

#[derive(Clone)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    pub(crate) fn get(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }

    pub(crate) fn wait(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

/// Drops what is not kept, whatever its age.
pub(crate) fn collect(store: &impl Store, canvas: &CanvasId, keep: &BTreeSet<BlobId>) {
    let at = block_on(store.load(canvas)).unwrap().unwrap().version;
    let collected = block_on(store.collect(canvas, keep, Duration::ZERO, &at)).unwrap();
    assert!(matches!(collected, Collected::Done { .. }));
}

impl World {
    /// A canvas with this document.
    pub(crate) fn new(markdown: &str) -> Self {
        Self::with(markdown, Policy::default())
    }

    pub(crate) fn with(markdown: &str, policy: Policy) -> Self {
        let world = Self::empty(policy);
        block_on(world.engine.create(&world.canvas, markdown, &key("model", 0, "create"), world.now()))
            .unwrap();
        world
    }

    /// No canvas yet.
    pub(crate) fn empty(policy: Policy) -> Self {
        let clock = Clock(Arc::new(AtomicU64::new(START)));
        let shared = clock.clone();
        let store = Spy::new(MemoryStore::new(move || shared.get()));
        Self {
            engine: Engine::new(store, policy),
            canvas: canvas("c"),
            clock,
            ahead: AtomicU64::new(0),
            calls: AtomicU64::new(0),
        }
    }

    /// Another server on the same data and clock, with a spy of its own.
    pub(crate) fn peer(&self) -> Self {
        self.peer_with(*self.engine.policy())
    }

    /// Another server of another policy.
    pub(crate) fn peer_with(&self, policy: Policy) -> Self {
        Self {
            engine: Engine::new(Spy::new(self.engine.store().inner.clone()), policy),
            canvas: self.canvas.clone(),
            clock: self.clock.clone(),
            ahead: AtomicU64::new(0),
            // Its own call ids.
            calls: AtomicU64::new(self.calls.fetch_add(1_000_000, Ordering::Relaxed) + 500_000),
        }
    }

    /// The host's clock.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.get().as_millis() + self.ahead.load(Ordering::Relaxed))
    }

    pub(crate) fn spy(&self) -> &Spy {
        self.engine.store()
    }

    /// A new call in the turn that runs.
    pub(crate) fn fresh(&self, who: &str, command: impl Into<Command>) -> Call {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        Call {
            operation: key(who, self.head().lock().turn().get(), &format!("call-{call}")),
            command: command.into(),
        }
    }

    pub(crate) fn try_run(&self, call: &Call) -> Result<Answered, EngineError> {
        call.run(&self.engine, &self.canvas, self.now())
    }

    #[track_caller]
    pub(crate) fn run(&self, call: &Call) -> Answered {
        self.try_run(call).unwrap_or_else(|e| panic!("{call:?}: {e}"))
    }

    #[track_caller]
    pub(crate) fn ask(&self, who: &str, command: impl Into<Command>) -> Outcome {
        self.run(&self.fresh(who, command)).outcome
    }

    #[track_caller]
    pub(crate) fn check_out(&self, who: &str) -> LeaseId {
        match self.ask(who, CheckOut) {
            Outcome::CheckedOut(CheckedOut { lease, .. }) => lease,
            other => panic!("{who} gets no lease: {other:?}"),
        }
    }

    /// Replaces one line, or puts one after another, with the base left out.
    #[track_caller]
    pub(crate) fn write(&self, who: &str, lease: LeaseId, change: &str) -> Outcome {
        self.ask(who, apply(lease, change))
    }

    #[track_caller]
    pub(crate) fn edit(&self, markdown: &str) -> Outcome {
        self.ask("user", Edit::overwrite(markdown))
    }

    /// What the engine says without being asked a question, through a peer so that no cache hides anything.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let peer = Engine::new(self.engine.store().inner.clone(), *self.engine.policy());
        block_on(peer.snapshot(&self.canvas, self.clock.get())).unwrap()
    }

    pub(crate) fn head(&self) -> Arc<Head> {
        self.loaded().head
    }

    pub(crate) fn loaded(&self) -> Loaded {
        block_on(self.spy().inner.load(&self.canvas)).unwrap().expect("the canvas has a row")
    }

    pub(crate) fn text(&self) -> String {
        self.snapshot().text().to_owned()
    }

    /// Puts a head in the store as it is, behind every engine's back.
    pub(crate) fn put(&self, head: Head) {
        self.put_with(head, Vec::new());
    }

    pub(crate) fn put_with(&self, head: Head, blobs: Vec<Blob>) {
        let expected = Some(self.loaded().version);
        let commit = Commit { expected, head: Arc::new(head), blobs, not_after: None };
        assert!(matches!(block_on(self.spy().inner.commit(commit)), Ok(Committed::Done { .. })));
        self.engine.forget(&self.canvas);
    }

    pub(crate) fn delete(&self, call: &str) -> Result<(), EngineError> {
        block_on(self.engine.delete(&self.canvas, &key("host", 0, call), self.now()))
    }

    /// The head with one field of its stored form changed.
    pub(crate) fn altered(&self, pointer: &str, value: serde_json::Value) -> Result<Head, serde_json::Error> {
        let mut json = serde_json::to_value(self.head().as_ref()).unwrap();
        *json.pointer_mut(pointer).expect(pointer) = value;
        serde_json::from_value(json)
    }
}

pub(crate) fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).unwrap()
}

pub(crate) fn key(who: &str, turn: u64, call: &str) -> OpKey {
    OpKey {
        conversation: ConversationId::new(who).unwrap(),
        turn: Turn::new(turn).unwrap(),
        call: CallId::new(call).unwrap(),
        person: None,
    }
}

/// `b>c` replaces the line b by c; `b>>c` puts c after b.
pub(crate) fn patch(change: &str) -> String {
    match change.split_once(">>") {
        Some((line, after)) => format!("@@\n {line}\n+{after}\n"),
        None => {
            let (old, new) = change.split_once('>').expect("old>new");
            format!("@@\n-{old}\n+{new}\n")
        }
    }
}

pub(crate) fn apply(lease: LeaseId, change: &str) -> Command {
    dynamic(ApplyPatch { lease: Some(lease), patch: patch(change), base: None, scope: None, shown: None })
}

pub(crate) fn apply_at(lease: LeaseId, change: &str, base: RevisionId) -> Command {
    dynamic(ApplyPatch {
        lease: Some(lease),
        patch: patch(change),
        base: Some(base.into()),
        scope: None,
        shown: None,
    })
}

pub(crate) fn end_turn(start: TurnStart) -> Command {
    dynamic(EndTurn { start })
}

/// What happens to one call of the store.
pub(crate) enum Trouble {
    /// Nothing is done, and the store says so.
    Definite,
    /// The connection breaks before the commit arrives; it may still come, see [`Spy::deliver_late`].
    LostOnTheWay,
    /// The commit is done and its answer lost.
    AnswerLost,
    /// Somebody else does something first.
    After(Box<dyn FnOnce() + Send>),
    /// A blob, or a row, is not there.
    Missing,
    /// Another blob is in its place.
    Damaged,
}

impl Trouble {
    pub(crate) fn after(act: impl FnOnce() + Send + 'static) -> Self {
        Self::After(Box::new(act))
    }
}

/// What the engine has asked of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Load,
    Commit,
    /// One or many at once.
    Blob,
    Collect,
    Pause,
}

/// A store that keeps count, and fails as its script says.
pub(crate) struct Spy {
    pub(crate) inner: MemoryStore,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    asked: Vec<Asked>,
    read: usize,
    script: VecDeque<(Asked, Trouble)>,
    on_the_way: Vec<Commit>,
    notify: bool,
    sends_along: bool,
}

impl Spy {
    pub(crate) fn new(inner: MemoryStore) -> Self {
        Self { inner, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Trouble for the next call of a kind that has none yet.
    pub(crate) fn expect(&self, asked: Asked, trouble: Trouble) {
        self.state().script.push_back((asked, trouble));
    }

    /// What was asked since the last look.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state().asked)
    }

    /// Blobs that were asked for since the last look, however many at once.
    pub(crate) fn read(&self) -> usize {
        std::mem::take(&mut self.state().read)
    }

    pub(crate) fn script_is_done(&self) -> bool {
        self.state().script.is_empty()
    }

    pub(crate) fn clear_script(&self) {
        self.state().script.clear();
    }

    pub(crate) fn set_notify(&self) {
        self.state().notify = true;
    }

    /// From now on conflicts bring the document along.
    pub(crate) fn send_along(&self) {
        self.state().sends_along = true;
    }

    /// What an engine waits by: it does what the script wants to happen in the meantime.
    pub(crate) fn pause(&self) -> impl Fn(Duration) -> Ready<()> + use<> {
        let spy = Self { inner: self.inner.clone(), state: Arc::clone(&self.state) };
        move |_| {
            let _ = spy.meet(spy.note(Asked::Pause));
            ready(())
        }
    }

    /// The commits that were on the way arrive now. Tells how many were done.
    pub(crate) fn deliver_late(&self) -> usize {
        let late = std::mem::take(&mut self.state().on_the_way);
        let done = |commit| matches!(block_on(self.inner.commit(commit)), Ok(Committed::Done { .. }));
        late.into_iter().filter(|commit| done(commit.clone())).count()
    }

    fn note(&self, asked: Asked) -> Option<Trouble> {
        let mut state = self.state();
        state.asked.push(asked);
        let at = state.script.iter().position(|(kind, _)| *kind == asked)?;
        state.script.remove(at).map(|(_, trouble)| trouble)
    }

    /// The trouble that is the same for every call.
    fn meet(&self, trouble: Option<Trouble>) -> Result<Option<Trouble>, StoreError> {
        match trouble {
            Some(Trouble::Definite) => {
                Err(StoreError::new(StoreErrorKind::Failed).with_source("the disk is full"))
            }
            Some(Trouble::After(act)) => {
                act();
                Ok(None)
            }
            other => Ok(other),
        }
    }
}

fn broken() -> StoreError {
    StoreError::new(StoreErrorKind::Indeterminate).with_source("the connection broke")
}

impl Layer for Spy {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.inner
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { notify: self.state().notify, ..self.inner.capabilities() }
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        let trouble = self.note(Asked::Load);
        match self.meet(trouble)? {
            None => self.inner.load(canvas).await,
            Some(Trouble::Missing) => Ok(None),
            Some(_) => Err(broken()),
        }
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let trouble = self.note(Asked::Commit);
        match self.meet(trouble)? {
            Some(Trouble::LostOnTheWay) => {
                self.state().on_the_way.push(commit);
                Err(broken())
            }
            Some(_) => {
                self.inner.commit(commit).await?;
                Err(broken())
            }
            None => Ok(match self.inner.commit(commit).await? {
                Committed::Conflict(Some(row)) if !self.state().sends_along => {
                    Committed::Conflict(Some(Loaded { document: None, ..row }))
                }
                committed => committed,
            }),
        }
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        let trouble = self.note(Asked::Collect);
        match self.meet(trouble)? {
            None => self.inner.collect(canvas, keep, older_than, at).await,
            Some(_) => Err(broken()),
        }
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        Ok(Layer::blobs(self, canvas, &[id]).await?.pop().flatten())
    }

    /// Trouble befalls the last one.
    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let trouble = self.note(Asked::Blob);
        self.state().read += ids.len();
        let trouble = self.meet(trouble)?;
        let found = self.inner.blobs(canvas, ids).await?;
        // As bytes, as a store on another machine would send them: nobody has read anything out of them yet.
        let sent = |blob: Blob| Blob::bytes(blob.as_bytes().to_vec());
        let mut found: Vec<_> = found.into_iter().map(|blob| blob.map(sent)).collect();
        let last = found.last_mut().expect("the engine asks for something");
        match trouble {
            None => {}
            Some(Trouble::Missing) => *last = None,
            Some(Trouble::Damaged) => *last = Some(Blob::text("something else".into())),
            Some(_) => return Err(broken()),
        }
        Ok(found)
    }
}

/// A commit that changes nothing but the version.
pub(crate) fn bump(store: &MemoryStore, canvas: &CanvasId) -> Version {
    let Loaded { head, version, .. } = block_on(store.load(canvas)).unwrap().unwrap();
    let commit = Commit { expected: Some(version), head, blobs: Vec::new(), not_after: None };
    match block_on(store.commit(commit)) {
        Ok(Committed::Done { version, .. }) => version,
        other => panic!("{other:?}"),
    }
}
