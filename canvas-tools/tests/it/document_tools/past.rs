//! Earlier revisions as a model reads them, which leaves no trace, and the list of changes.

use canvas_core::document::HostEdit;
use canvas_core::history::ClearHistory;
use canvas_core::rollout::Rollout;
use canvas_core::testing::block_on;
use canvas_core::text::Delta;
use canvas_core::version::{NameVersion, VersionLabel};
use canvas_core::{CallId, CanvasId, CollectOptions, ConversationId, OpKey, PersonId, Policy};
use canvas_tools::{DocumentTools, ToolReply};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, failure};

const FIRST: &str = "# Plan\n\n- one\n- two\n";

/// A canvas with a text before the current one, and the revision id of that text.
fn edited() -> (World, String) {
    let world = World::extended(FIRST);
    let first = world.revision();
    world.edit("# Plan\n\n- 1\n");
    (world, first)
}

fn past(world: &World, revision: &str, ranges: &[[u64; 2]]) -> ToolReply {
    let ([start, end], more) = (ranges[0], &ranges[1..]);
    let lines = json!({"start_line": start, "end_line": end, "more_ranges": more, "revision_id": revision});
    world.tool("canvas_read_lines", lines)
}

#[test]
fn lines_of_the_past_are_numbered_and_clamped() {
    let (world, first) = edited();
    for (ranges, expected) in [
        (vec![[1, 1]], json!(["1: # Plan"])),
        (vec![[2, 99]], json!(["2: ", "3: - one", "4: - two"])),
        (vec![[3, 3], [1, 2]], json!(["3: - one", "1: # Plan", "2: "])),
    ] {
        let reply = past(&world, &first, &ranges);
        let body = reply.body();
        assert_eq!(body["past_lines"], expected, "{ranges:?}");
        assert_eq!((&body["past_revision_id"], &body["past_total_lines"]), (&json!(first), &json!(4)));
        // A model that takes this for the base of its patch is right.
        assert_eq!(body["revision_id"], json!(world.revision()));
        assert!(reply.shown_lines().is_empty() && body["text"].is_null() && body["range_hash"].is_null());
    }
    assert_eq!(past(&world, &world.revision(), &[[3, 3]]).body()["past_lines"], json!(["3: - 1"]));
    for (ranges, place) in [(vec![[5, 5]], "/start_line"), (vec![[1, 1], [5, 5]], "/more_ranges/0/0")] {
        assert_eq!(failure(&past(&world, &first, &ranges)), format!("INVALID_RANGE at {place:?}"));
    }
    let empty = World::extended("");
    assert_eq!(past(&empty, &empty.revision(), &[[1, 9]]).body()["past_lines"], json!([]));
}

/// A reply has at most 256 KiB, even of blank lines or of one line.
#[test]
fn long_texts_of_the_past_are_cut() {
    for text in ["\n".repeat(200_000), "x".repeat(300_000), format!("a\n{}", "y".repeat(300_000))] {
        let world = World::extended(&text);
        let reply = past(&world, &world.revision(), &[[1, u64::MAX]]);
        assert_eq!(reply.body()["truncated"], json!(true));
        assert!(!reply.body()["past_lines"].as_array().unwrap().is_empty());
        assert!(reply.body().to_string().len() < 300_000);
    }
}

