//! Ollama's own chat endpoint.
//!
//! Arguments are objects and come whole; ids of calls are optional; results are told apart by the tool's name.

mod decode;
mod encode;
mod stream;
mod wire;

pub(crate) use encode::Ollama;
