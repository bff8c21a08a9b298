//! Ollama's own chat endpoint.
//!
//! Arguments are objects and arrive complete. Ids of calls are optional, and results are matched by the tool's name.

mod decode;
mod encode;
mod stream;
mod wire;

pub(crate) use encode::Ollama;
