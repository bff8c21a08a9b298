//! Arguments that arrive in pieces. Each piece names a place, and holds a value or the next part of a text.
//!
//! The pieces are assembled into a value. For hosts that show arguments while they arrive, they are also written as the
//! text of a complete call. That text ends if a piece returns to an earlier place.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::json::owned;
use crate::text::Text;

/// Maximum depth of a piece's place.
const MAX_LEVELS: usize = 64;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Piece<'a> {
    #[serde(borrow, default)]
    json_path: Text<'a>,
    #[serde(borrow, default)]
    string_value: Option<Text<'a>>,
    #[serde(borrow, default)]
    number_value: Option<&'a RawValue>,
    #[serde(default)]
    bool_value: Option<bool>,
    #[serde(borrow, default)]
    null_value: Option<Text<'a>>,
    #[serde(default)]
    will_continue: bool,
}

/// Error for a piece that does not fit the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Misfit;

#[derive(Debug, Default)]
pub(super) struct Assembly {
    root: Map<String, Value>,
    /// The place of a text whose end has not arrived.
    continues: Option<Vec<Step>>,
    shown: Shown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

impl Assembly {
    /// Takes a piece, and returns the text to append to the text so far.
    pub(super) fn take(&mut self, piece: &Piece<'_>) -> Result<String, Misfit> {
        let path = read_path(piece.json_path.as_str()).ok_or(Misfit)?;
        if let Some(Text(text)) = &piece.string_value
            && self.continues.as_ref() == Some(&path)
        {
            let Some(Value::String(begun)) = find(&mut self.root, &path) else { return Err(Misfit) };
            begun.push_str(text);
            if !piece.will_continue {
                self.continues = None;
            }
            return Ok(self.shown.more_text(text, piece.will_continue));
        }
        let value = match piece {
            Piece { string_value: Some(Text(text)), .. } => Value::String(text.as_ref().to_owned()),
            Piece { number_value: Some(number), .. } => match owned(number) {
                Ok(number @ Value::Number(_)) => number,
                _ => return Err(Misfit),
            },
            Piece { bool_value: Some(flag), .. } => Value::Bool(*flag),
            Piece { null_value: Some(_), .. } => Value::Null,
            // A place without a value only says that the place is complete.
            _ => return Ok(String::new()),
        };
        let is_open = value.is_string() && piece.will_continue;
        let same = self.shown.open.iter().zip(&path).take_while(|(last, step)| last == step).count();
        // If the place already exists, the piece returned to it or sets it again.
        if find(&mut self.root, &path[..path.len().min(same + 1)]).is_some() {
            self.shown.lost = true;
        }
        let told = self.shown.value(&path, same, &value, is_open);
        insert(&mut self.root, &path, value)?;
        self.continues = is_open.then_some(path);
        Ok(told)
    }

    /// Closes the text, and returns the part that this adds.
    pub(super) fn close(&mut self) -> String {
        self.shown.close()
    }

    pub(super) fn into_value(self) -> Map<String, Value> {
        self.root
    }
}

/// Parses a normalised path of RFC 9535, or its short form: `$.a[0]['b c']`.
fn read_path(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_LEVELS {
            return None;
        }
        if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, after) = name.split_at(end);
            steps.push(Step::Key(Some(name).filter(|name| !name.is_empty())?.to_owned()));
            rest = after;
        } else {
            let inner = rest.strip_prefix('[')?;
            match inner.chars().next()? {
                quote @ ('\'' | '"') => {
                    let (name, after) = read_quoted(&inner[1..], quote)?;
                    steps.push(Step::Key(name));
                    rest = after.strip_prefix(']')?;
                }
                _ => {
                    let (index, after) = inner.split_once(']')?;
                    steps.push(Step::Index(index.parse().ok()?));
                    rest = after;
                }
            }
        }
    }
    // The first step is into an object, because arguments are an object.
    matches!(steps.first(), Some(Step::Key(_))).then_some(steps)
}

