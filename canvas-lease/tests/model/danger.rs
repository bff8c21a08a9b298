//! Situations that must come up, or the rules were never tried.

use stateright::Property;

use crate::message::Request;
use crate::oracle::Status;
use crate::world::{MAX_HOLD, TOLERANCE, World, WorldModel};

/// Every danger, as a property that holds somewhere.
pub(crate) fn all() -> Vec<Property<WorldModel>> {
    vec![
        Property::sometimes("a write lands", |model: &WorldModel, world: &World| {
            world.revision > u64::from(model.budget.edits - world.left.edits)
        }),
        Property::sometimes("two writes from one revision are under way", |_, world: &World| {
            world.under_way.iter().filter(|message| is_write(&message.request)).count() > 1
                && world.under_way.iter().all(|m| m.request == world.under_way[0].request)
        }),
        Property::sometimes("a write is under way when its lease is preempted", |_, world: &World| {
            late(world, Status::Preempted, is_write)
        }),
        Property::sometimes("a renewal is under way when its lease expires", |_, world: &World| {
            late(world, Status::Expired, |request| matches!(request, Request::Renew { .. }))
        }),
        Property::sometimes("a check-in is under way when another lease is live", |_, world: &World| {
            world.oracle.live().next().is_some()
                && late(world, Status::Expired, |request| matches!(request, Request::CheckIn { .. }))
        }),
        Property::sometimes("a check-out is under way when its turn is over", |_, world: &World| {
            world.under_way.iter().any(|message| {
                matches!(message.request, Request::CheckOut { turn, .. } if turn < world.oracle.turn())
            })
        }),
        Property::sometimes("a retry is under way when its lease is live", |_, world: &World| {
            world.under_way.iter().any(|message| {
                let Request::CheckOut { operation, .. } = message.request else { return false };
                world.oracle.live().any(|(_, a, o)| (a, o) == (message.agent, operation))
            })
        }),
        Property::sometimes("an agent takes over from one whose lease expired", |_, world: &World| {
            world.oracle.any(|agent, status| agent == 0 && status == Status::Expired)
                && world.oracle.live().any(|(_, agent, _)| agent == 1)
        }),
        Property::sometimes("a live lease is at its maximum hold", |_, world: &World| {
            world.oracle.any(|_, status| {
                matches!(status, Status::Live { acquired_at, expires_at } if expires_at == acquired_at + MAX_HOLD)
            })
        }),
        Property::sometimes("the clock is behind when a lease is live", |_, world: &World| {
            world.clock < world.oracle.now() && world.oracle.live().next().is_some()
        }),
        Property::sometimes("the clock is too far behind when a lease is live", |_, world: &World| {
            world.clock + TOLERANCE < world.oracle.now() && world.oracle.live().next().is_some()
        }),
    ]
}

const fn is_write(request: &Request) -> bool {
    matches!(request, Request::Write { .. })
}

/// Whether such a request is under way for a lease that has come to such an end.
fn late(world: &World, end: Status, test: impl Fn(&Request) -> bool) -> bool {
    world.under_way.iter().any(|message| {
        let (Request::Renew { id }
        | Request::Heartbeat { id }
        | Request::Write { id, .. }
        | Request::CheckIn { id }) = &message.request
        else {
            return false;
        };
        test(&message.request) && world.oracle.status(*id) == Some(end)
    })
}
