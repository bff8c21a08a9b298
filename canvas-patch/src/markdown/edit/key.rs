//! Edits of one key of the YAML front matter.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::error::{StructureError, ValueFault};
use super::writing::{insert, newline, replace};
use crate::diff::edit::TextEdit;
use crate::markdown::front_matter::{
    Content, Entry, Form, Found, FrontMatter, KeyError, Node, YamlValue, unsupported, written,
};
use crate::markdown::outline::Lead;
use crate::text::lines;

/// Maximum bytes of a key, and maximum names in it.
const MAX_KEY: usize = 1024;
const MAX_NAMES: usize = 16;

/// Sets a key. Without a value, removes it.
pub(super) fn set_key(text: &str, key: &str, value: Option<&YamlValue>) -> Result<TextEdit, StructureError> {
    let is_named = !key.trim().is_empty() && key.len() <= MAX_KEY && !key.contains(['\n', '\r']);
    if !is_named {
        return Err(StructureError::Value(ValueFault::Key));
    }
    if value.is_some_and(|value| !value.is_valid()) {
        return Err(StructureError::Value(ValueFault::Yaml));
    }
    let is_path = |names: &[String]| names.len() <= MAX_NAMES && names.iter().all(|name| !name.is_empty());
    let Some(front_matter) = FrontMatter::of(text)? else {
        let Some(value) = value else { return Err(KeyError::NoFrontMatter.into()) };
        let path: Vec<_> = key.split('.').map(str::to_owned).collect();
        if !is_path(&path) {
            return Err(StructureError::Value(ValueFault::Key));
        }
        let edit = created(text, &path, value);
        let mut head = text[..edit.at].to_owned();
        head.push_str(&edit.new);
        head.push_str(&text[edit.at..lines::line_end(text, edit.at)]);
        let after = FrontMatter::of(&head)?.ok_or(StructureError::Value(ValueFault::Yaml))?;
        let is_read = after.find(key)?.entry.is_some_and(|entry| reads_as(entry.value, value));
        return if is_read { Ok(edit) } else { Err(StructureError::Value(ValueFault::Yaml)) };
    };
    let names: Vec<_> = key.split('.').map(str::to_owned).collect();
    let found = front_matter.find(key).map_err(|error| match error {
        KeyError::NotFound { .. } if !is_path(&names) => StructureError::Value(ValueFault::Key),
        error => error.into(),
    })?;
    let edit = match (&found.entry, value) {
        (Some(entry), Some(value)) => replaced(text, &front_matter, entry, value)?,
        (Some(entry), None) => removed(text, &front_matter, &found, entry)?,
        (None, Some(_)) if !is_path(&found.rest) => return Err(StructureError::Value(ValueFault::Key)),
        (None, Some(value)) => added(text, &front_matter, &found, value)?,
        (None, None) => return Err(found.missing(key).into()),
    };
    if edit.range().end > front_matter.body.end && edit.new.is_empty() {
        // All front matter is gone, and the lines below must not become some.
        let rest = [&text[..edit.at], &text[edit.range().end..]].concat();
        let is_none = Lead::of(&rest).front_matter.is_none();
        return if is_none { Ok(edit) } else { Err(StructureError::Value(ValueFault::Yaml)) };
    }
    check(text, &front_matter, &found, &edit, key, value)?;
    Ok(edit)
}

/// Creates the front matter above the text, or fills an empty one.
fn created(text: &str, path: &[String], value: &YamlValue) -> TextEdit {
    let newline = newline(text);
    let at = lines::mark(text);
    let entry = entry_text(path, value, "", newline);
    let below = lines::line_end(text, at);
    let is_rule = |line: &str| lines::content(line).trim_end() == "---";
    if is_rule(&text[at..below]) && is_rule(&text[below..lines::line_end(text, below)]) {
        return insert(below, entry);
    }
    let gap = if text[at..below].trim().is_empty() { "" } else { newline };
    insert(at, format!("---{newline}{entry}---{newline}{gap}"))
}

