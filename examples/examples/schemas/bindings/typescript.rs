//! Types as TypeScript writes them.

use std::collections::BTreeSet;

use super::codes::Codes;
use super::shape::{Field, NamedShape, Shape};

const MADE: &str = "// Made by `cargo run -p canvas-examples --example schemas -- --pages`.\n";

/// Longest line of a type. A longer choice has a line for each variant.
const MAX_WIDTH: usize = 120;

/// A module with an interface for each object, and an alias for each other type.
pub(super) fn types(types: &[NamedShape]) -> String {
    let mut text = format!(
        "// Shapes of arguments and results, from the JSON Schemas of the engine.\n{MADE}\n\
         /** What JSON holds. */\n\
         export type Json = string | number | boolean | null | Json[] | {{ [name: string]: Json }};\n"
    );
    for NamedShape { name, about, shape } in types {
        text.push('\n');
        text.push_str(&comment(about));
        text.push_str(&match shape {
            Shape::Object(fields) => {
                let fields: String = fields.iter().map(|field| format!("  {};\n", of_field(field))).collect();
                format!("export interface {name} {{\n{fields}}}\n")
            }
            Shape::OneOf(variants) => choice(name, variants.iter().map(written)),
            shape => format!("export type {name} = {};\n", written(shape)),
        });
    }
    text
}

/// A module with all codes, and the reasons.
pub(super) fn codes(Codes { codes, reasons }: &Codes) -> String {
    // Those of the package itself.
    let own = ["CLOSED", "INVALID_ARGUMENTS", "NOT_LOADED"].map(str::to_owned);
    let codes: BTreeSet<_> = codes.iter().chain(&own).collect();
    let quoted = |code: &String| format!("{code:?}");
    format!(
        "// Codes of errors.\n{MADE}\n\
         /** Code of an error. `canvas-core/ERRORS.md` has the cause and the remedy of each. */\n{}\n\
         /** Reason of `PATCH_REJECTED`. */\n{}",
        choice("Code", codes.into_iter().map(quoted)),
        choice("Reason", reasons.iter().map(quoted)),
    )
}

fn choice(name: &str, variants: impl Iterator<Item = String>) -> String {
    let variants: Vec<_> = variants.collect();
    let line = format!("export type {name} = {};\n", variants.join(" | "));
    if line.len() <= MAX_WIDTH {
        return line;
    }
    let variants: String = variants.iter().map(|variant| format!("\n  | {variant}")).collect();
    format!("export type {name} ={variants};\n")
}

fn of_field(Field { name, shape, is_required }: &Field) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_plain = name.chars().all(is_name) && !name.starts_with(|c: char| c.is_ascii_digit());
    let name = if is_plain { name.clone() } else { format!("{name:?}") };
    let mark = if *is_required { "" } else { "?" };
    format!("{name}{mark}: {}", written(shape))
}

fn written(shape: &Shape) -> String {
    match shape {
        Shape::Named(name) => name.clone(),
        Shape::Text => "string".into(),
        Shape::Integer | Shape::Number => "number".into(),
        Shape::Boolean => "boolean".into(),
        Shape::Null => "null".into(),
        Shape::Json => "Json".into(),
        Shape::Constant(value) => value.clone(),
        Shape::List(item) => match &**item {
            Shape::OneOf(_) => format!("({})[]", written(item)),
            item => format!("{}[]", written(item)),
        },
        Shape::Map(value) => format!("{{ [name: string]: {} }}", written(value)),
        Shape::Object(fields) if fields.is_empty() => "{ [name: string]: Json }".into(),
        Shape::Object(fields) => {
            format!("{{ {} }}", fields.iter().map(of_field).collect::<Vec<_>>().join("; "))
        }
        Shape::OneOf(variants) => {
            let mut distinct: Vec<String> = Vec::new();
            for one in variants.iter().map(written) {
                if !distinct.contains(&one) {
                    distinct.push(one);
                }
            }
            distinct.join(" | ")
        }
    }
}

fn comment(about: &str) -> String {
    if about.is_empty() { String::new() } else { format!("/** {} */\n", about.replace("*/", "* /")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_written_as_typescript() {
        let field = |name: &str, shape, is_required| Field { name: name.into(), shape, is_required };
        let choice = Shape::OneOf(vec![Shape::Constant("\"a\"".into()), Shape::Null]);
        for (shape, expected) in [
            (Shape::List(Box::new(Shape::Integer)), "number[]"),
            (Shape::List(Box::new(choice.clone())), "(\"a\" | null)[]"),
            (Shape::Map(Box::new(choice)), "{ [name: string]: \"a\" | null }"),
            (Shape::Object(Vec::new()), "{ [name: string]: Json }"),
            (
                Shape::Object(vec![field("$ref", Shape::Text, true), field("n", Shape::Json, false)]),
                "{ \"$ref\": string; n?: Json }",
            ),
        ] {
            assert_eq!(written(&shape), expected);
        }
    }
}
