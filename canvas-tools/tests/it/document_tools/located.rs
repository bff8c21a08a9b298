//! A host that asks its models to look first: `NOT_LOCATED`.

use crate::policy_with;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, failure};

const NOT_LOCATED: &str = "PATCH_REJECTED/NOT_LOCATED";

fn world(text: &str) -> World {
    let mut world = World::with(text, policy_with(|policy| policy.writes.require_located = true));
    world.toolset = canvas_tools::DocumentTools::ALL;
    world
}

/// Sections of ten lines, each of which stands once.
fn sections(count: usize) -> String {
    (0..count)
        .map(|i| format!("## S{i}\n{}", (1..10).map(|j| format!("{i}.{j}\n")).collect::<String>()))
        .collect()
}

fn patch(world: &World, lease: &str, patch: &str) -> String {
    failure(&world.patch(lease, patch))
}

#[track_caller]
fn look(world: &World, tool: &str, arguments: Value) {
    let reply = world.tool(tool, arguments);
    assert!(reply.is_ok(), "{}", reply.body());
}

#[test]
fn what_locates_lines() {
    const PATCH: &str = "@@\n-2.5\n+x\n";
    let read =
        |start: usize, end: usize| json!({"lease_id": "lease-1-0", "start_line": start, "end_line": end});
    for (tool, arguments, expected) in [
        ("canvas_read_all", json!({"lease_id": "lease-1-0"}), "OK"),
        ("canvas_read_lines", read(26, 26), "OK"),
        // Lines around the change are what a hunk quotes.
        ("canvas_read_lines", read(23, 23), "OK"),
        ("canvas_read_lines", read(29, 29), "OK"),
        ("canvas_read_lines", read(1, 22), NOT_LOCATED),
        ("canvas_read_lines", read(30, 30), NOT_LOCATED),
        ("canvas_grep", json!({"lease_id": "lease-1-0", "query": "2.5"}), "OK"),
        ("canvas_grep", json!({"lease_id": "lease-1-0", "query": "nowhere"}), NOT_LOCATED),
        ("canvas_grep", json!({"lease_id": "lease-1-0", "query": "3.5"}), NOT_LOCATED),
        ("canvas_outline", json!({"lease_id": "lease-1-0"}), "OK"),
        ("canvas_outline", json!({"after_line": 20}), "OK"),
        ("canvas_outline", json!({"after_line": 21}), NOT_LOCATED),
        ("canvas_read_section", json!({"path": ["S2"]}), "OK"),
        ("canvas_read_section", json!({"path": ["S1"]}), NOT_LOCATED),
    ] {
        let world = world(&sections(4));
        let lease = world.check_out();
        assert_eq!(patch(&world, &lease, PATCH), NOT_LOCATED);
        look(&world, tool, arguments.clone());
        assert_eq!(patch(&world, &lease, PATCH), expected, "{tool} {arguments}");
    }
}

#[test]
fn the_refusal_says_which_lines() {
    let world = world(&sections(4));
    let lease = world.check_out();
    look(&world, "canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 5}));
    let before = world.text();
    let refused = world.patch(&lease, "@@\n-0.1\n+x\n@@\n-3.9\n+y\n");
    let error = &refused.body()["error"];
    assert_eq!(failure(&refused), NOT_LOCATED);
    assert_eq!((&error["line"], &error["retryable"]), (&json!(37), &json!(false)));
    assert_eq!(world.text(), before);
    // An empty canvas has nothing to look at.
    let world = self::world("");
    let lease = world.check_out();
    assert_eq!(patch(&world, &lease, "@@\n+x\n"), "OK");
    // Who is not asked to look is not judged.
    let world = World::new(&sections(4));
    let lease = world.check_out();
    assert_eq!(patch(&world, &lease, "@@\n-2.5\n+x\n"), "OK");
}

/// Lines that were located before the user's message were located for another task.
#[test]
fn a_turn_begins_without_located_lines() {
    let mut world = world(&sections(4));
    let lease = world.check_out();
    look(&world, "canvas_read_all", json!({"lease_id": lease}));
    assert_eq!(patch(&world, &lease, "@@\n-2.5\n+x\n"), "OK");
    world.end_turn();
    world.message();
    let lease = world.check_out();
    assert_eq!(patch(&world, &lease, "@@\n-2.6\n+x\n"), NOT_LOCATED);
    look(&world, "canvas_grep", json!({"lease_id": lease, "query": "2.6"}));
    assert_eq!(patch(&world, &lease, "@@\n-2.6\n+x\n"), "OK");
}

/// More patches in one turn than texts are kept.
#[test]
fn a_search_is_enough_for_many_patches() {
    let text = sections(60);
    let world = world(&text);
    let lease = world.check_out();
    look(&world, "canvas_grep", json!({"lease_id": lease, "query": ".5"}));
    for i in (0..60).rev() {
        let patched = patch(&world, &lease, &format!("@@\n-{i}.5\n+{i}.x\n+{i}.y\n"));
        assert_eq!(patched, "OK", "{i}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Lines move with the changes of the turn: which are located is told by an own list of the lines by name.
    #[test]
    fn located_lines_move_with_the_text(
        read in (0_usize..6).prop_flat_map(|from| (Just(from), from..8)),
        edits in prop::collection::vec((0_usize..80, 0_usize..3), 1..12),
    ) {
        let world = world(&sections(8));
        let lease = world.check_out();
        let (start, end) = (10 * read.0 + 1, 10 * read.1 + 1);
        look(&world, "canvas_read_lines", json!({"lease_id": lease, "start_line": start, "end_line": end}));
        let mut lines: Vec<(String, bool)> =
            world.text().lines().enumerate().map(|(i, line)| (line.to_owned(), (start..=end).contains(&(i + 1)))).collect();
        for (step, (at, kind)) in edits.into_iter().enumerate() {
            let at = at % lines.len();
            let (old, new) = (lines[at].0.clone(), format!("new {step}"));
            let hunk = match kind {
                0 => format!("@@\n-{old}\n+{new}\n"),
                1 => format!("@@\n {old}\n+{new}\n"),
                _ => format!("@@\n-{old}\n"),
            };
            let place = if kind == 1 { at + 1..at + 1 } else { at..at + 1 };
            let around = place.start.saturating_sub(3)..(place.end + 3).min(lines.len());
            let expected = lines[around.clone()].iter().any(|(_, located)| *located);
            let reply = world.patch(&lease, &hunk);
            prop_assert!(failure(&reply) == if expected { "OK" } else { NOT_LOCATED }, "{hunk} {}", reply.body());
            if expected {
                match kind {
                    2 => drop(lines.remove(at)),
                    0 => lines[at] = (new, true),
                    _ => lines.insert(at + 1, (new, true)),
                }
                // The reply shows the changed lines with one around.
                let new = if kind == 1 { at + 1 } else { at };
                let shown = new.saturating_sub(1)..(new + 2 - usize::from(kind == 2)).min(lines.len());
                lines[shown].iter_mut().for_each(|(_, located)| *located = true);
            } else {
                prop_assert_eq!(&reply.body()["error"]["line"], &json!(around.start + 1));
            }
        }
    }
}
