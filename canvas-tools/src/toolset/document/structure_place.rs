//! The place in a call at which a refused edit of the structure is at fault.

use std::borrow::Cow;

use canvas_core::Snapshot;
use canvas_core::text::{
    Address, AddressError, Destination, ItemChange, Part, SectionPath, StructureEdit, StructureError,
    TableChange, ValueFault,
};

/// Returns a JSON Pointer into the arguments of the call.
pub(super) fn place(edit: &StructureEdit, error: &StructureError, snapshot: &Snapshot) -> Cow<'static, str> {
    match (edit, error) {
        (StructureEdit::Move { from, to, .. }, StructureError::Address(error)) => {
            let field = if snapshot.resolve(from).is_err() { "/from" } else { destination(to) };
            format!("{field}{}", field_of(error)).into()
        }
        (StructureEdit::Shift { .. }, StructureError::Address(error)) => {
            format!("/from{}", field_of(error)).into()
        }
        (
            StructureEdit::Table { change, .. },
            StructureError::Value(_)
            | StructureError::Address(
                AddressError::NoSuchRow { .. }
                | AddressError::NoSuchColumn { .. }
                | AddressError::AmbiguousColumn { .. },
            ),
        ) => name(change).into(),
        (
            StructureEdit::Item { section, item, change: ItemChange::MoveTo(_) },
            StructureError::Address(AddressError::NoSuchPart { .. } | AddressError::NoSuchBlock { .. }),
        ) if snapshot.resolve(&item_address(section.as_ref(), item)).is_ok() => "/move_to".into(),
        (StructureEdit::ReplaceAll { .. }, StructureError::Address(_)) => "/find".into(),
        (_, StructureError::Address(error)) => field_of(error).into(),
        (
            StructureEdit::Item { change: ItemChange::MoveTo(_), .. },
            StructureError::MoveIntoItself { .. } | StructureError::Value(ValueFault::Destination),
        ) => "/move_to".into(),
        (
            StructureEdit::Move { to, .. },
            StructureError::MoveIntoItself { .. } | StructureError::Value(ValueFault::Destination),
        ) => destination(to).into(),
        (StructureEdit::Move { .. }, StructureError::Value(_)) => "/from".into(),
        (StructureEdit::Move { shift: None, to, .. }, StructureError::LevelOutOfRange { .. }) => {
            destination(to).into()
        }
        (_, StructureError::Value(fault)) => field_of_value(*fault).into(),
        (_, StructureError::LevelOutOfRange { .. }) => "/shift".into(),
        (_, StructureError::CountDiffers { .. }) => "/count".into(),
        (_, StructureError::TableShape { .. }) => "/table".into(),
        _ => "".into(),
    }
}

fn item_address(section: Option<&SectionPath>, item: &[usize]) -> Address {
    let part = Part::Item(item.to_vec());
    match section {
        None => Address::Part(part),
        Some(SectionPath { path, ordinal }) => {
            Address::Section { path: path.clone(), ordinal: *ordinal, part: Some(part) }
        }
    }
}

const fn destination(to: &Destination) -> &'static str {
    match to {
        Destination::Before(_) => "/before",
        Destination::After(_) => "/after",
        Destination::Into(_) => "/into",
    }
}

const fn name(change: &TableChange) -> &'static str {
    match change {
        TableChange::Set { .. } => "/set",
        TableChange::InsertRow { .. } => "/insert_row",
        TableChange::RemoveRow { .. } => "/remove_row",
        TableChange::MoveRow { .. } => "/move_row",
        TableChange::InsertColumn { .. } => "/insert_column",
        TableChange::RemoveColumn { .. } => "/remove_column",
        TableChange::MoveColumn { .. } => "/move_column",
    }
}

/// Returns the field of an address that is at fault.
const fn field_of(error: &AddressError) -> &'static str {
    match error {
        AddressError::NoSuchOrdinal { .. } => "/ordinal",
        AddressError::NoSuchPart { part, .. } | AddressError::NoSuchBlock { part, .. } => match part {
            Part::Item(_) => "/item",
            Part::Fence(_) => "/fence",
            Part::Paragraph(_) => "/paragraph",
            Part::Table(_) => "/table",
            Part::Body => "/body",
        },
        AddressError::NoSuchList { .. } => "/list",
        AddressError::InvalidRange { .. } => "/lines",
        AddressError::NoSuchFootnote { .. } => "/footnote",
        AddressError::NoSuchRow { .. } => "/row",
        AddressError::NoSuchColumn { .. } | AddressError::AmbiguousColumn { .. } => "/column",
        AddressError::NoFrontMatter
        | AddressError::NoSuchKey { .. }
        | AddressError::AmbiguousKey { .. }
        | AddressError::FrontMatterUnsupported { .. } => "/key",
        AddressError::NoSuchHit { .. } | AddressError::AmbiguousHit { .. } | AddressError::Query(_) => {
            "/grep"
        }
        _ => "/section",
    }
}

const fn field_of_value(fault: ValueFault) -> &'static str {
    match fault {
        ValueFault::Title => "/title",
        ValueFault::Key => "/key",
        ValueFault::Yaml => "/value",
        ValueFault::Item => "/insert_after",
        ValueFault::Task => "/check",
        ValueFault::Empty => "/find",
        ValueFault::TooLong => "/with",
        _ => "/item",
    }
}
