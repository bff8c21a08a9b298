//! Phases, as a table for people and as JSON lines for programs.

use std::io::{self, Write};

use canvas_core::Policy;
use serde_json::json;

use super::{MANY_SIZES, Phase, Plan};
use crate::report::bytes;

/// Writes what is done, and the head of the table.
///
/// # Errors
///
/// Those of `out`.
pub fn head(plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    let Plan { canvases, edits, lines, budget, tasks, .. } = plan;
    let [most, some] = MANY_SIZES.map(bytes);
    writeln!(
        out,
        "{canvases} canvases ({most}, every tenth {some}), {edits} edits by {tasks} tasks, {lines} edits of a line \
         or {} put; an engine's cache is bounded by {} and 1024 canvases\n",
        bytes(usize::try_from(*budget).unwrap_or(usize::MAX)),
        bytes(Policy::default().cache_bytes),
    )?;
    let columns =
        ["store", "phase", "size", "calls", "calls/s", "cpu each", "put each", "written", "disk", "engine"];
    let [store, phase, size, calls, rate, cpu, put, written, disk, engine] = columns;
    writeln!(
        out,
        "{store:<13} {phase:<10} {size:>7} {calls:>8} {rate:>9} {cpu:>10} {put:>10} {written:>10} {disk:>9} {engine:>8}"
    )
}

/// Writes a phase; `written` is for each call.
///
/// # Errors
///
/// Those of `out`.
pub fn line(found: &Phase, out: &mut impl Write) -> io::Result<()> {
    let Phase { store, phase, size, calls, cpu_seconds, put, written, disk, engine, .. } = found;
    let none = || "-".to_owned();
    let (rate, put) = (found.per_second(), found.each(*put));
    let size = size.map_or_else(String::new, bytes);
    let cpu = cpu_seconds.map_or_else(none, |cpu| format!("{:.0} µs", cpu * 1e6 / (*calls).max(1) as f64));
    let written = written.map_or_else(none, |written| format!("{:.0}", found.each(written)));
    let whole =
        |bytes: &Option<u64>| bytes.map_or_else(none, |bytes| format!("{:.1} MB", bytes as f64 / 1e6));
    let (disk, engine) = (whole(disk), whole(engine));
    writeln!(
        out,
        "{store:<13} {phase:<10} {size:>7} {calls:>8} {rate:>9.0} {cpu:>10} {put:>10.0} {written:>10} {disk:>9} {engine:>8}"
    )
}

/// Writes a phase as one JSON object on one line.
///
/// # Errors
///
/// Those of `out`.
pub fn json_line(found: &Phase, out: &mut impl Write) -> io::Result<()> {
    let Phase { store, phase, size, calls, seconds, cpu_seconds, blobs, put, written, disk, engine } = found;
    let object = json!({
        "store": store, "phase": phase, "size": size, "calls": calls, "seconds": seconds,
        "per_second": found.per_second(), "cpu_seconds": cpu_seconds, "blobs": blobs, "put_bytes": put,
        "written_bytes": written, "disk_bytes": disk, "engine_bytes": engine,
        "cache_limit": Policy::default().cache_bytes,
    });
    writeln!(out, "{object}")
}
