//! The lease in calls and replies.

use std::time::Duration;

use canvas_core::Policy;
use canvas_core::turn::Cancel;
use canvas_tools::LeaseChange;
use serde_json::{Value, json};

use super::world::{World, failure, message};

fn with_lease(lease: &str) -> [(&'static str, Value); 6] {
    [
        ("canvas_renew_lease", json!({"lease_id": lease})),
        ("canvas_grep", json!({"lease_id": lease, "query": "a"})),
        ("canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 1})),
        ("canvas_read_all", json!({"lease_id": lease})),
        ("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n a\n+c\n"})),
        ("canvas_check_in", json!({"lease_id": lease})),
    ]
}

#[test]
fn a_lease_through_the_seven_tools() {
    let world = World::new("a\nb\n");
    let first = world.revision();
    let reply = world.tool("canvas_check_out", json!({}));
    let expected = json!({
        "ok": true,
        "revision_id": first,
        "lease_id": "lease-1-0",
        "revision_id_at_checkout": first,
        "canvas_epoch": 0,
        "expires_in_s": 15,
    });
    assert_eq!(*reply.body(), expected);
    assert_eq!(
        (reply.is_ok(), reply.lease_id(), reply.revision_id()),
        (true, Some("lease-1-0"), Some(&*first))
    );
    world.wait(5_000);
    let reply = world.under("lease-1-0", "canvas_renew_lease");
    let expected = json!({
        "ok": true,
        "revision_id": first,
        "lease_id": "lease-1-0",
        "expires_in_s": 15,
        "at_max_hold": false,
    });
    assert_eq!(*reply.body(), expected);
    let reply = world.patch("lease-1-0", "@@\n a\n+c\n");
    let second = world.revision();
    let expected = json!({
        "ok": true,
        "revision_id": second,
        "new_revision_id": second,
        "applied_hunks": 1,
        "lines": ["1: a", "2: c", "3: b"],
    });
    assert_eq!(*reply.body(), expected);
    for (released, name) in [(true, "canvas_check_in"), (false, "canvas_check_in")] {
        let reply = world.under("lease-1-0", name);
        assert_eq!(*reply.body(), json!({"ok": true, "revision_id": second, "released": released}));
    }
    assert_eq!(world.text(), "a\nc\nb\n");
}

/// A model cannot read a clock, so that the other replies do not tell it: their callers know it from the lease change.
#[test]
fn a_reply_that_gives_a_lease_tells_when_it_ends() {
    let world = World::new("a\nb\n");
    let lease = world.check_out();
    world.wait(10_000);
    for (name, arguments) in with_lease(&lease) {
        let reply = world.tool(name, arguments);
        assert!(reply.is_ok(), "{name}: {}", reply.body());
        let expected = if name == "canvas_renew_lease" { json!(15) } else { Value::Null };
        assert_eq!(reply.body()["expires_in_s"], expected, "{name}");
    }
}

#[test]
fn what_is_no_lease_of_the_caller_is_not_owned() {
    for lease in
        ["", "lease", "lease-1", "LEASE-1-0", "lease-01-0", "lease-2-0", "lease-1-1", "lease-1-0 ", "🦀"]
    {
        let world = World::new("a\nb\n");
        world.check_out();
        for (name, arguments) in with_lease(lease) {
            assert_eq!(failure(&world.tool(name, arguments)), "LOCK_NOT_OWNED", "{name} {lease:?}");
        }
        assert_eq!(world.text(), "a\nb\n");
    }
}

#[test]
fn the_lease_of_another_conversation_is_not_owned() {
    let world = World::new("a\nb\n");
    let lease = world.check_out();
    let other = world.join("other");
    for (name, arguments) in with_lease(&lease) {
        let reply = world.run(&other, &world.fresh_id(), name, arguments);
        assert_eq!(failure(&reply), "LOCK_NOT_OWNED", "{name}");
    }
    assert!(world.under(&lease, "canvas_read_all").is_ok());
}

#[test]
fn a_released_lease_is_not_owned_and_check_in_twice_is_fine() {
    let world = World::new("a\nb\n");
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_check_in").is_ok());
    for (name, arguments) in with_lease(&lease) {
        let expected = if name == "canvas_check_in" { "OK" } else { "LOCK_NOT_OWNED" };
        assert_eq!(failure(&world.tool(name, arguments)), expected, "{name}");
    }
}

