//! Rows, as a table for people and as JSON lines for programs.

use std::io::{self, Write};

use serde_json::json;

use crate::bytes::Written;
use crate::measure::{Flaw, Outcome, Time};
#[cfg(any(feature = "postgres", feature = "sqlite"))]
use crate::stores::Rate;
use crate::target::{Judged, Target};

/// What one subject needed for one work at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Stable name of the work.
    pub work: &'static str,
    /// Bytes of the document.
    pub size: usize,
    /// Stable name of the subject: `canvas`, `memcpy`, or a peer's crate.
    pub subject: &'static str,
    /// The times of its calls, or why there are none.
    pub time: Result<Time, Flaw>,
    /// Median nanoseconds of copying the document into a warm buffer, in the same run.
    pub floor_ns: f64,
}

impl Row {
    /// Rows of outcomes among which is the floor, by the name of [`Subject::memcpy`](crate::measure::Subject::memcpy).
    ///
    /// # Panics
    ///
    /// Where it is missing.
    pub fn of(work: &'static str, size: usize, outcomes: Vec<Outcome>) -> Vec<Self> {
        let floor = outcomes.iter().find(|outcome| outcome.subject == "memcpy");
        let floor =
            floor.and_then(|outcome| outcome.time.as_ref().ok()).expect("the floor is among the subjects");
        let floor_ns = floor.median_ns;
        let row = |Outcome { subject, time }| Self { work, size, subject, time, floor_ns };
        outcomes.into_iter().map(row).collect()
    }

    /// Its target, judged in milliseconds or beside another row of its work and size. `None` if it has no target, or if
    /// either was not timed.
    pub fn judged(&self, rows: &[Self]) -> Option<Judged> {
        let target = Target::of(self.work, self.size, self.subject)?;
        let median = |row: &Self| row.time.as_ref().map(|time| time.median_ns).ok();
        if target.beside == "ms" {
            return Some(Judged { target, value: median(self)? / 1e6 });
        }
        let beside = rows.iter().find(|row| target.beside.strip_prefix("× ") == Some(row.subject))?;
        Some(Judged { target, value: median(self)? / median(beside)? })
    }
}

/// Writes the head of the table.
///
/// # Errors
///
/// Those of `out`.
pub fn head(out: &mut impl Write) -> io::Result<()> {
    let columns = ["work", "size", "subject", "median", "fastest", "× memcpy"];
    let [work, size, subject, median, fastest, ratio] = columns;
    writeln!(out, "{work:<25} {size:>6}  {subject:<17} {median:>10} {fastest:>10} {ratio:>9}")
}

/// Writes a row of the table.
///
/// # Errors
///
/// Those of `out`.
pub fn line(row: &Row, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{:<25} {:>6}  {:<17} ", row.work, bytes(row.size), row.subject)?;
    match &row.time {
        Ok(Time { median_ns, fastest_ns }) => {
            let ratio = median_ns / row.floor_ns;
            writeln!(out, "{:>10} {:>10} {ratio:>9.2}", duration(*median_ns), duration(*fastest_ns))?;
        }
        Err(Flaw::OtherResult) => writeln!(out, "not timed: gives another result")?,
        Err(Flaw::Refused(error)) => {
            writeln!(out, "not timed: refuses: {}", error.lines().next().unwrap_or(""))?
        }
    }
    Ok(())
}

/// Writes a row as one JSON object on one line, with its target where it has one. A subject that was not timed has `null`
/// times.
///
/// # Errors
///
/// Those of `out`.
pub fn json_line(row: &Row, judged: Option<Judged>, out: &mut impl Write) -> io::Result<()> {
    let median = row.time.as_ref().ok().map(|time| time.median_ns);
    let mut object = json!({
        "work": row.work,
        "size": row.size,
        "subject": row.subject,
        "median_ns": median.map(|ns| ns.round() as u64),
        "floor_ns": row.floor_ns.round() as u64,
        "ratio": median.map(|ns| thousandths(ns / row.floor_ns)),
    });
    if let Some(Judged { target, value }) = judged {
        object["beside"] = json!(target.beside);
        object["target"] = json!(target.bound.number());
        object["times"] = json!(thousandths(value));
    }
    writeln!(out, "{object}")
}

/// Writes what is aimed at and what was reached.
///
/// # Errors
///
/// Those of `out`.
pub fn target_line(size: &str, Judged { target, value }: Judged, out: &mut impl Write) -> io::Result<()> {
    let Target { work, subject, beside, bound, .. } = target;
    let met = if bound.is_met(value) { "met" } else { "missed" };
    // Of bytes there are no hundredths.
    let digits = if value < 1e3 { 2 } else { 0 };
    writeln!(out, "{work:<25} {size:>6}  {subject}: {value:.digits$} {beside}, target {bound}: {met}")
}

