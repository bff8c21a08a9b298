//! Resolution of compiled templates.

use serde_json::{Map, Value};

use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::sink::part::{Run, Shown};
use crate::surface::sink::write;
use crate::surface::template::size;
use crate::surface::template::source::{Scope, Source};

/// A part of a template.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// A part without placeholders, and its size as JSON in bytes.
    Fixed(Value, usize),
    /// A value that keeps its type.
    Typed(Typed),
    Text(Text),
    List(Vec<Self>),
    /// Members, and the size of the object's JSON in bytes without their values.
    Object(Vec<(String, Self)>, usize),
}

/// A string that is a single placeholder at a place where the tool accepts no string.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Typed {
    pub(super) source: Source,
    /// Whether text would bypass the argument's sink, so that only values without text are allowed.
    pub(super) is_scalar: bool,
    pub(super) place: Box<str>,
}

/// A string with placeholders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    /// The placeholders with their texts.
    pub(super) sources: Vec<(Source, Box<str>)>,
    pub(super) runs: Vec<Run>,
    pub(super) place: Box<str>,
}

/// Maximum number of a text's values that are kept on the stack.
const FEW: usize = 4;

/// Resolves a template at a place, to a maximum number of bytes of JSON.
pub(super) fn resolve(
    root: &Node,
    scope: &Scope<'_>,
    place: &str,
    most_bytes: usize,
) -> Result<Value, SurfaceFault> {
    Resolving { scope, place, most: most_bytes, left: most_bytes }.node(root)
}

struct Resolving<'a> {
    scope: &'a Scope<'a>,
    place: &'a str,
    most: usize,
    left: usize,
}

impl Resolving<'_> {
    fn node(&mut self, node: &Node) -> Result<Value, SurfaceFault> {
        match node {
            Node::Fixed(value, bytes) => {
                self.take(*bytes)?;
                Ok(value.clone())
            }
            Node::Typed(typed) => self.typed(typed),
            Node::Text(text) => self.text(text).map(Value::String),
            Node::List(items) => {
                self.take(size::of_frame(items.len(), std::iter::empty()))?;
                items.iter().map(|item| self.node(item)).collect()
            }
            Node::Object(members, frame) => {
                self.take(*frame)?;
                // One by one, because collecting a map first sorts a list.
                let mut object = Map::new();
                for (name, node) in members {
                    object.insert(name.clone(), self.node(node)?);
                }
                Ok(Value::Object(object))
            }
        }
    }

    fn typed(&mut self, typed: &Typed) -> Result<Value, SurfaceFault> {
        let value = typed.source.value(self.scope);
        if typed.is_scalar && (value.is_string() || value.is_array() || value.is_object()) {
            let message = format!(
                "{{{{ {} }}}} is text, a list or an object, and the argument takes a number or a boolean: set it to one",
                typed.source
            );
            return Err(SurfaceFault::new(typed.place.as_ref(), SurfaceCode::ValueRefused, message));
        }
        self.take(size::of_value(&value))?;
        Ok(value)
    }

    fn text(&mut self, text: &Text) -> Result<String, SurfaceFault> {
        // Most texts have few values, which need no allocated list.
        let (mut few, mut many) = ([Shown::NOTHING; FEW], Vec::new());
        let values = match few.get_mut(..text.sources.len()) {
            Some(few) => few,
            None => {
                many.resize(text.sources.len(), Shown::NOTHING);
                many.as_mut_slice()
            }
        };
        for (value, (source, name)) in values.iter_mut().zip(&text.sources) {
            value.name = name;
            value.text = source.text(self.scope).map_err(|error| {
                let message = format!("{{{{ {name} }}}} cannot be written: {error}");
                SurfaceFault::new(text.place.as_ref(), SurfaceCode::ArgumentsRefused, message)
            })?;
        }
        let values = &*values;
        let mut out = String::with_capacity(text.capacity(values));
        for run in &text.runs {
            write(run, values, &mut out).map_err(|refused| {
                let message = format!("{{{{ {} }}}} {}", values[refused.value].name, refused.message);
                SurfaceFault::new(text.place.as_ref(), SurfaceCode::ValueRefused, message)
            })?;
            // Checked before each further run is written, so that many placeholders of one large value cost no more
            // than the limit.
            if out.len() > self.left {
                self.take(out.len())?;
            }
        }
        self.take(size::of_text(&out))?;
        Ok(out)
    }

    fn take(&mut self, bytes: usize) -> Result<(), SurfaceFault> {
        let Some(left) = self.left.checked_sub(bytes) else {
            let message =
                format!("the arguments have more than {} bytes: make the values in them smaller", self.most);
            return Err(SurfaceFault::new(self.place, SurfaceCode::ArgumentsRefused, message));
        };
        self.left = left;
        Ok(())
    }
}

impl Text {
    /// Returns a capacity that is sufficient for values without escapes.
    fn capacity(&self, values: &[Shown<'_>]) -> usize {
        let literals: usize = self.runs.iter().map(Run::literal_bytes).sum();
        literals + values.iter().map(|value: &Shown<'_>| value.text.len().min(4096) + 2).sum::<usize>()
    }
}