fn replaced(
    text: &str,
    front_matter: &FrontMatter<'_>,
    entry: &Entry<'_>,
    value: &YamlValue,
) -> Result<TextEdit, StructureError> {
    let old = entry.value;
    let line = front_matter.line(entry.key.bytes.start);
    if entry.key.is_marked || old.has_marks() {
        return Err(unsupported(line, "an anchor, alias or tag").into());
    }
    let in_flow = is_in_flow(text, front_matter, entry.key.bytes.start);
    if reads_as(old, value) {
        return Err(StructureError::NoEffect);
    }
    match (&old.content, value) {
        (Content::Scalar { value: before, style }, value) => {
            check_one_line(text, old, line)?;
            let colon = entry.after_colon(text);
            let is_empty = old.bytes.is_empty();
            let form = Form { old: (!is_empty).then_some((before.as_str(), *style)), in_flow };
            let new = written(value, form).unwrap_or_else(|| flow(value));
            if is_empty {
                Ok(insert(colon, format!(" {new}")))
            } else {
                Ok(replace(text, old.bytes.clone(), new))
            }
        }
        (Content::Sequence(items), YamlValue::List(values)) if !is_flow(text, old) && !values.is_empty() => {
            sequence(text, old, items, values, line)
        }
        (_, value) => {
            let is_flow = is_flow(text, old);
            if is_flow && text[old.bytes.clone()].contains('\n') {
                return Err(unsupported(line, "a value of several lines in brackets").into());
            }
            let new = written(value, Form { old: None, in_flow }).unwrap_or_else(|| flow(value));
            if is_flow {
                return Ok(replace(text, old.bytes.clone(), new));
            }
            let colon = entry.after_colon(text);
            let range = colon..old.bytes.end;
            if has_comment(text, &range) {
                return Err(unsupported(line, "comments inside of the value").into());
            }
            Ok(replace(text, range, format!(" {new}")))
        }
    }
}

/// Replaces the items of a list whose items are lines, in their form.
fn sequence(
    text: &str,
    old: &Node,
    items: &[Node],
    values: &[YamlValue],
    line: usize,
) -> Result<TextEdit, StructureError> {
    let first = items.first().map_or(old.bytes.start, |item| item.bytes.start);
    let line_start = lines::line_start(text, first);
    let marker = &text[line_start..first];
    let range = line_start..lines::line_end(text, old.bytes.end - 1);
    let is_simple = marker.trim() == "-"
        && items.iter().all(|item| matches!(item.content, Content::Scalar { .. }) && !item.bytes.is_empty())
        && text[range.clone()].split_inclusive('\n').count() == items.len();
    if !is_simple || has_comment(text, &range) {
        return Err(
            unsupported(line, "comments, lists or values of several lines inside of the value").into()
        );
    }
    let newline = newline(text);
    let mut new = String::new();
    for (at, value) in values.iter().enumerate() {
        let old = items.get(at).and_then(|item| match &item.content {
            Content::Scalar { value, style } => Some((value.as_str(), *style)),
            _ => None,
        });
        new.push_str(marker);
        new.push_str(&written(value, Form { old, in_flow: false }).unwrap_or_default());
        new.push_str(newline);
    }
    Ok(replace(text, range, new))
}

fn removed(
    text: &str,
    front_matter: &FrontMatter<'_>,
    found: &Found<'_>,
    entry: &Entry<'_>,
) -> Result<TextEdit, StructureError> {
    let line = front_matter.line(entry.key.bytes.start);
    if entry.key.is_marked || entry.value.has_marks() {
        return Err(unsupported(line, "an anchor, alias or tag").into());
    }
    if is_in_flow(text, front_matter, entry.key.bytes.start) {
        return Err(unsupported(line, "a key in brackets").into());
    }
    if let Content::Scalar { .. } = entry.value.content {
        check_one_line(text, entry.value, line)?;
    }
    let lines = entry.lines(text);
    let all = found.mapping.map(|mapping| &mapping.content);
    if !matches!(all, Some(Content::Mapping(all)) if all.len() == 1) {
        return Ok(replace(text, without_blanks(text, front_matter, lines), ""));
    }
    match found.owner {
        // An empty mapping stays one.
        Some(owner) => {
            let between = owner.after_colon(text)..lines.start;
            if between.start > between.end || has_comment(text, &between) {
                return Err(unsupported(line, "comments or other keys beside the value").into());
            }
            let end = lines.end;
            let end = end - lines::terminator(&text[lines]).len();
            Ok(replace(text, between.start..end, " {}"))
        }
        None => {
            let lines = without_blanks(text, front_matter, lines);
            let is_empty = text[front_matter.body.start..lines.start].trim().is_empty()
                && text[lines.end..front_matter.body.end].trim().is_empty();
            if !is_empty {
                return Ok(replace(text, lines, ""));
            }
            // Without a line, the delimiters would be two thematic breaks.
            let end = lines::line_end(text, front_matter.body.end);
            let gap = lines::line_end(text, end);
            let end = if text[end..gap].trim().is_empty() { gap } else { end };
            Ok(replace(text, lines::mark(text)..end, ""))
        }
    }
}

