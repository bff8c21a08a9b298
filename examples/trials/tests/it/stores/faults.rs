//! A store that makes trouble, as its script says: what networks, clocks and power do to a server and its store.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;
use canvas_core::store::{Commit, Committed, Layer, Loaded, Store, StoreError, StoreErrorKind};

/// Something that happens before a commit arrives.
pub(crate) type Hook = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// Is called for each commit that is done, whether the server gets to hear of it or not.
pub(crate) type Witness = Arc<dyn Fn() + Send + Sync>;

/// What befalls a commit.
pub(crate) enum CommitFault {
    /// Nothing.
    Pass,
    /// It is refused for a reason of the store's own, and nothing is written.
    Definite,
    /// It is done and its answer is lost.
    AnswerLost,
    /// The connection breaks before it has arrived. It stays on its way and may arrive later, see
    /// [`Network::arrives`].
    Lost,
    /// It is done and answered, and a copy stays on its way.
    Twice,
    /// The server goes down while the commit is on its way: it never gets an answer. Its future must be dropped.
    CrashBefore,
    /// The commit is done, and the server goes down before it hears of it.
    CrashAfter,
    /// Something happens first; the next trouble of the script befalls the commit itself.
    First(Hook),
}

/// What befalls a load.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LoadFault {
    Pass,
    /// The load fails.
    Fails,
    /// This load fails, and so do all that follow until the next script.
    Down,
    /// The row as it was that many commits ago, with the clock as it is. **This breaks the contract** of a store on
    /// purpose: a host may have put the store behind a replica that lags. What still holds: a commit is compared with
    /// the row as it is, so no write is lost or doubled, and what leaves a receipt was decided on the true row. What
    /// does not: an answer that leaves nothing behind (a read, a look, `CANVAS_NOT_FOUND`, a retry) may be of that
    /// earlier moment. A row that was there is never taken away again: no load says so, however old it is.
    Stale(usize),
}

/// Commits that are on their way between all servers and the store, and what the store has been.
#[derive(Clone, Default)]
pub(crate) struct Network(Arc<Mutex<Traffic>>);

#[derive(Default)]
struct Traffic {
    on_the_way: Vec<Commit>,
    /// Every row that there was, oldest first.
    past: Vec<Loaded>,
}

impl Network {
    fn traffic(&self) -> MutexGuard<'_, Traffic> {
        // What panicked has not left anything half done: each use is one move.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many commits are on their way.
    pub(crate) fn on_the_way(&self) -> usize {
        self.traffic().on_the_way.len()
    }

    /// Every row that there was, oldest first.
    pub(crate) fn past(&self) -> Vec<Loaded> {
        self.traffic().past.clone()
    }

    /// The commit at this place of the queue arrives, whatever was sent before; a copy of it stays if `stays`. Tells
    /// whether it was done; none where there is no such commit.
    pub(crate) async fn arrives<S: Store>(&self, store: &S, place: usize, stays: bool) -> Option<bool> {
        let commit = {
            let mut traffic = self.traffic();
            match traffic.on_the_way.get(place) {
                None => return None,
                Some(commit) if stays => commit.clone(),
                Some(_) => traffic.on_the_way.remove(place),
            }
        };
        let done = matches!(self.deliver(store, commit).await, Ok(Committed::Done { .. }));
        Some(done)
    }

    async fn deliver<S: Store>(&self, store: &S, commit: Commit) -> Result<Committed, StoreError> {
        let head = Arc::clone(&commit.head);
        let committed = store.commit(commit).await;
        if let Ok(Committed::Done { version, clock }) = &committed {
            let row = Loaded { head, version: version.clone(), clock: *clock, document: None };
            self.traffic().past.push(row);
        }
        committed
    }

    /// The row of a canvas as it was some commits ago, at most as it was first.
    fn earlier(&self, canvas: &CanvasId, commits: usize) -> Option<Loaded> {
        let traffic = self.traffic();
        let rows = traffic.past.iter().rev().filter(|row| row.head.canvas() == canvas);
        rows.take(commits + 1).last().cloned()
    }
}

/// One server's connection to a store over a network that makes trouble. A copy is the same connection.
pub(crate) struct FaultyStore<S> {
    store: Arc<S>,
    network: Network,
    script: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    commits: VecDeque<CommitFault>,
    loads: VecDeque<LoadFault>,
    /// Milliseconds by which this server learns a later clock than the store's. Everything that it hears and says of
    /// time is shifted alike.
    ahead: i64,
    /// The server is down: nothing it waits for will be answered.
    crashed: bool,
    /// Rows that it learned: answers to loads and commits.
    reported: usize,
    witness: Option<Witness>,
}

impl<S> Clone for FaultyStore<S> {
    fn clone(&self) -> Self {
        let (store, script) = (Arc::clone(&self.store), Arc::clone(&self.script));
        Self { store, network: self.network.clone(), script }
    }
}

impl<S> fmt::Debug for FaultyStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FaultyStore({} commits on the way)", self.network.on_the_way())
    }
}

