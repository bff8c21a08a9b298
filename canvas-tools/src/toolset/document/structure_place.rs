//! The place in a call at which a refused edit of the structure is at fault.

use std::borrow::Cow;

use canvas_core::text::{
    Address, AddressError, Destination, ItemChange, Part, StructureEdit, StructureError, TableChange,
    ValueFault,
};

/// Returns a JSON Pointer into the arguments of the call.
pub(super) fn place(edit: &StructureEdit, error: &StructureError) -> Cow<'static, str> {
    match (edit, error) {
        (StructureEdit::Move { from, to, .. }, StructureError::Address(error)) => {
            let field = if is_of(from, error) { "/from" } else { destination(to) };
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
            StructureEdit::Item { item, change: ItemChange::MoveTo(_), .. },
            StructureError::Address(
                AddressError::NoSuchPart { part: Part::Item(missing), .. }
                | AddressError::NoSuchBlock { part: Part::Item(missing), .. },
            ),
        ) if !item.starts_with(missing) => "/move_to".into(),
        (StructureEdit::ReplaceAll { .. }, StructureError::Address(_)) => "/find".into(),
        (_, StructureError::Address(error)) => field_of(error).into(),
        (
            StructureEdit::Item { change: ItemChange::MoveTo(_), .. },
            StructureError::MoveIntoItself { .. } | StructureError::Value(ValueFault::Destination),
        ) => "/move_to".into(),
        (
            StructureEdit::Move { from: Address::FrontMatter | Address::Key(_), .. },
            StructureError::Value(ValueFault::Destination),
        ) => "/from".into(),
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

/// Whether an address is the one of two that an error is about. The engine resolves it first.
fn is_of(address: &Address, error: &AddressError) -> bool {
    let (path, own) = match address {
        Address::Section { path, part, .. } => (Some(path), part.as_ref()),
        Address::Part(part) => (None, Some(part)),
        _ => (None, None),
    };
    match error {
        AddressError::NoSuchSection { path: missing, .. }
        | AddressError::NoSuchOrdinal { path: missing, .. }
        | AddressError::Ambiguous { path: missing, .. } => path == Some(missing),
        AddressError::NoPreamble => path.is_some_and(Vec::is_empty),
        AddressError::NoSuchPart { part, .. } | AddressError::NoSuchBlock { part, .. } => match (own, part) {
            (Some(Part::Item(numbers)), Part::Item(missing)) => numbers.starts_with(missing),
            (own, part) => own == Some(part),
        },
        AddressError::NoSuchRow { .. }
        | AddressError::NoSuchColumn { .. }
        | AddressError::AmbiguousColumn { .. } => matches!(own, Some(Part::Table(_))),
        AddressError::InvalidRange { start, end, .. } => {
            *address == Address::Lines { start: *start, end: *end }
        }
        AddressError::NoSuchFootnote { label, .. } => *address == Address::Footnote(label.clone()),
        AddressError::NoSuchHit { .. } | AddressError::AmbiguousHit { .. } | AddressError::Query(_) => {
            matches!(address, Address::Hit { .. })
        }
        _ => matches!(address, Address::FrontMatter | Address::Key(_)),
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
