//! Description of a board for a model, within a budget.
//!
//! [`canvas_context`] builds the whole description, [`diff_contexts`] the changes since the last context of a
//! conversation, and [`temporal_context`] the time in everyday terms.

mod alias;
mod build;
mod diff;
mod score;
mod shape;
mod summary;
mod temporal;
#[cfg(test)]
mod tests;
mod tokens;
mod utilization;

pub use self::alias::Aliases;
pub use self::build::{ContextError, ContextInput, canvas_context};
pub use self::diff::diff_contexts;
pub use self::shape::{
    CanvasContext, ComponentSummary, ContextBudget, LoadingStatus, SummarizationLevel, ViewSummary,
    WorkspaceContext,
};
pub use self::summary::TypeInfo;
pub use self::temporal::{
    DayOfWeek, DayParts, DayPlan, TemporalContext, TimeOfDay, WorkHours, temporal_context,
};
pub use self::tokens::{ByteEstimate, PieceEstimate, TokenCounter};

pub(crate) use self::temporal::part_of_day;
