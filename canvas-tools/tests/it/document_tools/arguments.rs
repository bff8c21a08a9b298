//! Wrong arguments, each with its place in them.

use canvas_core::Policy;
use canvas_tools::DocumentTools;
use serde_json::{Value, json};

use super::world::{World, failure, message};

const LEASE: &str = "lease-1-0";

/// Wrong arguments are refused before anything else is looked at: there is no lease here.
#[track_caller]
fn wrong(name: &str, arguments: Value, expected: &str) {
    let world = World::extended("a\nb\n");
    let reply = world.tool(name, arguments.clone());
    assert_eq!(failure(&reply), expected, "{name} {arguments}: {}", reply.body());
}

const TOOLS: [&str; 7] = [
    "canvas_check_out",
    "canvas_renew_lease",
    "canvas_check_in",
    "canvas_grep",
    "canvas_read_lines",
    "canvas_read_all",
    "canvas_apply_patch",
];

const EXTENSIONS: [&str; 10] = [
    "canvas_outline",
    "canvas_read_section",
    "canvas_history",
    "canvas_replace_lines",
    "canvas_move",
    "canvas_replace_all",
    "canvas_edit_table",
    "canvas_set_front_matter",
    "canvas_edit_list",
    "canvas_rename_heading",
];

fn all() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().chain(EXTENSIONS)
}

/// Arguments that pass.
fn right(name: &str) -> Value {
    match name {
        "canvas_check_out" | "canvas_outline" | "canvas_history" => json!({}),
        "canvas_read_section" => json!({"path": ["a"]}),
        "canvas_replace_lines" => {
            json!({"lease_id": LEASE, "start_line": 1, "end_line": 1, "expect_hash": "0123456789ab", "text": "c"})
        }
        "canvas_grep" => json!({"lease_id": LEASE, "query": "a"}),
        "canvas_read_lines" => json!({"lease_id": LEASE, "start_line": 1, "end_line": 2}),
        "canvas_apply_patch" => json!({"lease_id": LEASE, "patch": "@@\n-a\n+c\n"}),
        "canvas_move" => json!({"lease_id": LEASE, "from": {"section": ["A"]}, "shift": 1}),
        "canvas_replace_all" => {
            json!({"lease_id": LEASE, "find": "b", "with": "c", "revision_id": "r1-00000000", "count": 1})
        }
        "canvas_edit_table" => json!({"lease_id": LEASE, "table": 1, "remove_row": {"row": 1}}),
        "canvas_set_front_matter" => json!({"lease_id": LEASE, "key": "k", "value": 1}),
        "canvas_edit_list" => json!({"lease_id": LEASE, "item": [1], "remove": true}),
        "canvas_rename_heading" => json!({"lease_id": LEASE, "section": ["A"], "title": "B"}),
        _ => json!({"lease_id": LEASE}),
    }
}

#[test]
fn right_arguments_pass() {
    for name in all() {
        let expected = match name {
            "canvas_check_out" | "canvas_outline" | "canvas_history" => "OK",
            "canvas_read_section" => "ADDRESS_NOT_FOUND at \"/path\"",
            "canvas_replace_all" => "NOT_SEARCHED at \"/revision_id\"",
            _ => "LOCK_NOT_OWNED",
        };
        wrong(name, right(name), expected);
    }
}

#[test]
fn arguments_are_one_object() {
    for name in all() {
        for arguments in [json!(null), json!([]), json!([right(name)]), json!("{}"), json!(1), json!(true)] {
            wrong(name, arguments, "INVALID_ARGUMENTS at \"\"");
        }
    }
}

