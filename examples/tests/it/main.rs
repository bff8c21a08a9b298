//! Tests of the bridge, of corpora, and of pages that must stay true.

mod bridge;
mod bridge_recipe;
mod bridge_surface;
mod corpus;
mod dialects;
mod error_codes;
mod limits;
mod tool_lists;
