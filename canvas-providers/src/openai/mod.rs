//! OpenAI's two APIs, and the schemas of tools that both take.

pub(crate) mod chat;
pub(crate) mod responses;
mod strict;
