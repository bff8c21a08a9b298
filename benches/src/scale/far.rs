//! What ten million canvases and a hundred thousand writers a second take, computed from what was measured.
//!
//! Nothing here is measured at that size. A canvas is the unit of contention and shares nothing with another, so shards
//! and buckets add up; what does not add up is left out, and each line says what it assumes.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Phase;

/// Canvases.
pub const CANVASES: f64 = 10_000_000.0;

/// Edits a second, by as many writers that each make one.
pub const WRITERS: f64 = 100_000.0;

/// How much of what was measured a shard is loaded with, so that a peak and a lost replica find room.
const LOAD: f64 = 0.5;

/// Bytes that one shard of a database keeps: a disk that can be copied within the hour.
const SHARD_BYTES: f64 = 2e12;

/// Puts a second that a bucket takes for one prefix of keys, as S3 states for one partition.
const PUTS_PER_PREFIX: f64 = 3_500.0;

/// Milliseconds of one put of an object store, at the median.
const PUT_MS: f64 = 30.0;

/// Bytes that one engine keeps in its cache by default.
const CACHE: f64 = (256 << 20) as f64;

/// One line of the computation.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The store from whose figures it is computed.
    pub store: &'static str,
    /// What is computed.
    pub what: &'static str,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// From which numbers, and under which assumption.
    pub how: String,
}

/// The computation from the phases of all stores. A store that was not measured has no lines.
pub fn compute(phases: &[Phase]) -> Vec<Line> {
    ["sqlite", "postgres", "object-store"].into_iter().flat_map(|store| of_store(store, phases)).collect()
}

fn of_store(store: &'static str, phases: &[Phase]) -> Vec<Line> {
    let find = |name: &str| {
        phases.iter().find(|phase| phase.store == store && phase.phase == name && phase.size.is_none())
    };
    let (Some(create), Some(edit), Some(read)) = (find("create"), find("edit"), find("read cold")) else {
        return Vec::new();
    };
    let line = |what, value, unit, how: String| Line { store, what, value, unit, how };
    let mut lines = Vec::new();
    let put = edit.each(edit.put);
    lines.push(line(
        "network to the store",
        WRITERS * put / 1e6,
        "MB/s",
        format!("{WRITERS} edits/s × {put:.0} bytes that an edit hands over"),
    ));
    let mut cores = 8.0;
    if let Some(cpu) = edit.cpu_seconds {
        let each = cpu / edit.calls.max(1) as f64;
        cores = WRITERS * each / LOAD;
        lines.push(line(
            "cores of engines",
            cores,
            "cores",
            format!("{WRITERS} edits/s × {:.0} µs of this process for an edit, loaded to {LOAD}", each * 1e6),
        ));
    }
    let engines = (cores / 8.0).ceil();
    lines.push(line(
        "memory of engines",
        engines * CACHE / 1e9,
        "GB",
        format!("{engines} engines of 8 cores × 256 MiB of cache, which is its bound whatever the canvases"),
    ));
    let kept =
        phases.iter().rfind(|phase| phase.store == store && phase.phase == "collect" && phase.size.is_none());
    let disk = kept.or(Some(edit)).and_then(|phase| phase.disk).unwrap_or_default() as f64;
    let bytes = disk / create.calls.max(1) as f64;
    lines.push(line(
        "room",
        CANVASES * bytes / 1e12,
        "TB",
        format!(
            "{CANVASES} canvases × {bytes:.0} bytes, as they lie after {} edits each and a collection",
            edit.calls / create.calls.max(1)
        ),
    ));
    if store == "object-store" {
        // The head, and each blob by itself.
        let puts = 1.0 + edit.blobs as f64 / edit.calls.max(1) as f64;
        let rate = WRITERS * puts;
        lines.push(line(
            "puts",
            rate,
            "puts/s",
            format!("{WRITERS} edits/s × {puts:.2}: the head, and the blobs of an edit"),
        ));
        let prefixes = (rate / PUTS_PER_PREFIX / LOAD).ceil();
        lines.push(line(
            "prefixes",
            prefixes,
            "prefixes",
            format!(
                "{PUTS_PER_PREFIX} puts/s each, loaded to {LOAD}; keys begin with the id, so ids must spread"
            ),
        ));
        lines.push(line(
            "an edit",
            2.0 * PUT_MS,
            "ms",
            format!("the blobs together and then the head, {PUT_MS} ms a put; one canvas takes one after the other"),
        ));
    } else {
        let each = edit.per_second() * LOAD;
        let (by_writes, by_room) = (WRITERS / each, CANVASES * bytes / SHARD_BYTES);
        lines.push(line(
            "shards",
            by_writes.max(by_room).ceil(),
            "shards",
            format!(
                "the larger of {by_writes:.1} by writes ({:.0} edits/s of this machine, loaded to {LOAD}) and \
                 {by_room:.1} by room (2 TB each)",
                edit.per_second()
            ),
        ));
        if let Some(written) = edit.written {
            let written = edit.each(written);
            lines.push(line(
                "written to disks",
                WRITERS * written / 1e6,
                "MB/s",
                format!(
                    "{WRITERS} edits/s × {written:.0} bytes of log and files for an edit, over all shards"
                ),
            ));
        }
    }
    lines.push(line(
        "cold reads",
        read.per_second(),
        "reads/s",
        "one engine that knows nothing, one read after the other: a canvas that moves to another engine"
            .to_owned(),
    ));
    lines
}

/// Writes the computation for people.
///
/// # Errors
///
/// Those of `out`.
pub fn print(lines: &[Line], out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{CANVASES} canvases, {WRITERS} writers a second: computed from the figures above, not measured"
    )?;
    for Line { store, what, value, unit, how } in lines {
        writeln!(out, "{store:<13} {what:<21} {value:>10.1} {unit:<9} {how}")?;
    }
    Ok(())
}

/// The same as JSON.
pub fn json(line: &Line) -> Value {
    let Line { store, what, value, unit, how } = line;
    json!({"store": store, "phase": "far", "what": what, "value": value, "unit": unit, "how": how})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_follow_writes_or_room_whichever_is_more() {
        let phase = |phase, calls, seconds, disk| Phase {
            store: "postgres",
            phase,
            size: None,
            calls,
            seconds,
            cpu_seconds: None,
            blobs: 2 * calls,
            put: 1_000 * calls,
            written: Some(2_000 * calls),
            disk: Some(disk),
            engine: None,
        };
        for (edits_per_second, bytes_each, shards) in [(1_000, 10_000, 200.0), (100_000, 2_000_000, 10.0)] {
            let disk = 100 * bytes_each;
            let phases = [
                phase("create", 100, 1.0, disk),
                phase("edit", edits_per_second, 1.0, disk),
                phase("read cold", 100, 1.0, disk),
            ];
            let lines = compute(&phases);
            let found = lines.iter().find(|line| line.what == "shards").map(|line| line.value);
            assert_eq!(found, Some(shards), "{lines:?}");
        }
        assert_eq!(compute(&[phase("create", 1, 1.0, 1)]), []);
    }
}
