//! Targets by address: each kind of place, the text that an edit makes of it, and refusals.

use canvas_core::CodedError as _;
use canvas_core::document::{ProtectedPlaces, SetProtected};
use canvas_core::text::{Address, Part};
use canvas_tools::directive::{Advice, CharRange, Directive, Fingerprint};
use serde_json::{Value, json};

use super::world::{World, code};

const TEXT: &str = "---\nk: v\n---\nintro\n\n# A\n\n- i\n  - j\n- k\n\n## B\n\npara\n\n| x | y |\n| - | - |\n\
                    | 1 | 2 |\n\n```\nf\n```\n\n# C\n\n[^n]: note\n";

fn directive(action: &str, content: &str, target: &Value) -> Value {
    json!({"action": action, "content": content, "target": target})
}

/// Address, and the text that it names.
fn places() -> Vec<(Value, &'static str)> {
    let table = "| x | y |\n| - | - |\n| 1 | 2 |\n";
    let b = "## B\n\npara\n\n| x | y |\n| - | - |\n| 1 | 2 |\n\n```\nf\n```\n";
    vec![
        (json!({"lines": [4, 6]}), "intro\n\n# A\n"),
        (json!({"front_matter": true}), "---\nk: v\n---\n"),
        (json!({"front_matter": true, "key": "k"}), "k: v\n"),
        (json!({"section": []}), "intro\n"),
        (json!({"body": true}), "intro\n"),
        (json!({"section": ["A", "B"]}), b),
        (json!({"section": ["B"], "ordinal": 1}), b),
        (json!({"section": ["C"]}), "# C\n\n[^n]: note\n"),
        (json!({"section": ["A"], "body": true}), "- i\n  - j\n- k\n"),
        (json!({"section": ["A"], "item": 2}), "- k\n"),
        (json!({"section": ["A"], "item": [1, 1]}), "  - j\n"),
        (json!({"item": 1}), "- i\n  - j\n"),
        (json!({"paragraph": 2}), "para\n"),
        (json!({"fence": 1}), "```\nf\n```\n"),
        (json!({"section": ["B"], "table": 1}), table),
        (json!({"table": 1, "row": 1}), "| 1 | 2 |\n"),
        (json!({"footnote": "n"}), "[^n]: note\n"),
        (json!({"grep": "par"}), "para\n"),
    ]
}

#[test]
fn every_place_is_replaced_extended_removed_and_annotated() {
    for eol in ["\n", "\r\n"] {
        let text = TEXT.replace('\n', eol);
        for (target, place) in places() {
            let place = place.replace('\n', eol);
            let at = text.find(&place).unwrap();
            let (above, below) = (&text[..at], &text[at + place.len()..]);
            let new = format!("new{eol}lines{eol}");
            // The end of the last line may be left out, and the ends are those of the document.
            for content in ["new\nlines\n", "new\r\nlines"] {
                for (action, after) in [
                    ("replace", format!("{above}{new}{below}")),
                    ("insert", format!("{above}{place}{new}{below}")),
                ] {
                    let world = World::new(&text);
                    let done = world.direct(&directive(action, content, &target)).unwrap();
                    assert_eq!(world.text(), after, "{action} {target}");
                    let changed = |text: &str, range: CharRange| {
                        text.chars().skip(range.start()).take(range.len()).collect::<String>()
                    };
                    assert_eq!(changed(&after, done.context.selection), new, "{action} {target}");
                    let before = if action == "insert" { "" } else { place.as_str() };
                    assert_eq!(changed(&text, done.context.before), before, "{action} {target}");
                }
            }
            let world = World::new(&text);
            world.direct(&directive("replace", "", &target)).unwrap();
            assert_eq!(world.text(), format!("{above}{below}"), "{target}");
            let world = World::new(&text);
            let note = world.direct(&directive("annotate", "why?", &target)).unwrap();
            let [span] = note.context.spans[..] else { panic!("{target}") };
            assert_eq!((span.chars.len(), note.change), (place.chars().count(), None), "{target}");
            assert_eq!(span.lines.end_line + 1 - span.lines.start_line, place.matches('\n').count());
            // The same lines again are no edit.
            let same = world.direct(&directive("replace", &place, &target)).unwrap();
            assert_eq!((same.change, world.text().as_str()), (None, text.as_str()), "{target}");
        }
    }
}

