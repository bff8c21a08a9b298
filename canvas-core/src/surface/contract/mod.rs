//! A host's declarations of its tools.

pub(crate) mod walk;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::walk::Name;
use crate::model::canonical::CanonicalError;
use crate::model::error::CodedError;
use crate::model::json_hash::JsonHash;
use crate::model::json_pointer::{self, Malformed};
use crate::schema::{Schema, SchemaError};
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::name::ToolName;
use crate::surface::sink::Sink;

/// A host's declaration of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolDeclaration {
    /// JSON Schema of the arguments, draft 7. If it is `null`, any arguments are accepted. The keyword `x-canvas-sink`
    /// in it declares a sink.
    pub input_schema: Value,
    /// JSON Schema of the result. It is part of the contract's hash but is not used for checks.
    pub output_schema: Option<Value>,
    /// Description for people and models.
    pub description: Option<String>,
    /// The use of texts in the arguments, by an argument's name or a JSON Pointer into the arguments. It also applies
    /// to all texts within that argument. The deepest entry applies, before the schema's keyword. If neither declares a
    /// sink, all texts of the tool are [`Sink::Shell`] if a word of its name is bash, sh, shell, exec, run or cmd, and
    /// [`Sink::Sql`] if one is sql or query.
    pub sinks: BTreeMap<String, Sink>,
    /// Whether the tool only reads, so that it may run twice and without a confirmation.
    pub read_only: bool,
    /// Version in the tool's own words.
    pub version: Option<String>,
}

/// A checked and compiled declaration of a tool.
#[derive(Debug, Clone)]
pub struct ToolContract {
    name: ToolName,
    declaration: ToolDeclaration,
    schema: Schema,
    sinks: BTreeMap<Vec<String>, Sink>,
    named: Option<Sink>,
    hash: JsonHash,
}

/// Error returned if a declaration cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractError {
    /// The schema of the arguments is invalid.
    #[error("the schema of the arguments cannot be used: {0}")]
    Schema(SchemaError),
    /// A schema, or an example in it, contains an invalid number.
    #[error(transparent)]
    Number(#[from] CanonicalError),
    /// An unknown sink or an invalid JSON Pointer.
    #[error(
        "{place} declares no sink: take text, prompt, html, url, path, shell, regex or sql, and a JSON Pointer or a name"
    )]
    Sink {
        /// JSON Pointer into the schema, or the key in `sinks`.
        place: String,
    },
}

impl CodedError for ContractError {
    fn code(&self) -> &'static str {
        "INVALID_CONTRACT"
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Schema(error) => error.place(),
            Self::Number(error) => error.place(),
            Self::Sink { place } => Some(place.into()),
        }
    }
}

impl ToolContract {
    /// Checks a declaration. Linear in its schema, and at least about 50 µs.
    ///
    /// # Errors
    ///
    /// Returns [`ContractError`] for the first fault found.
    pub fn new(name: ToolName, declaration: ToolDeclaration) -> Result<Self, ContractError> {
        let any = Value::Bool(true);
        let schema = if declaration.input_schema.is_null() { &any } else { &declaration.input_schema };
        let schema = Schema::compile(schema).map_err(ContractError::Schema)?;
        if let Some(place) = walk::unknown_sink(&declaration.input_schema, "") {
            return Err(ContractError::Sink { place });
        }
        let sinks = declaration.sinks.iter().map(|(key, sink)| match names(key) {
            Some(names) => Ok((names, *sink)),
            None => Err(ContractError::Sink { place: key.clone() }),
        });
        let sinks = sinks.collect::<Result<_, _>>()?;
        let ToolDeclaration { input_schema, output_schema, version, .. } = &declaration;
        let hash = JsonHash::of(&json!({
            "name": name.as_str(), "inputSchema": input_schema, "outputSchema": output_schema, "version": version,
        }))?;
        let named = words::sink_of_name(name.as_str());
        Ok(Self { name, declaration, schema, sinks, named, hash })
    }

    /// Returns the name of the tool.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// Returns the host's declaration of the tool.
    pub fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    /// Returns the blake3 hash of the canonical JSON of name, schemas and version. The description is not part of it.
    pub fn hash(&self) -> JsonHash {
        self.hash
    }

    /// Returns the tool's use of the text at a place of its arguments.
    pub(crate) fn sink_at(&self, place: &[Name]) -> Sink {
        let names: Vec<_> = place
            .iter()
            .map(|name| match name {
                Name::Member(name) => name.clone(),
                Name::Item(at) => at.to_string(),
            })
            .collect();
        let declared = (0..=names.len()).rev().find_map(|length| self.sinks.get(&names[..length]).copied());
        declared
            .or_else(|| walk::declared_sink(&self.declaration.input_schema, place))
            .or(self.named)
            .unwrap_or(Sink::Text)
    }

    /// Whether the tool certainly refuses a string at a place.
    pub(crate) fn takes_no_string(&self, place: &[Name]) -> bool {
        walk::takes_no_string(&self.declaration.input_schema, place)
    }

    /// Checks resolved arguments. The places of faults begin with `place`.
    ///
    /// # Errors
    ///
    /// Returns a [`SurfaceCode::ArgumentsRefused`] for each fault that the schema finds, at most 32.
    pub fn check(&self, arguments: &Value, place: &str) -> Result<(), Vec<SurfaceFault>> {
        let faults: Vec<_> = self
            .schema
            // The template limits their size.
            .validate_up_to(arguments, usize::MAX)
            .into_iter()
            .map(|error| {
                let message = format!("{} does not take this: {}", self.name, error.message);
                SurfaceFault::new(format!("{place}{}", error.path), SurfaceCode::ArgumentsRefused, message)
            })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}

/// Returns the sink of a tool of which only the name is known.
pub(crate) fn sink_of_name(name: &ToolName) -> Sink {
    words::sink_of_name(name.as_str()).unwrap_or(Sink::Text)
}

/// Parses a key of `sinks`, which is a JSON Pointer or an argument's name.
fn names(key: &str) -> Option<Vec<String>> {
    match json_pointer::names(key) {
        Ok(names) => Some(names.map(Cow::into_owned).collect()),
        Err(Malformed::Slash) => Some(vec![key.to_owned()]),
        Err(Malformed::Tilde) => None,
    }
}
