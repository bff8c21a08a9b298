//! Settings that a host chooses once for its engine.

use std::time::Duration;

use canvas_patch::Limits;

#[cfg(feature = "board")]
use crate::board::BoardRules;
use crate::history::kept::KeepLimits;
use crate::model::receipts::{Bounds, CHANGES, REFUSALS};
#[cfg(test)]
use crate::model::shelf::Share;
#[cfg(feature = "recipe")]
use crate::recipe::RecipeLimits;
#[cfg(feature = "surface")]
use crate::surface::SurfaceLimits;
use crate::transition::refusal::CallRefusal;
use crate::transition::rollout::{Access, Rollout};

/// Durations, size limits and permissions for models, in groups of fields that belong together.
///
/// Set a single field through a mutable value, and several in a literal:
///
/// ```
/// use canvas_core::Policy;
/// use canvas_core::policy::{HistoryLimits, WriteRules};
///
/// let mut policy = Policy::default();
/// policy.document.bytes = 1 << 20;
///
/// let policy = Policy {
///     writes: WriteRules { rebase: true, retake: true, ..WriteRules::default() },
///     history: HistoryLimits { changes: 1_000, ..HistoryLimits::default() },
///     ..policy
/// };
/// ```
///
/// # How `rollout`, `rebase` and `retake` combine
///
/// [`rollout`](Self::rollout) is a scale of five stages, and all canvases of the engine are at the same stage. It says
/// what models may do and whether they need a lease. [`rebase`](WriteRules::rebase) and [`retake`](WriteRules::retake)
/// are two independent switches. They apply at every stage at which models write (`retake` only at those with leases),
/// and only to [`ApplyPatch`](crate::document::ApplyPatch) and [`ReplaceLines`](crate::document::ReplaceLines). A
/// person's [`Edit`](crate::document::Edit) with a base is moved past later changes at every stage.
///
/// If people type all the time, the lease is a hindrance, because each of their edits ends it and the model has to
/// check out again. `retake` does not help, because it renews only a lease that expired. Instead, choose
/// [`Rollout::Write`] and `rebase`:
///
/// ```
/// use canvas_core::Policy;
/// use canvas_core::policy::WriteRules;
/// use canvas_core::rollout::Rollout;
///
/// let writes = WriteRules { rebase: true, ..WriteRules::default() };
/// let typing = Policy { rollout: Rollout::Write, writes, ..Policy::default() };
/// ```
///
/// A person's edit then costs the model no check-out. The model's patch is applied if nobody changed the lines that it
/// quotes, or inserted lines between them. Otherwise the patch is refused, and the refusal carries the changes. The
/// price is that two conversations may write alternately, because neither holds a lease.
///
/// # Changing it on a store with data
///
/// The policy is not stored. You may change each field at any time, in both directions, with these effects on existing
/// canvases:
///
/// | field | if you lower it |
/// | --- | --- |
/// | `document`, `board`, `surface`, `recipe` | existing content stays readable; a change whose result exceeds the limit is refused. However, a document of more than 64 MiB cannot be read if the limit is below its size |
/// | `history.changes`, `history.effects` | older entries are out of reach at once; [`Engine::collect`](crate::Engine::collect) then drops them for good, and until then a higher value brings them back. `history.changes: 0` clears the journal with the next change |
/// | `surface.audit` | the same for records of actions |
/// | `history.entry_bytes`, `history.reach` | the new value applies to later calls |
/// | `receipts`, except for `calls_per_lease` | the next call that leaves a receipt drops the receipts beyond the limits; a retry of a call without a receipt is a new call |
/// | `sync.conversations` | the surplus is evicted when a new conversation arrives |
/// | `lease`, `receipts.calls_per_lease` | a lease issued before keeps its expiry; the next call under it is judged by the new values |
/// | `min_blob_age` | must stay longer than any commit or read may take, on every server that collects |
/// | the others | no effect on stored data |
///
/// # Several servers
///
/// Servers need not have the same policy for the canvases to stay whole, because each commit is one compare-and-swap
/// and each server decides by its own policy. You can therefore roll out a new policy server by server. Until all have
/// the same one, a call's answer depends on the server that runs it. For retention the lowest value wins, because a
/// receipt or an entry that one server drops is gone for all. `cache_bytes` and `back_off` concern one process alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// How far the tools for models are rolled out. By default, the rollout is complete, so that
    /// [`Read`](crate::document::Read), [`ApplyPatch`](crate::document::ApplyPatch) and
    /// [`ReplaceLines`](crate::document::ReplaceLines) need a lease.
    pub rollout: Rollout,
    /// Whether the host keeps its documents in Git. If so, models have no tools, whatever the rollout. Default false.
    pub git_mode: bool,
    /// Rules for writes to documents.
    pub writes: WriteRules,
    /// Size limits for documents and patches.
    pub document: DocumentLimits,
    /// Rules and size limits for boards.
    #[cfg(feature = "board")]
    pub board: BoardRules,
    /// Size limits for surfaces.
    #[cfg(feature = "surface")]
    pub surface: SurfaceLimits,
    /// Size limits for recipes and their data, and limits on how often they are replayed.
    #[cfg(feature = "recipe")]
    pub recipe: RecipeLimits,
    /// Lifetime of leases.
    pub lease: canvas_lease::LeasePolicy,
    /// Retention of receipts, which answer retries.
    pub receipts: ReceiptLimits,
    /// Limits for what conversations are shown of a document and its changes.
    pub sync: SyncLimits,
    /// Limits for the journal and for undo.
    pub history: HistoryLimits,
    /// Minimum age, by the store's clock, at which [`Engine::collect`](crate::Engine::collect) drops a blob. It must be
    /// longer than any commit or read of a canvas may take. Default 1 minute.
    pub min_blob_age: Duration,
    /// Maximum pause of a call or a collection after every second commit race it loses, if the engine has a sleep
    /// function ([`Engine::with_sleep`](crate::Engine::with_sleep)). The actual pause differs between calls, so that
    /// only a few of many servers contend for one canvas at once. Each lost attempt costs a database as much as a read.
    /// Default 24 ms; zero to disable.
    pub back_off: Duration,
    /// Approximate bytes of canvases that an engine caches between calls: texts, outlines, boards and heads. Beyond
    /// that, the least recently used are evicted, and are loaded again when needed. The cache also holds at most 1,024
    /// canvases. Default 256 MiB; 0 disables the cache.
    pub cache_bytes: usize,
    /// Whether the head may take as little as possible for receipts.
    #[cfg(test)]
    pub(crate) small_head: bool,
}

