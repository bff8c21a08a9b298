//! Parses the text of a template into literals and placeholders between `{{` and `}}`.

use crate::surface::template::source::{Source, ValuePathError};

/// A literal or a placeholder, with its byte offset in the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Literal { text: &'t str, at: usize },
    Value { source: Source, at: usize },
}

/// A fault in a template, with its byte offset.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParseError {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Splits a text at its placeholders. Linear.
pub(super) fn parse(text: &str) -> Result<Vec<Piece<'_>>, ParseError> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("{{").map(|found| at + found) {
        if at < start {
            pieces.push(Piece::Literal { text: &text[at..start], at });
        }
        let inside = &text[start + 2..];
        let placeholder = match inside.trim_start_matches(BLANKS).strip_prefix('"') {
            Some(quoted) => literal(inside, quoted),
            None => named(inside),
        };
        let (source, length) = placeholder.map_err(|message| ParseError { at: start, message })?;
        pieces.push(Piece::Value { source, at: start });
        at = start + 2 + length;
    }
    if at < text.len() {
        pieces.push(Piece::Literal { text: &text[at..], at });
    }
    Ok(pieces)
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];
const OPEN: &str = "a placeholder is left open: end it with }}, or write {{ \"{{\" }} for two braces";

/// Parses a string between the braces. `quoted` is the text after its first quote.
fn literal(inside: &str, quoted: &str) -> Result<(Source, usize), String> {
    let mut is_escaped = false;
    let end = quoted.find(|c: char| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    let end = end.ok_or(OPEN)?;
    let start = inside.len() - quoted.len() - 1;
    let json = &inside[start..start + end + 2];
    let text: String = serde_json::from_str(json)
        .map_err(|error| format!("the literal is no JSON string ({error}): write it as in JSON"))?;
    let behind = &inside[start + json.len()..];
    let rest = behind
        .trim_start_matches(BLANKS)
        .strip_prefix("}}")
        .ok_or("a placeholder is one literal or one name, without operators: end it with }}")?;
    Ok((Source::Literal(text.into()), inside.len() - rest.len()))
}

/// Parses a name between the braces.
fn named(inside: &str) -> Result<(Source, usize), String> {
    let end = inside.find("}}").ok_or(OPEN)?;
    let name = inside[..end].trim_matches(BLANKS);
    let source = match name.parse() {
        _ if name == "runtime.now" => Source::Now,
        Ok(path) => Source::Path(path),
        Err(ValuePathError::Root) => {
            return Err(
                "a placeholder names state.a.b, input.a or runtime.now, or is a literal in double quotes: write one of them"
                    .to_owned(),
            );
        }
        Err(ValuePathError::Path(error)) => return Err(error.to_string()),
    };
    Ok((source, end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let shown = |piece: &Piece<'_>| match piece {
            Piece::Literal { text, at } => format!("{at}:{text}"),
            Piece::Value { source: Source::Literal(text), at } => format!("{at}=\"{text}\""),
            Piece::Value { source, at } => format!("{at}={source}"),
        };
        let found: Vec<_> = parse(text).unwrap().iter().map(shown).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn placeholders_are_cut_out() {
        check("", &[]);
        check("a { b }} c", &["0:a { b }} c"]);
        check(
            "./deploy {{state.service}} {{ state.a.0 }}",
            &["0:./deploy ", "9=state.service", "26: ", "27=state.a.0"],
        );
        check("{{\n\tinput.x\r}}}}", &["0=input.x", "14:}}"]);
        check(
            "ä{{runtime.now}}{{ \"}} \\\" \\u007b\\\\\" }}.",
            &["0:ä", "2=runtime.now", "17=\"}} \" {\\\"", "39:."],
        );
    }

    #[test]
    fn faults_have_their_place() {
        for (text, at, message) in [
            ("a {{", 2, "left open"),
            ("{{state.x", 0, "left open"),
            ("{{state.x}", 0, "left open"),
            ("{{ \"a}}", 0, "left open"),
            ("{{ \"a\\\"}}", 0, "left open"),
            ("{{ \"a\" + \"b\" }}", 0, "without operators"),
            ("{{ \"a\" ", 0, "without operators"),
            ("{{ \"\\x\" }}", 0, "JSON string"),
            ("{{}}", 0, "names state.a.b"),
            ("{{state}}", 0, "names state.a.b"),
            ("{{ env.HOME }}", 0, "names state.a.b"),
            ("{{runtime.then}}", 0, "names state.a.b"),
            ("{{runtime.now.x}}", 0, "names state.a.b"),
            ("{{State.x}}", 0, "names state.a.b"),
            ("{{{state.x}}}", 0, "names state.a.b"),
            ("{{state.}}", 0, "empty name"),
            ("{{state.a..b}}", 0, "empty name"),
            ("{{state.a | upper}}", 0, "white space"),
            ("{{state.a {{state.b}} }}", 0, "a brace"),
            ("x{{state.x}}{{state.__proto__.a}}", 12, "__proto__"),
            ("{{input.constructor}}", 0, "constructor"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(message), "{text}: {}", error.message);
        }
    }
}
