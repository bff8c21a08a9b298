//! What watchers hear of a commit of several calls.

use canvas_core::testing::block_on;
use canvas_core::{Actor, Face, PersonId};

use super::world::{Act, Crowd, World};

/// One event shows the newest state, counts the changes between, and names who made the newest change of content.
#[test]
fn watchers_hear_each_change_of_a_commit_with_the_actor_of_the_newest() {
    let world = World::new();
    let mut watch = world.engine.watch(&world.canvas);
    block_on(watch.next()).unwrap().unwrap();
    let write = |old, new: &str| Act::Write(old, new.to_owned());
    // The renewal at the end changes the lock alone, or nothing.
    let acts = [write("a", "x"), write("b", "y"), Act::Renew, Act::Edit("user\n".into()), Act::Message];
    let mut crowd = Crowd::begin(acts.iter().enumerate().map(|(i, act)| world.begin(act, i)));
    assert!(watch.try_next().is_none(), "nothing is stored yet");
    world.gate().let_one_pass();
    while crowd.poll_woken(0).is_some() {}
    let first = watch.try_next().unwrap();
    assert_eq!(number(&first), 2);
    assert!(matches!(first.actor, Some(Actor::Conversation { .. })), "{:?}", first.actor);
    world.gate().open();
    crowd.run(0);
    let event = watch.try_next().unwrap();
    assert_eq!((number(&event), event.actor), (4, Some(user())));
    assert_eq!((event.faces.as_slice(), event.missed > 0), (&[Face::Document][..], true));
    assert_eq!(event.version, block_on(world.engine.revision_of(&world.canvas)).ok().map(|at| at.version));
    assert!(watch.try_next().is_none());
}

fn number(event: &canvas_core::watch::WatchEvent) -> u64 {
    event.revision.unwrap().get()
}

fn user() -> Actor {
    Actor::Person { person: PersonId::default() }
}
