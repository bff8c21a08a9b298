//! What a model is told of a board, within a budget (specs 002 §6).
//!
//! [`canvas_context`] makes the whole of it, [`context_since`] what has changed since a conversation was told last, and
//! [`temporal_context`] the time as people there speak of it.

mod alias;
mod make;
mod shape;
mod since;
mod summary;
mod temporal;
#[cfg(test)]
mod tests;
mod tokens;
mod utilization;
mod value;

pub use self::alias::Aliases;
pub use self::make::{ContextError, ContextInput, canvas_context};
pub use self::shape::{
    CanvasContext, ComponentSummary, ContextBudget, LoadingStatus, SummarizationLevel, ViewSummary,
    WorkspaceContext,
};
pub use self::since::{ContextChange, context_since};
pub use self::summary::TypeInfo;
pub use self::temporal::{
    DayOfWeek, DayParts, DayPlan, TemporalContext, TemporalError, TimeOfDay, WorkHours, temporal_context,
};
pub use self::tokens::{ByteEstimate, TokenCounter};

pub(crate) use self::temporal::{LocalDay, LocalTime};
