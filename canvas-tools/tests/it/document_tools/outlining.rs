//! The outline, and sections read by their path.

use canvas_core::document::RangeHash;
use canvas_core::lease::Timestamp;
use canvas_core::text::{Address, outline, resolve};
use canvas_core::turn::Cancel;
use canvas_tools::{LeaseChange, LeaseTerm};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, failure, message};

const TEXT: &str =
    "---\ntitle: x\n---\n# A\n\none\n\n## B\n\n- i\n- j\n\n## B\n\n```\n# no\n```\n\n# A\n\nend";

fn ask(text: &str, name: &str, arguments: Value) -> Value {
    let world = World::extended(text);
    let reply = world.tool(name, arguments);
    let mut body = reply.body().clone();
    if !reply.is_ok() {
        return json!([failure(&reply), body["error"]["candidates"]]);
    }
    let fields = body.as_object_mut().unwrap();
    assert_eq!(fields.remove("revision_id"), Some(json!(world.revision())));
    assert_eq!((fields.remove("ok"), fields.get("expires_in_s")), (Some(json!(true)), None));
    body
}

fn outlined(text: &str, arguments: Value) -> Value {
    ask(text, "canvas_outline", arguments)
}

#[test]
fn the_outline_tells_paths_lines_and_ordinals() {
    let expected = json!({
        "sections": [
            {"path": ["A"], "level": 1, "heading_line": 4, "start_line": 4, "end_line": 17, "ordinal": 1},
            {"path": ["A", "B"], "level": 2, "heading_line": 8, "start_line": 8, "end_line": 11, "ordinal": 1},
            {"path": ["A", "B"], "level": 2, "heading_line": 13, "start_line": 13, "end_line": 17, "ordinal": 2},
            {"path": ["A"], "level": 1, "heading_line": 19, "start_line": 19, "end_line": 21, "ordinal": 2},
        ],
        "total_sections": 4,
        "front_matter": {"start_line": 1, "end_line": 3},
        "truncated": false,
    });
    assert_eq!(outlined(TEXT, json!({})), expected);
    // The same in a document of another system.
    assert_eq!(outlined(&TEXT.replace('\n', "\r\n"), json!({})), expected);
    let nothing = json!({"sections": [], "total_sections": 0, "front_matter": null, "truncated": false});
    for text in ["", "a\n", "#a\n", "```\n# a\n"] {
        assert_eq!(outlined(text, json!({})), nothing, "{text:?}");
    }
    assert_eq!(outlined("\u{feff}# a\n", json!({}))["sections"][0]["path"], json!(["a"]));
}

#[test]
fn the_outline_can_be_narrowed() {
    for (arguments, lines) in [
        (json!({"max_level": 1}), vec![4, 19]),
        (json!({"max_level": 2}), vec![4, 8, 13, 19]),
        (json!({"after_line": 3}), vec![4, 8, 13, 19]),
        (json!({"after_line": 8}), vec![13, 19]),
        (json!({"after_line": 8, "max_level": 1}), vec![19]),
        (json!({"after_line": 19}), vec![]),
    ] {
        let reply = outlined(TEXT, arguments.clone());
        let reported: Vec<_> =
            reply["sections"].as_array().unwrap().iter().map(|s| s["heading_line"].clone()).collect();
        assert_eq!(reported, lines, "{arguments}");
        assert_eq!((&reply["truncated"], &reply["total_sections"]), (&json!(false), &json!(4)));
        // An ordinal counts in the document, not in what is shown of it.
        let last = reply["sections"].as_array().unwrap().last().map(|section| section["ordinal"].clone());
        assert!(last.is_none_or(|ordinal| ordinal == 2), "{reply}");
    }
}

/// Every page leads to the next, and together they are the outline.
#[track_caller]
fn pages(text: &str) -> usize {
    let world = World::extended(text);
    let (mut after, mut reported, mut pages) = (0, Vec::new(), 0);
    loop {
        let reply = world.tool("canvas_outline", json!({"after_line": after}));
        let body = reply.body();
        pages += 1;
        let lines = body["sections"].as_array().unwrap().iter().map(|s| s["heading_line"].as_u64().unwrap());
        reported.extend(lines);
        if body["truncated"] == false {
            assert_eq!(body.get("next_after_line"), None);
            break;
        }
        after = body["next_after_line"].as_u64().unwrap();
        assert_eq!(reported.last(), Some(&after));
    }
    let lines: Vec<_> = outline(text).sections().iter().map(|s| s.heading.start as u64).collect();
    assert_eq!(reported, lines);
    pages
}

