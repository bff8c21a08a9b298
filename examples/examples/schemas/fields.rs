//! Schemas as tables of fields with name, type and meaning.

use std::collections::BTreeMap;

use serde_json::Value;

use super::files::plain;

/// Shapes that tables name, by their name in the schemas.
pub(crate) type Shapes = BTreeMap<String, Value>;

/// The table of an object's fields, those that are always there first. `left_out` are not listed.
pub(crate) fn table(schema: &Value, shapes: &Shapes, left_out: &[&str]) -> String {
    let required = names(&schema["required"]);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut rows: Vec<_> = properties.filter(|(name, _)| !left_out.contains(&name.as_str())).collect();
    rows.sort_by_key(|(name, _)| (!required.contains(&name.as_str()), *name));
    if rows.is_empty() {
        return String::new();
    }
    let mut table = "| field | type | meaning |\n| --- | --- | --- |\n".to_owned();
    for (name, property) in rows {
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        let (kind, meaning) = (kind(property, shapes), meaning(property, shapes));
        let meaning = in_json(&meaning, if optional.is_empty() { "null" } else { "absent" });
        table.push_str(&format!("| `{name}`{optional} | {} | {} |\n", cell(&kind), cell(&meaning)));
    }
    table
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Escapes the character that ends a cell.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}

/// Replaces Rust's `None` by the word for it in JSON.
fn in_json(text: &str, word: &str) -> String {
    let capital = word[..1].to_uppercase() + &word[1..];
    let text = text.replace(". `None`", &format!(". {capital}"));
    match text.strip_prefix("`None`") {
        Some(rest) => capital + rest,
        None => text.replace("`None`", word),
    }
}

fn meaning(property: &Value, shapes: &Shapes) -> String {
    let own = property["description"].as_str();
    let of_shape = || reference(property).and_then(|name| shapes[name]["description"].as_str());
    own.or_else(of_shape).unwrap_or_default().to_owned()
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|path| path.rsplit('/').next())
}

/// Whether a shape has a section of its own: others are a text or a number.
pub(crate) fn has_section(shape: &Value) -> bool {
    shape.get("properties").is_some()
        || variants(shape).is_some_and(|all| all.iter().any(|one| one.get("properties").is_some()))
}

fn variants(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)
}

/// The type in words.
fn kind(schema: &Value, shapes: &Shapes) -> String {
    if let Some(name) = reference(schema) {
        let shape = &shapes[name];
        return if has_section(shape) { link(name) } else { kind(shape, shapes) };
    }
    if let Some(value) = schema.get("const") {
        return code(value);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(code).collect::<Vec<_>>().join(", ");
    }
    if let Some(all) = variants(schema) {
        let mut kinds: Vec<_> = all.iter().map(|one| kind(one, shapes)).collect();
        kinds.dedup();
        let separator = if kinds.iter().all(|kind| kind.starts_with('`')) { ", " } else { " or " };
        return kinds.join(separator);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        all => names(all),
    };
    let words = types.iter().map(|name| match *name {
        "array" => match &schema["items"] {
            Value::Null => "list".to_owned(),
            items => format!("list of {}", kind(items, shapes)),
        },
        "object" => match schema.get("additionalProperties") {
            Some(value @ Value::Object(_)) => format!("object whose values are {}", kind(value, shapes)),
            _ => "object".to_owned(),
        },
        other => other.to_owned(),
    });
    let words: Vec<_> = words.collect();
    if words.is_empty() { "any JSON".to_owned() } else { words.join(" or ") }
}

fn code(value: &Value) -> String {
    value.as_str().map_or_else(|| format!("`{value}`"), |text| format!("`{text}`"))
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

/// A section for a shape.
pub(crate) fn section(name: &str, shape: &Value, shapes: &Shapes) -> String {
    let mut text = format!("### {name}\n\n");
    let mut paragraph = |words: &str| {
        if !words.is_empty() {
            text.push_str(words);
            text.push('\n');
        }
    };
    if let Some(description) = shape["description"].as_str() {
        paragraph(&format!("{}\n", plain(description)));
    }
    paragraph(&table(shape, shapes, &[]));
    for (number, variant) in variants(shape).into_iter().flatten().enumerate() {
        let description = plain(variant["description"].as_str().unwrap_or_default());
        let end = if description.is_empty() { "" } else { ": " };
        if let Some(name) = reference(variant) {
            paragraph(&format!("{}. {}\n", number + 1, link(name)));
        } else if variant.get("properties").is_some() {
            let description = if description.is_empty() { "An object." } else { &description };
            paragraph(&format!("{}. {description}\n", number + 1));
            paragraph(&table(variant, shapes, &[]));
        } else {
            paragraph(&format!("{}. {}{end}{description}\n", number + 1, kind(variant, shapes)));
        }
    }
    text
}

/// Every shape that these schemas have, of which those of one name are the same.
pub(crate) fn shapes<'a>(schemas: impl IntoIterator<Item = &'a Value>) -> Shapes {
    let mut shapes = Shapes::new();
    for schema in schemas {
        for (name, shape) in schema["$defs"].as_object().into_iter().flatten() {
            let known = shapes.entry(name.clone()).or_insert_with(|| shape.clone());
            assert_eq!(known, shape, "two shapes are called {name}: rename one of them");
        }
    }
    shapes
}

/// The names of shapes that a schema leads to, and those of these, with a section of their own.
pub(crate) fn reached<'a>(schema: &Value, shapes: &'a Shapes, found: &mut BTreeMap<&'a str, &'a Value>) {
    match schema {
        Value::Object(fields) => {
            if let Some(name) = reference(schema)
                && let Some((name, shape)) = shapes.get_key_value(name)
                && found.insert(name, shape).is_none()
            {
                reached(shape, shapes, found);
            }
            let inner = fields.iter().filter(|(name, _)| *name != "$defs");
            inner.for_each(|(_, value)| reached(value, shapes, found));
        }
        Value::Array(items) => items.iter().for_each(|item| reached(item, shapes, found)),
        _ => {}
    }
}
