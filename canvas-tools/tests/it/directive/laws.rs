//! What holds for all texts and ranges, against a vector of characters.

use canvas_core::history::{Undo, UndoScope};
use canvas_core::text::{Limits, resolve};
use canvas_core::{Author, CodedError as _};
use canvas_tools::directive::{CharRange, Directive, plan};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::world::World;

/// Short texts in which line ends, terminators of two characters, wide and joining characters are common.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("\n"),
        1 => Just("\r\n"),
        1 => Just("\r"),
        3 => Just("a"),
        2 => Just("- b\n"),
        1 => Just("é"),
        1 => Just("e\u{301}"),
        1 => Just("👩\u{200d}💻"),
        1 => Just("\u{0}"),
        1 => Just("\u{feff}"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Documents in which addresses lead to something, with each kind of line end, with and without a mark or a last end.
fn markdown() -> impl Strategy<Value = String> {
    let block = prop::sample::select(vec![
        "# A\n",
        "# A\n\n",
        "## B\n",
        "a\n",
        "é\nb\n\n",
        "- i\n  - j\n",
        "- i\n\n\n",
        "> - q\n",
        "```\nf\n```\n",
        "```\n",
        "\n| x |\n| - |\n| 1 |\n",
        "\n> | x |\n> | - |\n> | 1 |\n\n",
        "a\rb\n",
        "\n",
    ]);
    let front_matter = prop_oneof![3 => Just(""), 1 => Just("---\nk: v\n---\n")];
    let newline = prop_oneof![2 => Just("\n"), 1 => Just("\r\n")];
    let parts =
        (prop::bool::weighted(0.1), front_matter, prop::collection::vec(block, 0..8), newline, any::<bool>());
    parts.prop_map(|(has_mark, front_matter, blocks, newline, ends)| {
        let text = (front_matter.to_owned() + &blocks.concat()).replace('\n', newline);
        let text = if ends { &text } else { text.trim_end() };
        if has_mark { format!("\u{feff}{text}") } else { text.to_owned() }
    })
}

fn range(text: &str, (a, b): (Index, Index)) -> (usize, usize) {
    let len = text.chars().count() + 1;
    let (a, b) = (a.index(len), b.index(len));
    (a.min(b), a.max(b))
}

/// What a vector of characters makes of it.
fn naive(text: &str, (start, end): (usize, usize), content: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    chars.splice(start..end, content.chars());
    chars.into_iter().collect()
}

fn directive(action: &str, content: &str, (start, end): (usize, usize)) -> Value {
    json!({"action": action, "content": content, "target_range": [start, end]})
}

/// The lines of a text, each with its terminator.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

proptest! {
    #[test]
    fn replacing_is_what_a_vector_of_characters_does(
        text in text(), content in text(), ends in any::<(Index, Index)>(),
    ) {
        let range = range(&text, ends);
        let parsed = Directive::parse(&directive("replace", &content, range)).unwrap();
        let planned = plan(&text, &parsed, &Limits::default()).unwrap();
        let expected = naive(&text, range, &content);
        prop_assert_eq!(&planned.text, &expected);
        prop_assert_eq!(planned.delta.apply(&text).unwrap(), expected.as_str());
        prop_assert_eq!(planned.delta.inverse().apply(&expected).unwrap(), text.as_str());
        if let [span] = planned.context.spans[..] {
            let added = content.chars().count();
            prop_assert_eq!(span.chars, CharRange::new(range.0, range.0 + added).unwrap());
            // What lies outside the lines of the span are old lines, and the span is no wider than it must be.
            let (old, new) = (lines(&text), lines(&expected));
            let (above, below) = (span.lines.start_line - 1, new.len() - span.lines.end_line);
            prop_assert!(above + below <= new.len() && above + below <= old.len(), "{:?}", span);
            prop_assert_eq!(&new[..above], &old[..above]);
            prop_assert_eq!(&new[new.len() - below..], &old[old.len() - below..]);
            prop_assert!(new.len() - above - below <= lines(&content).len() + 1);
            let net = added as isize - (range.1 - range.0) as isize;
            prop_assert_eq!(planned.context.summary, format!("{net:+} chars"));
        } else {
            prop_assert_eq!(&expected, &text);
            prop_assert!(planned.delta.is_empty());
        }
    }

    #[test]
    fn inserting_works_at_every_offset(text in text(), content in "[a-c\n]{1,3}") {
        let len = text.chars().count();
        for at in 0..=len {
            let parsed = Directive::parse(&directive("insert", &content, (at, at))).unwrap();
            let planned = plan(&text, &parsed, &Limits::default()).unwrap();
            prop_assert_eq!(planned.text, naive(&text, (at, at), &content));
        }
        let beyond = Directive::parse(&directive("insert", &content, (len + 1, len + 1))).unwrap();
        prop_assert_eq!(plan(&text, &beyond, &Limits::default()).unwrap_err().code(), "INVALID_RANGE");
    }

    #[test]
    fn annotating_changes_nothing(text in text(), ends in any::<(Index, Index)>()) {
        let parsed = Directive::parse(&directive("annotate", "note", range(&text, ends))).unwrap();
        let planned = plan(&text, &parsed, &Limits::default()).unwrap();
        prop_assert_eq!(planned.text, text);
        prop_assert!(planned.delta.is_empty());
    }

    /// An edit by target is the edit by the range that the address leads to. In a text with other line ends, the content
    /// gets those, and the edit still touches no other line.
    #[test]
    fn a_target_is_the_range_that_it_leads_to(
        text in markdown(), content in "([a-c#| -]{0,3}\n){0,2}", plain in any::<bool>(), lines in (1..9_usize, 0..3_usize),
    ) {
        let text = if plain { text.replace(['\r', '\u{feff}'], "").trim_end().to_owned() + "\n" } else { text };
        let chars = |at: usize| text[..at].chars().count();
        for target in [
            json!({"lines": [lines.0, lines.0 + lines.1]}), json!({"section": []}), json!({"item": 1}), json!({"item": [1, 1]}),
            json!({"paragraph": 1}), json!({"fence": 1}), json!({"table": 1}), json!({"table": 1, "row": 1}),
            json!({"front_matter": true}), json!({"grep": "#", "ordinal": 1}),
        ] {
            let Ok(place) = resolve(&text, &serde_json::from_value(target.clone()).unwrap()) else { continue };
            let place = place.bytes;
            for action in ["replace", "insert", "annotate"] {
                if content.is_empty() && action != "replace" {
                    continue;
                }
                let range = (chars(if action == "insert" { place.end } else { place.start }), chars(place.end));
                let by_target = json!({"action": action, "content": content, "target": target});
                let [by_target, by_range] = [by_target, directive(action, &content, range)].map(|directive| {
                    plan(&text, &Directive::parse(&directive).unwrap(), &Limits::default()).unwrap()
                });
                for edit in by_target.delta.edits() {
                    let (start, end) = (edit.range().start, edit.range().end);
                    prop_assert!(place.start <= start && end <= place.end, "{} {:?}", target, edit);
                    prop_assert!(action == "replace" || start == place.end);
                }
                if plain || action == "annotate" {
                    prop_assert_eq!(by_target, by_range);
                }
            }
        }
    }

    /// A patch that was built, with its numbers taken away or not: what it makes, and where it says that it was.
    #[test]
    fn patches_and_their_spans_agree(before in text(), after in text()) {
        prop_assume!(before != after);
        let diff = canvas_core::text::build(&before, &after, 3);
        let version = canvas_core::RevisionId::new(canvas_core::Revision::ZERO, canvas_core::BlobId::of(b""));
        let patch = Directive::patch(&diff, version, None).unwrap();
        let planned = plan(&before, &patch, &Limits::default()).unwrap();
        prop_assert_eq!(&planned.text, &after);
        // The applier tells the same lines in its own way; stretches that touch are one here.
        let applied = canvas_core::text::apply(&before, &diff, &canvas_core::text::ApplyOptions::default()).unwrap();
        let mut lines: Vec<(usize, usize)> = Vec::new();
        let mut done = None;
        for span in applied.spans() {
            let (start, end) = (span.new_lines.start + 1, span.new_lines.end);
            match lines.last_mut() {
                Some(last) if done == Some(span.old_bytes.start) => last.1 = end,
                _ => lines.push((start, end)),
            }
            done = Some(span.old_bytes.end);
        }
        let reported: Vec<_> = planned.context.spans.iter().map(|span| (span.lines.start_line, span.lines.end_line)).collect();
        prop_assert_eq!(reported, lines);
        let chars: Vec<char> = after.chars().collect();
        for (span, one) in planned.context.spans.iter().zip(planned.delta.edits()) {
            let reported: String = chars[span.chars.start()..span.chars.end()].iter().collect();
            prop_assert_eq!(&reported, &one.new);
        }
    }
}

proptest! {
    // Each case makes a canvas.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    /// Edits one after the other, some of which fail: each is one step back, and a failure is none (the world checks
    /// that nothing but receipts has changed).
    #[test]
    fn undo_restores_every_byte(
        first in text(),
        edits in prop::collection::vec((text(), any::<(Index, Index)>(), 0..6_u8), 1..6),
    ) {
        let world = World::new(&first);
        let mut texts = vec![first];
        for (content, ends, kind) in edits {
            let text = world.text();
            let (start, end) = range(&text, ends);
            let directive = match kind {
                0 => directive("insert", &format!("{content}x"), (start, start)),
                1 => directive("replace", &content, (start, end + text.chars().count())),
                2 => {
                    let after = naive(&text, (start, end), &content);
                    let diff = canvas_core::text::build(&text, &after, 1);
                    json!({"action": "patch", "diff": diff, "version": world.version()})
                }
                3 => json!({"action": "patch", "diff": "@@\n-nowhere\n+x\n", "version": world.version()}),
                _ => directive("replace", &content, (start, end)),
            };
            if world.direct(&directive).is_ok_and(|done| done.change.is_some()) {
                texts.push(world.text());
            }
            prop_assert_eq!(&world.text(), texts.last().unwrap());
        }
        prop_assert_eq!(world.entries().len(), texts.len() - 1);
        while let Some(text) = texts.pop() {
            prop_assert_eq!(world.text(), text);
            if !texts.is_empty() {
                let what = UndoScope::Steps(std::num::NonZeroU32::MIN);
                world.user(Undo { by: Author::User, what });
            }
        }
    }

    /// Whatever JSON comes, there is an answer.
    #[test]
    fn nothing_that_is_sent_panics(
        action in prop::sample::select(vec!["insert", "replace", "annotate", "patch", "x"]),
        fields in prop::collection::hash_map(
            prop::sample::select(vec!["content", "target_range", "diff", "version", "document_digest", "selection_fingerprint", "rationale", "y"]),
            prop::sample::select(vec![
                json!(null), json!(1), json!(-1), json!(1.5), json!(""), json!("x"), json!([0, 1]), json!([1, 0]),
                json!([0, u64::MAX]), json!({"start": 0, "end": 2}), json!("@@\n-a\n+b\n"), json!("r1-00000000"), json!([[]]),
            ]),
            0..5,
        ),
    ) {
        let mut directive = json!({"action": action});
        for (name, value) in fields {
            directive[name] = value;
        }
        let world = World::new("a\nb\n");
        let _ = world.direct(&directive);
        let _ = world.tool(true, "document_edit", directive);
    }
}
