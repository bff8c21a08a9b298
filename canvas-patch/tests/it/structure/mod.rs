//! Edits of the structure of a text, as tables of cases and as laws.

mod cases;
mod corpus;
mod laws;

use canvas_patch::{Edited, StructureEdit, StructureError, edit_structure};
use serde_json::Value;

/// Reads an edit from JSON.
fn edit(json: &Value) -> StructureEdit {
    serde_json::from_value(json.clone()).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Makes an edit and checks that its inverse restores every byte.
fn edited(text: &str, edit: &StructureEdit) -> Result<Edited, StructureError> {
    let edited = edit_structure(text, edit)?;
    assert_eq!(edited.delta.apply(text).as_deref(), Ok(edited.text.as_str()), "{edit:?}");
    assert_eq!(edited.delta.inverse().apply(&edited.text).as_deref(), Ok(text), "{edit:?}");
    assert_ne!(edited.text, text, "{edit:?}: no effect is an error");
    Ok(edited)
}
