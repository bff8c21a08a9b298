//! Cells, rows and columns of a table.

use std::ops::Range;

use super::check::{Kept, Places, check, line_at};
use super::error::{StructureError, ValueFault};
use super::model::{Edited, SectionPath, TableChange};
use super::relocate::{Extent, Gaps, Relocated, Spot, relocated, removed};
use super::writing::{insert, newline, replace};
use crate::diff::edit::TextEdit;
use crate::markdown::address::{AddressError, Column, TablePart, column_of};
use crate::markdown::outline::{Block, LiveOutline};
use crate::markdown::table::{Row, Table, pipes, trimmed};
use crate::text::lines;

/// A table that an edit changes.
struct Changing<'t> {
    text: &'t str,
    table: Table,
    /// Whether each column is aligned to the right.
    aligned_right: Vec<bool>,
}

pub(super) fn change(
    live: &LiveOutline,
    section: Option<&SectionPath>,
    number: usize,
    change: &TableChange,
) -> Result<Edited, StructureError> {
    let text = live.text();
    let context = live.context();
    let within = context.within(section.map(|section| (section.path.as_slice(), section.ordinal)))?;
    let (at, table) = context.table(within, &TablePart::whole(number))?;
    if table.rows.len() < Table::HEAD {
        return Err(StructureError::Value(ValueFault::Cell));
    }
    let delimiters = &table.rows[1];
    let aligned_right = delimiters.cells.iter().map(|cell| {
        let mark = trimmed(&text[cell.clone()]);
        mark.ends_with(':') && !mark.starts_with(':')
    });
    let changing = Changing { text, aligned_right: aligned_right.collect(), table };
    let mut expected = changing.values();
    let edits = match change {
        TableChange::Set { row, column, value } => changing.set(*row, column, value, &mut expected)?,
        TableChange::InsertRow { at, cells } => changing.insert_row(*at, cells, &mut expected)?,
        TableChange::RemoveRow { row } => changing.remove_row(*row, &mut expected)?,
        TableChange::MoveRow { row, to } => {
            let Some(Relocated { edits, .. }) = changing.move_row(*row, *to, &mut expected)? else {
                return Err(StructureError::NoEffect);
            };
            edits
        }
        TableChange::InsertColumn { at, name, cells } => {
            changing.insert_column(*at, name, cells, &mut expected)?
        }
        TableChange::RemoveColumn { column } => changing.remove_column(column, &mut expected)?,
        TableChange::MoveColumn { column, to } => changing.move_column(column, *to, &mut expected)?,
    };
    let edited = Edited::of(text, edits).with_effect(text)?;
    let bytes = live.blocks()[at].bytes.clone();
    let places = Places::of_delta(text, &edited.delta);
    let start = bytes.start;
    let kept = Kept {
        may_go: &|block: &Block| bytes.contains(&block.bytes.start),
        ..Kept::all(places.holding(start))
    };
    let spoiled = |error| match error {
        StructureError::Spilled(_) => StructureError::Value(ValueFault::Cell),
        error => error,
    };
    let new = check(live, &edited, &kept).map_err(spoiled)?;
    // The block after the edit has the same index, because all others are the same.
    let block = new.blocks().get(at).ok_or(StructureError::Value(ValueFault::Cell))?;
    let table = Table::read(new.text(), block.bytes.clone(), block.quoted);
    let now = Changing { text: new.text(), table, aligned_right: Vec::new() };
    if now.values() != expected {
        return Err(StructureError::Value(ValueFault::Cell));
    }
    Ok(edited)
}

