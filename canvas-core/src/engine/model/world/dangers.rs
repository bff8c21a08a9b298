//! Dangers that must occur in some world.

use std::sync::Arc;

use stateright::Property;

use super::super::call::{CANVAS, LEASE, Op, at};
use super::budget::Rules;
use super::{InFlightCommit, Late, Sending, World, WorldModel};
use crate::engine::cache::Cache;
use crate::engine::run::Request;
use crate::model::blob::BlobId;
use crate::model::claims::Claim;

/// Situations that must come up, or the machine was never tried.
pub(crate) fn dangers() -> Vec<Property<WorldModel>> {
    fn commits(world: &World, op: Op) -> usize {
        let is_bump = |flight: &InFlightCommit| matches!(flight.request, Some(Request::Commit(_)));
        let is_it = |flight: &&InFlightCommit| {
            flight.client.op == op && (is_bump(flight) || flight.run.is_committing())
        };
        world.flights.iter().filter(is_it).count()
    }
    fn shared(world: &World) -> impl Iterator<Item = &Sending> {
        world.sendings.iter().flatten().map(|sending| &**sending).filter(|sending| sending.links.len() > 1)
    }
    vec![
        Property::sometimes("two writes are being committed at once", |_, world: &World| {
            commits(world, Op::WriteA) > 0 && commits(world, Op::WriteB) > 0
        }),
        Property::sometimes("a call and its retry are being committed at once", |_, world: &World| {
            commits(world, Op::WriteA) > 1
        }),
        Property::sometimes("a write is being committed when its lease is preempted", |_, world: &World| {
            commits(world, Op::WriteA) > 0 && world.store.row.head.lock().epoch().get() > 0
        }),
        Property::sometimes(
            "a write is on its way when its lease has expired",
            |model: &WorldModel, world: &World| {
                let lease = world.store.row.head.lock().lease();
                let expired = lease.is_some_and(|lease| lease.expires_at <= at(world.store.clock));
                model.budget.skew == 0 && expired && !world.late.is_empty()
            },
        ),
        Property::sometimes("a commit is on its way when its call is made again", |_, world: &World| {
            let late =
                |flight: &InFlightCommit| world.late.iter().any(|late| late.number != flight.client.number);
            world.flights.iter().any(|flight| flight.client.op == Op::WriteA && late(flight))
        }),
        Property::sometimes("a commit is on its way when somebody asks about it", |_, world: &World| {
            !world.late.is_empty() && commits(world, Op::AskA) > 0
        }),
        Property::sometimes("another has the lease when a write is on its way", |_, world: &World| {
            let is_another = world.store.row.head.lock().fence().get() > 1;
            is_another && (commits(world, Op::WriteA) > 0 || !world.late.is_empty())
        }),
        Property::sometimes("a server is notified while its commit is on its way", |_, world: &World| {
            let late = |(sending, cache): (&Option<Arc<Sending>>, &Arc<Cache>)| {
                let asked = sending.as_ref().and_then(|sending| sending.asked.0);
                asked.is_some_and(|ticket| !cache.is_later(&CANVAS, ticket))
            };
            commits(world, Op::WriteA) > 0 && world.sendings.iter().zip(&world.caches).any(late)
        }),
        Property::sometimes("an expired lease was taken anew", |model: &WorldModel, world: &World| {
            let lease = world.store.row.head.lock().lease();
            model.budget.rules == Rules::Retake
                && lease.is_some_and(|lease| lease.id != *LEASE && lease.holder.as_str() == "model")
        }),
        Property::sometimes(
            "a write was moved past what its author had not seen",
            |model: &WorldModel, world: &World| {
                model.budget.rules == Rules::Rebase
                    && world.store.row.head.document() == BlobId::of(b"c\nx\n")
            },
        ),
        Property::sometimes(
            "two conversations and a person write at once",
            |model: &WorldModel, world: &World| {
                model.budget.rules == Rules::Collaborative
                    && commits(world, Op::WriteOther) > 0
                    && (commits(world, Op::WriteA) > 0 || commits(world, Op::EditBase) > 0)
            },
        ),
        Property::sometimes(
            "a write is being committed when its own turn ends",
            |model: &WorldModel, world: &World| {
                let lock = world.store.row.head.lock_of(Op::WriteOther.conversation());
                model.budget.rules == Rules::Collaborative
                    && commits(world, Op::WriteOther) > 0
                    && lock.epoch().get() > 0
            },
        ),
        Property::sometimes("two people accept the same part at once", |_, world: &World| {
            commits(world, Op::Accept) > 0 && commits(world, Op::AcceptOther) > 0
        }),
        Property::sometimes("an action is begun twice at once", |_, world: &World| {
            commits(world, Op::Press) > 1
        }),
        Property::sometimes(
            "a begin is on its way when its action is asked for again",
            |_, world: &World| {
                let begins = |late: &Late| !late.commit.head.claims.is_empty();
                world.store.row.head.claims.is_empty()
                    && world.late.iter().any(begins)
                    && commits(world, Op::Press) > 0
            },
        ),
        Property::sometimes(
            "an action is asked for again when its runner has crashed",
            |_, world: &World| {
                let is_alive =
                    |claim: &Claim| (0..2).any(|server| claim.runner == world.runner(server).name());
                let mut claims = world.store.row.head.claims.iter();
                claims.any(|claim| !is_alive(claim)) && commits(world, Op::Press) > 0
            },
        ),
        Property::sometimes("a commit of several calls has lost", |_, world: &World| {
            shared(world).any(|sending| {
                let expected = sending.commit.expected.as_ref().map(|version| version.as_str().to_owned());
                expected != Some(world.store.row.version.to_string())
            })
        }),
        Property::sometimes("a commit of several calls is of unknown fate", |_, world: &World| {
            world.late.iter().any(|late| late.links.len() > 1)
        }),
        Property::sometimes("a call that was dropped left others to be decided again", |_, world: &World| {
            world.oracle.has_dropped() && world.queues.iter().any(|queue| queue.is_ready())
        }),
        Property::sometimes("a call waits for what it was answered upon", |_, world: &World| {
            world.flights.iter().any(|flight| flight.run.is_standing())
        }),
        Property::sometimes("a row is stored while a call decides on it", |_, world: &World| {
            world.queues.iter().any(|queue| queue.is_deciding_on_stored())
        }),
        Property::sometimes("a row is lost while a call decides on it", |_, world: &World| {
            world.queues.iter().any(|queue| queue.is_deciding_on_lost())
        }),
        Property::sometimes("an action is lost when its tool ends", |_, world: &World| {
            world.store.row.head.audit.records > 0 && commits(world, Op::Settle) > 0
        }),
    ]
}
