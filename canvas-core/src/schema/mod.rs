//! JSON Schema, draft 7, for the validation of configs, bindings and parameters.
//!
//! This is the only module that names the crate `jsonschema`.

mod cost;
#[cfg(test)]
mod tests;

use canvas_patch::floor_char_boundary;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ReferencingError, Registry, Retrieve, Uri, Validator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::cost::{Graph, GraphError, Room};

use crate::model::error::CodedError;
use crate::model::json_pointer::join_pointer;

/// A fault that a schema finds in a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationError {
    /// Place of the fault, as a JSON Pointer (RFC 6901) into the checked value.
    pub path: String,
    /// The fault there, for people and models.
    pub message: String,
    /// The keyword of JSON Schema that it breaks.
    pub code: String,
}

/// A compiled schema. Clones share it.
///
/// Patterns run on an engine without backtracking, so that look-around and back references are refused. References are
/// never fetched. Formats that the specification names are checked, and so are contents.
#[derive(Clone)]
pub struct Schema(Arc<Compiled>);

struct Compiled {
    validator: Validator,
    graph: Graph,
}

/// Error returned if a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// Code that tells the kinds of faults apart.
    pub code: SchemaErrorCode,
    /// JSON Pointer to the fault in the schema.
    pub place: String,
    /// One sentence about the fault.
    pub message: String,
}

impl CodedError for SchemaError {
    fn code(&self) -> &'static str {
        self.code.code()
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        Some((&*self.place).into())
    }
}

canvas_patch::coded! {
    /// The kinds of faults in a schema.
    #[non_exhaustive]
    pub enum SchemaErrorCode {
        /// The schema breaks the specification of draft 7, or names another draft.
        Invalid = "SCHEMA_INVALID",
        /// A reference has no target, leads out of the schema, or leads back to itself without a step into the value.
        Reference = "SCHEMA_REFERENCE",
        /// A pattern is not a regular expression, or it cannot run in linear time or little memory.
        Pattern = "SCHEMA_PATTERN",
        /// The schema is too large, too deep, or has too many patterns.
        TooLarge = "SCHEMA_TOO_LARGE",
    }
}

impl Schema {
    /// Maximum number of values in a schema.
    pub const VALUES: usize = cost::SCHEMA_VALUES;
    /// Maximum nesting of a schema, and of a value to check.
    pub const DEPTH: usize = 64;
    /// Maximum bytes of text, including names, in a value to check. A schema may have four times as many.
    pub const MAX_BYTES: usize = 64 * 1024;
    /// Maximum number of patterns in a schema.
    pub const PATTERNS: usize = 64;
    /// Maximum number of errors listed for one value.
    pub const ERRORS: usize = 32;