impl Changing<'_> {
    /// Returns the cells of the header and of the body, without those beyond the columns.
    fn values(&self) -> Vec<Vec<String>> {
        let columns = self.table.columns();
        let rows = self.table.rows.iter().take(1).chain(self.table.body());
        let row = |row: &Row| {
            (0..columns).map(|column| self.text[row.cell(self.text, column)].to_owned()).collect::<Vec<_>>()
        };
        rows.map(row).collect()
    }

    fn set(
        &self,
        row: usize,
        column: &Column,
        value: &str,
        expected: &mut [Vec<String>],
    ) -> Result<Vec<TextEdit>, StructureError> {
        let at = self.row(row)?;
        let column = column_of(self.text, &self.table, column)?;
        let value = cell_text(value)?;
        if expected[row][column] == value {
            return Err(StructureError::NoEffect);
        }
        expected[row][column].clone_from(&value);
        let row = &self.table.rows[at];
        let Some(cell) = row.cells.get(column) else {
            let mut cells = self.segments(row);
            cells.resize(column, String::from(" "));
            cells.push(format!(" {value} "));
            let ends = Ends { first: row.has_first_pipe, last: row.has_last_pipe };
            return Ok(vec![replace(self.text, row.content.clone(), ends.joined(&cells))]);
        };
        let mut new = self.fitted(&self.text[cell.clone()], column, &value);
        let is_first = column == 0 && !row.has_first_pipe;
        let is_last = column + 1 == row.cells.len() && !row.has_last_pipe;
        if is_first {
            new = new.trim_start().to_owned();
            if !may_begin(&new) {
                new = if new.trim().is_empty() { "| ".to_owned() } else { format!("| {new}") };
            }
        }
        if is_last {
            new.truncate(new.trim_end().len());
        } else if ends_escaping(&new) {
            new.push(' ');
        }
        Ok(vec![replace(self.text, cell.clone(), new)])
    }

    fn insert_row(
        &self,
        at: usize,
        cells: &[String],
        expected: &mut Vec<Vec<String>>,
    ) -> Result<Vec<TextEdit>, StructureError> {
        let (columns, rows) = (self.table.columns(), self.table.body().len());
        if at == 0 || at > rows + 1 {
            return Err(AddressError::NoSuchRow { row: at, available: rows + 1 }.into());
        }
        if cells.len() > columns {
            return Err(StructureError::Value(ValueFault::Cells));
        }
        let mut values = cells.iter().map(|cell| cell_text(cell)).collect::<Result<Vec<_>, _>>()?;
        values.resize(columns, String::new());
        // The row above it, which for the first one is the header.
        let style = if at == 1 { &self.table.rows[0] } else { &self.table.body()[at - 2] };
        let above = if at == 1 { &self.table.rows[1] } else { style };
        let segments: Vec<_> = (0..columns)
            .map(|column| {
                let like = style.cells.get(column).map_or(" x ", |cell| &self.text[cell.clone()]);
                let mut segment = self.fitted(like, column, &values[column]);
                if ends_escaping(&segment) {
                    segment.push(' ');
                }
                segment
            })
            .collect();
        let first = style.has_first_pipe || segments.first().is_none_or(|cell| !may_begin(cell.trim_start()));
        let row = Ends { first, last: style.has_last_pipe }.joined(&segments);
        let prefix = self.prefix(above);
        let end =
            above.whole.start + lines::content(&self.text[above.whole.clone()]).trim_end_matches('\r').len();
        let terminator = match &self.text[end..above.whole.end] {
            "" => newline(self.text),
            terminator => terminator,
        };
        expected.insert(at, values);
        Ok(vec![insert(end, format!("{terminator}{prefix}{row}"))])
    }

    fn remove_row(
        &self,
        row: usize,
        expected: &mut Vec<Vec<String>>,
    ) -> Result<Vec<TextEdit>, StructureError> {
        let extent = self.extent(self.row(row)?);
        expected.remove(row);
        Ok(vec![removed(self.text, &extent)])
    }

    fn move_row(
        &self,
        row: usize,
        to: usize,
        expected: &mut Vec<Vec<String>>,
    ) -> Result<Option<Relocated>, StructureError> {
        let source = self.extent(self.row(row)?);
        let target = self.extent(self.row(to)?);
        let moved = expected.remove(row);
        expected.insert(to, moved);
        let spot = if to < row { Spot::Before(target.start) } else { Spot::After(target.end) };
        if to == row {
            return Ok(None);
        }
        Ok(relocated(self.text, &source, &self.text[source.start..source.end], spot))
    }

    fn insert_column(
        &self,
        at: usize,
        name: &str,
        cells: &[String],
        expected: &mut [Vec<String>],
    ) -> Result<Vec<TextEdit>, StructureError> {
        let columns = self.table.columns();
        if at == 0 || at > columns + 1 {
            let headers = self.table.headers(self.text).map(str::to_owned).collect();
            return Err(AddressError::NoSuchColumn { column: Column::Number(at), headers }.into());
        }
        if cells.len() > self.table.body().len() {
            return Err(StructureError::Value(ValueFault::Cells));
        }
        let mut values = vec![cell_text(name)?];
        for cell in cells {
            values.push(cell_text(cell)?);
        }
        values.resize(expected.len(), String::new());
        for (row, value) in expected.iter_mut().zip(&values) {
            row.insert(at - 1, value.clone());
        }
        Ok(self.rewritten(columns + 1, |index, cells| {
            let value = match index {
                0 => &values[0],
                1 => "---",
                index => &values[index - 1],
            };
            if cells.len() < at - 1 {
                // A short row stays short.
                if value.is_empty() {
                    return;
                }
                cells.resize(at - 1, " ".to_owned());
            }
            let is_tight = cells.iter().all(|cell| !cell.starts_with(' ')) && !cells.is_empty();
            cells.insert(
                at - 1,
                if is_tight && !ends_escaping(value) { value.to_owned() } else { format!(" {value} ") },
            );
        }))
    }

    fn remove_column(
        &self,
        column: &Column,
        expected: &mut [Vec<String>],
    ) -> Result<Vec<TextEdit>, StructureError> {
        let column = column_of(self.text, &self.table, column)?;
        let columns = self.table.columns();
        let long = self.table.body().iter().find(|row| row.cells.len() > columns);
        let at_fault = if columns == 1 { self.table.rows.first() } else { long };
        if let Some(row) = at_fault {
            return Err(StructureError::TableShape { line: line_at(self.text, row.content.start) });
        }
        expected.iter_mut().for_each(|row| drop(row.remove(column)));
        Ok(self.rewritten(columns - 1, |_, cells| {
            if column < cells.len() {
                cells.remove(column);
            }
        }))
    }

    fn move_column(
        &self,
        column: &Column,
        to: usize,
        expected: &mut [Vec<String>],
    ) -> Result<Vec<TextEdit>, StructureError> {
        let from = column_of(self.text, &self.table, column)?;
        let to = column_of(self.text, &self.table, &Column::Number(to))?;
        if from == to {
            return Err(StructureError::NoEffect);
        }
        for row in expected {
            let value = row.remove(from);
            row.insert(to, value);
        }
        Ok(self.rewritten(self.table.columns(), |_, cells| {
            let length = cells.len();
            if length <= from.min(to) {
                return;
            }
            let needed = from.max(to) + 1;
            if length < needed {
                cells.resize(needed, " ".to_owned());
            }
            let cell = cells.remove(from);
            cells.insert(to, cell);
            while cells.len() > length && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
                cells.pop();
            }
        }))
    }

    /// Writes all rows with other cells. The first argument of `change` is the index of the row.
    fn rewritten(&self, columns: usize, mut change: impl FnMut(usize, &mut Vec<String>)) -> Vec<TextEdit> {
        let rows = self.table.rows.iter().enumerate();
        let edits = rows.map(|(index, row)| {
            let mut cells = self.segments(row);
            change(index, &mut cells);
            // Dashes without a pipe would underline a heading.
            let mut ends =
                Ends { first: row.has_first_pipe || columns == 1, last: row.has_last_pipe || columns == 1 };
            let is_head = index < Table::HEAD;
            ends.last |= is_head && cells.last().is_some_and(|cell| cell.trim().is_empty());
            ends.first |= index != 1 && cells.first().is_none_or(|cell| !may_begin(cell.trim_start()));
            replace(self.text, row.content.clone(), ends.joined(&cells))
        });
        edits.collect()
    }

    /// Returns the cells of a row with the blanks that they have between pipes, so that they can be joined in any order.
    fn segments(&self, row: &Row) -> Vec<String> {
        let mut cells: Vec<_> = row.cells.iter().map(|cell| self.text[cell.clone()].to_owned()).collect();
        if let Some(first) = cells.first_mut().filter(|_| !row.has_first_pipe) {
            first.insert(0, ' ');
        }
        if let Some(last) = cells.last_mut().filter(|_| !row.has_last_pipe) {
            last.push(' ');
        }
        cells
    }

    /// Writes a value in place of a cell. If the column is padded to the width of its header, a value that fits gets the same
    /// width, so that the pipes stay aligned. Otherwise, the blanks of the old cell stay.
    fn fitted(&self, old: &str, column: usize, value: &str) -> String {
        let before = trimmed(old);
        let (width, now) = (old.chars().count(), value.chars().count());
        let header = self.table.rows[0].cells.get(column);
        let is_padded = header.is_some_and(|header| self.text[header.clone()].chars().count() == width);
        if !is_padded && !before.is_empty() {
            return old.replacen(before, value, 1);
        }
        let (mut left, mut right) = if before.is_empty() {
            (width.min(1), width.saturating_sub(1).min(1))
        } else {
            let start = old.len() - old.trim_start_matches(crate::markdown::table::is_space).len();
            (start, old.len() - start - before.len())
        };
        let room = width.saturating_sub(now);
        if self.aligned_right.get(column) == Some(&true) {
            right = right.min(room);
            left = if room > right { room - right } else { left.min(1) };
        } else {
            left = left.min(room.max(left.min(1)));
            right = if room > left { room - left } else { right.min(1) };
        }
        format!("{}{value}{}", " ".repeat(left), " ".repeat(right))
    }

    /// Returns the markers and indentation for a new line below a row.
    fn prefix(&self, row: &Row) -> String {
        let line = lines::line_start(self.text, row.content.start).max(row.whole.start);
        let prefix = &self.text[line..row.content.start];
        prefix.chars().map(|char| if matches!(char, '>' | ' ' | '\t') { char } else { ' ' }).collect()
    }

    /// Returns the index of a row of the body among all rows.
    fn row(&self, row: usize) -> Result<usize, StructureError> {
        let rows = self.table.body().len();
        if row == 0 || row > rows {
            return Err(AddressError::NoSuchRow { row, available: rows }.into());
        }
        Ok(row + Table::HEAD - 1)
    }

    fn extent(&self, row: usize) -> Extent {
        let Range { start, end } = self.table.rows[row].whole.clone();
        let end = start + lines::content(&self.text[start..end]).trim_end_matches(['\r', '\n']).len();
        Extent { start, end, gaps: Gaps::None }
    }
}

