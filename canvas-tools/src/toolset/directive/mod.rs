//! Directives: edits that name their action, by offsets or by a diff, without a lease (specs 003).
//!
//! `parse` reads one into a value that cannot be wrong, and `schema` says what it reads. `plan` makes an edit of it, in
//! pure code; `apply` has the engine do it, and says so when a retry comes. `failure` is every way to go wrong. `since`
//! tells what a stale version has missed. `recent` and `metrics` are what a host keeps beside. `tools`, with `snapshot`,
//! `builder` and `prompt`, is the same for a model.

pub(crate) mod apply;
mod builder;
pub(crate) mod failure;
pub(crate) mod metrics;
pub(crate) mod parse;
pub(crate) mod plan;
mod prompt;
pub(crate) mod range;
pub(crate) mod recent;
pub(crate) mod schema;
mod since;
mod snapshot;
pub(crate) mod tools;
