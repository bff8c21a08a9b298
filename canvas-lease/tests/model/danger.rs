//! Situations that must come up, or the rules were never tried.

use stateright::Property;

use crate::message::{Message, Request};
use crate::referee::Standing;
use crate::world::{MAX_HOLD, TOLERANCE, World, WorldModel};

/// Every danger, as a property that holds somewhere.
pub(crate) fn all() -> Vec<Property<WorldModel>> {
    vec![
        Property::sometimes("a write lands", |model: &WorldModel, world: &World| {
            world.revision > u64::from(model.budget.edits - world.left.edits)
        }),
        Property::sometimes("two writes from one revision are under way", |_, world: &World| {
            let writes = |m: &&Message| matches!(m.request, Request::Write { .. });
            world.under_way.iter().filter(writes).count() > 1
                && world.under_way.iter().all(|m| m.request == world.under_way[0].request)
        }),
        Property::sometimes("a write is under way when its lease is cut short", |_, world: &World| {
            late(world, Standing::CutShort, |request| matches!(request, Request::Write { .. }))
        }),
        Property::sometimes("a renewal is under way when its lease expires", |_, world: &World| {
            late(world, Standing::Expired, |request| matches!(request, Request::Renew { .. }))
        }),
        Property::sometimes("a check-in is under way when another lease is live", |_, world: &World| {
            world.referee.live().next().is_some()
                && late(world, Standing::Expired, |request| matches!(request, Request::CheckIn { .. }))
        }),
        Property::sometimes("a check-out is under way when its turn is over", |_, world: &World| {
            world.under_way.iter().any(|message| {
                matches!(message.request, Request::CheckOut { turn, .. } if turn < world.referee.turn())
            })
        }),
        Property::sometimes("a retry is under way when its lease is live", |_, world: &World| {
            world.under_way.iter().any(|message| {
                let Request::CheckOut { operation, .. } = message.request else { return false };
                world.referee.live().any(|(_, a, o)| (a, o) == (message.agent, operation))
            })
        }),
        Property::sometimes("an agent takes over from one whose lease expired", |_, world: &World| {
            world.referee.any(|agent, standing| agent == 0 && standing == Standing::Expired)
                && world.referee.live().any(|(_, agent, _)| agent == 1)
        }),
        Property::sometimes("a live lease is at its maximum hold", |_, world: &World| {
            world.referee.any(|_, standing| {
                matches!(standing, Standing::Live { acquired_at, expires_at } if expires_at == acquired_at + MAX_HOLD)
            })
        }),
        Property::sometimes("the clock is behind when a lease is live", |_, world: &World| {
            world.clock < world.referee.now() && world.referee.live().next().is_some()
        }),
        Property::sometimes("the clock is too far behind when a lease is live", |_, world: &World| {
            world.clock + TOLERANCE < world.referee.now() && world.referee.live().next().is_some()
        }),
    ]
}

/// Whether such a request is under way for a lease that has come to such an end.
fn late(world: &World, end: Standing, test: impl Fn(&Request) -> bool) -> bool {
    world.under_way.iter().any(|message| {
        let (Request::Renew { id }
        | Request::Heartbeat { id }
        | Request::Write { id, .. }
        | Request::CheckIn { id }) = &message.request
        else {
            return false;
        };
        test(&message.request) && world.referee.standing(*id) == Some(end)
    })
}
