//! OpenAI Responses.
//!
//! The types do not show these rules of the endpoint. Reasoning is followed by the item that came after it, and if that
//! item has an id, its reasoning must precede it. If an answer was not stored, its reasoning is sent back sealed or not
//! at all. Item ids are unique. Each call that the host runs has one output of the call's own kind, which echoes the
//! call's caller. Free text is not a function call.
//!
//! Requests store nothing and ask for sealed reasoning. Models that cannot reason refuse this, so for them a host sets
//! `"include": []` in [`RequestOptions::extra`](crate::RequestOptions::extra).

mod decode;
mod encode;
mod item;
mod stream;
mod wire;

pub(crate) use encode::Responses;
