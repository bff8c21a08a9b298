//! How much of a canvas its host has opened to models.

use serde::{Deserialize, Serialize};

/// How far the tools of models are rolled out, in five stages. What users do, and what conversations
/// hear of it, is the same in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rollout {
    /// Stage 0: models have no tools; they see what users change.
    Off,
    /// Stage 1: models read, without a lease.
    ReadOnly,
    /// Stage 2: models read and write, without a lease. A write is still refused where the text is not what its author
    /// knows, and once the user has ended the turn.
    Write,
    /// Stage 3: there are leases, and models may do without. While one is valid nobody else writes.
    LeaseOptional,
    /// Stage 4: whoever reads or writes holds the lease.
    #[default]
    LeaseEnforced,
}

impl Rollout {
    /// Whether there are leases to take.
    pub const fn has_leases(self) -> bool {
        matches!(self, Self::LeaseOptional | Self::LeaseEnforced)
    }

    /// Whether nothing is done without a lease.
    pub const fn needs_lease(self) -> bool {
        matches!(self, Self::LeaseEnforced)
    }
}

/// What a call of a model does with a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It looks.
    Read,
    /// It changes something.
    Write,
    /// It takes, extends or gives back a lease.
    Lease,
}
