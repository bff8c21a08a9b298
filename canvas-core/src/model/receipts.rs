//! The receipts of a canvas, and how long they are kept.
//!
//! * A change is remembered while it is among the newest (`Bounds::changes`) or younger than `Bounds::lifetime`, in all
//!   at most `Bounds::most`: of more the oldest goes, although it is young. So the head and its blobs stay bounded.
//! * What changed nothing because it was refused is kept apart, by number alone, and drops no receipt of a change.
//! * Receipts of the current lease are never dropped; those of a deleted canvas stay with its tombstone.
//! * Of those that lie in pages only whole pages go, so up to 15 more are kept than the numbers say.
//! * A call whose receipt is gone is a new call: it is decided on the canvas as it is.
//! * Ages are measured by a clock that never goes back and takes no leap at its word, see [`Elapsed`].

use std::time::Duration;

use canvas_lease::{Fence, Timestamp, safe_integer};
use serde::{Deserialize, Serialize, Serializer};

use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::id::OpKey;
use crate::model::receipt::{Answer, Digest, Recall, Receipt};
use crate::model::shelf::{Page, Room, Shelf, Written};
use crate::model::unknown::Unknown;

/// How many receipts are kept besides those of the live lease, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Changes, whatever their age.
    pub(crate) changes: usize,
    /// Changes in all, the young ones with them; where it is less than `changes`, that counts.
    pub(crate) most: usize,
    pub(crate) refusals: usize,
    /// How long a change is young. Zero for no time at all.
    pub(crate) lifetime: Duration,
    /// By how much a clock may fall back and still be right.
    pub(crate) clock_tolerance: Duration,
}

/// What a call has come to, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occasion {
    /// It was refused and changed nothing.
    pub(crate) is_refusal: bool,
    /// The lease that is held after it.
    pub(crate) live: Option<Fence>,
    /// The store's clock, where it is known.
    pub(crate) clock: Option<Timestamp>,
}

/// The receipts of a canvas.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(from = "Stored")]
pub(crate) struct Receipts {
    changes: Shelf,
    refusals: Shelf,
    /// The calls of the lease that was given last.
    lease: Option<Calls>,
    elapsed: Elapsed,
    unknown: Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Calls {
    fence: Fence,
    #[serde(deserialize_with = "safe_integer::deserialize")]
    calls: u64,
}

/// The time that has passed for receipts, in milliseconds.
///
/// It passes as the highest clock seen so far does. Between two calls it passes by an eighth of the lifetime at most:
/// who leaps a year ahead ages no receipt by more than that. A clock that falls back further than it may is believed
/// from then on, and no time has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Elapsed {
    #[serde(deserialize_with = "safe_integer::deserialize")]
    millis: u64,
    /// The highest clock; `None` before the first.
    clock: Option<Timestamp>,
}

impl Elapsed {
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    fn observe(&mut self, clock: Timestamp, bounds: &Bounds) {
        let highest = self.clock.unwrap_or(clock);
        let passed = clock.saturating_since(highest).min(bounds.lifetime / 8);
        let passed = u64::try_from(passed.as_millis()).unwrap_or(safe_integer::MAX);
        self.millis = self.millis.saturating_add(passed).min(safe_integer::MAX);
        let is_believed = highest.saturating_since(clock) > bounds.clock_tolerance;
        self.clock = Some(if is_believed { clock } else { highest.max(clock) });
    }

    /// What was left before this is not young any more.
    fn young_from(self, lifetime: Duration) -> u64 {
        let lifetime = u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX);
        (self.millis + 1).saturating_sub(lifetime)
    }
}

/// The JSON of receipts. In that of version 0.1.0 refusals lie among the changes, and nothing has a time.
#[derive(Deserialize)]
struct Stored {
    pages: Vec<Written<Page>>,
    recent: Vec<Written<Receipt>>,
    #[serde(default)]
    refusals: Shelf,
    lease: Option<Calls>,
    #[serde(default)]
    elapsed: Elapsed,
    #[serde(flatten)]
    unknown: Unknown,
}

impl From<Stored> for Receipts {
    fn from(stored: Stored) -> Self {
        let Stored { pages, recent, refusals, lease, elapsed, unknown } = stored;
        Self { changes: Shelf { pages, recent }, refusals, lease, elapsed, unknown }
    }
}