fn required(name: &str) -> Vec<String> {
    let tools = DocumentTools::ALL.list(&Policy::default());
    let tool = tools.iter().find(|tool| tool.name == name).expect("it is listed");
    let required = tool.parameters["required"].as_array();
    required.into_iter().flatten().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_missing_argument_is_named() {
    for name in all() {
        for field in required(name) {
            let mut arguments = right(name);
            arguments.as_object_mut().unwrap().remove(&field);
            wrong(name, arguments.clone(), "INVALID_ARGUMENTS at \"\"");
            let reply = World::extended("a\n").tool(name, arguments);
            assert!(message(&reply).contains(&format!("missing field `{field}`")), "{}", message(&reply));
        }
    }
}

#[test]
fn a_wrong_type_is_reported_with_its_place() {
    for name in all() {
        for field in required(name) {
            let values = match field.as_str() {
                "start_line" | "end_line" | "count" | "table" => {
                    [json!("1"), json!(-1), json!(1.5), json!(null), json!([1])]
                }
                "path" | "section" => [json!("a"), json!(1), json!({}), json!(null), json!(true)],
                _ => [json!(1), json!(true), json!({}), json!(null), json!(["a"])],
            };
            for value in values {
                let mut arguments = right(name);
                arguments[&field] = value;
                wrong(name, arguments, &format!("INVALID_ARGUMENTS at \"/{field}\""));
            }
        }
    }
    let grep = |regex: Value| json!({"lease_id": LEASE, "query": "a", "regex": regex});
    for value in [json!("true"), json!(1), json!({})] {
        wrong("canvas_grep", grep(value), "INVALID_ARGUMENTS at \"/regex\"");
    }
    let based = |base: Value| json!({"lease_id": LEASE, "patch": "@@\n-a\n+c\n", "base_revision_id": base});
    for value in
        [json!(1), json!({}), json!(""), json!("1"), json!("r1"), json!("r01-00000000"), json!("r1-0000000G")]
    {
        wrong("canvas_apply_patch", based(value), "INVALID_ARGUMENTS at \"/base_revision_id\"");
    }
}

#[test]
fn an_unknown_argument_is_refused_where_it_is() {
    for name in all() {
        // As JSON Pointers spell them.
        for (field, place) in [("lease", "lease"), ("a.b", "a.b"), ("a/b", "a~1b"), ("a~b", "a~0b"), ("", "")]
        {
            let mut arguments = right(name);
            arguments[field] = json!("x");
            wrong(name, arguments, &format!("INVALID_ARGUMENTS at \"/{place}\""));
        }
    }
}

/// As in JSON Schema, where a number without a fraction is an integer.
#[test]
fn whole_numbers_may_be_written_with_a_fraction() {
    let hashed = json!({"lease_id": LEASE, "start_line": 1.0, "end_line": 1e0, "expect_hash": "0123456789ab", "text": "c"});
    for (name, arguments, expected) in [
        (
            "canvas_read_lines",
            json!({"lease_id": LEASE, "start_line": 1.0, "end_line": 2e0}),
            "LOCK_NOT_OWNED",
        ),
        (
            "canvas_read_lines",
            json!({"lease_id": LEASE, "start_line": 1, "end_line": 1e15}),
            "LOCK_NOT_OWNED",
        ),
        (
            "canvas_grep",
            json!({"lease_id": LEASE, "query": "a", "context": 1.0, "from_line": 1.0}),
            "LOCK_NOT_OWNED",
        ),
        ("canvas_replace_lines", hashed, "LOCK_NOT_OWNED"),
        ("canvas_outline", json!({"max_level": 2.0, "after_line": -0.0}), "OK"),
        ("canvas_read_section", json!({"path": ["a"], "ordinal": 1.0}), "ADDRESS_NOT_FOUND at \"/path\""),
        (
            "canvas_apply_patch",
            json!({"patch": "", "resend": {"of": "p", "hunks": [1.0, 0.0]}}),
            "INVALID_ARGUMENTS at \"/resend/hunks/1\"",
        ),
        ("canvas_outline", json!({"max_level": 2.5}), "INVALID_ARGUMENTS at \"/max_level\""),
        ("canvas_outline", json!({"after_line": -1.0}), "INVALID_ARGUMENTS at \"/after_line\""),
        ("canvas_outline", json!({"after_line": 1e300}), "INVALID_ARGUMENTS at \"/after_line\""),
    ] {
        wrong(name, arguments, expected);
    }
}

/// What a fault says is what a reader of the schema knows: nothing of Rust.
#[test]
fn faults_speak_json() {
    const OF_RUST: [&str; 10] =
        ["u64", "usize", "u8", "i64", "f64", "struct", "sequence", "map", "nonzero", "visitor"];
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1.5),
        json!(300),
        json!("a"),
        json!([]),
        json!([1]),
        json!({}),
        json!({"a": 1}),
        json!(u64::MAX),
        json!(1e300),
        json!([[[[1]]]]),
    ];
    let mut faults = 0;
    for tool in DocumentTools::ALL.list(&Policy::default()) {
        let fields = tool.parameters["properties"].as_object().unwrap();
        for (field, value) in fields.keys().flat_map(|field| values.iter().map(move |value| (field, value))) {
            let mut arguments = right(&tool.name);
            arguments[field] = value.clone();
            let reply = World::extended("a\nb\n").tool(&tool.name, arguments.clone());
            if reply.code() != Some("INVALID_ARGUMENTS") {
                continue;
            }
            faults += 1;
            let said = message(&reply);
            let words = said.split(|c: char| !c.is_alphanumeric());
            let foreign: Vec<&str> = words.filter(|word| OF_RUST.contains(word)).collect();
            assert!(foreign.is_empty(), "{} {arguments}: {said}", tool.name);
        }
    }
    assert!(faults > 200, "{faults} faults");
}

