//! Native dialects: what each form takes and refuses, laws, and their tools in a session.

mod forms;
mod laws;
mod session;
