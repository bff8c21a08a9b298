//! The specs of the tools. The registry determines the schema of `create_component`.

use std::collections::BTreeSet;

use canvas_core::Policy;
use canvas_core::board::{ComponentActionDefinition, ComponentDefinition, Registry};
use serde_json::{Map, Value, json};

use super::arguments::{
    Arrange, Clear, Commit, Create, Delete, Label, Load, Modify, Plan, RedoSteps, Refresh, Remove,
    RequestAction, Save, Show, UndoSteps,
};
use super::tool::{BoardTools, Tool};
use crate::toolset::spec::{ToolSpec, tidy_schema_of};

impl BoardTools {
    /// Returns the tools that a policy opens to models, for the component types of a registry.
    ///
    /// `create_component` accepts the config of each registered type. Its description names the type of each config,
    /// and a call is checked by its `type_id`. If the registry has no types, this tool is left out.
    ///
    /// ```
    /// use canvas_core::Policy;
    /// use canvas_core::board::Registry;
    /// use canvas_tools::BoardTools;
    ///
    /// let tools = BoardTools::default().list(&Registry::built_in(), &Policy::default());
    /// let create = &tools[0];
    /// assert_eq!(create.name, "create_component");
    /// assert_eq!(create.parameters["properties"]["type_id"]["enum"][2], "github.pr-list");
    /// assert_eq!(create.parameters["properties"]["config"]["anyOf"][2]["required"][0], "repo");
    /// ```
    pub fn list(self, registry: &Registry, policy: &Policy) -> Vec<ToolSpec> {
        let open = Tool::of(self).filter(|tool| policy.permits(tool.access()).is_ok());
        open.filter_map(|tool| tool.spec(registry)).collect()
    }
}

impl Tool {
    fn spec(self, registry: &Registry) -> Option<ToolSpec> {
        let parameters = parameters(self, registry)?;
        Some(ToolSpec { name: self.name().into(), description: self.description().into(), parameters })
    }
}

/// Returns the schema of a tool's arguments, or `None` if the registry has no types for it.
fn parameters(tool: Tool, registry: &Registry) -> Option<Value> {
    Some(match tool {
        Tool::Create => return creation(registry),
        Tool::Modify => tidy_schema_of::<Modify>(),
        Tool::Arrange => tidy_schema_of::<Arrange>(),
        Tool::Remove => tidy_schema_of::<Remove>(),
        Tool::Refresh => tidy_schema_of::<Refresh>(),
        Tool::Undo => with_default_steps(tidy_schema_of::<UndoSteps>()),
        Tool::Redo => with_default_steps(tidy_schema_of::<RedoSteps>()),
        Tool::SaveView => tidy_schema_of::<Save>(),
        Tool::LoadView => tidy_schema_of::<Load>(),
        Tool::Plan => tidy_schema_of::<Plan>(),
        Tool::Commit => tidy_schema_of::<Commit>(),
        Tool::DeleteView => tidy_schema_of::<Delete>(),
        Tool::Clear => tidy_schema_of::<Clear>(),
        Tool::Label => tidy_schema_of::<Label>(),
        Tool::RequestAction => return request(registry),
        Tool::Show => tidy_schema_of::<Show>(),
    })
}

/// Returns the schema of a request for an action. The description of `action_id` lists the actions of each type, with
/// their descriptions and parameters.
fn request(registry: &Registry) -> Option<Value> {
    let (mut lines, mut ids) = (String::new(), BTreeSet::new());
    for known in registry.get_all() {
        for ComponentActionDefinition { action_id, label, description, requires_selection, params, .. } in
            &known.actions
        {
            ids.insert(action_id.as_str());
            let selected = if *requires_selection == Some(true) { " Needs a selection." } else { "" };
            let params = params.as_ref().map_or_else(String::new, |params| format!(" params: {params}"));
            lines += &format!(" | {} {action_id} ({label}): {description}{selected}{params}", known.type_id);
        }
    }
    if ids.is_empty() {
        return None;
    }
    let mut schema = tidy_schema_of::<RequestAction>();
    let action = &mut schema["properties"]["action_id"];
    action["enum"] = json!(ids);
    action["description"] = format!("One of the actions of its type:{lines}").into();
    Some(schema)
}

