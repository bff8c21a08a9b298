//! Anthropic Messages.
//!
//! Rules of the endpoint that the types do not show: the answers stand first in the user message right after
//! the calls; every call is answered; a text may not be blank; thinking goes back unchanged, in place and
//! signed, and does not end a message; the first message is the user's.

mod constraints;
mod decode;
mod encode;
mod tools;
mod wire;

pub(crate) use decode::decode;
pub(crate) use encode::{replay, request};
pub(crate) use tools::tools;

/// The name in envelopes.
const NAME: &str = "anthropic";
