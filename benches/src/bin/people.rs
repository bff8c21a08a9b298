//! Undoes each author of recorded histories alone, and measures the undo of one of many people.

use std::io::{self, Write as _};

use canvas_benches::people::{Measured, Undone, histories, undo_each, undo_of_one_of_many};

/// Entries among which the undo of one of 100 people is measured, unless the first argument is another number.
const ENTRIES: usize = 100_000;
/// Undos measured, each on a journal of its own.
const RUNS: usize = 6;

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
    for who in 0..RUNS {
        let is_warm = who % 2 == 0;
        let Measured { since, round_trips, blobs, time } = undo_of_one_of_many(entries, who, is_warm);
        let engine = if is_warm { "that wrote them" } else { "that just started" };
        writeln!(
            out,
            "undo of 10 changes among {entries} entries, by an engine {engine}: {time:?}, {round_trips} round trips, \
             {blobs} blobs for {since} entries since the oldest",
        )?;
    }
    Ok(())
}
