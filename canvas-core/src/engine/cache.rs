//! The rows that an engine keeps between calls, and whether a read may show one without a load.
//!
//! Calls overlap, so rows may not arrive in the order in which the store read them. The cache numbers every question to
//! the store before it is sent, and keeps a number `since` for each canvas. If a row answers a question with this
//! number or a later one, it is at least as new as everything that the engine returned or was notified of. Such a row
//! replaces the kept one and is current. A row that answers an earlier question may be older or newer than the kept
//! one, and the two cannot be ordered. In this case the kept row stays, but reads load until the answer to a later
//! question arrives. A commit may begin with any row, because the store compares its version.
//!
//! The cache is bounded by number and by bytes ([`Policy::cache_bytes`](crate::Policy::cache_bytes)). A row is weighed
//! when a call ends with it, and again when the next call on another canvas ends, because the caller that gets the
//! answer may make an outline or read a board in the meantime.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use canvas_lease::Timestamp;

use super::EngineError;
use super::context::CachedRow;
use super::run::{Done, Request, Response};
use crate::face::fetched::Fetched;
use crate::history::blame::Blame;
use crate::model::blob::Blob;
use crate::model::head::Head;
use crate::model::id::CanvasId;

/// The maximum number of kept rows. Beyond that, the least recently used half is dropped.
const CAPACITY: usize = 1024;

/// The last seen rows, and their order by use.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    canvases: HashMap<CanvasId, Cached>,
    /// The maximum of `bytes`, by the policy.
    limit: usize,
    /// The sum of `Cached::bytes`.
    bytes: usize,
    /// The most recently used canvas.
    last: Option<CanvasId>,
    /// The last tick.
    ticks: u64,
    /// `Cached::since` for canvases without a kept row. It is the tick of the last removal or notification of any
    /// canvas.
    since: u64,
}

#[derive(Debug, Clone)]
struct Cached {
    row: CachedRow,
    /// Whether the row is at least as new as everything that the engine returned or was notified of.
    is_current: bool,
    /// A row that answers a question before this tick may be older than the kept one.
    since: u64,
    used: u64,
    /// The weight when it was last measured.
    bytes: usize,
}

/// The row that a run decides on first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    /// The row that the store has now.
    Load,
    /// The kept row if it is current, otherwise a load.
    Current,
    /// The kept row, current or not. A commit compares its version, and a refusal is decided again on a fresh row.
    Cached,
}

impl Begin {
    /// A read loads, unless the store notifies the engine of changes.
    pub(super) fn of_call(is_read: bool, notify: bool) -> Self {
        match (is_read, notify) {
            (false, _) => Self::Cached,
            (true, true) => Self::Current,
            (true, false) => Self::Load,
        }
    }
}

/// The number of a question to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

impl Cache {
    pub(super) fn new(limit: usize) -> Self {
        Self { canvases: HashMap::new(), limit, bytes: 0, last: None, ticks: 0, since: 0 }
    }

    fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }

    /// Numbers a commit before it is sent.
    pub(super) fn number(&mut self) -> Ticket {
        Ticket(self.tick())
    }

    /// Numbers a question before it is sent; `None` for blobs, because they do not reveal the row.
    pub(super) fn ticket(&mut self, request: &Request) -> Option<Ticket> {
        match request {
            Request::Load | Request::Commit(_) => Some(self.number()),
            Request::Blobs(_) => None,
        }
    }

    /// Returns the kept row, and whether a run may decide on it.
    pub(super) fn start(&self, canvas: &CanvasId, begin: Begin, now: Timestamp) -> (Option<CachedRow>, bool) {
        let Some(Cached { row, is_current, .. }) = self.canvases.get(canvas) else { return (None, false) };
        let is_good_for_it = match begin {
            Begin::Load => false,
            Begin::Current => *is_current,
            Begin::Cached => true,
        };
        // If the host's clock went back, the store must say whether its own did too.
        (Some(row.clone()), is_good_for_it && now >= row.host_at)
    }

    /// Takes an answer of the store before the run does.
    pub(super) fn answered(&mut self, canvas: &CanvasId, response: &Response) {
        // The commit may have landed, or may still land.
        if let Response::Committed(Err(_)) = response {
            self.forget(canvas);
        }
    }

    /// Keeps the row after a commit of the queue; `Ok(None)` if the commit wrote no row.
    pub(super) fn committed<E>(
        &mut self,
        canvas: &CanvasId,
        row: Result<Option<CachedRow>, E>,
        ticket: Ticket,
    ) {
        match row {
            Ok(Some(row)) if is_worth_it(&row) => self.keep(canvas, &row, Some(ticket)),
            Ok(None) => {}
            // The commit may have landed, or may still land.
            Ok(Some(_)) | Err(_) => self.forget(canvas),
        }
    }

    /// Keeps the row that a run ends with. The ticket numbers the question that the row answers; `None` if the row came
    /// from the cache.
    pub(super) fn ended<A>(
        &mut self,
        canvas: &CanvasId,
        ended: &Result<Done<A>, EngineError>,
        ticket: Option<Ticket>,
    ) {
        match ended {
            // The queue already reported this row.
            Ok(Done { row: Some(_), is_newest: false, .. }) => {}
            Ok(Done { row: Some(row), .. }) if is_worth_it(row) => self.keep(canvas, row, ticket),
            Ok(_) | Err(EngineError::NotFound { .. }) => self.forget(canvas),
            Err(_) => {}
        }
    }

    fn keep(&mut self, canvas: &CanvasId, row: &CachedRow, ticket: Option<Ticket>) {
        let is_current = ticket.is_some_and(|ticket| self.is_later(canvas, ticket));
        let used = self.tick();
        match self.canvases.get_mut(canvas) {
            Some(cached) if cached.row.version == row.version => {
                let old = std::mem::replace(&mut cached.row, row.clone());
                let new = std::mem::take(&mut cached.row.contents);
                cached.row.contents = new.of(&row.head, Some(&old.contents), &Fetched::default());
                cached.is_current |= is_current;
                cached.used = used;
            }
            // The run asked no question, and the row that it began with is no longer kept.
            _ if ticket.is_none() => {}
            Some(cached) if !is_current => (cached.is_current, cached.since) = (false, used),
            _ => {
                let bytes = self.canvases.get(canvas).map_or(0, |cached| cached.bytes);
                let cached = Cached { row: row.clone(), is_current, since: used, used, bytes };
                self.canvases.insert(canvas.clone(), cached);
            }
        }
        self.weigh(canvas);
        if self.last.as_ref() != Some(canvas)
            && let Some(last) = self.last.replace(canvas.clone())
        {
            self.weigh(&last);
        }
        self.make_room();
    }

    /// Measures the current weight of a canvas, and drops the canvas if it alone exceeds the limit.
    fn weigh(&mut self, canvas: &CanvasId) {
        let Some(cached) = self.canvases.get_mut(canvas) else { return };
        let bytes = cached.row.approximate_bytes();
        self.bytes = self.bytes - cached.bytes + bytes;
        cached.bytes = bytes;
        // A row that is too large by itself would displace all others.
        if bytes > self.limit {
            self.forget(canvas);
        }
    }

    /// Whether the answer to a question is at least as new as everything that the engine returned or was notified of.
    pub(super) fn is_later(&self, canvas: &CanvasId, Ticket(asked): Ticket) -> bool {
        asked >= self.canvases.get(canvas).map_or(self.since, |cached| cached.since)
    }

    fn make_room(&mut self) {
        if self.canvases.len() > CAPACITY {
            self.drop_oldest(CAPACITY / 2, self.limit);
        } else if self.bytes > self.limit {
            self.drop_oldest(CAPACITY, self.limit / 4 * 3);
        }
    }

    /// Drops the least recently used canvases until at most this many canvases and bytes are left. The newest stays if
    /// it alone is within the limit. It drops many at once, so that it rarely has to walk over all canvases.
    fn drop_oldest(&mut self, canvases: usize, bytes: usize) {
        let mut newest: Vec<(u64, usize)> =
            self.canvases.values().map(|cached| (cached.used, cached.bytes)).collect();
        newest.sort_unstable_by_key(|(used, _)| Reverse(*used));
        let mut left = 0;
        let stays = newest.iter().take(canvases).enumerate().take_while(|(i, (_, weight))| {
            left += weight;
            left <= if *i == 0 { self.limit } else { bytes }
        });
        let oldest = stays.last().map_or(u64::MAX, |(_, (used, _))| *used);
        self.canvases.retain(|_, cached| cached.used >= oldest);
        self.bytes = self.canvases.values().map(|cached| cached.bytes).sum();
        self.since = self.tick();
    }

    /// Drops the kept row of a canvas. The engine was notified of a change, or does not know the fate of its own
    /// commit.
    pub(super) fn forget(&mut self, canvas: &CanvasId) {
        let gone = self.canvases.remove(canvas);
        self.bytes -= gone.map_or(0, |cached| cached.bytes);
        self.since = self.tick();
    }

    /// Returns the kept row if it is current.
    pub(super) fn current(&self, canvas: &CanvasId) -> Option<&CachedRow> {
        self.canvases.get(canvas).filter(|cached| cached.is_current).map(|cached| &cached.row)
    }

    /// Returns the blame of a head's document, if it is kept.
    pub(super) fn blame(&self, head: &Head) -> Option<Arc<Blame>> {
        Blame::known(&self.canvases.get(head.canvas())?.row.contents, head)
    }

    /// Keeps the blame of the kept row, if it is that of its document.
    pub(super) fn put_blame(&mut self, canvas: &CanvasId, blame: &Arc<Blame>) {
        let Some(cached) = self.canvases.get_mut(canvas) else { return };
        if blame.is_of(&cached.row.head) {
            Arc::clone(blame).put(&mut cached.row.contents);
            self.weigh(canvas);
        }
    }

    /// Returns the document of the kept row, current or not.
    pub(super) fn document(&self, canvas: &CanvasId) -> Option<Blob> {
        self.canvases.get(canvas)?.row.contents.document().cloned()
    }

    /// The state that later answers depend on, together with [`Cache::is_later`] for the questions in flight.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn row(&self, canvas: &CanvasId) -> Option<(&CachedRow, bool)> {
        self.canvases.get(canvas).map(|cached| (&cached.row, cached.is_current))
    }
}

/// Whether a canvas exists and its document is loaded.
fn is_worth_it(row: &CachedRow) -> bool {
    !row.head.is_deleted() && row.contents.document().is_some()
}
