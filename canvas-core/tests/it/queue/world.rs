//! A store whose commits wait until the test lets them through, calls of all sorts, and an executor that polls only what was
//! woken.

use std::collections::{BTreeSet, VecDeque};
use std::future::poll_fn;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use canvas_core::document::{ApplyPatch, Edit, Read};
use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::lease::{CheckIn, CheckOut, LeaseId, Renew, Timestamp};
use canvas_core::observe::Observer;
use canvas_core::store::{
    Collected, Commit, Committed, Head, Layer, Loaded, MemoryStore, Store as _, StoreError, StoreErrorKind,
    Version,
};
use canvas_core::testing::block_on;
use canvas_core::turn::{Cancel, SendMessage, TakeControl};
use canvas_core::{
    Author, Blob, BlobId, CallId, CanvasId, Command, ConversationId, Engine, EngineError, OpKey, Policy,
};

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_000);

/// What befalls a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Done,
    /// It is done, and its answer comes when the next commit is let through.
    Slow,
    /// It is done, and its answer is lost.
    AnswerLost,
    /// It is lost, and may arrive later.
    LostOnTheWay,
    Definite,
    TooLarge,
    /// Another server moves the version first.
    Overtaken,
}

/// Holds commits up until they are let through.
#[derive(Debug)]
pub(crate) struct Gate {
    store: MemoryStore,
    is_open: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    passes: usize,
    fates: VecDeque<Fate>,
    waiting: Vec<Waker>,
    late: Vec<Commit>,
    /// The number of blobs of each commit.
    commits: Vec<usize>,
    asked: Asked,
}

/// What the store was asked, and how commits were answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Asked {
    pub(crate) loads: usize,
    pub(crate) fetches: usize,
    pub(crate) commits: usize,
    pub(crate) done: usize,
    pub(crate) conflicts: usize,
    pub(crate) failed: usize,
    pub(crate) collections: usize,
}

impl Gate {
    pub(crate) fn befall(&self, fates: impl IntoIterator<Item = Fate>) {
        self.state.lock().unwrap().fates.extend(fates);
    }

    /// Lets one commit through, whenever it comes.
    pub(crate) fn let_one_pass(&self) {
        self.state.lock().unwrap().passes += 1;
        self.wake();
    }

    pub(crate) fn open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
        self.wake();
    }

    fn pass(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap();
        if !self.is_open.load(Ordering::SeqCst) {
            if state.passes == 0 {
                state.waiting.push(context.waker().clone());
                return Poll::Pending;
            }
            state.passes -= 1;
        }
        Poll::Ready(())
    }

    fn wake(&self) {
        let waiting = std::mem::take(&mut self.state.lock().unwrap().waiting);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The number of blobs of each commit since this was asked last.
    pub(crate) fn commits(&self) -> Vec<usize> {
        std::mem::take(&mut self.state.lock().unwrap().commits)
    }

    pub(crate) fn asked(&self) -> Asked {
        self.state.lock().unwrap().asked
    }

    fn count(&self, asked: impl FnOnce(&mut Asked) -> &mut usize) {
        *asked(&mut self.state.lock().unwrap().asked) += 1;
    }

    /// Has arrive what was lost on its way: how many of them still did something.
    pub(crate) fn deliver_late(&self) -> usize {
        let late = std::mem::take(&mut self.state.lock().unwrap().late);
        let is_done = |commit| matches!(block_on(self.store.commit(commit)), Ok(Committed::Done { .. }));
        late.into_iter().map(is_done).filter(|is_done| *is_done).count()
    }

    pub(crate) fn head(&self, canvas: &CanvasId) -> Arc<Head> {
        block_on(self.store.load(canvas)).unwrap().expect("there is a row").head
    }

    pub(crate) fn has(&self, canvas: &CanvasId, id: BlobId) -> bool {
        block_on(self.store.blob(canvas, id)).unwrap().is_some()
    }
}

impl Layer for Gate {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.count(|asked| &mut asked.loads);
        self.store.load(canvas).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        self.count(|asked| &mut asked.fetches);
        self.store.blob(canvas, id).await
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        self.count(|asked| &mut asked.fetches);
        self.store.blobs(canvas, ids).await
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        self.count(|asked| &mut asked.collections);
        self.store.collect(canvas, keep, older_than, at).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.count(|asked| &mut asked.commits);
        let committed = self.befall_one(commit).await;
        self.count(|asked| match committed {
            Ok(Committed::Done { .. }) => &mut asked.done,
            Ok(Committed::Conflict(_)) => &mut asked.conflicts,
            Ok(Committed::Late { .. }) | Err(_) => &mut asked.failed,
        });
        committed
    }
}

