//! The schemas of replies by the name of the tool.

use serde_json::Value;

/// The JSON Schema (2020-12) of what a tool of this crate answers: one of its successes, or a failure with the codes that it
/// may have. `None` where no tool of this crate has the name. Feature `schema`, which the features of the faces turn on.
///
/// The properties have descriptions. The schema is closed: a reply has no field that it does not name. A failure that no tool
/// is asked for, such as that of a name that does not exist, is one of any of them.
///
/// Cost: it is made anew by each call.
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
