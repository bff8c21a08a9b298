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

pub(crate) use decode::decode;
pub(crate) use encode::{replay, request, tools};
pub(crate) use stream::Stream;

use crate::frames::Framing;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "gemini";
/// The host of both endpoints.
pub(crate) const HOST: &str = "generativelanguage.googleapis.com";
pub(crate) const FRAMING: Framing = Framing::Sse;
