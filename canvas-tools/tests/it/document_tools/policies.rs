//! What a host may switch on so that nobody sends a patch twice: `rebase` and `retake`, and hunks sent again alone.

use canvas_core::{Policy, Rollout};
use canvas_tools::{LeaseChange, Session, ToolReply};
use serde_json::{Value, json};

use super::world::{World, failure, message};

fn text() -> String {
    (1..=30).map(|line| format!("line {line}\n")).collect()
}

fn world(policy: Policy) -> World {
    let mut world = World::with(&text(), policy);
    world.toolset = canvas_tools::DocumentTools::ALL;
    world
}

fn rebasing() -> World {
    world(Policy { rebase: true, ..Policy::default() })
}

fn send(world: &World, lease: &str, patch: &str) -> ToolReply {
    world.tool("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}))
}

/// The model has read all; then the user edits.
fn edited(world: &World, from: &str, to: &str) -> String {
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    world.edit(&world.text().replace(from, to));
    world.check_out()
}

#[test]
fn a_patch_that_fits_past_a_change_elsewhere_is_applied() {
    let world = rebasing();
    let lease = edited(&world, "line 20\n", "line 20\nuser\n");
    let done = send(&world, &lease, "@@\n line 9\n-line 10\n+ten\n");
    assert!(done.is_ok(), "{}", done.body());
    assert_eq!(done.body()["repairs"][0], json!({"hunk": 0, "kind": "REBASED"}));
    assert!(done.body()["changes"]["diff"].as_str().unwrap().contains("+user"), "{}", done.body());
    assert!(world.text().contains("line 9\nten\n") && world.text().contains("line 20\nuser\n"));
    // The reply has shown the change, so that the next patch is for the document as it is.
    let next = send(&world, &lease, "@@\n-user\n+the user's\n");
    assert!(next.is_ok(), "{}", next.body());
    assert_eq!((next.body().get("changes"), next.body().get("repairs")), (None, None));
}

#[test]
fn what_a_rebase_does_not_do() {
    let stale = "PATCH_REJECTED/STALE_BASE";
    let check = |policy: Policy, (from, to): (&str, &str), patch: &str, expected: &str| {
        let world = world(policy);
        let lease = edited(&world, from, to);
        let before = world.text();
        let refused = send(&world, &lease, patch);
        assert_eq!(failure(&refused), expected, "{patch:?}: {}", refused.body());
        assert_eq!(world.text(), before);
        refused
    };
    let rebase = || Policy { rebase: true, ..Policy::default() };
    let elsewhere = ("line 20\n", "line 20\nuser\n");
    let patch = "@@\n line 9\n-line 10\n+ten\n";
    drop(check(Policy::default(), elsewhere, patch, stale));
    // Touched: the line itself, a line that the patch quotes, a line between them.
    drop(check(rebase(), ("line 10\n", "user\n"), patch, stale));
    drop(check(rebase(), ("line 9\n", "user\n"), patch, stale));
    drop(check(rebase(), ("line 9\n", "line 9\nuser\n"), patch, stale));
    // The place is one of several now, whatever number is stated.
    drop(check(
        rebase(),
        ("line 20\n", "line 20\nline 9\nline 10\n"),
        "@@ -9,2 +9,2 @@\n line 9\n-line 10\n+ten\n",
        stale,
    ));
    // Both insert at one place, and nobody knows in which order.
    drop(check(rebase(), ("line 10\n", "line 10\nuser\n"), "@@\n line 10\n+mine\n", stale));
    // The user has done the same.
    for (change, patch) in
        [(("line 10\n", "line 10\nmine\n"), "@@\n line 10\n+mine\n"), (("line 10\n", "ten\n"), patch)]
    {
        let refused = check(rebase(), change, patch, stale);
        assert_eq!(refused.body()["error"]["already_applied"], true, "{}", refused.body());
        assert_eq!(refused.body()["error"].get("rebased_patch"), None);
    }
}

/// For people who type all the time: no edit ends a lease, because there is none, and a patch moves past each of them.
#[test]
fn without_leases_a_patch_is_rebased_past_each_edit() {
    let world = world(Policy { rollout: Rollout::Write, rebase: true, ..Policy::default() });
    assert!(world.tool("canvas_read_all", json!({})).is_ok());
    for line in 1..=5 {
        world.edit(&world.text().replace("line 20\n", "line 20\nuser\n"));
        let patch = format!("@@\n-line {line}\n+mine {line}\n");
        let done = world.tool("canvas_apply_patch", json!({"patch": patch}));
        assert_eq!(done.body()["repairs"][0]["kind"], "REBASED", "{}", done.body());
    }
    assert_eq!((world.text().matches("user\n").count(), world.text().matches("mine").count()), (5, 5));
    world.edit(&world.text().replace("line 9\n", "theirs\n"));
    let refused = world.tool("canvas_apply_patch", json!({"patch": "@@\n-line 9\n+mine\n"}));
    assert_eq!(failure(&refused), "PATCH_REJECTED/STALE_BASE");
}

#[test]
fn a_base_that_is_named_is_never_rebased() {
    let world = rebasing();
    let base = world.revision();
    let lease = edited(&world, "line 20\n", "line 20\nuser\n");
    let patch = "@@\n line 9\n-line 10\n+ten\n";
    let arguments = json!({"lease_id": lease, "patch": patch, "base_revision_id": base});
    let refused = world.tool("canvas_apply_patch", arguments);
    assert_eq!(failure(&refused), "PATCH_REJECTED/STALE_BASE");
    let error = &refused.body()["error"];
    let again = json!({"lease_id": lease, "patch": patch, "base_revision_id": world.revision()});
    assert!(world.tool("canvas_apply_patch", again).is_ok(), "{error}");
}

/// Changes that are too large to be shown stay to be seen: another patch that touches them is refused.
#[test]
fn a_rebase_over_more_than_can_be_shown_has_shown_nothing() {
    let world = world(Policy { rebase: true, refusal_diff_bytes: 8, ..Policy::default() });
    let lease = edited(&world, "line 20\n", "line 20\nuser\n");
    let done = send(&world, &lease, "@@\n line 9\n-line 10\n+ten\n");
    assert!(done.is_ok(), "{}", done.body());
    assert_eq!(done.body()["changes"]["diff"], Value::Null);
    assert_eq!(failure(&send(&world, &lease, "@@\n-user\n+x\n")), "PATCH_REJECTED/STALE_BASE");
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    assert!(send(&world, &lease, "@@\n-user\n+x\n").is_ok());
}

#[test]
fn a_write_takes_the_lease_anew_that_nobody_has_missed() {
    let world = world(Policy { retake: true, ..Policy::default() });
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    world.wait(60_000);
    // What is refused takes none, and a read is no write.
    assert_eq!(failure(&send(&world, &lease, "@@\n-nowhere\n+x\n")), "PATCH_REJECTED/NOT_FOUND");
    assert_eq!(failure(&world.under(&lease, "canvas_read_all")), "LEASE_EXPIRED");
    let arguments = json!({"lease_id": lease, "patch": "@@\n-line 1\n+one\n"});
    let done = world.run(&world.session, "w", "canvas_apply_patch", arguments.clone());
    assert!(done.is_ok(), "{}", done.body());
    let new = done.lease_id().unwrap().to_owned();
    assert_ne!(new, lease);
    assert!(done.body()["note"].as_str().unwrap().contains("lease_id"), "{}", done.body());
    match done.lease_change() {
        LeaseChange::Replaced(old, term) => {
            assert_eq!((old.to_string(), term.lease_id.to_string()), (lease.clone(), new.clone()));
            assert_eq!(done.body()["expires_in_s"], 15, "{}", term.expires_at);
        }
        other => panic!("{other:?}"),
    }
    // The same call again is the first one, and the new lease goes on.
    assert_eq!(world.run(&world.session, "w", "canvas_apply_patch", arguments).body(), done.body());
    assert!(send(&world, &new, "@@\n-line 2\n+two\n").is_ok());
    let over = send(&world, &lease, "@@\n-line 3\n+three\n");
    assert_eq!(failure(&over), "LOCK_NOT_OWNED");
    assert_eq!(over.body()["error"]["lease_id"], json!(new));
}

#[test]
fn lines_replaced_by_number_take_the_lease_anew_too() {
    let world = world(Policy { retake: true, ..Policy::default() });
    let lease = world.check_out();
    let read = world.tool("canvas_read_lines", json!({"lease_id": lease, "start_line": 2, "end_line": 2}));
    world.wait(60_000);
    let done = world.tool(
        "canvas_replace_lines",
        json!({"lease_id": lease, "start_line": 2, "end_line": 2, "expect_hash": read.body()["range_hash"], "text": "two\n"}),
    );
    assert!(done.is_ok() && done.lease_id().is_some_and(|new| new != lease), "{}", done.body());
}

/// Another conversation in the same turn.
fn other(world: &World) -> Session {
    let conversation = canvas_core::ConversationId::new("other").unwrap();
    Session { conversation, ..world.session.clone() }
}

#[test]
fn what_a_retake_does_not_do() {
    let check = |policy: Policy, happens: fn(&mut World, &str), expected: &str| {
        let mut world = world(policy);
        let lease = world.check_out();
        assert!(world.under(&lease, "canvas_read_all").is_ok());
        world.wait(15_000);
        happens(&mut world, &lease);
        let before = world.text();
        let refused = send(&world, &lease, "@@\n-line 1\n+one\n");
        assert_eq!(failure(&refused), expected, "{}", refused.body());
        assert_eq!(world.text(), before);
    };
    let retake = || Policy { retake: true, ..Policy::default() };
    check(Policy::default(), |_, _| {}, "LEASE_EXPIRED");
    check(retake(), |world, _| world.edit("another\n"), "STALE_EPOCH");
    check(retake(), |world, _| drop(world.message()), "STALE_EPOCH");
    check(retake(), |world, lease| drop(world.under(lease, "canvas_check_in")), "LOCK_NOT_OWNED");
    // Another has had the canvas, and has given it back.
    check(
        retake(),
        |world, _| {
            let other = other(world);
            let lease = world.run(&other, "o", "canvas_check_out", json!({})).lease_id().unwrap().to_owned();
            assert!(world.run(&other, "i", "canvas_check_in", json!({"lease_id": lease})).is_ok());
        },
        "LOCK_NOT_OWNED",
    );
    check(
        retake(),
        |world, _| {
            let other = other(world);
            assert!(world.run(&other, "o", "canvas_check_out", json!({})).is_ok());
        },
        "LOCK_NOT_OWNED",
    );
}

/// A directive changes the document without a lease, and without an epoch.
#[test]
fn a_document_that_changed_after_the_expiry_is_not_written_unseen() {
    let world = world(Policy { retake: true, ..Policy::default() });
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    world.wait(15_000);
    let operation = canvas_core::OpKey {
        conversation: canvas_core::ConversationId::new("host").unwrap(),
        ..world.session.operation(canvas_core::CallId::new("h").unwrap())
    };
    let edit = canvas_core::document::HostEdit {
        base: canvas_core::Base::Id(world.revision().parse().unwrap()),
        delta: canvas_core::text::Delta::between(&world.text(), &world.text().replace("line 7\n", "seven\n")),
        summary: "seven".into(),
        request: None,
    };
    let done = canvas_core::block_on(world.engine.call(&world.session.canvas, &operation, edit, world.now()));
    done.unwrap().result.unwrap();
    assert_eq!(failure(&send(&world, &lease, "@@\n-line 1\n+one\n")), "LEASE_EXPIRED");
}

#[test]
fn the_hunks_at_fault_are_sent_again_alone() {
    let world = world(Policy::default());
    let lease = world.check_out();
    let patch = "@@\n-line 2\n+two\n@@\n-line five\n+five\n@@\n line 8\n+more\n@@\n-line nine\n+nine\n";
    let refused = send(&world, &lease, patch);
    assert_eq!(failure(&refused), "PATCH_REJECTED/NOT_FOUND");
    let resend = &refused.body()["error"]["resend"];
    assert_eq!(resend["hunks"], json!([2, 4]), "{}", refused.body());
    assert!(message(&refused).contains("resend"), "{}", message(&refused));
    let arguments = json!({
        "lease_id": lease, "patch": "@@\n-line 5\n+five\n@@\n-line 9\n+nine\n", "resend": resend,
    });
    let done = world.run(&world.session, "again", "canvas_apply_patch", arguments.clone());
    assert!(done.is_ok(), "{}", done.body());
    let expected = text()
        .replacen("line 2\n", "two\n", 1)
        .replacen("line 5\n", "five\n", 1)
        .replacen("line 8\n", "line 8\nmore\n", 1)
        .replacen("line 9\n", "nine\n", 1);
    assert_eq!(world.text(), expected);
    assert_eq!(world.run(&world.session, "again", "canvas_apply_patch", arguments).body(), done.body());
}

#[test]
fn a_resend_that_fits_no_refusal_says_so() {
    let world = world(Policy::default());
    let lease = world.check_out();
    let patch = "@@\n-line 2\n+two\n@@\n-line five\n+five\n";
    let of = send(&world, &lease, patch).body()["error"]["resend"]["of"].clone();
    let resend = |of: Value, hunks: Value, patch: &str| {
        let resend = json!({"of": of, "hunks": hunks});
        world.tool("canvas_apply_patch", json!({"lease_id": lease, "patch": patch, "resend": resend}))
    };
    let one = "@@\n-line 5\n+five\n";
    for (of, hunks, patch, expected) in [
        (json!("patch-00000000"), json!([2]), one, "RESEND_LOST at \"/resend/of\""),
        (of.clone(), json!([3]), one, "INVALID_ARGUMENTS at \"/resend/hunks\""),
        (of.clone(), json!([0]), one, "INVALID_ARGUMENTS at \"/resend/hunks/0\""),
        (of.clone(), json!([2, 2]), one, "INVALID_ARGUMENTS at \"/resend/hunks\""),
        (of.clone(), json!([1, 2]), one, "INVALID_ARGUMENTS at \"/resend/hunks\""),
        (of.clone(), json!([]), "", "INVALID_ARGUMENTS at \"/resend/hunks\""),
        (of.clone(), json!([2]), "Here:\n@@\n-line 5\n+five\n", "INVALID_ARGUMENTS at \"/resend/hunks\""),
    ] {
        assert_eq!(failure(&resend(of.clone(), hunks.clone(), patch)), expected, "{of} {hunks} {patch:?}");
    }
    // A host that starts again has lost it.
    world.forget_sessions();
    assert_eq!(failure(&resend(of, json!([2]), one)), "RESEND_LOST at \"/resend/of\"");
    assert_eq!(world.text(), text());
    // Of one hunk nothing would be saved; where the patch as a whole is at fault, no hunk mends it.
    for patch in [
        "@@\n-nowhere\n+x\n",
        "@@\n-line 9\n+x\n@@\n-line 3\n+y\n",
        "```diff\n@@\n-no\n+x\n@@\n-no\n+y\n```\n",
    ] {
        assert_eq!(send(&world, &lease, patch).body()["error"].get("resend"), None, "{patch:?}");
    }
    // Only where the host has switched it on.
    let plain = World::new(&text());
    let lease = plain.check_out();
    assert_eq!(send(&plain, &lease, patch).body()["error"].get("resend"), None);
    let arguments =
        json!({"lease_id": lease, "patch": one, "resend": {"of": "patch-00000000", "hunks": [1]}});
    assert_eq!(failure(&plain.tool("canvas_apply_patch", arguments)), "INVALID_ARGUMENTS at \"/resend\"");
}
