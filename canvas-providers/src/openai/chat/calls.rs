//! Assembles the calls of a stream from their deltas.
//!
//! The call of a delta is found by the delta's index. If there is no index, it is found by the delta's id, or else it
//! is the last call. Hosts leave the index out, count from 1, leave gaps, give each delta another id, repeat the name,
//! or send several complete calls under one index.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::delta::CallDelta;
use crate::pieces;

/// Calls so far, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// The latest call of each delta index.
    by_index: BTreeMap<u64, usize>,
    by_id: HashMap<String, usize>,
    /// The call that arrived as `function_call`.
    pub(super) single: Option<usize>,
}

/// A call, as received so far.
#[derive(Debug, Default)]
pub(super) struct Call {
    id: String,
    pub(super) name: String,
    /// The arguments or the input as text; parsed at the end.
    pub(super) arguments: String,
    is_custom: bool,
    extra_content: Option<Value>,
    scan: Scan,
    /// Number of its part in the answer.
    pub(super) part: usize,
    /// Whether its beginning was reported. The report waits for the name.
    pub(super) is_told: bool,
}

impl Calls {
    pub(super) fn get_mut(&mut self, at: usize) -> &mut Call {
        &mut self.calls[at]
    }

    /// Returns the call whose deltas have this index.
    pub(super) fn of_index(&self, index: u64) -> Option<usize> {
        self.by_index.get(&index).copied()
    }

    /// Returns the call that a delta belongs to, or `None` if the delta begins a new one.
    pub(super) fn find(&mut self, delta: &CallDelta<'_>) -> Option<usize> {
        let (id, name) = (delta.id(), delta.name());
        let last = self.calls.len().checked_sub(1);
        let found = match delta.index {
            Some(index) => self.of_index(index),
            None if id.is_empty() => last,
            None => self.by_id.get(id).copied().or_else(|| last.filter(|_| name.is_empty())),
        }?;
        (!self.calls[found].is_followed_by(delta)).then_some(found)
    }

    /// Begins a call with this delta.
    pub(super) fn begin(&mut self, delta: &CallDelta<'_>, part: usize) -> usize {
        let at = self.calls.len();
        self.calls.push(Call { part, is_custom: delta.is_custom(), ..Call::default() });
        if let Some(index) = delta.index {
            self.by_index.insert(index, at);
        }
        if !delta.id().is_empty() {
            self.by_id.insert(delta.id().to_owned(), at);
        }
        at
    }

    /// Returns the calls in the form of a complete answer. A `function_call` together with other calls repeats one of
    /// them.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (usize, Map<String, Value>)> {
        let said_twice = self.single.filter(|_| self.calls.len() > 1);
        let calls = self.calls.into_iter().enumerate().filter(move |(at, _)| said_twice != Some(*at));
        calls.map(|(_, call)| (call.part, call.into_part()))
    }
}

impl Call {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Takes all fields of a delta except its arguments.
    pub(super) fn take(&mut self, delta: &CallDelta<'_>) -> Result<(), serde_json::Error> {
        if self.id.is_empty() {
            self.id.push_str(delta.id());
        }
        let name = delta.name();
        if self.name.is_empty() {
            self.name.push_str(name);
        } else if self.arguments.is_empty() && name != self.name {
            // The rest of the name, or the whole name so far.
            match name.strip_prefix(self.name.as_str()) {
                Some(rest) => self.name.push_str(rest),
                None => self.name.push_str(name),
            }
        }
        if let Some(extra) = delta.extra_content {
            self.extra_content = Some(serde_json::from_str(extra.get())?);
        }
        Ok(())
    }

    /// Whether a delta that was found for this call begins the next one. Without a name it never does.
    fn is_followed_by(&mut self, delta: &CallDelta<'_>) -> bool {
        let (id, name) = (delta.id(), delta.name());
        if name.is_empty() || self.name.is_empty() || (!id.is_empty() && id == self.id) {
            return false;
        }
        match (self.arguments.is_empty(), name == self.name) {
            // A repeated beginning, or the rest of a name.
            (true, true) => false,
            (true, false) => !id.is_empty() || delta.index.is_none(),
            (false, false) => true,
            // Hosts that repeat the name in each delta do so while the arguments are still open.
            (false, true) => {
                self.scan.over(&self.arguments) && (!id.is_empty() || !delta.arguments().is_empty())
            }
        }
    }

    /// Returns the call in the form of a complete answer.
    fn into_part(self) -> Map<String, Value> {
        let Self { id, name, arguments, is_custom, extra_content, .. } = self;
        let arguments = pieces::grown(arguments);
        let (kind, said) = if is_custom {
            ("custom", json!({"name": name, "input": arguments}))
        } else {
            ("function", json!({"name": name, "arguments": arguments}))
        };
        let mut part = Map::new();
        if !id.is_empty() {
            part.insert("id".to_owned(), id.into());
        }
        part.insert("type".to_owned(), kind.into());
        part.insert(kind.to_owned(), said);
        if let Some(extra) = extra_content {
            part.insert("extra_content".to_owned(), extra);
        }
        part
    }
}

/// Tracks the brackets of a growing text. Each byte is read once.
#[derive(Debug, Default)]
struct Scan {
    seen: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    closed: bool,
}

impl Scan {
    fn over(&mut self, text: &str) -> bool {
        for byte in &text.as_bytes()[self.seen..] {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed |= self.depth == 0;
                }
                _ => {}
            }
        }
        self.seen = text.len();
        self.closed
    }
}
