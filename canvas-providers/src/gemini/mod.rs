//! Gemini: `generateContent`, and the Interactions API beside it.
//!
//! Rules of `generateContent` that its types do not show: a turn with calls follows the user's words or results; as many
//! results as calls come right after it; a signature goes back on the part that it came on; from Gemini 3 on the first call
//! of each step of the current turn has to be signed. No finish reason says that there are calls.

mod decode;
mod encode;
mod error;
pub(crate) mod interactions;
mod partial;
mod stream;

pub(crate) use encode::Gemini;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "gemini";
