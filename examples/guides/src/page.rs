//! What the code of a guide reads of its own page, so that the JSON and the tables there are run as well.

use serde_json::Value;

/// The fenced blocks of JSON, in order.
///
/// # Panics
///
/// If one is no JSON.
pub fn json_blocks(page: &str) -> Vec<Value> {
    let blocks = page.split("\n```json\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or(rest));
    blocks
        .map(|block| serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}")))
        .collect()
}

/// The rows of the table whose heading begins with these words. No cell may have a `|` of its own.
///
/// # Panics
///
/// If there is no such table, or a row has another number of cells.
pub fn rows_below<'p, const CELLS: usize>(page: &'p str, heading: &str) -> Vec<[&'p str; CELLS]> {
    let mut lines = page.lines().skip_while(|line| !line.starts_with(heading));
    assert!(lines.next().is_some(), "the page has no table {heading}");
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let cells = |row: &'p str| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    rows.map(|row| cells(row).try_into().unwrap_or_else(|_| panic!("not {CELLS} cells: {row}"))).collect()
}
