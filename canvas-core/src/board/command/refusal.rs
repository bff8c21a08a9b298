//! Refusals of commands, as data. The module `wire` puts them into words.

use crate::board::layout::NoRoom;
use crate::board::model::code::CommandErrorCode;
use crate::board::model::grid::{Bounds, Position, Size};
use crate::board::model::id::{ComponentId, TriggerId, TypeId, ViewId};
use crate::board::trigger::simulated_time::SimulatedTimeError;
use crate::schema::ValidationError;

/// Error returned if a command is refused. The board is unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRefusal {
    /// The component that the command was to change. `None` if it was to create one or to change no component.
    pub component_id: Option<ComponentId>,
    /// The cause, with everything that helps to repair the command.
    pub cause: RefusalCause,
}

/// The cause of a refusal, with everything that helps to repair the command.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RefusalCause {
    /// No component has this id.
    ComponentNotFound {
        /// The unknown id, either of the component to change or of one that a new component was to be near.
        id: ComponentId,
        /// Up to five components that have this text as type, title or label, or else up to three similar ids.
        candidates: Vec<String>,
    },
    /// No view has this id.
    ViewNotFound {
        /// The id that the command names.
        id: ViewId,
        /// Up to three views. Views whose name equals the given id come first.
        candidates: Vec<String>,
    },
    /// No trigger has this id.
    TriggerNotFound {
        /// Index of the id in the command, from 0.
        index: usize,
        /// The id that the command names.
        id: TriggerId,
        /// Up to three similar ids.
        candidates: Vec<String>,
    },
    /// No registered type has this name.
    TypeNotFound {
        /// The unknown type of the command or of the component that it would change.
        type_id: TypeId,
        /// Up to three similar names.
        candidates: Vec<String>,
    },
    /// The config is a JSON value other than an object.
    ConfigNoObject {
        /// The kind of value found, such as `a string`.
        found: &'static str,
    },
    /// The config is larger than its limit.
    ConfigTooLarge {
        /// Maximum size as JSON, in bytes.
        limit: usize,
    },
    /// The config does not fit the schema of its type.
    ConfigInvalid {
        /// All faults; never empty.
        errors: Vec<ValidationError>,
    },
    /// The binding does not fit the schema of the type.
    BindingInvalid {
        /// All faults; never empty.
        errors: Vec<ValidationError>,
    },
    /// Components of the type cannot have this size on this grid.
    SizeOutOfRange {
        /// The smallest size that fits the type and the grid.
        least: Size,
        /// The largest size that fits the type and the grid.
        most: Size,
    },
    /// A component would grow past the edge of the grid.
    GrowsOutside {
        /// Upper left cell of the component.
        position: Position,
        /// The largest size allowed at this position.
        most: Size,
    },
    /// The place is not within the grid.
    PositionOutside {
        /// Size of the component.
        size: Size,
        /// The last position at which this size fits.
        last: Position,
        /// The nearest position for this size. `None` if it fits nowhere, or the requested position is not a cell.
        nearest: Option<Position>,
    },
    /// Other components cover the place.
    Collision {
        /// The bounds requested for the component.
        bounds: Bounds,
        /// The components that cover it, by row, then column.
        colliding: Vec<ComponentId>,
        /// The reason why they could not make room, if the command asked for that.
        blocked: Option<BlockedShift>,
        /// Up to three of the nearest free positions for this size.
        free: Vec<Position>,
        /// Whether they would make room if the command asked for that. Tried only for a new size.
        may_shift: bool,
    },
    /// No place was found for a component without a requested position.
    NoRoom(NoRoom),
    /// The board is at its limit of components.
    TooManyComponents {
        /// Maximum number of components.
        limit: usize,
    },
    /// The board is at its limit of views.
    TooManyViews {
        /// Maximum number of views.
        limit: usize,
    },
    /// The board is at its limit of triggers.
    TooManyTriggers {
        /// Maximum number of triggers.
        limit: usize,
    },
    /// The trigger is larger than its limit.
    TriggerTooLarge {
        /// Maximum size as JSON, in bytes.
        limit: usize,
    },
    /// The trigger is time-based, but its time has an unknown name.
    TimeUnknown(SimulatedTimeError),
    /// The grid has no columns or rows, too many of them, or a cell size or gap that cannot be drawn.
    GridInvalid,
    /// The interval is not a whole number that JSON keeps.
    IntervalTooLong,
    /// The batch has too many commands.
    BatchTooLarge {
        /// Maximum number of commands.
        limit: usize,
    },
}

/// A component that could not make room, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockedShift {
    /// This component is pinned.
    Pinned(ComponentId),
    /// This component would leave the grid.
    OutOfGrid(ComponentId),
}

/// A refusal, boxed because it carries everything that helps to repair the command.
pub(crate) type Refused = Box<CommandRefusal>;

impl CommandRefusal {
    /// Returns the stable error code.
    pub fn code(&self) -> CommandErrorCode {
        self.cause.code()
    }
}

impl RefusalCause {
    /// Returns the stable error code.
    pub fn code(&self) -> CommandErrorCode {
        match self {
            Self::ComponentNotFound { .. } => CommandErrorCode::ComponentNotFound,
            Self::ViewNotFound { .. } => CommandErrorCode::ViewNotFound,
            Self::TriggerNotFound { .. } => CommandErrorCode::TriggerNotFound,
            Self::TypeNotFound { .. } => CommandErrorCode::TypeNotFound,
            Self::ConfigNoObject { .. }
            | Self::ConfigTooLarge { .. }
            | Self::ConfigInvalid { .. }
            | Self::BindingInvalid { .. } => CommandErrorCode::ConfigValidationFailed,
            Self::SizeOutOfRange { .. } | Self::GrowsOutside { .. } => CommandErrorCode::InvalidSize,
            Self::PositionOutside { .. } => CommandErrorCode::InvalidPosition,
            Self::Collision { .. } => CommandErrorCode::CollisionDetected,
            Self::NoRoom(none) => none.error_code(),
            Self::TimeUnknown(_) => CommandErrorCode::UnknownSimulatedTime,
            Self::GridInvalid | Self::IntervalTooLong => CommandErrorCode::InvalidBoard,
            Self::TooManyComponents { .. }
            | Self::TooManyViews { .. }
            | Self::TooManyTriggers { .. }
            | Self::TriggerTooLarge { .. }
            | Self::BatchTooLarge { .. } => CommandErrorCode::BoardTooLarge,
        }
    }
}

impl RefusalCause {
    /// Wraps the cause for a command that changes no component.
    pub(super) fn refused(self) -> Refused {
        Box::new(CommandRefusal { component_id: None, cause: self })
    }

    /// Wraps the cause for a command that would change this component.
    pub(super) fn of(self, id: &ComponentId) -> Refused {
        Box::new(CommandRefusal { component_id: Some(id.clone()), cause: self })
    }
}

/// Returns up to three similar names, the most similar first.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    // Looking at more would cost more than the hint is worth.
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
