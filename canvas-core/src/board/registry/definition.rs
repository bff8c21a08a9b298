//! Definitions of component types.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::board::model::data::{DataBinding, DataQuery};
use crate::board::model::grid::{NO_CELL, Size};
use crate::board::model::id::{DataSourceId, TypeId};
use crate::model::canonical::{CanonicalError, canonical_json};
use crate::model::error::CodedError;
use crate::schema::ValidationError;
use crate::schema::{Schema, SchemaError, TOO_LARGE};

/// A type of components. The host decides how to draw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentDefinition {
    /// Id of the type.
    pub type_id: TypeId,
    /// Name for people, such as `PR List`.
    pub name: String,
    /// Description in fewer than 100 words, for models that choose a type.
    pub description: String,
    /// Category, used only for grouping.
    pub category: ComponentCategory,
    /// JSON Schema (draft 7) of the config.
    pub config_schema: Value,
    /// Default values of config fields.
    #[serde(default)]
    pub default_config: Map<String, Value>,
    /// Size of a component, unless the command sets one.
    pub default_size: Size,
    /// Smallest size of a component.
    pub min_size: Size,
    /// Largest size of a component.
    pub max_size: Size,
    /// JSON Schema (draft 7) of the data binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_binding_schema: Option<Value>,
    /// Capabilities for hosts, which the board does not enforce.
    #[serde(default)]
    pub capabilities: Vec<ComponentCapability>,
    /// Actions that a person may start in the component.
    #[serde(default)]
    pub actions: Vec<ComponentActionDefinition>,
    /// Version of the definition, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub version: u32,
    /// Rule that derives the binding from the config, if a command does not set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding_rule: Option<BindingRule>,
}

/// A group of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ComponentCategory {
    /// Lists and grids of items.
    Data,
    /// Numbers to watch.
    Metric,
    /// Events in chronological order.
    Timeline,
    /// Notes, links and the like.
    Utility,
}

/// A capability of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ComponentCapability {
    /// People can interact with it.
    Interactive,
    /// It can refresh its data.
    Refreshable,
    /// It can show details.
    Expandable,
    /// It can filter its items.
    Filterable,
    /// It can sort its items.
    Sortable,
    /// It can export its data.
    Exportable,
}

/// An action of a component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentActionDefinition {
    /// Id, unique within the type.
    pub action_id: String,
    /// Label for people.
    pub label: String,
    /// Description for models.
    pub description: String,
    /// Name of one of the host's icons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Whether the action needs a selection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_selection: Option<bool>,
    /// JSON Schema (draft 7) of the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
}

impl ComponentActionDefinition {
    /// Returns the faults of parameters. An action without a schema accepts no parameters. Compiles the schema.
    pub fn validate(&self, params: &Map<String, Value>) -> Vec<ValidationError> {
        // A schema that does not compile is never registered.
        let none = json!({"type": "object", "maxProperties": 0});
        let schema = Schema::compile(self.params.as_ref().unwrap_or(&none));
        schema.map(|schema| schema.validate(&Value::Object(params.clone()))).unwrap_or_default()
    }
}

/// Rule that derives a binding from a config. The listed fields of the config, if present, become the parameters of the
/// query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BindingRule {
    /// Name of the data source.
    pub source: DataSourceId,
    /// `type` of the query.
    pub query: String,
    /// Config fields to pass on.
    pub params: Vec<String>,
    /// Milliseconds between two refreshes. If absent, the caller decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_interval: Option<u64>,
}

