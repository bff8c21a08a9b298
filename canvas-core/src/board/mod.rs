//! The board: a grid of components that models and people arrange together (specs 002).

pub(crate) mod command;
pub(crate) mod data;
pub(crate) mod event;
pub(crate) mod grid;
pub(crate) mod id;
pub(crate) mod place;
pub(crate) mod registry;
pub(crate) mod result;
pub(crate) mod trigger;
pub(crate) mod workspace;

pub use self::command::{
    Batch, CanvasCommand, ClearCanvas, CreateComponent, DeleteView, HistoryAction, LoadView, MoveComponent,
    PartialMeta, RemoveComponent, ResizeComponent, SaveView, UpdateComponent, UserAction,
};
pub use self::data::{DataBinding, DataError, DataErrorCode, DataLoadingState, DataQuery};
pub use self::event::{CanvasEvent, LayoutChange, SelectedItem};
pub use self::grid::{Bounds, GridConfig, NO_CELL, Position, Size};
pub use self::id::{ComponentId, DataSourceId, TriggerId, TypeId, UndoId, ViewId, WorkspaceId};
pub use self::place::{
    GridPolicy, OnCollision, PlacementAdjustment, PlacementHints, PlacementReason, PlacementResult, Region,
};
pub use self::registry::ValidationError;
pub use self::result::{
    BatchCommandResult, CommandError, CommandErrorCode, CommandResult, HistoryState, Recorded, Restore,
    UndoEntry,
};
pub use self::trigger::{ProactiveTrigger, TriggerType};
pub use self::workspace::{
    Canvas, ComponentInstance, ComponentMeta, ProactiveMode, Theme, View, Workspace, WorkspaceSettings,
};
