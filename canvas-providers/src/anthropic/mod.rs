//! Anthropic Messages.
//!
//! The types do not show these rules of the endpoint. Results come first in the user message right after the calls, and
//! every call has one. A text must not be blank. Thinking goes back unchanged, in place and signed, and does not end a
//! message. The first message is the user's.

mod decode;
mod encode;
mod stream;
mod wire;

pub(crate) use encode::Anthropic;