/// Text, target, action, content; the text after.
#[test]
fn the_ends_of_texts_and_lines_stay() {
    let (line, last) = (json!({"lines": [1, 1]}), json!({"lines": [2, 2]}));
    for (text, target, action, content, after) in [
        ("a\nb", &last, "replace", "c", "a\nc"),
        ("a\nb", &last, "replace", "c\n", "a\nc"),
        ("a\nb", &last, "insert", "c", "a\nb\nc"),
        ("a\r\nb", &last, "insert", "c\nd\n", "a\r\nb\r\nc\r\nd"),
        ("a\nb", &last, "replace", "", "a\n"),
        ("a", &line, "insert", "b", "a\nb"),
        ("a\nb", &line, "replace", "c", "c\nb"),
        ("a\nb", &line, "insert", "\n", "a\n\nb"),
        ("\u{feff}a\nb\n", &line, "replace", "c", "\u{feff}c\nb\n"),
        ("ä😀\nb\n", &line, "insert", "é", "ä😀\né\nb\n"),
    ] {
        let world = World::new(text);
        world.direct(&directive(action, content, target)).unwrap();
        assert_eq!(world.text(), after, "{action} {content:?} at {target} of {text:?}");
    }
}

#[test]
fn a_cell_is_replaced_without_its_row() {
    for (target, content, after) in [
        (json!({"table": 1, "row": 1, "column": 2}), "two", "| 1 | two |"),
        (json!({"section": ["B"], "table": 1, "row": 1, "column": "x"}), "", "|   | 2 |"),
        (json!({"table": 1, "row": 1, "column": "x"}), "a | b", "| a \\| b | 2 |"),
        (json!({"table": 1, "row": 1, "column": "x"}), "a \\| b", "| a \\| b | 2 |"),
    ] {
        let world = World::new(TEXT);
        world.direct(&directive("replace", content, &target)).unwrap();
        assert_eq!(world.text(), TEXT.replace("| 1 | 2 |", after), "{target}");
    }
    // A row may have fewer cells than its table, or no pipes around it.
    for (text, column, content, after) in [
        ("x | y\n- | -\n1\n", 2, "two", "x | y\n- | -\n1 | two\n"),
        ("| x | y | z |\n| - | - | - |\n| 1 |\n", 3, "3", "| x | y | z |\n| - | - | - |\n| 1 | | 3 |\n"),
        ("x | y\n- | -\n1 | 2\n", 1, "", "x | y\n- | -\n| | 2\n"),
        ("x | y\n- | -\n1 | 2\n", 1, "- a", "x | y\n- | -\n| - a | 2\n"),
    ] {
        let world = World::new(text);
        let cell = json!({"table": 1, "row": 1, "column": column});
        world.direct(&directive("replace", content, &cell)).unwrap();
        assert_eq!(world.text(), after, "{content:?}");
    }
    let cell = json!({"table": 1, "row": 1, "column": 2});
    let note = World::new(TEXT).direct(&directive("annotate", "?", &cell)).unwrap();
    assert_eq!((note.context.spans[0].chars.len(), note.context.spans[0].lines.start_line), (1, 18));
    for content in ["a\n", "a\rb"] {
        let done = World::new(TEXT).direct(&directive("replace", content, &cell));
        assert_eq!(code(&done), "INVALID_DIRECTIVE/BAD_VALUE at /content", "{content:?}");
    }
    let header = json!({"table": 1, "column": "y"});
    for (action, target) in [("insert", &cell), ("insert", &header), ("replace", &header)] {
        let done = World::new(TEXT).direct(&directive(action, "x", target));
        assert_eq!(code(&done), "INVALID_DIRECTIVE/BAD_RANGE at /target/column");
    }
    // A lone CR ends a row, but no line.
    let row = json!({"table": 1, "row": 1});
    for action in ["insert", "replace", "annotate"] {
        let done = World::new("| x |\r| - |\r| 1 |\n").direct(&directive(action, "| 2 |", &row));
        assert_eq!(code(&done), "INVALID_DIRECTIVE/BAD_RANGE at /target");
    }
}

