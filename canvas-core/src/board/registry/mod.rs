//! Types of components: what a canvas may hold, and what it is checked by.

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

/// The place and the message; the message alone where the value as a whole is at fault and the place is empty.
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
    /// Whether there is no fault.
    pub const fn is_valid(&self) -> bool {
        self.valid
    }

    /// The faults, in the order of their places.
    pub fn errors(&self) -> &[ValidationError] {
        &self.errors
    }

    /// In the order of their places.
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
/// Taking a type away touches no component: a board keeps those that stand, as placeholders.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    types: BTreeMap<TypeId, Arc<Registered>>,
    changes: u64,
}

/// A type with what was made of its definition when it was registered.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) definition: ComponentDefinition,
    config: Schema,
    binding: Option<Schema>,
    /// As [`ComponentDefinition::only_fields`] has them.
    only_fields: Option<Box<[Box<str>]>>,
}

/// The code of a check by a type that is not registered; no keyword of JSON Schema has this name.
const TYPE_NOT_FOUND: &str = "TYPE_NOT_FOUND";

impl Registry {
    /// A registry without any type. That of the built-in ones is [`Registry::built_in`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type; its schemas are compiled here, once. The same definition again changes nothing.
    ///
    /// # Errors
    ///
    /// [`DefinitionError`], the first fault of the definition, or that another one has its name. Nothing is changed then.
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

    /// Takes a type away; `None` where there is none.
    pub fn unregister(&mut self, type_id: &TypeId) -> Option<ComponentDefinition> {
        let gone = self.types.remove(type_id)?;
        self.changes += 1;
        Some(Arc::try_unwrap(gone).map_or_else(|shared| shared.definition.clone(), |own| own.definition))
    }

    /// `None` for a type that is not registered.
    pub fn get(&self, type_id: &TypeId) -> Option<&ComponentDefinition> {
        self.known(type_id).map(|known| &known.definition)
    }

    /// A type, looked up once for all that is asked of it.
    pub(crate) fn known(&self, type_id: &TypeId) -> Option<&Registered> {
        self.types.get(type_id).map(|known| &**known)
    }

    /// All types, by name.
    pub fn get_all(&self) -> impl ExactSizeIterator<Item = &ComponentDefinition> {
        self.types.values().map(|known| &known.definition)
    }

    /// The types of a category, by name.
    pub fn get_by_category(&self, category: ComponentCategory) -> impl Iterator<Item = &ComponentDefinition> {
        self.get_all().filter(move |definition| definition.category == category)
    }

    /// Checks a config as it is: defaults are not put under it, [`Registry::config_for`] does that. A type that is
    /// not registered is the fault `TYPE_NOT_FOUND`. Costs some 200 ns for a small config that is right.
    pub fn validate_config(&self, type_id: &TypeId, config: &Value) -> ValidationResult {
        match self.types.get(type_id) {
            Some(known) => known.config_errors(config).into(),
            None => unknown(type_id),
        }
    }

    /// Checks a binding. A type without a schema for bindings takes any.
    ///
    /// # Panics
    ///
    /// Never: a binding is always JSON.
    pub fn validate_data_binding(&self, type_id: &TypeId, binding: &DataBinding) -> ValidationResult {
        let Some(known) = self.types.get(type_id) else { return unknown(type_id) };
        known.binding_errors(binding).into()
    }

    /// A config with the defaults of its type under it, field by field of the outermost object. A type that is not
    /// registered has none.
    pub fn config_for(&self, type_id: &TypeId, config: Map<String, Value>) -> Map<String, Value> {
        match self.known(type_id) {
            Some(known) => known.config_for(config),
            None => config,
        }
    }

    /// Where the data of a component come from that names no binding: by its type's [`BindingRule`] and its config, with
    /// defaults. `refresh` is the time between two refreshes where the rule has none, such as the workspace's.
    pub fn binding_for(
        &self,
        type_id: &TypeId,
        config: &Map<String, Value>,
        refresh: Option<u64>,
    ) -> Option<DataBinding> {
        self.known(type_id)?.binding_for(config, refresh)
    }

    /// A number that grows with each change of this registry.
    pub const fn version(&self) -> u64 {
        self.changes
    }

    /// Names the definitions: 32 hexadecimal digits that are the same wherever the same types are registered, in
    /// whatever order. Linear in the size of the definitions.
    ///
    /// # Panics
    ///
    /// Never: a definition is always JSON, and its numbers were checked when it was registered.
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

    /// The fields of a config that the type does not know, as [`ComponentDefinition::only_fields`] has it. Those that a
    /// component has from before its type was closed stay; so this is asked of what is sent.
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

    /// A config with the defaults under it.
    pub(crate) fn config_for(&self, config: Map<String, Value>) -> Map<String, Value> {
        let mut merged = self.definition.default_config.clone();
        merged.extend(config);
        merged
    }

    /// Whether the defaults add nothing to a config.
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
