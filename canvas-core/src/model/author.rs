//! Who does something.

use canvas_lease::LeaseId;
use serde::{Deserialize, Serialize};

/// Who asks for something that users and models may both do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Author {
    /// The user, or the host on the user's behalf. Comes first always: an edit ends the lease.
    User,
    /// A model, in its own turn and under its lease.
    Assistant {
        /// The lease; `None` where the model named none. Enough where the [`Rollout`](crate::Rollout) asks for none, and
        /// on the board, which no lease guards.
        lease: Option<LeaseId>,
    },
    /// The host in a model's name, whoever's turn it is. It changes a document only while nobody holds the lease.
    Host,
}

impl Author {
    /// How the journal records it: what a host does in a model's name is the model's.
    pub const fn actor(self) -> Actor {
        match self {
            Self::User => Actor::User,
            Self::Assistant { .. } | Self::Host => Actor::Assistant,
        }
    }
}

/// Whose doing something was, as journals and boards store it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The user.
    User,
    /// A model.
    Assistant,
}
