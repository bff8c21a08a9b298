//! Bedrock Converse.
//!
//! Rules of the endpoint that the types do not show: messages alternate and the first is the user's; results come in the
//! user message right after the calls; a text may not be blank; a history with calls needs tools; nothing forbids calls.

mod decode;
mod encode;
mod stream;

pub(crate) use encode::Bedrock;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "bedrock-converse";