#[test]
fn an_unknown_argument_is_answered_with_the_likely_one() {
    for (name, field, likely) in [
        ("canvas_read_lines", "start", "`start_line`"),
        ("canvas_read_lines", "endLine", "`end_line`"),
        ("canvas_read_lines", "leaseId", "`lease_id`"),
        ("canvas_read_lines", "lines", "pass one"),
        ("canvas_grep", "pattern", "pass one"),
        ("canvas_grep", "qeury", "`query`"),
        ("canvas_grep", "is_regex", "`regex`"),
        ("canvas_apply_patch", "base_revision", "`base_revision_id`"),
        ("canvas_apply_patch", "diff_patch", "`patch`"),
        ("canvas_outline", "level", "`max_level`"),
        ("canvas_replace_lines", "hash", "`expect_hash`"),
        ("canvas_check_out", "lease_id", "leave it"),
    ] {
        let mut arguments = right(name);
        arguments[field] = json!(1);
        let reply = World::extended("a\nb\n").tool(name, arguments);
        assert_eq!(failure(&reply), format!("INVALID_ARGUMENTS at \"/{field}\""));
        assert!(message(&reply).contains(likely), "{name} {field}: {}", message(&reply));
    }
}

/// A field that a host has not switched on is no field, and none is proposed.
#[test]
fn only_arguments_of_the_tools_own_schema_are_proposed() {
    let plain = World::new("a\nb\n");
    let call =
        |more: &str| json!({"lease_id": LEASE, "patch": "@@\n-a\n+c\n", more: {"of": "p", "hunks": [1]}});
    for field in ["resend", "re_send", "zzz"] {
        let reply = plain.tool("canvas_apply_patch", call(field));
        assert_eq!(failure(&reply), format!("INVALID_ARGUMENTS at \"/{field}\""));
        assert!(!message(&reply).contains("`resend`:") || field == "resend");
        assert!(!message(&reply).contains("pass `resend`"), "{}", message(&reply));
        assert!(!message(&reply).contains(", `resend`"), "{}", message(&reply));
    }
    let reply = World::extended("a\nb\n").tool("canvas_apply_patch", call("re_send"));
    assert!(message(&reply).contains("pass `resend`"), "{}", message(&reply));
}

#[test]
fn null_counts_as_left_out_where_an_argument_is_optional() {
    wrong("canvas_grep", json!({"lease_id": LEASE, "query": "a", "regex": null}), "LOCK_NOT_OWNED");
    let patch = json!({"lease_id": LEASE, "patch": "@@\n-a\n+c\n", "base_revision_id": null});
    wrong("canvas_apply_patch", patch, "LOCK_NOT_OWNED");
    wrong("canvas_outline", json!({"lease_id": null, "max_level": null, "after_line": null}), "OK");
    let section = json!({"path": ["a"], "lease_id": null, "ordinal": null, "item": null, "fence": null});
    wrong("canvas_read_section", section, "ADDRESS_NOT_FOUND at \"/path\"");
}

