//! The newest known state of a watched canvas, without locks and wakers.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use std::sync::atomic::{AtomicU64, Ordering};

use canvas_lease::{Epoch, LeaseId, Timestamp};

use super::event::{CanvasStatus, WatchEvent};
use crate::engine::lock_view::LockView;
use crate::model::actor::Actor;
use crate::model::blob::BlobId;
use crate::model::face::{Face, PerFace};
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::model::revision::{Revision, RevisionId};
use crate::model::tree::Tree;
use crate::store::contract::Version;

/// Numbers the requests to the store, and the moments when their answers are learnt. The first number is 1.
#[derive(Debug, Default)]
pub(super) struct Ticks(AtomicU64);

impl Ticks {
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

/// A row from an answer of the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) head: &'a Head,
    pub(super) version: &'a Version,
    pub(super) clock: Timestamp,
}

/// A successful commit: the version that it was based on, and the actor of its content change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done<'a> {
    pub(super) expected: Option<&'a Version>,
    pub(super) actor: Option<&'a Actor>,
}

/// The parts of a head whose changes watchers see.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Visible {
    status: CanvasStatus,
    revision: Revision,
    faces: PerFace<Revision>,
    epoch: Epoch,
    /// A hash of the epochs of conversations with turns of their own.
    own_epochs: u64,
    /// The id of the lease, and its expiry, which a heartbeat may move.
    lease: Option<(LeaseId, Timestamp)>,
    artefact: Option<BlobId>,
    /// The index of the named versions.
    versions: Option<BlobId>,
    /// The revision at which the canvas was created.
    origin: Revision,
}

impl Visible {
    const ABSENT: Self = Self {
        status: CanvasStatus::Absent,
        revision: Revision::ZERO,
        faces: PerFace::NOTHING,
        epoch: Epoch::ZERO,
        own_epochs: 0,
        lease: None,
        artefact: None,
        versions: None,
        origin: Revision::ZERO,
    };

    fn of(head: &Head) -> Self {
        let status = match (head.is_deleted(), head.revision()) {
            (false, _) => CanvasStatus::Live,
            // The tombstone of an operation that was abandoned before the canvas existed.
            (true, Revision::ZERO) => CanvasStatus::Absent,
            (true, _) => CanvasStatus::Deleted,
        };
        Self {
            status,
            revision: head.revision(),
            faces: head.faces,
            epoch: head.lock().epoch(),
            own_epochs: hash_of_turns(head),
            lease: head.lock().lease().map(|lease| (lease.id, lease.expires_at)),
            artefact: head.committed().map(Tree::hash),
            versions: head.versions,
            origin: head.origin.revision,
        }
    }

    /// Counters that never go back unless the store is restored.
    fn progress(&self) -> (Revision, Epoch) {
        (self.revision, self.epoch)
    }
}

/// Returns zero if conversations share one turn.
fn hash_of_turns(head: &Head) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut has_own = false;
    for (conversation, lock) in head.own_turns() {
        (conversation, lock.epoch()).hash(&mut hasher);
        has_own = true;
    }
    if has_own { hasher.finish() } else { 0 }
}

#[derive(Debug, Clone)]
struct Known {
    visible: Visible,
    version: Option<Version>,
    /// The revision and the document's id; `None` if the canvas never existed.
    revision: Option<(Revision, RevisionId)>,
    lock: LockView,
    clock: Timestamp,
    actor: Option<Actor>,
}

/// The number of the last change of each kind; 0 before the first.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    faces: PerFace<u64>,
    made: u64,
    promoted: u64,
    versions: u64,
    restored: u64,
}

/// The newest known state, and its number.
#[derive(Debug, Default)]
pub(super) struct State {
    /// `None` before the first row is learnt.
    known: Option<Known>,
    /// The number of the last change. The first change has the number 1.
    number: u64,
    marks: Marks,
    /// The tick at which `known` was learnt. The answer to an earlier question may be older than `known`.
    since: u64,
    /// If set, the known state may be outdated until the store answers a request sent after this tick.
    stale: Option<u64>,
}

/// The relation of a row to the kept one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Newer,
    Older,
    Unknown,
}

impl State {
    /// Whether the head must be reloaded before a new watcher gets its first event, or before a watcher may rely on
    /// having seen all changes.
    pub(super) fn is_stale(&self) -> bool {
        self.stale.is_some()
    }

    /// Records that there may be a commit unknown here.
    pub(super) fn mark_stale(&mut self, tick: u64) {
        self.stale = Some(tick);
    }

