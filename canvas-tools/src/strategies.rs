//! Texts, changes and calls of native dialects, for the property tests of this crate and for your own.
//!
//! ```
//! use canvas_tools::strategies::native_calls;
//! use canvas_tools::native::{NativeOptions, apply_native};
//! use proptest::prelude::*;
//!
//! proptest!(ProptestConfig::with_cases(8), |(made in native_calls())| {
//!     if let Ok(edit) = apply_native(made.dialect, &made.text, &made.call, &NativeOptions::default()) {
//!         prop_assert_eq!(edit.delta.apply(&made.text), Ok(edit.text));
//!     }
//! });
//! ```

use canvas_core::text::floor_char_boundary;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::toolset::native::{Dialect, NativeOptions, RenderOptions, render_native};

/// A call with the text that it edits.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeCall {
    /// The edit format of the call.
    pub dialect: Dialect,
    /// The text that the call's author saw.
    pub text: String,
    /// The arguments, in the dialect's form.
    pub call: Value,
}

/// Generates any dialect.
pub fn dialects() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

/// Generates texts of few different lines, so that lines repeat. Some lines are markers of the edit formats, and every
/// line terminator occurs.
pub fn native_texts() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => prop::sample::select(vec!["a", "b", "c", "", "# A", "## B", "- x"]),
        // What a form could take for its own.
        1 => prop::sample::select(vec![
            "=======", "===", "\\=======", "***", "*** End of File", "@@", "+a", "-a", " a", ">>>>>>> REPLACE",
            "<<<<<<< SEARCH", "*** End Patch", ":start_line:1", "a\rb",
        ]),
    ];
    // Mixed terminators are rare, texts without a last one are not.
    let newline = prop_oneof![12 => Just("\n"), 1 => Just("\r\n")];
    (prop::collection::vec((line, newline), 0..12), any::<bool>()).prop_map(|(lines, open)| {
        let mut text: String = lines.iter().flat_map(|(line, newline)| [*line, *newline]).collect();
        if open && text.ends_with('\n') {
            let kept = text.trim_end_matches(['\r', '\n']).len();
            text.truncate(kept);
        }
        text
    })
}

/// Generates a text before and after a change. The change inserts lines of another text, or replaces a part or all of
/// the text with them.
pub fn native_changes() -> impl Strategy<Value = (String, String)> {
    (native_texts(), native_texts(), 0..3_usize, any::<bool>()).prop_map(|(before, other, keep, crlf)| {
        let lines: Vec<&str> = before.split_inclusive('\n').collect();
        let third = lines.len() / 3;
        let other: Vec<&str> = other.split_inclusive('\n').take(3).collect();
        let after: String = match keep {
            0 => other.concat(),
            1 => [&lines[..third], &other[..], &lines[third..]].concat().concat(),
            _ => [&lines[..third], &other[..], &lines[(2 * third).min(lines.len())..]].concat().concat(),
        };
        let with_crlf = |text: &str| text.replace('\n', "\r\n").replace("\r\r", "\r");
        if crlf { (with_crlf(&before), with_crlf(&after)) } else { (before, after) }
    })
}

/// Generates calls that change a text, with any number of lines of context. About half of them are damaged, for example
/// cut short, with a changed line, or without a field.
pub fn native_calls() -> impl Strategy<Value = NativeCall> {
    let change = native_changes().prop_filter("calls make a change", |(before, after)| before != after);
    (change, dialects(), 0..4_usize, prop::option::of((0..4_u8, any::<Index>(), any::<Index>())))
        .prop_filter_map(
            "some forms cannot say some changes",
            |((before, after), dialect, context, fault)| {
                let options = RenderOptions { context, unique: false };
                let path = NativeOptions::default().path;
                let calls = render_native(&before, &after, dialect, path, &options).ok()?;
                let mut call = calls.into_iter().next()?;
                if let Some((kind, field, place)) = fault {
                    damage(&mut call, kind, field, place);
                }
                Some(NativeCall { dialect, text: before, call })
            },
        )
}

fn damage(call: &mut Value, kind: u8, field: Index, place: Index) {
    let Some(fields) = call.as_object_mut() else { return };
    let names: Vec<String> = fields.keys().cloned().collect();
    let name = &names[field.index(names.len())];
    if kind == 0 {
        fields.remove(name);
        return;
    }
    let Some(text) = fields[name].as_str() else { return };
    let place = floor_char_boundary(text, place.index(text.len() + 1));
    let (head, tail) = text.split_at(place);
    let damaged = match kind {
        1 => head.to_owned(),
        2 => format!("{head}x{tail}"),
        _ => format!("{head}\n{tail}"),
    };
    fields[name] = damaged.into();
}