/// Whether a row begins and ends with a pipe.
struct Ends {
    first: bool,
    last: bool,
}

impl Ends {
    fn joined(&self, cells: &[String]) -> String {
        let row = cells.join("|");
        let row = if self.first { format!("|{row}") } else { row.trim_start().to_owned() };
        if self.last { format!("{row}|") } else { row.trim_end().to_owned() }
    }
}

/// Whether a row without a first pipe may begin with this cell, because it is not empty and begins no other block.
fn may_begin(cell: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let behind = |chars: &[char]| {
        let rest = cell.trim_start_matches(chars);
        (cell.len() - rest.len(), rest)
    };
    let (marks, title) = behind(&['#']);
    let (digits, list) = behind(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let is_block = (1..=6).contains(&marks) && is_end(title)
        || digits > 0 && list.strip_prefix(['.', ')']).is_some_and(is_end)
        || cell.strip_prefix(['-', '+', '*']).is_some_and(is_end)
        || ["```", "~~~", "---", "***", "___", ">", "<", "[^"].iter().any(|start| cell.starts_with(start));
    !cell.trim().is_empty() && !is_block
}

/// Whether a cell ends with a backslash that would escape a pipe.
fn ends_escaping(cell: &str) -> bool {
    let backslashes = cell.len() - cell.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// Returns a value as the text of a cell, with its pipes escaped.
fn cell_text(value: &str) -> Result<String, StructureError> {
    let value = trimmed(value);
    if value.contains(['\n', '\r']) {
        return Err(StructureError::Value(ValueFault::Cell));
    }
    let mut cell = String::with_capacity(value.len());
    let mut at = 0;
    for pipe in pipes(value) {
        cell.push_str(&value[at..pipe]);
        cell.push('\\');
        at = pipe;
    }
    cell.push_str(&value[at..]);
    Ok(cell)
}