    /// Takes a row that answers the question `asked`, which is 0 if the question has no number. Returns whether a
    /// watcher has something new to show or to do.
    pub(super) fn learn(
        &mut self,
        row: Option<Row<'_>>,
        done: Option<Done<'_>>,
        (asked, tick): (u64, u64),
        policy: &canvas_lease::LeasePolicy,
    ) -> bool {
        let visible = row.map_or(Visible::ABSENT, |row| Visible::of(row.head));
        let version = row.map(|row| row.version);
        let order = self.order(&visible, version, done, asked);
        if order == Order::Unknown {
            self.mark_stale(tick);
            return true;
        }
        let settles = self.stale.is_some_and(|stale| stale < asked);
        if settles {
            self.stale = None;
        }
        if order == Order::Older {
            return settles;
        }
        if self.known.as_ref().is_none_or(|known| known.version.as_ref() != version) {
            self.since = tick;
        }
        let is_new = self.number(&visible, done.is_some());
        let same_content = self.known.as_ref().filter(|known| known.visible.revision == visible.revision);
        let actor = match (done.and_then(|done| done.actor), same_content) {
            (None, Some(known)) => known.actor.clone(),
            (actor, _) => actor.cloned(),
        };
        self.known = Some(match self.known.take() {
            // The other fields describe the row that last changed the visible state.
            Some(known) if !is_new => Known { version: version.cloned(), actor, ..known },
            _ => Known {
                version: version.cloned(),
                revision: row
                    .filter(|_| visible.status != CanvasStatus::Absent)
                    .map(|row| (row.head.revision(), row.head.revision_id())),
                lock: row.map_or_else(LockView::default, |row| LockView::at(row.head, row.clock, policy)),
                clock: row.map_or(Timestamp::from_millis(0), |row| row.clock),
                visible,
                actor,
            },
        });
        is_new || settles
    }

    fn order(
        &self,
        visible: &Visible,
        version: Option<&Version>,
        done: Option<Done<'_>>,
        asked: u64,
    ) -> Order {
        let Some(known) = &self.known else { return Order::Newer };
        let follows = done.is_some_and(|done| done.expected == known.version.as_ref());
        let is_same = version == known.version.as_ref() && *visible == known.visible;
        if asked >= self.since || follows || is_same {
            return Order::Newer;
        }
        let (found, known) = (visible.progress(), known.visible.progress());
        if found.0 > known.0 || found.1 > known.1 {
            Order::Newer
        } else if found != known || version.is_none() {
            Order::Older
        } else {
            Order::Unknown
        }
    }

    /// Numbers the changes to a newer state. Returns whether there are any.
    fn number(&mut self, visible: &Visible, is_done: bool) -> bool {
        let Some(Known { visible: old, .. }) = &self.known else {
            self.number = 1;
            return true;
        };
        if old == visible {
            return false;
        }
        let ahead = visible.revision.get().saturating_sub(old.revision.get());
        self.number += ahead.max(1);
        let (number, marks) = (self.number, &mut self.marks);
        for face in Face::ALL {
            if old.faces[face] != visible.faces[face] {
                marks.faces[face] = number;
            }
        }
        let is_live = visible.status == CanvasStatus::Live;
        let goes_back = visible.revision < old.revision || visible.epoch < old.epoch;
        let marked = [
            (&mut marks.made, is_live && (old.status != CanvasStatus::Live || old.origin != visible.origin)),
            (&mut marks.promoted, visible.artefact.is_some() && old.artefact != visible.artefact),
            (&mut marks.versions, old.versions != visible.versions),
            // A commit builds on the current state, so it never is a restore.
            (&mut marks.restored, goes_back && !is_done),
        ];
        marked.into_iter().filter(|(_, is_so)| *is_so).for_each(|(mark, _)| *mark = number);
        true
    }

    /// Returns the changes that are new to a watcher, and the number of the last one; `None` if the watcher is up to
    /// date.
    pub(super) fn event_after(&self, shown: u64, canvas: &CanvasId) -> Option<(u64, WatchEvent)> {
        let known = self.known.as_ref().filter(|_| self.number > shown)?;
        let is_first = shown == 0;
        let since = |mark: u64| !is_first && mark > shown;
        let has_content = |face: Face| known.visible.faces[face] > Revision::ZERO;
        let faces = Face::ALL
            .into_iter()
            .filter(|face| if is_first { has_content(*face) } else { since(self.marks.faces[*face]) });
        let event = WatchEvent {
            canvas: canvas.clone(),
            status: known.visible.status,
            revision: known.revision.map(|(revision, _)| revision),
            revision_id: known.revision.map(|(_, id)| id),
            version: known.version.clone(),
            faces: faces.collect(),
            actor: known.actor.clone(),
            lock: known.lock.clone(),
            clock: known.clock,
            made: since(self.marks.made),
            promoted: since(self.marks.promoted),
            versions: since(self.marks.versions),
            restored: since(self.marks.restored),
            missed: if is_first { 0 } else { self.number - shown - 1 },
        };
        Some((self.number, event))
    }
}
