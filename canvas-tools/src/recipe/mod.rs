//! Recipes record how a turn produced its data, and produce the data again without a model.
//!
//! A [`Recorder`](crate::Recorder) holds the calls of a turn. The turn's declaration about them becomes a recipe, which
//! is tested on the turn's own results before it is kept. A [`Replay`] is a state machine without I/O, which returns
//! the tools to call, takes their answers, and ends in one command. A [`Refresher`] drives replays with an engine and a
//! [`ToolHost`](crate::action::ToolHost). Each replay leaves a [`RunRecord`], from which [`RunRecord::rerun`] produces
//! the same bytes again, offline.
//!
//! Each of these modules depends only on earlier ones: `error`, `pause`; `steps` (the progress of each call),
//! `escalation`, `run` (the record), `replay`, `rerun`; `drive` (with an engine); `composition`, `declaration` and
//! `recorder`.

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
