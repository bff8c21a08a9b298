//! Reads the arguments of calls and reports the place of a fault.

mod fault;
mod pointer;
mod reader;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use self::fault::Fault;
pub(crate) use self::pointer::pointer_key;
use self::reader::Reader;
use crate::reply::{ToolError, shorten};

/// Reads the arguments of a call. An error names the place of the fault and the value to pass there.
pub(crate) fn arguments<T: DeserializeOwned>(sent: &Value) -> Result<T, ToolError> {
    arguments_but(&[], sent)
}

/// Like [`arguments`], but for a tool whose schema omits the `hidden` fields of `T`, so that errors do not propose
/// them.
pub(crate) fn arguments_but<T: DeserializeOwned>(hidden: &[&str], sent: &Value) -> Result<T, ToolError> {
    if !sent.is_object() {
        return Err(ToolError::argument("", "the arguments are not a JSON object: pass them as one"));
    }
    read(sent).map_err(|fault| ToolError::argument(&shorten(fault.place()), fault.message(hidden)))
}

/// Reads one JSON value. A number without a fraction counts as an integer, as in JSON Schema: `1.0` is 1.
pub(crate) fn read<T: DeserializeOwned>(sent: &Value) -> Result<T, Fault> {
    T::deserialize(Reader(sent))
}