/// Rules for writes to documents, by models and, for `merge_words`, by people. All are off by default.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WriteRules {
    /// Whether to refuse models' patches and line replacements that change the meaning of lines they do not touch, for
    /// example by an unclosed code fence, a new or removed heading or list item, or front matter.
    pub refuse_side_effects: bool,
    /// Whether to refuse models' patches as `NOT_LOCATED` if they change lines that no search, read or outline of the
    /// turn showed or listed. Applies to [`ApplyPatch`](crate::document::ApplyPatch) with
    /// [`ShownLines`](crate::document::ShownLines). Line replacements are exempt because they name the hash of their
    /// lines, and so are structured edits, because they name their place, and the tools of native dialects.
    pub require_located: bool,
    /// Whether to apply a patch that names no base if its conversation has not seen the current document. Each of its
    /// places must be unambiguous and untouched by the changes unknown to the conversation, and the reply shows those
    /// changes. If false, such a patch is refused, with the changes.
    pub rebase: bool,
    /// Whether a write under an expired lease takes a new one in its own commit. This requires that nobody held the
    /// canvas in the meantime, that the epoch is the same, and that the holder's conversation saw the current document.
    /// If false, the write is refused.
    pub retake: bool,
    /// Whether a person's [`Edit`](crate::document::Edit) is merged by words with later changes of the same lines. This
    /// applies to paragraphs, headings, list items and quotes, by the rules of
    /// [`merge_words`](canvas_patch::merge_words). Lines that people insert at one place are then all kept. If false, such
    /// an edit is refused instead, unless each conversation has its own turn
    /// ([`WorkMode::Collaborative`](crate::turn::WorkMode::Collaborative)). Models' patches are never merged by words.
    pub merge_words: bool,
}

