//! The table: what is done to provoke a refusal, its label, and where its message leads.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::policy_with;
use canvas_core::document::{ProtectedPlaces, SetProtected};
use canvas_core::rollout::Rollout;
use canvas_core::store::{Commit, Committed, Head, Store as _};
use canvas_core::testing::block_on;
use canvas_core::text::{Address, Limits, Part};
use canvas_core::turn::{Cancel, TakeControl};
use canvas_core::{BlobId, CallId, CollectOptions, Policy, Revision, RevisionId};
use serde_json::{Value, json};

use super::super::world::World;
use super::{Scene, Then, check};

const TEXT: &str = "a\nb\nc\nd\ne\nf\n";

pub(super) fn check_all() -> BTreeSet<String> {
    let mut provoked = BTreeSet::new();
    let rows = leases().into_iter().chain(bases()).chain(patches()).chain(lines()).chain(calls());
    let rows = rows.chain(closed()).chain(arguments()).chain(sections()).chain(bounds()).chain(structure());
    for (label, scene, then) in rows {
        assert_eq!(check(scene, then), label);
        provoked.insert(label.to_owned());
    }
    provoked
}

type Row = (&'static str, Scene, Then);

/// A canvas of six lines that a model has checked out and read, what happens to it then, and the call that is refused.
fn scene(policy: Policy, happens: impl FnOnce(&mut World), tool: &str, arguments: &Value) -> Scene {
    let mut world = World::with(TEXT, policy);
    world.toolset = canvas_tools::DocumentTools::ALL;
    let mut lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    happens(&mut world);
    // Whoever has to write for the refusal has checked out again, where that is possible.
    if tool != "canvas_check_out" && arguments["lease_id"] == "AGAIN" {
        lease = world.check_out();
    }
    let text = arguments.to_string().replace("LEASE", &lease).replace("AGAIN", &lease);
    let reply = world.tool(tool, serde_json::from_str(&text).unwrap());
    Scene { world, lease, reply }
}

fn of(happens: impl FnOnce(&mut World), tool: &str, arguments: &Value) -> Scene {
    scene(Policy::default(), happens, tool, arguments)
}

/// What the host has not opened to models.
fn closed() -> Vec<Row> {
    let closed = |policy: Policy, tool: &str, arguments: &Value| {
        let world = World::with(TEXT, policy);
        let reply = world.tool(tool, arguments.clone());
        Scene { world, lease: String::new(), reply }
    };
    let at = |rollout| Policy { rollout, ..Policy::default() };
    let (all, none) = ("canvas_read_all", json!({}));
    let patch = json!({"patch": "@@\n-b\n+x\n"});
    vec![
        ("TOOL_DISABLED", closed(at(Rollout::Off), all, &none), Then::Stop(all, none.clone())),
        (
            "TOOL_DISABLED",
            closed(at(Rollout::ReadOnly), "canvas_apply_patch", &patch),
            Then::Stop("canvas_apply_patch", patch.clone()),
        ),
        (
            "TOOL_DISABLED",
            closed(at(Rollout::Write), "canvas_check_out", &none),
            Then::Correct(all, none.clone()),
        ),
        (
            "GIT_MODE_UNSUPPORTED",
            closed(Policy { git_mode: true, ..Policy::default() }, all, &none),
            Then::Stop(all, none.clone()),
        ),
    ]
}

fn lease() -> Value {
    json!({"lease_id": "LEASE"})
}

fn patch(patch: &str) -> Value {
    json!({"lease_id": "LEASE", "patch": patch})
}

fn check_in(world: &World) {
    assert!(world.under("lease-1-0", "canvas_check_in").is_ok());
}

fn leases() -> Vec<Row> {
    const OUT: Then = Then::Tools(&["canvas_check_out"]);
    let read = |happens: fn(&mut World)| of(happens, "canvas_read_all", &lease());
    let no_check_out = || Then::Stop("canvas_check_out", json!({}));
    let used_up = |pointer: &'static str, tool: &str, arguments: &Value| {
        let happens = move |world: &mut World| {
            if tool == "canvas_check_out" {
                check_in(world);
            }
            alter(world, pointer, json!((1_u64 << 53) - 1));
        };
        of(happens, tool, arguments)
    };
    let edit = patch("@@\n-a\n+x\n");
    let out = json!({});
    vec![
        (
            "LOCK_NOT_AVAILABLE/HELD",
            of(|_| {}, "canvas_check_out", &json!({})),
            Then::Correct("canvas_read_all", lease()),
        ),
        (
            "LOCK_NOT_AVAILABLE/HELD",
            of(
                |world| {
                    check_in(world);
                    let other = world.join("other");
                    assert!(world.run(&other, "other", "canvas_check_out", json!({})).is_ok());
                },
                "canvas_check_out",
                &json!({}),
            ),
            Then::Tools(&["canvas_check_out"]),
        ),
        (
            "LOCK_NOT_AVAILABLE/USER_ACTIVE",
            of(
                |world| {
                    world.user(Cancel);
                },
                "canvas_check_out",
                &json!({}),
            ),
            no_check_out(),
        ),
        ("EPOCH_EXHAUSTED", used_up("/lease/epoch", "canvas_check_out", &out), no_check_out()),
        ("FENCE_EXHAUSTED", used_up("/lease/fence", "canvas_check_out", &out), no_check_out()),
        (
            "REVISION_EXHAUSTED",
            used_up("/revision", "canvas_apply_patch", &edit),
            Then::Stop("canvas_apply_patch", edit.clone()),
        ),
        ("STALE_EPOCH", read(|world| world.edit("a\nz\n")), OUT),
        ("STALE_EPOCH", read(|world| drop(world.message())), OUT),
        (
            "STALE_EPOCH",
            read(|world| {
                world.user(Cancel);
            }),
            no_check_out(),
        ),
        (
            "STALE_EPOCH",
            read(|world| {
                world.user(TakeControl);
            }),
            no_check_out(),
        ),
        ("LEASE_EXPIRED", read(|world| world.wait(15_000)), OUT),
        ("LOCK_NOT_OWNED", read(|world| check_in(world)), Then::Tools(&["canvas_check_out"])),
        // Its own lease is still valid: it is to be named, or waited for.
        (
            "LOCK_NOT_OWNED",
            of(|_| {}, "canvas_read_all", &json!({"lease_id": "what?"})),
            Then::Correct("canvas_read_all", lease()),
        ),
        (
            "LOCK_NOT_OWNED",
            of(|_| {}, "canvas_read_all", &json!({"lease_id": "lease-9-0"})),
            Then::Correct("canvas_read_all", lease()),
        ),
        (
            "LOCK_NOT_OWNED",
            of(
                |world| {
                    world.user(Cancel);
                },
                "canvas_read_all",
                &json!({"lease_id": "none"}),
            ),
            no_check_out(),
        ),
    ]
}