/// Error returned if a definition cannot be registered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The name is not a valid type id.
    #[error(
        "the type id {type_id:?} is empty, over 128 bytes, or has a space or control character: choose another"
    )]
    Name {
        /// The name as given in the definition.
        type_id: String,
    },
    /// Another definition has this name.
    #[error("the type {:?} is registered already: remove it first, or choose another name", type_id.as_str())]
    Taken {
        /// The name that both definitions have.
        type_id: TypeId,
    },
    /// The description is too long for the context of a model.
    #[error("the description has {words} words, the limit is 99: shorten it")]
    Description {
        /// Number of words, of which fewer than 100 are allowed.
        words: usize,
    },
    /// The sizes exclude each other, or no component can have them.
    #[error(
        "the sizes are out of order, min {min}, default {default}, max {max}: give 1x1 <= min <= default <= max"
    )]
    Sizes {
        /// The smallest size of the definition.
        min: Size,
        /// The default size of the definition.
        default: Size,
        /// The largest size of the definition.
        max: Size,
    },
    /// Two actions have the same name, or a name is empty.
    #[error("the action id {action_id:?} is empty or there twice: name each action once")]
    Action {
        /// Id of the action, which is repeated or empty.
        action_id: String,
    },
    /// The version is 0, but versions count from 1.
    #[error("the version is 0: set it to 1 or more")]
    Version,
    /// A schema cannot be used.
    #[error("the schema at {place} cannot be used: {error}")]
    Schema {
        /// JSON Pointer to the schema in the definition, which [`SchemaError::place`] continues.
        place: String,
        /// The error, with a place relative to `place`.
        error: SchemaError,
    },
    /// A number is an integer that a double cannot hold. Its place is a JSON Pointer into the definition.
    #[error(transparent)]
    Number(CanonicalError),
    /// A default does not match the schema of its field.
    #[error("the default config does not match the schema at {place}: correct it")]
    DefaultConfig {
        /// JSON Pointer into the definition.
        place: String,
    },
}

impl CodedError for DefinitionError {
    fn code(&self) -> &'static str {
        match self {
            Self::Name { .. } => "INVALID_TYPE_ID",
            Self::Taken { .. } => "TYPE_EXISTS",
            Self::Description { .. } => "DESCRIPTION_TOO_LONG",
            Self::Sizes { .. } => "INVALID_TYPE_SIZES",
            Self::Action { .. } => "INVALID_ACTION_ID",
            Self::Version => "INVALID_TYPE_VERSION",
            Self::Schema { error, .. } => error.code(),
            Self::Number(error) => error.code(),
            Self::DefaultConfig { .. } => "INVALID_DEFAULT_CONFIG",
        }
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Schema { place, error } => Some(format!("{place}{}", error.place).into()),
            Self::Number(error) => error.place(),
            Self::DefaultConfig { place } => Some(place.into()),
            _ => None,
        }
    }
}

impl ComponentDefinition {
    /// Creates a type whose components may have any size, by default 3 x 2, without data, actions or defaults. You can
    /// set the other fields in the value:
    ///
    /// ```
    /// use canvas_core::board::{ComponentCategory, ComponentDefinition, Registry, Size, TypeId};
    /// use serde_json::json;
    ///
    /// let schema = json!({
    ///     "type": "object", "required": ["text"], "additionalProperties": false,
    ///     "properties": {"text": {"type": "string", "maxLength": 4096}},
    /// });
    /// let (id, category) = (TypeId::new("text.note")?, ComponentCategory::Utility);
    /// let note = ComponentDefinition {
    ///     max_size: Size::new(6, 6),
    ///     ..ComponentDefinition::new(id, "Note", "A few lines of text.", category, schema)
    /// };
    /// let mut registry = Registry::built_in();
    /// registry.register(note)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The definition is not checked before [`Registry::register`](crate::board::Registry::register).
    pub fn new(
        type_id: TypeId,
        name: impl Into<String>,
        description: impl Into<String>,
        category: ComponentCategory,
        config_schema: Value,
    ) -> Self {
        Self {
            type_id,
            name: name.into(),
            description: description.into(),
            category,
            config_schema,
            default_config: Map::new(),
            default_size: Size::new(3, 2),
            min_size: Size::new(1, 1),
            // As wide and as tall as a grid can be.
            max_size: Size::new(64, NO_CELL - 1),
            data_binding_schema: None,
            capabilities: Vec::new(),
            actions: Vec::new(),
            version: first(),
            binding_rule: None,
        }
    }

