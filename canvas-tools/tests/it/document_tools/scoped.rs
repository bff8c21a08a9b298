//! Patches that may change one place only.

use crate::policy_with;
use canvas_core::Policy;
use serde_json::{Value, json};

use super::world::{World, failure};

const TEXT: &str = "# A\n\none\n\n- x\n- y\n\n## C\n\n```\nf\n```\n\n# B\n\ntwo\n\n## C\n\nsix\n";

#[track_caller]
fn check(policy: Policy, scope: &Value, patch: &str, expected: &str, fields: &Value) {
    let world = World::with(TEXT, policy);
    let lease = world.check_out();
    let call = |scope: &Value| json!({"lease_id": lease, "patch": patch, "scope": scope});
    let run = |arguments| world.run(&world.session, "call", "canvas_apply_patch", arguments);
    let reply = run(call(scope));
    let case = format!("{scope} {patch:?}: {}", reply.body());
    if reply.is_ok() {
        assert_eq!(expected, "", "{case}");
        return;
    }
    assert_eq!(failure(&reply), expected, "{case}");
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(&reply.body()["error"][name], value, "{case}");
    }
    assert_eq!(world.text(), TEXT, "{case}");
    // The same call again is answered the same; with another scope it is another call. What is no argument leaves no trace.
    if reply.code() != Some("INVALID_ARGUMENTS") {
        assert_eq!(run(call(scope)), reply, "{case}");
        assert_eq!(run(call(&json!({"path": ["other"]}))).code(), Some("CALL_ID_REUSED"), "{case}");
    }
}

#[test]
fn a_patch_keeps_to_its_scope() {
    let lines = |start: usize, end: usize| json!({"start_line": start, "end_line": end});
    let (one, six) = ("@@\n-one\n+1\n", "@@\n-six\n+6\n");
    for (scope, patch, expected, fields) in [
        (json!(null), one, "", json!({})),
        (json!({"path": ["A"]}), one, "", json!({})),
        (json!({"path": ["A"], "item": 2}), "@@\n-- y\n+- z\n", "", json!({})),
        (json!({"path": ["A", "C"], "fence": 1}), "@@\n-f\n+g\n", "", json!({})),
        (json!({"path": ["C"], "ordinal": 2}), six, "", json!({})),
        // Context may lie outside.
        (json!({"path": ["B", "C"]}), "@@\n two\n \n ## C\n \n-six\n+6\n", "", json!({})),
        (
            json!({"path": ["B"]}),
            one,
            "PATCH_REJECTED/OUT_OF_SCOPE",
            json!({"line": 3, "scope": lines(14, 20), "retryable": false}),
        ),
        // All or nothing.
        (
            json!({"path": ["A"]}),
            "@@\n-one\n+1\n@@\n-six\n+6\n",
            "PATCH_REJECTED/OUT_OF_SCOPE",
            json!({"line": 20, "scope": lines(1, 12)}),
        ),
        (
            json!({"path": ["A"], "item": 2}),
            "@@\n-- x\n+- z\n",
            "PATCH_REJECTED/OUT_OF_SCOPE",
            json!({"line": 5, "scope": lines(6, 6)}),
        ),
        // A scope that is none comes after a patch that does not fit.
        (json!({"path": ["D"]}), "@@\n-no\n", "PATCH_REJECTED/NOT_FOUND", json!({})),
        (
            json!({"path": ["C"]}),
            six,
            r#"ADDRESS_AMBIGUOUS at "/scope/path""#,
            json!({"candidates": [
                {"path": ["A", "C"], "heading_line": 8},
                {"path": ["B", "C"], "heading_line": 18},
            ]}),
        ),
        (json!({"path": ["D"]}), one, r#"ADDRESS_NOT_FOUND at "/scope/path""#, json!({})),
        (json!({"path": ["C"], "ordinal": 3}), one, r#"ADDRESS_NOT_FOUND at "/scope/ordinal""#, json!({})),
        (json!({"path": ["A"], "item": 3}), one, r#"ADDRESS_NOT_FOUND at "/scope/item""#, json!({})),
        (json!({"path": ["A"], "fence": 3}), one, r#"ADDRESS_NOT_FOUND at "/scope/fence""#, json!({})),
        (
            json!({"path": ["A"], "item": 1, "fence": 1}),
            one,
            r#"INVALID_ARGUMENTS at "/scope/fence""#,
            json!({}),
        ),
        (json!({"path": ["A".repeat(5_000)]}), one, r#"INVALID_ARGUMENTS at "/scope/path""#, json!({})),
        (json!({"path": "A"}), one, r#"INVALID_ARGUMENTS at "/scope/path""#, json!({})),
        (json!({"section": ["A"]}), one, r#"INVALID_ARGUMENTS at "/scope/section""#, json!({})),
    ] {
        check(Policy::default(), &scope, patch, expected, &fields);
    }
}

#[test]
fn side_effects_are_refused_where_the_policy_says_so() {
    for (patch, reason, line) in [
        ("@@\n one\n+```\n", "UNCLOSED_FENCE", 13),
        ("@@\n one\n+---\n", "ACCIDENTAL_HEADING", 3),
        ("@@\n one\n+<!--\n", "STRUCTURE_SPILLED", 6),
    ] {
        let strict = policy_with(|policy| policy.writes.refuse_side_effects = true);
        check(
            strict,
            &json!({"path": ["A"]}),
            patch,
            &format!("PATCH_REJECTED/{reason}"),
            &json!({"new_line": line}),
        );
        check(Policy::default(), &json!({"path": ["A"]}), patch, "", &json!({}));
    }
}
