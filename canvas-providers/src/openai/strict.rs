//! Tool schemas for both OpenAI APIs, and strict schemas, which the model must follow while it writes.
//!
//! A strict schema closes every object, requires every property, and uses only the keywords that the vendor documents
//! as supported. An object without `additionalProperties` is closed here, as in the vendor's SDKs, because tools accept
//! no other properties. If a property may be left out, the schema is not strict, because requiring it would change its
//! meaning.

use serde_json::{Map, Value};

use crate::encoded::Degradations;

/// Maximum nesting of objects and lists.
const MAX_LEVELS: usize = 10;
/// Maximum number of properties in all objects together.
const MAX_PROPERTIES: usize = 5_000;
/// Maximum number of characters in names of properties and definitions and in values of enums, together.
const MAX_CHARS: usize = 120_000;
/// Maximum number of values in all enums together.
const MAX_VALUES: usize = 1_000;
/// Above this number of values, an enum of texts has its own limit, in characters.
const LONG_ENUM: usize = 250;
const MAX_ENUM_CHARS: usize = 15_000;

/// Keywords that the endpoints refuse at the root of a schema, in addition to unions, which no endpoint accepts there.
const REFUSED_AT_ROOT: &[&str] = &["enum", "not"];

/// Keywords that a strict schema may have.
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

/// Makes a tool's schema acceptable to the endpoints. Returns `true` if it is to be declared as strict.
pub(crate) fn fit(
    schema: &mut Value,
    place: &str,
    wants_strict: bool,
    degradations: &mut Degradations,
) -> bool {
    if let Some(root) = schema.as_object_mut() {
        for keyword in REFUSED_AT_ROOT {
            if root.remove(*keyword).is_some() {
                let how = "left out: the provider refuses it there; the tool checks it";
                degradations.add(place, keyword, how);
            }
        }
    }
    if !wants_strict {
        return false;
    }
    match close(schema) {
        Ok(closed) => {
            *schema = closed;
            true
        }
        Err(why) => {
            degradations.add(place, "strict", format!("declared without it: {why}"));
            false
        }
    }
}

/// The sizes of a schema that the vendor limits.
#[derive(Debug, Default)]
struct Sizes {
    properties: usize,
    chars: usize,
    values: usize,
}

/// Returns the schema with every object closed, or the reason that it cannot be strict.
fn close(schema: &Value) -> Result<Value, String> {
    let mut schema = schema.clone();
    let mut sizes = Sizes::default();
    walk(&mut schema, 0, &mut sizes)?;
    let Sizes { properties, chars, values } = sizes;
    for (size, most, what) in [
        (properties, MAX_PROPERTIES, "properties"),
        (chars, MAX_CHARS, "characters of names and values"),
        (values, MAX_VALUES, "values of enums"),
    ] {
        if size > most {
            return Err(format!("it has more than {most} {what}"));
        }
    }
    Ok(schema)
}

fn walk(schema: &mut Value, level: usize, sizes: &mut Sizes) -> Result<(), String> {
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
        close_object(map, sizes)?;
    }
    count_values(map, sizes)?;
    for keyword in ["properties", "$defs", "definitions"] {
        let Some(Value::Object(schemas)) = map.get_mut(keyword) else { continue };
        let inner = if keyword == "properties" { level + 1 } else { level };
        sizes.chars += schemas.keys().map(|name| name.chars().count()).sum::<usize>();
        schemas.values_mut().try_for_each(|schema| walk(schema, inner, sizes))?;
    }
    if let Some(items) = map.get_mut("items") {
        walk(items, level + 1, sizes)?;
    }
    if let Some(Value::Array(branches)) = map.get_mut("anyOf") {
        branches.iter_mut().try_for_each(|branch| walk(branch, level, sizes))?;
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

fn count_values(schema: &Map<String, Value>, sizes: &mut Sizes) -> Result<(), String> {
    let chars =
        |value: &Value| value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count());
    sizes.chars += schema.get("const").map_or(0, chars);
    let Some(Value::Array(values)) = schema.get("enum") else { return Ok(()) };
    let all = values.iter().map(chars).sum::<usize>();
    sizes.values += values.len();
    sizes.chars += all;
    if values.len() > LONG_ENUM && all > MAX_ENUM_CHARS && values.iter().all(Value::is_string) {
        return Err(format!("an enum in it has more than {MAX_ENUM_CHARS} characters"));
    }
    Ok(())
}

fn close_object(schema: &mut Map<String, Value>, sizes: &mut Sizes) -> Result<(), String> {
    match schema.get("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        Some(_) => return Err("an object in it takes other properties".to_owned()),
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    sizes.properties += properties.map_or(0, Map::len);
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
