//! One entry for each edit, the way back, and what a host counts.

use std::num::NonZeroU32;

use canvas_core::history::{ChangeNumber, Redo, Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::{Author, Role};
use canvas_tools::directive::{Action, DirectiveMetrics, Ending, RecentEdits};
use serde_json::{Value, json};

use super::world::{Done, World};

fn insert(at: usize, content: &str) -> Value {
    json!({"action": "insert", "content": content, "target_range": [at, at]})
}

#[test]
fn each_edit_is_one_entry_and_one_undo() {
    let world = World::new("a\nb\nc\n");
    let diff = "@@\n-a\n+A\n@@\n-c\n+C\n";
    let patch = json!({"action": "patch", "diff": diff, "version": world.version()});
    for directive in
        [patch, insert(0, "x"), json!({"action": "replace", "content": "", "target_range": [0, 5]})]
    {
        let (text, entries) = (world.text(), world.entries().len());
        let done = world.direct(&directive).unwrap();
        let all = world.entries();
        assert_eq!((all.len(), all[0].change), (entries + 1, done.change.unwrap()), "{directive}");
        assert_eq!((all[0].author, &all[0].summary), (Role::Assistant, &done.context.summary));
        let after = world.text();
        let steps = NonZeroU32::MIN;
        world.user(Undo { by: Author::User, what: UndoScope::Steps(steps) });
        assert_eq!(world.text(), text, "{directive}");
        world.user(Redo { by: Author::User, steps });
        assert_eq!(world.text(), after, "{directive}");
        world.user(Undo { by: Author::User, what: UndoScope::Steps(steps) });
    }
}

#[test]
fn recent_edits_are_bounded_and_can_be_undone() {
    let world = World::new("a\nb\nc\n");
    let mut recent = RecentEdits::default();
    let title = json!({"action": "replace", "content": "A", "target_range": [0, 1]});
    let first = world.direct_as("first", &title);
    let change = first.as_ref().unwrap().change.unwrap();
    recent.record(&first, Some("a title"));
    // A retry is in the list already.
    recent.record(&world.direct_as("first", &title), Some("a title"));
    assert_eq!(recent.iter().count(), 1);
    recent.record(&world.direct(&json!({"action": "replace", "content": "C", "target_range": [4, 5]})), None);
    recent.record(&world.direct(&json!({"action": "insert"})), None);
    recent.record(&world.direct(&insert(99, "x")), None);

    // What a screen needs is in the JSON.
    let shown = serde_json::to_value(&recent).unwrap();
    let edits = shown["edits"].as_array().unwrap();
    assert_eq!(
        (&edits[0]["action"], &edits[0]["rationale"], &edits[0]["change"]),
        (&json!("replace"), &json!("a title"), &json!(change))
    );
    assert_eq!(edits[0]["preview"], "@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n");
    assert_eq!(
        (&edits[2]["action"], &edits[2]["advice"], &edits[2]["code"]),
        (&json!(null), &json!("correct"), &json!("INVALID_DIRECTIVE"))
    );
    assert_eq!((&edits[3]["ending"], &edits[3]["advice"]), (&json!("failed"), &json!("resync")));
    assert!(edits[3]["chat_text"].as_str().unwrap().starts_with("failed: insert INVALID_RANGE vs r3-"));

    // The first goes, the second stays.
    assert_eq!(recent.rollback(ChangeNumber::new(99)), None);
    let undone = world.user(recent.rollback(change).unwrap());
    assert_eq!(undone.entries.len(), 1, "{undone:?}");
    assert_eq!(world.text(), "a\nb\nC\n");
    recent.note_undone(change);
    assert_eq!(recent.rollback(change), None);
    let undone = |edit: &Ending| matches!(edit, Ending::Done { undone: true, .. });
    assert_eq!(recent.iter().filter(|edit| undone(&edit.ending)).count(), 1);

    for _ in 0..30 {
        recent.record(&world.direct(&insert(0, "x")), None);
    }
    assert_eq!(recent.iter().count(), 20);
    assert!(recent.iter().all(|edit| edit.action == Some(Action::Insert)));
}

#[test]
fn metrics_count_what_was_tried() {
    let world = World::new("a\nb\n");
    let mut metrics = DirectiveMetrics::default();
    assert_eq!((metrics.avg_patch_latency(), metrics.avg_latency()), (None, None));
    let patch = |version: String| json!({"action": "patch", "diff": "@@\n a\n+x\n", "version": version});
    let old = world.version();
    let mut run = |directive: &Value, millis: u64| -> Done {
        let started = world.now();
        let done = world.direct_as("same", directive);
        world.wait(millis);
        metrics.record(&done, started, world.now());
        done
    };
    run(&patch(old.clone()), 10).unwrap();
    // A retry is no second patch.
    assert!(run(&patch(old), 500).unwrap().replayed);
    let mut run = |directive: &Value, millis: u64| {
        let started = world.now();
        let done = world.direct(directive);
        world.wait(millis);
        metrics.record(&done, started, world.now());
    };
    run(&patch("r1-00000000".into()), 20);
    run(&json!({"action": "patch", "diff": "@@\n-zzz\n+y\n", "version": world.version()}), 30);
    run(&json!({"action": "patch"}), 1);
    run(&insert(0, "x"), 9);
    let expected = DirectiveMetrics {
        total_patches: 3,
        patch_conflicts: 2,
        patch_latency_millis: 60,
        total_directives: 5,
        failures: 3,
        conflicts: 2,
        latency_millis: 70,
    };
    assert_eq!(metrics, expected);
    assert_eq!((metrics.avg_patch_latency(), metrics.avg_latency()), (Some(20.0), Some(14.0)));
    // A clock that falls back.
    let done = world.direct(&insert(0, "x"));
    metrics.record(&done, Timestamp::from_millis(9), Timestamp::from_millis(1));
    assert_eq!(metrics.latency_millis, 70);
    let json = serde_json::to_value(metrics).unwrap();
    assert_eq!((&json["total_patches"], &json["patch_conflicts"]), (&json!(3), &json!(2)));
}
