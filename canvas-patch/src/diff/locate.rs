//! Finds the pre-images of all hunks in a text, in linear time.
//!
//! Lines are compared without their terminators. Distinct lines of the needles become small numbers. The needles become
//! one Aho-Corasick automaton over these numbers, through which the text runs once. Therefore neither many hunks nor
//! long runs of one line make the search quadratic. If there are few needles and the longest line of each is rare, a
//! search for these lines is faster.

use std::collections::HashMap;

use memchr::memmem;

use crate::text::lines::{Lines, content, line_start_before, newlines_in};

/// The places of one needle, as lines counted from 0, in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) lines: Vec<usize>,
}

/// Finds at most `cap` places of each needle in the text. A needle is the lines of a pre-image and is never empty.
pub(crate) fn find(text: &str, needles: &[Vec<&str>], cap: usize) -> Vec<Places> {
    let few = needles.len() <= MAX_SINGLE_SEARCHES;
    let found = few
        .then(|| needles.iter().map(|needle| find_by_longest_line(text, needle, cap)).collect::<Option<_>>());
    found.flatten().unwrap_or_else(|| find_by_automaton(text, needles, cap))
}

/// Up to this many needles are searched for one by one, as bytes. On 100 KB this takes a fifth of the automaton's time.
const MAX_SINGLE_SEARCHES: usize = 8;

/// Maximum occurrences of a needle's longest line that are looked at before the automaton takes over.
const MAX_PROBES: usize = 256;

/// Finds a needle by its longest line. Returns `None` if that line is empty or occurs more than [`MAX_PROBES`] times.
fn find_by_longest_line(text: &str, needle: &[&str], cap: usize) -> Option<Places> {
    let (rank, longest) =
        needle.iter().map(|line| content(line)).enumerate().max_by_key(|(_, line)| line.len())?;
    if longest.is_empty() {
        return None;
    }
    let mut places = Places::default();
    let (mut line, mut counted) = (0, 0);
    for (probes, hit) in memmem::find_iter(text.as_bytes(), longest).enumerate() {
        if places.lines.len() == cap {
            break;
        }
        if probes == MAX_PROBES {
            return None;
        }
        let Some(start) = lines_above(text, hit, rank) else { continue };
        let mut lines = Lines::new(&text[start..]).map(content);
        if needle.iter().all(|line| lines.next() == Some(content(line))) {
            line += newlines_in(&text.as_bytes()[counted..start]);
            counted = start;
            places.lines.push(line);
        }
    }
    Some(places)
}

/// Returns the start of the line `count` lines above the one that starts at `at`. Returns `None` if no line starts at
/// `at`, or if there are fewer lines above it.
fn lines_above(text: &str, mut at: usize, count: usize) -> Option<usize> {
    if at > 0 && text.as_bytes()[at - 1] != b'\n' {
        return None;
    }
    for _ in 0..count {
        if at == 0 {
            return None;
        }
        at = line_start_before(text, at);
    }
    Some(at)
}

fn find_by_automaton(text: &str, needles: &[Vec<&str>], cap: usize) -> Vec<Places> {
    let mut automaton = Automaton::new(needles);
    automaton.run(text, cap);
    automaton.ends.iter().map(|&node| automaton.found[node].clone()).collect()
}

const ROOT: usize = 0;
const NONE: usize = usize::MAX;

/// An Aho-Corasick automaton over line numbers (Aho and Corasick, 1975).
struct Automaton<'a> {
    ids: HashMap<&'a str, usize>,
    filter: LineFilter,
    next: HashMap<(usize, usize), usize>,
    /// The node after the root for each line. Most lines that the text shares with a needle lead back to the root.
    from_root: Vec<usize>,
    fail: Vec<usize>,
    depth: Vec<usize>,
    /// The nearest node along the failure links, this one included, that ends a needle which needs more places.
    output: Vec<usize>,
    /// The node at which each needle ends. Equal needles share one.
    ends: Vec<usize>,
    found: Vec<Places>,
}

