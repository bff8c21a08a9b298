//! The built program at the other end of a pipe.

mod bad_input;
mod client;
mod clients;
mod dialects;
mod file;
mod http;
mod kills;
mod people;
mod postgres;
mod versions;
