//! A grid of components that models and people arrange together.
//!
//! Every change of a [`Board`] is a [`CanvasCommand`]. [`Board::execute`] runs one and returns its answer, the change
//! for the history, and the events for subscribers.

pub(crate) mod command;
pub(crate) mod context;
pub(crate) mod data;
pub(crate) mod execute;
pub(crate) mod layout;
pub(crate) mod model;
pub(crate) mod registry;
pub(crate) mod state;
pub(crate) mod step;
#[cfg(feature = "proptest")]
pub mod strategies;
pub(crate) mod trigger;
pub(crate) mod wire;

pub use self::command::action::BoardAction;
pub use self::command::env::{BoardEnv, BoardRules, IdSource};
pub use self::command::refusal::{BlockedShift, CommandRefusal, RefusalCause};
pub use self::command::run::BoardChange;
pub use self::command::{
    Batch, CanvasCommand, ClearCanvas, CreateComponent, DeleteView, HistoryAction, LoadView, MoveComponent,
    PartialMeta, RemoveComponent, RemoveTrigger, ResizeComponent, SaveView, SetTrigger, UpdateComponent,
    UserAction,
};
pub use self::context::{
    Aliases, ByteEstimate, CanvasContext, ComponentSummary, ContextBudget, ContextError, ContextInput,
    DayOfWeek, DayParts, DayPlan, LoadingStatus, PieceEstimate, SummarizationLevel, TemporalContext,
    TimeOfDay, TokenCounter, TypeInfo, ViewSummary, WorkHours, WorkspaceContext, canvas_context,
    diff_contexts, temporal_context,
};
pub use self::data::{
    DataMeta, DataPolicy, DataResult, DataSource, DataStates, Fetch, PaginationMeta, QueryDefinition,
    RequestToken,
};
pub use self::execute::{BoardResult, Executed};
pub use self::layout::NoRoom;
pub use self::model::code::CommandErrorCode;
pub use self::model::data::{DataBinding, DataError, DataErrorCode, DataLoadingState, DataQuery};
pub use self::model::event::{CanvasEvent, LayoutChange, SelectedItem};
pub use self::model::grid::{Bounds, GridConfig, NO_CELL, Position, Size};
pub use self::model::id::{ComponentId, DataSourceId, TriggerId, TypeId, UndoId, ViewId, WorkspaceId};
pub use self::model::placement::{
    GridPolicy, OnCollision, PlacementAdjustment, PlacementHints, PlacementReason, PlacementResult, Region,
};
pub use self::model::settings::SettingsUpdate;
pub use self::model::trigger::{ProactiveTrigger, TriggerType};
pub use self::model::workspace::{
    Canvas, ComponentInstance, ComponentMeta, ProactiveMode, Theme, View, Workspace, WorkspaceSettings,
};
pub use self::registry::{
    BindingRule, ComponentActionDefinition, ComponentCapability, ComponentCategory, ComponentDefinition,
    DefinitionError, Registry, ValidationResult,
};
pub use self::state::apply::PatchMismatch;
pub use self::state::board::{Board, BoardError};
pub(crate) use self::state::codec::StoredBoard;
pub use self::state::json::WorkspaceJson;
pub use self::state::patch::BoardPatch;
pub use self::state::placement::{detect_collisions, find_placement};
pub use self::step::BoardStep;
pub use self::trigger::simulated_time::{Days, SimulatedTime, SimulatedTimeError};
pub use self::trigger::{Due, DueAction, Occasion, TriggerMemory, TriggerProblem, due};
pub use self::wire::error::{
    AgenticCanvasError, CommandExecutionError, DataFetchError, ValidationFailedCode, ValidationFailedError,
};
pub(crate) use self::wire::history::{Forward, Inverse};
pub use self::wire::history::{HistoryJson, HistoryState, Recorded, Restore, UndoEntry, UndoEntryJson};
pub use self::wire::result::{BatchCommandResult, CommandError, CommandResult};
pub use crate::history::board::{BoardJournal, BoardJournalError};
pub use crate::transition::board::{BoardCommandRun, BoardCreated, CreateBoard, RunBoardCommand};
pub use crate::transition::refusal::{BoardCommandRefusal, CreateBoardRefusal};