fn thousandths(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// How the time of one subject grows with the document: with the size to the power of `exponent`, over all sizes that
/// were measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Stable name of the work.
    pub work: &'static str,
    /// Stable name of the subject.
    pub subject: &'static str,
    /// The smallest and the largest document, in bytes.
    pub sizes: (usize, usize),
    /// 1 is linear.
    pub exponent: f64,
}

impl Growth {
    /// Of each subject that was timed at two sizes or more; `rows` are of one work, in the order of their sizes.
    pub fn of(rows: &[Row]) -> Vec<Self> {
        let mut subjects: Vec<_> = Vec::new();
        for row in rows.iter().filter(|row| row.time.is_ok()) {
            if !subjects.contains(&row.subject) {
                subjects.push(row.subject);
            }
        }
        let growth = |subject| {
            let mut timed = rows.iter().filter(|row| row.subject == subject && row.time.is_ok());
            let (first, last) = (timed.next()?, timed.next_back()?);
            let median = |row: &Row| row.time.as_ref().map(|time| time.median_ns).ok();
            let exponent =
                (median(last)? / median(first)?).ln() / (last.size as f64 / first.size as f64).ln();
            Some(Self { work: last.work, subject, sizes: (first.size, last.size), exponent })
        };
        subjects.into_iter().filter_map(growth).collect()
    }
}

/// Writes what the times of a work grow with.
///
/// # Errors
///
/// Those of `out`.
pub fn growth_line(growth: &Growth, out: &mut impl Write) -> io::Result<()> {
    let Growth { work, subject, sizes: (from, to), exponent } = growth;
    let sizes = format!("{} to {}", bytes(*from), bytes(*to));
    writeln!(out, "{work:<25} {subject:<17}  {sizes:>16}: time grows with size to the power of {exponent:.2}")
}

/// Writes what the times of a work grow with as one JSON object on one line.
///
/// # Errors
///
/// Those of `out`.
pub fn growth_json_line(growth: &Growth, out: &mut impl Write) -> io::Result<()> {
    let Growth { work, subject, sizes: (from, to), exponent } = growth;
    let exponent = thousandths(*exponent);
    let object = json!({"work": work, "subject": subject, "from": from, "to": to, "exponent": exponent});
    writeln!(out, "{object}")
}

/// Writes how much an operation holds at most, the document included.
///
/// # Errors
///
/// Those of `out`.
pub fn peak_line(operation: &str, size: usize, peak: usize, out: &mut impl Write) -> io::Result<()> {
    let ratio = with_text(size, peak);
    writeln!(
        out,
        "memory {operation:<24} {:>6}  at most {ratio:.2} × the text, the text included",
        bytes(size)
    )
}

/// Writes how much an operation holds at most, as one JSON object on one line.
///
/// # Errors
///
/// Those of `out`.
pub fn peak_json_line(operation: &str, size: usize, peak: usize, out: &mut impl Write) -> io::Result<()> {
    let ratio = thousandths(with_text(size, peak));
    let mut object =
        json!({"work": "memory", "subject": operation, "size": size, "peak": peak, "ratio": ratio});
    if let Some(target) = Target::of("memory", size, operation) {
        object["target"] = json!(target.bound.number());
    }
    writeln!(out, "{object}")
}

/// Writes how much the reader of a stream holds at most, the stream left out.
///
/// # Errors
///
/// Those of `out`.
pub fn turn_line(operation: &str, size: usize, peak: usize, out: &mut impl Write) -> io::Result<()> {
    let ratio = peak as f64 / size as f64;
    writeln!(
        out,
        "memory {operation:<24} {:>6}  at most {ratio:.2} × the stream, which is not held",
        bytes(size)
    )
}

/// Writes how much the reader of a stream holds at most, as one JSON object on one line.
///
/// # Errors
///
/// Those of `out`.
pub fn turn_json_line(operation: &str, size: usize, peak: usize, out: &mut impl Write) -> io::Result<()> {
    let ratio = thousandths(peak as f64 / size as f64);
    let object = json!({"work": "memory", "subject": operation, "size": size, "peak": peak, "ratio": ratio});
    writeln!(out, "{object}")
}

/// Times the text, the text included.
pub fn with_text(size: usize, peak: usize) -> f64 {
    1.0 + peak as f64 / size as f64
}