#[test]
fn an_unreadable_target_is_refused_with_its_place() {
    for action in ["insert", "replace", "annotate"] {
        for (target, expected) in [
            (json!({}), "BAD_VALUE at /target"),
            (json!([1, 2]), "BAD_VALUE at /target"),
            (json!("A"), "BAD_VALUE at /target"),
            (json!({"section": "A"}), "BAD_VALUE at /target/section"),
            (json!({"section": ["A", 1]}), "BAD_VALUE at /target/section/1"),
            (json!({"section": ["A"], "item": -1}), "BAD_VALUE at /target/item"),
            (json!({"section": ["A"], "item": [1, "b"]}), "BAD_VALUE at /target/item/1"),
            (json!({"section": ["A"], "part": 1}), "BAD_VALUE at /target/part"),
            (json!({"lines": [1]}), "BAD_VALUE at /target/lines"),
            (json!({"lines": [1, 2], "item": 1}), "BAD_VALUE at /target"),
            (json!({"grep": "(", "regex": true}), "BAD_VALUE at /target"),
            (json!(null), "MISSING_FIELD at /target_range"),
        ] {
            let done = World::new(TEXT).direct(&directive(action, "x", &target));
            assert_eq!(code(&done), format!("INVALID_DIRECTIVE/{expected}"), "{action} {target}");
        }
        let mut both = directive(action, "x", &json!({"lines": [1, 1]}));
        both["target_range"] = json!([0, 0]);
        let done = World::new(TEXT).direct(&both);
        assert_eq!(code(&done), "INVALID_DIRECTIVE/FORBIDDEN_FIELD at /target", "{action}");
    }
    let neither = Directive::parse(&json!({"action": "replace", "content": "x"})).unwrap_err();
    let message = neither.to_string();
    assert!(message.contains("[start, end]") && message.contains("target"), "{message}");
}

#[test]
fn an_address_without_one_place_is_refused_with_candidates() {
    let text =
        "---\nk: v\n---\n# A\n\n## B\n\n# C\n\n## B\n\n| x | x |\n| - | - |\n| 1 | 2 |\n\n[^n]: note\n";
    let section = |titles: &[&str], line: u64| json!({"path": titles, "heading_line": line});
    for (target, expected, field, candidates) in [
        (
            json!({"section": ["B"]}),
            "ADDRESS_AMBIGUOUS",
            "candidates",
            json!([section(&["A", "B"], 6), section(&["C", "B"], 10)]),
        ),
        (
            json!({"section": ["B"], "ordinal": 3}),
            "ADDRESS_NOT_FOUND",
            "candidates",
            json!([section(&["A", "B"], 6), section(&["C", "B"], 10)]),
        ),
        (
            json!({"section": ["A"], "item": 1}),
            "ADDRESS_NOT_FOUND",
            "candidates",
            json!([section(&["A"], 4)]),
        ),
        (json!({"grep": "#"}), "ADDRESS_AMBIGUOUS", "places", json!([4, 6, 8, 10])),
        (json!({"lines": [1, 99]}), "ADDRESS_NOT_FOUND", "candidates", json!(null)),
        (json!({"table": 2}), "TABLE_NOT_FOUND", "candidates", json!(null)),
        (json!({"table": 1, "row": 2}), "ROW_NOT_FOUND", "candidates", json!(null)),
        (json!({"table": 1, "row": 1, "column": "y"}), "COLUMN_NOT_FOUND", "names", json!(["x", "x"])),
        (json!({"table": 1, "row": 1, "column": "x"}), "ADDRESS_AMBIGUOUS", "columns", json!([1, 2])),
        (json!({"front_matter": true, "key": "z"}), "KEY_NOT_FOUND", "names", json!(["k"])),
        (json!({"footnote": "z"}), "ADDRESS_NOT_FOUND", "names", json!(["n"])),
    ] {
        for action in ["replace", "annotate"] {
            let world = World::new(text);
            let done = world.direct(&directive(action, "x", &target));
            assert_eq!(code(&done), format!("{expected} at /target"), "{action} {target}");
            let failure = done.unwrap_err();
            assert_eq!(failure.to_json()[field], candidates, "{action} {target}");
            assert_eq!((failure.advice(), failure.is_conflict()), (Advice::Correct, true));
            let reply = world.tool(true, "document_edit", directive(action, "x", &target));
            assert_eq!((reply.code(), &reply.body()["error"][field]), (Some(expected), &candidates));
        }
    }
    // Nothing of any length comes back.
    let long = json!({"section": ["x".repeat(100_000)]});
    let failure = World::new(text).direct(&directive("replace", "x", &long)).unwrap_err();
    assert!(failure.to_string().len() < 2_000);
    let world = World::new(&text.replace("| x | x |", &format!("| {} | x |", "x".repeat(100_000))));
    let cell = json!({"table": 1, "row": 1, "column": "y"});
    let reply = world.tool(true, "document_edit", directive("replace", "x", &cell));
    assert!(reply.body()["error"].to_string().len() < 4_000);
}

