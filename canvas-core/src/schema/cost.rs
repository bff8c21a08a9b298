//! Estimates of the work that a schema causes for a value, made before the validation.
//!
//! References may apply a schema many times to one value, and twice as often with each level of the value. The estimate
//! counts the visits of the simplest validation. The actual one is never worse by more than a constant factor.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::model::json_pointer::join_pointer;

/// Maximum number of values within the checked value, without names.
pub(super) const VALUES: usize = 10_000;

/// Maximum number of values in a schema, without names.
pub(super) const SCHEMA_VALUES: usize = 20_000;

/// Maximum number of visits for a value. Each may leave an error of about 300 bytes before errors are ordered and cut.
const FUEL: usize = 200_000;
/// Maximum number of steps through schemas and values together. Each takes one or more stack frames of the validator.
const STEPS: usize = 256;
/// Cost of a pattern in visits. Also the number of text bytes, or of `enum` choices, that cost one visit.
const PATTERN: usize = 32;

/// The remaining room for a value.
pub(super) struct Room {
    pub(super) values: usize,
    pub(super) bytes: usize,
    /// Bytes of the places of all values, because the validator spells them out.
    pub(super) places: usize,
}

impl Room {
    /// Takes room for a value. Returns `false` if there is too little, or if the value is deeper than `depth`.
    pub(super) fn holds(&mut self, value: &Value, depth: usize) -> bool {
        self.holds_at(value, depth, 0)
    }

