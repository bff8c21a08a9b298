//! Prints what the past of a document costs, each beside what it is aimed at.

use std::io::{self, Write as _};
use std::time::Duration;

use canvas_benches::past::{Past, past};

fn main() -> io::Result<()> {
    let out = &mut io::stdout().lock();
    let ratio = |times: [Duration; 2]| times[0].as_secs_f64() / times[1].as_secs_f64();
    let Past { edits, blame, cold_blame, stored, collected, diff } = past(1_000_000, 10_000);
    writeln!(out, "1 MB with 10,000 changes")?;
    let [with, without] = edits;
    writeln!(out, "an edit: {with:?} with blame, {without:?} without: {:.2} ×, at most 1.1", ratio(edits))?;
    writeln!(
        out,
        "blame of 100 lines: {blame:?}, at most 100 µs; of all lines from the journal: {cold_blame:?}"
    )?;
    let [read, copy] = stored;
    writeln!(
        out,
        "text of 1,000 changes ago, stored: {read:?}, a copy {copy:?}: {:.1} ×, at most 3",
        ratio(stored)
    )?;
    writeln!(out, "the same, collected: {collected:?}, at most 5 ms")?;
    let [whole, parts] = diff;
    writeln!(
        out,
        "diff over 1,000 changes: {whole:?}, texts and patch {parts:?}: {:.2} ×, at most 1.2",
        ratio(diff)
    )
}
