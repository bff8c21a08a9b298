//! Surfaces, their actions and their tool.

mod requests;
