//! What watchers allocate.

use canvas_benches::watch::{Audience, CANVASES, WATCHERS};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The only test in this file: the count is of the whole process.
#[test]
fn a_watcher_takes_less_than_a_kilobyte_and_a_change_copies_no_text() {
    const SIZE: usize = 100_000;
    let allocated = |watchers: usize| {
        let region = Region::new(ALLOCATOR);
        let audience = Audience::new(SIZE, watchers);
        let made = region.change();
        let region = Region::new(ALLOCATOR);
        for _ in 0..CANVASES {
            let canvas = audience.change();
            assert_eq!(audience.see(canvas), watchers);
        }
        (made.bytes_allocated - made.bytes_deallocated, region.change().bytes_allocated)
    };
    let (alone, watched) = (allocated(0), allocated(WATCHERS));
    let each = |watched: usize, alone: usize| watched.saturating_sub(alone) / (CANVASES * WATCHERS);
    let (held, changed) = (each(watched.0, alone.0), each(watched.1, alone.1));
    assert!((1..1_000).contains(&held), "{held} bytes are held");
    assert!((1..1_000).contains(&changed), "{changed} bytes for a change");
}
