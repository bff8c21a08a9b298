//! Anthropic Messages.
//!
//! The types do not show these rules of the endpoint. The user message right after the calls begins with their results,
//! one for each call. A text must not be blank. Thinking is sent back unchanged, in its place and with its signature,
//! and does not end a message. The first message is the user's.

mod decode;
mod encode;
mod stream;
mod wire;

pub(crate) use encode::Anthropic;