/// The same, for writing.
#[derive(Serialize)]
struct StoredRef<'a> {
    pages: &'a [Written<Page>],
    recent: &'a [Written<Receipt>],
    #[serde(skip_serializing_if = "Shelf::is_empty")]
    refusals: &'a Shelf,
    lease: Option<Calls>,
    #[serde(skip_serializing_if = "Elapsed::is_zero")]
    elapsed: Elapsed,
    #[serde(flatten)]
    unknown: &'a Unknown,
}

impl Serialize for Receipts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { changes: Shelf { pages, recent }, refusals, lease, elapsed, unknown } = self;
        let stored = StoredRef { pages, recent, refusals, lease: *lease, elapsed: *elapsed, unknown };
        stored.serialize(serializer)
    }
}

impl Receipts {
    /// What is known of an operation. Pages come from `blob`, where it may be one of them.
    pub(crate) fn recall<'a>(
        &self,
        operation: &OpKey,
        digest: Digest,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
    ) -> Result<Recall, Missing> {
        Ok(match self.find(operation, blob)? {
            None => Recall::New,
            Some(Receipt { answer: Answer::Abandoned, .. }) => Recall::Abandoned,
            Some(receipt) if receipt.answer.is_erased() => Recall::Abandoned,
            Some(receipt) if receipt.digest == digest => Recall::Answered(receipt.answer),
            Some(_) => Recall::Reused,
        })
    }

    /// The receipt of an operation, whatever its arguments.
    pub(crate) fn find<'a>(
        &self,
        operation: &OpKey,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
    ) -> Result<Option<Receipt>, Missing> {
        if let Some(receipt) = self.newest(operation) {
            return Ok(Some(receipt.clone()));
        }
        match self.changes.find_in_pages(operation, &blob)? {
            Some(receipt) => Ok(Some(receipt)),
            None => self.refusals.find_in_pages(operation, blob),
        }
    }

    /// Whether the newest receipts, which the head has, know an operation.
    #[cfg(test)]
    pub(crate) fn has_newly(&self, operation: &OpKey) -> bool {
        self.newest(operation).is_some()
    }

    fn newest(&self, operation: &OpKey) -> Option<&Receipt> {
        self.changes.newest(operation).or_else(|| self.refusals.newest(operation))
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Receipt> {
        self.changes.iter().chain(self.refusals.iter())
    }

    /// How many calls a lease has made.
    pub(crate) fn of_fence(&self, fence: Fence) -> u64 {
        self.lease.filter(|lease| lease.fence == fence).map_or(0, |lease| lease.calls)
    }

    /// Keeps a receipt, and drops those for which there is no room any more. A new page is put to `blobs`.
    pub(crate) fn push(
        &mut self,
        mut receipt: Receipt,
        occasion: Occasion,
        bounds: &Bounds,
        blobs: &mut Vec<Blob>,
    ) {
        if let Some(fence) = receipt.fence {
            let calls = (self.of_fence(fence) + 1).min(safe_integer::MAX);
            self.lease = Some(Calls { fence, calls });
        }
        if let Some(clock) = occasion.clock.filter(|_| !bounds.lifetime.is_zero()) {
            self.elapsed.observe(clock, bounds);
        }
        receipt.at = self.elapsed.millis;
        let live = occasion.live;
        if occasion.is_refusal {
            let keep = bounds.refusals;
            self.refusals.push(receipt, &Room { live, keep, most: keep, young_from: 0 }, blobs);
        } else {
            let (keep, most) = (bounds.changes, bounds.most.max(bounds.changes));
            let young_from = self.elapsed.young_from(bounds.lifetime);
            self.changes.push(receipt, &Room { live, keep, most, young_from }, blobs);
        }
    }

    /// Erases the answers and keeps that there were some. Pages come from `blob`; those that take their place are put to
    /// `blobs`.
    pub(crate) fn erase<'a>(
        &mut self,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) -> Result<(), Missing> {
        self.changes.erase(&blob, blobs)?;
        self.refusals.erase(&blob, blobs)
    }

    /// Roughly what they take in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.changes.approximate_bytes() + self.refusals.approximate_bytes()
    }

    /// Blobs that hold pages and answers.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> {
        self.changes.blobs().chain(self.refusals.blobs())
    }
}

#[cfg(test)]
impl FromIterator<Receipt> for Receipts {
    fn from_iter<I: IntoIterator<Item = Receipt>>(receipts: I) -> Self {
        Self { changes: receipts.into_iter().collect(), ..Self::default() }
    }
}
