//! A value of a type of the board, as JSON.

use std::any::type_name;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) struct Sample {
    /// The name of its type in the document.
    pub(crate) of: &'static str,
    pub(crate) json: Value,
    /// Whether it keeps to the document; otherwise it has what we add to it.
    pub(crate) strict: bool,
    /// Reads it as our type and writes it again.
    pub(crate) again: fn(Value) -> Result<Value, String>,
    /// The schema of what our type reads.
    pub(crate) schema: fn() -> Value,
    /// The schema of what it writes, where fields are optional that may be left out.
    pub(crate) written: fn() -> Value,
    /// The name of our type.
    pub(crate) rust: &'static str,
}

pub(crate) fn of<T: Serialize + DeserializeOwned + JsonSchema>(name: &'static str, json: Value) -> Sample {
    Sample {
        of: name,
        json,
        strict: true,
        again: |json| {
            let read: T = serde_json::from_value(json).map_err(|error| error.to_string())?;
            serde_json::to_value(read).map_err(|error| error.to_string())
        },
        schema: || schemars::schema_for!(T).to_value(),
        written: || {
            let settings = SchemaSettings::draft2020_12().for_serialize();
            settings.into_generator().into_root_schema_for::<T>().to_value()
        },
        rust: type_name::<T>(),
    }
}

/// A sample with what we add to the document.
pub(crate) fn beyond<T: Serialize + DeserializeOwned + JsonSchema>(
    name: &'static str,
    json: Value,
) -> Sample {
    Sample { strict: false, ..of::<T>(name, json) }
}
