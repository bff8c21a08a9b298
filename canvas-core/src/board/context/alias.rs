//! Short names for components, because random ids cost many tokens.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::model::id::ComponentId;
use crate::board::model::workspace::Canvas;

/// The aliases `c1`, `c2` and so on of a conversation, in the order in which it learned of the components.
///
/// The host keeps one value for each conversation, and calls [`learn`](Self::learn) before it makes a context. An alias
/// never changes its component, even after the component is removed, so the list grows with the components that the
/// conversation learned of.
///
/// In JSON it is the ids of the components, in the order of their aliases.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<ComponentId>", into = "Vec<ComponentId>")]
#[schemars(with = "Vec<ComponentId>")]
pub struct Aliases {
    known: Vec<ComponentId>,
    numbers: BTreeMap<ComponentId, usize>,
}

impl Aliases {
    /// Gives an alias to each component that lacks one. `O(n log n)`.
    pub fn learn(&mut self, canvas: &Canvas) {
        for component in &canvas.components {
            self.add(component.id.clone());
        }
    }

    /// Returns the component of an alias, or `None` if the alias is unknown.
    pub fn resolve(&self, alias: &str) -> Option<&ComponentId> {
        let digits = alias.strip_prefix('c')?;
        if digits.starts_with(['0', '+']) {
            return None;
        }
        self.known.get(digits.parse::<usize>().ok()?.checked_sub(1)?)
    }

    /// Returns the alias of a component, or `None` if it lacks one.
    pub fn of(&self, id: &ComponentId) -> Option<String> {
        self.numbers.get(id).map(|number| format!("c{number}"))
    }

    /// Iterates over the aliases and their components, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (String, &ComponentId)> {
        self.known.iter().enumerate().map(|(at, id)| (format!("c{}", at + 1), id))
    }

    fn add(&mut self, id: ComponentId) {
        if !self.numbers.contains_key(&id) {
            self.known.push(id.clone());
            self.numbers.insert(id, self.known.len());
        }
    }
}

impl From<Vec<ComponentId>> for Aliases {
    fn from(known: Vec<ComponentId>) -> Self {
        let mut aliases = Self::default();
        for id in known {
            aliases.add(id);
        }
        aliases
    }
}

/// Returns the components in the order of their aliases.
impl From<Aliases> for Vec<ComponentId> {
    fn from(aliases: Aliases) -> Self {
        aliases.known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_means_one_component_for_good() {
        let id = |name: &str| ComponentId::new(name).unwrap();
        let mut aliases = Aliases::default();
        // A component may be called like an alias. It has its own alias all the same.
        for name in ["cmp_a", "c1", "cmp_a", "cmp_b"] {
            aliases.add(id(name));
        }
        for (alias, expected) in [
            ("c1", Some("cmp_a")),
            ("c2", Some("c1")),
            ("c3", Some("cmp_b")),
            ("c4", None),
            ("c0", None),
            ("c01", None),
            ("c+1", None),
            ("c", None),
            ("", None),
            ("cmp_a", None),
            ("C1", None),
            ("c99999999999999999999999", None),
        ] {
            assert_eq!(aliases.resolve(alias).map(ComponentId::as_str), expected, "{alias}");
        }
        for (alias, component) in aliases.iter() {
            assert_eq!(aliases.resolve(&alias), Some(component));
            assert_eq!(aliases.of(component), Some(alias));
        }
        let json = serde_json::to_string(&aliases).unwrap();
        assert_eq!(json, r#"["cmp_a","c1","cmp_b"]"#);
        assert_eq!(serde_json::from_str::<Aliases>(&json).unwrap(), aliases);
    }
}