/// Writes the head of the table of stores.
///
/// # Errors
///
/// Those of `out`.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub fn rate_head(out: &mut impl Write) -> io::Result<()> {
    let [work, subject, per_second, range, ratio] = ["work", "subject", "calls/s", "range", "× first"];
    writeln!(out, "{work:<16}  {subject:<24} {per_second:>9} {range:>17} {ratio:>8}")
}

/// Writes a row of the table of stores.
///
/// # Errors
///
/// Those of `out`.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub fn rate_line(rate: &Rate, out: &mut impl Write) -> io::Result<()> {
    let Rate { work, subject, per_second, range: (slowest, fastest), ratio } = rate;
    let range = format!("{slowest:.0} to {fastest:.0}");
    writeln!(out, "{work:<16}  {subject:<24} {per_second:>9.0} {range:>17} {ratio:>8.2}")
}

/// Writes a row of the table of stores as one JSON object on one line.
///
/// # Errors
///
/// Those of `out`.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub fn rate_json_line(rate: &Rate, out: &mut impl Write) -> io::Result<()> {
    let mut object = json!({
        "work": rate.work,
        "subject": rate.subject,
        "per_second": rate.per_second.round() as u64,
        "ratio": thousandths(rate.ratio),
    });
    if let Some(target) = Target::of(rate.work, 0, rate.subject) {
        object["target"] = json!(target.bound.number());
    }
    writeln!(out, "{object}")
}

/// Writes how many bytes a change puts into a store.
///
/// # Errors
///
/// Those of `out`.
pub fn bytes_line(written: &Written, out: &mut impl Write) -> io::Result<()> {
    let Written { work, size, subject, bytes: median, most } = written;
    let ratio = *median as f64 / *size as f64;
    let size = bytes(*size);
    writeln!(
        out,
        "{work:<25} {size:>6}  {subject:<17} {median:>10} bytes, at most {most}: {ratio:.3} × the text"
    )
}

/// Writes how many bytes a change puts into a store, as one JSON object on one line.
///
/// # Errors
///
/// Those of `out`.
pub fn bytes_json_line(written: &Written, out: &mut impl Write) -> io::Result<()> {
    let Written { work, size, subject, bytes, most } = *written;
    let ratio = thousandths(bytes as f64 / size as f64);
    let mut object = json!({
        "work": work, "size": size, "subject": subject, "bytes": bytes, "most": most, "ratio": ratio,
    });
    if let Some(target) = Target::of(work, size, subject) {
        object["target"] = json!(target.bound.number());
    }
    writeln!(out, "{object}")
}

/// A number of bytes, for people.
pub fn bytes(size: usize) -> String {
    match size {
        1_000_000.. => format!("{} MB", size / 1_000_000),
        _ => format!("{} KB", size / 1_000),
    }
}

pub(crate) fn duration(ns: f64) -> String {
    match ns {
        1e6.. => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} µs", ns / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_computed_from_the_ends() {
        let row = |subject, size, time: Option<f64>| {
            let time = time.map(|ns| Time { median_ns: ns, fastest_ns: ns }).ok_or(Flaw::OtherResult);
            Row { work: "w", size, subject, time, floor_ns: 1.0 }
        };
        let rows = [
            row("linear", 10, Some(5.0)),
            row("quadratic", 10, Some(5.0)),
            row("wrong", 10, None),
            row("linear", 100, Some(1.0)),
            row("late", 100, Some(1.0)),
            row("wrong", 100, Some(1.0)),
            row("linear", 1_000, Some(500.0)),
            row("quadratic", 1_000, Some(50_000.0)),
        ];
        let found: Vec<_> =
            Growth::of(&rows).iter().map(|g| (g.subject, g.sizes, g.exponent.round())).collect();
        assert_eq!(found, [("linear", (10, 1_000), 1.0), ("quadratic", (10, 1_000), 2.0)]);
    }

    #[test]
    fn a_row_is_judged_beside_the_subject_that_its_target_names() {
        let row = |subject, ns: Option<f64>| {
            let time = ns.map(|ns| Time { median_ns: ns, fastest_ns: ns }).ok_or(Flaw::OtherResult);
            Row { work: "call", size: 1_000_000, subject, time, floor_ns: 1.0 }
        };
        let (canvas, floor) = (row("canvas", Some(30.0)), row("memcpy", Some(1.0)));
        let peer = |ns| row("blake3 and memcpy", ns);
        let value = |rows: &[Row]| canvas.judged(rows).map(|judged| judged.value);
        assert_eq!(value(&[floor.clone(), peer(Some(10.0))]), Some(3.0));
        assert_eq!(value(&[floor.clone(), peer(None)]), None);
        assert_eq!(floor.judged(&[peer(Some(10.0))]), None);
    }
}
