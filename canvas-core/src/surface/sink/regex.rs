//! Patterns that match a value literally.

use crate::surface::sink::part::{Forbidden, Form, Part, Placed, Refused, Run, Shown, cut};

/// Accepts only a template that consists of one placeholder.
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

/// Writes a pattern that matches exactly the value. It works in POSIX basic and extended, PCRE, ECMAScript and Rust
/// patterns. A backslash before `+?(){}|` makes operators of these characters in basic patterns, so that they are put
/// in brackets instead.
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
