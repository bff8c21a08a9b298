//! Prints how the engine and its peers compare, as a table or as JSON lines.

use std::io::{self, Write};
use std::process::ExitCode;

use canvas_benches::measure::{Effort, Time};
use canvas_benches::native::V4aEdit;
use canvas_benches::peers::Skipped;
use canvas_benches::report::Row;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
use canvas_benches::stores;
use canvas_benches::{NATIVE, RECIPE_DATE, WORKS, board, memory, peers, report};

#[global_allocator]
static ALLOCATOR: &peakmem_alloc::PeakMemAlloc<std::alloc::System> = memory::COUNTING;

const USAGE: &str = "usage: compare [--json] [--quick] [--peers] [WORK...]

--json   one object a row: work, size, subject, median_ns, floor_ns, ratio;
         then from, to, exponent of each subject; peak, ratio of memory
--quick  two sizes and fewer repetitions, within a minute
--peers  the peers of board, time expressions and V4A diffs too; needs node, npm and
         python3 with venv
WORK     only these: a name, `apply-200`, or the start of several, `apply`;
         `memory` is how much is held at once
";

const SIZES: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const QUICK_SIZES: [usize; 2] = [100_000, 1_000_000];

/// How much is held at once is a group of its own.
const MEMORY: &str = "memory";
const MEMORY_SIZES: [usize; 2] = [1_000_000, 10_000_000];

#[derive(Default)]
struct Arguments {
    json: bool,
    quick: bool,
    peers: bool,
    works: Vec<String>,
}

impl Arguments {
    /// `None` where they cannot be understood.
    fn parse(arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut parsed = Self::default();
        for argument in arguments {
            match argument.as_str() {
                "--json" => parsed.json = true,
                "--quick" => parsed.quick = true,
                "--peers" => parsed.peers = true,
                work if known().any(|known| names(work, known)) => parsed.works.push(argument),
                _ => return None,
            }
        }
        Some(parsed)
    }

    fn wants(&self, work: &str) -> bool {
        self.works.is_empty() || self.works.iter().any(|wanted| names(wanted, work))
    }
}

/// The names of all works.
fn known() -> impl Iterator<Item = &'static str> {
    let works = WORKS.iter().map(|work| work.name).chain([MEMORY]).chain(board::WORKS);
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    let works = works.chain(stores::WORKS.iter().map(|work| work.name));
    works
}

/// Whether an argument is the name of a work, or its start up to a hyphen.
fn names(argument: &str, work: &str) -> bool {
    work.strip_prefix(argument).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn main() -> io::Result<ExitCode> {
    let Some(arguments) = Arguments::parse(std::env::args().skip(1)) else {
        io::stderr().write_all(USAGE.as_bytes())?;
        return Ok(ExitCode::from(2));
    };
    let out = &mut io::stdout().lock();
    compare(&arguments, out)?;
    if arguments.wants(MEMORY) {
        measure_memory(&arguments, out)?;
    }
    compare_boards(&arguments, out)?;
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    compare_stores(&arguments, out)?;
    Ok(ExitCode::SUCCESS)
}

fn compare(arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let (sizes, effort) =
        if arguments.quick { (&QUICK_SIZES[..], Effort::QUICK) } else { (&SIZES[..], Effort::FULL) };
    if !arguments.json {
        report::head(out)?;
    }
    for work in WORKS.iter().filter(|work| arguments.wants(work.name)) {
        let mut all = Vec::new();
        for &size in sizes {
            let mut rows = (work.rows)(work.name, size, effort);
            if let Some(first) = rows.first().cloned().filter(|_| arguments.peers) {
                match foreign_peer(work.name, size) {
                    None => {}
                    Some((subject, Ok(time))) => rows.push(Row { subject, time: Ok(time), ..first }),
                    Some((subject, Err(skipped))) => {
                        writeln!(io::stderr(), "{subject}: not run: {skipped}")?;
                    }
                }
            }
            for row in &rows {
                if arguments.json { report::json_line(row, out)? } else { report::line(row, out)? }
            }
            if !arguments.json && !rows.is_empty() {
                writeln!(out)?;
            }
            out.flush()?;
            all.extend(rows);
        }
        let growths = report::Growth::of(&all);
        for growth in &growths {
            if arguments.json {
                report::growth_json_line(growth, out)?
            } else {
                report::growth_line(growth, out)?
            }
        }
        if !arguments.json && !growths.is_empty() {
            writeln!(out)?;
        }
    }
    Ok(())
}

/// What a peer in another language takes.
fn foreign_peer(work: &str, size: usize) -> Option<(&'static str, Result<Time, Skipped>)> {
    match work {
        NATIVE => Some(("openai-agents", peers::apply_patch(&V4aEdit::new(size)?))),
        RECIPE_DATE => Some(("@elastic/datemath", peers::date_math())),
        _ => None,
    }
}

fn measure_memory(arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let sizes = if arguments.quick { &MEMORY_SIZES[..1] } else { &MEMORY_SIZES };
    for &size in sizes {
        for operation in memory::OPERATIONS {
            let peak = (operation.peak)(size);
            if arguments.json {
                report::peak_json_line(operation.name, size, peak, out)?;
            } else {
                report::peak_line(operation.name, size, peak, out)?;
            }
        }
        for operation in memory::TURNS {
            let peak = (operation.peak)(size);
            if arguments.json {
                report::turn_json_line(operation.name, size, peak, out)?;
            } else {
                report::turn_line(operation.name, size, peak, out)?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

/// The board's works: our own rows, and with `--peers` theirs.
fn compare_boards(arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    if !board::WORKS.iter().any(|work| arguments.wants(work)) {
        return Ok(());
    }
    let folder = board::folder();
    let sizes = if arguments.quick { &board::SIZES[..2] } else { &board::SIZES[..] };
    let most = if arguments.quick { &[][..] } else { &[board::LARGEST] };
    let mut rows = board::rows(&folder, &[sizes, most].concat());
    if arguments.peers {
        match peers::rows(&folder, sizes, if arguments.quick { 3 } else { 60 }) {
            Ok(theirs) => rows.extend(theirs),
            Err(skipped) => writeln!(io::stderr(), "peers of the board: not run: {skipped}")?,
        }
    }
    rows.retain(|row| arguments.wants(&row.work));
    if !arguments.json && !rows.is_empty() {
        board::head(out)?;
    }
    for row in &rows {
        if arguments.json { board::json_line(row, out)? } else { board::line(row, out)? }
    }
    for work in board::WORKS.iter().filter(|_| !arguments.json) {
        if let Some(growth) = board::growth(&rows, work).filter(|(from, to, _)| from < to) {
            board::growth_line(work, growth, out)?;
        }
    }
    out.flush()
}

#[cfg(any(feature = "postgres", feature = "sqlite"))]
fn compare_stores(arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let works: Vec<_> = stores::WORKS.iter().filter(|work| arguments.wants(work.name)).collect();
    if !arguments.json && !works.is_empty() {
        report::rate_head(out)?;
    }
    for work in works {
        for rate in (work.rates)(work.name, effort) {
            if arguments.json { report::rate_json_line(&rate, out)? } else { report::rate_line(&rate, out)? }
        }
        out.flush()?;
    }
    Ok(())
}
