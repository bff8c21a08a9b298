//! The JSON of a refusal, with one sentence, the place in the command, and the corrected command.

use canvas_lease::safe_integer;

use super::result::CommandError;
use crate::board::command::refusal::{BlockedShift, CommandRefusal, RefusalCause};
use crate::board::command::{CanvasCommand, CreateComponent, MoveComponent, ResizeComponent};
use crate::board::model::code::CommandErrorCode;
use crate::board::model::grid::{Position, Size};
use crate::board::model::id::TypeId;
use crate::board::model::phrase::{listed, quoted};
use crate::board::model::placement::OnCollision;
use crate::board::state::board::Board;
use crate::schema::ValidationError;

const CONFIG: &str = "/payload/config";

impl CommandError {
    /// Creates an error from a code and a message, without further facts. The message should include the next step.
    pub const fn new(code: CommandErrorCode, message: String) -> Self {
        Self {
            code,
            message,
            component_id: None,
            place: None,
            errors: Vec::new(),
            colliding_ids: Vec::new(),
            free_positions: Vec::new(),
            candidates: Vec::new(),
            corrected: None,
        }
    }

    /// Describes the refusal of a single command, which must not be a batch.
    pub fn of(refusal: CommandRefusal, command: &CanvasCommand) -> Self {
        let error = Self::new(refusal.code(), message(&refusal.cause));
        let place = place(&refusal.cause, command);
        let corrected = corrected(&refusal.cause, command).map(Box::new);
        let error = Self { component_id: refusal.component_id, place, corrected, ..error };
        match refusal.cause {
            // The component that was not found is the one that the error is about.
            RefusalCause::ComponentNotFound { id, candidates } => {
                Self { component_id: Some(id), candidates, ..error }
            }
            RefusalCause::ViewNotFound { candidates, .. }
            | RefusalCause::TriggerNotFound { candidates, .. }
            | RefusalCause::TypeNotFound { candidates, .. } => Self { candidates, ..error },
            RefusalCause::ConfigNoObject { .. } => {
                Self { errors: vec![whole("type", &error.message)], ..error }
            }
            RefusalCause::ConfigTooLarge { .. } => {
                Self { errors: vec![whole("maxBytes", &error.message)], ..error }
            }
            RefusalCause::ConfigInvalid { errors } | RefusalCause::BindingInvalid { errors } => {
                Self { errors, ..error }
            }
            RefusalCause::Collision { colliding, free, .. } => {
                Self { colliding_ids: colliding, free_positions: free, ..error }
            }
            RefusalCause::SizeOutOfRange { .. }
            | RefusalCause::GrowsOutside { .. }
            | RefusalCause::PositionOutside { .. }
            | RefusalCause::NoRoom(_)
            | RefusalCause::TooManyComponents { .. }
            | RefusalCause::TooManyViews { .. }
            | RefusalCause::TooManyTriggers { .. }
            | RefusalCause::TriggerTooLarge { .. }
            | RefusalCause::GridInvalid
            | RefusalCause::IntervalTooLong
            | RefusalCause::BatchTooLarge { .. } => error,
            RefusalCause::TimeUnknown(unknown) => Self { candidates: unknown.candidates, ..error },
        }
    }
}

