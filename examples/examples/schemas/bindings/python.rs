//! Types as Python writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::codes::Codes;
use super::shape::{Field, NamedShape, Shape};

const MADE: &str = "Made by ``cargo run -p canvas-examples --example schemas -- --pages``.";

/// Words that are no names of attributes.
const KEYWORDS: [&str; 13] =
    ["as", "class", "def", "else", "except", "from", "global", "if", "import", "in", "is", "return", "with"];

/// A module with a `TypedDict` for each object, and an alias for each other type.
pub(super) fn types(types: &[NamedShape]) -> String {
    let mut module = Module::default();
    for NamedShape { name, about, shape } in types {
        match shape {
            Shape::Object(fields) => module.class(name, about, fields),
            shape => {
                let written = module.written(shape, name);
                module.aliases.insert(name.clone(), (comment(about), written));
            }
        }
    }
    let mut text = format!(
        "\"\"\"Shapes of arguments and results, from the JSON Schemas of the engine.\n\n{MADE}\n\"\"\"\n\n\
         import sys\nfrom typing import Literal\n\nfrom ._types import Json\n\n\
         # Those of `typing` lack what libraries that read types at run time need.\n\
         if sys.version_info >= (3, 12):\n    from typing import NotRequired, TypeAlias, TypedDict\n\
         else:\n    from typing_extensions import NotRequired, TypeAlias, TypedDict\n\n"
    );
    for class in module.classes.values() {
        text.push('\n');
        text.push_str(class);
    }
    text.push('\n');
    // What reads types at run time cannot read the quotes of an alias, so each comes after those that it names.
    while let Some(name) = module.next_alias() {
        let (comment, written) = module.aliases.remove(&name).expect("it is one of them");
        text.push_str(&format!("\n{comment}{name}: TypeAlias = {written}\n"));
    }
    text
}

/// A module with a `Literal` of all codes, and one of the reasons.
pub(super) fn codes(Codes { codes, reasons }: &Codes) -> String {
    // Those of the package itself.
    let own = ["CLOSED", "FORKED", "INVALID_ARGUMENTS", "REENTRANT"].map(str::to_owned);
    let codes: BTreeSet<_> = codes.iter().chain(&own).collect();
    let mut text = format!(
        "\"\"\"Codes of errors.\n\n{MADE}\n\"\"\"\n\nfrom __future__ import annotations\n\n\
         from typing import Literal, TypeAlias\n\n"
    );
    text.push_str("#: Code of an error. ``canvas-core/ERRORS.md`` has the cause and the remedy of each.\n");
    literals(&mut text, "Code", codes.into_iter());
    text.push_str("\n#: Reason of ``PATCH_REJECTED``.\n");
    literals(&mut text, "Reason", reasons.iter());
    text
}

fn literals<'c>(text: &mut String, name: &str, values: impl Iterator<Item = &'c String>) {
    let values: String = values.map(|value| format!("    \"{value}\",\n")).collect();
    text.push_str(&format!("{name}: TypeAlias = Literal[\n{values}]\n"));
}

#[derive(Default)]
struct Module {
    classes: BTreeMap<String, String>,
    /// Types without a class, each with its comment.
    aliases: BTreeMap<String, (String, String)>,
}

impl Module {
    /// Returns the first alias that names no other of those that are left.
    fn next_alias(&self) -> Option<String> {
        let is_free = |written: &str| !words(written).any(|word| self.aliases.contains_key(word));
        let free = self.aliases.iter().find(|(_, (_, written))| is_free(written));
        assert!(free.is_some() || self.aliases.is_empty(), "some aliases name each other");
        free.map(|(name, _)| name.clone())
    }