#[test]
fn extensions_check_their_arguments() {
    for (arguments, expected) in [
        (json!({"max_level": 0}), "INVALID_ARGUMENTS at \"/max_level\""),
        (json!({"max_level": 7}), "INVALID_ARGUMENTS at \"/max_level\""),
        (json!({"max_level": 300}), "INVALID_ARGUMENTS at \"/max_level\""),
        (json!({"max_level": 1, "after_line": u64::MAX}), "OK"),
        (json!({"after_line": -1}), "INVALID_ARGUMENTS at \"/after_line\""),
        (json!({"lease_id": "mine"}), "LOCK_NOT_OWNED"),
        (json!({"lease_id": 1}), "INVALID_ARGUMENTS at \"/lease_id\""),
    ] {
        wrong("canvas_outline", arguments, expected);
    }
    let section = |more: Value| {
        let mut arguments = json!({"path": ["a"]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    for (more, expected) in [
        (json!({"path": [1]}), "INVALID_ARGUMENTS at \"/path/0\""),
        (json!({"ordinal": 0}), "INVALID_ARGUMENTS at \"/ordinal\""),
        (json!({"item": 0}), "INVALID_ARGUMENTS at \"/item\""),
        (json!({"fence": "1"}), "INVALID_ARGUMENTS at \"/fence\""),
        (json!({"item": 1, "fence": 1}), "INVALID_ARGUMENTS at \"/fence\""),
        (json!({"lease_id": "mine"}), "LOCK_NOT_OWNED"),
    ] {
        wrong("canvas_read_section", section(more), expected);
    }
    let lines = |start: u64, end: u64, hash: &str| json!({"lease_id": LEASE, "start_line": start, "end_line": end, "expect_hash": hash, "text": "", "base_revision_id": null});
    const HASH: &str = "0123456789ab";
    for (arguments, expected) in [
        (lines(0, 0, HASH), "INVALID_ARGUMENTS at \"/start_line\""),
        (lines(2, 0, HASH), "INVALID_ARGUMENTS at \"/end_line\""),
        (lines(u64::MAX, 1, HASH), "INVALID_ARGUMENTS at \"/end_line\""),
        (lines(2, 1, HASH), "LOCK_NOT_OWNED"),
        (lines(1, 0, HASH), "LOCK_NOT_OWNED"),
        (lines(u64::MAX, u64::MAX, HASH), "LOCK_NOT_OWNED"),
        (lines(1, 1, ""), "INVALID_ARGUMENTS at \"/expect_hash\""),
        (lines(1, 1, "0123456789AB"), "INVALID_ARGUMENTS at \"/expect_hash\""),
        (lines(1, 1, "0123456789abc"), "INVALID_ARGUMENTS at \"/expect_hash\""),
    ] {
        wrong("canvas_replace_lines", arguments, expected);
    }
    let mut based = lines(1, 1, HASH);
    based["base_revision_id"] = json!("1");
    wrong("canvas_replace_lines", based, "INVALID_ARGUMENTS at \"/base_revision_id\"");
}

#[test]
fn line_ranges_count_from_1_and_do_not_run_back() {
    let lines = |start: Value, end: Value| json!({"lease_id": LEASE, "start_line": start, "end_line": end});
    for (start, end, expected) in [
        (json!(0), json!(1), "INVALID_ARGUMENTS at \"/start_line\""),
        (json!(0), json!(0), "INVALID_ARGUMENTS at \"/start_line\""),
        (json!(1), json!(0), "INVALID_ARGUMENTS at \"/end_line\""),
        (json!(7), json!(6), "INVALID_ARGUMENTS at \"/end_line\""),
        (json!(1), json!(1), "LOCK_NOT_OWNED"),
        (json!(u64::MAX), json!(u64::MAX), "LOCK_NOT_OWNED"),
        (
            json!(1),
            serde_json::from_str("18446744073709551616").unwrap(),
            "INVALID_ARGUMENTS at \"/end_line\"",
        ),
    ] {
        wrong("canvas_read_lines", lines(start, end), expected);
    }
}

#[test]
fn queries_are_checked() {
    let long = "a".repeat(4_097);
    let bomb = "(((a{1,100}){1,100}){1,100}){1,100}";
    for (query, regex, expected) in [
        ("", false, "INVALID_QUERY"),
        ("", true, "INVALID_QUERY"),
        ("a\nb", false, "INVALID_QUERY"),
        (&long, false, "QUERY_TOO_LARGE"),
        (&long, true, "QUERY_TOO_LARGE"),
        ("a(b", true, "INVALID_REGEX"),
        ("a(?=b)", true, "INVALID_REGEX"),
        ("(a)\\1", true, "INVALID_REGEX"),
        (bomb, true, "QUERY_TOO_LARGE"),
        (&"(".repeat(1_000), true, "INVALID_REGEX"),
    ] {
        let arguments = json!({"lease_id": LEASE, "query": query, "regex": regex});
        wrong("canvas_grep", arguments, &format!("INVALID_ARGUMENTS/{expected} at \"/query\""));
    }
    for literal in ["a(b", bomb, "\\", "[", "a\r"] {
        let arguments = json!({"lease_id": LEASE, "query": literal});
        wrong("canvas_grep", arguments, "LOCK_NOT_OWNED");
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_known_ones() {
    let world = World::new("a\n");
    for name in ["", "canvas_checkout", "CANVAS_CHECK_OUT", " canvas_check_out", &"x".repeat(100_000)] {
        let reply = world.tool(name, json!({}));
        assert_eq!(failure(&reply), "UNKNOWN_TOOL");
        assert!(TOOLS.iter().all(|tool| message(&reply).contains(tool)), "{}", message(&reply));
    }
}

#[test]
fn a_call_needs_an_id_that_can_be_kept() {
    let world = World::new("a\n");
    for id in ["", &"x".repeat(513)] {
        let reply = world.run(&world.session, id, "canvas_check_out", json!({}));
        assert_eq!(failure(&reply), "INVALID_ARGUMENTS at \"\"");
        assert!(message(&reply).contains("id of"), "{}", message(&reply));
    }
}

/// What a model sent is not sent back at any length.
#[test]
fn replies_to_huge_arguments_are_short() {
    let world = World::new("a\n");
    let huge = "ü".repeat(500_000);
    for arguments in [
        json!({"lease_id": LEASE, "start_line": huge, "end_line": 1}),
        json!({"lease_id": LEASE, "start_line": 1, "end_line": 1, &huge: 1}),
        json!({"lease_id": LEASE, "start_line": [huge], "end_line": 1}),
        json!({"lease_id": LEASE, "start_line": {&huge: 1}, "end_line": 1}),
    ] {
        let reply = world.tool("canvas_read_lines", arguments);
        assert_eq!(reply.code(), Some("INVALID_ARGUMENTS"));
        let bytes = reply.body().to_string().len();
        assert!(bytes < 4_000, "the reply has {bytes} bytes");
    }
    let reply = world.tool("canvas_grep", json!({"lease_id": LEASE, "query": huge, "regex": true}));
    assert!(reply.body().to_string().len() < 4_000);
    let reply =
        world.tool("canvas_grep", json!({"lease_id": LEASE, "query": "(?P<".repeat(1_000), "regex": true}));
    assert!(reply.body().to_string().len() < 10_000);
}

/// Wrong arguments leave no receipt: the same id serves again.
#[test]
fn a_call_that_never_reached_the_canvas_has_not_used_its_id() {
    let world = World::new("a\n");
    assert_eq!(
        failure(&world.run(&world.session, "k", "canvas_check_out", json!({"x": 1}))),
        "INVALID_ARGUMENTS at \"/x\""
    );
    assert_eq!(failure(&world.run(&world.session, "k", "canvas_check_out", json!({}))), "OK");
    // Once it is used, wrong arguments still come first, then the receipt.
    assert_eq!(
        failure(&world.run(&world.session, "k", "canvas_check_out", json!({"x": 1}))),
        "INVALID_ARGUMENTS at \"/x\""
    );
    assert_eq!(
        failure(&world.run(&world.session, "k", "canvas_renew_lease", json!({"lease_id": LEASE}))),
        "CALL_ID_REUSED"
    );
    assert_eq!(failure(&world.run(&world.session, "k", "canvas_check_out", json!({}))), "OK");
}
