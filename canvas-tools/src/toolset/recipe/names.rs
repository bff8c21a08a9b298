//! The names of the tools.

/// Name of the tool that records a recipe.
pub const RECORD_RECIPE: &str = "canvas_record_recipe";

/// Name of the tool that refreshes data.
pub const REFRESH: &str = "canvas_refresh";
