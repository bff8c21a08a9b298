//! Repairs a history so that it can be sent, wherever it was cut off.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::encoded::{Degradation, Degradations};
use crate::event::{Body, Event, Role};
use crate::names::UniqueIds;
use crate::not_executed::NotExecuted;
use crate::verdict::DecodedCall;

/// A history that can be sent, with the changes made to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The repaired events. [`repair`] lists the guarantees about them.
    pub events: Vec<Event>,
    /// The changes, such as dropped results, and calls that got a result or another id.
    pub degradations: Vec<Degradation>,
}

/// Repairs a history so that the results of a turn's calls come right after the turn.
///
/// For any input, the output has these properties:
///
/// * After a run of assistant events, the results of its calls follow before anything else, one for each call, in the
///   order of the calls.
/// * Ids of calls are unique and not empty, and each result names the id and the tool of its call.
/// * Every result has a call.
///
/// A call without an answer gets an error result that says so. A late result is moved up to its call. A result without
/// an id belongs to the earliest unanswered call (of its tool, if it names one), and a result that belongs to no call
/// is dropped. A valid history is returned unchanged.
pub fn repair(events: &[Event]) -> Repaired {
    let mut degradations = Degradations::default();
    let events =
        entries(events, &mut degradations).into_iter().map(|entry| entry.event.into_owned()).collect();
    Repaired { events, degradations: degradations.0 }
}

/// An event of a repaired history, with its index in the original one.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) event: Cow<'a, Event>,
    pub(crate) at: usize,
}

pub(crate) fn entries<'a>(events: &'a [Event], degradations: &mut Degradations) -> Vec<Entry<'a>> {
    let answers = pair(events, degradations);
    let mut out = Vec::with_capacity(events.len());
    let mut ids = UniqueIds::default();
    let mut calls = Vec::new();
    let mut after = Vec::new();
    let mut in_turn = false;
    for (at, event) in events.iter().enumerate() {
        if is_assistant(event) {
            if !in_turn {
                flush(&mut out, &mut calls, &mut after, degradations);
            }
            in_turn = true;
            let mut event = Cow::Borrowed(event);
            if let Body::ToolCall(call) = &event.body {
                let fresh = ids.claim(&call.id);
                let answer = answers.get(&at).map(|&at| Entry { event: Cow::Borrowed(&events[at]), at });
                if let Some(id) = fresh {
                    degradations.add_event(at, "call_id", format!("sent as {id}, to be unique"));
                    if let Body::ToolCall(call) = &mut event.to_mut().body {
                        call.id = id;
                    }
                }
                calls.push((out.len(), answer));
            }
            out.push(Entry { event, at });
        } else {
            in_turn = false;
            if !matches!(event.body, Body::ToolResult(_)) {
                after.push(Entry { event: Cow::Borrowed(event), at });
            }
        }
    }
    flush(&mut out, &mut calls, &mut after, degradations);
    out
}

/// Whether the event belongs to the model. Thinking and calls always do, whatever their role.
pub(crate) fn is_assistant(event: &Event) -> bool {
    match event.body {
        Body::Thinking(_) | Body::ToolCall(_) => true,
        Body::ToolResult(_) => false,
        Body::Text(_) | Body::Opaque(_) => event.role == Role::Assistant,
    }
}

/// Pairs calls with results. Returns the indexes of results by the indexes of calls.
fn pair(events: &[Event], degradations: &mut Degradations) -> BTreeMap<usize, usize> {
    let mut answers = BTreeMap::new();
    let mut open = OpenCalls::default();
    let mut turn_start = 0;
    let mut in_turn = false;
    for (at, event) in events.iter().enumerate() {
        if is_assistant(event) {
            if !in_turn {
                turn_start = at;
            }
            in_turn = true;
            if let Some(call) = event.call() {
                open.add(at, call);
            }
            continue;
        }
        in_turn = false;
        let Body::ToolResult(result) = &event.body else { continue };
        let found = match (&result.call_id, &result.name) {
            (Some(id), _) => open.take_id(id, turn_start),
            (None, Some(name)) => open.take_name(name),
            (None, None) => open.take_first(),
        };
        match found {
            Some(call) => {
                answers.insert(call, at);
            }
            None => degradations.add_event(at, "tool_result", "dropped: it answers no open call"),
        }
    }
    answers
}

/// Calls without an answer, by index. They are found by id, by name or by age without a scan.
#[derive(Default)]
struct OpenCalls<'a> {
    all: BTreeSet<usize>,
    by_id: BTreeMap<&'a str, BTreeSet<usize>>,
    by_name: BTreeMap<&'a str, BTreeSet<usize>>,
    calls: BTreeMap<usize, &'a DecodedCall>,
}

impl<'a> OpenCalls<'a> {
    fn add(&mut self, at: usize, call: &'a DecodedCall) {
        self.all.insert(at);
        self.by_id.entry(&call.id).or_default().insert(at);
        self.by_name.entry(&call.name).or_default().insert(at);
        self.calls.insert(at, call);
    }

    /// Takes the earliest call with this id. Because some providers restart their ids in every turn, the latest turn is
    /// searched first.
    fn take_id(&mut self, id: &str, turn_start: usize) -> Option<usize> {
        let same = self.by_id.get(id)?;
        let found = same.range(turn_start..).next().or_else(|| same.first()).copied()?;
        Some(self.close(found))
    }

    fn take_name(&mut self, name: &str) -> Option<usize> {
        let found = self.by_name.get(name)?.first().copied()?;
        Some(self.close(found))
    }

    fn take_first(&mut self) -> Option<usize> {
        let found = self.all.first().copied()?;
        Some(self.close(found))
    }

    fn close(&mut self, at: usize) -> usize {
        self.all.remove(&at);
        if let Some(call) = self.calls.remove(&at) {
            for (index, key) in [(&mut self.by_id, &call.id), (&mut self.by_name, &call.name)] {
                if let Some(same) = index.get_mut(key.as_str()) {
                    same.remove(&at);
                }
            }
        }
        at
    }
}

/// Ends a turn with the answers to its calls, followed by the other events that arrived meanwhile.
fn flush<'a>(
    out: &mut Vec<Entry<'a>>,
    calls: &mut Vec<(usize, Option<Entry<'a>>)>,
    after: &mut Vec<Entry<'a>>,
    degradations: &mut Degradations,
) {
    for (index, answer) in calls.drain(..) {
        let at = out[index].at;
        let call = out[index].event.call().expect("only calls are noted for an answer");
        let entry = match answer {
            Some(answer) => addressed(answer, &call.id, &call.name),
            None => {
                let why = NotExecuted::of(call);
                degradations.add_event(at, "tool_call", format!("answered with {}", why.code()));
                Entry { event: Cow::Owned(why.answer(&call.id, &call.name)), at }
            }
        };
        out.push(entry);
    }
    out.append(after);
}

fn addressed<'a>(mut answer: Entry<'a>, id: &str, name: &str) -> Entry<'a> {
    let Body::ToolResult(result) = &answer.event.body else { return answer };
    let named = result.call_id.as_deref() == Some(id) && result.name.as_deref() == Some(name);
    if !named && let Body::ToolResult(result) = &mut answer.event.to_mut().body {
        result.call_id = Some(id.to_owned());
        result.name = Some(name.to_owned());
    }
    answer
}