impl Gate {
    async fn befall_one(&self, commit: Commit) -> Result<Committed, StoreError> {
        let broken = || StoreError::new(StoreErrorKind::Indeterminate);
        let blobs = commit.blobs.len();
        poll_fn(|context| self.pass(context)).await;
        let fate = {
            let mut state = self.state.lock().unwrap();
            state.commits.push(blobs);
            state.fates.pop_front().unwrap_or(Fate::Done)
        };
        match fate {
            Fate::Done => self.store.commit(commit).await,
            Fate::Slow => {
                let done = self.store.commit(commit).await;
                poll_fn(|context| self.pass(context)).await;
                done
            }
            Fate::AnswerLost => {
                self.store.commit(commit).await?;
                Err(broken())
            }
            Fate::LostOnTheWay => {
                self.state.lock().unwrap().late.push(commit);
                Err(broken())
            }
            Fate::Definite => Err(StoreError::new(StoreErrorKind::Failed)),
            Fate::TooLarge => Err(StoreError::new(StoreErrorKind::TooLarge)),
            Fate::Overtaken => {
                let row = self.store.load(commit.head.canvas()).await?.expect("there is a row");
                let bump = Commit {
                    expected: Some(row.version),
                    head: row.head,
                    blobs: Vec::new(),
                    not_after: None,
                };
                self.store.commit(bump).await?;
                self.store.commit(commit).await
            }
        }
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine<Gate>,
    pub(crate) canvas: CanvasId,
}

pub(crate) const TEXT: &str = "a\nb\nc\nd\n";

impl World {
    /// A canvas of four lines whose model has the lease, and a gate that is shut.
    pub(crate) fn new() -> Self {
        Self::with(Policy::default())
    }

    pub(crate) fn with(policy: Policy) -> Self {
        let world = Self::empty(policy);
        world.gate().open();
        block_on(world.engine.create(&world.canvas, TEXT, &key("model", "create"), NOW)).unwrap();
        assert_eq!(world.alone(&Act::CheckOut("model"), 1_000), "checked_out");
        world.gate().is_open.store(false, Ordering::SeqCst);
        world.gate().commits();
        world
    }

    pub(crate) fn empty(policy: Policy) -> Self {
        let store = MemoryStore::new(|| NOW);
        let gate = Gate { store, is_open: AtomicBool::new(false), state: Mutex::default() };
        Self { engine: Engine::new(gate, policy), canvas: CanvasId::new("c").unwrap() }
    }

    /// As [`World::new`], where the calls from now on have an observer.
    pub(crate) fn observed(observer: Arc<dyn Observer>) -> Self {
        let Self { engine, canvas } = Self::new();
        Self { engine: engine.with_observer(observer), canvas }
    }

    pub(crate) fn gate(&self) -> &Gate {
        self.engine.store()
    }

    pub(crate) fn head(&self) -> Arc<Head> {
        self.gate().head(&self.canvas)
    }

    pub(crate) fn text(&self) -> String {
        let head = self.head();
        let blob = block_on(self.gate().store.blob(&self.canvas, head.document())).unwrap().unwrap();
        blob.as_text().unwrap().to_owned()
    }

    /// The same call as `call` with this act.
    pub(crate) fn begin(&self, act: &Act, call: usize) -> Doing<'_> {
        act.begin(self, call)
    }

    /// The kind of the answer to an act that nothing disturbs.
    pub(crate) fn alone(&self, act: &Act, call: usize) -> String {
        kind(&block_on(self.begin(act, call)).unwrap().json)
    }

    /// Another server replaces the text.
    pub(crate) fn peer_edits(&self, text: &str) {
        let peer = Engine::new(self.gate().store.clone(), Policy::default());
        let operation = key("user", "peer");
        let call = peer.call(&self.canvas, &operation, Edit::overwrite(text), NOW);
        assert!(block_on(call).unwrap().result.is_ok());
    }

    pub(crate) fn edit(&self, call: usize) -> Doing<'_> {
        self.begin(&Act::Edit(format!("{call}\n")), call)
    }
}

pub(crate) fn key(who: &str, call: &str) -> OpKey {
    let (conversation, call) = (ConversationId::new(who).unwrap(), CallId::new(call).unwrap());
    OpKey::of(conversation, call)
}

/// An answer with the document of the revision that it shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) json: String,
    pub(crate) replayed: bool,
    pub(crate) revision: u64,
    pub(crate) document: BlobId,
}

pub(crate) fn kind(json: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    json["kind"].as_str().unwrap().to_owned()
}

pub(crate) fn block(doing: Doing<'_>) -> Said {
    block_on(doing).unwrap()
}

pub(crate) type Doing<'w> = Pin<Box<dyn Future<Output = Result<Said, EngineError>> + Send + 'w>>;

