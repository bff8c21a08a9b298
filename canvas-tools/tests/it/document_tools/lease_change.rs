//! What a reply says about its caller's lease, beside the JSON.

use canvas_tools::{LeaseChange, LeaseTerm, ToolReply};
use serde_json::{Value, json};

use super::world::World;

/// The change in one line: `extended lease-1-0 until 16000`.
fn change_of(reply: &ToolReply) -> String {
    let until = |LeaseTerm { lease_id, expires_at, at_max_hold }| {
        let at_most = if at_max_hold { " at most" } else { "" };
        format!("{lease_id} until {expires_at}{at_most}")
    };
    match reply.lease_change() {
        LeaseChange::None => "none".to_owned(),
        LeaseChange::Acquired(term) => format!("acquired {}", until(term)),
        LeaseChange::Extended(term) => format!("extended {}", until(term)),
        LeaseChange::Released(lease) => format!("released {lease}"),
        LeaseChange::Replaced(lease, term) => {
            format!("{lease} replaced by {} until {}", term.lease_id, term.expires_at)
        }
        LeaseChange::Lost(lease) => format!("lost {lease}"),
    }
}

#[test]
fn each_call_says_what_it_did_to_the_lease() {
    let world = World::new("a\nb\n");
    let lease = json!({"lease_id": "lease-1-0"});
    let patch = |text: &str| json!({"lease_id": "lease-1-0", "patch": text});
    let table: [(u64, &str, Value, &str); 10] = [
        (0, "canvas_check_out", json!({}), "acquired lease-1-0 until 16000"),
        (0, "canvas_check_out", json!({}), "extended lease-1-0 until 16000"),
        (5_000, "canvas_renew_lease", lease.clone(), "extended lease-1-0 until 21000"),
        (10_000, "canvas_read_all", lease.clone(), "extended lease-1-0 until 31000"),
        (0, "canvas_apply_patch", patch("@@\n a\n+c\n"), "extended lease-1-0 until 31000"),
        (0, "canvas_apply_patch", patch("@@\n z\n+c\n"), "none"),
        (0, "canvas_renew_lease", json!({"lease_id": "nobody's"}), "none"),
        (0, "canvas_renew_lease", json!({"lease_id": "lease-7-0"}), "lost lease-7-0"),
        (0, "canvas_check_in", lease.clone(), "released lease-1-0"),
        (0, "canvas_read_all", lease, "lost lease-1-0"),
    ];
    for (later, name, arguments, expected) in table {
        world.wait(later);
        let reply = world.tool(name, arguments);
        assert_eq!(change_of(&reply), expected, "{name}: {}", reply.body());
        assert!(reply.body().get("lease_change").is_none());
    }
}

#[test]
fn a_renewal_says_when_no_other_will_move_the_expiry() {
    let world = World::new("a\n");
    let lease = world.check_out();
    let mut last = String::new();
    for _ in 0..21 {
        world.wait(5_000);
        last = change_of(&world.under(&lease, "canvas_renew_lease"));
    }
    assert_eq!(last, "extended lease-1-0 until 121000 at most");
}

#[test]
fn a_lease_that_is_over_is_lost() {
    let expired = World::new("a\n");
    let lease = expired.check_out();
    expired.wait(15_000);
    assert_eq!(change_of(&expired.under(&lease, "canvas_read_all")), "lost lease-1-0");

    let preempted = World::new("a\n");
    let lease = preempted.check_out();
    preempted.edit("b\n");
    assert_eq!(change_of(&preempted.under(&lease, "canvas_renew_lease")), "lost lease-1-0");
}
