//! Names and ids that every provider accepts, mapped in both directions.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// Tools with another name on the wire. In JSON: an object that maps the tool's name to the one on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Renames {
    to_wire: BTreeMap<String, String>,
}

impl Renames {
    /// Returns the name on the wire if it differs from the tool's own.
    pub fn wire(&self, original: &str) -> Option<&str> {
        self.to_wire.get(original).map(String::as_str)
    }

    /// Returns the tool's own name. A name that is not in the renames is returned unchanged.
    pub fn original<'a>(&'a self, wire: &'a str) -> &'a str {
        self.to_wire.iter().find(|(_, to)| *to == wire).map_or(wire, |(from, _)| from)
    }
}

/// The names or ids that a provider accepts: 1 to `max` characters of `[a-zA-Z0-9_-]` and `also`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameRule {
    pub(crate) max: usize,
    /// More accepted ASCII characters.
    pub(crate) also: &'static str,
    /// Whether the first character must be a letter or `_`.
    pub(crate) begins_with_letter: bool,
}

impl NameRule {
    /// Names that every provider accepts.
    pub(crate) const PORTABLE: Self = Self { max: 64, also: "", begins_with_letter: true };

    fn allows(self, name: &str) -> bool {
        let first = name.chars().next();
        first.is_some_and(|first| self.may_begin(first))
            && name.len() <= self.max
            && name.chars().all(|c| self.takes(c))
    }

    fn takes(self, c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_' || c == '-' || self.also.contains(c)
    }

    fn may_begin(self, c: char) -> bool {
        !self.begins_with_letter || c.is_ascii_alphabetic() || c == '_'
    }
}

/// A growing one-to-one mapping from original names to wire names.
///
/// A valid, unused name maps to itself; any other maps to a sanitised stem plus a hash. The same inputs in the same
/// order give the same names.
#[derive(Debug)]
pub(crate) struct Mapper {
    rule: NameRule,
    to_wire: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

impl Mapper {
    pub(crate) fn new(rule: NameRule) -> Self {
        Self { rule, to_wire: BTreeMap::new(), taken: BTreeSet::new() }
    }

    /// Maps valid names first, so that none of them has to give way to a generated one.
    pub(crate) fn over<'a>(&mut self, names: impl Iterator<Item = &'a str> + Clone) {
        let rule = self.rule;
        for name in names.clone().filter(|name| rule.allows(name)) {
            self.wire(name);
        }
        for name in names {
            self.wire(name);
        }
    }

    /// Reserves a name that the provider prescribes, before any other is mapped.
    pub(crate) fn fix(&mut self, original: &str, wire: &str) {
        self.taken.insert(wire.to_owned());
        self.to_wire.insert(original.to_owned(), wire.to_owned());
    }

    pub(crate) fn wire(&mut self, original: &str) -> &str {
        if !self.to_wire.contains_key(original) {
            let wire = self.free_name(original);
            self.taken.insert(wire.clone());
            self.to_wire.insert(original.to_owned(), wire);
        }
        &self.to_wire[original]
    }

    /// Returns the names that differ.
    pub(crate) fn renames(&self) -> Renames {
        let changed = self.to_wire.iter().filter(|(from, to)| from != to);
        Renames { to_wire: changed.map(|(from, to)| (from.clone(), to.clone())).collect() }
    }

    fn free_name(&self, original: &str) -> String {
        if self.rule.allows(original) && !self.taken.contains(original) {
            return original.to_owned();
        }
        // An underscore and the hash, and one more underscore if the first character is not allowed there.
        const ADDED: usize = 10;
        let rule = self.rule;
        let first = original.chars().next().filter(|&first| rule.takes(first) && !rule.may_begin(first));
        let stem: String = first
            .map(|_| '_')
            .into_iter()
            .chain(original.chars().map(|c| if rule.takes(c) { c } else { '_' }).take(rule.max - ADDED))
            .collect();
        (0u32..)
            .map(|salt| format!("{stem}_{:08x}", hash(original, salt)))
            .find(|name| !self.taken.contains(name))
            .expect("fewer names are taken than there are salts")
    }
}

/// FNV-1a, folded to 32 bits. A weak hash is enough, because a name that is already taken gets the next salt.
pub(crate) fn hash(text: &str, salt: u32) -> u32 {
    let bytes = text.bytes().chain(salt.to_le_bytes());
    let wide =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (wide ^ (wide >> 32)) as u32
}

/// Assigns ids to calls, so that all calls of a history have different ids.
#[derive(Debug, Default)]
pub(crate) struct UniqueIds {
    used: BTreeSet<String>,
    last: BTreeMap<String, u32>,
}

impl UniqueIds {
    /// Claims the id, or returns a free one to use instead.
    pub(crate) fn claim(&mut self, id: &str) -> Option<String> {
        if !id.is_empty() && self.used.insert(id.to_owned()) {
            return None;
        }
        let stem = if id.is_empty() { "call" } else { id };
        let last = self.last.entry(stem.to_owned()).or_insert(1);
        loop {
            *last += 1;
            let free = format!("{stem}-{last}");
            if self.used.insert(free.clone()) {
                return Some(free);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: NameRule = NameRule::PORTABLE;

    #[test]
    fn a_made_name_yields_to_an_allowed_one_and_keeps_what_it_has() {
        let made = Mapper::new(RULE).wire("a.b").to_owned();
        let mut together = Mapper::new(RULE);
        together.over(["a.b", &made].into_iter());
        assert_eq!(together.wire(&made), made);
        assert_ne!(together.wire("a.b"), made);
        let mut later = Mapper::new(RULE);
        assert_eq!(later.wire("a.b"), made);
        assert_ne!(later.wire(&made), made);
    }

    #[test]
    fn an_id_is_claimed_once() {
        let mut ids = UniqueIds::default();
        let claims: Vec<_> = ["a", "a-2", "a", "", "a", "call-2"].map(|id| ids.claim(id)).to_vec();
        let claims: Vec<_> = claims.iter().map(Option::as_deref).collect();
        assert_eq!(claims, [None, None, Some("a-3"), Some("call-2"), Some("a-4"), Some("call-2-2")]);
    }
}
