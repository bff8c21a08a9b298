//! The Interactions API, without state on the server: each request sends all steps.
//!
//! A step is a part: words of one side, a thought with its signature, a call, a result. Calls and results have ids and say
//! whether they failed; signatures stand on thoughts, which come before the calls that they belong to.

mod decode;
mod encode;
mod stream;

pub(crate) use encode::Interactions;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "gemini-interactions";
