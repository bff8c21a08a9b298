//! Tools that edit the structure of the document.

use canvas_core::Policy;
use canvas_tools::{DocumentTools, SessionMode};
use serde_json::{Value, json};

use super::world::{World, failure, message};
use crate::policy_with;

const TEXT: &str = "---\nk: v\n---\n\n# A\n\nSee [b](#b).\n\n- [ ] one\n- two\n\n# B\n\n| x | y |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n\n\
                    1. i\n1. j\n1. k\n\n# C\n\nend End\n";

/// A model that has read the text, with its lease.
fn reader(text: &str) -> (World, String) {
    let world = World::extended(text);
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    (world, lease)
}

fn under(lease: &str, mut arguments: Value) -> Value {
    arguments["lease_id"] = json!(lease);
    arguments
}

/// Each call with the lines that it replaces, and those in their place.
#[test]
fn each_tool_changes_what_it_names_and_nothing_else() {
    let section = |title: &str| json!({"section": [title]});
    for (tool, arguments, old, new) in [
        ("canvas_move", json!({"from": section("C"), "before": section("B"), "after": null}), "", ""),
        ("canvas_move", json!({"from": section("C"), "into": section("A")}), "", ""),
        ("canvas_move", json!({"from": section("C"), "shift": 1}), "# C\n", "## C\n"),
        ("canvas_move", json!({"from": section("C"), "shift": 1.0}), "# C\n", "## C\n"),
        (
            "canvas_edit_table",
            json!({"table": 1, "set": {"row": 2, "column": "y", "value": "a|b"}}),
            "| 3 | 4 |",
            "| 3 | a\\|b |",
        ),
        (
            "canvas_edit_table",
            json!({"section": ["B"], "table": 1, "set": {"row": 1, "column": 1, "value": "9"}}),
            "| 1 | 2 |",
            "| 9 | 2 |",
        ),
        (
            "canvas_edit_table",
            json!({"section": ["B"], "ordinal": 1, "table": 1, "remove_row": {"row": 1}}),
            "| 1 | 2 |\n",
            "",
        ),
        (
            "canvas_edit_table",
            json!({"table": 1, "insert_row": {"at": 3, "cells": ["5"]}}),
            "| 3 | 4 |\n",
            "| 3 | 4 |\n| 5 |   |\n",
        ),
        (
            "canvas_edit_table",
            json!({"table": 1, "move_row": {"row": 1, "to": 2}}),
            "| 1 | 2 |\n| 3 | 4 |\n",
            "| 3 | 4 |\n| 1 | 2 |\n",
        ),
        ("canvas_set_front_matter", json!({"key": "k", "value": [1, "b"]}), "k: v\n", "k: [1, b]\n"),
        ("canvas_set_front_matter", json!({"key": "k", "value": null}), "k: v\n", "k: null\n"),
        (
            "canvas_set_front_matter",
            json!({"key": "k", "value": null, "remove": true}),
            "---\nk: v\n---\n\n",
            "",
        ),
        (
            "canvas_set_front_matter",
            json!({"key": "o.m", "value": true, "remove": false}),
            "k: v\n",
            "k: v\no:\n  m: true\n",
        ),
        ("canvas_edit_list", json!({"item": 1, "check": true}), "[ ] one", "[x] one"),
        (
            "canvas_edit_list",
            json!({"section": ["A"], "item": [2], "insert_after": "three"}),
            "- two\n",
            "- two\n- three\n",
        ),
        ("canvas_edit_list", json!({"item": [2], "remove": true, "check": null}), "- two\n", ""),
        (
            "canvas_edit_list",
            json!({"item": [1], "move_to": [2], "remove": false}),
            "- [ ] one\n- two\n",
            "- two\n- [ ] one\n",
        ),
        ("canvas_edit_list", json!({"list": 1}), "1. i\n1. j\n1. k\n", "1. i\n2. j\n3. k\n"),
        (
            "canvas_rename_heading",
            json!({"section": ["B"], "title": "N", "links": true}),
            "[b](#b)",
            "[b](#n)",
        ),
        ("canvas_rename_heading", json!({"section": ["B"], "title": "N"}), "# B\n", "# N\n"),
    ] {
        let (world, lease) = reader(TEXT);
        let reply = world.tool(tool, under(&lease, arguments.clone()));
        assert_eq!(failure(&reply), "OK", "{tool} {arguments}: {}", reply.body());
        assert!(reply.body()["lines"].is_array(), "{tool} {arguments}: {}", reply.body());
        let text = world.text();
        match old {
            // A moved section takes its lines along, with their level if the parent asks for another.
            "" => {
                let lines = |text: &str| {
                    let mut lines: Vec<String> =
                        text.lines().map(|line| line.trim_start_matches('#').into()).collect();
                    lines.sort();
                    lines
                };
                assert_eq!(lines(&text), lines(TEXT), "{tool} {arguments}");
                assert_ne!(text, TEXT);
            }
            _ if arguments["links"] == true => {
                assert_eq!(text, TEXT.replacen(old, new, 1).replacen("# B\n", "# N\n", 1));
            }
            _ => assert_eq!(text, TEXT.replacen(old, new, 1), "{tool} {arguments}"),
        }
    }
}

