//! Undoes each author of recorded histories alone, and measures the undo of one of many people.

use std::io::{self, Write as _};

use canvas_benches::people::{Undone, histories, undo_each, undo_of_one_of_many};

/// Entries among which the undo of one of 100 people is measured, unless the first argument is another number.
const ENTRIES: usize = 100_000;

fn main() -> io::Result<()> {
    let out = &mut io::stdout().lock();
    match histories()? {
        None => writeln!(io::stderr(), "not run: `histories` of `CANVAS_DATA` is missing")?,
        Some(histories) => {
            let mut undone = Undone::default();
            histories.iter().for_each(|history| undo_each(history, &mut undone));
            let revisions: usize = histories.iter().map(|history| history.revisions.len()).sum();
            let Undone { authors, whole, partly, changes, kept, refused, without_effect, faults } = &undone;
            writeln!(
                out,
                "{} files, {revisions} versions, {authors} authors of files: {whole} undone whole, {partly} in part \
                 ({changes} changes undone, {kept} stay), {refused} refused, {without_effect} without effect",
                histories.len(),
            )?;
            faults.iter().try_for_each(|fault| writeln!(out, "fault: {fault}"))?;
        }
    }
    let entries = std::env::args().nth(1).and_then(|entries| entries.parse().ok()).unwrap_or(ENTRIES);
    let measured = undo_of_one_of_many(entries);
    for is_warm in [false, true] {
        let mut times: Vec<_> = measured.iter().filter(|one| one.is_warm == is_warm).collect();
        times.sort_unstable_by_key(|one| one.time);
        let most = |of: fn(&canvas_benches::people::Measured) -> usize| times.iter().map(|one| of(one)).max();
        writeln!(
            out,
            "undo of 10 changes among {entries} entries, {}: median {:?}, most {:?}; at most {:?} round trips, \
             {:?} entries since the oldest, {:?} blobs read",
            if is_warm { "warm" } else { "cold" },
            times[times.len() / 2].time,
            times[times.len() - 1].time,
            most(|one| one.round_trips).unwrap_or_default(),
            most(|one| one.since).unwrap_or_default(),
            most(|one| one.blobs).unwrap_or_default(),
        )?;
    }
    Ok(())
}