/// Size limits for documents and patches.
///
/// If you raise [`bytes`](Self::bytes) above [`patch.text_bytes`](Limits::text_bytes) (64 MiB), raise both, because a
/// patch to a larger text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DocumentLimits {
    /// Maximum size of a document in bytes. Default 16 MiB.
    pub bytes: usize,
    /// Size limits for patches.
    pub patch: Limits,
}

/// Retention of receipts. While a call's receipt is kept, a retry of the call is answered from the receipt and does not
/// run again.
///
/// Receipts of the live lease are kept in addition, up to [`calls_per_lease`](Self::calls_per_lease). The newest
/// [`min_changes`](Self::min_changes) other changes are always kept, and up to [`max_changes`](Self::max_changes) if
/// they are within [`lifetime`](Self::lifetime). Set these three together. For example, to keep exactly the last 500,
/// set `min_changes` to 500 and `lifetime` to zero. For a longer `lifetime`, raise `max_changes` to the number of
/// changes that you expect within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReceiptLimits {
    /// Number of change receipts kept regardless of age. Default 128.
    pub min_changes: usize,
    /// Maximum number of change receipts. If more fall within [`lifetime`](Self::lifetime), the oldest are dropped
    /// early. Most of them are stored outside the head. Default 2,048; if it is less than
    /// [`min_changes`](Self::min_changes), that value applies instead.
    pub max_changes: usize,
    /// Minimum lifetime of a change's receipt, by the store's clock. If the receipt of a call is gone, a retry is a new
    /// call, so an edit without a base then replaces everything written since. Default 10 minutes; zero for no minimum.
    pub lifetime: Duration,
    /// Number of receipts of refusals kept. They never displace a receipt of a change. Default 64.
    pub refusals: usize,
    /// Maximum number of calls under one lease. Their receipts are never dropped while the lease is live. Default 512.
    pub calls_per_lease: usize,
}

/// Limits for what conversations are shown of a document and its changes.
///
/// A model that missed changes gets a diff, the whole document or only the headings. The size limits decide which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SyncLimits {
    /// Number of conversations that a canvas follows, at least 1. Beyond that, the least recently updated conversation
    /// is evicted. If it returns, it gets the whole document. Default 256.
    pub conversations: usize,
    /// Maximum size in bytes of a document that the first message to a conversation carries whole. For a larger
    /// document, it carries the headings. Default 64 KiB.
    pub snapshot_bytes: usize,
    /// Maximum bytes of a hidden diff. A larger diff is replaced by the whole document if that is smaller. Default 32
    /// KiB.
    pub diff_bytes: usize,
    /// Maximum bytes of a diff, or of document lines, in a refusal. Default 32 KiB.
    pub refusal_diff_bytes: usize,
}