/// What cannot be done is refused at its place in the call, and changes nothing.
#[test]
fn each_fault_has_its_place() {
    let section = |title: &str| json!({"section": [title]});
    let table = |name: &str, change: Value| json!({"table": 1, name: change});
    for (tool, arguments, expected) in [
        (
            "canvas_move",
            json!({"from": section("D"), "before": section("A")}),
            "ADDRESS_NOT_FOUND at \"/from/section\"",
        ),
        (
            "canvas_move",
            json!({"from": section("A"), "before": section("D")}),
            "ADDRESS_NOT_FOUND at \"/before/section\"",
        ),
        (
            "canvas_move",
            json!({"from": {"section": ["A"], "item": 9}, "after": section("B")}),
            "ADDRESS_NOT_FOUND at \"/from/item\"",
        ),
        (
            "canvas_move",
            json!({"from": {"table": 4}, "after": section("B")}),
            "TABLE_NOT_FOUND at \"/from/table\"",
        ),
        (
            "canvas_move",
            json!({"from": {"lines": [90, 91]}, "after": section("B")}),
            "ADDRESS_NOT_FOUND at \"/from/lines\"",
        ),
        (
            "canvas_move",
            json!({"from": section("A"), "after": section("A")}),
            "MOVE_INTO_ITSELF at \"/after\"",
        ),
        ("canvas_move", json!({"from": section("A"), "shift": 6}), "LEVEL_OUT_OF_RANGE at \"/shift\""),
        ("canvas_move", json!({"from": section("D"), "shift": 1}), "ADDRESS_NOT_FOUND at \"/from/section\""),
        ("canvas_move", json!({"from": {"lines": [1, 2]}, "shift": 1}), "INVALID_ARGUMENTS at \"/from\""),
        (
            "canvas_move",
            json!({"from": section("A"), "before": section("B"), "into": section("B")}),
            "INVALID_ARGUMENTS at \"/into\"",
        ),
        (
            "canvas_move",
            json!({"from": section("A"), "before": {"sektion": []}}),
            "INVALID_ARGUMENTS at \"/before/sektion\"",
        ),
        ("canvas_move", json!({"from": section("A"), "before": "B"}), "INVALID_ARGUMENTS at \"/before\""),
        ("canvas_edit_table", json!({"table": 1}), "INVALID_ARGUMENTS at \"\""),
        ("canvas_edit_table", json!({"table": 0, "remove_row": {"row": 1}}), "TABLE_NOT_FOUND at \"/table\""),
        (
            "canvas_edit_table",
            json!({"section": ["D"], "table": 1, "remove_row": {"row": 1}}),
            "ADDRESS_NOT_FOUND at \"/section\"",
        ),
        (
            "canvas_edit_table",
            json!({"ordinal": 1, "table": 1, "remove_row": {"row": 1}}),
            "INVALID_ARGUMENTS at \"/ordinal\"",
        ),
        (
            "canvas_edit_table",
            table("set", json!({"row": 3, "column": 1, "value": ""})),
            "ROW_NOT_FOUND at \"/set\"",
        ),
        (
            "canvas_edit_table",
            table("move_column", json!({"column": "z", "to": 1})),
            "COLUMN_NOT_FOUND at \"/move_column\"",
        ),
        (
            "canvas_edit_table",
            table("set", json!({"row": 1, "column": 1, "value": "a\nb"})),
            "VALUE_INVALID at \"/set\"",
        ),
        (
            "canvas_edit_table",
            table("set", json!({"row": 1, "column": 1, "value": 5})),
            "INVALID_ARGUMENTS at \"/set/value\"",
        ),
        ("canvas_edit_table", table("set", json!({"row": 1})), "INVALID_ARGUMENTS at \"/set\""),
        (
            "canvas_edit_table",
            table("set", json!({"row": 1, "column": 1, "value": "1"})),
            "NO_EFFECT at \"\"",
        ),
        ("canvas_set_front_matter", json!({"key": "n", "remove": true}), "KEY_NOT_FOUND at \"/key\""),
        ("canvas_set_front_matter", json!({"key": "", "value": 1}), "VALUE_INVALID at \"/key\""),
        (
            "canvas_set_front_matter",
            json!({"key": "k", "value": 1, "remove": true}),
            "INVALID_ARGUMENTS at \"/value\"",
        ),
        ("canvas_set_front_matter", json!({"key": "k"}), "INVALID_ARGUMENTS at \"/value\""),
        (
            "canvas_set_front_matter",
            json!({"key": "k", "value": {"a": 1}}),
            "INVALID_ARGUMENTS at \"/value\"",
        ),
        ("canvas_edit_list", json!({"item": [9], "remove": true}), "ADDRESS_NOT_FOUND at \"/item\""),
        ("canvas_edit_list", json!({"item": [1], "move_to": [9]}), "ADDRESS_NOT_FOUND at \"/move_to\""),
        ("canvas_edit_list", json!({"item": [2], "check": true}), "VALUE_INVALID at \"/check\""),
        ("canvas_edit_list", json!({"item": [1], "insert_after": " "}), "VALUE_INVALID at \"/insert_after\""),
        ("canvas_edit_list", json!({"list": 2}), "ADDRESS_NOT_FOUND at \"/list\""),
        ("canvas_edit_list", json!({"list": 1, "item": 1, "check": true}), "INVALID_ARGUMENTS at \"/list\""),
        (
            "canvas_edit_list",
            json!({"item": [1], "check": true, "remove": true}),
            "INVALID_ARGUMENTS at \"/remove\"",
        ),
        ("canvas_edit_list", json!({"check": true}), "INVALID_ARGUMENTS at \"/item\""),
        ("canvas_edit_list", json!({"item": "1", "check": true}), "INVALID_ARGUMENTS at \"/item\""),
        (
            "canvas_rename_heading",
            json!({"section": ["D"], "title": "N"}),
            "ADDRESS_NOT_FOUND at \"/section\"",
        ),
        (
            "canvas_rename_heading",
            json!({"section": ["A"], "ordinal": 2, "title": "N"}),
            "ADDRESS_NOT_FOUND at \"/ordinal\"",
        ),
        ("canvas_rename_heading", json!({"section": ["A"], "title": "a\nb"}), "VALUE_INVALID at \"/title\""),
    ] {
        let (world, lease) = reader(TEXT);
        let reply = world.tool(tool, under(&lease, arguments.clone()));
        assert_eq!(failure(&reply), expected, "{tool} {arguments}: {}", reply.body());
        assert_eq!(world.text(), TEXT);
    }
}