/// Puts a head in the store behind the engine's back.
fn alter(world: &World, pointer: &str, value: Value) {
    let store = world.engine.store();
    let canvas = &world.session.canvas;
    let loaded = block_on(store.load(canvas)).unwrap().unwrap();
    let mut json: Value = serde_json::from_slice(&loaded.head.to_json()).unwrap();
    *json.pointer_mut(pointer).unwrap() = value;
    let head = Arc::new(Head::from_json(canvas, json.to_string().as_bytes()).unwrap());
    let commit = Commit { expected: Some(loaded.version), head, blobs: Vec::new(), not_after: None };
    assert!(matches!(block_on(store.commit(commit)), Ok(Committed::Done { .. })));
    world.engine.forget(canvas);
}

/// A patch that fits, and reaches further than it may.
fn bounds() -> Vec<Row> {
    const SECTIONS: &str = "# A\n\na\n\n---\n\n# B\n\nb\n";
    let of = |arguments: &Value| {
        let world = World::with(SECTIONS, policy_with(|policy| policy.writes.refuse_side_effects = true));
        let lease = world.check_out();
        let arguments = arguments.to_string().replace("LEASE", &lease);
        let reply = world.tool("canvas_apply_patch", serde_json::from_str(&arguments).unwrap());
        Scene { world, lease, reply }
    };
    let patch = |patch: &str| json!({"lease_id": "LEASE", "patch": patch});
    let scoped =
        |scope: &str| json!({"lease_id": "LEASE", "patch": "@@\n-a\n+x\n", "scope": {"path": [scope]}});
    let correct = |arguments| Then::Correct("canvas_apply_patch", arguments);
    vec![
        ("ADDRESS_NOT_FOUND", of(&scoped("C")), correct(scoped("A"))),
        ("PATCH_REJECTED/OUT_OF_SCOPE", of(&scoped("B")), correct(scoped("A"))),
        (
            "PATCH_REJECTED/UNCLOSED_FENCE",
            of(&patch("@@\n a\n+```\n")),
            correct(patch("@@\n a\n+```\n+```\n")),
        ),
        (
            "PATCH_REJECTED/ACCIDENTAL_HEADING",
            of(&patch("@@\n a\n+---\n")),
            correct(patch("@@\n a\n+\n+---\n")),
        ),
        (
            "PATCH_REJECTED/STRUCTURE_SPILLED",
            of(&patch("@@\n a\n+<!--\n")),
            correct(patch("@@\n a\n+<!-- -->\n")),
        ),
        (
            "PATCH_REJECTED/FRONT_MATTER_CHANGED",
            of(&patch("@@\n+---\n # A\n")),
            correct(patch("@@\n-a\n+x\n")),
        ),
    ]
}

