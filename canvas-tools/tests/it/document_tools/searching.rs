//! What a search shows, and how much of it.

use serde_json::{Value, json};

use super::world::World;

fn grep(text: &str, mut arguments: Value) -> Value {
    let world = World::new(text);
    arguments["lease_id"] = json!(world.check_out());
    let reply = world.tool("canvas_grep", arguments);
    assert!(reply.is_ok(), "{}", reply.body());
    assert!(reply.body().to_string().len() <= 8 << 10);
    let mut body = reply.body().clone();
    for field in ["ok", "revision_id"] {
        body.as_object_mut().unwrap().remove(field);
    }
    body
}

fn hits(found: &Value) -> Vec<&str> {
    found["matches"].as_array().unwrap().iter().map(|hit| hit.as_str().unwrap()).collect()
}

#[test]
fn a_search_is_literal_unless_a_regex_is_asked_for_and_minds_case_for_capitals() {
    const TEXT: &str = "a.c\nabc\r\n## A.C\n\na.c a.c\nÄ ſ";
    for (query, regex, expected) in [
        ("a.c", None, &["1: a.c", "3: ## A.C", "5: a.c a.c"][..]),
        ("a.c", Some(false), &["1: a.c", "3: ## A.C", "5: a.c a.c"]),
        ("A.C", None, &["3: ## A.C"]),
        ("A.c", None, &[]),
        ("a.c", Some(true), &["1: a.c", "2: abc", "3: ## A.C", "5: a.c a.c"]),
        ("^## a", Some(true), &["3: ## A.C"]),
        ("A.C", Some(true), &["3: ## A.C"]),
        (r"^\S+$", Some(true), &["1: a.c", "2: abc"]),
        (r"^\P{Lu}+$", Some(true), &["1: a.c", "2: abc", "5: a.c a.c"]),
        ("(?-i)a.c$", Some(true), &["1: a.c", "2: abc", "5: a.c a.c"]),
        ("c$", Some(true), &["1: a.c", "2: abc", "3: ## A.C", "5: a.c a.c"]),
        ("^$", Some(true), &["4: "]),
        ("ä", None, &["6: Ä ſ"]),
        ("nowhere", None, &[]),
        ("^a", None, &[]),
    ] {
        let found = grep(TEXT, json!({"query": query, "regex": regex}));
        assert_eq!((hits(&found), &found["total"]), (expected.to_vec(), &json!(expected.len())), "{query}");
        assert_eq!(found.get("next_from_line"), None);
    }
}

#[test]
fn lines_around_a_match_are_shown_once_and_marked() {
    const TEXT: &str = "1\n2\nhit 3\n4\n5\n6\n7\nhit 8\nhit 9\r\n10\r\n11\n";
    for (context, expected) in [
        (0, &["3: hit 3", "8: hit 8", "9: hit 9"][..]),
        (1, &["2- 2", "3: hit 3", "4- 4", "7- 7", "8: hit 8", "9: hit 9", "10- 10"]),
        (
            2,
            &[
                "1- 1", "2- 2", "3: hit 3", "4- 4", "5- 5", "6- 6", "7- 7", "8: hit 8", "9: hit 9", "10- 10",
                "11- 11",
            ],
        ),
    ] {
        let found = grep(TEXT, json!({"query": "hit", "context": context}));
        assert_eq!((hits(&found), &found["total"]), (expected.to_vec(), &json!(3)));
    }
    let all = grep(TEXT, json!({"query": "hit", "context": 10}));
    assert_eq!(hits(&all).len(), 11);
    let world = World::new(TEXT);
    let reply =
        world.tool("canvas_grep", json!({"lease_id": world.check_out(), "query": "hit", "context": 11}));
    assert_eq!(reply.body()["error"]["place"], "/context");
}

