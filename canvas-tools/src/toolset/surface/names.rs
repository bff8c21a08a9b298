//! The name of the tool.

/// Name of the tool of surfaces.
pub const SURFACE_TOOL: &str = "gsv__Canvas";