/// Returns one sentence with the fault and the next step.
fn message(cause: &RefusalCause) -> String {
    match cause {
        RefusalCause::ComponentNotFound { id, candidates } => {
            let from = if candidates.is_empty() { "an id from the context" } else { "one of the candidates" };
            format!("there is no component {}: take {from}", quoted(id.as_str()))
        }
        RefusalCause::ViewNotFound { id, .. } => {
            format!("there is no view {}: take an id from the saved views", quoted(id.as_str()))
        }
        RefusalCause::TriggerNotFound { id, .. } => {
            format!("there is no trigger {}: name one of the workspace", quoted(id.as_str()))
        }
        RefusalCause::TypeNotFound { type_id, .. } => {
            format!("there is no component type {}: use a registered one", quoted(type_id.as_str()))
        }
        RefusalCause::ConfigNoObject { found } => {
            format!("the config is {found}: send its fields as one JSON object")
        }
        RefusalCause::ConfigTooLarge { limit } => {
            format!("the config has more than {limit} bytes as JSON: shorten it")
        }
        RefusalCause::ConfigInvalid { errors } => {
            let first = errors.first().map(|error| format!(" ({error})"));
            let first = first.unwrap_or_default();
            format!("the config does not fit its type{first}: correct {} and send it again", faults(errors))
        }
        RefusalCause::BindingInvalid { errors } => {
            format!("the data binding does not fit the type: correct {} and send it again", faults(errors))
        }
        RefusalCause::SizeOutOfRange { least, most } => {
            format!("the size does not fit the type here: choose one from {least} to {most}, in whole cells")
        }
        RefusalCause::GrowsOutside { position, most } => {
            format!("from {position} it may have at most {most}: choose a smaller size")
        }
        RefusalCause::PositionOutside { size, last, .. } => {
            format!("the place is not possible for {size}: choose one from (0, 0) to {last}, in whole cells")
        }
        RefusalCause::Collision { colliding, blocked, free, .. } => {
            let what = match blocked {
                Some(BlockedShift::Pinned(id)) => format!("{id} is pinned there and stays"),
                Some(BlockedShift::OutOfGrid(id)) => format!("{id} would have to leave the grid"),
                None => format!("{} stands there", listed(colliding)),
            };
            match free.first() {
                Some(first) => format!(
                    "{what}: choose a free place such as {first}, or let others make room (onCollision: shift)"
                ),
                None => format!(
                    "{what}, and there is no free place of this size: choose a smaller size or remove something"
                ),
            }
        }
        RefusalCause::NoRoom(none) => none.to_string(),
        RefusalCause::TooManyComponents { limit } => {
            format!("the board has {limit} components, as many as it may: remove some first")
        }
        RefusalCause::TooManyViews { limit } => {
            format!("the board has {limit} views, as many as it may: delete one first")
        }
        RefusalCause::TooManyTriggers { limit } => {
            format!("the board has {limit} triggers, as many as it may: remove one first")
        }
        RefusalCause::TriggerTooLarge { limit } => {
            format!("the trigger has more than {limit} bytes as JSON: shorten its texts")
        }
        RefusalCause::TimeUnknown(error) => error.to_string(),
        RefusalCause::GridInvalid => {
            let (columns, rows) = (Board::COLUMNS, Board::ROWS);
            format!(
                "the grid is not possible: send one of 1 to {columns} columns, 1 to {rows} rows and no negative pixels"
            )
        }
        RefusalCause::IntervalTooLong => {
            format!("the interval has more than {} milliseconds: send a shorter one", safe_integer::MAX)
        }
        RefusalCause::BatchTooLarge { limit } => {
            format!("the batch has more than {limit} commands: send several")
        }
    }
}

