//! Reading arguments, and saying where they are wrong.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::reply::{ToolError, shorten};

/// Reads the arguments of a call. What is wrong with them is named by its place.
pub(crate) fn arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, ToolError> {
    if !arguments.is_object() {
        return Err(ToolError::argument("", "pass the arguments as one JSON object"));
    }
    serde_path_to_error::deserialize(arguments).map_err(|e| {
        let what = e.inner().to_string();
        let message = format!("{}: correct the arguments to the tool's schema", shorten(&what));
        ToolError::argument(&shorten(&pointer(e.path())), message)
    })
}

/// A path as a JSON Pointer (RFC 6901).
pub(crate) fn pointer(path: &serde_path_to_error::Path) -> String {
    path.iter().map(pointer_segment).collect()
}

fn pointer_segment(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } | Segment::Enum { variant: key } => pointer_key(key),
        Segment::Unknown => String::new(),
    }
}

pub(crate) fn pointer_key(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}