#[test]
fn an_expired_lease_and_one_cut_short() {
    let world = World::new("a\nb\n");
    let lease = world.check_out();
    world.wait(15_000);
    for (name, arguments) in with_lease(&lease) {
        let expected = if name == "canvas_check_in" { "OK" } else { "LEASE_EXPIRED" };
        let reply = world.tool(name, arguments);
        assert_eq!(failure(&reply), expected, "{name}");
    }
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    let from = world.revision();
    world.edit("a\nz\n");
    for (i, (name, arguments)) in with_lease(&lease).into_iter().enumerate() {
        let reply = world.tool(name, arguments);
        assert_eq!(failure(&reply), "STALE_EPOCH", "{name}");
        assert_eq!(reply.body()["canvas_epoch"], 1);
        assert_eq!(reply.revision_id(), Some(&*world.revision()));
        // The first refusal shows what the user changed; the others need not.
        let diff = "@@ -1,2 +1,2 @@\n a\n-b\n+z\n";
        let shown = json!({"from": from, "to": world.revision(), "diff": diff});
        let expected = if i == 0 { shown } else { Value::Null };
        assert_eq!(reply.body()["error"]["changes"], expected, "{name}");
    }
}

#[test]
fn a_canvas_that_is_not_free_tells_why() {
    let mut world = World::new("a\nb\n");
    let lease = world.check_out();
    world.wait(2_500);
    let other = world.join("other");
    let held = world.run(&other, "held", "canvas_check_out", json!({}));
    assert_eq!(failure(&held), "LOCK_NOT_AVAILABLE/HELD");
    assert_eq!(
        (&held.body()["error"]["retry_in_s"], &held.body()["error"]["retryable"]),
        (&json!(13), &json!(true))
    );
    // One's own is named, and nobody has to wait for it.
    let own = world.tool("canvas_check_out", json!({}));
    assert_eq!(failure(&own), "LOCK_NOT_AVAILABLE/HELD");
    let error = &own.body()["error"];
    assert_eq!((&error["lease_id"], error.get("retry_in_s")), (&json!(lease), None));
    world.user(Cancel);
    let ended = world.tool("canvas_check_out", json!({}));
    assert_eq!(failure(&ended), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert_eq!(
        (&ended.body()["error"]["retryable"], ended.body()["error"].get("retry_in_s")),
        (&json!(false), None)
    );
    let old = world.session.clone();
    world.message();
    assert_eq!(
        failure(&world.run(&old, "late", "canvas_check_out", json!({}))),
        "LOCK_NOT_AVAILABLE/USER_ACTIVE"
    );
    assert_eq!(failure(&world.tool("canvas_check_out", json!({}))), "OK");
}

#[test]
fn a_retried_call_has_the_same_reply() {
    let world = World::new("a\nb\n");
    let check_out = || world.run(&world.session, "k1", "canvas_check_out", json!({}));
    let first = check_out();
    let lease = first.lease_id().unwrap().to_owned();
    let patch = |text: &str| {
        let arguments = json!({"lease_id": lease, "patch": text});
        world.run(&world.session, text, "canvas_apply_patch", arguments)
    };
    let (good, bad) = ("@@\n a\n+c\n", "@@\n x\n+c\n");
    let replies = [patch(good), patch(bad)];
    world.wait(60_000);
    // But for what is left of the lease.
    let again = check_out();
    assert_eq!((&again.body()["expires_in_s"], again.lease_change()), (&json!(0), first.lease_change()));
    assert_eq!((again.lease_id(), again.revision_id()), (first.lease_id(), first.revision_id()));
    assert_eq!(patch(good), replies[0]);
    assert_eq!(patch(bad), replies[1]);
    assert_eq!(world.text(), "a\nc\nb\n");
}

#[test]
fn reads_run_again_and_see_what_is_there_now() {
    let world = World::new("a\nb\n");
    let lease = world.check_out();
    let read = || world.run(&world.session, "k", "canvas_read_all", json!({"lease_id": lease}));
    assert_eq!(read().body()["text"], "a\nb\n");
    assert!(world.patch(&lease, "@@\n a\n+c\n").is_ok());
    let again = read();
    assert_eq!(again.body()["text"], "a\nc\nb\n");
    assert_eq!(again.revision_id(), Some(&*world.revision()));
}

#[test]
fn a_lease_that_has_made_its_calls_says_what_to_do() {
    let world = World::with("a\nb\n", Policy { calls_per_lease: 2, ..Policy::default() });
    let lease = world.check_out();
    assert!(world.patch(&lease, "@@\n a\n+c\n").is_ok());
    let reply = world.patch(&lease, "@@\n a\n+d\n");
    assert_eq!(failure(&reply), "TOO_MANY_CALLS");
    assert!(message(&reply).ends_with(" canvas_check_in, then canvas_check_out."), "{}", message(&reply));
    assert!(world.under(&lease, "canvas_check_in").is_ok());
    assert!(world.under(&world.check_out(), "canvas_read_all").is_ok());
}

/// Where there is no canvas, there is no revision to tell.
#[test]
fn a_deleted_canvas_is_reported_without_a_revision() {
    let world = World::new("a\n");
    world.delete();
    for (name, arguments, expected) in [
        ("canvas_check_out", json!({}), "CANVAS_NOT_FOUND"),
        ("canvas_read_all", json!({"lease_id": "lease-1-0"}), "CANVAS_NOT_FOUND"),
        ("canvas_read_all", json!({}), "INVALID_ARGUMENTS"),
    ] {
        let reply = world.call(&world.session, "k", name, arguments);
        assert_eq!((reply.code(), reply.is_ok(), reply.revision_id()), (Some(expected), false, None));
        assert_eq!(reply.body()["error"]["retryable"], false);
    }
}

/// A call that comes no further than its arguments, of an unknown tool, and a check-out of a lease that is held already: a
/// conversation that still calls still edits.
#[test]
fn every_call_of_the_holder_renews_its_lease() {
    for (name, arguments, code) in [
        ("canvas_apply_patch", json!({"patch": 7}), "INVALID_ARGUMENTS"),
        ("canvas_read_lines", json!({"start_line": 2, "end_line": 1}), "INVALID_ARGUMENTS"),
        ("canvas_read_lines", json!([]), "INVALID_ARGUMENTS"),
        ("canvas_chekout", json!({}), "UNKNOWN_TOOL"),
        ("canvas_check_out", json!({}), "LOCK_NOT_AVAILABLE"),
        ("canvas_check_out", json!({"x": 1}), "INVALID_ARGUMENTS"),
        ("canvas_apply_patch", json!({"lease_id": "LEASE", "patch": "@@\n-nowhere\n+x\n"}), "PATCH_REJECTED"),
    ] {
        let world = World::new("a\n");
        let lease = world.check_out();
        let arguments: Value = serde_json::from_str(&arguments.to_string().replace("LEASE", &lease)).unwrap();
        for _ in 0..3 {
            world.wait(10_000);
            let reply = world.tool(name, arguments.clone());
            assert_eq!(reply.code(), Some(code), "{name} {arguments}");
            let LeaseChange::Extended(term) = reply.lease_change() else {
                assert_eq!(code, "PATCH_REJECTED");
                continue;
            };
            assert_eq!(
                (term.lease_id.to_string(), term.expires_at),
                (lease.clone(), world.now().saturating_add(Duration::from_secs(15)))
            );
        }
        world.wait(10_000);
        assert!(world.under(&lease, "canvas_read_all").is_ok(), "{name} {arguments}");
    }
    // It takes nobody's lease for the caller's own, and none that has expired.
    let world = World::new("a\n");
    let lease = world.check_out();
    world.wait(10_000);
    let other = world.join("other");
    assert_eq!(world.run(&other, "x", "canvas_read_all", json!([])).lease_change(), LeaseChange::None);
    world.wait(5_000);
    assert_eq!(world.tool("canvas_read_all", json!([])).lease_change(), LeaseChange::None);
    assert_eq!(failure(&world.under(&lease, "canvas_read_all")), "LEASE_EXPIRED");
}
