//! One item of a stream, with its state so far.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::item::{self, BREAK, Kind};
use super::chunk::Section;
use crate::context::AnswerContext;
use crate::stream_event::{OnEvent, StreamEvent};

#[derive(Debug)]
pub(super) struct Slot {
    /// The provider's index of the item. Items are in this order in the answer.
    pub(super) index: u64,
    /// Number of the item in the order in which items began.
    part: usize,
    kind: Kind,
    state: State,
    /// Whether any of its text was reported.
    told: bool,
    /// Whether the call was reported.
    announced: bool,
}

#[derive(Debug)]
enum State {
    /// The item as it began, and its deltas since. An item can be long and its end repeats all of it, so the deltas are
    /// dropped before the end is parsed.
    Open {
        start: Map<String, Value>,
        pieces: BTreeMap<(u64, Section), String>,
    },
    Done(Value),
}

impl Slot {
    /// Creates an item without content.
    pub(super) fn new(index: u64, part: usize, kind: Kind) -> Self {
        let state = State::Open { start: Map::new(), pieces: BTreeMap::new() };
        Self { index, part, kind, state, told: false, announced: false }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open { .. })
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the item is open and has no delta so far.
    pub(super) fn is_bare(&self) -> bool {
        match &self.state {
            State::Open { pieces, .. } => pieces.is_empty(),
            State::Done(_) => false,
        }
    }

    /// Returns a field by which the item is identified.
    pub(super) fn field(&self, name: &str) -> &str {
        let value = match &self.state {
            State::Open { start, .. } => start.get(name),
            State::Done(item) => item.get(name),
        };
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// Takes the item as it began. Its sealed part is removed, because it differs from the one at the end.
    pub(super) fn begin(
        &mut self,
        mut start: Map<String, Value>,
        context: &AnswerContext,
        on_event: &mut OnEvent<'_>,
    ) {
        start.remove("encrypted_content");
        let item = Value::Object(start);
        self.kind = Kind::of(item::text(&item, "type"));
        match self.kind {
            Kind::Other => on_event(StreamEvent::Unknown { kind: item::text(&item, "type") }),
            Kind::Message | Kind::Reasoning => {}
            _ => self.announce(&item, context, on_event),
        }
        if let Value::Object(start) = item {
            self.state = State::Open { start, pieces: BTreeMap::new() };
        }
    }

    fn announce(&mut self, item: &Value, context: &AnswerContext, on_event: &mut OnEvent<'_>) {
        if !self.announced {
            self.announced = true;
            let name = item::call_name(item, self.kind, context);
            on_event(StreamEvent::Call { part: self.part, id: item::text(item, "call_id"), name });
        }
    }

    /// Takes more text. Text after the end of the item is dropped.
    pub(super) fn push(
        &mut self,
        section: Section,
        index: Option<u64>,
        delta: &str,
        on_event: &mut OnEvent<'_>,
    ) {
        let State::Open { pieces, .. } = &mut self.state else { return };
        let last = || pieces.keys().rev().find(|(_, of)| *of == section).map(|(index, _)| *index);
        let index = index.or_else(last).unwrap_or_default();
        let mut is_next = false;
        match pieces.get_mut(&(index, section)) {
            Some(piece) => piece.push_str(delta),
            None => {
                is_next = self.told;
                pieces.insert((index, section), delta.to_owned());
            }
        }
        let part = self.part;
        match section {
            Section::Summary | Section::Reasoning => {
                if is_next {
                    on_event(StreamEvent::Thinking { part, delta: BREAK });
                }
                on_event(StreamEvent::Thinking { part, delta });
            }
            Section::Text => on_event(StreamEvent::Text { part, delta }),
            Section::Refusal => on_event(StreamEvent::Unknown { kind: "refusal" }),
            Section::Call => on_event(StreamEvent::Arguments { part, delta }),
        }
        self.told = true;
    }

    /// Whether no part of this text arrived.
    pub(super) fn lacks(&self, section: Section, index: Option<u64>) -> bool {
        match (&self.state, index) {
            (State::Done(_), _) => false,
            (State::Open { pieces, .. }, Some(index)) => !pieces.contains_key(&(index, section)),
            (State::Open { pieces, .. }, None) => pieces.keys().all(|(_, of)| *of != section),
        }
    }

    /// Drops the deltas of the item, because its end repeats all of them.
    pub(super) fn forget_pieces(&mut self) {
        if let State::Open { pieces, .. } = &mut self.state {
            pieces.clear();
        }
    }

    /// Takes the complete item at its end, and reports the parts not yet reported.
    pub(super) fn end(&mut self, item: Value, context: &AnswerContext, on_event: &mut OnEvent<'_>) {
        let began = matches!(&self.state, State::Open { start, .. } if !start.is_empty());
        self.kind = Kind::of(item::text(&item, "type"));
        let part = self.part;
        match self.kind {
            Kind::Message | Kind::Reasoning if self.told => {}
            Kind::Message => {
                let list = item.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                for text in list.iter().filter(|part| item::text(part, "type") == "output_text") {
                    tell_some(item::text(text, "text"), |delta| StreamEvent::Text { part, delta }, on_event);
                }
            }
            Kind::Reasoning => {
                tell_some(&item::reasoning(&item), |delta| StreamEvent::Thinking { part, delta }, on_event);
            }
            Kind::FunctionCall | Kind::CustomCall | Kind::PatchCall => {
                self.announce(&item, context, on_event);
                if !self.told {
                    let text = item::call_text(&item, self.kind);
                    tell_some(text, |delta| StreamEvent::Arguments { part, delta }, on_event);
                }
            }
            Kind::Other if began => {}
            Kind::Other => on_event(StreamEvent::Unknown { kind: item::text(&item, "type") }),
        }
        self.told = true;
        self.state = State::Done(item);
    }

    /// Returns the item, and whether its end arrived. Without its end, the item is built from its deltas.
    pub(super) fn into_item(self) -> (Value, bool) {
        let (mut start, pieces) = match self.state {
            State::Done(item) => return (item, true),
            State::Open { start, pieces } => (start, pieces),
        };
        if start.contains_key("status") {
            start.insert("status".to_owned(), "incomplete".into());
        }
        let (mut summary, mut content) = (Vec::new(), Vec::new());
        for ((_, section), text) in pieces {
            match section {
                Section::Summary => summary.push(json!({"type": "summary_text", "text": text})),
                Section::Reasoning => content.push(json!({"type": "reasoning_text", "text": text})),
                Section::Text => {
                    content.push(json!({"type": "output_text", "text": text, "annotations": []}));
                }
                Section::Refusal => content.push(json!({"type": "refusal", "refusal": text})),
                Section::Call if self.kind == Kind::CustomCall => {
                    drop(start.insert("input".into(), text.into()))
                }
                Section::Call if self.kind == Kind::PatchCall => match start.get_mut("operation") {
                    Some(Value::Object(operation)) => drop(operation.insert("diff".into(), text.into())),
                    _ => drop(start.insert("operation".into(), json!({"diff": text}))),
                },
                Section::Call => drop(start.insert("arguments".into(), text.into())),
            }
        }
        for (name, list) in [("summary", summary), ("content", content)] {
            if !list.is_empty() {
                start.insert(name.to_owned(), Value::Array(list));
            }
        }
        (Value::Object(start), false)
    }
}

fn tell_some<'a>(text: &'a str, event: impl FnOnce(&'a str) -> StreamEvent<'a>, on_event: &mut OnEvent<'_>) {
    if !text.is_empty() {
        on_event(event(text));
    }
}
