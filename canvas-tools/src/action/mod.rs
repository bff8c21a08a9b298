//! Running the actions of surfaces: `host` is who does what an action says, `run` says what is next, `drive` does it.

mod drive;
pub(crate) mod host;
pub(crate) mod run;

pub use host::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
pub use run::{ActionOver, ActionRun, ActionStep};