fn bases() -> Vec<Row> {
    const LABEL: &str = "PATCH_REJECTED/STALE_BASE";
    const READ: Then = Then::Tools(&["canvas_read_lines"]);
    let again = |patch: &str| json!({"lease_id": "AGAIN", "patch": patch});
    let edit = |world: &mut World| world.edit("a\nb\nc\nd\ne\nuser\n");
    let blind = || policy_with(|policy| policy.sync.refusal_diff_bytes = 0);
    let first = RevisionId::new(Revision::new(1).unwrap(), BlobId::of(TEXT.as_bytes()));
    let named = json!({"lease_id": "AGAIN", "patch": "@@\n-a\n+x\n", "base_revision_id": first});
    let lines = json!({"lease_id": "AGAIN", "start_line": 1, "end_line": 1, "expect_hash": "0123456789ab", "text": "x"});
    let first_line =
        json!({"lease_id": "AGAIN", "start_line": 1, "end_line": 1, "expect_hash": hash("a\n"), "text": "x"});
    let tool = "canvas_apply_patch";
    let on_base = |patch: &str| {
        Then::Correct(tool, json!({"lease_id": "LEASE", "patch": patch, "base_revision_id": "BASE"}))
    };
    vec![
        (LABEL, of(edit, tool, &again("@@\n-a\n+x\n")), on_base("@@\n-a\n+x\n")),
        // Beside them they are.
        (LABEL, of(edit, tool, &again("@@\n-e\n+x\n")), on_base("@@\n-e\n+x\n")),
        // The lines are no more what they were.
        (
            LABEL,
            of(edit, tool, &again("@@\n-f\n+x\n")),
            Then::Correct(tool, json!({"lease_id": "LEASE", "patch": "@@\n-user\n+x\n"})),
        ),
        // What changed is too large to be shown.
        (LABEL, scene(blind(), edit, tool, &again("@@\n-e\n+x\n")), READ),
        // It has forgotten all.
        (LABEL, of(forget, tool, &again("@@\n-f\n+x\n")), on_base("@@\n-f\n+x\n")),
        (LABEL, of(edit, tool, &named), on_base("@@\n-a\n+x\n")),
        // Its line stands twice now.
        (
            LABEL,
            of(|world| world.edit("a\nb\nc\nd\ne\nf\na\n"), tool, &named),
            Then::Tools(&["canvas_apply_patch"]),
        ),
        (
            LABEL,
            of(edit, "canvas_replace_lines", &first_line),
            Then::Correct(
                "canvas_replace_lines",
                json!({
                    "lease_id": "LEASE", "start_line": 1, "end_line": 1, "expect_hash": hash("a\n"), "text": "x",
                    "base_revision_id": "BASE",
                }),
            ),
        ),
        (LABEL, of(edit, "canvas_replace_lines", &lines), READ),
    ]
}

