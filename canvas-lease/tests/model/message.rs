//! What agents send to the store.

use canvas_lease::LeaseId;

use crate::world::{Agent, Operation};

/// A request on its way to the store, where it is decided on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Message {
    pub(crate) agent: Agent,
    pub(crate) request: Request,
}

/// What an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Request {
    CheckOut {
        operation: Operation,
        turn: u64,
    },
    Renew {
        id: LeaseId,
    },
    Heartbeat {
        id: LeaseId,
    },
    /// `allowed_when_sent` matters to one variant only and is false in all others.
    Write {
        id: LeaseId,
        base: u64,
        allowed_when_sent: bool,
    },
    CheckIn {
        id: LeaseId,
    },
}
