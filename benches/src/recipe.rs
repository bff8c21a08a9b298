//! What recipes compute: the first rows of a table by two keys, and a time expression in a zone.

use std::borrow::Cow;
use std::cmp::Reverse;

use canvas_core::Zone;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{DateExpr, Operations};
use serde_json::{Value, json};

use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

/// Bytes of a row, about.
const ROW: usize = 100;
/// Rows that are wanted of the sorted ones: copying all of them would be most of the time.
const WANTED: usize = 10;
/// The only size at which the time expression, which has none, is in the table.
const DATE_SIZE: usize = 100_000;

/// Measures sorting a table of `size` bytes, 100,000 rows in the largest, by a text and, descending, by a number.
///
/// # Panics
///
/// Where the operations cannot be read: a defect.
pub fn rows_sorted(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let table: Value = (0..size / ROW).map(row).collect();
    let text = table.to_string();
    let operations = json!([
        {"op": "sort", "by": [{"path": "/city"}, {"path": "/amount", "dir": "desc"}]},
        {"op": "limit", "count": WANTED},
    ]);
    let operations = Operations::parse(&operations).expect("these are operations");
    let apply = || operations.apply(Cow::Borrowed(&table), Timestamp::from_millis(0), &Zone::UTC);
    let items = table.as_array().expect("it was collected as one");
    let expected = by_extracted_keys(items);
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new("canvas", apply, |found| *found == expected),
        Subject::new("extracted keys", || fine(by_extracted_keys(items)), |found| *found == expected),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// What one would write by hand for columns whose types are known.
fn by_extracted_keys(items: &[Value]) -> Value {
    let mut keys: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(number, row)| (row["city"].as_str(), Reverse(row["amount"].as_i64()), number))
        .collect();
    keys.sort_by(|one, two| (one.0, one.1).cmp(&(two.0, two.1)));
    keys.into_iter().take(WANTED).map(|(_, _, number)| items[number].clone()).collect()
}

fn row(number: usize) -> Value {
    // Spread without a generator of random numbers; a city has about a hundred rows in the largest table.
    let spread = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    json!({
        "id": number,
        "city": format!("city of the name {:03}", spread >> 54),
        "amount": spread >> 20 & 0xffff,
        "note": "something that is carried along",
    })
}

/// Measures `now-30d/d` in Europe/Berlin. The floor, which has nothing to do with it, is that of all works.
///
/// # Panics
///
/// Where the expression cannot be read, or the zone is missing: a defect.
pub fn rows_of_dates(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    const EXPR: &str = "now-30d/d";
    const ZONE: &str = "Europe/Berlin";
    if size != DATE_SIZE {
        return Vec::new();
    }
    // 2026-04-15T12:00:00Z, and the midnight of 30 days before, in winter.
    let (now, expected) = (Timestamp::from_millis(1_776_254_400_000), 1_773_615_600_000);
    let zone = Zone::new(ZONE).expect("it is compiled in");
    let expr = DateExpr::parse(EXPR).expect("this is an expression");
    let eval = |expr: &DateExpr, zone: &Zone| expr.eval(now, zone).map(|value| value.unix_ms());
    let all =
        || DateExpr::parse(EXPR).and_then(|expr| eval(&expr, &Zone::new(ZONE).expect("it is compiled in")));
    let text = vec![b'a'; size];
    let subjects = [
        Subject::memcpy(&text),
        Subject::new("canvas", || eval(&expr, &zone), |found| *found == expected),
        Subject::new("canvas, from text", all, |found| *found == expected),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}
