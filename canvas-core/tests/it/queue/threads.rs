//! Many threads at one engine.

use std::sync::Arc;
use std::thread;

use super::world::{Fate, World, block, kind};

const THREADS: usize = 8;
const EDITS: usize = 40;

/// Each call is done once, whatever befalls the commits; the stores answers at once or is held up by others.
#[test]
fn many_threads_lose_and_double_nothing() {
    let world = Arc::new(World::new());
    let fates = [Fate::Done, Fate::AnswerLost, Fate::Done, Fate::Overtaken, Fate::LostOnTheWay, Fate::Done];
    world.gate().befall(fates.into_iter().cycle().take(120));
    world.gate().open();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let world = &world;
            scope.spawn(move || {
                for edit in 0..EDITS {
                    assert_eq!(kind(&block(world.edit(thread * EDITS + edit)).json), "edited");
                }
            });
        }
    });
    assert_eq!(world.gate().deliver_late(), 0);
    assert_eq!(world.head().revision().get(), 1 + (THREADS * EDITS) as u64);
}

/// Commits that are let through one by one from another thread.
#[test]
fn threads_that_wait_are_woken() {
    let world = Arc::new(World::new());
    thread::scope(|scope| {
        let calls: Vec<_> = (0..THREADS)
            .map(|thread| {
                let world = &world;
                scope.spawn(move || {
                    for edit in 0..5 {
                        block(world.edit(thread * 5 + edit));
                    }
                })
            })
            .collect();
        while !calls.iter().all(thread::ScopedJoinHandle::is_finished) {
            world.gate().let_one_pass();
            thread::yield_now();
        }
    });
    assert_eq!(world.head().revision().get(), 1 + 5 * THREADS as u64);
}
