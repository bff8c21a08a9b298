//! The component types that a canvas may hold, with the schemas for their checks.

mod builtin;
mod definition;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::definition::{
    BindingRule, ComponentActionDefinition, ComponentCapability, ComponentCategory, ComponentDefinition,
    DefinitionError,
};
use crate::board::model::data::DataBinding;
use crate::board::model::id::TypeId;
use crate::model::json_pointer::join_pointer;
use crate::model::wording::{NAME, clip};
use crate::schema::{Schema, ValidationError};

/// Writes the place and the message, or only the message if the place is empty because the whole value is at fault.
impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

/// Whether a config or a binding is what its type asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationResult {
    valid: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ValidationError>,
}

impl ValidationResult {
    /// Returns whether the value has no faults.
    pub const fn is_valid(&self) -> bool {
        self.valid
    }

    /// Returns the faults, in the order of their places.
    pub fn errors(&self) -> &[ValidationError] {
        &self.errors
    }

    /// Returns the faults, in the order of their places.
    pub fn into_errors(self) -> Vec<ValidationError> {
        self.errors
    }
}

impl From<Vec<ValidationError>> for ValidationResult {
    fn from(errors: Vec<ValidationError>) -> Self {
        Self { valid: errors.is_empty(), errors }
    }
}

/// The types that a board knows. Clones share the definitions.
///
/// The removal of a type does not change any component. Boards keep existing components of this type as placeholders.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    types: BTreeMap<TypeId, Arc<Registered>>,
    changes: u64,
}

/// A registered type with its compiled schemas.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) definition: ComponentDefinition,
    config: Schema,
    binding: Option<Schema>,
    /// Fields from [`ComponentDefinition::only_fields`].
    only_fields: Option<Box<[Box<str>]>>,
}

/// Code of a check by an unregistered type. No keyword of JSON Schema has this name.
const TYPE_NOT_FOUND: &str = "TYPE_NOT_FOUND";

impl Registry {
    /// Creates a registry without any types. See [`Registry::built_in`] for one with the built-in types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type and compiles its schemas. Adding the same definition again has no effect.
    ///
    /// # Errors
    ///
    /// Returns [`DefinitionError`] for the first fault of the definition, or if another definition has its name. The
    /// registry is unchanged then.
    pub fn register(&mut self, definition: ComponentDefinition) -> Result<(), DefinitionError> {
        if let Some(known) = self.types.get(&definition.type_id) {
            return if known.definition == definition {
                Ok(())
            } else {
                Err(DefinitionError::Taken { type_id: definition.type_id })
            };
        }
        let (config, binding) = definition.check()?;
        let only_fields = definition.only_fields().map(|fields| fields.map(Box::from).collect());
        self.changes += 1;
        let known = Registered { definition, config, binding, only_fields };
        self.types.insert(known.definition.type_id.clone(), Arc::new(known));
        Ok(())
    }

    /// Removes a type. Returns `None` if it is not registered.
    pub fn unregister(&mut self, type_id: &TypeId) -> Option<ComponentDefinition> {
        let gone = self.types.remove(type_id)?;
        self.changes += 1;
        Some(Arc::try_unwrap(gone).map_or_else(|shared| shared.definition.clone(), |own| own.definition))
    }

    /// Returns the definition of a type, or `None` if it is not registered.
    pub fn get(&self, type_id: &TypeId) -> Option<&ComponentDefinition> {
        self.known(type_id).map(|known| &known.definition)
    }

    /// Returns a type with its schemas, so that several questions need only one lookup.
    pub(crate) fn known(&self, type_id: &TypeId) -> Option<&Registered> {
        self.types.get(type_id).map(|known| &**known)
    }

    /// Returns all types, by name.
    pub fn get_all(&self) -> impl ExactSizeIterator<Item = &ComponentDefinition> {
        self.types.values().map(|known| &known.definition)
    }

    /// Returns the types of a category, by name.
    pub fn get_by_category(&self, category: ComponentCategory) -> impl Iterator<Item = &ComponentDefinition> {
        self.get_all().filter(move |definition| definition.category == category)
    }