    fn class(&mut self, name: &str, about: &str, fields: &[Field]) {
        let types: Vec<(&str, String)> = fields
            .iter()
            .map(|field| {
                let within = format!("{name}{}", camel(&field.name));
                let written = self.written(&field.shape, &within);
                // A type in quotes may come later, and whether a field is required must be known at once.
                let quoted = format!("\"{written}\"");
                let written = if field.is_required { quoted } else { format!("NotRequired[{quoted}]") };
                (field.name.as_str(), written)
            })
            .collect();
        let is_attribute = |name: &str| {
            !KEYWORDS.contains(&name)
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && name.starts_with(|c: char| c.is_ascii_alphabetic())
        };
        let mut text = String::new();
        if types.iter().all(|(name, _)| is_attribute(name)) {
            writeln!(text, "\nclass {name}(TypedDict):").expect("a string takes text");
            if !about.is_empty() {
                writeln!(text, "    \"\"\"{}\"\"\"\n", about.replace('`', "``"))
                    .expect("a string takes text");
            }
            for (name, written) in &types {
                writeln!(text, "    {name}: {written}").expect("a string takes text");
            }
            if types.is_empty() && about.is_empty() {
                text.push_str("    pass\n");
            }
        } else {
            let fields: String =
                types.iter().map(|(name, written)| format!("    \"{name}\": {written},\n")).collect();
            write!(text, "{}{name} = TypedDict(\"{name}\", {{\n{fields}}})\n", comment(about))
                .expect("a string takes text");
        }
        let replaced = self.classes.insert(name.to_owned(), text);
        assert!(replaced.is_none(), "two types are named {name}");
    }

    /// Writes a shape. An object without a name gets one.
    fn written(&mut self, shape: &Shape, name: &str) -> String {
        match shape {
            Shape::Named(name) => name.clone(),
            Shape::Text => "str".into(),
            Shape::Integer => "int".into(),
            Shape::Number => "float".into(),
            Shape::Boolean => "bool".into(),
            Shape::Null => "None".into(),
            Shape::Json => "Json".into(),
            Shape::Constant(value) => {
                let value = match value.as_str() {
                    "true" => "True",
                    "false" => "False",
                    value => value,
                };
                format!("Literal[{}]", value.replace('"', "'"))
            }
            Shape::List(item) => format!("list[{}]", self.written(item, &format!("{name}Item"))),
            Shape::Map(value) => format!("dict[str, {}]", self.written(value, &format!("{name}Value"))),
            Shape::Object(fields) if fields.is_empty() => "dict[str, Json]".into(),
            Shape::Object(fields) => {
                self.class(name, "", fields);
                name.to_owned()
            }
            Shape::OneOf(variants) => {
                let objects = variants.iter().filter(|one| matches!(one, Shape::Object(_))).count();
                let mut written: Vec<String> = Vec::new();
                for (number, variant) in variants.iter().enumerate() {
                    let within = match variant {
                        Shape::Object(fields) => {
                            let within = format!("{name}{}", distinction(fields));
                            match self.classes.contains_key(&within) {
                                true => format!("{name}{}", number + 1),
                                false => within,
                            }
                        }
                        _ if objects == 0 => name.to_owned(),
                        _ => format!("{name}{number}"),
                    };
                    let one = self.written(variant, &within);
                    if !written.contains(&one) {
                        written.push(one);
                    }
                }
                let literals: Vec<&str> = written.iter().filter_map(|one| literal(one)).collect();
                let literals = (!literals.is_empty()).then(|| format!("Literal[{}]", literals.join(", ")));
                let others = written.iter().filter(|one| literal(one).is_none()).cloned();
                literals.into_iter().chain(others).collect::<Vec<_>>().join(" | ")
            }
        }
    }
}

/// The names in a type. Constants in quotes are none.
fn words(written: &str) -> impl Iterator<Item = &str> {
    written.split('\'').step_by(2).flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
}

fn literal(written: &str) -> Option<&str> {
    written.strip_prefix("Literal[")?.strip_suffix(']')
}

/// What tells a variant from the others: the constant of its tag, or its first required field.
fn distinction(fields: &[Field]) -> String {
    let mut required = fields.iter().filter(|field| field.is_required);
    let constant = required.clone().find_map(|field| match &field.shape {
        Shape::Constant(value) => Some(camel(value)),
        _ => None,
    });
    constant.or_else(|| required.next().map(|field| camel(&field.name))).unwrap_or_default()
}

fn comment(about: &str) -> String {
    if about.is_empty() { String::new() } else { format!("#: {}\n", about.replace('`', "``")) }
}

fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words
        .flat_map(|word| {
            let (first, rest) = word.split_at(1);
            [first.to_uppercase(), rest.to_owned()]
        })
        .collect()
}
