//! The built program at the other end of a pipe.

mod accept;
mod bad_input;
mod batches;
mod client;
mod clients;
mod dialects;
mod faults;
mod file;
mod files;
mod http;
mod kills;
mod past;
mod people;
mod postgres;
mod review;
mod versions;
mod wire;
