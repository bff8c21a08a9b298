//! Authors of operations.

use canvas_lease::LeaseId;
use serde::{Deserialize, Serialize};

/// The author of an operation that both users and models may perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Author {
    /// The user, or the host on the user's behalf. A user always takes precedence: an edit ends the lease. If several
    /// people share the canvas, each of them is the user, see [`OpKey`](crate::OpKey).
    User,
    /// A model, in its own turn and under its lease.
    Assistant {
        /// The lease, if the model named one. `None` suffices if the [`Rollout`](crate::rollout::Rollout) requires no
        /// lease, and on the board, which the lease does not cover.
        lease: Option<LeaseId>,
    },
    /// The host in a model's name, in any turn. It can change a document only while nobody holds the lease.
    Host,
}

impl Author {
    /// Returns the actor that the journal records. An operation that the host performs in a model's name is recorded as
    /// the model's.
    pub const fn actor(self) -> Role {
        match self {
            Self::User => Role::User,
            Self::Assistant { .. } | Self::Host => Role::Assistant,
        }
    }
}

/// The author of a change, as journals and boards store it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// A model.
    Assistant,
}
