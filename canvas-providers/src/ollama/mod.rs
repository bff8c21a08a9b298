//! Ollama's own chat endpoint.
//!
//! Arguments are objects and come whole; ids of calls are optional; results are told apart by the tool's name.

mod decode;
mod encode;
mod stream;
mod wire;

pub(crate) use decode::decode;
pub(crate) use encode::{replay, request, tools};
pub(crate) use stream::Stream;
pub(crate) use wire::NAME;

use crate::frames::Framing;

/// Where it listens unless it is told otherwise.
pub(crate) const HOST: &str = "localhost:11434";
pub(crate) const FRAMING: Framing = Framing::JsonLines;