/// Limits for the journal and for undo.
///
/// [`changes`](Self::changes) and [`effects`](Self::effects) limit separate counts of one journal. If you raise one of
/// them, check the other, because when old effects are dropped, the changes before them are dropped, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HistoryLimits {
    /// Number of changes that the journal keeps for undo and history. The oldest are forgotten first. Effects of tools
    /// and jobs do not count, so that no poll displaces a change that a person may undo. Default 100,000; 0 disables
    /// the journal.
    pub changes: u64,
    /// Number of effects of tools and jobs that the journal keeps in addition to the changes. Beyond that, the oldest
    /// effects are forgotten together with the changes before them. Default 1,000,000, about a year of a poll every 30
    /// seconds.
    pub effects: u64,
    /// Maximum number of changes that an undo takes back or is moved past, taken together, and of later changes that an
    /// edit of an older revision is moved past. Effects do not count. Undo of an actor's changes searches 64 times as
    /// many entries, and moves changes past at most 16 times the square of this number. If it is to undo the last few
    /// and finds only some of them, it undoes these. Default 256.
    pub reach: usize,
    /// Maximum bytes of old and new text that a journal entry contains. For a larger change, both documents are kept
    /// instead. Default 1 MiB.
    pub entry_bytes: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            rollout: Rollout::default(),
            git_mode: false,
            writes: WriteRules::default(),
            document: DocumentLimits::default(),
            #[cfg(feature = "board")]
            board: BoardRules::default(),
            #[cfg(feature = "surface")]
            surface: SurfaceLimits::default(),
            #[cfg(feature = "recipe")]
            recipe: RecipeLimits::default(),
            lease: canvas_lease::LeasePolicy::default(),
            receipts: ReceiptLimits::default(),
            sync: SyncLimits::default(),
            history: HistoryLimits::default(),
            min_blob_age: Duration::from_secs(60),
            back_off: Duration::from_millis(24),
            cache_bytes: 256 << 20,
            #[cfg(test)]
            small_head: false,
        }
    }
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self { bytes: 16 << 20, patch: Limits::default() }
    }
}

impl Default for ReceiptLimits {
    fn default() -> Self {
        Self {
            min_changes: 128,
            max_changes: 2_048,
            lifetime: Duration::from_secs(600),
            refusals: 64,
            calls_per_lease: 512,
        }
    }
}

impl Default for SyncLimits {
    fn default() -> Self {
        Self {
            conversations: 256,
            snapshot_bytes: 64 << 10,
            diff_bytes: 32 << 10,
            refusal_diff_bytes: 32 << 10,
        }
    }
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { changes: 100_000, effects: 1_000_000, reach: 256, entry_bytes: 1 << 20 }
    }
}

impl Policy {
    pub(crate) fn receipt_bounds(&self) -> Bounds {
        Bounds {
            changes: self.receipts.min_changes,
            most: self.receipts.max_changes,
            refusals: self.receipts.refusals,
            lifetime: self.receipts.lifetime,
            #[cfg(not(test))]
            shares: [CHANGES, REFUSALS],
            // With a small head, every receipt but the newest is behind an index.
            #[cfg(test)]
            shares: if self.small_head { [Share { bytes: 0, pages: 0 }; 2] } else { [CHANGES, REFUSALS] },
            clock_tolerance: self.lease.clock_tolerance,
        }
    }

    pub(crate) const fn keep_limits(&self) -> KeepLimits {
        KeepLimits { changes: self.history.changes, effects: self.history.effects }
    }

    /// Number of action records to keep.
    pub(crate) const fn audit_records(&self) -> u64 {
        #[cfg(feature = "surface")]
        return self.surface.audit;
        // Only builds with `surface` can read these records, so only they bound them.
        #[cfg(not(feature = "surface"))]
        u64::MAX
    }

    /// Checks whether models may ever have this access. Each call decides if a model has it now.
    ///
    /// # Errors
    ///
    /// [`CallRefusal::GitMode`] in Git mode, [`CallRefusal::Disabled`] if the rollout does not include the access.
    pub fn permits(&self, access: Access) -> Result<(), CallRefusal> {
        let rollout = self.rollout;
        let is_open = match access {
            Access::Read => !matches!(rollout, Rollout::Off),
            Access::Write => !matches!(rollout, Rollout::Off | Rollout::ReadOnly),
            Access::Lease => rollout.has_leases(),
        };
        match (self.git_mode, is_open) {
            (true, _) => Err(CallRefusal::GitMode),
            (false, false) => Err(CallRefusal::Disabled { rollout }),
            (false, true) => Ok(()),
        }
    }
}
