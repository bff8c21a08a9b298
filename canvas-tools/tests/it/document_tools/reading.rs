//! What the reading tools give, and how much of it.

use serde_json::{Value, json};

use super::world::{World, failure, message};

/// Bytes of text that one reply carries.
const READ_BYTES: usize = 256 << 10;

fn reading(text: &str) -> impl Fn(&str, Value) -> Value {
    let world = World::new(text);
    let lease = world.check_out();
    move |name, mut arguments| {
        arguments["lease_id"] = json!(lease);
        let reply = world.tool(name, arguments);
        let mut body = reply.body().clone();
        let fields = body.as_object_mut().unwrap();
        fields.remove("revision_id");
        if reply.is_ok() {
            fields.remove("ok");
            body
        } else {
            json!([failure(&reply), message(&reply)])
        }
    }
}

fn lines(text: &str, start: u64, end: u64) -> Value {
    reading(text)("canvas_read_lines", json!({"start_line": start, "end_line": end}))
}

/// All that was asked for.
fn shown(text: &str) -> Value {
    json!({"text": text})
}

/// The lines up to the last one of the canvas.
fn shown_to_the_end(end: usize, text: &str) -> Value {
    json!({"end_line": end, "total_lines": end, "text": text})
}

#[test]
fn lines_are_read_with_their_ends_and_clamped() {
    const TEXT: &str = "a\r\n\nc\rc\nd";
    for (start, end, expected) in [
        (1, 1, shown("a\r\n")),
        (2, 3, shown("\nc\rc\n")),
        (4, 4, shown("d")),
        (1, 4, shown(TEXT)),
        (1, 5, shown_to_the_end(4, TEXT)),
        (3, u64::MAX, shown_to_the_end(4, "c\rc\nd")),
    ] {
        assert_eq!(lines(TEXT, start, end), expected, "{start} to {end}");
    }
    assert_eq!(lines("", 1, 1), shown_to_the_end(0, ""));
    assert_eq!(lines("\n", 1, 9), shown_to_the_end(1, "\n"));
}

#[test]
fn a_start_beyond_the_end_is_refused_with_the_number_of_lines() {
    for (text, start, total) in [("a\nb\n", 3, 2), ("a\nb", 3, 2), ("a\n", u64::MAX, 1)] {
        let refused = lines(text, start, u64::MAX);
        assert_eq!(refused[0], "INVALID_RANGE at \"/start_line\"", "{text:?}");
        assert!(refused[1].as_str().unwrap().contains(&format!(" {total} lines")), "{refused}");
    }
}

#[test]
fn the_whole_canvas_is_read_where_it_is_not_too_long() {
    for text in ["", "a", "a\n", "# ü\r\n\r\n🦀"] {
        let total = text.lines().count();
        let expected = json!({"text": text, "total_lines": total});
        assert_eq!(reading(text)("canvas_read_all", json!({})), expected, "{text:?}");
    }
}

/// Reading on after the last line that was shown gives all of it.
#[test]
fn a_long_canvas_is_read_in_parts() {
    let text: String = (0..50_000).map(|i| format!("line {i} ü\n")).collect();
    let read = reading(&text);
    let first = read("canvas_read_all", json!({}));
    assert_eq!((&first["truncated"], &first["total_lines"]), (&json!(true), &json!(50_000)));
    let (mut all, mut next) = (String::new(), 1);
    for part in 1.. {
        let reply = read("canvas_read_lines", json!({"start_line": next, "end_line": 50_000}));
        let part_text = reply["text"].as_str().unwrap();
        assert!(part_text.len() <= READ_BYTES && part_text.ends_with('\n'));
        all += part_text;
        next = reply["end_line"].as_u64().unwrap_or(50_000) + 1;
        if reply.get("truncated").is_none() {
            assert_eq!(part, text.len().div_ceil(READ_BYTES));
            break;
        }
    }
    assert_eq!((all == text, next), (true, 50_001));
}

