//! Prints what many canvases take on each store, phase by phase, and what far more of them would take.

use std::io::{self, Write as _};
use std::process::ExitCode;

use canvas_benches::memory;
use canvas_benches::scale::{Event, KNOWN, Phase, Plan, far, report, run};

#[global_allocator]
static ALLOCATOR: &peakmem_alloc::PeakMemAlloc<std::alloc::System> = memory::COUNTING;

const USAGE: &str =
    "usage: scale [--quick] [--json] [--canvases N] [--edits N] [--lines N] [--budget BYTES] [--keystrokes N]
             [--tasks N] [STORE...]

--quick     40 canvases and 200 edits, within a minute
--json      one object a phase: store, phase, size, calls, seconds, per_second, cpu_seconds, blobs,
            put_bytes, written_bytes, disk_bytes, engine_bytes, cache_limit; then the computation
--canvases  canvases that are made (10000)
--edits     edits of them (100000)
--lines     edits of one line in documents of 10 KB, 100 KB and 1 MB (20000)
--budget    bytes that those may hand to a store for each size (2200000000)
--keystrokes  recorded keystrokes that are played on one document, and undone (all); they are in `traces` of
              `CANVAS_DATA` (../shared/data)
--tasks     tasks that work at once (8)
STORE       only these: memory, sqlite, postgres, object-store; postgres needs a server,
            see `.ci/postgres`
";

/// `None` where the arguments cannot be understood.
fn parse(mut arguments: impl Iterator<Item = String>) -> Option<(Plan, bool)> {
    let (mut plan, mut is_json, mut is_quick) = (Plan::FULL, false, false);
    let mut numbers = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => is_json = true,
            "--quick" => is_quick = true,
            "--canvases" | "--edits" | "--lines" | "--budget" | "--keystrokes" | "--tasks" => {
                let number = arguments.next()?.parse::<u64>().ok().filter(|number| *number > 0)?;
                numbers.push((argument, number));
            }
            store if KNOWN.iter().any(|known| known.name == store) => plan.stores.push(argument),
            _ => return None,
        }
    }
    if is_quick {
        plan = Plan { stores: plan.stores, ..Plan::QUICK };
    }
    for (name, number) in numbers {
        let count = usize::try_from(number).ok()?;
        match name.as_str() {
            "--canvases" => plan.canvases = count,
            "--edits" => plan.edits = count,
            "--lines" => plan.lines = count,
            "--keystrokes" => plan.keystrokes = count,
            "--tasks" => plan.tasks = count,
            _ => plan.budget = number,
        }
    }
    Some((plan, is_json))
}

fn main() -> io::Result<ExitCode> {
    let Some((plan, is_json)) = parse(std::env::args().skip(1)) else {
        io::stderr().write_all(USAGE.as_bytes())?;
        return Ok(ExitCode::from(2));
    };
    let out = &mut io::stdout().lock();
    if !is_json {
        report::head(&plan, out)?;
    }
    let mut phases: Vec<Phase> = Vec::new();
    run(&plan, &mut |event| {
        match event {
            Event::Done(phase) => {
                if is_json {
                    report::json_line(phase, out)?
                } else {
                    report::line(phase, out)?
                }
                phases.push(phase.clone());
            }
            Event::Lacking { store, reason } => writeln!(io::stderr(), "{store}: not run: {reason}")?,
        }
        out.flush()
    })?;
    let computed = far::compute(&phases);
    if is_json {
        computed.iter().try_for_each(|line| writeln!(out, "{}", far::json(line)))?;
    } else {
        far::print(&computed, out)?;
    }
    Ok(ExitCode::SUCCESS)
}
