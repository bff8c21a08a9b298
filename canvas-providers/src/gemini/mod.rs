//! Gemini: `generateContent`, and the Interactions API.
//!
//! The types do not show these rules of `generateContent`. A turn with calls follows the user's message or results. It
//! is directly followed by as many results as calls. A signature goes back on the part that it arrived on. From Gemini
//! 3 on, the first call of each step of the current turn must be signed. No finish reason announces calls.

mod decode;
mod encode;
mod error;
pub(crate) mod interactions;
mod partial;
mod stream;

pub(crate) use encode::Gemini;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "gemini";
