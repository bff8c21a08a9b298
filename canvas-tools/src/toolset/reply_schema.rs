//! The schemas of replies by the name of the tool.

use serde_json::Value;

/// Returns the JSON Schema (2020-12) of the replies of a tool of this crate. A reply is one of its successes, or a
/// failure with one of its codes. Returns `None` if this crate has no tool of that name. Requires the feature `schema`,
/// which the features of the faces enable.
///
/// The properties have descriptions. The schema is closed, so a reply has only the fields that it names. A failure that
/// concerns no particular tool, such as an unknown name, is part of every schema.
///
/// Each call builds the schema again.
///
/// ```
/// let schema = canvas_tools::reply_schema("canvas_check_in").expect("it is a tool of the document");
/// assert_eq!(schema["anyOf"][0]["properties"]["released"]["type"], "boolean");
/// assert_eq!(schema["anyOf"][1]["properties"]["error"]["required"][0], "code");
/// assert_eq!(canvas_tools::reply_schema("no_such_tool"), None);
/// ```
pub fn reply_schema(tool: &str) -> Option<Value> {
    let found = super::document::reply_schema(tool);
    #[cfg(feature = "board")]
    let found = found.or_else(|| super::board::reply_schema(tool));
    let found = found.or_else(|| super::directive::reply_schema(tool));
    let found = found.or_else(|| super::native::reply_schema(tool));
    #[cfg(feature = "surface")]
    let found = found.or_else(|| super::surface::reply_schema(tool));
    #[cfg(feature = "recipe")]
    let found = found.or_else(|| super::recipe::reply_schema(tool));
    found
}
