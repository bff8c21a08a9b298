//! Counting allocations of the size of a document.
//!
//! The counting allocator is for a binary to install; without it every count is zero.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// The allocator to install as the global one. Beside the bare system allocator it slows flickzeug, which allocates
/// for every line, by a twentieth, and no other subject measurably.
pub static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// At most how many allocations of `size` bytes or more a call makes: the bytes that it allocates in all, small ones
/// included, divided by `size`. Growing a block counts by what is added.
pub fn of_size<T>(size: usize, call: impl FnOnce() -> T) -> usize {
    let region = Region::new(COUNTING);
    let result = call();
    let allocated = region.change().bytes_allocated;
    drop(result);
    allocated / size
}