/// Sets the default number of steps. In the field's own schema, it would be overridden by the field's own default,
/// `null`.
fn with_default_steps(mut schema: Value) -> Value {
    schema["properties"]["steps"]["default"] = 1.into();
    schema
}

/// Returns the schema of a creation. A config belongs to one of the types. Clients of tools refuse a union at the root,
/// so the union is at the field `config`, where it cannot depend on `type_id`.
fn creation(registry: &Registry) -> Option<Value> {
    let types: Vec<&ComponentDefinition> = registry.get_all().collect();
    if types.is_empty() {
        return None;
    }
    let mut schema = tidy_schema_of::<Create>();
    schema["properties"]["type_id"]["enum"] = types.iter().map(|known| known.type_id.as_str()).collect();
    let mut shared = Map::new();
    let configs = types
        .iter()
        .enumerate()
        .map(|(number, definition)| config(definition, &format!("type_{number}"), &mut shared));
    schema["properties"]["config"]["anyOf"] = configs.collect();
    if !shared.is_empty() {
        schema["$defs"] = shared.into();
    }
    Some(schema)
}

/// Returns the schema of a type's config in a call. A schema that refers to itself is moved to the definitions at the
/// root, so that its references work wherever the branches are moved.
fn config(definition: &ComponentDefinition, name: &str, shared: &mut Map<String, Value>) -> Value {
    let mut schema = match &definition.config_schema {
        Value::Object(fields) => fields.clone(),
        Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
        _ => Map::new(),
    };
    schema.remove("$schema");
    schema.remove("$id");
    // What the type's defaults give need not be sent.
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required
            .retain(|name| !name.as_str().is_some_and(|name| definition.default_config.contains_key(name)));
    }
    schema.entry("type").or_insert_with(|| "object".into());
    if definition.only_fields().is_some() {
        schema.insert("additionalProperties".into(), false.into());
    }
    // Only this says whose it is.
    let ComponentDefinition { type_id, name: title, description: what, .. } = definition;
    let mut description = format!("Config of {type_id} ({title}): {what}");
    if let Some(own) = schema.get("description").and_then(Value::as_str) {
        description = format!("{description} {own}");
    }
    schema.insert("description".into(), description.clone().into());
    let mut schema = Value::Object(schema);
    if !rebase(&mut schema, &format!("#/$defs/{name}")) {
        return schema;
    }
    shared.insert(name.into(), schema);
    json!({"$ref": format!("#/$defs/{name}"), "description": description})
}

/// Makes the references that begin at the root of a schema begin at its new place. Returns whether there are any.
fn rebase(schema: &mut Value, base: &str) -> bool {
    let Value::Object(fields) = schema else { return false };
    let mut found = false;
    for (keyword, value) in fields {
        found |= match (keyword.as_str(), value) {
            ("$ref", Value::String(target)) if target == "#" || target.starts_with("#/") => {
                *target = format!("{base}{}", &target[1..]);
                true
            }
            // These hold values, or names of fields.
            ("enum" | "const" | "default" | "examples" | "required", _) => false,
            (
                "properties" | "patternProperties" | "definitions" | "$defs" | "dependencies"
                | "dependentSchemas",
                Value::Object(schemas),
            ) => schemas.values_mut().fold(false, |found, schema| rebase(schema, base) | found),
            (_, Value::Array(schemas)) => {
                schemas.iter_mut().fold(false, |found, schema| rebase(schema, base) | found)
            }
            (_, schema) => rebase(schema, base),
        };
    }
    found
}
