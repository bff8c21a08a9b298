//! Surfaces are made, replaced and patched: by whom, on which revision, and what stays.

mod create;
mod patch;
mod upsert;
mod world;
