//! Whole lines replaced under their hash, as a model meets it.

use canvas_core::Policy;
use canvas_core::document::RangeHash;
use canvas_tools::{DocumentTools, ToolReply};
use serde_json::{Value, json};

use super::world::{World, failure, message};

/// Reads lines and replaces them with the hash that the reply gave.
#[track_caller]
fn replace(world: &World, lease: &str, (start, end): (u64, u64), text: &str) -> ToolReply {
    // An insertion takes the hash of the line beside it.
    let (from, to) = if end < start { (end.max(1), end.max(1)) } else { (start, end) };
    let lines = json!({"lease_id": lease, "start_line": from, "end_line": to});
    let read = world.tool("canvas_read_lines", lines);
    let hash = read.body()["range_hash"].clone();
    world.tool("canvas_replace_lines", arguments(lease, (start, end), hash, text))
}

fn arguments(lease: &str, (start, end): (u64, u64), hash: impl Into<Value>, text: &str) -> Value {
    json!({"lease_id": lease, "start_line": start, "end_line": end, "expect_hash": hash.into(), "text": text})
}

fn hash(lines: &str) -> String {
    RangeHash::of(lines).to_string()
}

#[test]
fn what_was_read_is_replaced() {
    for (before, range, text, after) in [
        ("a\nb\nc\n", (2, 2), "B\nbb", "a\nB\nbb\nc\n"),
        ("a\nb\nc\n", (1, 3), "x", "x\n"),
        ("a\nb\nc\n", (2, 3), "", "a\n"),
        ("a\nb\n", (2, 1), "x", "a\nx\nb\n"),
        ("a\nb\n", (1, 0), "x", "x\na\nb\n"),
        ("a\nb", (3, 2), "x", "a\nb\nx"),
        ("a\r\nb\r\n", (2, 2), "x\ny", "a\r\nx\r\ny\r\n"),
        ("", (1, 0), "# a", "# a\n"),
    ] {
        let world = World::extended(before);
        let lease = world.check_out();
        let reply = replace(&world, &lease, range, text);
        assert_eq!((failure(&reply), world.text()), ("OK".into(), after.into()), "{before:?} {range:?}");
    }
}

