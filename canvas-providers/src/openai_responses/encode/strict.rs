//! Which schemas a model can be held to while it writes.

use serde_json::{Map, Value};

/// Most levels of objects and lists, and most properties, of a strict schema.
const MAX_LEVELS: usize = 10;
const MAX_PROPERTIES: usize = 5_000;

const REFUSED: &[&str] = &[
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "default",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "uniqueItems",
    "contains",
    "minProperties",
    "maxProperties",
];

/// Whether the endpoint takes the schema as a strict one: each object names all of its properties, requires them and no
/// others, and no keyword is refused. A schema is not rewritten for it, since a property that may be missing would then be
/// null.
pub(super) fn is_strict(schema: &Value) -> bool {
    let mut properties = 0;
    is_strict_at(schema, 0, &mut properties) && properties <= MAX_PROPERTIES
}

fn is_strict_at(schema: &Value, level: usize, properties: &mut usize) -> bool {
    let Some(map) = schema.as_object() else { return false };
    if level > MAX_LEVELS || REFUSED.iter().any(|keyword| map.contains_key(*keyword)) {
        return false;
    }
    if map.contains_key("$ref") {
        return map.len() == 1;
    }
    (!is_object(map) || is_closed(map, properties))
        && inner(map).all(|(schema, deeper)| is_strict_at(schema, level + deeper, properties))
}

fn is_object(map: &Map<String, Value>) -> bool {
    match map.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
        None => map.contains_key("properties"),
    }
}

fn is_closed(map: &Map<String, Value>, properties: &mut usize) -> bool {
    let Some(Value::Object(named)) = map.get("properties") else { return false };
    *properties += named.len();
    let required = map.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    map.get("additionalProperties") == Some(&Value::Bool(false))
        && required.len() == named.len()
        && required.iter().all(|name| name.as_str().is_some_and(|name| named.contains_key(name)))
}

/// The schemas inside, and how many levels further in they are.
fn inner(map: &Map<String, Value>) -> impl Iterator<Item = (&Value, usize)> {
    let under = |keyword: &str| map.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::values);
    let properties = under("properties").map(|schema| (schema, 1));
    let definitions = under("$defs").chain(under("definitions")).map(|schema| (schema, 0));
    let items = map.get("items").map(|schema| (schema, 1));
    let branches = map.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    properties.chain(definitions).chain(items).chain(branches.map(|schema| (schema, 0)))
}
