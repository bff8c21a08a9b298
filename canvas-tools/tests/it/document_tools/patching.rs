//! What the patching tool says when it works and when it does not.

use canvas_core::Policy;
use canvas_tools::ToolReply;
use serde_json::{Value, json};

use super::world::{World, failure, message};

#[test]
fn every_conflict_of_a_patch_is_listed() {
    let world = World::new("a\nb\nc\nb\n");
    let lease = world.check_out();
    let reply = world.patch(&lease, "@@\n-a\n+A\n@@\n-x\n+X\n@@\n-b\n+B\n");
    assert_eq!(failure(&reply), "PATCH_REJECTED/NOT_FOUND");
    let conflicts = reply.body()["error"]["conflicts"].as_array().unwrap();
    let reported: Vec<_> = conflicts.iter().map(|c| (&c["hunk"], c["reason"].as_str().unwrap())).collect();
    assert_eq!(reported, [(&json!(2), "NOT_FOUND"), (&json!(3), "AMBIGUOUS")]);
    // Whether the terminator is shown is the applier's affair.
    assert!(conflicts[0]["expected"].as_str().unwrap().starts_with('x'));
    assert_eq!((conflicts[0].get("difference"), conflicts[0]["line"].is_u64()), (None, true));
    assert_eq!(conflicts[1]["candidates"], json!([2, 4]));
    assert!(message(&reply).contains("hunk 2: NOT_FOUND") && message(&reply).contains("hunk 3: AMBIGUOUS"));
    assert_eq!(world.text(), "a\nb\nc\nb\n");
}

#[test]
fn each_reason_reaches_the_model() {
    for (patch, expected) in [
        ("", "NO_HUNKS"),
        ("no diff", "NO_HUNKS"),
        ("@@\n+x\n", "NO_ANCHOR"),
        ("@@\n-a\n+a\n", "NO_EFFECT"),
        ("@@\n c\n+x\n@@\n a\n+y\n", "MISORDERED"),
        ("@@\n-a\n+x\n@@\n-a\n+y\n", "OVERLAP"),
        ("--- a\n+++ a\n@@\n a\n+x\n--- b\n+++ b\n@@\n a\n+x\n", "MULTI_FILE"),
    ] {
        let world = World::new("a\nb\nc\n");
        let lease = world.check_out();
        let reply = world.patch(&lease, patch);
        assert_eq!(failure(&reply), format!("PATCH_REJECTED/{expected}"), "{patch:?}: {}", reply.body());
        assert!(!reply.body()["error"]["conflicts"].as_array().unwrap().is_empty(), "{patch:?}");
        assert_eq!(reply.body()["error"]["retryable"], false);
        assert_eq!(world.text(), "a\nb\nc\n");
    }
}

