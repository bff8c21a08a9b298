//! A line number decides between equal places only where its conversation was shown that line as it is now.

use canvas_tools::ToolReply;
use serde_json::{Value, json};

use super::world::{World, failure};

/// Steps that read alike.
fn steps() -> String {
    (1..=3).map(|step| format!("### Step {step}\n- status: todo\n- owner: me\n\n")).collect()
}

fn send(world: &World, lease: &str, patch: &str) -> ToolReply {
    world.tool("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}))
}

fn read(world: &World, lease: &str, lines: (usize, usize)) {
    let arguments = json!({"lease_id": lease, "start_line": lines.0, "end_line": lines.1});
    assert!(world.tool("canvas_read_lines", arguments).is_ok());
}

/// Line 6 says `- status: todo` before and after the insertion: of step 2 first, of step 1 then.
#[test]
fn an_old_number_after_an_own_insertion_changes_nothing() {
    let world = World::new(&steps());
    let lease = world.check_out();
    read(&world, &lease, (1, 12));
    assert!(
        send(&world, &lease, "@@ -1 +1,5 @@\n+### Step 0\n+- status: done\n+- owner: me\n+\n ### Step 1\n")
            .is_ok()
    );
    let before = world.text();
    let refused = send(&world, &lease, "@@ -6 +6 @@\n-- status: todo\n+- status: done\n");
    assert_eq!(failure(&refused), "PATCH_REJECTED/AMBIGUOUS", "{}", refused.body());
    assert_eq!(world.text(), before);
    // The refusal has shown the places as they are now.
    assert_eq!(refused.body()["error"]["conflicts"][0]["candidates"], json!([6, 10, 14]));
    assert!(send(&world, &lease, "@@ -10 +10 @@\n-- status: todo\n+- status: done\n").is_ok());
    assert_eq!(world.text(), before.replacen("Step 2\n- status: todo", "Step 2\n- status: done", 1));
}

#[test]
fn what_shows_a_line_makes_its_number_count() {
    let status = "@@ -6 +6 @@\n-- status: todo\n+- status: done\n";
    let check = |shows: fn(&World, &str), expected: &str| {
        let world = World::extended(&steps());
        let lease = world.check_out();
        shows(&world, &lease);
        assert_eq!(failure(&send(&world, &lease, status)), expected);
    };
    const AMBIGUOUS: &str = "PATCH_REJECTED/AMBIGUOUS";
    check(|_, _| {}, AMBIGUOUS);
    check(|world, lease| read(world, lease, (1, 5)), AMBIGUOUS);
    check(|world, lease| read(world, lease, (6, 6)), "OK");
    check(|world, lease| drop(world.under(lease, "canvas_read_all")), "OK");
    let grep = |query: &str| json!({"lease_id": "lease-1-0", "query": query});
    check(
        |world, _| drop(world.tool("canvas_grep", json!({"lease_id": "lease-1-0", "query": "owner"}))),
        AMBIGUOUS,
    );
    let world = World::extended(&steps());
    world.check_out();
    assert!(world.tool("canvas_grep", grep("status")).is_ok());
    assert_eq!(failure(&send(&world, "lease-1-0", status)), "OK");
    check(|world, _| drop(world.tool("canvas_read_section", json!({"path": ["Step 2"]}))), "OK");
    // What the host has lost counts no more.
    check(
        |world, lease| {
            read(world, lease, (1, 12));
            world.forget_sessions();
        },
        AMBIGUOUS,
    );
    // Another conversation's reading is not this one's.
    check(
        |world, _| {
            let other = world.join("other");
            assert!(world.run(&other, "r", "canvas_outline", json!({})).is_ok());
            assert!(world.run(&other, "s", "canvas_read_section", json!({"path": ["Step 2"]})).is_ok());
        },
        AMBIGUOUS,
    );
}

#[test]
fn headings_of_an_outline_are_shown() {
    let world = World::extended("# A\n\n# A\n\n# A\n");
    let lease = world.check_out();
    assert_eq!(failure(&send(&world, &lease, "@@ -3 +3 @@\n-# A\n+# B\n")), "PATCH_REJECTED/AMBIGUOUS");
    world.forget_sessions();
    assert!(world.tool("canvas_outline", json!({})).is_ok());
    assert_eq!(failure(&send(&world, &lease, "@@ -3 +3 @@\n-# A\n+# B\n")), "OK");
    assert_eq!(world.text(), "# A\n\n# B\n\n# A\n");
}

/// A number of an older text decides nothing, the user's change included, even where the number still fits.
#[test]
fn a_change_by_others_makes_numbers_old() {
    let world = World::new(&steps());
    let lease = world.check_out();
    read(&world, &lease, (1, 12));
    world.edit(&format!("Title\n\n\n\n{}", steps()));
    let lease = world.check_out();
    let arguments = json!({
        "lease_id": lease, "patch": "@@ -6 +6 @@\n-- status: todo\n+- status: done\n", "base_revision_id": world.revision(),
    });
    assert_eq!(failure(&world.tool("canvas_apply_patch", arguments)), "PATCH_REJECTED/AMBIGUOUS");
}

/// The same call again is answered from its receipt, whatever was shown since.
#[test]
fn a_retry_does_not_depend_on_what_was_shown() {
    let world = World::new(&steps());
    let lease = world.check_out();
    read(&world, &lease, (6, 6));
    let arguments = json!({"lease_id": lease, "patch": "@@ -6 +6 @@\n-- status: todo\n+- status: done\n"});
    let first = world.run(&world.session, "p", "canvas_apply_patch", arguments.clone());
    assert!(first.is_ok(), "{}", first.body());
    world.forget_sessions();
    let again = world.run(&world.session, "p", "canvas_apply_patch", arguments);
    assert_eq!(again.body(), first.body());
}

/// The old number is that of one of two equal lines now; the patch is offered where the line went.
#[test]
fn a_rebased_patch_is_where_the_line_went() {
    let world = World::new(&steps());
    let lease = world.check_out();
    read(&world, &lease, (1, 12));
    let base = world.revision();
    world.edit(&format!("### Step 0\n- status: todo\n- owner: me\n\n{}", steps()));
    let lease = world.check_out();
    let arguments = json!({
        "lease_id": lease, "patch": "@@ -6 +6 @@\n-- status: todo\n+- status: done\n", "base_revision_id": base,
    });
    let refused = world.tool("canvas_apply_patch", arguments);
    assert_eq!(failure(&refused), "PATCH_REJECTED/STALE_BASE");
    let error = &refused.body()["error"];
    let again = json!({
        "lease_id": lease, "patch": error["rebased_patch"], "base_revision_id": world.revision(),
    });
    let done = world.tool("canvas_apply_patch", again);
    assert!(done.is_ok(), "{error} {}", done.body());
    assert!(world.text().contains("Step 2\n- status: done"), "{}", world.text());
    // What was never shown is not moved either.
    let world = World::new(&steps());
    let base = world.revision();
    world.edit(&format!("Title\n\n{}", steps()));
    let lease = world.check_out();
    let arguments = json!({
        "lease_id": lease, "patch": "@@ -6 +6 @@\n-- status: todo\n+- status: done\n", "base_revision_id": base,
    });
    let refused = world.tool("canvas_apply_patch", arguments);
    assert_eq!(refused.body()["error"].get("rebased_patch"), None::<&Value>, "{}", refused.body());
}

/// The line that was shown has become another, and one that is like it is left elsewhere: whatever vouches for the base, the
/// text that the model has seen is gone.
#[test]
fn a_line_that_was_shown_and_has_gone() {
    const TEXT: &str = "a\nx\nb\nc\nd\nx\n";
    const NOW: &str = "a\nx\nb\nc\nd\ny\n";
    let patch = "@@ -6 +6 @@\n-x\n+z\n";
    let outdated = |world: &World, arguments: Value| {
        let refused = world.tool("canvas_apply_patch", arguments);
        assert_eq!(failure(&refused), "PATCH_REJECTED/OUTDATED", "{}", refused.body());
        let conflict = &refused.body()["error"]["conflicts"][0];
        assert_eq!(
            (&conflict["line"], &conflict["expected"], &conflict["nearby"][1]),
            (&json!(6), &json!("x"), &json!("6: y"))
        );
        assert_eq!(world.text(), NOW);
    };
    let named = |world: &World, lease: &str, patch: &str| json!({"lease_id": lease, "patch": patch, "base_revision_id": world.revision()});
    // Between two leases.
    let world = World::new(TEXT);
    let lease = world.check_out();
    read(&world, &lease, (1, 6));
    assert!(world.tool("canvas_check_in", json!({"lease_id": lease})).is_ok());
    world.edit(NOW);
    let lease = world.check_out();
    outdated(&world, named(&world, &lease, patch));
    // What the refusal has shown is known from then on.
    let done = world.tool("canvas_apply_patch", named(&world, &lease, "@@ -6 +6 @@\n-y\n+z\n"));
    assert!(done.is_ok(), "{}", done.body());
    // Under one, which the edit breaks.
    let world = World::new(TEXT);
    let lease = world.check_out();
    read(&world, &lease, (1, 6));
    world.edit(NOW);
    assert_eq!(failure(&send(&world, &lease, patch)), "STALE_EPOCH");
    let lease = world.check_out();
    outdated(&world, named(&world, &lease, patch));
    // The conversation's own change is nothing that it does not know.
    let world = World::new(TEXT);
    let lease = world.check_out();
    read(&world, &lease, (1, 6));
    assert!(send(&world, &lease, "@@ -6 +6 @@\n-x\n+y\n").is_ok());
    assert!(send(&world, &lease, patch).is_ok());
    // Of what the host has lost, nothing tells.
    let world = World::new(TEXT);
    let lease = world.check_out();
    read(&world, &lease, (1, 6));
    world.edit(NOW);
    world.forget_sessions();
    let lease = world.check_out();
    assert!(world.tool("canvas_apply_patch", named(&world, &lease, patch)).is_ok());
}
