//! What a person sees while a model edits, and what happens to it.

use canvas_core::lease::{CheckIn, LeaseId};
use canvas_core::turn::{Cancel, SendMessage, TakeControl};
use canvas_core::watch::{LockEvent, LockView};

use crate::document::world::World;

fn see(world: &World) -> LockView {
    LockView::of(&world.snapshot(), world.engine.policy())
}

#[test]
fn each_change_of_the_lock_is_an_event() {
    type Act = fn(&World, LeaseId);
    let acts: [(&str, Act, Option<LockEvent>); 8] = [
        ("write", |world, lease| drop(world.write("model", lease, "a>b")), None),
        (
            "check in",
            |world, lease| drop(world.ask("model", CheckIn { lease: Some(lease) })),
            Some(LockEvent::Unlocked),
        ),
        ("expiry", |world, _| world.clock.wait(15_000), Some(LockEvent::Unlocked)),
        ("edit", |world, _| drop(world.edit("mine\n")), Some(LockEvent::TakenOver)),
        ("message", |world, _| drop(world.ask("user", SendMessage)), Some(LockEvent::TakenOver)),
        ("cancel", |world, _| drop(world.ask("user", Cancel)), Some(LockEvent::TakenOver)),
        ("take control", |world, _| drop(world.ask("user", TakeControl)), Some(LockEvent::TakenOver)),
        (
            "another model",
            |world, lease| {
                world.ask("model", CheckIn { lease: Some(lease) });
                world.check_out("other");
            },
            Some(LockEvent::HandedOver),
        ),
    ];
    for (name, act, event) in acts {
        let world = World::new("a\n");
        let free = see(&world);
        assert_eq!((free.is_locked(), free.tooltip(), free.until()), (false, None, None));
        assert!(!free.blocks_typing() && !free.can_take_control());
        let lease = world.check_out("model");
        let locked = see(&world);
        assert_eq!(locked.event_since(&free), Some(LockEvent::Locked));
        assert_eq!(locked.holder().map(|holder| holder.as_str()), Some("model"));
        assert_eq!(locked.until().map(|until| until.as_millis()), Some(16_000));
        assert!(locked.blocks_typing() && locked.can_take_control());
        act(&world, lease);
        let after = see(&world);
        assert_eq!(after.event_since(&locked), event, "{name}");
        assert_eq!(after.is_locked(), matches!(event, None | Some(LockEvent::HandedOver)), "{name}");
        assert_eq!(free.event_since(&free), None);
    }
}
