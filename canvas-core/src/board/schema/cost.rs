//! How much work a schema makes of a value, told before the work is begun.
//!
//! References may apply a schema many times to one value, and twice as often with each level of the value. What is counted
//! here are the visits of the plainest way to check; the real one is never worse by more than a factor.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

/// Values of what is checked, names not counted.
pub(super) const VALUES: usize = 10_000;

/// Visits that any value may cost.
const FUEL: usize = 1_000_000;
/// Visits for one value below which nothing is counted: with [`VALUES`] they are few enough.
const CHEAP: usize = 512;
/// Steps through schemas and values together: each is a stack frame or several of the validator.
const STEPS: usize = 256;
/// What a pattern counts, in visits.
const PATTERN: usize = 32;

/// What is left for a value.
pub(super) struct Room {
    pub(super) values: usize,
    pub(super) bytes: usize,
}

impl Room {
    /// Takes room for a value; `false` where there is too little. Never deeper than `depth`.
    pub(super) fn holds(&mut self, value: &Value, depth: usize) -> bool {
        if self.values == 0 {
            return false;
        }
        self.values -= 1;
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => depth > 0 && items.iter().all(|item| self.holds(item, depth - 1)),
            Value::Object(map) => {
                depth > 0 && map.iter().all(|(name, value)| self.text(name) && self.holds(value, depth - 1))
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

/// A place of a JSON Pointer, one name further.
pub(super) fn step(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Which schema applies which others, and to what.
pub(super) struct Graph {
    nodes: Vec<Node>,
    cheap: bool,
}

/// A schema within a schema.
#[derive(Default)]
struct Node {
    /// Visits that it costs by itself.
    weight: usize,
    /// Whether it looks at each byte of a text.
    pattern: bool,
    /// Applied to the same value.
    here: Vec<usize>,
    properties: BTreeMap<String, usize>,
    /// Applied to each property: `patternProperties`, whose names are not looked at, and `additionalProperties`.
    each_property: Vec<usize>,
    names: Vec<usize>,
    items: Vec<usize>,
    /// Applied to each item: `items`, `additionalItems`, `contains`.
    each_item: Vec<usize>,
}

/// A schema whose work cannot be told.
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
    /// Follows a schema and all that it refers to. `enter` gives the scope within a part of a
    /// schema, `lookup` what a reference in a scope means, and the scope there.
    pub(super) fn new<'v, S: Clone>(
        root: &'v Value,
        scope: S,
        enter: impl Fn(&S, &'v Value) -> Result<S, ()>,
        lookup: impl Fn(&S, &str) -> Result<(&'v Value, S), ()>,
    ) -> Result<Self, GraphError> {
        let mut found: HashMap<*const Value, usize> = HashMap::from([(std::ptr::from_ref(root), 0)]);
        let mut nodes = vec![Node::default()];
        let mut places = vec![String::new()];
        let mut open = vec![(0, root, scope)];
        while let Some((at, schema, scope)) = open.pop() {
            let place = places[at].clone();
            let nowhere = |place: String| GraphError { kind: Fault::Nowhere, place };
            let Some(map) = schema.as_object() else {
                nodes[at].weight = 1;
                continue;
            };
            let reference = map.get("$ref").and_then(Value::as_str);
            let mut add = |value: &'v Value, place: String, scope: S| {
                *found.entry(std::ptr::from_ref(value)).or_insert_with(|| {
                    nodes.push(Node::default());
                    places.push(place);
                    open.push((nodes.len() - 1, value, scope));
                    nodes.len() - 1
                })
            };
            let mut node = Node { weight: 1 + map.len(), ..Node::default() };
            if let Some(reference) = reference {
                let here = step(&place, "$ref");
                let (target, scope) = lookup(&scope, reference).map_err(|()| nowhere(here.clone()))?;
                node.here.push(add(target, here, scope));
                nodes[at] = node;
                continue;
            }
            for (keyword, value) in map {
                let below = step(&place, keyword);
                let mut one = |value: &'v Value| {
                    let inner = enter(&scope, value).unwrap_or_else(|()| scope.clone());
                    add(value, below.clone(), inner)
                };
                match (keyword.as_str(), value) {
                    ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => node.here.extend(all.iter().map(one)),
                    ("not" | "if" | "then" | "else", _) => node.here.push(one(value)),
                    ("dependencies", Value::Object(all)) => {
                        node.here.extend(all.values().filter(|v| !v.is_array()).map(one));
                    }
                    ("properties", Value::Object(all)) => {
                        node.properties.extend(all.iter().map(|(name, value)| (name.clone(), one(value))));
                    }
                    ("patternProperties", Value::Object(all)) => {
                        node.weight += PATTERN * all.len();
                        node.pattern |= !all.is_empty();
                        node.each_property.extend(all.values().map(one));
                    }
                    ("additionalProperties", _) => node.each_property.push(one(value)),
                    ("propertyNames", _) => node.names.push(one(value)),
                    ("items", Value::Array(all)) => node.items.extend(all.iter().map(one)),
                    ("items" | "additionalItems" | "contains", _) => node.each_item.push(one(value)),
                    ("pattern" | "format" | "contentMediaType" | "contentEncoding", _) => {
                        node.weight += PATTERN;
                        node.pattern = true;
                    }
                    ("enum" | "const", _) => node.weight += size(value),
                    _ => {}
                }
            }
            nodes[at] = node;
        }
        if nodes.len() > super::Schema::VALUES {
            return Err(GraphError { kind: Fault::TooLarge, place: String::new() });
        }
        let all = measure(&nodes, |node| {
            let rest = [&node.each_property, &node.names, &node.items, &node.each_item];
            rest.into_iter().flatten().chain(node.properties.values()).chain(&node.here).copied().collect()
        });
        // What applies to one and the same value must come to an end by itself.
        let here = measure(&nodes, |node| node.here.clone());
        match here {
            Err(at) => return Err(GraphError { kind: Fault::Loop, place: places.swap_remove(at) }),
            Ok(Measure { visits, steps }) if visits > FUEL || steps > STEPS => {
                return Err(GraphError { kind: Fault::TooLarge, place: String::new() });
            }
            Ok(_) => {}
        }
        let cheap = all.is_ok_and(|all| all.visits <= CHEAP && all.steps <= STEPS / 2);
        Ok(Self { nodes, cheap })
    }

    /// Whether a value can be checked in little time.
    pub(super) fn affords(&self, value: &Value) -> bool {
        if self.cheap {
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
                _ => 0,
            };
            let Some(left) = fuel.checked_sub(node.weight + bytes) else { return false };
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
                        fuel = fuel.saturating_sub(node.names.len() * name.len());
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
            // What waits is paid later, but memory is taken now.
            if open.len() > FUEL {
                return false;
            }
        }
        true
    }
}

struct Measure {
    /// Visits of everything that the root applies, all branches added up.
    visits: usize,
    /// The longest way.
    steps: usize,
}

/// The largest measure of any node; the node at which a loop closes, where there is one.
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
