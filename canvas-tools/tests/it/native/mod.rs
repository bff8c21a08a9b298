//! Native dialects: what each form takes and refuses, laws, and their tools in a session.

mod check;
mod forms;
mod input;
mod laws;
mod refusals;
mod render;
mod session;
mod v4a;
