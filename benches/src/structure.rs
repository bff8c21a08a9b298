//! Edits of the structure of a document, compared with an address resolved and a patch applied, and all matches replaced, with
//! `str::replace`.

use std::fmt::Write as _;

use canvas_patch::{
    Address, ApplyOptions, Column, Destination, ItemChange, MatchCount, Query, SectionPath, StructureEdit,
    TableChange, YamlValue, apply, build, edit_structure, resolve,
};

use crate::inputs::document;
use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

/// The name of the subject that edits are set against.
pub const BASELINE: &str = "resolve and patch";

/// A document of about `size` bytes with front matter, a table, tasks, and a link to a heading.
fn structured(size: usize) -> String {
    let mut text = "---\ntitle: a\nowner: b\n---\n\n# First\n\nSee [last](#last).\n\n".to_owned();
    text.push_str("| part | price |\n| --- | --- |\n");
    for row in 1..=20 {
        let _ = writeln!(text, "| part {row} | {row} |");
    }
    text.push_str("\n# Tasks\n\n");
    for task in 1..=20 {
        let _ = writeln!(text, "- [ ] task {task}");
    }
    let _ = write!(text, "\n# Rest\n\n{}\n# Last\n\nend\n", document(size));
    text
}

fn section(title: &str) -> SectionPath {
    SectionPath { path: vec![title.into()], ordinal: None }
}

fn address(title: &str) -> Address {
    Address::Section { path: vec![title.into()], ordinal: None, part: None }
}

/// Measures edits of a document of `size` bytes, none of which keeps anything from the one before.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let text = structured(size);
    let patch = build(&text, &text.replacen("\nend\n", "\nthe end\n", 1), 3);
    let baseline = || {
        let place = resolve(&text, &address("Last")).map_err(|error| error.to_string())?;
        let applied = apply(&text, &patch, &ApplyOptions::default()).map_err(|error| error.to_string())?;
        Ok::<_, String>((place.lines.start, applied.into_text()))
    };
    let cell = TableChange::Set { row: 9, column: Column::Header("price".into()), value: "1000".into() };
    let item = |change| StructureEdit::Item { section: Some(section("Tasks")), item: vec![9], change };
    let edits = [
        (
            "move a section",
            StructureEdit::Move {
                from: address("Last"),
                to: Destination::Before(address("Tasks")),
                shift: None,
            },
        ),
        ("shift a section", StructureEdit::Shift { section: section("Last"), by: 1 }),
        ("rename", StructureEdit::Rename { section: section("Last"), title: "End".into(), links: false }),
        (
            "rename with links",
            StructureEdit::Rename { section: section("Last"), title: "End".into(), links: true },
        ),
        ("set a cell", StructureEdit::Table { section: None, table: 1, change: cell }),
        ("set a key", StructureEdit::FrontMatter { key: "owner".into(), value: Some(YamlValue::Int(7)) }),
        ("check a task", item(ItemChange::Check(true))),
        ("move an item", item(ItemChange::MoveTo(vec![2]))),
    ];
    let mut subjects =
        vec![Subject::memcpy(text.as_bytes()), Subject::new(BASELINE, baseline, |(line, _)| *line > 0)];
    for (name, edit) in &edits {
        let run = || edit_structure(&text, edit).map(|edited| (edited.delta.inverse(), edited));
        subjects.push(Subject::new(name, run, |(inverse, edited)| {
            inverse.apply(&edited.text).as_deref() == Ok(text.as_str())
        }));
    }
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// Measures the replacement of a word that stands at one place in 100 bytes.
pub fn rows_replaced(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let line = format!("{:99}\n", "A line has a cistern, and the rest is other words.");
    let text = line.repeat(size / line.len());
    let count = text.lines().count();
    let replaced = text.replace("cistern", "tank");
    let Ok(query) = Query::literal("cistern") else { return Vec::new() };
    let edit = StructureEdit::ReplaceAll { query, with: "tank".into(), count: MatchCount::Matches(count) };
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new(
            "canvas",
            || edit_structure(&text, &edit).map(|edited| (edited.delta.inverse(), edited)),
            |(_, edited)| edited.text == replaced,
        ),
        Subject::new("str::replace", || fine(text.replace("cistern", "tank")), |made| *made == replaced),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}