#[test]
fn a_stale_base_is_refused_with_the_diff() {
    let world = World::new("a\nb\n");
    let first = world.revision();
    world.edit("a\nz\n");
    let lease = world.check_out();
    let patch = |base: Value| {
        let arguments = json!({"lease_id": lease, "patch": "@@\n a\n+c\n", "base_revision_id": base});
        world.tool("canvas_apply_patch", arguments)
    };
    let changes = json!({"from": first, "to": world.revision(), "diff": "@@ -1,2 +1,2 @@\n a\n-b\n+z\n"});
    for base in [json!(first), json!("r0-00000000")] {
        let reply = patch(base.clone());
        assert_eq!(failure(&reply), "PATCH_REJECTED/STALE_BASE");
        let error = &reply.body()["error"];
        let expected = if base == json!(first) { changes.clone() } else { Value::Null };
        assert_eq!((&error["base_revision_id"], &error["changes"]), (&base, &expected), "{error}");
    }
    let second = world.revision();
    assert!(patch(json!(second)).is_ok());

    // Left out, the base is what the conversation has seen.
    let world = World::new("a\nb\n");
    world.edit("a\nz\n");
    let lease = world.check_out();
    let refused = world.patch(&lease, "@@\n a\n+c\n");
    assert_eq!(failure(&refused), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(refused.body()["error"]["base_revision_id"], Value::Null);
    assert_eq!(refused.body()["error"]["changes"]["diff"], changes["diff"]);
    assert!(world.patch(&lease, "@@\n a\n+c\n").is_ok());
}

/// What a model may send instead is listed beside the conflicts, and is never done for it.
#[test]
fn a_refusal_offers_what_fits() {
    let text: String = (1..=40).map(|line| format!("{line}\n")).collect();
    let world = World::new(&text);
    let lease = world.check_out();
    let error = |reply: &ToolReply| reply.body()["error"].clone();
    let refused = world.patch(&lease, "@@\n-30\n+x\n@@\n-10\n+y\n");
    assert_eq!(failure(&refused), "PATCH_REJECTED/MISORDERED");
    let rebased = error(&refused)["rebased_patch"].as_str().unwrap().to_owned();
    assert_eq!((world.text(), error(&refused).get("already_applied")), (text, None));
    assert!(world.patch(&lease, &rebased).is_ok());
    let again = world.patch(&lease, "@@\n 9\n-10\n+y\n 11\n");
    assert_eq!(
        (failure(&again).as_str(), &error(&again)["already_applied"]),
        ("PATCH_REJECTED/NOT_FOUND", &json!(true))
    );
    assert_eq!(error(&again).get("rebased_patch"), None);

    let base = world.revision();
    world.edit(&world.text().replace("\n2\n", "\ntwo\n"));
    let lease = world.check_out();
    let send = |patch: &str, base: &Value| {
        world.tool("canvas_apply_patch", json!({"lease_id": lease, "patch": patch, "base_revision_id": base}))
    };
    // Nothing has changed near it: the same call with the revision of now.
    let stale = send("@@\n-20\n+z\n", &json!(base));
    assert_eq!(failure(&stale), "PATCH_REJECTED/STALE_BASE");
    let now = world.revision();
    assert!(message(&stale).ends_with(&format!(" base_revision_id {now}.")));
    let fields: Vec<_> = error(&stale).as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["code", "message", "reason", "retryable"]);
    assert!(send("@@\n-20\n+z\n", &json!(now)).is_ok());
    // Something has: only that is shown.
    let base = world.revision();
    world.edit(&world.text().replace("37\n", "37!\n").replace("\ntwo\n", "\n2!\n"));
    let lease = world.check_out();
    let send = |base: &str| {
        let patch = json!({"lease_id": lease, "patch": "@@\n-38\n+z\n", "base_revision_id": base});
        world.tool("canvas_apply_patch", patch)
    };
    let stale = send(&base);
    let error = error(&stale);
    assert_eq!((&error["changes"], &error["changes_near"]["left_out"]), (&Value::Null, &json!(1)), "{error}");
    assert_eq!(error.get("rebased_patch"), None);
    assert!(send(&world.revision()).is_ok());
}

#[test]
fn a_document_that_would_be_too_large_is_refused() {
    let world = World::with("a\n", Policy { document_bytes: 4, ..Policy::default() });
    let lease = world.check_out();
    let reply = world.patch(&lease, "@@\n a\n+bcd\n");
    assert_eq!(failure(&reply), "DOCUMENT_TOO_LARGE");
    let facts = ["6 bytes", "is 4"];
    assert!(facts.iter().all(|fact| message(&reply).contains(fact)), "{}", message(&reply));
    assert!(world.patch(&lease, "@@\n a\n+b\n").is_ok());
}

#[test]
fn repairs_are_listed_in_the_reply() {
    let world = World::new("a\nb\n");
    let lease = world.check_out();
    let reply = world.patch(&lease, "```diff\n@@ -7,9 +7,9 @@\n-a\n+c\n b\n```\n");
    assert!(reply.is_ok(), "{}", reply.body());
    let repairs = reply.body()["repairs"].as_array().unwrap();
    let kinds: Vec<&str> = repairs.iter().map(|repair| repair["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"FENCE_REMOVED"), "{kinds:?}");
    assert_eq!(reply.body()["applied_hunks"], 1);
}