#[test]
fn a_fingerprint_and_a_version_guard_a_target() {
    let item = json!({"section": ["A"], "item": 2});
    let guarded = |field: &str, value: Value| {
        let mut guarded = directive("replace", "- new", &item);
        guarded[field] = value;
        guarded
    };
    let print = |text: &str| guarded("selection_fingerprint", json!(Fingerprint::of(text)));
    assert_eq!(code(&World::new(TEXT).direct(&print("- k\n"))), "OK");
    let world = World::new(TEXT);
    let failure = world.direct(&print("- k")).unwrap_err();
    assert_eq!((failure.code(), &failure.to_json()["text"]), ("FINGERPRINT_MISMATCH", &json!("- k\n")));

    let old = guarded("document_version", json!(world.version()));
    world.edit(&TEXT.replace("intro", "intro\n\nmore"));
    assert_eq!(code(&world.direct(&old)), "STALE_VERSION");
    assert_eq!(code(&world.direct(&guarded("document_version", json!(world.version())))), "OK");
    assert!(world.text().contains("more\n\n# A\n\n- i\n  - j\n- new\n\n"), "found in the current text");
}

#[test]
fn a_protected_place_is_refused_by_target_too() {
    let world = World::new(TEXT);
    let places = ProtectedPlaces::new(vec![Address::Part(Part::Paragraph(2))]).unwrap();
    world.user(SetProtected { places });
    let paragraph = json!({"paragraph": 2});
    assert_eq!(code(&world.direct(&directive("replace", "x", &paragraph))), "PATCH_REJECTED/PROTECTED");
    assert_eq!(code(&world.direct(&directive("annotate", "x", &paragraph))), "OK");
    assert_eq!(code(&world.direct(&directive("replace", "- x", &json!({"item": 1})))), "OK");
}

#[test]
fn a_retry_by_target_is_recognised() {
    let world = World::new(TEXT);
    let by = |item: Value| directive("insert", "- l", &json!({"section": ["A"], "item": item}));
    let first = world.direct_as("k", &by(json!(2))).unwrap();
    world.edit("");
    // The normal form of an address is the same for both spellings.
    let again = world.direct_as("k", &by(json!([2]))).unwrap();
    assert_eq!((again.replayed, &again.context), (true, &first.context));
    assert_eq!(code(&world.direct_as("k", &by(json!(1)))), "CALL_ID_REUSED");
    let parsed = Directive::parse(&by(json!(2))).unwrap();
    assert_eq!(Directive::parse(&parsed.to_json()), Ok(parsed));
}
