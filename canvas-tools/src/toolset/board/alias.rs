//! Replaces ids with aliases in replies, because a model that only knows aliases must find them there too.

use canvas_core::board::{Aliases, ComponentId};
use serde_json::Value;

use crate::reply::ToolReply;

/// Replaces ids with aliases in a reply, including its texts. A corrected call is unchanged, because it uses the names
/// of the call. Takes time linear in the reply, or constant time without aliases.
pub(super) fn shorten_ids(reply: ToolReply, aliases: &Aliases) -> ToolReply {
    if aliases.iter().next().is_none() {
        return reply;
    }
    let body = with_aliases(reply.body(), aliases);
    reply.with_body(body)
}

fn with_aliases(body: &Value, aliases: &Aliases) -> Value {
    match body {
        Value::String(text) => text_with(text, aliases).into(),
        Value::Array(items) => items.iter().map(|item| with_aliases(item, aliases)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match name.as_str() {
                "corrected_call" | "map" => (name.clone(), value.clone()),
                _ => (name.clone(), with_aliases(value, aliases)),
            };
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

/// Replaces whole words only, so that an id within another one stays.
fn text_with(text: &str, aliases: &Aliases) -> String {
    let name_of = |id: &str| aliases.of(&ComponentId::new(id).ok()?);
    if let Some(name) = name_of(text) {
        return name;
    }
    let is_between = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let mut shown = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_between) {
        let end = piece.rfind(is_between).unwrap_or(piece.len());
        // A full stop is more often the end of a sentence than part of an id.
        let word = piece[..end].trim_end_matches('.');
        shown.push_str(name_of(word).as_deref().unwrap_or(word));
        shown.push_str(&piece[word.len()..]);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_ids_are_replaced_by_aliases() {
        let id = |name: &str| ComponentId::new(name).expect("a name");
        let names = Aliases::from(["cmp_a", "c1", "two words"].map(id).to_vec());
        for (text, expected) in [
            ("cmp_a", "c1"),
            ("c1", "c2"),
            ("two words", "c3"),
            ("cmp_a, c1 and cmp_ab cover it: move cmp_a.", "c1, c2 and cmp_ab cover it: move c1."),
            ("\"cmp_a\"…", "\"c1\"…"),
            ("xcmp_a cmp_a-1 cmp_a.b", "xcmp_a cmp_a-1 cmp_a.b"),
            ("", ""),
            ("...", "..."),
        ] {
            assert_eq!(with_aliases(&text.into(), &names), expected, "{text}");
        }
        let kept = serde_json::json!({"corrected_call": {"arguments": {"config": "cmp_a"}}, "map": "cmp_a"});
        assert_eq!(with_aliases(&kept, &names), kept);
    }
}
