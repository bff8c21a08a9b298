//! Bedrock Converse.
//!
//! The types do not show these rules of the endpoint. Messages alternate, and the first is the user's. Results come in
//! the user message right after the calls. A text must not be blank. A history with calls needs tools. A request cannot
//! forbid calls.

mod decode;
mod encode;
mod stream;

pub(crate) use encode::Bedrock;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "bedrock-converse";