    /// Compiles a schema that only refers to itself. Linear in its size, and at least about 50 µs.
    ///
    /// # Errors
    ///
    /// Returns [`SchemaError`] for the first fault found.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        Self::compile_with(schema, &BTreeMap::new())
    }

    /// Compiles a schema that may refer to these documents, each under its absolute URI.
    ///
    /// # Errors
    ///
    /// Returns [`SchemaError`] for the first fault found. Its place is in the schema, even if a document is at fault.
    pub fn compile_with(schema: &Value, documents: &BTreeMap<String, Value>) -> Result<Self, SchemaError> {
        let patterns = measure_schema(schema, documents)?;
        declared_draft(schema)?;
        let base = schema.get("$id").and_then(Value::as_str).unwrap_or(ROOT);
        // `$id` may be relative.
        let root = if jsonschema::uri::from_str(base).is_ok() { base } else { ROOT };
        let fail = |error: ReferencingError| unresolved(schema, &error);
        let mut registry = Registry::new().retriever(Nothing).draft(Draft::Draft7);
        for (uri, document) in documents {
            registry = registry.add(uri, Draft::Draft7.create_resource(document.clone())).map_err(fail)?;
        }
        let registry = registry
            .add(root, Draft::Draft7.create_resource(schema.clone()))
            .map_err(fail)?
            .prepare()
            .map_err(fail)?;
        let start = registry.resolver(jsonschema::uri::from_str(root).map_err(fail)?);
        let contents = start.lookup("#").map_err(fail)?.into_inner().0;
        let graph = Graph::new(
            contents,
            start,
            |resolver, value| {
                resolver.in_subresource(Draft::Draft7.create_resource_ref(value)).map_err(|_| ())
            },
            |resolver, reference| {
                resolver.lookup(reference).map_or(Err(()), |found| {
                    let (contents, resolver, _) = found.into_inner();
                    Ok((contents, resolver))
                })
            },
        )
        .map_err(SchemaError::from)?;
        let engine = PatternOptions::regex()
            .size_limit(PATTERN_BYTES / patterns.clamp(1, 8))
            .dfa_size_limit(PATTERN_BYTES);
        let validator = jsonschema::options()
            .with_draft(Draft::Draft7)
            .with_base_uri(root)
            .with_registry(&registry)
            .with_retriever(Nothing)
            .with_pattern_options(engine)
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| refused(schema, &error))?;
        Ok(Self(Arc::new(Compiled { validator, graph })))
    }

    /// Checks a value. Costs about 200 ns for a small, valid one.
    ///
    /// The errors are in the order of their places, at most [`Schema::ERRORS`]. If the value is too large, or this
    /// schema would take too long, the only error is `tooLarge`.
    pub fn validate(&self, value: &Value) -> Vec<ValidationError> {
        self.validate_up_to(value, Self::MAX_BYTES)
    }

    /// Checks a value with another limit on the bytes of its text.
    pub(crate) fn validate_up_to(&self, value: &Value, bytes: usize) -> Vec<ValidationError> {
        let mut room = Room { values: cost::VALUES, bytes, places: PLACES };
        let affords =
            |room: Room| self.0.graph.affords(value, cost::VALUES - room.values, bytes - room.bytes);
        if !room.holds(value, Self::DEPTH) || !affords(room) {
            return vec![ValidationError {
                path: String::new(),
                message: "the value is too large or too deep to be checked: make it smaller".to_owned(),
                code: TOO_LARGE.to_owned(),
            }];
        }
        if self.0.validator.is_valid(value) {
            return Vec::new();
        }
        let mut errors: Vec<ValidationError> = self
            .0
            .validator
            .iter_errors(value)
            .take(COLLECTED)
            .map(|error| ValidationError {
                path: cut(error.instance_path().as_str(), MESSAGE),
                message: cut(&message(&error), MESSAGE),
                code: cut(error.kind().keyword(), 64),
            })
            .collect();
        errors.sort_by(|a, b| (&a.path, &a.code, &a.message).cmp(&(&b.path, &b.code, &b.message)));
        errors.dedup();
        errors.truncate(Self::ERRORS);
        errors
    }

    /// Returns whether [`Schema::validate`] finds no errors.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.validate(value).is_empty()
    }
}

/// Returns the fault in the validator's words. For an `enum` it lists all choices, because the validator lists only a
/// few.
fn message(error: &jsonschema::ValidationError<'_>) -> String {
    let ValidationErrorKind::Enum { options } = error.kind() else { return error.to_string() };
    let choices: Vec<String> = options.as_array().into_iter().flatten().map(Value::to_string).collect();
    format!("{} is not one of {}", cut(&error.instance().to_string(), VALUE), choices.join(", "))
}

/// Code for a value that is too large for a check. No keyword of JSON Schema has this name.
pub(crate) const TOO_LARGE: &str = "tooLarge";

const ROOT: &str = "json-schema:///";
const PATTERN_BYTES: usize = 256 * 1024;
/// Maximum bytes of a message or a path.
const MESSAGE: usize = 300;
/// Maximum bytes of a value quoted in a message.
const VALUE: usize = 80;
/// Maximum number of errors collected before they are ordered.
const COLLECTED: usize = 200;
/// Maximum bytes of the places of all values within the checked value.
const PLACES: usize = 1024 * 1024;

struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("nothing is fetched".into())
    }
}

impl SchemaError {
    fn new(code: SchemaErrorCode, place: &str, message: &str) -> Self {
        Self { code, place: cut(place, MESSAGE), message: cut(message, MESSAGE) }
    }
}

