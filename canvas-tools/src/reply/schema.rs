//! JSON Schemas of replies, derived from the types of the tools' fields.
//!
//! * A field that may be absent is never null.
//! * A reply and its `error` have no other fields.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// Builder for the schema of a reply.
pub(crate) struct ReplySchema {
    generator: SchemaGenerator,
    successes: Vec<Value>,
}

impl ReplySchema {
    pub(crate) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        Self { generator: settings.into_generator(), successes: Vec::new() }
    }

    /// Adds a form of success with these fields.
    pub(crate) fn success<T: JsonSchema>(mut self) -> Self {
        let mut schema = object::<T>(&mut self.generator);
        never_null(&mut schema);
        add(&mut schema, "ok", json!({"const": true}), true);
        add(&mut schema, "revision_id", revision("Revision of the canvas that the reply describes."), true);
        schema["additionalProperties"] = false.into();
        self.successes.push(schema);
        self
    }

    /// Makes the revision optional, for successes that do not concern a canvas.
    #[cfg(feature = "surface")]
    pub(crate) fn without_revision(mut self) -> Self {
        for success in &mut self.successes {
            if let Some(required) = success["required"].as_array_mut() {
                required.retain(|name| name != "revision_id");
            }
        }
        self
    }

    /// Returns the schema of a reply that may also be a failure. Its `error` has the common fields and the fields of `E`.
    /// The fields in `beside` are outside of `error`.
    pub(crate) fn failure<E: JsonSchema>(mut self, codes: &[&[&str]], beside: &[(&str, &str)]) -> Value {
        let mut codes: Vec<&str> = codes.concat();
        codes.sort_unstable();
        codes.dedup();
        let mut error = object::<E>(&mut self.generator);
        never_null(&mut error);
        error["required"] = json!([]);
        let text = |description: &str| json!({"type": "string", "description": description});
        let code = json!({"type": "string", "enum": codes, "description": "Stable code to branch on."});
        add(&mut error, "code", code, true);
        add(&mut error, "message", text("Cause and next step."), true);
        let retryable = "Whether the same call can succeed later if only time has passed.";
        add(&mut error, "retryable", json!({"type": "boolean", "description": retryable}), true);
        add(&mut error, "reason", text("Distinguishes cases with the same code."), false);
        add(&mut error, "place", text("JSON Pointer into the arguments."), false);
        error["description"] = "Cause of the failure. A failed call changes nothing.".into();
        error["additionalProperties"] = false.into();
        let mut failure = json!({
            "type": "object",
            "description": "The call failed.",
            "properties": {"ok": {"const": false}, "error": error},
            "required": ["ok", "error"],
            "additionalProperties": false,
        });
        add(&mut failure, "revision_id", revision("Revision of the canvas, if it exists."), false);
        let epoch = "Counter that grows when the user steps in, which ends every lease.";
        add(
            &mut failure,
            "canvas_epoch",
            json!({"type": "integer", "minimum": 0, "description": epoch}),
            false,
        );
        for (name, description) in beside {
            add(&mut failure, name, text(description), false);
        }
        let mut schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "anyOf": self.successes.into_iter().chain([failure]).collect::<Vec<_>>(),
        });
        let mut definitions = Value::Object(self.generator.take_definitions(true));
        never_null(&mut definitions);
        if definitions != json!({}) {
            schema["$defs"] = definitions;
        }
        schema
    }
}

fn revision(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn object<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    let schema: Schema = T::json_schema(generator);
    let mut schema = schema.to_value();
    for (name, empty) in [("properties", json!({})), ("required", json!([]))] {
        if schema.get(name).is_none() {
            schema[name] = empty;
        }
    }
    schema
}

fn add(schema: &mut Value, name: &str, property: Value, is_required: bool) {
    schema["properties"][name] = property;
    if is_required && let Some(required) = schema["required"].as_array_mut() {
        required.push(name.into());
    }
}

/// Forbids null in fields that may be absent.
fn never_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let required = fields.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                let is_required =
                    |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
                for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
                    if let Value::Object(property) = property {
                        strip_null(property);
                    }
                }
            }
            fields.values_mut().for_each(never_null);
        }
        Value::Array(items) => items.iter_mut().for_each(never_null),
        _ => {}
    }
}

fn strip_null(property: &mut Map<String, Value>) {
    // Marked, because serde leaves it out too.
    if property.remove("nullable").is_some() {
        return;
    }
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            property.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({"type": "null"}));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            property.remove("anyOf");
            property.extend(only);
        }
    }
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
}

/// Codes that calls of several toolsets can return.
pub(crate) mod codes {
    /// Codes of calls refused before the canvas is read, and of refusals that any command may return.
    pub(crate) const CALL: &[&str] = &[
        "CALL_ABANDONED",
        "CALL_ID_REUSED",
        "GIT_MODE_UNSUPPORTED",
        "INVALID_ARGUMENTS",
        "TOOL_DISABLED",
        "UNKNOWN_TOOL",
    ];
    /// Codes that the engine and its store can return for any call.
    pub(crate) const ENGINE: &[&str] = &[
        "CANVAS_DAMAGED",
        "CANVAS_NOT_FOUND",
        "CONTENTION",
        "HEAD_DAMAGED",
        "HEAD_TOO_NEW",
        "STORE_BUSY",
        "STORE_DAMAGED",
        "STORE_DENIED",
        "STORE_FAILED",
        "STORE_FULL",
        "STORE_INDETERMINATE",
        "STORE_MOVED",
        "STORE_TOO_LARGE",
        "STORE_TOO_NEW",
        "STORE_UNAVAILABLE",
        "STORE_UNFIT",
        "TIME_IN_SECONDS",
    ];
    /// Codes of a call with an address.
    pub(crate) const ADDRESS: &[&str] = &["ADDRESS_AMBIGUOUS", "ADDRESS_NOT_FOUND"];
    /// Codes of a call with an address of a table or of a place in one.
    pub(crate) const TABLE: &[&str] = &["COLUMN_NOT_FOUND", "ROW_NOT_FOUND", "TABLE_NOT_FOUND"];
    /// Codes of a call with an address of a key.
    pub(crate) const KEY: &[&str] = &["FRONT_MATTER_UNSUPPORTED", "KEY_NOT_FOUND"];
    /// Codes of a call that changes the canvas.
    pub(crate) const WRITE: &[&str] = &["LOCK_NOT_AVAILABLE", "REVISION_EXHAUSTED"];
    /// Codes of a call that names a lease.
    pub(crate) const LEASE: &[&str] = &["LEASE_EXPIRED", "LOCK_NOT_OWNED", "STALE_EPOCH", "TOO_MANY_CALLS"];
    /// Codes of a call that may take a lease.
    pub(crate) const TAKE: &[&str] = &["EPOCH_EXHAUSTED", "FENCE_EXHAUSTED", "LOCK_NOT_AVAILABLE"];
}
