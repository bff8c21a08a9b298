//! The server of the studio: what it answers, to whom, and what it does where the world is hostile or broken.

mod chat;
mod common;
mod documents;
mod events;
mod faces;
mod http;
mod past;
mod people;
mod program;
mod socket;
mod store;