/// A refusal names what the call may have meant.
#[test]
fn refusals_have_candidates() {
    let set = json!({"table": 1, "set": {"row": 1, "column": "z", "value": "1"}});
    let key = json!({"key": "kk", "remove": true});
    for (tool, arguments, field, expected) in [
        ("canvas_edit_table", set, "names", json!(["x", "y"])),
        ("canvas_set_front_matter", key, "names", json!(["k"])),
        (
            "canvas_move",
            json!({"from": {"section": ["a"]}, "shift": 1}),
            "candidates",
            json!([{"path": ["A"], "heading_line": 5}]),
        ),
    ] {
        let (world, lease) = reader(TEXT);
        let reply = world.tool(tool, under(&lease, arguments));
        let found = &reply.body()["error"][field];
        match field {
            "candidates" => assert_eq!(found[0], expected[0]),
            _ => assert_eq!(*found, expected),
        }
    }
}

#[test]
fn all_matches_of_a_search_are_replaced() {
    let (world, lease) = reader("an end\nan end, the end\nEnd\n");
    let grep = |query: &str| world.tool("canvas_grep", json!({"lease_id": lease, "query": query}));
    let all = |find: &str, revision: &Value, count: usize| json!({"lease_id": lease, "find": find, "with": "END", "revision_id": revision, "count": count});
    let found = grep("end");
    let (revision, total) = (found.body()["revision_id"].clone(), found.body()["total"].clone());
    assert_eq!(total, 3, "case does not matter to a search in small letters");
    // But it matters here, so that the model has to look.
    let refused = world.tool("canvas_replace_all", all("end", &revision, 3));
    assert_eq!(failure(&refused), "COUNT_DIFFERS at \"/count\"");
    assert_eq!(refused.body()["error"]["places"], json!([1, 2]));
    for (find, count, expected) in [
        ("End", 1, "NOT_SEARCHED at \"/revision_id\""),
        ("end", 4, "COUNT_DIFFERS at \"/count\""),
        ("", 2, "INVALID_ARGUMENTS/INVALID_QUERY at \"/find\""),
    ] {
        assert_eq!(failure(&world.tool("canvas_replace_all", all(find, &revision, count))), expected);
    }
    assert_eq!(
        failure(&world.tool("canvas_replace_all", all("end", &json!("r9"), 2))),
        "INVALID_ARGUMENTS at \"/revision_id\""
    );
    let done = world.run(&world.session, "all", "canvas_replace_all", all("end", &revision, 2));
    assert_eq!(failure(&done), "OK", "{}", done.body());
    assert_eq!(world.text(), "an END\nan END, the END\nEnd\n");
    // The search was of another text. A retry is still the first call, with the session or without it.
    assert_eq!(
        failure(&world.tool("canvas_replace_all", all("end", &revision, 2))),
        "PATCH_REJECTED/STALE_BASE"
    );
    assert_eq!(
        world.run(&world.session, "all", "canvas_replace_all", all("end", &revision, 2)).body(),
        done.body()
    );
    world.forget_sessions();
    assert_eq!(
        world.run(&world.session, "all", "canvas_replace_all", all("end", &revision, 2)).body(),
        done.body()
    );
    assert_eq!(
        failure(&world.tool("canvas_replace_all", all("end", &revision, 2))),
        "NOT_SEARCHED at \"/revision_id\""
    );
    assert_eq!(world.text(), "an END\nan END, the END\nEnd\n");
}