fn hash(lines: &str) -> String {
    canvas_core::document::RangeHash::of(lines).to_string()
}

fn forget(world: &mut World) {
    check_in(world);
    let id = CallId::new("forget").unwrap();
    block_on(world.session.forget(&world.engine, id, world.now())).unwrap();
}

fn patches() -> Vec<Row> {
    let small = || policy_with(|policy| policy.document.patch = Limits { hunks: 1, ..Limits::default() });
    let two = "@@\n-a\n+x\n@@\n-f\n+y\n";
    let of = |text: &str| of(|_| {}, "canvas_apply_patch", &patch(text));
    let twice = |text: &str| {
        let first = |world: &mut World| drop(world.patch("lease-1-0", "@@\n-b\n+B\n"));
        scene(Policy::default(), first, "canvas_apply_patch", &patch(text))
    };
    let correct = |text: &str| Then::Correct("canvas_apply_patch", patch(text));
    vec![
        ("PATCH_REJECTED/NO_HUNKS", of("-a\n+x\n"), correct("@@\n-a\n+x\n")),
        ("PATCH_REJECTED/BAD_LINE", of("@@\n-a\n+x\nb\n+y\n"), correct("@@\n-a\n+x\n b\n+y\n")),
        ("PATCH_REJECTED/UNEXPECTED_TEXT", of("Here:\n@@\n-a\n+x\n"), correct("@@\n-a\n+x\n")),
        (
            "PATCH_REJECTED/MULTI_FILE",
            of("@@\n-a\n+x\n--- a/g\n+++ b/g\n@@\n-b\n+y\n"),
            correct("@@\n-a\n+x\n"),
        ),
        ("PATCH_REJECTED/ESCAPED_NEWLINES", of("@@\\n-a\\n+x\\n"), correct("@@\n-a\n+x\n")),
        ("RESEND_LOST", resent(), correct("@@\n-a\n+x\n")),
        ("PATCH_REJECTED/TRUNCATED", of("@@\n-a\n+x\n@@\n"), correct("@@\n-a\n+x\n@@\n-f\n+y\n")),
        ("PATCH_REJECTED/ESCAPED_NEWLINES", of(r"@@\n-a\n+x\n"), correct("@@\n-a\n+x\n")),
        ("PATCH_REJECTED/MISORDERED", of("@@\n-f\n+y\n@@\n-a\n+x\n"), Then::Tools(&["canvas_apply_patch"])),
        ("PATCH_REJECTED/OVERLAP", of("@@\n a\n-b\n@@\n-b\n c\n"), correct("@@\n a\n-b\n c\n")),
        ("PATCH_REJECTED/NOT_FOUND", of("@@\n-nowhere\n+x\n"), Then::Tools(&["canvas_grep"])),
        // One of two conflicts is enough.
        ("PATCH_REJECTED/NO_ANCHOR", of("@@\n+x\n@@\n-nowhere\n+x\n"), Then::Tools(&["canvas_grep"])),
        // What is there already needs no patch.
        ("PATCH_REJECTED/NOT_FOUND", twice("@@\n a\n-b\n+B\n c\n"), correct("@@\n a\n-B\n+C\n c\n")),
        ("PATCH_REJECTED/AMBIGUOUS", ambiguous(), correct("@@\n b\n-x\n")),
        ("PATCH_REJECTED/OUTDATED", outdated(), correct("@@\n b\n-y\n")),
        ("PATCH_REJECTED/NOT_LOCATED", not_located(), Then::Tools(&["canvas_read_lines"])),
        ("PATCH_REJECTED/NO_ANCHOR", of("@@\n+x\n"), correct("@@\n f\n+x\n")),
        ("PATCH_REJECTED/NO_EFFECT", of("@@\n-a\n+a\n"), correct("@@\n-a\n+x\n")),
        (
            "PATCH_REJECTED/TOO_LARGE",
            scene(small(), |_| {}, "canvas_apply_patch", &patch(two)),
            correct("@@\n-a\n+x\n"),
        ),
    ]
}