/// All matches are seen once by going on where each reply ends.
#[test]
fn a_search_goes_on_where_it_stopped() {
    let long = format!("{}hit{}\n", "ü".repeat(500), "\"".repeat(500));
    for (line, context, expected) in
        [("hit\n", None, 2_000), ("hit\n", Some(3), 2_000), (&long, Some(10), 90), (&long, None, 300)]
    {
        let text = line.repeat(expected);
        let (mut seen, mut from) = (Vec::new(), 1);
        loop {
            let found = grep(&text, json!({"query": "hit", "from_line": from, "context": context}));
            assert_eq!(found["total"], expected);
            let matches = hits(&found).into_iter().filter(|hit| hit.contains(": "));
            seen.extend(matches.map(|hit| hit.split(':').next().unwrap().parse::<usize>().unwrap()));
            match found["next_from_line"].as_u64() {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(seen, (1..=expected).collect::<Vec<_>>());
    }
}

/// A long line is cut around its match, unless the lines around are asked for: then it is to be read.
#[test]
fn a_long_line_is_shown_in_part() {
    let text = format!("{}hit{}\n{}\n", "ü".repeat(200), "x".repeat(200), "y".repeat(2_000));
    let found = grep(&text, json!({"query": "hit"}));
    let [shown] = hits(&found)[..] else { panic!("{found}") };
    assert!(shown.starts_with("1: …ü") && shown.contains("hitx") && shown.ends_with("x…"), "{shown}");
    assert!(shown.len() <= 130, "{shown}");
    let found = grep(&text, json!({"query": "hit", "context": 1}));
    assert_eq!(hits(&found)[0], format!("1: {}", text.lines().next().unwrap()));
    assert_eq!(hits(&found)[1], format!("2- {}…", "y".repeat(1_000)));
}

#[test]
fn an_empty_result_says_what_was_perhaps_meant() {
    const TEXT: &str = "Rust\nrust and C\nxargs\n";
    for (query, regex, hint) in [
        ("xargs|parallel", false, Some("regex true")),
        (r"xargs\|parallel", false, Some("regex true")),
        (r"xargs\|parallel", true, Some("write |")),
        ("RUST", false, Some("line 1 and")),
        ("XARGS", true, Some("line 3 ")),
        ("nowhere", false, None),
        ("NOWHERE", false, None),
        ("Rust", false, None),
    ] {
        let found = grep(TEXT, json!({"query": query, "regex": regex}));
        let given = found["hint"].as_str();
        assert!(hint.is_none() == given.is_none(), "{query}: {given:?}");
        assert!(given.unwrap_or_default().contains(hint.unwrap_or_default()), "{query}: {given:?}");
    }
}

#[test]
fn a_reply_tells_its_host_which_lines_it_shows_whole() {
    let text = format!("one\ntwo\n{}\nfour\nfive\nsix\n", "long ".repeat(400));
    let world = World::new(&text);
    let lease = world.check_out();
    for (name, arguments, expected) in [
        ("canvas_grep", json!({"query": "four|five|six", "regex": true}), &[(4, 6)][..]),
        ("canvas_grep", json!({"query": "one|long", "regex": true}), &[(1, 1)]),
        ("canvas_grep", json!({"query": "two", "context": 1}), &[(1, 2)]),
        ("canvas_grep", json!({"query": "one|six", "regex": true}), &[(1, 1), (6, 6)]),
        ("canvas_read_lines", json!({"start_line": 2, "end_line": 99}), &[(2, 6)]),
        ("canvas_read_all", json!({}), &[(1, 6)]),
        ("canvas_apply_patch", json!({"patch": "@@\n-one\n+1\n@@\n-five\n"}), &[(1, 2), (4, 5)]),
        ("canvas_apply_patch", json!({"patch": "@@\n-four\n+4\n"}), &[(4, 5)]),
    ] {
        let mut arguments = arguments;
        arguments["lease_id"] = json!(lease);
        let reply = world.tool(name, arguments);
        let shown: Vec<_> = reply.shown_lines().iter().map(|lines| (lines.start, lines.end)).collect();
        assert_eq!(shown, expected, "{name} {}", reply.body());
    }
}

/// Time that grows with the text, not with what an expression could try.
#[test]
fn a_costly_query_on_a_huge_line_comes_to_an_end() {
    let text = format!("{}b\n", "a".repeat(100_000));
    assert_eq!(grep(&text, json!({"query": "(a+)+c", "regex": true})), json!({"matches": [], "total": 0}));
    let many = format!("{}c", "a".repeat(4_000));
    assert_eq!(grep(&text, json!({"query": many})), json!({"matches": [], "total": 0}));
    let few = format!("{}c", "a".repeat(60));
    assert_eq!(grep(&text, json!({"query": few})), json!({"matches": [], "total": 0}));
}
