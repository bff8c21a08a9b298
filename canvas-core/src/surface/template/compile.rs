//! Parses a template once, and has its sinks judge it.

use serde_json::Value;

use crate::model::json_pointer::join_pointer;
use crate::surface::contract::ToolContract;
use crate::surface::contract::walk::Name;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::sink::Sink;
use crate::surface::sink::part::{Item, Placed};
use crate::surface::template::parse::{Piece, parse};
use crate::surface::template::resolve::{Node, Text, Typed};
use crate::surface::template::size;
use crate::surface::template::source::Source;

pub(super) struct Compiled {
    pub(super) root: Node,
    /// The string with the command that is displayed for confirmation.
    pub(super) command: Option<Box<[Name]>>,
}

/// Compiles JSON at a place, which is a JSON Pointer.
pub(super) fn compile(
    template: &Value,
    target: Target<'_>,
    place: &str,
    depth: usize,
) -> Result<Compiled, Vec<SurfaceFault>> {
    let mut compiler =
        Compiler { target, base: place, depth, place: Vec::new(), faults: Vec::new(), command: None };
    let root = compiler.node(template);
    if !compiler.faults.is_empty() {
        return Err(compiler.faults);
    }
    Ok(Compiled { root, command: compiler.command.map(|(place, _)| place) })
}

/// The source of each string's sink.
pub(super) enum Target<'a> {
    Contract(&'a ToolContract),
    All(Sink),
}

struct Compiler<'a> {
    target: Target<'a>,
    base: &'a str,
    depth: usize,
    /// The current place below `base`.
    place: Vec<Name>,
    faults: Vec<SurfaceFault>,
    /// The string with the displayed command, and whether it has a placeholder.
    command: Option<(Box<[Name]>, bool)>,
}

impl Compiler<'_> {
    fn node(&mut self, template: &Value) -> Node {
        if self.place.len() > self.depth {
            let message = format!("the template is deeper than {}: make it flatter", self.depth);
            self.fault(SurfaceCode::TemplateInvalid, message);
            return Node::Fixed(Value::Null, 0);
        }
        let node = match template {
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                Node::List(items.map(|(at, item)| self.below(Name::Item(at), item)).collect())
            }
            Value::Object(members) => {
                let frame = size::of_frame(members.len(), members.keys().map(String::as_str));
                let node = |(name, member): (&String, &Value)| {
                    (name.clone(), self.below(Name::Member(name.clone()), member))
                };
                Node::Object(members.iter().map(node).collect(), frame)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => fixed(template.clone()),
        };
        let is_fixed = match &node {
            Node::List(items) => items.iter().all(|item| matches!(item, Node::Fixed(..))),
            Node::Object(members, _) => members.iter().all(|(_, member)| matches!(member, Node::Fixed(..))),
            _ => false,
        };
        if is_fixed { fixed(template.clone()) } else { node }
    }

    fn below(&mut self, name: Name, template: &Value) -> Node {
        self.place.push(name);
        let node = self.node(template);
        self.place.pop();
        node
    }

    fn string(&mut self, text: &str) -> Node {
        let pieces = match parse(text) {
            Ok(pieces) => pieces,
            Err(error) => {
                self.fault_at(text, error.at, SurfaceCode::TemplateInvalid, &error.message);
                return Node::Fixed(Value::Null, 0);
            }
        };
        let has_value = pieces.iter().any(|piece| matches!(piece, Piece::Value { .. }));
        if let [Piece::Value { source, .. }] = &pieces[..]
            && self.takes_no_string()
        {
            let is_scalar = self.sink() != Sink::Text;
            let place = self.pointer().into();
            return Node::Typed(Typed { source: source.clone(), is_scalar, place });
        }
        let sink = self.sink();
        let is_better = |(_, has_value_too): &(_, bool)| has_value && !has_value_too;
        if sink == Sink::Shell && self.command.as_ref().is_none_or(is_better) {
            self.command = Some((self.place.as_slice().into(), has_value));
        }
        if !has_value {
            return fixed(text.into());
        }
        let (items, sources) = items(pieces);
        match sink.judge(&items) {
            Ok(runs) => Node::Text(Text { sources, runs, place: self.pointer().into() }),
            Err(forbidden) => {
                self.fault_at(text, forbidden.at, SurfaceCode::TemplateSinkForbidden, &forbidden.message);
                Node::Fixed(Value::Null, 0)
            }
        }
    }

    fn sink(&self) -> Sink {
        match self.target {
            Target::Contract(contract) => contract.sink_at(&self.place),
            Target::All(sink) => sink,
        }
    }

    fn takes_no_string(&self) -> bool {
        match self.target {
            Target::Contract(contract) => contract.takes_no_string(&self.place),
            Target::All(_) => false,
        }
    }

    fn pointer(&self) -> String {
        self.place.iter().fold(self.base.to_owned(), |pointer, name| match name {
            Name::Member(name) => join_pointer(&pointer, name),
            Name::Item(at) => format!("{pointer}/{at}"),
        })
    }

    /// Converts `at`, a byte of the text, to a column in characters from 1.
    fn fault_at(&mut self, text: &str, at: usize, code: SurfaceCode, message: &str) {
        let column = text[..at].chars().count() + 1;
        self.fault(code, format!("column {column}: {message}"));
    }

    fn fault(&mut self, code: SurfaceCode, message: String) {
        let fault = SurfaceFault::new(self.pointer(), code, message);
        self.faults.push(fault);
    }
}

fn fixed(value: Value) -> Node {
    let bytes = size::of_value(&value);
    Node::Fixed(value, bytes)
}

/// Returns the characters and placeholders of a template, and the source of each placeholder.
fn items(pieces: Vec<Piece<'_>>) -> (Vec<Placed>, Vec<(Source, Box<str>)>) {
    let (mut items, mut sources) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Literal { text, at } => {
                let placed = |(offset, char)| Placed { item: Item::Char(char), at: at + offset };
                items.extend(text.char_indices().map(placed));
            }
            Piece::Value { source, at } => {
                items.push(Placed { item: Item::Value(sources.len()), at });
                let name = source.to_string().into();
                sources.push((source, name));
            }
        }
    }
    (items, sources)
}