fn resent() -> Scene {
    let arguments = json!({
        "lease_id": "LEASE", "patch": "@@\n-a\n+x\n", "resend": {"of": "patch-00000000", "hunks": [1]},
    });
    of(|_| {}, "canvas_apply_patch", &arguments)
}

fn not_located() -> Scene {
    let world = World::with(TEXT, policy_with(|policy| policy.writes.require_located = true));
    let lease = world.check_out();
    let reply = world.patch(&lease, "@@\n-a\n+x\n");
    Scene { world, lease, reply }
}

fn ambiguous() -> Scene {
    let doubled = |world: &mut World| {
        world.edit("x\na\nb\nx\n");
        let lease = world.check_out();
        assert!(world.under(&lease, "canvas_read_all").is_ok());
        assert!(world.under(&lease, "canvas_check_in").is_ok());
    };
    of(doubled, "canvas_apply_patch", &json!({"lease_id": "AGAIN", "patch": "@@\n-x\n"}))
}

fn outdated() -> Scene {
    let changed = |world: &mut World| {
        world.edit("x\na\nb\nx\n");
        let lease = world.check_out();
        assert!(world.under(&lease, "canvas_read_all").is_ok());
        world.edit("x\na\nb\ny\n");
        let lease = world.check_out();
        assert!(
            world
                .tool("canvas_read_lines", json!({"lease_id": lease, "start_line": 2, "end_line": 3}))
                .is_ok()
        );
        assert!(world.under(&lease, "canvas_check_in").is_ok());
    };
    of(changed, "canvas_apply_patch", &json!({"lease_id": "AGAIN", "patch": "@@ -4 +3,0 @@\n-x\n"}))
}

fn lines() -> Vec<Row> {
    let replace = |range: (u64, u64), hash: &str, text: &str| {
        let (start, end) = range;
        json!({"lease_id": "LEASE", "start_line": start, "end_line": end, "expect_hash": hash, "text": text})
    };
    let hash = hash("a\n");
    let below = |world: &mut World| world.edit("new\na\nb\nc\nd\ne\nf\n");
    let mut moved = replace((1, 1), &hash, "x\n");
    moved["lease_id"] = json!("AGAIN");
    let moved = of(below, "canvas_replace_lines", &moved);
    let there = Then::Correct(
        "canvas_replace_lines",
        json!({
            "lease_id": "LEASE", "start_line": 2, "end_line": 2, "expect_hash": "HASH", "text": "x\n",
            "base_revision_id": "BASE",
        }),
    );
    let of = |arguments: &Value| of(|_| {}, "canvas_replace_lines", arguments);
    let mut twice = replace((1, 1), &hash, "x\n");
    twice["more_ranges"] = json!([{"start_line": 1, "end_line": 1, "expect_hash": hash, "text": "y"}]);
    let wrong = replace((1, 2), "0123456789ab", "x\n");
    let blind = policy_with(|policy| policy.sync.refusal_diff_bytes = 2);
    let correct = |range, hash: &str| Then::Correct("canvas_replace_lines", replace(range, hash, "x\n"));
    vec![
        ("PATCH_REJECTED/CONTENT_CHANGED", of(&wrong), correct((1, 2), "HASH")),
        ("PATCH_REJECTED/CONTENT_CHANGED", moved, there),
        ("PATCH_REJECTED/OVERLAP", of(&twice), correct((1, 1), &hash)),
        (
            "PATCH_REJECTED/CONTENT_CHANGED",
            scene(blind, |_| {}, "canvas_replace_lines", &wrong),
            Then::Tools(&["canvas_read_lines"]),
        ),
        ("INVALID_RANGE", of(&replace((7, 9), &hash, "x\n")), Then::Tools(&["canvas_read_lines"])),
        ("PATCH_REJECTED/NO_EFFECT", of(&replace((1, 1), &hash, "a\n")), correct((1, 1), &hash)),
        ("INVALID_ARGUMENTS", of(&replace((1, 1), "a", "x\n")), correct((1, 1), &hash)),
        ("INVALID_ARGUMENTS", of(&replace((3, 1), &hash, "x\n")), correct((1, 1), &hash)),
        ("INVALID_ARGUMENTS", of(&replace((0, 0), &hash, "x\n")), correct((1, 0), &hash)),
    ]
}

