//! The description of a tool for a model.

use std::sync::LazyLock;

#[cfg(any(feature = "board", feature = "surface", all(test, feature = "schema")))]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A tool in the form that every provider adapter receives, before it is reduced to the features of one provider.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// The name that the model calls, `[a-z_]{1,64}` for the tools of this crate.
    pub name: String,
    /// What the tool does and when to use it, for the model.
    pub description: String,
    /// JSON Schema (2020-12) of the arguments; the root is an object.
    pub parameters: Value,
}

/// Argument schemas of everything that every build has: document tools by name, dialects by code, and the directive.
///
/// They are derived from the types with the feature `schema`. Builds without it leave the generator out and read this
/// file instead; a test compares the two.
static ARGUMENTS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("arguments.json")).expect("a test reads the file"));

/// Returns the argument schema of a tool that every build has.
pub(super) fn argument_schema(name: &str) -> Value {
    ARGUMENTS.get(name).expect("a test looks for the names of all tools").clone()
}

/// Derives the schema of a tool's arguments.
#[cfg(any(feature = "board", feature = "surface", all(test, feature = "schema")))]
pub(super) fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T);
    schema.remove("$schema");
    schema.remove("title");
    schema.ensure_object().entry("properties").or_insert_with(|| serde_json::json!({}));
    schema.to_value()
}

/// Derives the schema of a tool's arguments in few tokens. Optional fields are only left out of `required`, without
/// `null` or a `null` default, and integer widths are omitted.
#[cfg(any(feature = "board", all(test, feature = "schema")))]
pub(super) fn tidy_schema_of<T: JsonSchema>() -> Value {
    let mut schema = schema_of::<T>();
    tidy(&mut schema);
    schema
}

#[cfg(any(feature = "board", all(test, feature = "schema")))]
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_mut_slice() {
                    let only = only.take();
                    fields.insert("type".into(), only);
                }
            }
            if fields.get("type").is_some_and(|name| name == "integer") {
                fields.remove("format");
            }
            if fields.get("default").is_some_and(Value::is_null) {
                fields.remove("default");
            }
            if fields.get("additionalProperties") == Some(&Value::Bool(true)) {
                fields.remove("additionalProperties");
            }
            fields.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

pub(super) fn has_tool(specs: &[ToolSpec], name: &str) -> bool {
    specs.iter().any(|spec| spec.name == name)
}

#[cfg(all(test, feature = "schema"))]
mod tests {
    use super::*;
    use crate::toolset::{directive, document, native};

    #[test]
    fn the_file_has_what_follows_from_the_types() {
        let made = [
            document::arguments::argument_schemas(),
            directive::declare::argument_schemas(),
            native::declare::argument_schemas(),
        ];
        let made: Map<String, Value> =
            made.into_iter().flatten().map(|(name, schema)| (name.to_owned(), schema)).collect();
        let text = serde_json::to_string_pretty(&made).unwrap();
        assert_eq!(made, *ARGUMENTS, "toolset/arguments.json should read:\n{text}");
    }
}
