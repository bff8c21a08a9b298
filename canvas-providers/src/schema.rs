//! Cuts a JSON Schema to the subset that a provider accepts, and lists the cuts.

use serde_json::{Map, Value, json};

use crate::decoded::MAX_DEPTH;
use crate::encoded::Degradations;
use crate::place::inside;

/// Maximum length of a chain of references and unions at the root.
const MAX_HOPS: usize = 8;
/// Maximum number of schemas merged into the root. Without it, a union of references to itself would never end.
const MAX_MERGED: usize = 1_000;

/// The requirements of a provider on a schema, beyond JSON Schema itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subset {
    /// Whether the provider accepts a property of this name.
    pub(crate) property: fn(&str) -> bool,
    /// Keywords that the provider refuses anywhere.
    pub(crate) refused: &'static [&'static str],
}

/// Returns the schema with a plain object at its root, without a union, a reference or `$schema` there.
///
/// The properties of a union at the root are added to the root's own, so that the model still sees them. The tool
/// checks which of them belong together. Dangling references and properties with forbidden names are removed.
/// Everything else is unchanged.
pub(crate) fn cut(schema: &Value, place: &str, subset: Subset, degradations: &mut Degradations) -> Value {
    let mut root =
        Cutter { whole: schema, subset, degradations, merged: 0 }.plain_object(schema, place, MAX_HOPS);
    let whole = Value::Object(root.clone());
    let mut cutter = Cutter { whole: &whole, subset, degradations, merged: 0 };
    cutter.drop_refused(&mut root, place);
    for (name, value) in &mut root {
        cutter.prune_keyword(name, value, &inside(place, name), 1);
    }
    cutter.prune_required(&mut root, place);
    Value::Object(root)
}

/// Keywords of a union's branch to merge into the whole.
const OF_ANY_BRANCH: &[&str] = &["type", "properties", "required", "$defs", "definitions"];

struct Cutter<'a> {
    /// The schema that references point into.
    whole: &'a Value,
    subset: Subset,
    degradations: &'a mut Degradations,
    /// Schemas merged into the root so far.
    merged: usize,
}

impl Cutter<'_> {
    /// Returns the schema as an object with properties of its own, following at most `hops` references and unions.
    fn plain_object(&mut self, schema: &Value, place: &str, hops: usize) -> Map<String, Value> {
        self.merged += 1;
        let Some(map) = schema.as_object().filter(|_| hops > 0 && self.merged <= MAX_MERGED) else {
            self.degradations.add(place, "type", "replaced by an object; the tool checks the arguments");
            return empty_object();
        };
        let mut root = map.clone();
        for keyword in ["$schema", "$id"] {
            if root.remove(keyword).is_some() {
                self.degradations.add(place, keyword, "left out: it says nothing about the arguments");
            }
        }
        if let Some(target) = root.remove("$ref") {
            match self.resolve(&target) {
                Some(target) => {
                    let target = self.plain_object(&target.clone(), place, hops - 1);
                    merge(&mut root, target, Join::All);
                }
                None => self.degradations.add(
                    place,
                    "$ref",
                    "left out: it leads nowhere; the tool checks the arguments",
                ),
            }
        }
        for (keyword, join) in [("allOf", Join::All), ("anyOf", Join::Any), ("oneOf", Join::Any)] {
            let Some(branches) = root.remove(keyword) else { continue };
            self.degradations.add(
                place,
                keyword,
                "merged into the properties; the tool checks which of them belong together",
            );
            let mut union = None;
            for branch in branches.as_array().map_or(&[][..], Vec::as_slice) {
                let mut branch = self.plain_object(branch, place, hops - 1);
                if join == Join::Any {
                    branch.retain(|keyword, _| OF_ANY_BRANCH.contains(&keyword.as_str()));
                }
                match &mut union {
                    None => union = Some(branch),
                    Some(union) => merge(union, branch, join),
                }
            }
            if let Some(union) = union {
                merge(&mut root, union, Join::All);
            }
        }
        if root.get("type").is_some_and(|kind| kind != "object") {
            self.degradations.add(place, "type", "replaced by object; the tool checks the arguments");
        }
        root.insert("type".to_owned(), json!("object"));
        if !root.get("properties").is_some_and(Value::is_object) {
            root.insert("properties".to_owned(), json!({}));
        }
        root
    }

    fn resolve(&self, target: &Value) -> Option<&Value> {
        let pointer = target.as_str()?.strip_prefix('#')?;
        self.whole.pointer(pointer)
    }

    /// Prunes the schemas in the value of a keyword.
    fn prune_keyword(&mut self, keyword: &str, value: &mut Value, place: &str, depth: usize) {
        match (keyword, value) {
            ("properties", Value::Object(properties)) => {
                let allowed = self.subset.property;
                properties.retain(|name, _| {
                    let keep = allowed(name);
                    if !keep {
                        self.degradations.add(place, name, "left out: no property may have this name");
                    }
                    keep
                });
                self.prune_map(properties, place, depth);
            }
            ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                self.prune_map(schemas, place, depth);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter_mut().enumerate() {
                    self.prune(schema, &inside(place, &index.to_string()), depth + 1);
                }
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                schema @ Value::Object(_),
            ) => self.prune(schema, place, depth + 1),
            _ => {}
        }
    }

    fn prune_map(&mut self, schemas: &mut Map<String, Value>, place: &str, depth: usize) {
        for (name, schema) in schemas {
            self.prune(schema, &inside(place, name), depth + 1);
        }
    }

    fn prune(&mut self, schema: &mut Value, place: &str, depth: usize) {
        if depth > MAX_DEPTH {
            self.degradations.add(
                place,
                "depth",
                "replaced by anything: nested too deep; the tool checks it",
            );
            *schema = json!({});
            return;
        }
        let Some(map) = schema.as_object_mut() else { return };
        self.drop_refused(map, place);
        if map.get("$ref").is_some_and(|target| self.resolve(target).is_none()) {
            map.remove("$ref");
            self.degradations.add(place, "$ref", "left out: it leads nowhere; the tool checks the value");
        }
        for (name, value) in map.iter_mut() {
            self.prune_keyword(name, value, &inside(place, name), depth);
        }
        self.prune_required(map, place);
    }

    fn drop_refused(&mut self, schema: &mut Map<String, Value>, place: &str) {
        for keyword in self.subset.refused {
            if schema.remove(*keyword).is_some() {
                self.degradations.add(
                    place,
                    keyword,
                    "left out: the provider refuses it; the tool checks it",
                );
            }
        }
    }

    /// Removes left-out properties from `required`.
    fn prune_required(&mut self, schema: &mut Map<String, Value>, place: &str) {
        let Some(Value::Array(required)) = schema.get_mut("required") else { return };
        let allowed = self.subset.property;
        let before = required.len();
        required.retain(|name| name.as_str().is_none_or(allowed));
        if required.len() < before {
            self.degradations.add(place, "required", "left out where no property may have the name");
        }
    }
}