impl From<GraphError> for SchemaError {
    fn from(error: GraphError) -> Self {
        let (code, message) = match error.kind {
            cost::Fault::Nowhere => {
                (SchemaErrorCode::Reference, "the reference leads nowhere: name a part of this schema")
            }
            cost::Fault::Loop => (
                SchemaErrorCode::Reference,
                "the reference comes back to itself without a step into the value: put it under `properties` or `items`",
            ),
            cost::Fault::TooLarge => (
                SchemaErrorCode::TooLarge,
                "the schema is too large with all that it refers to: make it smaller",
            ),
        };
        Self::new(code, &error.place, message)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").finish_non_exhaustive()
    }
}

/// Checks the size of a schema and its documents, and returns the number of their patterns.
fn measure_schema(schema: &Value, documents: &BTreeMap<String, Value>) -> Result<usize, SchemaError> {
    let mut room = Room { values: Schema::VALUES, bytes: 4 * Schema::MAX_BYTES, places: 4 * PLACES };
    let mut patterns = 0;
    for value in std::iter::once(schema).chain(documents.values()) {
        // The depth is checked first, because everything below recurses.
        if !room.holds(value, Schema::DEPTH) {
            let message = "the schema is too large or too deep: make it smaller";
            return Err(SchemaError::new(SchemaErrorCode::TooLarge, "", message));
        }
        patterns += count_patterns(value);
    }
    if patterns > Schema::PATTERNS {
        let message = format!("the schema has {patterns} patterns, {} are allowed", Schema::PATTERNS);
        return Err(SchemaError::new(SchemaErrorCode::TooLarge, "", &message));
    }
    Ok(patterns)
}

fn count_patterns(value: &Value) -> usize {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| {
                let own = match (name.as_str(), value) {
                    ("pattern", Value::String(_)) => 1,
                    ("patternProperties", Value::Object(patterns)) => patterns.len(),
                    _ => 0,
                };
                own + count_patterns(value)
            })
            .sum(),
        Value::Array(items) => items.iter().map(count_patterns).sum(),
        _ => 0,
    }
}

fn declared_draft(schema: &Value) -> Result<(), SchemaError> {
    match schema.get("$schema").and_then(Value::as_str) {
        Some(draft) if draft.trim_end_matches('#') != "http://json-schema.org/draft-07/schema" => {
            let message = "the schema is of another draft: write it for draft 7, or leave `$schema` out";
            Err(SchemaError::new(SchemaErrorCode::Invalid, "/$schema", message))
        }
        _ => Ok(()),
    }
}

fn unresolved(schema: &Value, error: &ReferencingError) -> SchemaError {
    let message = format!("a reference cannot be followed, and nothing is ever fetched: {error}");
    let uri = match error {
        ReferencingError::Unretrievable { uri, .. } => uri.as_str(),
        _ => "",
    };
    let place = place_of_reference(schema, uri).unwrap_or_default();
    SchemaError::new(SchemaErrorCode::Reference, &place, &message)
}

/// Returns the first reference to another document, preferably to this one.
fn place_of_reference(schema: &Value, uri: &str) -> Option<String> {
    let mut first = None;
    let mut stack = vec![(schema, String::new())];
    while let Some((value, place)) = stack.pop() {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let document = reference.split('#').next().unwrap_or_default();
            let here = format!("{place}/$ref");
            if !document.is_empty() && uri.split('#').next().unwrap_or_default().ends_with(document) {
                return Some(here);
            }
            if !document.is_empty() && first.is_none() {
                first = Some(here);
            }
        }
        match value {
            Value::Object(map) => {
                stack.extend(map.iter().rev().map(|(name, value)| (value, join_pointer(&place, name))));
            }
            Value::Array(items) => {
                stack.extend(items.iter().enumerate().rev().map(|(n, value)| (value, format!("{place}/{n}"))))
            }
            _ => {}
        }
    }
    first
}

fn refused(schema: &Value, error: &jsonschema::ValidationError<'_>) -> SchemaError {
    if let ValidationErrorKind::Referencing(error) = error.kind() {
        return unresolved(schema, error);
    }
    let place = error.instance_path().as_str();
    let last = place.rsplit('/').next().unwrap_or_default();
    let code = if last == "pattern" || place.contains("/patternProperties") {
        SchemaErrorCode::Pattern
    } else {
        SchemaErrorCode::Invalid
    };
    SchemaError::new(code, place, &format!("{}: correct it", cut(&error.to_string(), MESSAGE - 16)))
}

fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = floor_char_boundary(text, bytes);
    format!("{}…", &text[..end])
}
