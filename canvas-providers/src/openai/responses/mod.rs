//! OpenAI Responses.
//!
//! Rules of the endpoint that the types do not show: reasoning is followed by the item that came after it, and that item,
//! where it carries its id, has its reasoning before it; reasoning of an answer that was not stored goes back sealed or not
//! at all; no item id stands twice; each call that the host runs has one output of the call's own kind, which echoes its
//! caller; free text is no function call.
//!
//! Requests store nothing and ask for sealed reasoning. Models that cannot reason refuse to be asked: a host gives
//! `"include": []` in [`RequestOptions::extra`](crate::RequestOptions::extra) for them.

mod decode;
mod encode;
mod item;
mod stream;
mod wire;

pub(crate) use encode::Responses;
