//! The integration tests of `canvas-patch`, one module a subject.

mod address;
mod apply;
mod commonmark;
mod corpus;
mod delta;
mod grep;
mod laws;
mod live;
mod merge;
mod outline;
mod parts;
mod position;
mod structure;
