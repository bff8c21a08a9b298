//! The receipts of a canvas, and their retention.
//!
//! * The receipt of a change is kept while it is among the newest (`Bounds::changes`) or younger than
//!   `Bounds::lifetime`, up to `Bounds::most` in total. Beyond that, the oldest is dropped even if it is young, so that
//!   the head and its blobs stay bounded.
//! * Refusals that changed no content are kept separately, limited only by number, and displace no receipt of a change.
//! * Receipts of the current lease are never dropped. Receipts of a deleted canvas stay with its tombstone.
//! * Receipts in pages are dropped only by whole pages, and pages in the index only when it is replaced. Therefore, up
//!   to a few dozen more are kept than the limits say.
//! * A call whose receipt is gone is a new call, decided on the current canvas.
//! * Ages are measured by a clock that never goes back and limits forward leaps, see [`Elapsed`].

use std::time::Duration;

use canvas_lease::{Fence, Timestamp, safe_integer};
use serde::{Deserialize, Serialize, Serializer};

use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::op_key::OpKey;
use crate::model::receipt::{Answer, Digest, Recall, Receipt};
use crate::model::shelf::{Page, Room, Share, Shelf, Written};
use crate::model::unknown::Unknown;

/// Limits for receipts. Receipts of the live lease do not count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Receipts of changes, regardless of age.
    pub(crate) changes: usize,
    /// Receipts of changes in total, including young ones. If it is less than `changes`, that limit applies instead.
    pub(crate) most: usize,
    pub(crate) refusals: usize,
    /// The time for which a change is young. Zero if no change is.
    pub(crate) lifetime: Duration,
    /// The shares of the head that changes and refusals may take.
    pub(crate) shares: [Share; 2],
    /// The amount by which a clock may fall back and still be correct.
    pub(crate) clock_tolerance: Duration,
}

/// Receipts of changes get the larger share, because retries ask for them more often.
pub(crate) const CHANGES: Share = Share { bytes: 2_560, pages: 5 };
pub(crate) const REFUSALS: Share = Share { bytes: 768, pages: 1 };

/// The circumstances under which a receipt is left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occasion {
    /// Whether the call was refused and changed no content.
    pub(crate) is_refusal: bool,
    /// The lease held after the call.
    pub(crate) live: Option<Fence>,
    /// The store's clock, if it is known.
    pub(crate) clock: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(from = "Stored")]
pub(crate) struct Receipts {
    changes: Shelf,
    refusals: Shelf,
    /// Calls of the last lease issued.
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

/// The age of receipts, in milliseconds of elapsed time.
///
/// Time advances with the highest clock seen so far, but between two calls by at most an eighth of the lifetime. A
/// clock that leaps a year ahead therefore ages no receipt by more than that. If a clock falls back by more than the
/// tolerance, it is trusted from then on, and the time does not advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Elapsed {
    #[serde(deserialize_with = "safe_integer::deserialize")]
    millis: u64,
    /// The highest clock seen; `None` before the first.
    clock: Option<Timestamp>,
}

impl Elapsed {
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    fn observe(&mut self, clock: Timestamp, bounds: &Bounds) {
        let highest = self.clock.unwrap_or(clock);
        let passed = clock.saturating_duration_since(highest).min(bounds.lifetime / 8);
        let passed = u64::try_from(passed.as_millis()).unwrap_or(safe_integer::MAX);
        self.millis = self.millis.saturating_add(passed).min(safe_integer::MAX);
        let is_believed = highest.saturating_duration_since(clock) > bounds.clock_tolerance;
        self.clock = Some(if is_believed { clock } else { highest.max(clock) });
    }

    /// Returns the earliest time of a receipt that is still young.
    fn young_from(self, lifetime: Duration) -> u64 {
        let lifetime = u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX);
        (self.millis + 1).saturating_sub(lifetime)
    }
}

/// The stored JSON of receipts. In version 0.1.0 refusals were among the changes, and receipts had no time.
#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    index: Option<BlobId>,
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
        let Stored { index, pages, recent, refusals, lease, elapsed, unknown } = stored;
        Self { changes: Shelf { index, pages, recent }, refusals, lease, elapsed, unknown }
    }
}

/// The same JSON, for writing.
#[derive(Serialize)]
struct StoredRef<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<BlobId>,
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
        let Self { changes: Shelf { index, pages, recent }, refusals, lease, elapsed, unknown } = self;
        let stored =
            StoredRef { index: *index, pages, recent, refusals, lease: *lease, elapsed: *elapsed, unknown };
        stored.serialize(serializer)
    }
}

impl Receipts {
    /// Looks up an operation. `blob` supplies the pages that may contain it.
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

    /// Returns the receipt of an operation, regardless of its arguments.
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

    fn newest(&self, operation: &OpKey) -> Option<&Receipt> {
        self.changes.newest(operation).or_else(|| self.refusals.newest(operation))
    }

    /// Returns all receipts, with refusals last.
    #[cfg(all(test, feature = "surface"))]
    pub(crate) fn all<'a>(&self, blob: impl Fn(BlobId) -> Option<&'a Blob>) -> Vec<Receipt> {
        [self.changes.all(&blob), self.refusals.all(&blob)].concat()
    }

    /// Returns the number of calls under a lease.
    pub(crate) fn of_fence(&self, fence: Fence) -> u64 {
        self.lease.filter(|lease| lease.fence == fence).map_or(0, |lease| lease.calls)
    }

    /// Adds a receipt, and drops those beyond the limits. New pages are added to `blobs`, and `blob` supplies the index
    /// of older ones.
    pub(crate) fn push<'a>(
        &mut self,
        mut receipt: Receipt,
        occasion: Occasion,
        bounds: &Bounds,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
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
            let room = Room { share: bounds.shares[1], live, keep, most: keep, young_from: 0 };
            self.refusals.push(receipt, &room, blob, blobs);
        } else {
            let (keep, most) = (bounds.changes, bounds.most.max(bounds.changes));
            let young_from = self.elapsed.young_from(bounds.lifetime);
            let room = Room { share: bounds.shares[0], live, keep, most, young_from };
            self.changes.push(receipt, &room, blob, blobs);
        }
    }

    /// Erases the answers but keeps the fact that they existed. `blob` supplies the pages; their replacements are added
    /// to `blobs`.
    pub(crate) fn erase<'a>(
        &mut self,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) -> Result<(), Missing> {
        self.changes.erase(&blob, blobs)?;
        self.refusals.erase(&blob, blobs)
    }

    /// Returns the approximate size in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.changes.approximate_bytes() + self.refusals.approximate_bytes()
    }

    /// Returns the indexes of older pages, which a call needs in memory.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = BlobId> + use<> {
        self.changes.index.into_iter().chain(self.refusals.index)
    }

    /// Returns the blobs of indexes, pages and answers that the head names. An index names others.
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