#[test]
fn a_revision_that_is_not_there_is_refused() {
    let (world, first) = edited();
    let (number, digits) = first.split_once('-').unwrap();
    let other = CanvasId::new("other").unwrap();
    let key = |call: &str| OpKey::host(CallId::new(call).unwrap());
    block_on(world.engine.create(&other, "elsewhere\n", &key("other"), world.now())).unwrap();
    let elsewhere = block_on(world.engine.snapshot(&other, world.now())).unwrap().revision_id().to_string();
    const NOT_FOUND: &str = "REVISION_NOT_FOUND at \"/revision_id\"";
    const WRONG: &str = "INVALID_ARGUMENTS at \"/revision_id\"";
    for (revision, expected) in [
        (first.clone(), "OK"),
        ("r3-00000000".to_owned(), NOT_FOUND),
        (format!("r9007199254740991-{digits}"), NOT_FOUND),
        (format!("r0-{digits}"), NOT_FOUND),
        (format!("{number}-00000000"), NOT_FOUND),
        (elsewhere, NOT_FOUND),
        ("latest".to_owned(), WRONG),
        (number.to_owned(), WRONG),
        (first.to_uppercase(), WRONG),
    ] {
        assert_eq!(failure(&past(&world, &revision, &[[1, 1]])), expected, "{revision}");
    }

    for (revision, expected) in
        [(json!(1), WRONG), (json!({}), WRONG), (Value::Null, "INVALID_ARGUMENTS at \"\"")]
    {
        let arguments = json!({"start_line": 1, "end_line": 1, "revision_id": revision});
        assert_eq!(failure(&world.tool("canvas_read_lines", arguments)), expected, "{revision}");
    }

    world.edit("third\n");
    let last = world.revision();
    world.wait(3_600_000);
    let name = NameVersion { label: VersionLabel::new("sent").unwrap(), note: None, of: None };
    world.user(name);
    let named = world.revision();
    world.edit("fourth\n");
    world.edit("fifth\n");
    let kept = CollectOptions { history: Some(1), ..CollectOptions::default() };
    block_on(world.engine.collect(&world.session.canvas, kept)).unwrap();
    let refused = past(&world, &first, &[[1, 1]]);
    assert_eq!(failure(&refused), "REVISION_NOT_KEPT at \"/revision_id\"");
    // The refusal names the oldest one that is kept.
    let message = super::world::message(&refused);
    let oldest =
        message.split_whitespace().rfind(|word| word.starts_with('r') && word.contains('-')).unwrap();
    assert_eq!(past(&world, oldest, &[[1, 1]]).body()["past_lines"], json!(["1: fourth"]));
    // A version keeps its text.
    assert_eq!(named, last);
    assert_eq!(past(&world, &named, &[[1, 1]]).body()["past_lines"], json!(["1: third"]));

    world.delete();
    block_on(world.engine.create(&world.session.canvas, FIRST, &key("again"), world.now())).unwrap();
    assert_eq!(failure(&past(&world, &first, &[[1, 1]])), "REVISION_NOT_KEPT at \"/revision_id\"");
    assert_eq!(failure(&past(&world, &last, &[[1, 1]])), "REVISION_NOT_KEPT at \"/revision_id\"");
}

#[test]
fn the_base_set_reads_no_past() {
    let (mut world, first) = edited();
    world.toolset = DocumentTools { history: false, ..DocumentTools::ALL };
    assert_eq!(failure(&past(&world, &first, &[[1, 1]])), "INVALID_ARGUMENTS at \"/revision_id\"");
    let with = |toolset: DocumentTools| {
        let tools = toolset.list(&Policy::default());
        tools.into_iter().find(|tool| tool.name == "canvas_read_lines").unwrap().parameters
    };
    let (usual, mut all) = (with(DocumentTools::default()), with(DocumentTools::ALL));
    assert!(all["properties"].as_object_mut().unwrap().remove("revision_id").is_some());
    assert_eq!(all, usual);
}

/// What has changed between the texts that a conversation saw is told as before.
#[test]
fn the_past_is_no_base_of_a_patch() {
    let text = "# A\n- same\n# B\n- same\n";
    let world = World::extended(text);
    let first = world.revision();
    let lease = world.check_out();
    assert!(past(&world, &first, &[[1, 9]]).is_ok());
    // The lines were not shown as the current ones, although they are.
    let send = |patch: &str, base: Value| {
        let arguments = json!({"lease_id": lease, "patch": patch, "base_revision_id": base});
        failure(&world.tool("canvas_apply_patch", arguments))
    };
    assert_eq!(send("@@ -4,1 +4,1 @@\n-- same\n+- other\n", Value::Null), "PATCH_REJECTED/AMBIGUOUS");
    assert_eq!(send("@@\n # B\n-- same\n+- other\n", Value::Null), "OK");
    assert!(past(&world, &first, &[[1, 9]]).is_ok());
    assert_eq!(send("@@\n # B\n-- same\n+- more\n", json!(first)), "PATCH_REJECTED/STALE_BASE");
}

