//! Commands on surfaces.

mod access;
pub(crate) mod begin;
pub(crate) mod ended;
mod files;
pub(crate) mod finish;
pub(crate) mod plan;
pub(crate) mod refusal;
pub(crate) mod request;

#[cfg(test)]
mod tests;
