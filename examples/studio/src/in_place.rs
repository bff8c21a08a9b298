//! A task or cell that a person changes where the document is shown as it reads.

use canvas_core::document::{Base, EditStructure};
use canvas_core::text::{Address, Column, ItemChange, LiveOutline, Part, StructureEdit, TableChange};
use canvas_core::{CanvasId, OpKey, RevisionId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Answer, Failure};
use crate::host::Host;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PlaceParams {
    canvas_id: CanvasId,
    base_revision_id: RevisionId,
    /// Counted from 1, in the text of the base.
    line: usize,
    /// The line as the page shows it.
    expect: String,
    change: PlaceChange,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum PlaceChange {
    /// Whether the task of the line is done.
    Check(bool),
    /// The text of a cell in the row of the line.
    Cell { column: usize, value: String },
}

/// Changes the task or cell of a line.
pub(crate) async fn edit(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let PlaceParams { canvas_id, base_revision_id: base, line, expect, change } = Failure::read(params)?;
    let text = host.texts.get(&canvas_id, base).unwrap_or_default();
    let shown = line.checked_sub(1).and_then(|above| text.split('\n').nth(above));
    // A page counts lone CRs as ends of lines.
    let has_lone_cr = text.replace("\r\n", "").contains('\r');
    if has_lone_cr || shown.map(|shown| shown.strip_suffix('\r').unwrap_or(shown)) != Some(expect.as_str()) {
        return Err(Failure::new(
            "CONTENT_CHANGED",
            "the document has another text at this line: look at it again, or edit it as Markdown",
        ));
    }
    let live = LiveOutline::new(text);
    // A line inside an item is no task of its own.
    let begins = |address: &Address| live.resolve(address).is_ok_and(|place| place.lines.start == line);
    let place = live.address_at(line).filter(begins);
    let edit = match (change, place) {
        (PlaceChange::Check(is_done), Some(Address::Part(Part::Item(item)))) => {
            StructureEdit::Item { section: None, item, change: ItemChange::Check(is_done) }
        }
        (PlaceChange::Cell { column, value }, Some(Address::Part(Part::Table(place)))) => {
            let Some(row) = place.row else { return Err(nothing("no row of a table below its header")) };
            let change = TableChange::Set { row, column: Column::Number(column), value };
            StructureEdit::Table { section: None, table: place.table, change }
        }
        (PlaceChange::Check(_), _) => return Err(nothing("no task")),
        (PlaceChange::Cell { .. }, _) => return Err(nothing("no row of a table")),
    };
    let command = EditStructure { base: Some(Base::Id(base)), ..EditStructure::by_user(edit) };
    let (_, snapshot) = host.act(&canvas_id, operation, command).await?;
    host.texts.keep(&canvas_id, snapshot.document.id(), snapshot.text());
    host.note_revision(&canvas_id, snapshot.head.revision());
    Ok(json!({"revisionId": snapshot.revision_id()}))
}

fn nothing(what: &str) -> Failure {
    Failure::new("ADDRESS_NOT_FOUND", &format!("{what} stands at this line: edit it as Markdown"))
}