/// Something that somebody does.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// The user replaces the text.
    Edit(String),
    /// The model changes a line, under the first lease.
    Write(&'static str, String),
    CheckOut(&'static str),
    CheckIn,
    Renew,
    Read,
    Message,
    Cancel,
    TakeControl,
    Undo,
    Redo,
    /// The call of this number again.
    Again(usize, Box<Self>),
}

fn lease() -> LeaseId {
    "lease-1-0".parse().unwrap()
}

impl Act {
    fn begin<'w>(&self, world: &'w World, call: usize) -> Doing<'w> {
        let one = UndoScope::Steps(NonZeroU32::MIN);
        match self.clone() {
            Self::Edit(text) => doing(world, "user", call, Edit::overwrite(text)),
            Self::Write(old, new) => {
                let patch = format!("@@\n-{old}\n+{new}\n");
                let lease = Some(lease());
                doing(world, "model", call, ApplyPatch { lease, patch, base: None, scope: None, shown: None })
            }
            Self::CheckOut(who) => doing(world, who, call, CheckOut),
            Self::CheckIn => doing(world, "model", call, CheckIn { lease: Some(lease()) }),
            Self::Renew => doing(world, "model", call, Renew { lease: Some(lease()) }),
            Self::Read => doing(world, "model", call, Read::new(Some(lease()))),
            Self::Message => doing(world, "user", call, SendMessage),
            Self::Cancel => doing(world, "user", call, Cancel),
            Self::TakeControl => doing(world, "user", call, TakeControl),
            Self::Undo => doing(world, "user", call, Undo { by: Author::User, what: one }),
            Self::Redo => doing(world, "user", call, Redo { by: Author::User, steps: NonZeroU32::MIN }),
            Self::Again(call, act) => act.begin(world, call),
        }
    }
}

fn doing<'w, C: Command + Send + Sync + 'w>(
    world: &'w World,
    who: &'static str,
    call: usize,
    command: C,
) -> Doing<'w>
where
    C::Done: Send,
    C::Refusal: Send,
{
    Box::pin(async move {
        let operation = key(who, &format!("call {call}"));
        let answered = world.engine.call(&world.canvas, &operation, command, NOW).await?;
        let (revision, document) = (answered.snapshot.head.revision().get(), answered.snapshot.document.id());
        assert_eq!(answered.snapshot.head.document(), document, "an answer shows one revision");
        Ok(Said {
            json: answered.stored().json().to_owned(),
            replayed: answered.replayed,
            revision,
            document,
        })
    })
}

#[derive(Debug)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs futures on one thread, and polls only those that were woken.
pub(crate) struct Crowd<'w> {
    calls: Vec<(Option<Doing<'w>>, Arc<Flag>)>,
    /// The one that was polled last.
    polled: usize,
    pub(crate) said: Vec<Option<Result<Said, EngineError>>>,
}

impl<'w> Crowd<'w> {
    /// Polls each once, in this order.
    pub(crate) fn begin(calls: impl IntoIterator<Item = Doing<'w>>) -> Self {
        let mut crowd = Self { calls: Vec::new(), polled: 0, said: Vec::new() };
        for call in calls {
            crowd.join(call);
        }
        crowd
    }

    pub(crate) fn join(&mut self, call: Doing<'w>) {
        self.calls.push((Some(call), Arc::new(Flag(AtomicBool::new(false)))));
        self.said.push(None);
        self.poll(self.calls.len() - 1);
    }

    pub(crate) fn poll(&mut self, i: usize) {
        self.polled = i;
        let (call, flag) = &mut self.calls[i];
        let Some(future) = call else { return };
        let waker = Waker::from(Arc::clone(flag));
        if let Poll::Ready(said) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            (*call, self.said[i]) = (None, Some(said));
        }
    }

    pub(crate) fn drop_call(&mut self, i: usize) {
        self.calls[i].0 = None;
    }

    /// Drops the one that was polled last, as an executor does whose task has panicked.
    pub(crate) fn drop_polled(&mut self) {
        self.drop_call(self.polled);
    }

    /// Polls one that was woken, the first after `from`; none where nobody was.
    pub(crate) fn poll_woken(&mut self, from: usize) -> Option<usize> {
        let all = self.calls.len();
        let woken = (0..all).map(|i| (i + from) % all).find(|i| {
            let (call, flag) = &self.calls[*i];
            call.is_some() && flag.0.swap(false, Ordering::SeqCst)
        })?;
        self.poll(woken);
        Some(woken)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.calls.iter().all(|(call, _)| call.is_none())
    }

    /// Runs all to their end. Nobody may be left who is not woken.
    #[track_caller]
    pub(crate) fn run(&mut self, from: usize) {
        for _ in 0..100_000 {
            if self.is_done() {
                return;
            }
            assert!(self.poll_woken(from).is_some(), "all sleep, and nobody wakes them");
        }
        panic!("they never end");
    }

    /// The same, with a store that takes its time: each commit is let through once all have nothing else to do.
    #[track_caller]
    pub(crate) fn run_slowly(&mut self, world: &World) {
        for _ in 0..1_000 {
            while self.poll_woken(0).is_some() {}
            if self.is_done() {
                return;
            }
            world.gate().let_one_pass();
        }
        panic!("they never end");
    }

    /// The answers, each of a call that was not dropped.
    pub(crate) fn answers(&self) -> Vec<&Said> {
        self.said.iter().flatten().map(|said| said.as_ref().unwrap()).collect()
    }
}

/// A blob of this text.
pub(crate) fn id(text: &str) -> BlobId {
    Blob::text(text.to_owned()).id()
}

/// The numbers of the revisions of answers, each once.
pub(crate) fn revisions(said: &[&Said]) -> BTreeSet<u64> {
    said.iter().map(|said| said.revision).collect()
}