impl<'a> Automaton<'a> {
    fn new(needles: &[Vec<&'a str>]) -> Self {
        let mut machine = Self {
            ids: HashMap::new(),
            filter: LineFilter::new(needles.iter().map(Vec::len).sum()),
            next: HashMap::new(),
            from_root: Vec::new(),
            fail: vec![ROOT],
            depth: vec![0],
            output: vec![NONE],
            ends: Vec::with_capacity(needles.len()),
            found: Vec::new(),
        };
        let mut children = vec![Vec::new()];
        for needle in needles {
            let mut node = ROOT;
            for line in needle {
                let fresh = machine.ids.len();
                let id = *machine.ids.entry(content(line)).or_insert(fresh);
                if id == fresh {
                    machine.filter.add(content(line));
                    machine.from_root.push(ROOT);
                }
                node = match machine.child(node, id) {
                    Some(child) => child,
                    None => {
                        let child = children.len();
                        children[node].push((id, child));
                        children.push(Vec::new());
                        match node {
                            ROOT => machine.from_root[id] = child,
                            _ => drop(machine.next.insert((node, id), child)),
                        }
                        machine.fail.push(ROOT);
                        machine.depth.push(machine.depth[node] + 1);
                        machine.output.push(NONE);
                        child
                    }
                };
            }
            machine.output[node] = node;
            machine.ends.push(node);
        }
        machine.found = vec![Places::default(); children.len()];
        machine.link(&children);
        machine
    }

    /// Sets failure and output links, breadth first.
    fn link(&mut self, children: &[Vec<(usize, usize)>]) {
        let mut queue = std::collections::VecDeque::from([ROOT]);
        while let Some(node) = queue.pop_front() {
            for &(id, child) in &children[node] {
                if node != ROOT {
                    self.fail[child] = self.step(self.fail[node], id);
                }
                if self.output[child] == NONE {
                    self.output[child] = self.output[self.fail[child]];
                }
                queue.push_back(child);
            }
        }
    }

    fn child(&self, node: usize, id: usize) -> Option<usize> {
        match node {
            ROOT => Some(self.from_root[id]).filter(|&child| child != ROOT),
            _ => self.next.get(&(node, id)).copied(),
        }
    }

    fn step(&self, mut node: usize, id: usize) -> usize {
        loop {
            match self.child(node, id) {
                Some(child) => return child,
                None if node == ROOT => return ROOT,
                None => node = self.fail[node],
            }
        }
    }

    fn run(&mut self, text: &str, cap: usize) {
        let mut node = ROOT;
        for (line_index, line) in Lines::new(text).enumerate() {
            let line = content(line);
            let id = if self.filter.may_match(line) { self.ids.get(line) } else { None };
            let Some(&id) = id else {
                node = ROOT;
                continue;
            };
            node = self.step(node, id);
            let mut end = self.wanting(node, cap);
            while end != NONE {
                self.found[end].lines.push(line_index + 1 - self.depth[end]);
                end = match self.fail[end] {
                    ROOT => NONE,
                    fail => self.wanting(fail, cap),
                };
            }
        }
    }

    /// Follows the output links to a needle that needs more places. Shortens the path for the next time, so that
    /// needles with enough places cost no more.
    fn wanting(&mut self, node: usize, cap: usize) -> usize {
        let mut end = self.output[node];
        while end != NONE && self.found[end].lines.len() >= cap {
            end = match self.fail[end] {
                ROOT => NONE,
                fail => self.output[fail],
            };
        }
        let (mut at, mut way) = (node, self.output[node]);
        while way != end {
            self.output[at] = end;
            at = self.fail[way];
            way = self.output[at];
        }
        end
    }
}

/// A filter that rejects most lines that are in no needle, by their length and ends, at a tenth of the cost of hashing
/// them. A line that passes is looked up by the keyed hash of `ids`, so a text made to pass costs no more than without
/// the filter.
struct LineFilter {
    /// The number of bits is a power of two.
    bits: Vec<u64>,
}

impl LineFilter {
    /// Bits for each line. One in this many other lines passes.
    const SPARSITY: usize = 64;

    fn new(lines: usize) -> Self {
        Self { bits: vec![0; (lines * Self::SPARSITY / 64).next_power_of_two()] }
    }

    fn add(&mut self, line: &str) {
        let (word, bit) = self.place(line);
        self.bits[word] |= bit;
    }

    fn may_match(&self, line: &str) -> bool {
        let (word, bit) = self.place(line);
        self.bits[word] & bit != 0
    }

    fn place(&self, line: &str) -> (usize, u64) {
        let bytes = line.as_bytes();
        let ends = match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(&first), Some(&last)) => {
                u64::from_le_bytes(first) ^ u64::from_le_bytes(last).rotate_left(21)
            }
            _ => bytes.iter().fold(0, |all, &byte| all << 8 | u64::from(byte)),
        };
        // Fibonacci hashing (Knuth): the high bits of the product depend on all of the others.
        let hash = (ends ^ (bytes.len() as u64).rotate_right(9)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> 6 >> 26) as usize & (self.bits.len() - 1), 1 << (hash >> 58))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(text: &str, needle: &[&str]) -> Vec<usize> {
        let lines: Vec<_> = Lines::new(text).map(content).collect();
        let needle: Vec<_> = needle.iter().map(|line| content(line)).collect();
        lines.windows(needle.len()).enumerate().filter(|(_, w)| *w == needle).map(|(i, _)| i).collect()
    }

    proptest! {
        #[test]
        fn every_needle_is_found_where_a_naive_search_finds_it(
            text in "[ab\r\n]{0,60}",
            needles in prop::collection::vec(prop::collection::vec("[ab]{0,2}\r?\n?", 1..4), 0..6),
            cap in 1_usize..5,
        ) {
            let needles: Vec<Vec<&str>> =
                needles.iter().map(|n| n.iter().map(String::as_str).collect()).collect();
            let find_by_automaton = find_by_automaton(&text, &needles, cap);
            for (needle, found) in needles.iter().zip(&find_by_automaton) {
                let mut expected = naive(&text, needle);
                expected.truncate(cap);
                prop_assert_eq!(&found.lines, &expected);
            }
            prop_assert_eq!(find(&text, &needles, cap), find_by_automaton);
        }
    }

    /// A line that occurs too often is left to the automaton.
    #[test]
    fn common_lines_are_found_too() {
        let text = "x- a\n".repeat(MAX_PROBES) + "- a\n- b\n";
        for (needle, is_common, line) in
            [(vec!["- a"], true, MAX_PROBES), (vec!["- b"], false, MAX_PROBES + 1)]
        {
            assert_eq!(find_by_longest_line(&text, &needle, 2).is_none(), is_common);
            assert_eq!(find(&text, &[needle], 2), [Places { lines: vec![line] }]);
        }
    }

    #[test]
    fn nested_needles_in_one_long_run_stay_linear() {
        let text = "a\n".repeat(20_000);
        let needles: Vec<Vec<&str>> = (1..200).map(|n| vec!["a"; n]).collect();
        for places in find(&text, &needles, 2) {
            assert_eq!(places.lines, [0, 1]);
        }
    }
}