#[test]
fn groups_of_an_expression_are_inserted() {
    let (world, lease) = reader("a1 b2\nc3\n");
    let found = world.tool("canvas_grep", json!({"lease_id": lease, "query": r"([a-z])(\d)", "regex": true}));
    let arguments = json!({
        "find": r"([a-z])(\d)", "with": "$2$1", "regex": true,
        "revision_id": found.body()["revision_id"], "count": found.body()["total"],
    });
    assert_eq!(failure(&world.tool("canvas_replace_all", under(&lease, arguments))), "OK");
    assert_eq!(world.text(), "1a 2b\n3c\n");
}

/// A person's edit ends the lease, and what the refusal cannot show is to be read first.
#[test]
fn a_changed_document_is_read_first() {
    for (policy, is_shown) in
        [(Policy::default(), true), (policy_with(|policy| policy.sync.refusal_diff_bytes = 2), false)]
    {
        let mut world = World::with(TEXT, policy);
        world.toolset = DocumentTools::ALL;
        let lease = world.check_out();
        assert!(world.under(&lease, "canvas_read_all").is_ok());
        world.edit(&TEXT.replace("end End", "end"));
        let check = json!({"item": [1], "check": true});
        let over = world.tool("canvas_edit_list", under(&lease, check.clone()));
        assert_eq!(failure(&over), "STALE_EPOCH");
        assert!(!message(&over).contains("revision_id"), "it takes none: {}", message(&over));
        let lease = world.check_out();
        if !is_shown {
            let refused = world.tool("canvas_edit_list", under(&lease, check.clone()));
            assert_eq!(failure(&refused), "PATCH_REJECTED/STALE_BASE", "{}", refused.body());
            assert!(message(&refused).contains("Next: call canvas_read_lines, then this call again"));
            assert!(world.under(&lease, "canvas_read_all").is_ok());
        }
        assert_eq!(failure(&world.tool("canvas_edit_list", under(&lease, check))), "OK");
        assert!(world.text().contains("- [x] one"));
    }
}

