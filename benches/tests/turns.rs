//! How much the reader of a stream holds at once.

use canvas_benches::memory::{COUNTING, TURNS};
use canvas_benches::stream::{Section, Wire, held};
use peakmem_alloc::PeakMemAlloc;

#[global_allocator]
static ALLOCATOR: &PeakMemAlloc<std::alloc::System> = COUNTING;

/// The only test in this file: the count is of the whole process.
#[test]
fn a_streamed_turn_is_held_within_twice_its_bytes() {
    const SIZE: usize = 10_000_000;
    for operation in TURNS {
        let peak = (operation.peak)(SIZE);
        // Without a counting allocator it would be nothing at all.
        assert!((1..=2 * SIZE).contains(&peak), "{}: {peak} bytes for {SIZE}", operation.name);
    }
    let peak = held(Wire::Anthropic, Section::Text, 10 * SIZE);
    assert!((1..=20 * SIZE).contains(&peak), "{peak} bytes for {}", 10 * SIZE);
}
