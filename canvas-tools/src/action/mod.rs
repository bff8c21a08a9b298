//! Running the actions of surfaces: what is to be done next, and by whom.

pub(crate) mod host;

pub use host::{CallFailure, SessionHost, SessionMessage, ToolHost, ToolInvocation};
