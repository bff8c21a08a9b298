//! Reading arguments, and saying where they are wrong.

mod fault;
mod reader;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use self::fault::Fault;
use self::reader::Reader;
use crate::reply::{ToolError, shorten};

/// Reads the arguments of a call. An error names the place of the fault and the value to pass there.
pub(crate) fn arguments<T: DeserializeOwned>(sent: &Value) -> Result<T, ToolError> {
    arguments_but(&[], sent)
}

/// As [`arguments`], of a tool whose schema lacks some fields of `T`: an error proposes none of them.
pub(crate) fn arguments_but<T: DeserializeOwned>(hidden: &[&str], sent: &Value) -> Result<T, ToolError> {
    if !sent.is_object() {
        return Err(ToolError::argument("", "pass the arguments as one JSON object"));
    }
    read(sent).map_err(|fault| ToolError::argument(&shorten(fault.place()), fault.message(hidden)))
}

/// Reads one JSON value. A number without a fraction is an integer, as in JSON Schema: `1.0` is 1.
pub(crate) fn read<T: DeserializeOwned>(sent: &Value) -> Result<T, Fault> {
    T::deserialize(Reader(sent))
}

/// One step of a JSON Pointer (RFC 6901).
pub(crate) fn pointer_key(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}
