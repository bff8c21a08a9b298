//! Recipes: recording how a turn made data, and making them again without a model.
//!
//! A [`Recorder`](crate::Recorder) has the calls of a turn; what the turn declares of them becomes a recipe, which is played on the results that
//! came before it is kept. A [`Replay`] is a machine without input or output: it says what to call, is told what came, and ends
//! in one command. A [`Refresher`] runs one over an engine and a [`ToolHost`](crate::action::ToolHost). Each leaves a
//! [`RunRecord`], from which [`RunRecord::rerun`] makes the same bytes again, offline.
//!
//! Rooms, each knowing only those before it: `error`, `pause`; `steps` (how far each call is), `escalation`, `run` (the
//! record), `replay`, `rerun`; `drive` (over an engine); `composition`, `declaration` and `recorder`.

mod composition;
mod declaration;
mod drive;
mod error;
mod escalation;
mod pause;
mod recorder;
mod replay;
mod rerun;
mod run;
mod steps;

pub use composition::turn_composition;
pub use declaration::RecipeDeclaration;
pub use drive::Refresher;
pub use error::{RecordError, ReplayError, RerunError};
pub use escalation::Escalation;
pub use pause::ReplayPauses;
pub use recorder::RecordedTurn;
pub(crate) use replay::RefreshFields;
pub use replay::{Replay, ReplayCall, ReplayReport, ReplayRequest};
pub use rerun::Rerun;
pub use run::{RecordedCall, RunRecord, SkippedStep};
