//! What is a directive, and what is none.

use canvas_core::CodedError as _;
use canvas_tools::directive::{Action, Directive, MAX_CONTENT_BYTES, MAX_DIFF_BYTES, MAX_RATIONALE_BYTES};
use serde_json::{Value, json};

use super::world::of_json;

const DIFF: &str = "@@ -1 +1 @@\n-a\n+b\n";
const V: &str = "r1-3fa94c02";

fn fault(directive: &Value) -> String {
    match Directive::parse(directive) {
        Ok(_) => "OK".into(),
        Err(e) => of_json(&json!({"code": e.code(), "reason": e.reason(), "place": e.place()})),
    }
}

#[track_caller]
fn check(directive: Value, expected: &str) {
    let expected = match expected.split_once(' ') {
        None => expected.to_owned(),
        Some((fault, place)) => format!("INVALID_DIRECTIVE/{fault} at {}", place.trim_matches('"')),
    };
    assert_eq!(fault(&directive), expected, "{:.200}", directive.to_string());
}

#[test]
fn patch_directives_are_checked_by_the_conditional_schema() {
    let patch = |more: Value| {
        let mut all = json!({"action": "patch", "diff": DIFF, "document_version": V});
        for (name, value) in more.as_object().unwrap() {
            all[name] = value.clone();
        }
        all
    };
    for (more, expected) in [
        (json!({}), "OK"),
        (json!({"rationale": "shorter"}), "OK"),
        (json!({"content": null, "target_range": null}), "OK"),
        (json!({"content": "x"}), "FORBIDDEN_FIELD /content"),
        (json!({"content": ""}), "FORBIDDEN_FIELD /content"),
        (json!({"target_range": [0, 1]}), "FORBIDDEN_FIELD /target_range"),
        (json!({"target": {"lines": [1, 1]}}), "FORBIDDEN_FIELD /target"),
        (json!({"selection_fingerprint": "x"}), "FORBIDDEN_FIELD /selection_fingerprint"),
        (json!({"diff": ""}), "EMPTY_FIELD /diff"),
        (json!({"diff": " \n"}), "EMPTY_FIELD /diff"),
        (json!({"diff": null}), "MISSING_FIELD /diff"),
        (json!({"diff": [DIFF]}), "BAD_VALUE /diff"),
        (json!({"diff": "x".repeat(MAX_DIFF_BYTES)}), "OK"),
        (json!({"diff": "x".repeat(MAX_DIFF_BYTES + 1)}), "TOO_LARGE /diff"),
        (json!({"document_version": null}), "MISSING_FIELD /document_version"),
        (json!({"document_version": ""}), "BAD_VERSION /document_version"),
        (json!({"document_version": "latest"}), "BAD_VERSION /document_version"),
        (json!({"document_version": 1}), "BAD_VALUE /document_version"),
        (json!({"rationale": "x".repeat(MAX_RATIONALE_BYTES + 1)}), "TOO_LARGE /rationale"),
        (json!({"confidence": 1}), "UNKNOWN_FIELD /confidence"),
        (json!({"a/b~": 1}), "UNKNOWN_FIELD /a~1b~0"),
    ] {
        check(patch(more), expected);
    }
}

#[test]
fn legacy_directives_keep_their_fields() {
    let edit = |action: &str, range: Value| json!({"action": action, "content": "x", "target_range": range});
    for action in ["insert", "replace", "annotate"] {
        check(edit(action, json!([3, 3])), "OK");
        check(edit(action, json!({"start": 3, "end": 3})), "OK");
        for (range, expected) in [
            (json!([3, 2]), "BAD_RANGE /target_range"),
            (json!({"start": 3, "end": 2}), "BAD_RANGE /target_range"),
            (json!([0.5, 1]), "BAD_RANGE /target_range/0"),
            (json!([0, 1.0]), "BAD_RANGE /target_range/1"),
            (json!([-1, 1]), "BAD_RANGE /target_range/0"),
            (json!([0, "1"]), "BAD_RANGE /target_range/1"),
            (json!([1e300, 1]), "BAD_RANGE /target_range/0"),
            (json!([0]), "BAD_RANGE /target_range"),
            (json!([0, 1, 2]), "BAD_RANGE /target_range"),
            (json!("0-1"), "BAD_RANGE /target_range"),
            (json!(7), "BAD_RANGE /target_range"),
            (json!({"start": 1}), "BAD_RANGE /target_range/end"),
            (json!({"start": -1, "end": 1}), "BAD_RANGE /target_range/start"),
            (json!({"start": 1, "end": 1, "line": 1}), "UNKNOWN_FIELD /target_range/line"),
            (json!(null), "MISSING_FIELD /target_range"),
        ] {
            check(edit(action, range), expected);
        }
        let mut with_diff = edit(action, json!([0, 0]));
        with_diff["diff"] = json!(DIFF);
        check(with_diff, "FORBIDDEN_FIELD /diff");
        check(json!({"action": action, "target_range": [0, 0]}), "MISSING_FIELD /content");
        let none = json!({"action": action, "target_range": [0, 0], "content": ""});
        check(none, if action == "replace" { "OK" } else { "EMPTY_FIELD /content" });
        let much = "x".repeat(MAX_CONTENT_BYTES + 1);
        check(json!({"action": action, "target_range": [0, 0], "content": much}), "TOO_LARGE /content");
    }
    check(edit("insert", json!([0, 1])), "BAD_RANGE /target_range");
    check(edit("replace", json!([0, u64::MAX])), "OK");
    check(edit("annotate", json!([0, 1])), "OK");
}

