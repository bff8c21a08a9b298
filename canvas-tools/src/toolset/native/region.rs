//! Numbered lines for a call that missed again, because advice alone does not end a series of misses.

use std::fmt::Write as _;

use canvas_core::text::truncate;

use super::outcome::NativeConflict;

/// Lines shown above and below a single place.
const AROUND: usize = 10;
/// Maximum number of places shown. If there are several, `AROUND_EACH` lines are shown above and below each.
const PLACES: usize = 5;
const AROUND_EACH: usize = 2;
/// Maximum characters of a line. Models copy lines from here, so most should be whole.
const LINE_CHARS: usize = 1_000;
const REGION_BYTES: usize = 8 << 10;

/// Returns the numbered lines around the places of conflicts, or the first lines if no place is known.
pub(super) fn region(text: &str, conflicts: &[NativeConflict]) -> String {
    let mut places: Vec<usize> = conflicts.iter().flat_map(NativeConflict::places).collect();
    places.sort_unstable();
    places.dedup();
    places.truncate(PLACES);
    let around = if places.len() > 1 { AROUND_EACH } else { AROUND };
    if places.is_empty() {
        places.push(1);
    }
    let mut places = places.into_iter().peekable();
    let mut region = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        while places.next_if(|place| place + around < number).is_some() {}
        let Some(place) = places.peek() else { break };
        if number + around < *place {
            continue;
        }
        let line = truncate(line, LINE_CHARS);
        if region.len() + line.len() > REGION_BYTES {
            break;
        }
        writeln!(region, "{number:>6}\t{line}").expect("a string takes all that is written");
    }
    region
}
