//! Where the journal hangs on the head.

use canvas_lease::safe_integer;
use serde::{Deserialize, Serialize};

use crate::model::blob::BlobId;
use crate::model::links::Links;
use crate::model::receipt::is_zero;
use crate::model::touched::Touched;
use crate::model::unknown::Unknown;

/// The head's part of the journal. Each entry names the one before, so that a commit writes one entry and this
/// slot, however many there are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "StoredSlot")]
pub struct JournalSlot {
    /// The last entry; `None` before the first, and after the history was cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<BlobId>,
    /// The entry that undo takes back next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<BlobId>,
    /// The undoing that redo takes back next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo: Option<BlobId>,
    /// Entries that were ever made; the last one has this number. Each has a revision of its own, so there are no more
    /// than those.
    pub entries: u64,
    /// The oldest entry that is kept; what is older may be dropped, and nobody goes there. Zero where all are kept, as in
    /// heads from before there were collections.
    #[serde(skip_serializing_if = "is_zero")]
    pub kept_from: u64,
    /// Entries of effects that were ever made; the others are changes.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) effects: u64,
    /// Where effects have come last: the entry before them with its number, or the first of them where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before_effects: Option<(u64, BlobId)>,
    /// Links down to old entries.
    #[serde(skip_serializing_if = "Links::is_empty")]
    pub(crate) links: Links,
    /// Where effects have changed the state since the oldest change that can be undone or redone.
    #[serde(skip_serializing_if = "Touched::is_empty")]
    pub(crate) touched: Touched,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
}

/// A slot as it may be stored.
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
    /// Links as they were before, by powers of 16.
    #[serde(default)]
    skips: Vec<BlobId>,
    #[serde(default)]
    touched: Touched,
    #[serde(flatten)]
    unknown: Unknown,
}

impl From<StoredSlot> for JournalSlot {
    fn from(stored: StoredSlot) -> Self {
        let StoredSlot { last, undo, redo, entries, kept_from, effects, before_effects, .. } = stored;
        let StoredSlot { links, skips, touched, unknown, .. } = stored;
        let links = if links.is_empty() { Links::of_sixteens(&skips) } else { links };
        Self { last, undo, redo, entries, kept_from, effects, before_effects, links, touched, unknown }
    }
}

impl JournalSlot {
    /// The blobs that it names.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> + use<> {
        let before_effects = self.before_effects.map(|(_, id)| id);
        [self.last, self.undo, self.redo, before_effects].into_iter().flatten()
    }

    /// The entries that it names with their numbers, but for those of the stacks.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (u64, BlobId)> + use<> {
        self.last.map(|id| (self.entries, id)).into_iter().chain(self.links.marks(self.entries))
    }

    /// Without history. Numbers go on.
    pub(crate) fn cleared(&self) -> Self {
        let Self { entries, kept_from, effects, .. } = *self;
        Self { entries, kept_from, effects, unknown: self.unknown.clone(), ..Self::default() }
    }
}
