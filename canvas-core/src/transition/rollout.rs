//! How much of a canvas its host has opened to models (specs 000 §8.2, §16).

use serde::{Deserialize, Serialize};

use crate::transition::policy::Policy;
use crate::transition::refusal::CallRefusal;

/// How far the tools of models are rolled out: the stages of specs 000 §16. What users do, and what conversations are
/// told of it, is the same in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rollout {
    /// Stage 0: models have no tools; they are told what users change.
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

impl Policy {
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
