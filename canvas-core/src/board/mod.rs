//! The board: a grid of components that models and people arrange together (specs 002).

mod apply;
mod builtin;
mod changed;
mod chunks;
pub(crate) mod command;
pub(crate) mod context;
pub(crate) mod data;
pub(crate) mod env;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod execute;
pub(crate) mod grid;
pub(crate) mod history;
pub(crate) mod id;
mod ids;
pub(crate) mod layout;
pub(crate) mod live;
mod pages;
pub(crate) mod patch;
pub(crate) mod place;
pub(crate) mod placement;
pub(crate) mod registry;
pub(crate) mod result;
mod saved_view;
pub(crate) mod simulated_time;
mod stored;
#[cfg(feature = "proptest")]
pub mod strategies;
pub(crate) mod trigger;
mod work;
pub(crate) mod workspace;

pub use self::apply::PatchMismatch;
pub use self::command::{
    Batch, CanvasCommand, ClearCanvas, CreateComponent, DeleteView, HistoryAction, LoadView, MoveComponent,
    PartialMeta, RemoveComponent, ResizeComponent, SaveView, UpdateComponent, UserAction,
};
pub use self::context::{
    Aliases, ByteEstimate, CanvasContext, ComponentSummary, ContextBudget, ContextChange, ContextError,
    ContextInput, DayOfWeek, DayParts, DayPlan, LoadingStatus, SummarizationLevel, TemporalContext,
    TemporalError, TimeOfDay, TokenCounter, TypeInfo, ViewSummary, WorkHours, WorkspaceContext,
    canvas_context, context_since, temporal_context,
};
pub use self::data::{
    DataBinding, DataError, DataErrorCode, DataLoadingState, DataMeta, DataPolicy, DataQuery, DataResult,
    DataSource, DataStates, Fetch, MockGithub, PaginationMeta, QueryDefinition, RequestToken,
};
pub use self::env::{BoardEnv, BoardRules, IdSource};
pub use self::error::{
    AgenticCanvasError, CommandExecutionError, DataFetchError, ValidationFailedCode, ValidationFailedError,
};
pub use self::event::{CanvasEvent, LayoutChange, SelectedItem};
pub use self::execute::{BoardChange, BoardResult, Executed};
pub use self::grid::{Bounds, GridConfig, NO_CELL, Position, Size};
pub(crate) use self::history::TakeBack;
pub use self::history::{BoardHistory, BoardHistoryError};
pub use self::id::{ComponentId, DataSourceId, TriggerId, TypeId, UndoId, ViewId, WorkspaceId};
pub use self::layout::NoRoom;
pub use self::live::{Board, BoardError};
pub use self::patch::BoardPatch;
pub use self::place::{
    GridPolicy, OnCollision, PlacementAdjustment, PlacementHints, PlacementReason, PlacementResult, Region,
};
pub use self::placement::{detect_collisions, find_placement};
pub use self::registry::{
    BindingRule, ComponentActionDefinition, ComponentCapability, ComponentCategory, ComponentDefinition,
    DefinitionError, Registry, ValidationResult,
};
pub use self::result::{
    BatchCommandResult, CommandError, CommandErrorCode, CommandResult, HistoryState, Recorded, Restore,
    UndoEntry,
};
pub use self::simulated_time::{Days, SimulatedTime, SimulatedTimeError};
pub(crate) use self::stored::{Kept, Unread};
pub use self::trigger::{
    Due, DueAction, Occasion, ProactiveTrigger, TriggerMemory, TriggerProblem, TriggerType, due,
};
pub use self::workspace::{
    Canvas, ComponentInstance, ComponentMeta, ProactiveMode, Theme, View, Workspace, WorkspaceSettings,
};
pub use crate::schema::{Schema, SchemaError, SchemaErrorCode, ValidationError};
