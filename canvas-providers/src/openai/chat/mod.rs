//! OpenAI Chat Completions, and the hosts that speak it.
//!
//! The types do not show these rules of the endpoint. Results come right after the message with their calls, one for
//! each call. Arguments are JSON in a string. A result has neither images nor an error flag. If a host writes reasoning
//! into the content, between `<think>` and `</think>`, the reasoning stays there and is sent back unchanged.

mod calls;
mod content;
mod decode;
mod delta;
mod encode;
mod error;
mod message;
mod reasoning;
mod saying;
mod stream;
mod wire;

pub(crate) use encode::Chat;