/// Adds the blank lines below the first lines of front matter, which must not begin with one.
fn without_blanks(text: &str, front_matter: &FrontMatter<'_>, mut lines: Range<usize>) -> Range<usize> {
    while lines.start == front_matter.body.start && lines.end < front_matter.body.end {
        let end = lines::line_end(text, lines.end);
        if !text[lines.end..end].trim().is_empty() {
            break;
        }
        lines.end = end;
    }
    lines
}

fn added(
    text: &str,
    front_matter: &FrontMatter<'_>,
    found: &Found<'_>,
    value: &YamlValue,
) -> Result<TextEdit, StructureError> {
    let newline = newline(text);
    let Some(mapping) = found.mapping else {
        return Ok(insert(front_matter.body.end, entry_text(&found.rest, value, "", newline)));
    };
    let line = front_matter.line(mapping.bytes.start);
    if is_flow(text, mapping) || is_in_flow(text, front_matter, mapping.bytes.start) {
        return Err(unsupported(line, "a mapping in brackets").into());
    }
    let Content::Mapping(entries) = &mapping.content else { return Err(unsupported(line, "no keys").into()) };
    let first = entries.first().map_or(mapping.bytes.start, |(key, _)| key.bytes.start);
    let indent = &text[lines::line_start(text, first)..first];
    if !indent.trim().is_empty() {
        return Err(unsupported(line, "a key behind another one on its line").into());
    }
    let at = match found.owner {
        Some(_) => {
            let (key, value) = entries.last().expect("a mapping in lines has an entry");
            Entry { key, value }.lines(text).end
        }
        None => front_matter.body.end,
    };
    Ok(insert(at, entry_text(&found.rest, value, indent, newline)))
}

/// Writes an entry, inside of mappings with the names before the last one.
fn entry_text(path: &[String], value: &YamlValue, indent: &str, newline: &str) -> String {
    let mut entry = String::new();
    let mut indent = indent.to_owned();
    for (at, name) in path.iter().enumerate() {
        let form = Form { old: None, in_flow: false };
        let name = written(&YamlValue::Text(name.clone()), form).unwrap_or_default();
        entry.push_str(&indent);
        entry.push_str(&name);
        entry.push(':');
        if at + 1 == path.len() {
            entry.push(' ');
            entry.push_str(&written(value, form).unwrap_or_else(|| flow(value)));
        }
        entry.push_str(newline);
        indent.push_str("  ");
    }
    entry
}

