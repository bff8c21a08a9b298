//! Paths of the state touched by effects, each with the number of the last effect that touched it.
//!
//! Undo looks up this list so that it need not read the effects, of which there may be thousands for one edit of a
//! person. The list is part of the head, so it is bounded. If there are too many paths, the two touched longest ago
//! merge into their common ancestor, with the later number. The list may therefore claim more than was touched, but
//! never less.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Maximum number of paths.
const PATHS: usize = 32;

/// Maximum bytes of all paths together. A longer path counts as the whole state.
const BYTES: usize = 1_024;

/// JSON Pointers with numbers of entries.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Touched(BTreeMap<String, u64>);

impl Touched {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of the newest entry.
    pub(crate) fn newest(&self) -> u64 {
        self.0.values().copied().max().unwrap_or_default()
    }

    /// Returns the newest entry after `number` that touched the path, an enclosing path, or a path inside it.
    pub(crate) fn since(&self, number: u64, path: &str) -> Option<u64> {
        let touching = self.0.iter().filter(|(other, _)| is_in(path, other) || is_in(other, path));
        touching.map(|(_, last)| *last).filter(|last| *last > number).max()
    }

    /// Records that an entry, newer than all before, touches a path.
    pub(crate) fn touch(&mut self, path: &str, number: u64) {
        self.put(path.to_owned(), number);
        while self.0.len() > PATHS || self.0.keys().map(String::len).sum::<usize>() > BYTES {
            let mut oldest: Vec<_> = self.0.iter().map(|(path, number)| (*number, path.as_str())).collect();
            oldest.sort_unstable();
            let around = match *oldest {
                [(_, one), (number, other), ..] => (around(one, other).to_owned(), number),
                _ => (String::new(), number),
            };
            self.put(around.0, around.1);
        }
    }

    /// Adds a path, unless an enclosing one is at least as new. Removes paths inside it that are not newer.
    fn put(&mut self, path: String, number: u64) {
        if self.0.iter().any(|(outer, last)| *last >= number && is_in(&path, outer)) {
            return;
        }
        self.0.retain(|inner, last| *last > number || !is_in(inner, &path));
        self.0.insert(path, number);
    }

    /// Removes paths that are not newer than this entry.
    pub(crate) fn forget_up_to(&mut self, number: u64) {
        self.0.retain(|_, last| *last > number);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Whether a pointer leads to the place of another one or into it.
fn is_in(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the innermost place that contains both pointers.
fn around<'p>(one: &'p str, other: &str) -> &'p str {
    let ends = one.match_indices('/').map(|(end, _)| end).chain([one.len()]);
    let common = ends.map(|end| &one[..end]).take_while(|outer| is_in(other, outer));
    common.last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_touched_with_all_around_it_and_in_it() {
        let mut touched = Touched::default();
        touched.touch("/log/lines", 7);
        for (path, number, expected) in [
            ("", 6, Some(7)),
            ("/log", 6, Some(7)),
            ("/log/lines", 6, Some(7)),
            ("/log/lines/at", 6, Some(7)),
            ("/log/lines", 7, None),
            ("/log/line", 6, None),
            ("/log/lines2", 6, None),
            ("/other", 6, None),
        ] {
            assert_eq!(touched.since(number, path), expected, "{path:?} after {number}");
        }
        touched.forget_up_to(7);
        assert!(touched.is_empty());
    }

    #[test]
    fn the_paths_of_longest_ago_make_room() {
        let mut touched = Touched::default();
        for number in 1..=100 {
            touched.touch(&format!("/log/{number}"), number);
        }
        assert_eq!((touched.0.len(), touched.0["/log"]), (32, 69));
        assert_eq!((touched.since(68, "/log/new"), touched.since(69, "/log/new")), (Some(69), None));
        let long = |n: u64| format!("/{n}{}", "x".repeat(500));
        (1..=3).for_each(|n| touched.touch(&long(n), 100 + n));
        assert_eq!(
            (touched.0.len(), touched.since(100, "/new"), touched.since(101, "/new")),
            (3, Some(101), None)
        );
    }

    /// Names of which some share a prefix.
    fn path() -> impl Strategy<Value = String> {
        prop::collection::vec(prop_oneof![Just("a"), Just("ab"), Just("b"), Just("c~1a")], 0..4)
            .prop_map(|names| names.iter().map(|name| format!("/{name}")).collect())
    }

    proptest! {
        /// However many paths there are, a touched path is never reported as untouched.
        #[test]
        fn the_list_is_bounded_and_leaves_nothing_out(
            effects in prop::collection::vec((path(), prop::option::of(0..60_u32)), 0..200),
            asked in path(),
            number in 0..200_u64,
        ) {
            let (mut touched, mut all) = (Touched::default(), Vec::new());
            for (number, (path, member)) in (1..).zip(effects) {
                let path = member.map_or_else(|| path.clone(), |member| format!("{path}/{member}"));
                touched.touch(&path, number);
                all.push((path, number));
            }
            let expected = all.iter().filter(|(path, _)| is_in(path, &asked) || is_in(&asked, path));
            let expected = expected.map(|(_, last)| *last).filter(|last| *last > number).max();
            prop_assert!(touched.since(number, &asked) >= expected);
            prop_assert!(touched.0.len() <= PATHS);
            prop_assert_eq!(touched.newest(), all.len() as u64);
        }
    }
}