#[test]
fn what_is_no_directive_is_refused_with_its_place() {
    for (value, expected) in [
        (json!(null), "NOT_AN_OBJECT \"\""),
        (json!([]), "NOT_AN_OBJECT \"\""),
        (json!("patch"), "NOT_AN_OBJECT \"\""),
        (json!({}), "MISSING_FIELD /action"),
        (json!({"action": null}), "MISSING_FIELD /action"),
        (json!({"action": "PATCH"}), "BAD_VALUE /action"),
        (json!({"action": "delete"}), "BAD_VALUE /action"),
        (json!({"action": ["patch"]}), "BAD_VALUE /action"),
    ] {
        check(value, expected);
    }
    // Nothing of any length comes back.
    let long = json!({"action": "patch", "x".repeat(100_000): 1});
    assert!(Directive::parse(&long).unwrap_err().place().unwrap().len() < 2_000);
    let long = json!({"action": "x".repeat(100_000)});
    assert!(Directive::parse(&long).unwrap_err().to_string().len() < 2_000);
}

#[test]
fn the_names_of_the_version_are_one() {
    let names = ["document_version", "snapshot_version", "version", "document_digest"];
    for name in names {
        let directive = Directive::parse(&json!({"action": "patch", "diff": DIFF, name: V})).unwrap();
        assert_eq!(directive.version().unwrap().to_string(), V);
        assert_eq!(directive.to_json()["document_version"], V, "the normal form has one name");
        check(json!({"action": "patch", "diff": DIFF, name: "digest-xyz"}), &format!("BAD_VERSION /{name}"));
        for other in names.into_iter().filter(|other| *other != name) {
            check(json!({"action": "patch", "diff": DIFF, name: V, other: V}), "OK");
            check(json!({"action": "patch", "diff": DIFF, name: V, other: null}), "OK");
            let differs = json!({"action": "patch", "diff": DIFF, name: V, other: "r2-3fa94c02"});
            // The later name of the list is at fault.
            let place = names.into_iter().rfind(|one| *one == name || *one == other).unwrap();
            check(differs, &format!("VERSIONS_DIFFER /{place}"));
        }
    }
}

#[test]
fn a_directive_made_by_code_reads_back() {
    let version = V.parse().unwrap();
    let made = Directive::patch(DIFF, version, Some("why")).unwrap();
    assert_eq!(
        (made.action(), made.version(), made.rationale()),
        (Action::Patch, Some(version), Some("why"))
    );
    assert_eq!(Directive::parse(&made.to_json()), Ok(made));
    let bare = Directive::patch(DIFF, version, None).unwrap();
    assert_eq!(bare.to_json(), json!({"action": "patch", "diff": DIFF, "document_version": V}));
    assert_eq!(Directive::patch("", version, None).unwrap_err().reason(), Some("EMPTY_FIELD"));

    let named = json!({"action": "replace", "content": "x", "target_range": {"start": 1, "end": 2},
                       "selection_fingerprint": "0123456789abcdef", "version": V});
    let read = Directive::parse(&named).unwrap();
    assert_eq!(read.to_json()["target_range"], json!([1, 2]));
    assert_eq!(Directive::parse(&read.to_json()), Ok(read));
}
