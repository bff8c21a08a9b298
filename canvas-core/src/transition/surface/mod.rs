//! Commands on surfaces.

mod files;
pub(crate) mod refusal;

#[cfg(test)]
mod tests;