#[test]
fn a_huge_outline_comes_in_pages() {
    assert_eq!(pages(&"# a\n".repeat(200)), 1);
    assert_eq!(pages(&"# a\n".repeat(201)), 2);
    assert_eq!(pages(&(0..1_000).map(|i| format!("{} {i}\n", "#".repeat(i % 6 + 1))).collect::<String>()), 5);
    // Titles of 512 bytes, and paths of up to six of them: 64 KiB hold 36 of these.
    assert_eq!(
        pages(
            &(0..126).map(|i| format!("{} {}\n", "#".repeat(i % 6 + 1), "x".repeat(600))).collect::<String>()
        ),
        4
    );
    // Two headings on each line, parted by a lone CR: a page does not end between them.
    assert_eq!(pages(&format!("# x\n\n{}", "# a\r# b\n".repeat(300))), 4);
}

/// What one line holds past a page cannot be reached by lines, so going on leaves it out and comes to an end.
#[test]
fn headings_of_one_line_do_not_turn_in_circles() {
    let text = format!("{}\n# b\n", "# a\r".repeat(500));
    let first = outlined(&text, json!({}));
    assert_eq!((first["sections"].as_array().unwrap().len(), &first["next_after_line"]), (200, &json!(1)));
    let next = outlined(&text, json!({"after_line": 1}));
    assert_eq!((&next["sections"][0]["path"], &next["truncated"]), (&json!(["b"]), &json!(false)));
}

#[test]
fn a_path_of_hundreds_of_titles_is_clipped() {
    let text: String =
        (1..200).map(|depth| format!("{} # {}\n", ">".repeat(depth), "x".repeat(500))).collect();
    let reply = outlined(&text, json!({}));
    let sections = reply["sections"].as_array().unwrap();
    let depth = |section: &Value| section["path"].as_array().unwrap().len();
    assert_eq!((depth(&sections[7]), sections[7].get("path_clipped")), (8, None));
    assert_eq!((depth(&sections[8]), &sections[8]["path_clipped"]), (8, &json!(true)));
    assert_eq!((sections.len(), &reply["truncated"]), (19, &json!(true)));
}

fn section(arguments: Value) -> Value {
    ask(TEXT, "canvas_read_section", arguments)
}

#[test]
fn a_section_is_read_like_lines() {
    let shown = |start: usize, end: usize, text: &str| {
        json!({
            "start_line": start,
            "end_line": end,
            "text": text,
            "range_hash": RangeHash::of(text),
        })
    };
    for (arguments, expected) in [
        (json!({"path": ["A", "B"], "ordinal": 1}), shown(8, 11, "## B\n\n- i\n- j\n")),
        (json!({"path": ["B"], "ordinal": 2}), shown(13, 17, "## B\n\n```\n# no\n```\n")),
        (json!({"path": ["A"], "ordinal": 2}), shown(19, 21, "# A\n\nend")),
        (json!({"path": ["B"], "ordinal": 1, "item": 2}), shown(11, 11, "- j\n")),
        (json!({"path": ["B"], "ordinal": 2, "fence": 1}), shown(15, 17, "```\n# no\n```\n")),
    ] {
        assert_eq!(section(arguments.clone()), expected, "{arguments}");
    }
    // The same lines by number, in every field that both have.
    let world = World::extended(TEXT);
    let lease = world.check_out();
    let lines = world.tool("canvas_read_lines", json!({"lease_id": lease, "start_line": 8, "end_line": 11}));
    let arguments = json!({"lease_id": lease, "path": ["B"], "ordinal": 1});
    let by_path = world.tool("canvas_read_section", arguments);
    let mut expected = lines.body().clone();
    (expected["start_line"], expected["end_line"]) = (json!(8), json!(11));
    assert_eq!(*by_path.body(), expected);
}

#[test]
fn an_unknown_address_returns_candidates() {
    let a = |line: usize| json!({"path": ["A"], "heading_line": line});
    let b = |line: usize| json!({"path": ["A", "B"], "heading_line": line});
    for (arguments, code, candidates) in [
        (json!({"path": ["A"]}), "ADDRESS_AMBIGUOUS at \"/path\"", json!([a(4), a(19)])),
        (json!({"path": ["B"]}), "ADDRESS_AMBIGUOUS at \"/path\"", json!([b(8), b(13)])),
        (json!({"path": ["B"], "ordinal": 3}), "ADDRESS_NOT_FOUND at \"/ordinal\"", json!([b(8), b(13)])),
        (json!({"path": ["B"], "ordinal": 1, "item": 3}), "ADDRESS_NOT_FOUND at \"/item\"", json!([b(8)])),
        (json!({"path": ["B"], "ordinal": 1, "fence": 1}), "ADDRESS_NOT_FOUND at \"/fence\"", json!([b(8)])),
        (json!({"path": ["b"]}), "ADDRESS_NOT_FOUND at \"/path\"", json!([b(8), b(13), a(4), a(19)])),
    ] {
        assert_eq!(section(arguments.clone()), json!([code, candidates]), "{arguments}");
    }
}