#[test]
fn exactly_as_much_as_fits_is_not_cut() {
    let (fits, one_more) = ("x".repeat(READ_BYTES), "x".repeat(READ_BYTES + 1));
    assert_eq!(lines(&fits, 1, 1), shown(&fits));
    let cut = lines(&one_more, 1, 1);
    assert_eq!(cut, json!({"text": fits, "truncated": true, "line_truncated": true}));
    // A line after it does not fit any more, so it is left for the next call.
    let two = lines(&format!("a\n{fits}\nb\n"), 1, 3);
    assert_eq!((&two["text"], &two["end_line"], &two["truncated"]), (&json!("a\n"), &json!(1), &json!(true)));
}

/// A line that is too long by itself is shown in part, cut between characters; what is after it stays readable.
#[test]
fn a_huge_line_is_shown_in_part() {
    let huge = format!("x{}\nend\n", "ü".repeat(READ_BYTES));
    let read = reading(&huge);
    let first = read("canvas_read_all", json!({}));
    let text = first["text"].as_str().unwrap();
    assert_eq!((text.len(), text.ends_with('ü')), (READ_BYTES - 1, true));
    assert_eq!(first["line_truncated"], json!(true));
    assert_eq!(
        (&first["end_line"], &first["total_lines"], &first["truncated"]),
        (&json!(1), &json!(2), &json!(true))
    );
    let rest = read("canvas_read_lines", json!({"start_line": 2, "end_line": 2}));
    assert_eq!(rest, shown("end\n"));
}

#[test]
fn several_ranges_are_read_in_one_call() {
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let world = World::extended(&text);
    let lease = world.check_out();
    let read = |more: Value| {
        let arguments = json!({"lease_id": lease, "start_line": 1, "end_line": 2, "more_ranges": more});
        world.tool("canvas_read_lines", arguments)
    };
    let reply = read(json!([[10, 11], [40, 99], [3, 3]]));
    let shown: Vec<_> = reply.shown_lines().iter().map(|lines| (lines.start, lines.end)).collect();
    assert_eq!(shown, [(1, 2), (10, 11), (40, 40), (3, 3)]);
    let more = &reply.body()["more_ranges"];
    assert_eq!(
        (&reply.body()["text"], &more[0]["text"]),
        (&json!("line 1\nline 2\n"), &json!("line 10\nline 11\n"))
    );
    assert_eq!(
        (&more[1]["start_line"], &more[1]["end_line"], &more[1]["total_lines"]),
        (&json!(40), &json!(40), &json!(40))
    );
    // Each has the hash that replacing it takes.
    let sent = json!({
        "lease_id": lease, "start_line": 10, "end_line": 11, "expect_hash": more[0]["range_hash"], "text": "ten",
    });
    assert!(world.tool("canvas_replace_lines", sent).is_ok());
    for (more, expected) in [
        (json!([[2, 1]]), "INVALID_ARGUMENTS at \"/more_ranges/0/1\""),
        (json!([[1, 1], [0, 1]]), "INVALID_ARGUMENTS at \"/more_ranges/1/0\""),
        (json!([[1]]), "INVALID_ARGUMENTS at \"/more_ranges/0\""),
        (json!([[1, 2, 3]]), "INVALID_ARGUMENTS at \"/more_ranges/0\""),
        (json!([1, 2]), "INVALID_ARGUMENTS at \"/more_ranges/0\""),
        (json!([[1, 1], [99, 99]]), "INVALID_RANGE at \"/more_ranges/1/0\""),
        (json!(vec![[1, 1]; 32]), "INVALID_ARGUMENTS at \"/more_ranges\""),
    ] {
        assert_eq!(failure(&read(more.clone())), expected, "{more}");
    }
}

/// A reply has at most 256 KiB, however many ranges it is asked for.
#[test]
fn several_ranges_share_the_room_of_one_reply() {
    let text = format!("{}\n", "x".repeat(99)).repeat(3_000);
    let world = World::new(&text);
    let lease = world.check_out();
    let arguments = json!({
        "lease_id": lease, "start_line": 1, "end_line": 2_000, "more_ranges": [[1, 2_000], [5, 6]],
    });
    let reply = world.tool("canvas_read_lines", arguments);
    let more = &reply.body()["more_ranges"];
    let lines = |fields: &Value| fields["text"].as_str().unwrap().lines().count();
    assert_eq!((lines(reply.body()), lines(&more[0]), &more[0]["truncated"]), (2_000, 621, &json!(true)));
    assert_eq!((&more[1]["truncated"], &more[1]["end_line"]), (&json!(true), &json!(5)));
}
