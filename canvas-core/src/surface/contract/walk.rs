//! Facts in a JSON Schema about a place, without a value.

use serde_json::Value;

use crate::model::json_pointer::join_pointer;
use crate::surface::sink::Sink;

/// A member or an item on the path to a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Member(String),
    Item(usize),
}

/// The keyword that declares the sink of a string and of the strings below it.
pub(crate) const KEYWORD: &str = "x-canvas-sink";

/// Maximum number of schemas visited for one place, because references may form circles and branches multiply.
const STEPS: usize = 4_096;

/// Whether the schema certainly accepts no string at a place.
pub(crate) fn takes_no_string(root: &Value, place: &[Name]) -> bool {
    let mut walk = Walk { root, steps: STEPS };
    !walk.takes(root, place)
}

/// Returns the sink that the schema declares for a place. The deepest declaration on the path applies, and of several
/// branches the strictest.
pub(crate) fn declared_sink(root: &Value, place: &[Name]) -> Option<Sink> {
    let mut walk = Walk { root, steps: STEPS };
    let mut found = None;
    walk.sinks(root, place, 0, &mut found);
    found.map(|(_, sink)| sink)
}

/// Returns the JSON Pointer to the first declaration of an unknown sink.
pub(crate) fn unknown_sink(schema: &Value, place: &str) -> Option<String> {
    match schema {
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let here = join_pointer(place, name);
            match name.as_str() {
                KEYWORD if !value.is_object() => sink(value).is_none().then_some(here),
                "const" | "enum" | "default" | "examples" => None,
                _ => unknown_sink(value, &here),
            }
        }),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| unknown_sink(item, &format!("{place}/{at}")))
        }
        _ => None,
    }
}

fn sink(value: &Value) -> Option<Sink> {
    Sink::from_name(value.as_str()?)
}

struct Walk<'v> {
    root: &'v Value,
    steps: usize,
}

impl<'v> Walk<'v> {
    /// Counts a schema, and follows its reference if it has one.
    fn enter(&mut self, schema: &'v Value) -> Option<&'v Value> {
        let mut schema = schema;
        loop {
            self.steps = self.steps.checked_sub(1)?;
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Some(schema) };
            schema = self.root.pointer(reference.strip_prefix('#')?)?;
        }
    }

    /// Returns the schema for a part of the value, or `None` if it is unspecified.
    fn part(&self, schema: &'v Value, name: &Name) -> Option<&'v Value> {
        match name {
            Name::Member(name) => match schema.get("properties").and_then(|all| all.get(name)) {
                Some(own) => Some(own),
                // The patterns are not matched.
                None if schema.get("patternProperties").is_some() => None,
                None => schema.get("additionalProperties"),
            },
            Name::Item(at) => match schema.get("items")? {
                Value::Array(items) => items.get(*at).or_else(|| schema.get("additionalItems")),
                items => Some(items),
            },
        }
    }

    fn takes(&mut self, schema: &'v Value, place: &[Name]) -> bool {
        let Some(schema) = self.enter(schema) else { return true };
        if schema == &Value::Bool(false) {
            return false;
        }
        let here = match place {
            [] => is_string_taken(schema),
            [name, rest @ ..] => self.part(schema, name).is_none_or(|part| self.takes(part, rest)),
        };
        let branches = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
        here && branches("allOf").is_none_or(|all| all.iter().all(|branch| self.takes(branch, place)))
            && ["anyOf", "oneOf"]
                .iter()
                .all(|any| branches(any).is_none_or(|any| any.iter().any(|branch| self.takes(branch, place))))
    }

    fn sinks(&mut self, schema: &'v Value, place: &[Name], depth: usize, found: &mut Option<(usize, Sink)>) {
        let Some(schema) = self.enter(schema) else { return };
        *found = (*found).max(schema.get(KEYWORD).and_then(sink).map(|sink| (depth, sink)));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.sinks(branch, place, depth, found);
            }
        }
        for keyword in ["if", "then", "else"] {
            if let Some(branch) = schema.get(keyword) {
                self.sinks(branch, place, depth, found);
            }
        }
        let [name, rest @ ..] = place else { return };
        if let Some(part) = self.part(schema, name) {
            self.sinks(part, rest, depth + 1, found);
        }
        // Any or no pattern may apply to the member.
        if let (Name::Member(_), Some(Value::Object(patterns))) = (name, schema.get("patternProperties")) {
            for part in patterns.values().chain(schema.get("additionalProperties")) {
                self.sinks(part, rest, depth + 1, found);
            }
        }
    }
}

fn is_string_taken(schema: &Value) -> bool {
    let by_type = match schema.get("type") {
        Some(Value::String(one)) => one == "string",
        Some(Value::Array(many)) => many.iter().any(|one| one == "string"),
        _ => true,
    };
    let by_enum =
        schema.get("enum").and_then(Value::as_array).is_none_or(|all| all.iter().any(Value::is_string));
    by_type && by_enum && schema.get("const").is_none_or(Value::is_string)
}
