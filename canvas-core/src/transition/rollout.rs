//! The extent to which a host opens a canvas to models.

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
    /// Whether models can take leases at this stage.
    pub const fn has_leases(self) -> bool {
        matches!(self, Self::LeaseOptional | Self::LeaseEnforced)
    }

    /// Whether models need a lease for every access.
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