fn calls() -> Vec<Row> {
    let good = patch("@@\n-a\n+x\n");
    let named = |happens: fn(&World)| {
        let world = World::new(TEXT);
        let lease = world.check_out();
        assert!(world.under(&lease, "canvas_read_all").is_ok());
        happens(&world);
        let arguments = json!({"lease_id": lease, "patch": "@@\n-a\n+x\n"});
        let reply = world.run(&world.session, "used", "canvas_apply_patch", arguments);
        Scene { world, lease, reply }
    };
    let reused = |world: &World| {
        drop(world.run(&world.session, "used", "canvas_renew_lease", json!({"lease_id": "lease-1-0"})))
    };
    let abandoned = |world: &World| {
        let operation = world.session.operation(CallId::new("used").unwrap());
        block_on(world.engine.resolve(&world.session.canvas, &operation, world.now())).unwrap();
    };
    let one = policy_with(|policy| policy.receipts.calls_per_lease = 2);
    let first = |world: &mut World| drop(world.patch("lease-1-0", "@@\n-b\n+y\n"));
    let short = policy_with(|policy| policy.document.bytes = 14);
    let again = || Then::Correct("canvas_apply_patch", good.clone());
    vec![
        ("CALL_ID_REUSED", named(reused), again()),
        ("CALL_ABANDONED", named(abandoned), again()),
        (
            "TOO_MANY_CALLS",
            scene(one, first, "canvas_apply_patch", &good),
            Then::Tools(&["canvas_check_in", "canvas_check_out"]),
        ),
        (
            "DOCUMENT_TOO_LARGE",
            scene(short, |_| {}, "canvas_apply_patch", &patch("@@\n a\n+much\n")),
            again(),
        ),
        ("UNKNOWN_TOOL", of(|_| {}, "undo", &lease()), Then::Correct("canvas_read_all", lease())),
    ]
}

fn arguments() -> Vec<Row> {
    let grep = |query: &str, regex: bool| json!({"lease_id": "LEASE", "query": query, "regex": regex});
    let read = |start: u64, end: u64| json!({"lease_id": "LEASE", "start_line": start, "end_line": end});
    let based = |base: &str| json!({"lease_id": "LEASE", "patch": "@@\n-a\n+x\n", "base_revision_id": base});
    let long = "a".repeat(5_000);
    let mut rows: Vec<Row> = Vec::new();
    for (label, tool, wrong, right) in [
        ("INVALID_ARGUMENTS", "canvas_read_lines", json!({"lease_id": "LEASE"}), read(1, 2)),
        ("INVALID_ARGUMENTS", "canvas_read_lines", read(0, 2), read(1, 2)),
        ("INVALID_ARGUMENTS", "canvas_read_lines", read(3, 2), read(2, 3)),
        ("INVALID_ARGUMENTS", "canvas_read_lines", json!([1]), read(1, 2)),
        ("INVALID_ARGUMENTS", "canvas_check_in", json!({"lease": "LEASE"}), lease()),
        ("INVALID_ARGUMENTS", "canvas_apply_patch", based("latest"), patch("@@\n-a\n+x\n")),
        ("INVALID_ARGUMENTS", "canvas_outline", json!({"max_level": 7}), json!({"max_level": 6})),
        ("INVALID_ARGUMENTS/INVALID_QUERY", "canvas_grep", grep("", false), grep("a", false)),
        ("INVALID_ARGUMENTS/INVALID_QUERY", "canvas_grep", grep("a\nb", false), grep("a", false)),
        ("INVALID_ARGUMENTS/INVALID_REGEX", "canvas_grep", grep("(", true), grep("(", false)),
        ("INVALID_ARGUMENTS/QUERY_TOO_LARGE", "canvas_grep", grep(&long, false), grep("a", false)),
        ("INVALID_ARGUMENTS/QUERY_TOO_LARGE", "canvas_grep", grep("a{9}{9999}{9}", true), grep("a", true)),
        ("INVALID_RANGE", "canvas_read_lines", read(7, 9), read(6, 9)),
        ("INVALID_ARGUMENTS", "canvas_history", json!({"limit": 51}), json!({"limit": 50})),
    ] {
        rows.push((label, of(|_| {}, tool, &wrong), Then::Correct(tool, right)));
    }
    let past = |revision: &str| json!({"start_line": 1, "end_line": 2, "revision_id": revision});
    let collected = |world: &mut World| {
        ["x\n", "y\n"].iter().for_each(|text| world.edit(text));
        let kept = CollectOptions { history: Some(1), ..CollectOptions::default() };
        block_on(world.engine.collect(&world.session.canvas, kept)).unwrap();
    };
    for (label, happens, revision) in [
        ("REVISION_NOT_FOUND", (|_| {}) as fn(&mut World), "r9-00000000"),
        ("REVISION_NOT_KEPT", collected, "r1-00000000"),
    ] {
        let scene = of(happens, "canvas_read_lines", &past(revision));
        rows.push((label, scene, Then::Correct("canvas_read_lines", past("BASE"))));
    }
    rows
}

