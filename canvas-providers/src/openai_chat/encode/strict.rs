//! Whether a schema can be declared as strict.
//!
//! A strict schema closes every object and requires every property. Objects are closed here, which leaves out nothing that
//! the tool takes. A property that may be left out cannot be required without another meaning, so its schema is not strict.

use serde_json::{Map, Value};

/// Most levels of objects and lists.
const MAX_LEVELS: usize = 10;
/// Most properties of all objects together.
const MAX_PROPERTIES: usize = 5_000;

/// Keywords that say nothing about what is allowed, or that a strict schema may have.
const ALLOWED: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// The schema with every object closed, or why it cannot be strict.
pub(super) fn close(schema: &Value) -> Result<Value, String> {
    let mut schema = schema.clone();
    let mut properties = 0;
    walk(&mut schema, 0, &mut properties)?;
    Ok(schema)
}

fn walk(schema: &mut Value, level: usize, properties: &mut usize) -> Result<(), String> {
    if level > MAX_LEVELS {
        return Err(format!("it is nested deeper than {MAX_LEVELS} levels"));
    }
    let Some(map) = schema.as_object_mut() else {
        return Err("a schema in it is no object".to_owned());
    };
    if let Some(keyword) = map.keys().find(|keyword| !ALLOWED.contains(&keyword.as_str())) {
        return Err(format!("it uses {keyword}"));
    }
    if map.contains_key("$ref") && map.len() > 1 {
        return Err("a $ref has other keywords beside it".to_owned());
    }
    if is_object(map) {
        close_object(map, properties)?;
    }
    for keyword in ["properties", "$defs", "definitions"] {
        let Some(Value::Object(schemas)) = map.get_mut(keyword) else { continue };
        let inner = if keyword == "properties" { level + 1 } else { level };
        schemas.values_mut().try_for_each(|schema| walk(schema, inner, properties))?;
    }
    if let Some(items) = map.get_mut("items") {
        walk(items, level + 1, properties)?;
    }
    if let Some(Value::Array(branches)) = map.get_mut("anyOf") {
        branches.iter_mut().try_for_each(|branch| walk(branch, level, properties))?;
    }
    Ok(())
}

fn is_object(schema: &Map<String, Value>) -> bool {
    let names_it = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        kind => kind.is_some_and(|kind| kind == "object"),
    };
    names_it || schema.contains_key("properties")
}

fn close_object(schema: &mut Map<String, Value>, count: &mut usize) -> Result<(), String> {
    match schema.get("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        Some(_) => return Err("an object in it takes other properties".to_owned()),
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    *count += properties.map_or(0, Map::len);
    if *count > MAX_PROPERTIES {
        return Err(format!("it has more than {MAX_PROPERTIES} properties"));
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|names| names.iter().any(|other| other == name));
    if let Some(name) = properties.and_then(|all| all.keys().find(|name| !is_required(name))) {
        return Err(format!("{name} may be left out"));
    }
    let known =
        |name: &Value| name.as_str().is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)));
    if required.is_some_and(|names| !names.iter().all(known)) {
        return Err("it requires a property that it does not have".to_owned());
    }
    schema.entry("properties").or_insert_with(|| Map::new().into());
    schema.entry("required").or_insert_with(|| Vec::<Value>::new().into());
    schema.insert("additionalProperties".to_owned(), false.into());
    Ok(())
}
