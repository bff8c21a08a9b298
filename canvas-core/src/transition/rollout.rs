//! The extent to which a host opens a canvas to models.

use serde::{Deserialize, Serialize};

/// The five stages in which models get access to canvases. At every stage, users can act, and models learn of their
/// changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rollout {
    /// Stage 0. Models have no tools, but they see the changes of users.
    Off,
    /// Stage 1. Models can read, without a lease.
    ReadOnly,
    /// Stage 2. Models can read and write, without a lease. A write is still refused if its author does not know the
    /// current text, or after the user ends the turn.
    Write,
    /// Stage 3. Models can take a lease, but need not. While a lease is valid, no other model can write to the
    /// document.
    LeaseOptional,
    /// Stage 4. [`Read`](crate::document::Read), [`ApplyPatch`](crate::document::ApplyPatch) and
    /// [`ReplaceLines`](crate::document::ReplaceLines) need the lease, and so do undo and redo of document changes by a
    /// model. All other commands work as at stage 3.
    #[default]
    LeaseEnforced,
}

impl Rollout {
    /// Whether models can take leases at this stage.
    pub const fn has_leases(self) -> bool {
        matches!(self, Self::LeaseOptional | Self::LeaseEnforced)
    }

    /// Whether models need a lease to read, patch or replace lines, as [`Rollout::LeaseEnforced`] lists.
    pub const fn needs_lease(self) -> bool {
        matches!(self, Self::LeaseEnforced)
    }
}

/// The kind of access that a model's call needs to a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// The call only reads the canvas.
    Read,
    /// The call changes the content of the canvas.
    Write,
    /// The call takes, extends or releases a lease.
    Lease,
}