/// Sections: what is to be changed is in the message, or among the candidates.
fn sections() -> Vec<Row> {
    let sectioned = |world: &mut World| world.edit("pre\n# A\n- i\n## B\n## B\n");
    let mut rows: Vec<Row> = Vec::new();
    for (label, wrong, right) in [
        ("ADDRESS_NOT_FOUND", json!({"path": ["C"]}), json!({"path": ["A"]})),
        ("ADDRESS_NOT_FOUND", json!({"path": ["A"], "ordinal": 2}), json!({"path": ["A"], "ordinal": 1})),
        ("ADDRESS_NOT_FOUND", json!({"path": ["A"], "item": 2}), json!({"path": ["A"], "item": 1})),
        ("ADDRESS_NOT_FOUND", json!({"path": ["A"], "fence": 1}), json!({"path": ["A"]})),
        ("ADDRESS_AMBIGUOUS", json!({"path": ["A", "B"]}), json!({"path": ["A", "B"], "ordinal": 2})),
        (
            "INVALID_ARGUMENTS",
            json!({"path": ["A"], "item": 1, "fence": 1}),
            json!({"path": ["A"], "item": 1}),
        ),
    ] {
        let tool = "canvas_read_section";
        rows.push((label, of(sectioned, tool, &wrong), Then::Correct(tool, right)));
    }
    rows
}

/// Protects the paragraph, which is the whole text.
fn protect(world: &mut World) {
    let places = ProtectedPlaces::new(vec![Address::Part(Part::Paragraph(1))]).unwrap();
    world.user(SetProtected { places });
}

const STRUCTURED: &str = "---\nk: v\nlist: &a [1]\n---\n\n# A\n\n- [ ] i\n- j\n\n| x | y |\n| - | - |\n| 1 | 2 |\n\
                          | 3 | 4 | 5 |\n\n###### Deep\n\nend\n";