proptest! {
    /// Reads of the past change neither the head, with the lease and the texts that conversations saw, nor the session.
    #[test]
    fn reading_the_past_leaves_no_trace(
        calls in prop::collection::vec((0_usize..6, 0_usize..3, any::<bool>()), 1..8),
        stage in 0_usize..4,
    ) {
        let stages = [Rollout::ReadOnly, Rollout::Write, Rollout::LeaseOptional, Rollout::LeaseEnforced];
        let mut world = World::with(FIRST, Policy { rollout: stages[stage], ..Policy::default() });
        world.toolset = DocumentTools::ALL;
        let first = world.revision();
        world.edit("second\n");
        let leased = stages[stage].has_leases();
        let lease = if leased { world.check_out() } else { "lease-1-0".to_owned() };
        world.wait(5_000);
        let head = || block_on(world.engine.snapshot(&world.session.canvas, world.now())).unwrap().head;
        let (before, known) = (head(), world.memory());
        for (call, id, with_lease) in calls {
            let id = [first.as_str(), &world.revision(), "r1-00000000"][id].to_owned();
            let lines = |start: u64| json!({"start_line": start, "end_line": 9, "revision_id": id});
            let (name, mut arguments) = match call {
                0 => ("canvas_read_lines", lines(1)),
                1 => ("canvas_read_lines", lines(4)),
                2 => ("canvas_history", json!({})),
                3 => ("canvas_history", json!({"limit": 1, "versions": true})),
                4 => ("canvas_history", json!({"before": 1})),
                _ => ("canvas_history", json!({"before": 2, "versions": true})),
            };
            if with_lease {
                arguments["lease_id"] = json!(lease);
            }
            let reply = world.tool(name, arguments);
            prop_assert_eq!(reply.lease_change(), canvas_tools::LeaseChange::None);
            prop_assert!(reply.shown_lines().is_empty());
            prop_assert_eq!(&head(), &before);
            prop_assert_eq!(&world.memory(), &known);
        }
    }
}

#[test]
fn changes_are_listed_newest_first_and_in_pages() {
    let world = World::extended("0\n");
    let first = world.revision();
    let mut revisions = vec![first.clone()];
    for n in 1..=25 {
        world.wait(1_000);
        world.edit(&format!("{n}\n"));
        revisions.push(world.revision());
    }
    let (mut listed, mut before): (Vec<String>, _) = (Vec::new(), Value::Null);
    for (arguments, count) in [(json!({}), 20), (json!({"limit": 3}), 3), (json!({"limit": 50}), 2)] {
        let mut arguments = arguments;
        arguments["before"] = before;
        let reply = world.tool("canvas_history", arguments);
        let changes = reply.body()["changes"].as_array().unwrap();
        assert_eq!(changes.len(), count, "{}", reply.body());
        let ids = changes.iter().map(|change| change["revision_id"].as_str().unwrap().to_owned());
        let ages = changes.iter().map(|change| change["seconds_ago"].as_u64().unwrap());
        let at = u64::try_from(listed.len()).unwrap();
        assert!(ages.eq(at..at + u64::try_from(count).unwrap()));
        listed.extend(ids);
        before = reply.body()["next_before"].clone();
        let is_last = listed.len() == 25;
        assert_eq!(before.is_null(), is_last);
        assert_eq!(reply.body()["oldest_revision_id"], if is_last { json!(first) } else { Value::Null });
    }
    listed.push(first);
    listed.reverse();
    assert_eq!(listed, revisions);
    for (arguments, expected) in [
        (json!({"limit": 0}), "INVALID_ARGUMENTS at \"/limit\""),
        (json!({"limit": 51}), "INVALID_ARGUMENTS at \"/limit\""),
        (json!({"limit": 1.5}), "INVALID_ARGUMENTS at \"/limit\""),
        (json!({"before": -1}), "INVALID_ARGUMENTS at \"/before\""),
        (json!({"versions": "yes"}), "INVALID_ARGUMENTS at \"/versions\""),
        (json!({"lease_id": "lease-7-7"}), "OK"),
        (json!({"before": 0}), "OK"),
        (json!({"before": 9_007_199_254_740_991_u64}), "OK"),
    ] {
        assert_eq!(failure(&world.tool("canvas_history", arguments.clone())), expected, "{arguments}");
    }
}

