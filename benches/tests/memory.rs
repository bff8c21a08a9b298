//! How much each operation holds at once.

use canvas_benches::memory::{COUNTING, OPERATIONS};
use peakmem_alloc::PeakMemAlloc;

#[global_allocator]
static ALLOCATOR: &PeakMemAlloc<std::alloc::System> = COUNTING;

/// The only test in this file: the count is of the whole process.
#[test]
fn nothing_takes_more_than_three_times_the_text() {
    const SIZE: usize = 10_000_000;
    for operation in OPERATIONS {
        let peak = (operation.peak)(SIZE);
        // Beyond the text itself. Without a counting allocator it would be nothing at all.
        assert!((1..=2 * SIZE).contains(&peak), "{}: {peak} bytes beyond {SIZE}", operation.name);
    }
}
