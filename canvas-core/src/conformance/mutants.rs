//! Stores that break one promise each. A suite that passes one of them is worth nothing.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canvas_lease::Timestamp;

use super::{Harness, Report, run};
use crate::ground::blob::{Blob, BlobId};
use crate::ground::id::CanvasId;
use crate::ground::store::{Capabilities, Commit, Committed, Fault, Loaded, Store, Version};

/// What a mutant does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Writes whatever version the row has.
    IgnoresCondition,
    /// Says `Done` where the condition matched no row.
    ZeroRowsAreSuccess,
    /// Commits again by itself after a conflict.
    RetriesInside,
    /// Answers loads with what it saw first.
    ServesStaleHeads,
    /// Keeps heads and forgets blobs.
    LosesBlobs,
    /// Names versions by content, so that the same content has the same version again.
    NamesVersionsByContent,
    /// Judges `not_after` by a clock that was read before it had the row.
    ReadsClockEarly,
    /// Gives a conflict without the row.
    HidesTheRow,
    /// Keeps all blobs in one place, so that one canvas sees another's.
    SharesBlobs,
}

impl Flaw {
    /// Every flaw.
    pub const ALL: [Self; 9] = [
        Self::IgnoresCondition,
        Self::ZeroRowsAreSuccess,
        Self::RetriesInside,
        Self::ServesStaleHeads,
        Self::LosesBlobs,
        Self::NamesVersionsByContent,
        Self::ReadsClockEarly,
        Self::HidesTheRow,
        Self::SharesBlobs,
    ];
}

/// Runs the suite over each mutant of a harness's store. The suite is right where every report has a failure.
pub async fn kills<H: Harness>(harness: &H) -> Vec<(Flaw, Report)> {
    let mut reports = Vec::new();
    for flaw in Flaw::ALL {
        reports.push((flaw, run(&MutantHarness { harness, flaw }).await));
    }
    reports
}

struct MutantHarness<'a, H> {
    harness: &'a H,
    flaw: Flaw,
}

impl<H: Harness> Harness for MutantHarness<'_, H> {
    type Store = Mutant<H::Store>;

    async fn fresh(&self) -> Self::Store {
        Mutant::new(self.harness.fresh().await, self.flaw)
    }

    async fn peer(&self, store: &Self::Store) -> Self::Store {
        Mutant::new(self.harness.peer(&store.store).await, self.flaw)
    }

    async fn advance(&self, by: Duration) {
        self.harness.advance(by).await;
    }
}

/// A store with a flaw.
#[derive(Debug)]
struct Mutant<S> {
    store: S,
    flaw: Flaw,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    first_seen: HashMap<CanvasId, Loaded>,
    last_clock: Option<Timestamp>,
    canvases: Vec<CanvasId>,
}

impl<S: Store> Mutant<S> {
    fn new(store: S, flaw: Flaw) -> Self {
        Self { store, flaw, memory: Mutex::default() }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Disguises a row as the flaw demands.
    fn show(&self, loaded: Loaded) -> Loaded {
        let mut memory = self.memory();
        memory.last_clock = Some(loaded.clock);
        let canvas = loaded.head.canvas().clone();
        match self.flaw {
            Flaw::ServesStaleHeads => memory.first_seen.entry(canvas).or_insert(loaded).clone(),
            Flaw::NamesVersionsByContent => Loaded { version: content_version(&loaded), ..loaded },
            _ => loaded,
        }
    }
}

fn content_version(loaded: &Loaded) -> Version {
    Version::new(loaded.head.revision_id().to_string())
}

impl<S: Store> Store for Mutant<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, Fault> {
        Ok(self.store.load(canvas).await?.map(|loaded| self.show(loaded)))
    }

    async fn commit(&self, mut commit: Commit) -> Result<Committed, Fault> {
        let canvas = commit.head.canvas().clone();
        self.memory().canvases.push(canvas.clone());
        match self.flaw {
            Flaw::IgnoresCondition => {
                commit.expected = self.store.load(&canvas).await?.map(|loaded| loaded.version);
            }
            Flaw::LosesBlobs => commit.blobs.clear(),
            Flaw::NamesVersionsByContent => {
                if let Some(current) = self.store.load(&canvas).await? {
                    let (named, real) = (content_version(&current), current.version);
                    commit.expected = commit.expected.map(|v| if v == named { real } else { v });
                }
            }
            Flaw::ReadsClockEarly => {
                let early = self.memory().last_clock;
                if early.is_none_or(|clock| commit.not_after.is_none_or(|limit| clock < limit)) {
                    commit.not_after = None;
                }
            }
            _ => {}
        }
        let again = commit.clone();
        let committed = self.store.commit(commit).await?;
        Ok(match (self.flaw, committed) {
            (Flaw::ZeroRowsAreSuccess, Committed::Conflict(current)) => Committed::Done {
                version: Version::new("zero"),
                clock: current.map_or(Timestamp::from_millis(0), |row| row.clock),
            },
            (Flaw::RetriesInside, Committed::Conflict(Some(current))) => {
                self.store.commit(Commit { expected: Some(current.version), ..again }).await?
            }
            (Flaw::HidesTheRow, Committed::Conflict(_)) => Committed::Conflict(None),
            (Flaw::NamesVersionsByContent, Committed::Done { clock, .. }) => {
                let version = Version::new(again.head.revision_id().to_string());
                Committed::Done { version, clock }
            }
            (_, Committed::Conflict(current)) => Committed::Conflict(current.map(|row| self.show(row))),
            (_, Committed::Done { version, clock }) => {
                self.memory().last_clock = Some(clock);
                Committed::Done { version, clock }
            }
            (_, late) => late,
        })
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, Fault> {
        let found = self.store.blob(canvas, id).await?;
        if found.is_some() || self.flaw != Flaw::SharesBlobs {
            return Ok(found);
        }
        let others = self.memory().canvases.clone();
        for other in others {
            if let Some(blob) = self.store.blob(&other, id).await? {
                return Ok(Some(blob));
            }
        }
        Ok(None)
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, Fault> {
        self.store.list(after, limit).await
    }

    async fn delete(&self, canvas: &CanvasId, blobs: &[BlobId]) -> Result<(), Fault> {
        self.store.delete(canvas, blobs).await
    }
}