    /// Checks a config without adding defaults, which [`Registry::config_for`] does. An unregistered type is reported
    /// as the fault `TYPE_NOT_FOUND`. Costs about 200 ns for a small, valid config.
    pub fn validate_config(&self, type_id: &TypeId, config: &Value) -> ValidationResult {
        match self.types.get(type_id) {
            Some(known) => known.config_errors(config).into(),
            None => unknown(type_id),
        }
    }

    /// Checks a binding. A type without a schema for bindings accepts all of them.
    ///
    /// # Panics
    ///
    /// Never, because a binding is always JSON.
    pub fn validate_data_binding(&self, type_id: &TypeId, binding: &DataBinding) -> ValidationResult {
        let Some(known) = self.types.get(type_id) else { return unknown(type_id) };
        known.binding_errors(binding).into()
    }

    /// Returns a config with the defaults of its type for missing fields of the outermost object. An unregistered type
    /// has no defaults.
    pub fn config_for(&self, type_id: &TypeId, config: Map<String, Value>) -> Map<String, Value> {
        match self.known(type_id) {
            Some(known) => known.config_for(config),
            None => config,
        }
    }

    /// Returns the binding of a component that names none, from the [`BindingRule`] of its type and its config with
    /// defaults. `refresh` is the time between two refreshes if the rule does not set one, such as the workspace's.
    pub fn binding_for(
        &self,
        type_id: &TypeId,
        config: &Map<String, Value>,
        refresh: Option<u64>,
    ) -> Option<DataBinding> {
        self.known(type_id)?.binding_for(config, refresh)
    }

    /// Returns a number that grows with each change of this registry.
    pub const fn version(&self) -> u64 {
        self.changes
    }

    /// Returns a hash of the definitions, as 32 hexadecimal digits. It is the same wherever the same types are
    /// registered, in any order. Linear in the size of the definitions.
    ///
    /// # Panics
    ///
    /// Never, because a definition is always JSON and its numbers were checked when it was registered.
    pub fn hash(&self) -> String {
        let mut text = String::new();
        for definition in self.get_all() {
            text.push_str(&definition.canonical().expect("it was checked when it was registered"));
            text.push('\n');
        }
        blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
    }
}

impl Registered {
    pub(crate) fn config_errors(&self, config: &Value) -> Vec<ValidationError> {
        self.config.validate(config)
    }

    /// Reports the fields of a config that the type does not know, by [`ComponentDefinition::only_fields`]. Only fields
    /// in a command are checked, because a component keeps fields from the time before its type was closed.
    pub(crate) fn unknown_fields(&self, sent: &Map<String, Value>) -> Vec<ValidationError> {
        let Some(known) = &self.only_fields else { return Vec::new() };
        let unknown = sent.keys().filter(|name| known.iter().all(|field| **field != ***name));
        let fault = |name: &String| ValidationError {
            path: join_pointer("", &clip(name, NAME)),
            message: format!("no such field: use {}", known.join(", ")),
            code: "additionalProperties".to_owned(),
        };
        unknown.take(Schema::ERRORS).map(fault).collect()
    }

    pub(crate) fn binding_errors(&self, binding: &DataBinding) -> Vec<ValidationError> {
        let Some(schema) = &self.binding else { return Vec::new() };
        schema.validate(&serde_json::to_value(binding).expect("its maps have text for keys"))
    }

    pub(crate) fn config_for(&self, config: Map<String, Value>) -> Map<String, Value> {
        let mut merged = self.definition.default_config.clone();
        merged.extend(config);
        merged
    }

    /// Whether the defaults add no field to a config.
    pub(crate) fn is_whole(&self, config: &Map<String, Value>) -> bool {
        self.definition.default_config.keys().all(|name| config.contains_key(name))
    }

    pub(crate) fn binding_for(
        &self,
        config: &Map<String, Value>,
        refresh: Option<u64>,
    ) -> Option<DataBinding> {
        Some(self.definition.binding_rule.as_ref()?.binding(config, refresh))
    }
}

fn unknown(type_id: &TypeId) -> ValidationResult {
    let message = format!("there is no type {:?}: register it, or name another", type_id.as_str());
    vec![ValidationError { path: String::new(), message, code: TYPE_NOT_FOUND.to_owned() }].into()
}