/// Writes a list in brackets.
fn flow(value: &YamlValue) -> String {
    let YamlValue::List(items) = value else { return String::new() };
    let items = items.iter().map(|item| written(item, Form { old: None, in_flow: true }).unwrap_or_default());
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// Checks that the new text reads like the old one, except for the value of the key.
fn check(
    text: &str,
    front_matter: &FrontMatter<'_>,
    found: &Found<'_>,
    edit: &TextEdit,
    key: &str,
    value: Option<&YamlValue>,
) -> Result<(), StructureError> {
    // The front matter and a line below it are all that matters.
    let end = lines::forward(text, front_matter.body.end, 2);
    let mut head = text[..end].to_owned();
    head.replace_range(edit.range(), &edit.new);
    let after = FrontMatter::of(&head)?;
    let (Some(after), Some(value)) = (&after, value) else {
        let is_gone =
            after.as_ref().is_some_and(|after| after.find(key).is_ok_and(|found| found.entry.is_none()));
        let others = |root: Option<&Node>| root.map_or(0, entries_in);
        let before = others(front_matter.root.as_ref());
        let now = others(after.as_ref().and_then(|after| after.root.as_ref()));
        let gone = found.entry.as_ref().map_or(0, |entry| 1 + entries_in(entry.value));
        return if is_gone && now + gone == before {
            Ok(())
        } else {
            Err(StructureError::Value(ValueFault::Yaml))
        };
    };
    let new = after.find(key)?;
    let is_set = new.entry.as_ref().is_some_and(|entry| reads_as(entry.value, value));
    let before = front_matter.root.as_ref().map(|root| without(root, found.entry.as_ref()));
    let now = after.root.as_ref().map(|root| without(root, new.entry.as_ref()));
    let is_alike = match (before, now) {
        // New mappings around the key have no other entry.
        (Some(before), Some(now)) => before == now || found.entry.is_none() && is_within(&before, &now),
        (None, Some(_)) => true,
        _ => false,
    };
    if is_set && is_alike { Ok(()) } else { Err(StructureError::Value(ValueFault::Yaml)) }
}

/// Returns a copy of a mapping without the entry, whose mapping may then be empty.
fn without(node: &Node, entry: Option<&Entry<'_>>) -> Node {
    let mut copy = node.clone();
    if let Some(entry) = entry {
        remove(&mut copy, &entry.key.bytes);
    }
    copy
}

fn remove(node: &mut Node, key: &Range<usize>) {
    if let Content::Mapping(entries) = &mut node.content {
        entries.retain(|(found, _)| found.bytes != *key);
        entries.iter_mut().for_each(|(_, value)| remove(value, key));
    }
}

/// Whether `now` has the entries of `before` and, at its ends, mappings without any.
fn is_within(before: &Node, now: &Node) -> bool {
    let (Content::Mapping(before), Content::Mapping(now)) = (&before.content, &now.content) else {
        return before == now;
    };
    let is_empty =
        |node: &Node| is_within(&Node { content: Content::Mapping(Vec::new()), ..node.clone() }, node);
    let more = now.get(before.len()..).unwrap_or_default();
    now.len() >= before.len()
        && before.iter().zip(now).all(|(before, now)| before.0 == now.0 && is_within(&before.1, &now.1))
        && more.iter().all(|(_, value)| matches!(value.content, Content::Mapping(_)) && is_empty(value))
}

/// Counts the entries of a mapping and of the mappings inside.
fn entries_in(node: &Node) -> usize {
    match &node.content {
        Content::Mapping(entries) => entries.iter().map(|(_, value)| 1 + entries_in(value)).sum(),
        Content::Sequence(items) => items.iter().map(entries_in).sum(),
        _ => 0,
    }
}

/// Whether a node reads as the value.
fn reads_as(node: &Node, value: &YamlValue) -> bool {
    let is_list = |items: &[Node], values: &[YamlValue]| {
        items.len() == values.len() && items.iter().zip(values).all(|(item, value)| reads_as(item, value))
    };
    match (&node.content, value) {
        (Content::Sequence(items), YamlValue::List(values)) => is_list(items, values),
        (Content::Scalar { value: read, style }, value) => {
            let is_plain = *style == ScalarStyle::Plain;
            let old = is_plain.then_some((read.as_str(), ScalarStyle::Plain));
            let form = Form { old, in_flow: false };
            match value {
                YamlValue::Text(text) if !is_plain => read == text,
                YamlValue::Null => {
                    is_plain && (read.is_empty() || read == "~" || read.eq_ignore_ascii_case("null"))
                }
                YamlValue::List(_) => false,
                // A text is plain only if it reads as a text.
                value => is_plain && written(value, form).as_deref() == Some(read.as_str()),
            }
        }
        _ => false,
    }
}

fn is_flow(text: &str, node: &Node) -> bool {
    text[node.bytes.clone()].starts_with(['[', '{'])
}

/// Whether a place is inside of brackets.
fn is_in_flow(text: &str, front_matter: &FrontMatter<'_>, at: usize) -> bool {
    fn holds(text: &str, node: &Node, at: usize) -> bool {
        let inside = node.bytes.contains(&at);
        match &node.content {
            Content::Mapping(_) | Content::Sequence(_)
                if inside && is_flow(text, node) && at > node.bytes.start =>
            {
                true
            }
            Content::Mapping(entries) => entries.iter().any(|(_, value)| holds(text, value, at)),
            Content::Sequence(items) => items.iter().any(|item| holds(text, item, at)),
            _ => false,
        }
    }
    front_matter.root.as_ref().is_some_and(|root| holds(text, root, at))
}

/// Refuses a scalar of several lines.
fn check_one_line(text: &str, node: &Node, line: usize) -> Result<(), StructureError> {
    let is_block =
        matches!(node.content, Content::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. });
    if is_block || text[node.bytes.clone()].contains('\n') {
        return Err(unsupported(line, "a value of several lines").into());
    }
    Ok(())
}

/// Whether there is a comment between the nodes of a range.
fn has_comment(text: &str, range: &Range<usize>) -> bool {
    // A `#` inside of a quoted scalar counts too, because it is rare and nothing is lost.
    text.get(range.clone()).is_none_or(|between| between.contains('#'))
}