    fn holds_at(&mut self, value: &Value, depth: usize, place: usize) -> bool {
        let (Some(values), Some(places)) = (self.values.checked_sub(1), self.places.checked_sub(place))
        else {
            return false;
        };
        (self.values, self.places) = (values, places);
        match value {
            Value::String(text) => self.text(text),
            // An index has several digits.
            Value::Array(items) => {
                depth > 0 && items.iter().all(|item| self.holds_at(item, depth - 1, place + 5))
            }
            Value::Object(map) => {
                depth > 0
                    && map.iter().all(|(name, value)| {
                        self.text(name) && self.holds_at(value, depth - 1, place + 1 + name.len())
                    })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    fn text(&mut self, text: &str) -> bool {
        let left = self.bytes.checked_sub(text.len());
        self.bytes = left.unwrap_or(0);
        left.is_some()
    }
}

/// The schemas that each schema applies, and the parts to which it applies them.
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// Maximum visits for one value, including the schemas applied to its parts. `None` if this depends on the value.
    visits: Option<usize>,
}

#[derive(Default)]
struct Node {
    /// Number of visits for the schema itself.
    weight: usize,
    /// Whether it looks at each byte of a text.
    pattern: bool,
    /// Schemas applied to the same value.
    here: Vec<usize>,
    properties: BTreeMap<String, usize>,
    /// Schemas applied to each property, from `patternProperties`, whose names are ignored, and `additionalProperties`.
    each_property: Vec<usize>,
    names: Vec<usize>,
    items: Vec<usize>,
    /// Schemas applied to each item, from `items`, `additionalItems` and `contains`.
    each_item: Vec<usize>,
}

/// A schema whose work cannot be estimated.
pub(super) struct GraphError {
    pub(super) kind: Fault,
    pub(super) place: String,
}

pub(super) enum Fault {
    Nowhere,
    Loop,
    TooLarge,
}

impl Graph {
    /// Follows a schema and all of its references. `enter` returns the scope within a part of a schema. `lookup`
    /// returns the target of a reference in a scope, and the scope of the target.
    pub(super) fn new<'v, S: Clone>(
        root: &'v Value,
        scope: S,
        enter: impl Fn(&S, &'v Value) -> Result<S, ()>,
        lookup: impl Fn(&S, &str) -> Result<(&'v Value, S), ()>,
    ) -> Result<Self, GraphError> {
        let mut found: HashMap<*const Value, usize> = HashMap::from([(std::ptr::from_ref(root), 0)]);
        let mut nodes = vec![Node::default()];
        // The schema that names it, the keyword, and the part named there.
        let mut places: Vec<(usize, &str, Part<'_>)> = vec![(0, "", Part::Whole)];
        let mut open = vec![(0, root, scope)];
        while let Some((at, schema, scope)) = open.pop() {
            let Some(map) = schema.as_object() else {
                nodes[at].weight = 1;
                continue;
            };
            let reference = map.get("$ref").and_then(Value::as_str);
            let mut add = |value: &'v Value, keyword: &'v str, part: Part<'v>, scope: S| {
                *found.entry(std::ptr::from_ref(value)).or_insert_with(|| {
                    nodes.push(Node::default());
                    places.push((at, keyword, part));
                    open.push((nodes.len() - 1, value, scope));
                    nodes.len() - 1
                })
            };
            let mut node = Node { weight: 1 + map.len(), ..Node::default() };
            if let Some(reference) = reference {
                let Ok((target, scope)) = lookup(&scope, reference) else {
                    places.push((at, "$ref", Part::Whole));
                    return Err(GraphError { kind: Fault::Nowhere, place: spell(&places, places.len() - 1) });
                };
                node.here.push(add(target, "$ref", Part::Whole, scope));
                nodes[at] = node;
                continue;
            }
            for (keyword, value) in map {
                let mut one = |value: &'v Value, part: Part<'v>| {
                    let inner = enter(&scope, value).unwrap_or_else(|()| scope.clone());
                    add(value, keyword, part, inner)
                };
                match (keyword.as_str(), value) {
                    ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => {
                        node.here.extend(all.iter().enumerate().map(|(n, v)| one(v, Part::Item(n))))
                    }
                    ("not" | "if" | "then" | "else", _) => node.here.push(one(value, Part::Whole)),
                    ("dependencies", Value::Object(all)) => {
                        let schemas = all.iter().filter(|(_, value)| !value.is_array());
                        node.here.extend(schemas.map(|(name, v)| one(v, Part::Name(name))));
                        node.weight += size(value);
                    }
                    ("properties", Value::Object(all)) => {
                        let parts = all.iter().map(|(name, v)| (name.clone(), one(v, Part::Name(name))));
                        node.properties.extend(parts);
                    }
                    ("patternProperties", Value::Object(all)) => {
                        node.weight += PATTERN * all.len();
                        node.pattern |= !all.is_empty();
                        node.each_property.extend(all.iter().map(|(name, v)| one(v, Part::Name(name))));
                    }
                    ("additionalProperties", _) => node.each_property.push(one(value, Part::Whole)),
                    ("propertyNames", _) => node.names.push(one(value, Part::Whole)),
                    ("items", Value::Array(all)) => {
                        node.items.extend(all.iter().enumerate().map(|(n, v)| one(v, Part::Item(n))))
                    }
                    ("items" | "additionalItems" | "contains", _) => {
                        node.each_item.push(one(value, Part::Whole))
                    }
                    ("pattern" | "format" | "contentMediaType" | "contentEncoding", _) => {
                        node.weight += PATTERN;
                        node.pattern = true;
                    }
                    ("required", _) => node.weight += size(value),
                    ("enum" | "const", _) => node.weight += size(value) / PATTERN,
                    _ => {}
                }
            }
            nodes[at] = node;
        }
        if nodes.len() > SCHEMA_VALUES {
            return Err(GraphError { kind: Fault::TooLarge, place: String::new() });
        }
        let all = measure(&nodes, |node| {
            let rest = [&node.each_property, &node.names, &node.items, &node.each_item];
            rest.into_iter().flatten().chain(node.properties.values()).chain(&node.here).copied().collect()
        });
        // The schemas applied to one and the same value must not form a loop.
        let here = measure(&nodes, |node| node.here.clone());
        match here {
            Err(at) => return Err(GraphError { kind: Fault::Loop, place: spell(&places, at) }),
            Ok(Measure { visits, steps }) if visits > FUEL || steps > STEPS => {
                return Err(GraphError { kind: Fault::TooLarge, place: String::new() });
            }
            Ok(_) => {}
        }
        let visits = all.ok().filter(|all| all.steps <= STEPS / 2).map(|all| all.visits);
        Ok(Self { nodes, visits })
    }

    /// Whether a value with this number of values and bytes of text can be checked in little time.
    pub(super) fn affords(&self, value: &Value, values: usize, bytes: usize) -> bool {
        // This test alone decides for most values.
        if self.visits.is_some_and(|visits| visits.saturating_mul(values + bytes / PATTERN) <= FUEL) {
            return true;
        }
        let mut fuel = FUEL;
        let a_name = Value::Null;
        let mut open = vec![(0, value, 0)];
        while let Some((at, value, steps)) = open.pop() {
            let node = &self.nodes[at];
            let bytes = match value {
                Value::String(text) if node.pattern => text.len(),
                Value::Object(map) if node.pattern => map.keys().map(String::len).sum(),
                Value::Object(map) => map.len(),
                Value::Array(items) => items.len(),
                _ => 0,
            };
            let Some(left) = fuel.checked_sub(node.weight + bytes / PATTERN) else { return false };
            fuel = left;
            if steps > STEPS {
                return false;
            }
            open.extend(node.here.iter().map(|&here| (here, value, steps + 1)));
            match value {
                Value::Object(map) => {
                    for (name, value) in map {
                        let own = node.properties.get(name);
                        open.extend(
                            own.into_iter().chain(&node.each_property).map(|&n| (n, value, steps + 1)),
                        );
                        fuel = fuel.saturating_sub(node.names.len() * name.len() / PATTERN);
                        open.extend(node.names.iter().map(|&n| (n, &a_name, steps + 1)));
                    }
                }
                Value::Array(items) => {
                    for (item, own) in
                        items.iter().zip(node.items.iter().map(Some).chain(std::iter::repeat(None)))
                    {
                        open.extend(own.into_iter().chain(&node.each_item).map(|&n| (n, item, steps + 1)));
                    }
                }
                _ => {}
            }
            // Open entries are counted later, but take memory now.
            if open.len() > FUEL {
                return false;
            }
        }
        true
    }
}

/// The schemas under a keyword, which are its value or a part of it.
enum Part<'v> {
    Whole,
    Item(usize),
    Name(&'v str),
}

/// Returns the JSON Pointer to a schema. It follows the path through references.
fn spell(places: &[(usize, &str, Part<'_>)], mut at: usize) -> String {
    let mut way = Vec::new();
    while at != 0 {
        let (parent, keyword, part) = &places[at];
        way.push((keyword, part));
        at = *parent;
    }
    let mut place = String::new();
    for (keyword, part) in way.into_iter().rev() {
        place = join_pointer(&place, keyword);
        match part {
            Part::Whole => {}
            Part::Item(n) => place = format!("{place}/{n}"),
            Part::Name(name) => place = join_pointer(&place, name),
        }
    }
    place
}

struct Measure {
    /// Visits of all schemas that the root applies, added up over all branches.
    visits: usize,
    /// Number of steps on the longest path.
    steps: usize,
}

/// Returns the largest measure of any node, or the node at which a loop closes.
fn measure(nodes: &[Node], next: impl Fn(&Node) -> Vec<usize>) -> Result<Measure, usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; nodes.len()];
    let mut visits = vec![0_usize; nodes.len()];
    let mut steps = vec![0_usize; nodes.len()];
    for root in 0..nodes.len() {
        let mut open = vec![root];
        while let Some(&at) = open.last() {
            let below = next(&nodes[at]);
            match state[at] {
                State::New => {
                    state[at] = State::Open;
                    for &n in &below {
                        match state[n] {
                            State::New => open.push(n),
                            State::Open => return Err(n),
                            State::Done => {}
                        }
                    }
                }
                State::Open => {
                    state[at] = State::Done;
                    visits[at] = below.iter().fold(nodes[at].weight, |sum, &n| sum.saturating_add(visits[n]));
                    steps[at] = below.iter().map(|&n| steps[n] + 1).max().unwrap_or(0);
                    open.pop();
                }
                State::Done => {
                    open.pop();
                }
            }
        }
    }
    Ok(Measure { visits: visits.into_iter().max().unwrap_or(0), steps: steps.into_iter().max().unwrap_or(0) })
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(size).sum::<usize>(),
        _ => 1,
    }
}