    /// Returns the compiled schemas of config and binding, or the first fault.
    pub(crate) fn check(&self) -> Result<(Schema, Option<Schema>), DefinitionError> {
        let id = self.type_id.as_str();
        if id.len() > 128 || id.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(DefinitionError::Name { type_id: id.to_owned() });
        }
        let words = self.description.split_whitespace().count();
        if words >= 100 {
            return Err(DefinitionError::Description { words });
        }
        let (min, default, max) = (self.min_size, self.default_size, self.max_size);
        let ordered = |min, default, max| 1 <= min && min <= default && default <= max && max < NO_CELL;
        if !ordered(min.cols, default.cols, max.cols) || !ordered(min.rows, default.rows, max.rows) {
            return Err(DefinitionError::Sizes { min, default, max });
        }
        if self.version == 0 {
            return Err(DefinitionError::Version);
        }
        let compile = |schema: &Value, place: String| {
            Schema::compile(schema).map_err(|error| DefinitionError::Schema { place, error })
        };
        let config = compile(&self.config_schema, "/configSchema".to_owned())?;
        let binding = match &self.data_binding_schema {
            Some(schema) => Some(compile(schema, "/dataBindingSchema".to_owned())?),
            None => None,
        };
        for (n, action) in self.actions.iter().enumerate() {
            if action.action_id.is_empty()
                || self.actions[..n].iter().any(|other| other.action_id == action.action_id)
            {
                return Err(DefinitionError::Action { action_id: action.action_id.clone() });
            }
            if let Some(params) = &action.params {
                compile(params, format!("/actions/{n}/params"))?;
            }
        }
        // Fields that only a command can supply may be missing, but the fields that exist must be valid.
        let defaults = Value::Object(self.default_config.clone());
        let whole = ["additionalProperties", "propertyNames", "maxProperties", TOO_LARGE];
        let counts = |error: &ValidationError| !error.path.is_empty() || whole.contains(&error.code.as_str());
        let wrong = config.validate(&defaults).into_iter().find(counts);
        if let Some(error) = wrong {
            return Err(DefinitionError::DefaultConfig { place: format!("/defaultConfig{}", error.path) });
        }
        self.canonical().map_err(DefinitionError::Number)?;
        Ok((config, binding))
    }

    /// Returns the fields that a config may have, if the schema lists fields but does not mention others. Other fields
    /// are then refused. A type that accepts more can say so with `additionalProperties`.
    pub fn only_fields(&self) -> Option<impl Iterator<Item = &str>> {
        const OPEN: [&str; 9] = [
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "$ref",
            "allOf",
            "anyOf",
            "oneOf",
            "if",
            "dependencies",
        ];
        let schema = self.config_schema.as_object()?;
        let fields = schema.get("properties")?.as_object()?;
        (!OPEN.iter().any(|keyword| schema.contains_key(*keyword))).then(|| fields.keys().map(String::as_str))
    }

    /// Returns the canonical JSON, by which definitions of several hosts are compared.
    pub(super) fn canonical(&self) -> Result<String, CanonicalError> {
        canonical_json(&serde_json::to_value(self).expect("its maps have text for keys"))
    }
}

impl BindingRule {
    /// Returns the binding for a config. Fields that the config lacks are left out of the query.
    pub fn binding(&self, config: &Map<String, Value>, refresh: Option<u64>) -> DataBinding {
        // One by one, because they are few, and collecting would sort them first.
        let mut params = Map::new();
        for name in &self.params {
            if let Some(value) = config.get(name) {
                params.insert(name.clone(), value.clone());
            }
        }
        DataBinding {
            source: self.source.clone(),
            query: DataQuery { kind: self.query.clone(), params },
            refresh_interval: self.refresh_interval.or(refresh),
        }
    }
}

const fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_first(version: &u32) -> bool {
    *version == first()
}