/// Reads a name up to its closing quote, and returns it with the text after the quote. Accepts JSON escapes, and an
/// escape of the single quote.
fn read_quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut json = String::from("\"");
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\'' if escaped => json.push('\''),
            _ if escaped => json.extend(['\\', c]),
            '\\' => {}
            c if c == quote => {
                json.push('"');
                return Some((serde_json::from_str(&json).ok()?, &text[at + 1..]));
            }
            '"' => json.push_str("\\\""),
            c => json.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

fn find<'a>(root: &'a mut Map<String, Value>, path: &[Step]) -> Option<&'a mut Value> {
    let (Step::Key(first), rest) = path.split_first()? else { return None };
    rest.iter().try_fold(root.get_mut(first)?, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

/// Sets a value at a place, creating objects and lists on the way. A list grows by one item at its end.
fn insert(root: &mut Map<String, Value>, path: &[Step], value: Value) -> Result<(), Misfit> {
    let Some((Step::Key(first), rest)) = path.split_first() else { return Err(Misfit) };
    let mut slot = root.entry(first.as_str()).or_insert(Value::Null);
    for step in rest {
        slot = match step {
            Step::Key(key) => {
                if slot.is_null() {
                    *slot = Value::Object(Map::new());
                }
                let Value::Object(map) = slot else { return Err(Misfit) };
                map.entry(key.as_str()).or_insert(Value::Null)
            }
            Step::Index(index) => {
                if slot.is_null() {
                    *slot = Value::Array(Vec::new());
                }
                let Value::Array(items) = slot else { return Err(Misfit) };
                if *index == items.len() {
                    items.push(Value::Null);
                }
                items.get_mut(*index).ok_or(Misfit)?
            }
        };
    }
    if matches!(slot, Value::Object(_) | Value::Array(_)) {
        return Err(Misfit);
    }
    *slot = value;
    Ok(())
}

/// The text of the arguments so far.
#[derive(Debug, Default)]
struct Shown {
    /// Steps to the last value. The containers on the way are open.
    open: Vec<Step>,
    /// Whether a text is open.
    in_text: bool,
    /// Whether a piece returned to an earlier place, so that a text cannot express the rest.
    lost: bool,
}

impl Shown {
    /// Writes a value whose place shares its first `common` steps with the place of the last value.
    fn value(&mut self, path: &[Step], common: usize, value: &Value, is_open: bool) -> String {
        if self.lost {
            return String::new();
        }
        let mut out = self.leave(common + 1);
        out.push(if self.open.is_empty() { '{' } else { ',' });
        for (level, step) in path.iter().enumerate().skip(common) {
            if level > common {
                out.push(if matches!(step, Step::Key(_)) { '{' } else { '[' });
            }
            if let Step::Key(key) = step {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
            }
        }
        out.push_str(&value.to_string());
        if is_open {
            out.pop();
        }
        self.in_text = is_open;
        self.open = path.to_vec();
        out
    }

    fn more_text(&mut self, text: &str, will_continue: bool) -> String {
        if self.lost {
            return String::new();
        }
        let quoted = Value::from(text).to_string();
        let end = if will_continue { quoted.len() - 1 } else { quoted.len() };
        self.in_text = will_continue;
        quoted[1..end].to_owned()
    }

    /// Ends an open text, and the containers from this level on.
    fn leave(&mut self, level: usize) -> String {
        let mut out = String::new();
        if std::mem::take(&mut self.in_text) {
            out.push('"');
        }
        for step in self.open.iter().skip(level).rev() {
            out.push(if matches!(step, Step::Key(_)) { '}' } else { ']' });
        }
        out
    }

    fn close(&mut self) -> String {
        if self.lost {
            return String::new();
        }
        if self.open.is_empty() { "{}".to_owned() } else { self.leave(0) }
    }
}

#[cfg(test)]
mod tests;
