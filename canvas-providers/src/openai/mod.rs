//! OpenAI's two APIs, and the tool schemas that both accept.

pub(crate) mod chat;
pub(crate) mod responses;
mod strict;
