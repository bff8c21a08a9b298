//! Prints how the engine and its peers compare, as a table or as JSON lines.

use std::io::{self, Write};
use std::process::{Command, ExitCode};

use canvas_benches::measure::{Effort, Time};
use canvas_benches::native::V4aEdit;
use canvas_benches::peers::Skipped;
use canvas_benches::report::Row;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
use canvas_benches::stores;
use canvas_benches::target::{Judged, Target};
use canvas_benches::{NATIVE, RECIPE_DATE, WORKS, board, bytes, memory, peers, report, versions};

#[global_allocator]
static ALLOCATOR: &peakmem_alloc::PeakMemAlloc<std::alloc::System> = memory::COUNTING;

const USAGE: &str = "usage: compare [--json] [--quick] [--peers] [WORK...]
       compare studio [--sockets N] [--presses N] [--get] [--json]

--json   one object a row: work, size, subject, median_ns, floor_ns, ratio;
         then from, to, exponent of each subject; peak, ratio of memory;
         bytes of bytes-edit; per_second of stores. A row that has a target
         has `target`, and `times` where it is set against another subject
--quick  two sizes and fewer repetitions, within a minute
--peers  the peers of board, time expressions, the past and V4A diffs too; needs node,
         npm and python3 with venv
WORK     only these: a name, `apply-200`, or the start of several, `apply`;
         `memory` is how much is held at once, `bytes-edit` how much
         the edit of a line puts into a store
studio   builds and runs the bench of the studio's server: windows that
         listen, and how soon a press is seen in another
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
    let works = WORKS.iter().map(|work| work.name).chain([MEMORY, bytes::WORK]).chain(board::WORKS);
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    let works = works.chain(stores::WORKS.iter().map(|work| work.name));
    works
}

/// Whether an argument is the name of a work, or its start up to a hyphen.
fn names(argument: &str, work: &str) -> bool {
    work.strip_prefix(argument).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The server is another package: nothing here knows its crates.
const STUDIO: &str = "studio";

fn main() -> io::Result<ExitCode> {
    let mut given = std::env::args().skip(1);
    if std::env::args().nth(1).as_deref() == Some(STUDIO) {
        given.next();
        return measure_studio(given);
    }
    let Some(arguments) = Arguments::parse(given) else {
        io::stderr().write_all(USAGE.as_bytes())?;
        return Ok(ExitCode::from(2));
    };
    let out = &mut io::stdout().lock();
    compare(&arguments, out)?;
    if arguments.wants(MEMORY) {
        measure_memory(&arguments, out)?;
    }
    if arguments.wants(bytes::WORK) {
        count_bytes(&arguments, out)?;
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
                for (subject, time) in foreign_peers(work.name, size, effort) {
                    match time {
                        Ok(time) => rows.push(Row { subject, time: Ok(time), ..first.clone() }),
                        Err(skipped) => writeln!(io::stderr(), "{subject}: not run: {skipped}")?,
                    }
                }
            }
            for row in &rows {
                let judged = row.judged(&rows);
                if arguments.json { report::json_line(row, judged, out)? } else { report::line(row, out)? }
            }
            for judged in rows.iter().filter_map(|row| row.judged(&rows)).filter(|_| !arguments.json) {
                report::target_line(&report::bytes(size), judged, out)?;
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

/// Runs the bench of the studio with these arguments, and ends as it does.
fn measure_studio(arguments: impl Iterator<Item = String>) -> io::Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut bench = Command::new(cargo);
    bench.current_dir(env!("CARGO_MANIFEST_DIR"));
    bench.args(["run", "--quiet", "--release", "--package", "canvas-studio", "--bin", "studio-bench", "--"]);
    let status = bench.args(arguments).status()?;
    // One that was killed by a signal has no code.
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The times of the peers in other languages.
fn foreign_peers(work: &str, size: usize, effort: Effort) -> Vec<(&'static str, Result<Time, Skipped>)> {
    match work {
        NATIVE => {
            let edit = V4aEdit::new(size);
            edit.map(|edit| ("openai-agents", peers::apply_patch(&edit))).into_iter().collect()
        }
        RECIPE_DATE => vec![("@elastic/datemath", peers::date_math())],
        versions::PAST => match peers::past(&versions::recorded(size, effort)) {
            Ok(times) => peers::PAST.into_iter().zip(times.map(Ok)).collect(),
            Err(skipped) => vec![("automerge and yjs", Err(skipped))],
        },
        _ => Vec::new(),
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
                let value = report::with_text(size, peak);
                judge(Target::of(MEMORY, size, operation.name), size, value, out)?;
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

/// How much the edit of a line puts into a store.
fn count_bytes(arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    for size in bytes::SIZES {
        for written in bytes::written(size) {
            if arguments.json {
                report::bytes_json_line(&written, out)?;
            } else {
                report::bytes_line(&written, out)?;
                let target = Target::of(written.work, size, written.subject);
                judge(target, size, written.bytes as f64, out)?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

/// Says in the table whether a target is met; nothing where there is none.
fn judge(target: Option<Target>, size: usize, value: f64, out: &mut impl Write) -> io::Result<()> {
    let size = if size == 0 { String::new() } else { report::bytes(size) };
    target.map_or(Ok(()), |target| report::target_line(&size, Judged { target, value }, out))
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
    for row in rows.iter().filter(|_| !arguments.json) {
        if let Some(judged) = row.judged() {
            report::target_line(&row.size.to_string(), judged, out)?;
        }
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
        if let Some(lacking) = work.lacking() {
            writeln!(io::stderr(), "{}: not run: {lacking}", work.name)?;
            continue;
        }
        for rate in (work.rates)(work.name, effort) {
            if arguments.json {
                report::rate_json_line(&rate, out)?;
            } else {
                report::rate_line(&rate, out)?;
                judge(Target::of(rate.work, 0, rate.subject), 0, rate.ratio, out)?;
            }
        }
        out.flush()?;
    }
    Ok(())
}
