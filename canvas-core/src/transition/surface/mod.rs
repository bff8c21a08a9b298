//! Commands on surfaces.
//!
//! They take no lease. A session acts in the turn that runs, and sees the surfaces of its agent only; a client acts at
//! any time. A surface that is made leaves no entry in the journal, like any face; what changes it later does.

mod access;
pub(crate) mod begin;
pub(crate) mod create;
pub(crate) mod ended;
mod files;
pub(crate) mod finish;
pub(crate) mod patch;
pub(crate) mod plan;
pub(crate) mod refusal;
pub(crate) mod request;
pub(crate) mod upsert;

#[cfg(test)]
mod tests;
