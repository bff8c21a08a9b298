//! The switches of the host, and the limits on each kind of event.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::super::call::Op;
use super::super::store::TOOL;
use crate::model::work_mode::WorkMode;
use crate::surface::{Ceiling, ToolContract, ToolDeclaration, ToolName};
use crate::transition::policy::{HistoryLimits, Policy, ReceiptLimits, WriteRules};
use crate::transition::rollout::Rollout;
use crate::transition::view::Types;

/// With the tool, which runs without being confirmed.
pub(super) static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let tool = ToolName::new(TOOL).expect("a name");
    let contract = ToolContract::new(tool.clone(), ToolDeclaration::default()).expect("no schema");
    let (tools, trust) = ([(tool.clone(), contract)].into(), [tool].into());
    Types { ceiling: Arc::new(Ceiling { tools, trust, ..Ceiling::default() }), ..Types::default() }
});

/// A lease lives two ticks.
fn policy(history: u64) -> Policy {
    let lease = canvas_lease::LeasePolicy {
        ttl: Duration::from_millis(2),
        max_hold: Duration::from_millis(100),
        clock_tolerance: Duration::from_millis(1),
    };
    Policy {
        lease,
        history: HistoryLimits { changes: history, ..Default::default() },
        receipts: ReceiptLimits { lifetime: Duration::ZERO, ..Default::default() },
        ..Policy::default()
    }
}

/// Without a journal and ages of receipts, which would make different states of worlds that differ in their past alone.
static POLICY: LazyLock<Policy> = LazyLock::new(|| policy(0));

static WITH_JOURNAL: LazyLock<Policy> = LazyLock::new(|| policy(100));

static RETAKING: LazyLock<Policy> =
    LazyLock::new(|| Policy { writes: WriteRules { retake: true, ..policy(0).writes }, ..policy(0) });

/// A write needs no lease here, so the user's text is protected only by the check that the write's author saw it.
static REBASING: LazyLock<Policy> = LazyLock::new(|| Policy {
    writes: WriteRules { rebase: true, ..policy(100).writes },
    rollout: Rollout::LeaseOptional,
    ..policy(100)
});

/// Each commit replaces the index of receipts.
static SMALL_HEAD: LazyLock<Policy> = LazyLock::new(|| Policy { small_head: true, ..policy(0) });

/// The switches of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Rules {
    Usual,
    /// A write takes an expired lease again.
    Retake,
    /// A write without a base is moved past changes that its author did not see.
    Rebase,
    /// Only the newest receipt is in the head, and all others are behind an index.
    SmallHead,
    /// Each conversation has a turn of its own.
    Collaborative,
}

impl Rules {
    pub(super) fn mode(self) -> WorkMode {
        if self == Self::Collaborative { WorkMode::Collaborative } else { WorkMode::Exclusive }
    }

    /// Whether writes need the lease.
    pub(super) fn has_lease(self) -> bool {
        !matches!(self, Self::Rebase | Self::Collaborative)
    }
}

/// The servers to which a call may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Places {
    Any,
    /// All to one.
    One,
    /// The user's edits to one, all others to the other.
    EditApart,
}

impl Places {
    pub(super) fn of(self, op: Op) -> std::ops::Range<usize> {
        match self {
            Self::Any => 0..2,
            Self::EditApart if op == Op::Edit => 1..2,
            Self::One | Self::EditApart => 0..1,
        }
    }
}

/// Limits on each kind of event. Every counter needs a bound, or the states never end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    /// Maximum number of each call.
    pub(crate) starts: [u8; Op::ALL.len()],
    /// Calls under way at once.
    pub(crate) at_once: usize,
    /// Lost answers to commits.
    pub(crate) lost: u8,
    /// Commits that the server believes lost and that may still arrive.
    pub(crate) delayed: u8,
    /// Commits that arrive and may arrive again.
    pub(crate) doubled: u8,
    /// Failures of the store that it admits.
    pub(crate) definite: u8,
    /// Loads that show the row before the current one.
    pub(crate) stale: u8,
    /// Answers that arrive some time after they were made.
    pub(crate) slow: u8,
    /// Servers that forget everything; their sent commits may still arrive.
    pub(crate) crashes: u8,
    pub(crate) ticks: u8,
    /// By how much the store's clock, as the second server hears it, and that server's own, are ahead.
    pub(crate) skew: i64,
    /// The store notifies each server of the commits whose answers it does not get, and reads are served from caches.
    pub(crate) notify: bool,
    /// Notifications without a change, for this canvas or another.
    pub(crate) rumours: u8,
    /// There is a journal.
    pub(crate) journal: bool,
    pub(crate) rules: Rules,
    /// Collections of old blobs.
    pub(crate) collections: u8,
    /// Callers that give up before they have an answer.
    pub(crate) drops: u8,
    pub(crate) places: Places,
    /// Decisions take time, so other things happen between the turn of a call and the end of its decision.
    pub(crate) turns: bool,
}

impl Budget {
    pub(super) fn policy(&self) -> &'static Policy {
        match self.rules {
            Rules::Retake => &RETAKING,
            Rules::Rebase => &REBASING,
            Rules::SmallHead => &SMALL_HEAD,
            Rules::Usual | Rules::Collaborative if self.journal => &WITH_JOURNAL,
            Rules::Usual | Rules::Collaborative => &POLICY,
        }
    }
}
