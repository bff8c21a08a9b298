//! The codes of errors.

use std::collections::BTreeSet;
use std::fs;

use super::super::pages::root;

/// The codes of errors, and the reasons of refused patches, from the tables in ERRORS.md.
#[derive(Debug, Default)]
pub(super) struct Codes {
    pub(super) codes: BTreeSet<String>,
    pub(super) reasons: BTreeSet<String>,
}

pub(super) fn all() -> Codes {
    let page =
        fs::read_to_string(root().join("canvas-core/ERRORS.md")).expect("the page is in the repository");
    let mut codes = Codes::default();
    for section in page.split("\n## ").skip(1) {
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let first = rows.filter_map(|row| row.split(" |").next());
        let names = first.flat_map(|cell| cell.split('`').step_by(2)).filter(|name| !name.is_empty());
        match section.lines().next() {
            Some("Reasons of `PATCH_REJECTED`") => codes.reasons.extend(names.map(str::to_owned)),
            Some("Reasons of `INVALID_DIRECTIVE`" | "Reported in addition to errors") => {}
            _ => codes.codes.extend(names.map(str::to_owned)),
        }
    }
    codes
}