/// How to join the required properties of two schemas.
#[derive(Clone, Copy, PartialEq)]
enum Join {
    All,
    Any,
}

fn empty_object() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({}))])
}

/// Adds the properties and definitions of `other`, and its other keywords only if `into` lacks them.
///
/// `additionalProperties` of a branch would forbid the properties of its siblings, so it is removed.
fn merge(into: &mut Map<String, Value>, mut other: Map<String, Value>, join: Join) {
    let required = join_required(into.remove("required"), other.remove("required"), join);
    if !required.is_empty() {
        into.insert("required".to_owned(), Value::Array(required));
    }
    if let Some(Value::Object(properties)) = other.remove("properties") {
        let mine = into.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(mine) = mine {
            for (name, theirs) in properties {
                match mine.remove(&name) {
                    None => mine.insert(name, theirs),
                    Some(ours) if ours == theirs => mine.insert(name, ours),
                    Some(ours) if join == Join::All => mine.insert(name, both(ours, theirs)),
                    Some(ours) => mine.insert(name, either(ours, theirs)),
                };
            }
        }
    }
    other.remove("additionalProperties");
    for (keyword, value) in other {
        into.entry(keyword).or_insert(value);
    }
}

/// Returns a schema for values that both accept: one map if they have no keyword in common.
fn both(ours: Value, theirs: Value) -> Value {
    match (ours, theirs) {
        (Value::Object(mut ours), Value::Object(theirs))
            if !theirs.keys().any(|name| ours.contains_key(name)) =>
        {
            ours.extend(theirs);
            Value::Object(ours)
        }
        (ours, theirs) => json!({"allOf": [ours, theirs]}),
    }
}

fn either(ours: Value, theirs: Value) -> Value {
    match ours {
        Value::Object(map) if map.len() == 1 && map.get("anyOf").is_some_and(Value::is_array) => {
            let mut branches = map["anyOf"].as_array().cloned().unwrap_or_default();
            if !branches.contains(&theirs) {
                branches.push(theirs);
            }
            json!({"anyOf": branches})
        }
        ours => json!({"anyOf": [ours, theirs]}),
    }
}

fn join_required(ours: Option<Value>, theirs: Option<Value>, join: Join) -> Vec<Value> {
    let (mut ours, theirs) = (names_in(ours), names_in(theirs));
    match join {
        Join::All => {
            for name in theirs {
                if !ours.contains(&name) {
                    ours.push(name);
                }
            }
        }
        Join::Any => ours.retain(|name| theirs.contains(name)),
    }
    ours
}

fn names_in(required: Option<Value>) -> Vec<Value> {
    match required {
        Some(Value::Array(names)) => names,
        _ => Vec::new(),
    }
}
