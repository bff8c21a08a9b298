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
        assert_eq!(fields.remove("expires_at").is_some(), reply.is_ok());
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

fn shown(start: usize, end: usize, total: usize, text: &str) -> Value {
    json!({"start_line": start, "end_line": end, "total_lines": total, "text": text, "truncated": false})
}

#[test]
fn lines_are_read_with_their_ends_and_clamped() {
    const TEXT: &str = "a\r\n\nc\rc\nd";
    for (start, end, expected) in [
        (1, 1, shown(1, 1, 4, "a\r\n")),
        (2, 3, shown(2, 3, 4, "\nc\rc\n")),
        (4, 4, shown(4, 4, 4, "d")),
        (1, 4, shown(1, 4, 4, TEXT)),
        (1, 5, shown(1, 4, 4, TEXT)),
        (3, u64::MAX, shown(3, 4, 4, "c\rc\nd")),
    ] {
        assert_eq!(lines(TEXT, start, end), expected, "{start} to {end}");
    }
    assert_eq!(lines("", 1, 1), shown(1, 0, 0, ""));
    assert_eq!(lines("\n", 1, 9), shown(1, 1, 1, "\n"));
}

#[test]
fn a_start_beyond_the_end_is_refused_with_the_number_of_lines() {
    for (text, start, total) in [("a\nb\n", 3, 2), ("a\nb", 3, 2), ("a\n", u64::MAX, 1)] {
        let message = format!("the canvas has {total} lines: pass a start_line of at most {total}");
        let expected = json!(["INVALID_RANGE at \"/start_line\"", message]);
        assert_eq!(lines(text, start, u64::MAX), expected, "{text:?}");
    }
}

#[test]
fn the_whole_canvas_is_read_where_it_is_not_too_long() {
    for text in ["", "a", "a\n", "# ü\r\n\r\n🦀"] {
        let total = text.lines().count();
        assert_eq!(reading(text)("canvas_read_all", json!({})), shown(1, total, total, text), "{text:?}");
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
        next = reply["end_line"].as_u64().unwrap() + 1;
        if reply["truncated"] == false {
            assert_eq!(part, text.len().div_ceil(READ_BYTES));
            break;
        }
    }
    assert_eq!((all == text, next), (true, 50_001));
}

#[test]
fn exactly_as_much_as_fits_is_not_cut() {
    let (fits, one_more) = ("x".repeat(READ_BYTES), "x".repeat(READ_BYTES + 1));
    assert_eq!(lines(&fits, 1, 1), shown(1, 1, 1, &fits));
    let cut = lines(&one_more, 1, 1);
    assert_eq!(
        (&cut["truncated"], &cut["end_line"], &cut["total_lines"]),
        (&json!(true), &json!(1), &json!(1))
    );
    assert_eq!(cut["text"], fits);
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
    assert_eq!(rest, shown(2, 2, 2, "end\n"));
}

fn grep(text: &str, query: &str, regex: Option<bool>) -> Value {
    reading(text)("canvas_grep", json!({"query": query, "regex": regex}))
}

/// Lines that match, as `2:text`.
fn hits(found: &Value) -> Vec<String> {
    let hits = found["matches"].as_array().unwrap();
    hits.iter().map(|hit| format!("{}:{}", hit["line"], hit["text"].as_str().unwrap())).collect()
}

#[test]
fn grep_is_literal_unless_a_regex_is_asked_for() {
    const TEXT: &str = "a.c\nabc\r\n## A.C\n\na.c a.c";
    for (query, regex, expected) in [
        ("a.c", None, &["1:a.c", "5:a.c a.c"][..]),
        ("a.c", Some(false), &["1:a.c", "5:a.c a.c"]),
        ("a.c", Some(true), &["1:a.c", "2:abc", "5:a.c a.c"]),
        ("(?i)^## a", Some(true), &["3:## A.C"]),
        ("c$", Some(true), &["1:a.c", "2:abc", "5:a.c a.c"]),
        ("^$", Some(true), &["4:"]),
        ("nowhere", None, &[]),
        ("^a", None, &[]),
    ] {
        let found = grep(TEXT, query, regex);
        assert_eq!(
            (hits(&found), &found["truncated"]),
            (expected.iter().map(|s| (*s).into()).collect(), &json!(false))
        );
    }
    let one = grep("a.c\n", "a.c", None);
    assert_eq!(one, json!({"matches": [{"line": 1, "text": "a.c", "clipped": false}], "truncated": false}));
}

#[test]
fn grep_gives_so_much_and_says_that_there_is_more() {
    let many = "hit\n".repeat(201);
    let found = grep(&many, "hit", None);
    assert_eq!((hits(&found).len(), &found["truncated"]), (200, &json!(true)));
    let exact = grep(&many[4..], "hit", None);
    assert_eq!((hits(&exact).len(), &exact["truncated"]), (200, &json!(false)));

    let long = format!("{}hit{}\n", "ü".repeat(5_000), "x".repeat(5_000));
    let found = grep(&long.repeat(150), "hit", None);
    assert_eq!(found["truncated"], true);
    let first = &found["matches"][0];
    assert_eq!((&first["clipped"], &first["line"]), (&json!(true), &json!(1)));
    assert!(first["text"].as_str().unwrap().contains("hit"));
    assert!(found.to_string().len() < 120_000);
}

/// Time that grows with the text, not with what an expression could try.
#[test]
fn a_greedy_regex_on_a_huge_line_comes_to_an_end() {
    let text = format!("{}b\n", "a".repeat(100_000));
    let found = grep(&text, "(a+)+c", Some(true));
    assert_eq!(found, json!({"matches": [], "truncated": false}));
}
