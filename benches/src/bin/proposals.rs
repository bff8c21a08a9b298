//! Prints what proposals cost, each beside what it is aimed at.

use std::io::{self, Write as _};

use canvas_benches::proposals::{Beside, accepting, redline, typing};

/// Bytes of the document, and open parts in it.
const LARGE: (usize, usize) = (1_000_000, 500);
/// The same for the redline.
const SMALL: (usize, usize) = (100_000, 200);

fn main() -> io::Result<()> {
    let out = &mut io::stdout().lock();
    let ratio = |Beside { times, .. }: &Beside| times[0].as_secs_f64() / times[1].as_secs_f64();
    let typed = typing(LARGE.0, LARGE.1);
    let Beside { times, bytes } = typed;
    writeln!(
        out,
        "an edit of 1 MB: {:?} with 500 open parts, {:?} without: {:.2} ×, at most 1.5",
        times[0],
        times[1],
        ratio(&typed)
    )?;
    writeln!(out, "bytes that it writes: {} with 500 open parts, {} without", bytes[0], bytes[1])?;
    let accepted = accepting(LARGE.0, LARGE.1);
    let Beside { times, .. } = accepted;
    writeln!(
        out,
        "one of 500 parts of 1 MB accepted: {:?}, a patch {:?}: {:.2} ×, at most 2",
        times[0],
        times[1],
        ratio(&accepted)
    )?;
    writeln!(out, "a redline of 100 KB with 200 parts: {:?}, at most 5 ms", redline(SMALL.0, SMALL.1))
}
