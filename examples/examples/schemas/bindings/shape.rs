//! Schemas as shapes, which a language writes down in its own way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::types;

/// The shape of a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    Named(String),
    Text,
    Integer,
    Number,
    Boolean,
    Null,
    /// Any JSON.
    Json,
    /// One value.
    Constant(String),
    List(Box<Self>),
    Map(Box<Self>),
    Object(Vec<Field>),
    OneOf(Vec<Self>),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

/// A shape with a name.
#[derive(Debug)]
pub(super) struct NamedShape {
    pub(super) name: String,
    /// First sentence of the description.
    pub(super) about: String,
    pub(super) shape: Shape,
}

/// Returns all types that hosts get or send, by name. If a type is read in another form than it is written, the form to send
/// ends with `Input`.
pub(super) fn types() -> Vec<NamedShape> {
    let (mut sent, mut got) = (BTreeMap::new(), BTreeMap::new());
    for file in types::all() {
        let schemas = if file.name.starts_with("input/") { &mut sent } else { &mut got };
        let name = file.name.split(['/', '.']).nth(1).expect("a file has a folder and a name");
        let mut schema = named_root(file.schema, name);
        if let Some(Value::Object(defs)) = schema.as_object_mut().and_then(|fields| fields.remove("$defs")) {
            schemas.extend(defs);
        }
        schemas.insert(name.to_owned(), schema);
    }
    let inputs = differing(&sent, &got);
    sent.retain(|name, _| inputs.contains(name) || !got.contains_key(name));
    let of = |schemas: &BTreeMap<String, Value>, inputs: &BTreeSet<String>| {
        let named = |(name, schema): (&String, &Value)| NamedShape {
            name: type_name(name, inputs),
            about: first_sentence(schema),
            shape: shape(schema, inputs),
        };
        schemas.iter().map(named).collect::<Vec<_>>()
    };
    let mut all = of(&got, &BTreeSet::new());
    all.extend(of(&sent, &inputs));
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| (&a.name, &a.shape) == (&b.name, &b.shape));
    all
}

/// Gives a type that contains itself a reference by name.
fn named_root(schema: Value, name: &str) -> Value {
    match schema {
        Value::Object(fields) => {
            let named = |(key, value): (String, Value)| match value {
                Value::String(root) if key == "$ref" && root == "#" => {
                    (key, format!("#/$defs/{name}").into())
                }
                value => (key, named_root(value, name)),
            };
            Value::Object(fields.into_iter().map(named).collect())
        }
        Value::Array(items) => items.into_iter().map(|item| named_root(item, name)).collect(),
        other => other,
    }
}

/// Names of types whose two forms differ, in themselves or in a type that they contain.
fn differing(sent: &BTreeMap<String, Value>, got: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let both = |name: &str| Some((bare(sent.get(name)?), bare(got.get(name)?)));
    let mut differing: BTreeSet<String> =
        sent.keys().filter(|name| both(name).is_some_and(|(sent, got)| sent != got)).cloned().collect();
    loop {
        let contains = |name: &&String| {
            let schema = sent[*name].to_string();
            differing.iter().any(|other| schema.contains(&format!("\"#/$defs/{other}\"")))
        };
        let more: Vec<_> =
            sent.keys().filter(|name| !differing.contains(*name)).filter(contains).cloned().collect();
        if more.is_empty() {
            return differing;
        }
        differing.extend(more);
    }
}

/// A schema without the words about it.
fn bare(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, value)| {
                !(["$id", "$schema", "title", "description"].contains(&name.as_str()) && value.is_string())
            });
            Value::Object(kept.map(|(name, value)| (name.clone(), bare(value))).collect())
        }
        Value::Array(items) => items.iter().map(bare).collect(),
        other => other.clone(),
    }
}

fn first_sentence(schema: &Value) -> String {
    let about = schema["description"].as_str().unwrap_or_default();
    about.split_inclusive(". ").next().unwrap_or_default().trim_end().to_owned()
}

/// A name as other languages write names of types.
fn type_name(name: &str, inputs: &BTreeSet<String>) -> String {
    let camel: String = name
        .split('_')
        .flat_map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            [first.to_uppercase(), rest.to_owned()]
        })
        .collect();
    if inputs.contains(name) { format!("{camel}Input") } else { camel }
}

fn shape(schema: &Value, inputs: &BTreeSet<String>) -> Shape {
    let Some(fields) = schema.as_object() else { return Shape::Json };
    if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
        let name = name.strip_prefix("#/$defs/").expect("a reference stays within its file");
        return Shape::Named(type_name(name, inputs));
    }
    if let Some(constant) = fields.get("const") {
        return Shape::Constant(constant.to_string());
    }
    if let Some(values) = fields.get("enum").and_then(Value::as_array) {
        return one_of(values.iter().map(|value| Shape::Constant(value.to_string())).collect());
    }
    let variants = ["oneOf", "anyOf"].iter().find_map(|name| fields.get(*name)?.as_array());
    if let Some(variants) = variants {
        // Fields beside the variants belong to each of them.
        let common = fields_of(fields, inputs);
        let with_common = |shape| match shape {
            Shape::Object(own) => Shape::Object(merged(&common, own)),
            Shape::Named(name) if !common.is_empty() => panic!("{name} has fields beside its variants"),
            shape => shape,
        };
        return one_of(variants.iter().map(|variant| with_common(shape(variant, inputs))).collect());
    }
    match fields.get("type") {
        Some(Value::String(kind)) => typed(kind, fields, inputs),
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            one_of(kinds.map(|kind| typed(kind, fields, inputs)).collect())
        }
        _ => Shape::Json,
    }
}

fn typed(kind: &str, fields: &Map<String, Value>, inputs: &BTreeSet<String>) -> Shape {
    match kind {
        "string" => Shape::Text,
        "integer" => Shape::Integer,
        "number" => Shape::Number,
        "boolean" => Shape::Boolean,
        "null" => Shape::Null,
        "array" => {
            Shape::List(Box::new(fields.get("items").map_or(Shape::Json, |items| shape(items, inputs))))
        }
        "object" if fields.contains_key("properties") => Shape::Object(fields_of(fields, inputs)),
        "object" => match fields.get("additionalProperties") {
            Some(Value::Bool(false)) => Shape::Object(Vec::new()),
            other => Shape::Map(Box::new(other.map_or(Shape::Json, |value| shape(value, inputs)))),
        },
        other => panic!("no schema has the type {other}"),
    }
}

fn fields_of(schema: &Map<String, Value>, inputs: &BTreeSet<String>) -> Vec<Field> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let field = |(name, value): (&String, &Value)| Field {
        name: name.clone(),
        shape: shape(value, inputs),
        is_required: required.iter().any(|one| one == name),
    };
    properties.map(field).collect()
}

fn merged(common: &[Field], own: Vec<Field>) -> Vec<Field> {
    let of_all = common.iter().filter(|field| own.iter().all(|one| one.name != field.name));
    let mut fields: Vec<_> = of_all.cloned().chain(own.iter().cloned()).collect();
    fields.sort();
    fields
}

fn one_of(variants: Vec<Shape>) -> Shape {
    let mut flat: Vec<Shape> = Vec::new();
    for variant in variants {
        let nested = if let Shape::OneOf(nested) = variant { nested } else { vec![variant] };
        for one in nested {
            if !flat.contains(&one) {
                flat.push(one);
            }
        }
    }
    if flat.contains(&Shape::Json) {
        return Shape::Json;
    }
    if flat.len() == 1 { flat.remove(0) } else { Shape::OneOf(flat) }
}