impl<S: Store> FaultyStore<S> {
    pub(crate) fn new(store: S, network: Network) -> Self {
        Self { store: Arc::new(store), network, script: Arc::default() }
    }

    pub(crate) fn inner(&self) -> &S {
        &self.store
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        // As with the network.
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What befalls the next commits and the next loads; what was not used up before is forgotten.
    pub(crate) fn expect(
        &self,
        commits: impl IntoIterator<Item = CommitFault>,
        loads: impl IntoIterator<Item = LoadFault>,
    ) {
        let mut script = self.script();
        script.commits = commits.into_iter().collect();
        script.loads = loads.into_iter().collect();
        (script.crashed, script.reported, script.witness) = (false, 0, None);
    }

    /// Tells of the commits of this server that are done, until the next script.
    pub(crate) fn watch(&self, witness: Witness) {
        self.script().witness = Some(witness);
    }

    /// From now on this server gets a clock that is `ahead` milliseconds ahead of the store's.
    pub(crate) fn skew(&self, ahead: i64) {
        self.script().ahead = ahead;
    }

    /// True once a crash of the script has happened.
    pub(crate) fn is_crashed(&self) -> bool {
        self.script().crashed
    }

    /// Whether the server heard of the row since the script was set.
    pub(crate) fn has_heard(&self) -> bool {
        self.script().reported > 0
    }

    /// A clock of the store as this server learns it.
    fn tell(&self, clock: Timestamp) -> Timestamp {
        let ahead = self.script().ahead;
        Timestamp::from_millis(clock.as_millis().saturating_add_signed(ahead))
    }

    fn tell_row(&self, row: Loaded) -> Loaded {
        let clock = self.tell(row.clock);
        Loaded { clock, ..row }
    }

    /// The trouble of the next commit, after all that happens before.
    async fn befalls(&self) -> CommitFault {
        loop {
            let next = self.script().commits.pop_front();
            match next {
                Some(CommitFault::First(hook)) => hook().await,
                Some(trouble) => return trouble,
                None => return CommitFault::Pass,
            }
        }
    }

    async fn deliver(&self, commit: Commit) -> Result<Committed, StoreError> {
        let committed = self.network.deliver(self.inner(), commit).await;
        let witness = self.script().witness.clone();
        if let (Ok(Committed::Done { .. }), Some(witness)) = (&committed, witness) {
            witness();
        }
        committed
    }

    async fn goes_down<T>(&self) -> T {
        self.script().crashed = true;
        std::future::pending().await
    }
}

fn broken() -> StoreError {
    StoreError::new(StoreErrorKind::Indeterminate).with_source("the connection broke")
}

impl<S: Store> Layer for FaultyStore<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        let load_fault = {
            let mut script = self.script();
            let next = script.loads.pop_front().unwrap_or(LoadFault::Pass);
            if matches!(next, LoadFault::Down) {
                script.loads.push_front(next);
            }
            next
        };
        if matches!(load_fault, LoadFault::Fails | LoadFault::Down) {
            return Err(StoreError::new(StoreErrorKind::Failed).with_source("the store is not reachable"));
        }
        let row = self.store.load(canvas).await?;
        self.script().reported += 1;
        let row = match (row, load_fault) {
            (Some(Loaded { clock, .. }), LoadFault::Stale(commits)) => {
                self.network.earlier(canvas, commits).map(|row| Loaded { clock, ..row })
            }
            (row, _) => row,
        };
        Ok(row.map(|row| self.tell_row(row)))
    }

    async fn commit(&self, mut commit: Commit) -> Result<Committed, StoreError> {
        let ahead = self.script().ahead;
        commit.not_after = commit.not_after.map(|limit| {
            Timestamp::from_millis(limit.as_millis().saturating_add_signed(ahead.saturating_neg()))
        });
        let committed = match self.befalls().await {
            CommitFault::Definite => {
                return Err(StoreError::new(StoreErrorKind::Failed).with_source("the disk is full"));
            }
            CommitFault::AnswerLost => {
                self.deliver(commit).await?;
                return Err(broken());
            }
            CommitFault::Lost => {
                self.network.traffic().on_the_way.push(commit);
                return Err(broken());
            }
            CommitFault::CrashBefore => {
                self.network.traffic().on_the_way.push(commit);
                self.goes_down().await
            }
            CommitFault::CrashAfter => {
                self.deliver(commit).await?;
                self.goes_down().await
            }
            CommitFault::Twice => {
                self.network.traffic().on_the_way.push(commit.clone());
                self.deliver(commit).await?
            }
            CommitFault::Pass | CommitFault::First(_) => self.deliver(commit).await?,
        };
        self.script().reported += 1;
        Ok(match committed {
            Committed::Done { version, clock } => Committed::Done { version, clock: self.tell(clock) },
            Committed::Conflict(row) => Committed::Conflict(row.map(|row| self.tell_row(row))),
            Committed::Late { clock } => Committed::Late { clock: self.tell(clock) },
        })
    }
}