/// Neither a model's words nor a document's paths come back at any length.
#[test]
fn refusals_of_addresses_are_bounded() {
    let deep: String =
        (1..200).map(|depth| format!("{} # {}\n", ">".repeat(depth), "x".repeat(500))).collect();
    let world = World::extended(&format!("# root\n{deep}"));
    for path in [vec!["y".repeat(1_000_000)], vec!["y".to_owned(); 100_000], vec!["x".repeat(500)]] {
        let reply = world.tool("canvas_read_section", json!({"path": path}));
        assert!(reply.code().unwrap().starts_with("ADDRESS_"));
        let bytes = reply.body().to_string().len();
        assert!(bytes < 120_000 && message(&reply).len() < 1_600, "{bytes}");
        assert!(
            message(&reply).contains("give ") || message(&reply).contains("take "),
            "{}",
            message(&reply)
        );
    }
}

#[test]
fn a_long_section_says_where_it_ends() {
    let text = format!("# a\n{}# b\n", "0123456789abcde\n".repeat(20_000));
    let first = ask(&text, "canvas_read_section", json!({"path": ["a"]}));
    assert_eq!((&first["truncated"], &first["section_end_line"]), (&json!(true), &json!(20_001)));
    let shown = first["text"].as_str().unwrap();
    let end = first["end_line"].as_u64().unwrap();
    assert_eq!(shown.lines().count() as u64, end);
    assert_eq!(first["range_hash"], json!(RangeHash::of(shown)));
    // What is shown in part has no hash.
    let huge = ask(
        &format!("# {}\n", "x".repeat(300_000)),
        "canvas_read_section",
        json!({"path": ["x".repeat(512)]}),
    );
    assert_eq!((&huge["line_truncated"], huge.get("range_hash")), (&json!(true), None), "{}", huge["error"]);
}

/// Without a lease, looking leaves no trace. With one it counts as reading.
#[test]
fn a_look_takes_no_lease_and_reading_extends_it() {
    let world = World::extended("# a\n");
    let lease = world.check_out();
    let other = world.join("other");
    world.wait(10_000);
    for (name, arguments) in [("canvas_outline", json!({})), ("canvas_read_section", json!({"path": ["a"]}))]
    {
        for session in [&other, &world.session] {
            let reply = world.run(session, &world.fresh_id(), name, arguments.clone());
            assert!(reply.is_ok() && reply.body().get("expires_in_s").is_none(), "{}", reply.body());
        }
        let mut under = arguments.clone();
        under["lease_id"] = json!(lease);
        let foreign = world.run(&other, &world.fresh_id(), name, under.clone());
        assert_eq!(failure(&foreign), "LOCK_NOT_OWNED", "{name}");
        let expected = LeaseChange::Extended(LeaseTerm {
            lease_id: lease.parse().unwrap(),
            expires_at: Timestamp::from_millis(26_000),
            at_max_hold: false,
        });
        assert_eq!(world.tool(name, under).lease_change(), expected, "{name}");
    }

    // Who has looked has not yet seen the edit; who has read has.
    for (lease_id, expected) in [(false, "PATCH_REJECTED/STALE_BASE"), (true, "OK")] {
        let world = World::extended("# a\n");
        world.edit("# a\n\nb\n");
        let lease = world.check_out();
        let lease_id = lease_id.then_some(&lease);
        assert!(world.tool("canvas_read_section", json!({"lease_id": lease_id, "path": ["a"]})).is_ok());
        assert_eq!(failure(&world.patch(&lease, "@@\n b\n+c\n")), expected);
    }

    let world = World::extended("# a\n");
    let lease = world.check_out();
    world.user(Cancel);
    let reply = world.tool("canvas_outline", json!({"lease_id": lease}));
    assert_eq!(failure(&reply), "STALE_EPOCH");
    assert!(world.tool("canvas_outline", json!({})).is_ok());
    world.delete();
}

proptest! {
    /// What the outline tells can be asked for, and is the same section.
    #[test]
    fn every_entry_of_the_outline_is_an_address(
        lines in prop::collection::vec(
            // Few titles, so that paths repeat; containers, so that they nest.
            prop_oneof![
                3 => (1..4usize, prop_oneof![Just("a"), Just("b"), Just("")]).prop_map(|(n, title)| format!("{} {title}", "#".repeat(n))),
                1 => Just("> # a".to_owned()),
                1 => Just("- ## b".to_owned()),
                1 => Just(String::new()),
                1 => Just("text".to_owned()),
            ],
            0..20,
        )
    ) {
        let text = lines.join("\n");
        let reply = outlined(&text, json!({}));
        let sections = reply["sections"].as_array().unwrap();
        prop_assert_eq!(sections.len(), outline(&text).sections().len());
        for entry in sections {
            let path: Vec<String> = serde_json::from_value(entry["path"].clone()).unwrap();
            let ordinal = entry["ordinal"].as_u64().map(|ordinal| usize::try_from(ordinal).unwrap());
            let place = resolve(&text, &Address::Section { path, ordinal, part: None });
            let place = place.unwrap_or_else(|e| panic!("{text:?} {entry}: {e}"));
            prop_assert_eq!(json!(place.lines.start), entry["start_line"].clone());
            prop_assert_eq!(json!(place.lines.end), entry["end_line"].clone());
        }
    }
}
