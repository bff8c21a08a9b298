//! What one strict apply allocates.

use canvas_benches::apply;
use canvas_benches::inputs::Edited;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The only test in this file: the count is of the whole process.
#[test]
fn a_strict_apply_allocates_the_document_once() {
    for (size, hunks) in [(10_000, 1), (100_000, 1), (100_000, 10), (1_000_000, 1), (1_000_000, 200)] {
        let input = Edited::new(size, hunks).expect("the hunks fit");
        let region = Region::new(ALLOCATOR);
        let text = apply::canvas(&input).expect("the patch fits");
        // Growing a block counts by what is added.
        let allocated = region.change().bytes_allocated;
        assert!(text == input.after);
        assert_eq!(allocated / size, 1, "{size} bytes, {hunks} hunks");
    }
}