/// A model sees neither the ids of people nor of other conversations, and no text of others ends a line.
#[test]
fn a_list_names_nobody_and_shows_text_of_others_on_one_line() {
    let world = World::extended("0\n");
    let canvas = &world.session.canvas;
    let chat = |name: &str| ConversationId::new(name).unwrap();
    let call = |n: usize| CallId::new(&format!("h{n}")).unwrap();
    let keys = [
        (OpKey::person(PersonId::new("anna@example").unwrap(), call(0)), "a person"),
        (OpKey::of(world.session.conversation.clone(), call(1)), "you"),
        (OpKey::of(chat("secret-chat"), call(2)), "another conversation"),
        (OpKey::host(call(3)), "the host"),
    ];
    let summary = format!("one\ntwo\u{2028}three {}", "x".repeat(400));
    for (n, (key, _)) in keys.iter().enumerate() {
        let snapshot = block_on(world.engine.snapshot(canvas, world.now())).unwrap();
        let delta = Delta::between(snapshot.text(), &format!("{}\n", n + 1));
        let edit =
            HostEdit { base: snapshot.revision_id().into(), delta, summary: summary.clone(), request: None };
        block_on(world.engine.call(canvas, key, edit, world.now())).unwrap().result.unwrap();
    }
    let reply = world.tool("canvas_history", json!({}));
    let changes = reply.body()["changes"].as_array().unwrap();
    let by: Vec<_> = changes.iter().rev().map(|change| change["by"].as_str().unwrap()).collect();
    assert_eq!(by, keys.each_ref().map(|(_, by)| *by));
    let shown = changes[0]["summary"].as_str().unwrap();
    assert!(shown.starts_with("one two three x") && shown.len() < 210, "{shown}");
    for hidden in ["anna", "secret-chat"] {
        assert!(!reply.body().to_string().contains(hidden), "{}", reply.body());
    }
}

#[test]
fn versions_are_listed_with_the_revisions_of_a_page() {
    let world = World::extended("0\n");
    let name = |label: &str| {
        world.wait(1_000);
        world.user(NameVersion { label: VersionLabel::new(label).unwrap(), note: None, of: None });
        world.revision()
    };
    let first = name("<first>");
    world.edit("1\n");
    let (second, line) = (name("second"), name("a\u{2028}b"));
    world.edit("2\n");
    let listed = |arguments: Value| world.tool("canvas_history", arguments).body()["versions"].clone();
    let version = |label: &str, id: &str| json!({"label": label, "revision_id": id});
    let [one, two, other] = [version("<first>", &first), version("second", &second), version("a b", &line)];
    for (arguments, expected) in [
        (json!({}), Value::Null),
        (json!({"versions": true}), json!([other, two, one])),
        (json!({"versions": true, "limit": 1}), json!([])),
        (json!({"versions": true, "before": 2}), json!([other, two, one])),
        (json!({"versions": true, "before": 1}), json!([one])),
    ] {
        assert_eq!(listed(arguments.clone()), expected, "{arguments}");
    }
    // The changes of the versions are gone, and the last page has them all.
    world.user(ClearHistory);
    world.edit("3\n");
    let page = world.tool("canvas_history", json!({"versions": true, "limit": 1})).body().clone();
    assert_eq!(page["versions"], json!([]));
    let rest = json!({"versions": true, "before": page["next_before"]});
    let rest = world.tool("canvas_history", rest).body().clone();
    assert_eq!((&rest["versions"], &rest["changes"]), (&json!([other, two, one]), &json!([])));
    assert_eq!(rest["next_before"], Value::Null);
    (0..60).for_each(|n| drop(name(&format!("v{n}"))));
    let reply = world.tool("canvas_history", json!({"versions": true, "limit": 1}));
    assert_eq!(reply.body()["versions"].as_array().unwrap().len(), 50);
    assert_eq!(reply.body()["more_versions"], json!(10));
    assert_eq!(reply.body()["versions"][0]["label"], json!("v59"));
}
