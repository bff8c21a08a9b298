//! OpenAI Chat Completions, and the hosts that speak it.
//!
//! Rules of the endpoint that the types do not show: results come right after the message with their calls, each call has
//! one; arguments are JSON in a string; a result has neither images nor an error flag. Reasoning that a host writes into
//! the content, between `<think>` and `</think>`, is left there and goes back as it came.

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
