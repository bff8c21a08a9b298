//! The Interactions API, without state on the server. Each request sends all steps.
//!
//! Each part is a step, which is a text of the user or the model, a thought with its signature, a call or a result.
//! Calls and results have ids, and results tell whether the call failed. Signatures are on thoughts, which come before
//! the calls that they belong to.

mod decode;
mod encode;
mod stream;

pub(crate) use encode::Interactions;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "gemini-interactions";