/// Edits of the structure of a text that the model has read, and searched for `z`.
fn structure() -> Vec<Row> {
    let on = |text: &str, tool: &str, arguments: Value| {
        let mut world = World::new(text);
        world.toolset = canvas_tools::DocumentTools::ALL;
        let lease = world.check_out();
        assert!(world.under(&lease, "canvas_read_all").is_ok());
        assert!(world.tool("canvas_grep", json!({"lease_id": lease, "query": "end"})).is_ok());
        let revision = world.revision();
        let text = arguments.to_string().replace("LEASE", &lease).replace("REVISION", &revision);
        let reply = world.tool(tool, serde_json::from_str(&text).unwrap());
        Scene { world, lease, reply }
    };
    let call = |fields: Value| {
        let mut fields = fields;
        fields["lease_id"] = json!("LEASE");
        fields
    };
    let table = |name: &str, change: Value| call(json!({"table": 1, name: change}));
    let set = table("set", json!({"row": 1, "column": "x", "value": "9"}));
    let key = |key: &str, value: Value| call(json!({"key": key, "value": value}));
    let deep = |shift: i8| call(json!({"from": {"section": ["Deep"]}, "shift": shift}));
    let lines = |from: [usize; 2], after: [usize; 2]| {
        call(json!({"from": {"lines": from}, "after": {"lines": after}}))
    };
    let into =
        |from: &str, into: &str| call(json!({"from": {"section": [from]}, "into": {"section": [into]}}));
    let rename = |title: &str| call(json!({"section": ["A"], "title": title}));
    let all = |find: &str, count: usize| {
        call(json!({"find": find, "with": "END", "revision_id": "REVISION", "count": count}))
    };
    let costly = call(json!({"from": {"grep": "a{250}", "regex": true}, "before": {"lines": [1, 1]}}));
    let (large, grep) = ("x\n".repeat(500_000), call(json!({"query": "END"})));
    let mut rows: Vec<Row> = vec![(
        "PATCH_REJECTED/PROTECTED",
        of(protect, "canvas_apply_patch", &patch("@@\n-b\n+x\n")),
        Then::Stop("canvas_apply_patch", patch("@@\n-b\n+y\n")),
    )];
    for (label, tool, wrong, right) in [
        (
            "TABLE_NOT_FOUND",
            "canvas_edit_table",
            call(json!({"table": 2, "remove_row": {"row": 1}})),
            set.clone(),
        ),
        ("ROW_NOT_FOUND", "canvas_edit_table", table("remove_row", json!({"row": 3})), set.clone()),
        ("COLUMN_NOT_FOUND", "canvas_edit_table", table("remove_column", json!({"column": "z"})), set),
        (
            "KEY_NOT_FOUND",
            "canvas_set_front_matter",
            call(json!({"key": "n", "remove": true})),
            key("k", json!(1)),
        ),
        ("LEVEL_OUT_OF_RANGE", "canvas_move", deep(1), deep(-1)),
        ("MOVE_INTO_ITSELF", "canvas_move", into("A", "Deep"), deep(-1)),
        ("VALUE_INVALID", "canvas_rename_heading", rename(""), rename("B")),
        ("NO_EFFECT", "canvas_rename_heading", rename("A"), rename("B")),
        (
            "INVALID_ARGUMENTS",
            "canvas_rename_heading",
            call(json!({"section": "A", "title": "B"})),
            rename("B"),
        ),
        ("INVALID_ARGUMENTS", "canvas_move", call(json!({"from": {"section": ["A"]}})), deep(-1)),
        (
            "INVALID_ARGUMENTS",
            "canvas_edit_list",
            call(json!({"check": true})),
            call(json!({"item": 1, "check": true})),
        ),
    ] {
        rows.push((label, on(STRUCTURED, tool, wrong), Then::Correct(tool, right)));
    }
    let shape = on(STRUCTURED, "canvas_edit_table", table("remove_column", json!({"column": 2})));
    let past = call(json!({"from": {"section": ["A"]}, "after": {"section": ["B"]}}));
    let anchored = on(STRUCTURED, "canvas_set_front_matter", key("list", json!(1)));
    let (fence, front) = ("# A\n\n# B\n\n```\nopen\n", "a\n\n---\nk: v\n---\n");
    let there = |tool, arguments| Then::Correct(tool, call(arguments));
    let again = || {
        there("canvas_replace_all", json!({"find": "end", "with": "END", "revision_id": "BASE", "count": 1}))
    };
    let read = || there("canvas_read_all", json!({}));
    rows.extend([
        ("TABLE_SHAPE", shape, Then::Tools(&["canvas_read_lines"])),
        ("FRONT_MATTER_UNSUPPORTED", anchored, Then::Tools(&["canvas_read_lines"])),
        ("STRUCTURE_SPILLED", on(fence, "canvas_move", past), read()),
        ("FRONT_MATTER_CHANGED", on(front, "canvas_move", lines([1, 2], [3, 5])), read()),
        ("QUERY_TOO_LARGE", on(&large, "canvas_move", costly), read()),
        ("COUNT_DIFFERS", on(STRUCTURED, "canvas_replace_all", all("end", 2)), again()),
        (
            "NOT_SEARCHED",
            on(STRUCTURED, "canvas_replace_all", all("END", 1)),
            Then::Correct("canvas_grep", grep),
        ),
    ]);
    rows
}
