//! The integration tests of `canvas-providers`, one module a subject.

mod bad_input;
mod bounds;
mod chat;
mod chat_laws;
mod decode;
mod drive;
mod hidden;
mod issuers;
mod laws;
mod lease;
mod mcp;
mod native;
mod native_turn;
mod ollama;
mod openai_responses;
mod openai_responses_laws;
mod openai_responses_request;
mod proxies;
mod request;
mod stream;
mod support;
mod turn;
mod turn_laws;
mod wire_laws;
mod wire_requests;
mod wires;
