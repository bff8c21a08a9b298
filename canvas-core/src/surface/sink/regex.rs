//! Patterns: a value is matched literally.

use crate::surface::sink::part::{Forbidden, Form, Part, Placed, Refused, Run, Shown, cut};

/// Takes a template that is one placeholder.
pub(super) fn judge(items: &[Placed]) -> Result<Vec<Run>, Forbidden> {
    match items.iter().find(|placed| placed.is_value()) {
        Some(value) if items.len() > 1 => Err(Forbidden::new(
            value.at,
            "a value is a whole pattern or no part of one: write the placeholder alone, it is matched literally",
        )),
        Some(_) => Ok(cut(items, &[(0..1, Form::Regex)])),
        None => Ok(cut(items, &[])),
    }
}

/// Writes what matches the value and nothing else, in POSIX basic and extended, PCRE, ECMAScript and Rust patterns alike:
/// a backslash before `+?(){}|` makes an operator of them in basic ones, so these stand in brackets.
pub(super) fn write(parts: &[Part], values: &[Shown<'_>], out: &mut String) -> Result<(), Refused> {
    parts.iter().try_for_each(|part| match part {
        Part::Literal(text) => {
            out.push_str(text);
            Ok(())
        }
        &Part::Value(value) => write_value(value, &values[value], out),
    })
}

fn write_value(value: usize, shown: &Shown<'_>, out: &mut String) -> Result<(), Refused> {
    if shown.text.is_empty() {
        return Err(Refused { value, message: "is empty and would match everything: set it first" });
    }
    if shown.text.contains('\0') {
        return Err(Refused { value, message: "has a NUL, at which patterns may end: remove it" });
    }
    for char in shown.text.chars() {
        match char {
            '\\' | '.' | '*' | '[' | ']' | '^' | '$' => out.extend(['\\', char]),
            '+' | '?' | '(' | ')' | '{' | '}' | '|' | '#' => out.extend(['[', char, ']']),
            _ => out.push(char),
        }
    }
    Ok(())
}
