//! What one strict apply allocates.

use canvas_benches::inputs::Edited;
use canvas_benches::{allocations, apply};

#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = allocations::COUNTING;

/// The only test in this file: the count is of the whole process.
#[test]
fn a_strict_apply_allocates_the_document_once() {
    for (size, hunks) in [(10_000, 1), (100_000, 1), (100_000, 10), (1_000_000, 1), (1_000_000, 200)] {
        let input = Edited::new(size, hunks).expect("the hunks fit");
        let allocated = allocations::of_size(size, || {
            let text = apply::canvas(&input).expect("the patch fits");
            assert!(text == input.after);
            text
        });
        assert_eq!(allocated, 1, "{size} bytes, {hunks} hunks");
    }
}
