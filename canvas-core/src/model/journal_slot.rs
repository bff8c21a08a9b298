//! The head's pointers into the journal.

use canvas_lease::safe_integer;
use serde::{Deserialize, Serialize};

use crate::model::blob::BlobId;
use crate::model::links::{Links, NearLinks};
use crate::model::receipt::is_zero;
use crate::model::touched::Touched;
use crate::model::unknown::Unknown;

/// A stored blame is about this many entries old when the next one is due.
pub(crate) const BLAME_EVERY: u64 = 256;

/// The head's part of the journal. Each entry names the previous one, so a commit writes only one entry and this slot,
/// however many entries there are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "StoredSlot")]
pub struct JournalSlot {
    /// The last entry; `None` before the first one, and after the history was cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<BlobId>,
    /// The entry that undo takes next; `None` if the undo stack is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<BlobId>,
    /// The undo entry that redo takes next; `None` if the redo stack is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo: Option<BlobId>,
    /// Number of entries ever made, which is also the number of the last one. Each has its own revision, so there are
    /// at most as many entries as revisions.
    pub entries: u64,
    /// Oldest retained entry. Older ones may be collected and are never read. Zero if all are kept, as in heads from
    /// before collections existed.
    #[serde(skip_serializing_if = "is_zero")]
    pub kept_from: u64,
    /// Number of effect entries ever made. The other entries are changes.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) effects: u64,
    /// If the last entries are effects, the entry before them with its number. If no entry precedes them, the first of
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before_effects: Option<(u64, BlobId)>,
    #[serde(skip_serializing_if = "Links::is_empty")]
    pub(crate) links: Links,
    /// Further entries, so that many are reached in few rounds. `None` in formats that older libraries read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) near: Option<NearLinks>,
    /// Places of the state touched by effects since the oldest change that can be undone or redone.
    #[serde(skip_serializing_if = "Touched::is_empty")]
    pub(crate) touched: Touched,
    /// The last stored blames, newest last, with the numbers of the entries after which they hold. The store may lack
    /// them, because an older library collects them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) blames: Vec<(u64, BlobId)>,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
}

/// The stored form of a slot in any version.
#[derive(Deserialize)]
struct StoredSlot {
    last: Option<BlobId>,
    undo: Option<BlobId>,
    redo: Option<BlobId>,
    #[serde(default, deserialize_with = "safe_integer::deserialize")]
    entries: u64,
    #[serde(default, deserialize_with = "safe_integer::deserialize")]
    kept_from: u64,
    #[serde(default, deserialize_with = "safe_integer::deserialize")]
    effects: u64,
    before_effects: Option<(u64, BlobId)>,
    #[serde(default)]
    links: Links,
    near: Option<NearLinks>,
    /// Links as older versions wrote them, by powers of 16.
    #[serde(default)]
    skips: Vec<BlobId>,
    #[serde(default)]
    touched: Touched,
    #[serde(default)]
    blames: Vec<(u64, BlobId)>,
    #[serde(flatten)]
    unknown: Unknown,
}

impl From<StoredSlot> for JournalSlot {
    fn from(stored: StoredSlot) -> Self {
        let StoredSlot { last, undo, redo, entries, kept_from, effects, before_effects, .. } = stored;
        let StoredSlot { links, near, skips, touched, blames, unknown, .. } = stored;
        let links = if links.is_empty() { Links::of_sixteens(&skips) } else { links };
        Self {
            last,
            undo,
            redo,
            entries,
            kept_from,
            effects,
            before_effects,
            links,
            near,
            touched,
            blames,
            unknown,
        }
    }
}

impl JournalSlot {
    /// Returns the blobs that the slot names.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> + use<> {
        let before_effects = self.before_effects.map(|(_, id)| id);
        [self.last, self.undo, self.redo, before_effects].into_iter().flatten()
    }

    /// Returns the entries that the slot names with their numbers, except the tops of the undo and redo stacks.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (u64, BlobId)> {
        let near = self.near.iter().flat_map(|near| near.marks(self.entries));
        self.last.map(|id| (self.entries, id)).into_iter().chain(self.links.marks(self.entries)).chain(near)
    }

    /// Whether the next stored blame is due.
    pub(crate) fn is_blame_due(&self) -> bool {
        let stored = self.blames.last().map_or(0, |(number, _)| *number);
        self.entries.saturating_sub(stored) >= BLAME_EVERY
    }

    /// Whether the stored blames are few, and of entries that were made.
    pub(crate) fn are_blames_consistent(&self) -> bool {
        self.blames.len() <= 2 && self.blames.iter().all(|(number, _)| *number <= self.entries)
    }

    /// Names the stored blame of the last entry, and gives up all but the one before it.
    pub(crate) fn name_blame(&mut self, blame: BlobId) {
        self.blames.drain(..self.blames.len().saturating_sub(1));
        self.blames.push((self.entries, blame));
    }

    /// Returns the slot without history. Numbers continue.
    pub(crate) fn cleared(&self) -> Self {
        let Self { entries, kept_from, effects, .. } = *self;
        Self { entries, kept_from, effects, unknown: self.unknown.clone(), ..Self::default() }
    }
}
