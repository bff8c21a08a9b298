//! Runs the actions of surfaces. `host` has the traits that do an action's work, `run` the state machine that decides
//! the next step, and `drive` the loop that performs it.
//!
//! # Overdue actions
//!
//! Once begun, a tool has the time of its action's `timeoutMs`, 30 seconds by default, and a message has 10 minutes.
//! During this time, the same call returns `ACTION_IN_PROGRESS`. The end of this time is the deadline, by the store's
//! clock ([`RunningAction::deadline`](canvas_core::surface::RunningAction::deadline)). An overdue action ends in one of
//! two ways:
//!
//! * `TOOL_TIMEOUT`. The runner is alive and reports it. Either the host gives up and returns
//!   [`ActionFailure::TimedOut`](canvas_core::surface::ActionFailure::TimedOut), or it delivers a result after the
//!   deadline, which is dropped.
//! * `ACTION_LOST`. The outcome was never reported, because the host crashed, was restarted or dropped the future. No
//!   timer records this. Instead, it is recorded when the next action on the canvas begins or ends after the deadline,
//!   or when the canvas is deleted. A runner that reports even later gets the same answer.
//!
//! In both cases there is one audit record, the work may have taken effect, and it is not run again. A retry of the
//! same call returns the recorded end for as long as the canvas keeps the receipt. To run the action again, check its
//! effects first and then send a new call, which needs a new confirmation. A read-only tool has no effects that could
//! be lost, so the same call runs it again.

mod drive;
pub(crate) mod host;
pub(crate) mod run;

pub use host::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
pub use run::{ActionOver, ActionRun, ActionStep};
