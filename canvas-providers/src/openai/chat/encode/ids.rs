//! Ids of calls in a form that the host accepts.

use std::collections::{BTreeMap, BTreeSet};

use crate::hosts::CallIdRule;
use crate::names::{Mapper, NameRule, hash};

/// Characters that hosts are known to use in ids. Such ids have to be sent back unchanged.
const SIGNS: &str = ".:/|+=#@";

/// A one-to-one mapping from the ids of a history to the ids of a request.
#[derive(Debug)]
pub(super) enum Ids {
    UpTo(Mapper),
    Nine { to_wire: BTreeMap<String, String>, taken: BTreeSet<String> },
}

impl Ids {
    pub(super) fn new(rule: CallIdRule) -> Self {
        match rule {
            CallIdRule::UpTo(max) => {
                // A generated id needs room for a readable stem and a hash.
                let max = max.max(16);
                Self::UpTo(Mapper::new(NameRule { max, also: SIGNS, begins_with_letter: false }))
            }
            CallIdRule::Nine => Self::Nine { to_wire: BTreeMap::new(), taken: BTreeSet::new() },
        }
    }

    pub(super) fn wire(&mut self, original: &str) -> &str {
        match self {
            Self::UpTo(mapper) => mapper.wire(original),
            Self::Nine { to_wire, taken } => {
                if !to_wire.contains_key(original) {
                    let wire = free_nine(original, taken);
                    taken.insert(wire.clone());
                    to_wire.insert(original.to_owned(), wire);
                }
                &to_wire[original]
            }
        }
    }
}

fn free_nine(original: &str, taken: &BTreeSet<String>) -> String {
    let is_allowed = original.len() == 9 && original.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_allowed && !taken.contains(original) {
        return original.to_owned();
    }
    (0u32..)
        .map(|salt| format!("c{:08x}", hash(original, salt)))
        .find(|id| !taken.contains(id))
        .expect("fewer ids are taken than there are salts")
}
