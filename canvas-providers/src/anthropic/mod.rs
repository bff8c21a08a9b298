//! Anthropic Messages.
//!
//! Rules of the endpoint that the types do not show: results come first in the user message right after the calls; every
//! call has one; a text may not be blank; thinking goes back unchanged, in place and signed, and does not end a message;
//! the first message is the user's.

mod decode;
mod encode;
mod stream;
mod wire;

pub(crate) use encode::Anthropic;
