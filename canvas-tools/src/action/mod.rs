//! Running the actions of surfaces: `host` is who does what an action says, `run` says what is next, `drive` does it.
//!
//! # What is overdue
//!
//! From the begin on a tool has `timeoutMs` of its action, by default 30 seconds, and a message 10 minutes. Until then the same
//! call again is answered `ACTION_IN_PROGRESS`. The end of that time is the deadline, by the store's clock
//! ([`RunningAction::deadline`](canvas_core::surface::RunningAction::deadline)), and it has two outcomes:
//!
//! * `TOOL_TIMEOUT`: who runs it is alive and says so. The host gives up and answers
//!   [`ActionFailure::TimedOut`](canvas_core::surface::ActionFailure::TimedOut), or brings a result after the deadline, which is dropped.
//! * `ACTION_LOST`: nobody has said how it ended, since the host has crashed, was started again, or has dropped the future. The
//!   next begin or end of any action on the canvas after the deadline records it so, or the deletion of the canvas; no timer
//!   does. Who runs it and comes later still is answered the same.
//!
//! Either way there is one audit record, what ran may have done what it does, and nobody runs it again: the same call is
//! answered how it ended, for as long as the canvas remembers its receipt. Who wants it again looks at what it did, and sends
//! another call, which is confirmed anew. A tool that is read-only leaves nothing to be lost: the same call calls it again.

mod drive;
pub(crate) mod host;
pub(crate) mod run;

pub use host::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
pub use run::{ActionOver, ActionRun, ActionStep};
