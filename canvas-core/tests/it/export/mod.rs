//! Exports of a canvas with every face, and imports of what became of their bytes.

mod altered;
mod format;
mod moved;
mod staged;
mod world;
