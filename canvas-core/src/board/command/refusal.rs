//! Why a command is refused, as data. What is said of it is made in `wire`.

use crate::board::layout::NoRoom;
use crate::board::model::code::CommandErrorCode;
use crate::board::model::grid::{Bounds, Position, Size};
use crate::board::model::id::{ComponentId, TriggerId, TypeId, ViewId};
use crate::board::trigger::simulated_time::SimulatedTimeError;
use crate::schema::ValidationError;

/// Why a command was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRefusal {
    /// The component that the command would have changed; `None` where it would have made one, or changed none.
    pub component_id: Option<ComponentId>,
    /// What is wrong.
    pub cause: RefusalCause,
}

/// What is wrong with a command, with all that repairs it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RefusalCause {
    /// No component has this id.
    ComponentNotFound {
        /// The id, of the component to be changed or of one that a new one is to stand near.
        id: ComponentId,
        /// Up to five components whose type, its title or their label it is, else up to three ids that resemble it.
        candidates: Vec<String>,
    },
    /// No view has this id.
    ViewNotFound {
        /// The id that the command has.
        id: ViewId,
        /// Up to three views: first those that have it as their name.
        candidates: Vec<String>,
    },
    /// No trigger has this id.
    TriggerNotFound {
        /// Which of the command's ids it is, from 0.
        index: usize,
        /// The id that the command has.
        id: TriggerId,
        /// Up to three ids that resemble it.
        candidates: Vec<String>,
    },
    /// No registered type has this name.
    TypeNotFound {
        /// The name, of the command or of the component that it would change.
        type_id: TypeId,
        /// Up to three names that resemble it.
        candidates: Vec<String>,
    },
    /// The config is no object.
    ConfigNoObject {
        /// What it is instead, such as `a string`.
        found: &'static str,
    },
    /// The config is too long.
    ConfigTooLarge {
        /// The bytes that it may have as JSON.
        limit: usize,
    },
    /// The config does not fit the schema of its type.
    ConfigInvalid {
        /// Every fault; never empty.
        errors: Vec<ValidationError>,
    },
    /// The binding does not fit the schema of the type.
    BindingInvalid {
        /// Every fault; never empty.
        errors: Vec<ValidationError>,
    },
    /// No component of the type may have this size on this grid.
    SizeOutOfRange {
        /// The smallest that it may have.
        least: Size,
        /// The largest.
        most: Size,
    },
    /// A component would cross the edge of the grid by growing.
    GrowsOutside {
        /// Where it is.
        position: Position,
        /// The largest size that it may have there.
        most: Size,
    },
    /// The place is not within the grid.
    PositionOutside {
        /// The size of the component.
        size: Size,
        /// The last place for this size.
        last: Position,
        /// The nearest place for it; `None` where there is none, or the one that was asked for is no cell.
        nearest: Option<Position>,
    },
    /// Other components cover the place.
    Collision {
        /// The component and the place that it was to have.
        bounds: Bounds,
        /// What covers it: by row, then column.
        colliding: Vec<ComponentId>,
        /// Why these could not make room, where the command asked them to.
        blocked: Option<BlockedShift>,
        /// Up to three of the nearest free places of this size.
        free: Vec<Position>,
        /// Whether these would make room if the command asked them to. Tried for a new size alone.
        may_shift: bool,
    },
    /// There is no place for a component that names none.
    NoRoom(NoRoom),
    /// The board has all the components that it may have.
    TooManyComponents {
        /// How many.
        limit: usize,
    },
    /// The board has all the views that it may have.
    TooManyViews {
        /// How many.
        limit: usize,
    },
    /// The board has all the triggers that it may have.
    TooManyTriggers {
        /// How many.
        limit: usize,
    },
    /// The trigger is too long.
    TriggerTooLarge {
        /// The bytes that it may have as JSON.
        limit: usize,
    },
    /// The trigger is time-based, and no time has its name.
    TimeUnknown(SimulatedTimeError),
    /// The grid has no columns or rows, too many, or cells of no size that can be drawn.
    GridInvalid,
    /// The interval is no whole number that JSON keeps.
    IntervalTooLong,
    /// The batch has too many commands.
    BatchTooLarge {
        /// How many it may have.
        limit: usize,
    },
}

/// What could not make room.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockedShift {
    /// This component is pinned.
    Pinned(ComponentId),
    /// This component would leave the grid.
    OutOfGrid(ComponentId),
}

/// A refusal, boxed because it carries all that repairs it.
pub(crate) type Refused = Box<CommandRefusal>;

canvas_patch::coded_error!(CommandRefusal as CommandErrorCode {
    Self { cause, .. } => cause.code();
});

canvas_patch::coded_error!(RefusalCause as CommandErrorCode {
    Self::ComponentNotFound { .. } => CommandErrorCode::ComponentNotFound;
    Self::ViewNotFound { .. } => CommandErrorCode::ViewNotFound;
    Self::TriggerNotFound { .. } => CommandErrorCode::TriggerNotFound;
    Self::TypeNotFound { .. } => CommandErrorCode::TypeNotFound;
    Self::ConfigNoObject { .. }
    | Self::ConfigTooLarge { .. }
    | Self::ConfigInvalid { .. }
    | Self::BindingInvalid { .. } => CommandErrorCode::ConfigValidationFailed;
    Self::SizeOutOfRange { .. } | Self::GrowsOutside { .. } => CommandErrorCode::InvalidSize;
    Self::PositionOutside { .. } => CommandErrorCode::InvalidPosition;
    Self::Collision { .. } => CommandErrorCode::CollisionDetected;
    Self::NoRoom(none) => none.code();
    Self::TimeUnknown(_) => CommandErrorCode::UnknownSimulatedTime;
    Self::GridInvalid | Self::IntervalTooLong => CommandErrorCode::InvalidBoard;
    Self::TooManyComponents { .. }
    | Self::TooManyViews { .. }
    | Self::TooManyTriggers { .. }
    | Self::TriggerTooLarge { .. }
    | Self::BatchTooLarge { .. } => CommandErrorCode::BoardTooLarge;
});

impl RefusalCause {
    /// As a refusal of a command that changes no component.
    pub(super) fn refused(self) -> Refused {
        Box::new(CommandRefusal { component_id: None, cause: self })
    }

    /// As a refusal of a command that would change this component.
    pub(super) fn of(self, id: &ComponentId) -> Refused {
        Box::new(CommandRefusal { component_id: Some(id.clone()), cause: self })
    }
}

/// Up to three names that resemble one, the likest first.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    // More would cost more than the hint is worth.
    const LOOKED_AT: usize = 1_000;
    const SHOWN: usize = 3;
    let wanted: String = wanted.chars().take(80).collect();
    let mut ranked: Vec<(f64, &str)> = names
        .take(LOOKED_AT)
        .map(|name| (strsim::normalized_damerau_levenshtein(&wanted, name), name))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    ranked.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
    ranked.into_iter().take(SHOWN).map(|(_, name)| name.to_owned()).collect()
}
