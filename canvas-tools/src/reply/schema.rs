//! The JSON Schema of a reply, made of the types of what tools add to it.
//!
//! * What is left out where there is nothing to say is never null.
//! * A reply, and its `error`, have no other fields than these.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// A reply whose schema is being made.
pub(crate) struct ReplySchema {
    generator: SchemaGenerator,
    successes: Vec<Value>,
}

impl ReplySchema {
    pub(crate) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        Self { generator: settings.into_generator(), successes: Vec::new() }
    }

    /// A success may have these fields.
    pub(crate) fn success<T: JsonSchema>(mut self) -> Self {
        let mut schema = object::<T>(&mut self.generator);
        never_null(&mut schema);
        add(&mut schema, "ok", json!({"const": true}), true);
        add(
            &mut schema,
            "revision_id",
            revision("The revision of the canvas that the reply speaks of."),
            true,
        );
        schema["additionalProperties"] = false.into();
        self.successes.push(schema);
        self
    }

    /// A success need not be about a canvas.
    #[cfg(feature = "surface")]
    pub(crate) fn without_revision(mut self) -> Self {
        for success in &mut self.successes {
            if let Some(required) = success["required"].as_array_mut() {
                required.retain(|name| name != "revision_id");
            }
        }
        self
    }

    /// The schema of the reply, where `error` may have what every error has, and these fields. `beside` it are fields of the
    /// failure.
    pub(crate) fn failure<E: JsonSchema>(mut self, codes: &[&[&str]], beside: &[(&str, &str)]) -> Value {
        let mut codes: Vec<&str> = codes.concat();
        codes.sort_unstable();
        codes.dedup();
        let mut error = object::<E>(&mut self.generator);
        never_null(&mut error);
        error["required"] = json!([]);
        let text = |description: &str| json!({"type": "string", "description": description});
        let code = json!({"type": "string", "enum": codes, "description": "For branching. Stable."});
        add(&mut error, "code", code, true);
        add(&mut error, "message", text("What is wrong, and what to do next."), true);
        let retryable = "Whether the same call may succeed later when nothing but time has passed.";
        add(&mut error, "retryable", json!({"type": "boolean", "description": retryable}), true);
        add(&mut error, "reason", text("Which of the cases of the code."), false);
        add(&mut error, "place", text("Where in the arguments, as a JSON Pointer."), false);
        error["description"] = "Why the call failed. It has changed nothing.".into();
        error["additionalProperties"] = false.into();
        let mut failure = json!({
            "type": "object",
            "description": "The call failed.",
            "properties": {"ok": {"const": false}, "error": error},
            "required": ["ok", "error"],
            "additionalProperties": false,
        });
        add(&mut failure, "revision_id", revision("The revision of the canvas, where there is one."), false);
        let epoch = "Goes up when the user steps in, which ends every lease.";
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

/// Fields that are not required are left out rather than null.
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

/// Codes that calls of several toolsets can meet.
pub(crate) mod codes {
    /// Before the canvas is asked, or by what any command may be refused.
    pub(crate) const CALL: &[&str] = &[
        "CALL_ABANDONED",
        "CALL_ID_REUSED",
        "GIT_MODE_UNSUPPORTED",
        "INVALID_ARGUMENTS",
        "TOOL_DISABLED",
        "UNKNOWN_TOOL",
    ];
    /// What the engine and its store can answer to any call.
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
    /// A call that changes the canvas.
    pub(crate) const WRITE: &[&str] = &["LOCK_NOT_AVAILABLE", "REVISION_EXHAUSTED"];
    /// A call that names a lease.
    pub(crate) const LEASE: &[&str] = &["LEASE_EXPIRED", "LOCK_NOT_OWNED", "STALE_EPOCH", "TOO_MANY_CALLS"];
    /// A call that may take a lease.
    pub(crate) const TAKE: &[&str] = &["EPOCH_EXHAUSTED", "FENCE_EXHAUSTED", "LOCK_NOT_AVAILABLE"];
}
