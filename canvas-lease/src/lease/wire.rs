//! What a stored lease must satisfy before it is one.

use serde::Deserialize;

use super::{Access, Lease};
use crate::{Epoch, Fence, LeaseId, Timestamp, Turn};

/// A lease as it was read. Unknown fields are refused: a later version may have put a rule in them,
/// and storing the lease again would drop it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unchecked {
    pub(crate) epoch: Epoch,
    pub(crate) fence: Fence,
    pub(crate) turn: Turn,
    pub(crate) clock_mark: Timestamp,
    pub(crate) access: Access,
}

/// Why no sequence of operations leads to a state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Impossible {
    #[error("turn {turn} cannot have begun by epoch {epoch}")]
    TurnAhead { turn: Turn, epoch: Epoch },
    #[error("turn {turn} cannot have been closed by epoch {epoch}")]
    ClosedAhead { turn: Turn, epoch: Epoch },
    #[error("{held} is held, but the lease given last in this epoch is {given}")]
    WrongHold { held: LeaseId, given: LeaseId },
    #[error("no lease is given in the last epoch")]
    HeldInLastEpoch,
    #[error("a hold is taken, then renewed, then expires, and was renewed by the clock mark")]
    TimesOutOfOrder,
}

impl TryFrom<Unchecked> for Lease {
    type Error = Impossible;

    fn try_from(read: Unchecked) -> Result<Self, Impossible> {
        let Unchecked { epoch, fence, turn, clock_mark, access } = read;
        if turn.get() > epoch.get() {
            return Err(Impossible::TurnAhead { turn, epoch });
        }
        match &access {
            Access::Closed if turn.get() == epoch.get() && epoch < Epoch::MAX => {
                return Err(Impossible::ClosedAhead { turn, epoch });
            }
            Access::Held(hold) => {
                let given = LeaseId::new(fence, epoch);
                if hold.id != given {
                    return Err(Impossible::WrongHold { held: hold.id, given });
                }
                if epoch == Epoch::MAX {
                    return Err(Impossible::HeldInLastEpoch);
                }
                let in_order = hold.taken_at <= hold.renewed_at
                    && hold.renewed_at <= hold.expires_at
                    && hold.renewed_at <= clock_mark;
                if !in_order {
                    return Err(Impossible::TimesOutOfOrder);
                }
            }
            Access::Closed | Access::Open => {}
        }
        Ok(Self { epoch, fence, turn, clock_mark, access })
    }
}
