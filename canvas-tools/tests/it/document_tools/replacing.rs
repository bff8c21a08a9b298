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
    json!({"lease_id": lease, "start": start, "end": end, "expect_hash": hash.into(), "text": text})
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
    const GONE: &str = "PATCH_REJECTED/CONTENT_CHANGED at \"/expect_hash\"";
    for (at, by_user, now, lost, expected) in [
        // Four lines were inserted above: the sixth is the second of before.
        (6, true, "1\n2\n3\n4\na\nx\nb\nc\nd\nx\n", false, GONE),
        (6, false, "1\n2\n3\n4\na\nx\nb\nc\nd\nx\n", false, GONE),
        // The other one is gone besides.
        (6, true, "1\n2\n3\n4\na\nx\nb\nc\nd\ny\n", false, GONE),
        // Without what was shown, lines that stand at several places are not told apart.
        (6, true, "1\n2\n3\n4\na\nx\nb\nc\nd\nx\n", true, GONE),
        (2, true, "a\nx\nb\nc\nd\nx\ne\n", true, GONE),
        (2, true, "a\nx\nb\nc\nd\ny\n", true, "OK"),
        // They are where they were.
        (6, true, "a\nx\nB\nc\nd\nx\n", false, "OK"),
        (2, true, "a\nx\nb\nc\nd\nx\ne\n", false, "OK"),
        (2, false, "a\nx\nb\nc\nd\ny\n", false, "OK"),
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
            assert_eq!(failure(&reply), expected, "{now:?} {at} {}", reply.body());
            if expected == "OK" {
                continue;
            }
            assert_eq!(world.text(), now);
            let shown = &reply.body()["error"]["lines"];
            assert_eq!((&shown["start_line"], &shown["text"]), (&json!(at), &json!("x\n")));
            // Whoever has seen them as they are may mean them.
            assert_eq!(failure(&world.tool("canvas_replace_lines", sent)), "OK");
        }
    }
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
    assert_eq!(
        message(&reply),
        "the text at line 2 is not what expect_hash was made from: look at these lines as they are now, read on \
         where they are cut, and send the edit again with their range_hash"
    );
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
        ((1, 3), hash(TEXT), "x", "INVALID_RANGE at \"/start\""),
        ((4, 3), hash("b\n"), "x", "INVALID_RANGE at \"/start\""),
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
    assert_eq!(failure(&reply), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(reply.body()["error"]["changes"]["diff"], "@@ -1,2 +1,2 @@\n a\n-b\n+z\n");
    // The diff was shown, so the document has been seen.
    let unbased = arguments(&lease, (1, 1), hash("a\n"), "x");
    assert!(world.tool("canvas_replace_lines", unbased.clone()).is_ok());
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