/// A hash names the lines that it was given for, not others that read alike and stand there now.
#[test]
fn a_hash_of_repeated_lines_is_of_one_place() {
    const TEXT: &str = "a\nx\nb\nc\nd\nx\n";
    const INSERTED: &str = "1\n2\n3\n4\na\nx\nb\nc\nd\nx\n";
    // What the refusal shows, if there is one.
    for (at, by_user, now, lost, shown) in [
        // Four lines were inserted above: the sixth is the second of before.
        (6, true, INSERTED, false, Some((10, "x\n"))),
        (6, false, INSERTED, false, Some((10, "x\n"))),
        // The other one is gone besides.
        (6, true, "1\n2\n3\n4\na\nx\nb\nc\nd\ny\n", false, Some((10, "y\n"))),
        // Without what was shown, lines that stand at several places are not told apart.
        (6, true, INSERTED, true, Some((6, "x\n"))),
        (2, true, "a\nx\nb\nc\nd\nx\ne\n", true, Some((2, "x\n"))),
        (2, true, "a\nx\nb\nc\nd\ny\n", true, None),
        // They are where they were.
        (6, true, "a\nx\nB\nc\nd\nx\n", false, None),
        (2, true, "a\nx\nb\nc\nd\nx\ne\n", false, None),
        (2, false, "a\nx\nb\nc\nd\ny\n", false, None),
    ] {
        for named in [true, false] {
            let world = World::extended(TEXT);
            let lease = world.check_out();
            let read =
                world.tool("canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 6}));
            assert!(read.is_ok());
            let lease = if by_user {
                world.edit(now);
                world.check_out()
            } else {
                assert_eq!(failure(&world.patch(&lease, &canvas_core::text::build(TEXT, now, 1))), "OK");
                lease
            };
            if lost {
                world.forget_sessions();
            }
            let mut sent = arguments(&lease, (at, at), hash("x\n"), "z");
            if named || by_user {
                sent["base_revision_id"] = json!(world.revision());
            }
            let reply = world.tool("canvas_replace_lines", sent.clone());
            let Some((line, text)) = shown else {
                assert_eq!(failure(&reply), "OK", "{now:?} {at} {}", reply.body());
                continue;
            };
            let (moved, name) = if line == at { (None, "expect_hash") } else { (Some(at), "start_line") };
            let name = if text == "x\n" { name } else { "expect_hash" };
            assert_eq!(
                failure(&reply),
                format!("PATCH_REJECTED/CONTENT_CHANGED at \"/{name}\""),
                "{now:?} {at}"
            );
            assert_eq!(world.text(), now);
            let lines = &reply.body()["error"]["lines"];
            assert_eq!((&lines["start_line"], &lines["text"]), (&json!(line), &json!(text)));
            assert_eq!(lines["named_line"].as_u64(), moved);
            // Whoever has seen them as they are may mean them.
            (sent["start_line"], sent["end_line"]) = (json!(line), json!(line));
            sent["expect_hash"] = lines["range_hash"].clone();
            assert_eq!(failure(&world.tool("canvas_replace_lines", sent)), "OK");
        }
    }
}

/// Whether a base is named or not: a user's edit has moved the lines, has changed them, or has left them alone.
#[test]
fn after_a_users_edit_the_lines_are_found_again() {
    const TEXT: &str = "# A\n\nalpha\nbeta\n\n# B\n\ngamma\ndelta\n";
    // The lines 8 and 9, and what there is of them now.
    for (now, refused, shown) in [
        (
            "# A\n\nnew\nalpha\nbeta\n\n# B\n\ngamma\ndelta\n",
            "CONTENT_CHANGED at \"/start_line\"",
            Some((9, 10)),
        ),
        ("# A\n\n# B\n\ngamma\ndelta\n", "CONTENT_CHANGED at \"/start_line\"", Some((5, 6))),
        (
            "# A\n\nnew\nalpha\nbeta\n\n# B\n\ngamma ray\ndelta\n",
            "CONTENT_CHANGED at \"/expect_hash\"",
            Some((9, 10)),
        ),
        (
            "# A\n\nalpha\nbeta\n\n# B\n\ngamma\nbetween\ndelta\n",
            "CONTENT_CHANGED at \"/expect_hash\"",
            Some((8, 10)),
        ),
        ("# A\n\nalpha\nbeta\n\n# B\n\n", "CONTENT_CHANGED at \"/expect_hash\"", Some((7, 7))),
        ("# A\n\nalpha\nBeta\n\n# B\n\ngamma\ndelta\n", "STALE_BASE", None),
    ] {
        for named in [true, false] {
            let world = World::extended(TEXT);
            let (lease, base) = (world.check_out(), world.revision());
            assert!(
                world
                    .tool("canvas_read_lines", json!({"lease_id": lease, "start_line": 8, "end_line": 9}))
                    .is_ok()
            );
            world.edit(now);
            let lease = world.check_out();
            let mut sent = arguments(&lease, (8, 9), hash("gamma\ndelta\n"), "new");
            if named {
                sent["base_revision_id"] = json!(base);
            }
            let reply = world.tool("canvas_replace_lines", sent.clone());
            assert_eq!(failure(&reply), format!("PATCH_REJECTED/{refused}"), "{now:?} {}", reply.body());
            let lines = &reply.body()["error"]["lines"];
            if let Some((start, end)) = shown {
                assert_eq!(
                    (&lines["start_line"], &lines["end_line"]),
                    (&json!(start), &json!(end)),
                    "{now:?}"
                );
                (sent["start_line"], sent["end_line"]) = (json!(start), json!(end));
                sent["expect_hash"] = lines["range_hash"].clone();
            }
            sent["base_revision_id"] = json!(world.revision());
            let done = world.tool("canvas_replace_lines", sent);
            assert_eq!(failure(&done), "OK", "{} -> {}", reply.body(), done.body());
            assert!(!world.text().contains("delta"), "{}", world.text());
        }
    }
}

/// All or none, in any order; each is numbered as the canvas is before the call.
#[test]
fn several_ranges_are_replaced_in_one_call() {
    const TEXT: &str = "a\nb\nc\nd\ne\n";
    let range = |(start, end): (u64, u64), lines: &str, text: &str| json!({"start_line": start, "end_line": end, "expect_hash": hash(lines), "text": text});
    for (first, more, expected) in [
        (((1, 1), "a\n", "A\nAA"), vec![((3, 3), "c\n", "C")], Ok("A\nAA\nb\nC\nd\ne\n")),
        (((4, 5), "d\ne\n", "x"), vec![((1, 2), "a\nb\n", "")], Ok("c\nx\n")),
        (
            ((2, 1), "a\n", "new"),
            vec![((2, 2), "b\n", "B"), ((6, 5), "e\n", "f")],
            Ok("a\nnew\nB\nc\nd\ne\nf\n"),
        ),
        (((1, 1), "a\n", "a"), vec![((2, 2), "b\n", "B")], Ok("a\nB\nc\nd\ne\n")),
        (((1, 1), "a\n", "a"), vec![((2, 2), "b\n", "b")], Err("PATCH_REJECTED/NO_EFFECT")),
        (((1, 2), "a\nb\n", "x"), vec![((2, 3), "b\nc\n", "y")], Err("PATCH_REJECTED/OVERLAP")),
        (((2, 1), "a\n", "x"), vec![((2, 1), "a\n", "y")], Err("PATCH_REJECTED/OVERLAP")),
        (
            ((1, 1), "a\n", "x"),
            vec![((2, 2), "b\n", "y"), ((3, 3), "?\n", "z")],
            Err("PATCH_REJECTED/CONTENT_CHANGED at \"/more_ranges/1/expect_hash\""),
        ),
        (
            ((1, 1), "a\n", "x"),
            vec![((7, 7), "b\n", "y")],
            Err("INVALID_RANGE at \"/more_ranges/0/start_line\""),
        ),
        (
            ((1, 1), "a\n", "x"),
            vec![((3, 1), "b\n", "y")],
            Err("INVALID_ARGUMENTS at \"/more_ranges/0/end_line\""),
        ),
    ] {
        let world = World::extended(TEXT);
        let lease = world.check_out();
        assert!(world.under(&lease, "canvas_read_all").is_ok());
        let mut sent = arguments(&lease, first.0, hash(first.1), first.2);
        sent["more_ranges"] = more.iter().map(|(lines, old, new)| range(*lines, old, new)).collect();
        let reply = world.tool("canvas_replace_lines", sent);
        let (label, text) = match expected {
            Ok(text) => ("OK", text),
            Err(label) => (label, TEXT),
        };
        assert_eq!((failure(&reply).as_str(), world.text().as_str()), (label, text), "{}", reply.body());
    }
    // Every range at fault is shown at once.
    let world = World::extended(TEXT);
    let lease = world.check_out();
    let mut sent = arguments(&lease, (1, 1), hash("?"), "x");
    sent["more_ranges"] = json!([range((2, 2), "b\n", "y"), range((4, 5), "?", "z")]);
    let reply = world.tool("canvas_replace_lines", sent);
    let error = &reply.body()["error"];
    assert_eq!((&error["lines"]["text"], &error["more_lines"][0]["text"]), (&json!("a\n"), &json!("d\ne\n")));
    let mut many = arguments(&lease, (1, 1), hash("a\n"), "x");
    many["more_ranges"] = (0..32).map(|_| range((2, 2), "b\n", "y")).collect();
    assert_eq!(failure(&world.tool("canvas_replace_lines", many)), "INVALID_ARGUMENTS at \"/more_ranges\"");
}

/// The names of 0.1 are read for one more release.
#[test]
fn start_and_end_are_read() {
    let world = World::extended("a\nb\n");
    let lease = world.check_out();
    let old = json!({"lease_id": lease, "start": 2, "end": 2, "expect_hash": hash("b\n"), "text": "c"});
    assert_eq!(
        (failure(&world.tool("canvas_replace_lines", old)).as_str(), world.text().as_str()),
        ("OK", "a\nc\n")
    );
    let both = json!({
        "lease_id": lease, "start": 1, "start_line": 1, "end_line": 1, "expect_hash": hash("a\n"), "text": "c",
    });
    assert_eq!(world.tool("canvas_replace_lines", both).code(), Some("INVALID_ARGUMENTS"));
}

#[test]
fn the_reply_is_that_of_a_patch() {
    let world = World::extended("# a\r\n\r\nb\r\n");
    let lease = world.check_out();
    let section = world.tool("canvas_read_section", json!({"lease_id": lease, "path": ["a"]}));
    let range_hash = section.body()["range_hash"].clone();
    let reply = world.tool("canvas_replace_lines", arguments(&lease, (1, 3), range_hash, "# a\n\nc\nd\n"));
    let revision = world.revision();
    let expected = json!({
        "ok": true,
        "revision_id": revision,
        "new_revision_id": revision,
        "applied_hunks": 1,
        "lines": ["1: # a", "2: ", "3: c", "4: d"],
        "repairs": [{"hunk": 1, "kind": "EOL_ADAPTED"}],
    });
    assert_eq!(*reply.body(), expected);
    assert_eq!(world.text(), "# a\r\n\r\nc\r\nd\r\n");
}

/// The refusal carries what is needed to send the edit again.
#[test]
fn a_wrong_hash_shows_the_lines() {
    let world = World::extended("a\nb\nc\n");
    let lease = world.check_out();
    let reply = world.tool("canvas_replace_lines", arguments(&lease, (2, 3), hash("b\n"), "x"));
    assert_eq!(failure(&reply), "PATCH_REJECTED/CONTENT_CHANGED at \"/expect_hash\"");
    let lines = json!({
        "start_line": 2,
        "end_line": 3,
        "text": "b\nc\n",
        "truncated": false,
        "range_hash": hash("b\nc\n"),
    });
    let error = &reply.body()["error"];
    assert_eq!((&error["lines"], &error["retryable"]), (&lines, &json!(false)));
    let again = arguments(&lease, (2, 3), error["lines"]["range_hash"].clone(), "x");
    assert!(world.tool("canvas_replace_lines", again).is_ok());
    assert_eq!(world.text(), "a\nx\n");

    let long = "0123456789abcde\n".repeat(10_000);
    let world = World::extended(&long);
    let lease = world.check_out();
    let reply = world.tool("canvas_replace_lines", arguments(&lease, (1, 10_000), hash(""), "x"));
    let lines = &reply.body()["error"]["lines"];
    assert_eq!((&lines["end_line"], &lines["truncated"]), (&json!(2_048), &json!(true)));
    assert_eq!((lines["text"].as_str().unwrap().len(), lines.get("range_hash")), (32 << 10, None));
}

#[test]
fn each_refusal_reaches_the_model() {
    const TEXT: &str = "a\nb\n";
    for (range, expect, text, expected) in [
        ((1, 1), hash("a\n"), "a", "PATCH_REJECTED/NO_EFFECT"),
        ((2, 1), hash("a\n"), "", "PATCH_REJECTED/NO_EFFECT"),
        ((1, 3), hash(TEXT), "x", "INVALID_RANGE at \"/start_line\""),
        ((4, 3), hash("b\n"), "x", "INVALID_RANGE at \"/start_line\""),
        ((1, 1), hash("a"), "x", "PATCH_REJECTED/CONTENT_CHANGED at \"/expect_hash\""),
        ((1, 1), hash("a\n"), "0123456789", "DOCUMENT_TOO_LARGE"),
    ] {
        let mut world = World::with(TEXT, Policy { document_bytes: 10, ..Policy::default() });
        world.toolset = DocumentTools::ALL;
        let lease = world.check_out();
        let reply = world.tool("canvas_replace_lines", arguments(&lease, range, expect, text));
        assert_eq!(failure(&reply), expected, "{range:?} {text:?}: {}", reply.body());
        assert_eq!(world.text(), TEXT);
    }

    let world = World::extended(TEXT);
    let stale = world.revision();
    world.edit("a\nz\n");
    let lease = world.check_out();
    let mut based = arguments(&lease, (1, 1), hash("a\n"), "x");
    based["base_revision_id"] = json!(stale);
    let reply = world.tool("canvas_replace_lines", based);
    // The line is as it was, where it was.
    assert_eq!(failure(&reply), "PATCH_REJECTED/STALE_BASE");
    let now = world.revision();
    assert!(message(&reply).ends_with(&format!(" base_revision_id {now}.")));
    let unbased = arguments(&lease, (1, 1), hash("a\n"), "x");
    let mut based = unbased.clone();
    based["base_revision_id"] = json!(now);
    assert!(world.tool("canvas_replace_lines", based).is_ok());
    world.wait(15_000);
    assert_eq!(failure(&world.tool("canvas_replace_lines", unbased.clone())), "LEASE_EXPIRED");
    let lease = world.check_out();
    assert_eq!(failure(&world.tool("canvas_replace_lines", unbased)), "LOCK_NOT_OWNED");
    world.edit("c\n");
    let cut = arguments(&lease, (1, 1), hash("c\n"), "x");
    assert_eq!(failure(&world.tool("canvas_replace_lines", cut)), "STALE_EPOCH");
}

#[test]
fn a_retry_gets_the_same_answer() {
    let world = World::extended("a\nb\n");
    let lease = world.check_out();
    let run = |id: &str, hash: String| {
        let arguments = arguments(&lease, (1, 1), hash, "x");
        world.run(&world.session, id, "canvas_replace_lines", arguments)
    };
    let (done, refused) = (run("1", hash("a\n")), run("2", hash("q")));
    assert_eq!((done.is_ok(), refused.is_ok()), (true, false));
    assert_eq!((run("1", hash("a\n")), run("2", hash("q"))), (done, refused));
    assert_eq!(world.text(), "x\nb\n");
    assert_eq!(failure(&run("1", hash("x\n"))), "CALL_ID_REUSED");
}

/// What a model writes this way is reported like any other edit of it.
#[test]
fn the_end_of_the_turn_tells_of_it() {
    let mut world = World::extended("a\nb\n");
    world.message();
    let lease = world.check_out();
    assert!(replace(&world, &lease, (2, 2), "c").is_ok());
    let hidden = world.end_turn().hidden_message.unwrap();
    assert!(hidden.contains("\n a\n-b\n+c\n"), "{hidden}");
}