#[test]
fn a_proposing_conversation_proposes_them() {
    let mut world = World::extended(TEXT);
    world.session.mode = SessionMode::propose();
    let reply = world.tool("canvas_rename_heading", json!({"section": ["B"], "title": "N", "links": true}));
    assert_eq!(failure(&reply), "OK", "{}", reply.body());
    assert!(reply.body()["proposed"].is_object(), "{}", reply.body());
    assert_eq!(world.text(), TEXT);
}

/// The schema admits a whole number with a fraction, and a single one for a list.
#[test]
fn numbers_are_read_as_json_means_them() {
    let set = json!({"table": 1.0, "set": {"row": 1.0, "column": 1.0, "value": "9"}});
    for (tool, arguments) in [
        ("canvas_edit_list", json!({"item": [1.0], "check": true})),
        ("canvas_edit_list", json!({"item": 1.0, "move_to": [2.0]})),
        ("canvas_edit_table", set),
        ("canvas_move", json!({"from": {"item": 1.0}, "after": {"item": [2.0]}})),
    ] {
        let (world, lease) = reader(TEXT);
        let reply = world.tool(tool, under(&lease, arguments.clone()));
        assert_eq!(failure(&reply), "OK", "{arguments}: {}", reply.body());
    }
    for (tool, arguments, place, words) in [
        ("canvas_edit_list", json!({"item": [0.5], "check": true}), "/item/0", "whole number"),
        ("canvas_edit_list", json!({"item": "1", "check": true}), "/item", "whole number"),
        (
            "canvas_edit_table",
            json!({"table": 1, "set": {"row": 1, "column": true, "value": ""}}),
            "/set/column",
            "a number from 1, or a header",
        ),
        ("canvas_set_front_matter", json!({"key": "k", "value": {"a": 1}}), "/value", "or a list of these"),
    ] {
        let (world, lease) = reader(TEXT);
        let reply = world.tool(tool, under(&lease, arguments.clone()));
        assert_eq!(reply.body()["error"]["place"], place, "{arguments}: {}", reply.body());
        assert!(message(&reply).contains(words) && !message(&reply).contains("enum"), "{}", message(&reply));
    }
    let (world, lease) = reader(TEXT);
    let far = world.tool("canvas_move", under(&lease, json!({"from": {"section": ["A"]}, "shift": 300})));
    assert_eq!(failure(&far), "LEVEL_OUT_OF_RANGE at \"/shift\"");
}

/// A retry is the first call, even if the document has since got what was missing.
#[test]
fn a_refusal_is_repeated_as_it_was() {
    let (world, lease) = reader(TEXT);
    let arguments = under(&lease, json!({"from": {"section": ["D"]}, "before": {"section": ["E"]}}));
    let first = world.run(&world.session, "move", "canvas_move", arguments.clone());
    assert_eq!(failure(&first), "ADDRESS_NOT_FOUND at \"/from/section\"");
    world.edit(&format!("{TEXT}\n# D\n"));
    let again = world.run(&world.session, "move", "canvas_move", arguments);
    assert_eq!(failure(&again), failure(&first));
}