/// Returns the JSON Pointer to the fault in the command.
fn place(cause: &RefusalCause, command: &CanvasCommand) -> Option<String> {
    let is_create = matches!(command, CanvasCommand::Create(_));
    let is_trigger = matches!(command, CanvasCommand::SetTrigger(_) | CanvasCommand::RemoveTrigger(_));
    Some(match cause {
        RefusalCause::ComponentNotFound { .. } if is_create => "/payload/hints/nearComponentId".into(),
        RefusalCause::ComponentNotFound { .. } => "/payload/componentId".into(),
        RefusalCause::ViewNotFound { .. } if is_trigger => "/payload/trigger/viewId".into(),
        RefusalCause::ViewNotFound { .. } => "/payload/viewId".into(),
        RefusalCause::TriggerNotFound { .. } if is_trigger => "/payload/triggerId".into(),
        RefusalCause::TriggerNotFound { index, .. } => format!("/payload/triggerIds/{index}"),
        RefusalCause::TriggerTooLarge { .. } => "/payload/trigger".into(),
        RefusalCause::TimeUnknown(_) => "/payload/trigger/simulatedTime".into(),
        RefusalCause::GridInvalid => "/payload/grid".into(),
        RefusalCause::IntervalTooLong => "/payload/defaultRefreshInterval".into(),
        // Otherwise the type is that of the component and not of the command.
        RefusalCause::TypeNotFound { .. } if is_create => "/payload/typeId".into(),
        RefusalCause::ConfigNoObject { .. } | RefusalCause::ConfigTooLarge { .. } => CONFIG.into(),
        RefusalCause::ConfigInvalid { errors } => format!("{CONFIG}{}", first_path(errors)),
        RefusalCause::BindingInvalid { errors } => format!("/payload/dataBinding{}", first_path(errors)),
        RefusalCause::SizeOutOfRange { .. } | RefusalCause::GrowsOutside { .. } | RefusalCause::NoRoom(_) => {
            "/payload/size".into()
        }
        RefusalCause::PositionOutside { .. } | RefusalCause::Collision { .. } => "/payload/position".into(),
        RefusalCause::TypeNotFound { .. }
        | RefusalCause::TooManyComponents { .. }
        | RefusalCause::TooManyViews { .. }
        | RefusalCause::TooManyTriggers { .. }
        | RefusalCause::BatchTooLarge { .. } => return None,
    })
}

/// Returns the command with the smallest change that removes the cause, if there is one.
fn corrected(cause: &RefusalCause, command: &CanvasCommand) -> Option<CanvasCommand> {
    match (cause, command) {
        (RefusalCause::TypeNotFound { candidates, .. }, CanvasCommand::Create(create)) => {
            let type_id = TypeId::new(candidates.first()?).ok()?;
            let create = CreateComponent { type_id, ..CreateComponent::clone(create) };
            Some(CanvasCommand::Create(Box::new(create)))
        }
        (RefusalCause::GrowsOutside { most, .. }, CanvasCommand::Resize(resize)) => {
            let size = Size::new(resize.size.cols.min(most.cols), resize.size.rows.min(most.rows));
            let has_cells = size.cols > 0 && size.rows > 0;
            has_cells.then(|| CanvasCommand::Resize(ResizeComponent { size, ..resize.clone() }))
        }
        (RefusalCause::PositionOutside { nearest, .. }, _) => moved(command, (*nearest)?),
        (RefusalCause::Collision { may_shift: true, .. }, CanvasCommand::Resize(resize)) => {
            let on_collision = OnCollision::Shift;
            Some(CanvasCommand::Resize(ResizeComponent { on_collision, ..resize.clone() }))
        }
        (RefusalCause::Collision { free, .. }, _) => moved(command, *free.first()?),
        _ => None,
    }
}

/// Returns the command for another position.
fn moved(command: &CanvasCommand, position: Position) -> Option<CanvasCommand> {
    match command {
        CanvasCommand::Create(create) => {
            let create = CreateComponent { position: Some(position), ..CreateComponent::clone(create) };
            Some(CanvasCommand::Create(Box::new(create)))
        }
        CanvasCommand::Move(one) => Some(CanvasCommand::Move(MoveComponent { position, ..one.clone() })),
        _ => None,
    }
}

/// Returns a fault of the config as a whole.
fn whole(code: &str, message: &str) -> ValidationError {
    ValidationError { path: String::new(), message: message.to_owned(), code: code.to_owned() }
}

fn first_path(errors: &[ValidationError]) -> &str {
    errors.first().map_or("", |error| &error.path)
}

fn faults(errors: &[ValidationError]) -> String {
    match errors.len() {
        1 => "it".to_owned(),
        many => format!("all {many} faults"),
    }
}
