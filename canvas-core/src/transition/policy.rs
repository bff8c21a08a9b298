//! What a host decides once.

use std::time::Duration;

use canvas_patch::Limits;

#[cfg(feature = "board")]
use crate::board::BoardRules;
use crate::history::kept::KeepLimits;
use crate::model::receipts::Bounds;
#[cfg(feature = "recipe")]
use crate::recipe::RecipeLimits;
#[cfg(feature = "surface")]
use crate::surface::SurfaceLimits;
use crate::transition::refusal::CallRefusal;
use crate::transition::rollout::{Access, Rollout};

/// What models may do, durations and sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// How far the tools of models are rolled out. Default all the way: nothing without a lease.
    pub rollout: Rollout,
    /// The host keeps its documents in Git, where models have no tools whatever the rollout. Default
    /// false.
    pub git_mode: bool,
    /// What boards may be.
    #[cfg(feature = "board")]
    pub board: BoardRules,
    /// How large surfaces may be.
    #[cfg(feature = "surface")]
    pub surface: SurfaceLimits,
    /// How large recipes and their data may be, and how often they are replayed.
    #[cfg(feature = "recipe")]
    pub recipe: RecipeLimits,
    /// How long leases live.
    pub lease: canvas_lease::Policy,
    /// Refuse patches of models, and lines that they replace, that change the meaning of lines which they do not touch:
    /// a fence that is left open, a heading or list item made or unmade, front matter. Default false.
    pub refuse_side_effects: bool,
    /// Refuse patches of models as `NOT_LOCATED` if they change lines that no search, read or outline of the turn has shown or
    /// listed. It counts for [`ApplyPatch`](crate::document::ApplyPatch) with [`ShownLines`](crate::document::ShownLines); a replacement of lines
    /// names their hash, and the tools of native dialects are not judged. Default false.
    pub require_located: bool,
    /// A patch that names no base, of a conversation that has not seen the document as it is, is applied where each of its
    /// places is the only one and untouched by what the conversation has not seen; its answer shows that. Default false:
    /// it is refused with the changes.
    pub rebase: bool,
    /// A write under a lease that has expired takes a lease anew in its commit, where nobody has had the canvas since, the
    /// epoch is the same and its conversation has seen the document as it is. Default false: it is refused.
    pub retake: bool,
    /// Sizes of patches.
    pub patch: Limits,
    /// Bytes of a document. Default 16 MiB.
    pub document_bytes: usize,
    /// Calls that one lease may make; their receipts are never dropped while it lives. Default 512.
    pub calls_per_lease: usize,
    /// Receipts of changes that are kept whatever their age, besides those of the live lease. Default 128.
    pub receipts: usize,
    /// How long the receipt of a change is kept at least, by the store's clock, whatever comes after it: so long a call may
    /// be sent again and is answered and not done again. A call that comes later, and whose receipt is gone, is a new
    /// call: an edit that names no base then replaces what was written since. Default 10 minutes; zero for no time.
    pub receipt_lifetime: Duration,
    /// Receipts of changes that are kept in all, besides those of the live lease: of more within
    /// [`Policy::receipt_lifetime`] the oldest go, although they are young. Each adds some 20 bytes to the head. Default
    /// 2,048; where it is less than [`Policy::receipts`], that counts.
    pub max_receipts: usize,
    /// Receipts of refusals that are kept, besides those of the live lease. They drop none of a change. Default 64.
    pub refusal_receipts: usize,
    /// Conversations that a canvas follows, at least 1. Of more it evicts who has known nothing new for the longest
    /// time; should that one come back, it gets the whole document. Default 256.
    pub conversations: usize,
    /// Bytes of a diff, or of lines of the document, that a refusal carries. Default 32 KiB.
    pub refusal_diff_bytes: usize,
    /// Bytes of a hidden diff; a larger one makes way for the whole document where that is smaller. Default 32 KiB.
    pub sync_diff_bytes: usize,
    /// Bytes of a document that the first message to a conversation brings whole; of a larger one it brings the headings.
    /// Default 64 KiB.
    pub snapshot_bytes: usize,
    /// Changes that the journal keeps, for undo and history; older ones are forgotten first. Effects of tools and jobs do not
    /// count, so that no poll takes the place of what a person may undo. Default 100,000; 0 for no journal.
    pub history: u64,
    /// Effects of tools and jobs that the journal keeps beside them. Of more the oldest are forgotten, and with them the changes
    /// before those. Default 1,000,000, which a poll every 30 seconds makes in a year.
    pub history_effects: u64,
    /// Later changes under which a change can still be undone, or past which an edit on an older revision is moved: all of
    /// them are transformed. Effects do not count. Default 256.
    pub history_reach: usize,
    /// Bytes that an entry of the journal has of the old and new text. A larger change keeps both documents instead.
    /// Default 1 MiB.
    pub history_entry_bytes: usize,
    /// How old blobs are at least that [`Engine::collect`](crate::Engine::collect) drops, by the store's clock. Longer than
    /// any commit or read of this canvas may take. Default 1 minute.
    pub min_blob_age: Duration,
    /// The longest that a call, or a collection, holds back after every second time that it loses to others, where the
    /// engine has something to wait by ([`Engine::with_pause`](crate::Engine::with_pause)). The actual time differs from
    /// call to call, so that of many servers at one canvas only few try at once; each lost try costs a database as much
    /// as a read. Default 24 ms; zero for never.
    pub back_off: Duration,
    /// Bytes of canvases that an engine keeps between calls: texts, outlines, boards and heads, counted approximately. Of
    /// more those go that were used least recently, and are loaded again when they are asked for. At most 1,024 canvases
    /// are kept besides. Default 256 MiB; 0 for none.
    pub cache_bytes: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            rollout: Rollout::default(),
            git_mode: false,
            #[cfg(feature = "board")]
            board: BoardRules::default(),
            #[cfg(feature = "surface")]
            surface: SurfaceLimits::default(),
            #[cfg(feature = "recipe")]
            recipe: RecipeLimits::default(),
            lease: canvas_lease::Policy::default(),
            refuse_side_effects: false,
            require_located: false,
            rebase: false,
            retake: false,
            patch: Limits::default(),
            document_bytes: 16 << 20,
            calls_per_lease: 512,
            receipts: 128,
            receipt_lifetime: Duration::from_secs(600),
            max_receipts: 2_048,
            refusal_receipts: 64,
            conversations: 256,
            refusal_diff_bytes: 32 << 10,
            sync_diff_bytes: 32 << 10,
            snapshot_bytes: 64 << 10,
            history: 100_000,
            history_effects: 1_000_000,
            history_reach: 256,
            history_entry_bytes: 1 << 20,
            min_blob_age: Duration::from_secs(60),
            back_off: Duration::from_millis(24),
            cache_bytes: 256 << 20,
        }
    }
}

impl Policy {
    pub(crate) fn receipt_bounds(&self) -> Bounds {
        Bounds {
            changes: self.receipts,
            most: self.max_receipts,
            refusals: self.refusal_receipts,
            lifetime: self.receipt_lifetime,
            clock_tolerance: self.lease.clock_tolerance,
        }
    }

    pub(crate) const fn keep_limits(&self) -> KeepLimits {
        KeepLimits { changes: self.history, effects: self.history_effects }
    }

    /// Records of actions that are kept.
    pub(crate) const fn audit_records(&self) -> u64 {
        #[cfg(feature = "surface")]
        return self.surface.audit;
        // How many those are who can read them says.
        #[cfg(not(feature = "surface"))]
        u64::MAX
    }

    /// Whether models may do this at all. Whether one may do it now is another question, which each call answers.
    ///
    /// # Errors
    ///
    /// [`CallRefusal::GitMode`] in Git mode, [`CallRefusal::Disabled`] where the rollout has not come so far.
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
