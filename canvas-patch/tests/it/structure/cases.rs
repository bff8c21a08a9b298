//! Each edit with its texts before and after, or with the code of its refusal.

use canvas_patch::{Address, EditPolicy, Effect, LiveOutline, StructureEdit, effects};
use serde_json::{Value, json};

use super::{edit, edited};

fn check(cases: &[(&str, &str, Value, &str)]) {
    for (name, text, json, expected) in cases {
        let result = edited(text, &edit(json));
        match &result {
            Ok(edited) => assert_eq!(edited.text, *expected, "{name}: {json}"),
            Err(error) => assert_eq!(error.code(), *expected, "{name}: {json}: {error}"),
        }
    }
}

const AB: &str = "# A\n\na\n\n# B\n\nb\n";

#[test]
fn sections_move() {
    let moved = |from: &str, to: &str, place: &str| json!({"move": {"from": {"section": [from]}, to: {"section": [place]}}});
    check(&[
        ("down", AB, moved("A", "after", "B"), "# B\n\nb\n\n# A\n\na\n"),
        ("up", AB, moved("B", "before", "A"), "# B\n\nb\n\n# A\n\na\n"),
        ("nowhere", AB, moved("B", "after", "A"), "NO_EFFECT"),
        ("into itself", AB, moved("B", "before", "B"), "MOVE_INTO_ITSELF"),
        ("into its own subsection", "# A\n\n## B\n\n# C\n", moved("A", "after", "B"), "MOVE_INTO_ITSELF"),
        ("unknown", AB, moved("C", "after", "A"), "ADDRESS_NOT_FOUND"),
        ("ambiguous", "# A\n# A\n# B\n", moved("A", "after", "B"), "ADDRESS_AMBIGUOUS"),
        ("without a last newline", "# A\n\na\n\n# B\n\nb", moved("A", "after", "B"), "# B\n\nb\n\n# A\n\na"),
        (
            "CRLF",
            "# A\r\n\r\na\r\n\r\n# B\r\nb\r\n",
            moved("A", "after", "B"),
            "# B\r\nb\r\n\r\n# A\r\n\r\na\r\n",
        ),
        ("BOM", "\u{feff}# A\n\n# B\n", moved("B", "before", "A"), "\u{feff}# B\n\n# A\n"),
        (
            "below front matter",
            "---\nt: 1\n---\n# A\n\n# B\n",
            moved("B", "before", "A"),
            "---\nt: 1\n---\n# B\n\n# A\n",
        ),
        (
            "over underlined headings",
            "A\n===\na\n\nB\n===\nb\n",
            moved("A", "after", "B"),
            "B\n===\nb\n\nA\n===\na\n",
        ),
        ("into, one level deeper", AB, moved("B", "into", "A"), "# A\n\na\n\n## B\n\nb\n"),
        (
            "into, from above",
            "# A\n\n## A1\n\n# B\n\n## B1\n\nb1\n",
            moved("A", "into", "B"),
            "# B\n\n## B1\n\nb1\n\n## A\n\n### A1\n",
        ),
        (
            "into, already there but at another level",
            "# A\n\n### C\n",
            moved("C", "into", "A"),
            "# A\n\n## C\n",
        ),
        ("too deep", "# A\n\n###### F\n\n# B\n", moved("A", "into", "B"), "LEVEL_OUT_OF_RANGE"),
        (
            "with a level shift",
            AB,
            json!({"move": {"from": {"section": ["B"]}, "before": {"section": ["A"]}, "shift": 2}}),
            "### B\n\nb\n\n# A\n\na\n",
        ),
        (
            "an open fence at the end",
            "# A\n\na\n\n# B\n\n```\nb\n",
            moved("B", "before", "A"),
            "STRUCTURE_SPILLED",
        ),
        (
            "paragraphs do not run together",
            "p\n# A\n\na\n\nB\n===\nb\n",
            moved("A", "after", "B"),
            "p\n\nB\n===\nb\n\n# A\n\na\n",
        ),
        (
            "definitions at the end go along",
            "# A\n\n[x]\n\n[x]: y\n\n# B\n\nb\n",
            moved("A", "after", "B"),
            "# B\n\nb\n\n# A\n\n[x]\n\n[x]: y\n",
        ),
        (
            "another definition would come first",
            "# A\n\n[x]: y\n\n# B\n\n[x]: z\n",
            moved("B", "before", "A"),
            "STRUCTURE_SPILLED",
        ),
        (
            "in a quote",
            "> # A\n>\n> a\n>\n> # B\n>\n> b\n",
            moved("A", "after", "B"),
            "> # B\n>\n> b\n>\n> # A\n>\n> a\n",
        ),
    ]);
}

#[test]
fn other_blocks_move_and_go() {
    let list = "# L\n\n- a\n  - a1\n- b\n\n```\ncode\n```\n\nend\n";
    let moved = |from: Value, to: Value| json!({"move": {"from": from, "before": to}});
    check(&[
        (
            "an item",
            list,
            moved(json!({"section": ["L"], "item": 2}), json!({"section": ["L"], "item": 1})),
            "# L\n\n- b\n- a\n  - a1\n\n```\ncode\n```\n\nend\n",
        ),
        (
            "a fence",
            list,
            moved(json!({"section": ["L"], "fence": 1}), json!({"section": ["L"], "item": 1})),
            "# L\n\n```\ncode\n```\n\n- a\n  - a1\n- b\n\nend\n",
        ),
        (
            "a paragraph of the document",
            list,
            moved(json!({"paragraph": 1}), json!({"fence": 1})),
            "# L\n\n- a\n  - a1\n- b\n\nend\n\n```\ncode\n```\n",
        ),
        ("lines", "a\nb\nc\n", moved(json!({"lines": [3, 3]}), json!({"lines": [1, 1]})), "c\na\nb\n"),
        (
            "a table",
            "| a |\n| - |\n\np\n",
            json!({"move": {"from": {"table": 1}, "after": {"paragraph": 1}}}),
            "p\n\n| a |\n| - |\n",
        ),
        (
            "a fence into a section",
            "# A\n\n```\nx\n```\n\n# B\n\nb\n\n## C\n",
            json!({"move": {"from": {"fence": 1}, "into": {"section": ["B"]}}}),
            "# A\n\n# B\n\nb\n\n```\nx\n```\n\n## C\n",
        ),
        ("a section goes", AB, json!({"delete": {"section": ["A"]}}), "# B\n\nb\n"),
        ("the last section goes", AB, json!({"delete": {"section": ["B"]}}), "# A\n\na\n"),
        ("the only section goes", "# A\n", json!({"delete": {"section": ["A"]}}), ""),
        ("a body goes", AB, json!({"delete": {"section": ["A"], "body": true}}), "# A\n\n# B\n\nb\n"),
        ("a fence goes", "p\n```\nx\n```\nq\n", json!({"delete": {"fence": 1}}), "p\n\nq\n"),
        ("front matter goes", "---\na: 1\n---\n\np\n", json!({"delete": {"front_matter": true}}), "p\n"),
        (
            "a footnote goes",
            "a[^1]\n\n[^1]: note\n\nb\n",
            json!({"delete": {"footnote": "1"}}),
            "a[^1]\n\nb\n",
        ),
        ("an unknown footnote", "a\n", json!({"delete": {"footnote": "1"}}), "ADDRESS_NOT_FOUND"),
    ]);
}

#[test]
fn levels_shift() {
    let shift = |by: i8| json!({"shift": {"section": ["A"], "by": by}});
    check(&[
        ("with all below", "# A\n\n## B ##\n\n# C\n", shift(1), "## A\n\n### B ###\n\n# C\n"),
        ("back", "## A\n\n### B ###\n\n# C\n", shift(-1), "# A\n\n## B ##\n\n# C\n"),
        ("an underline", "A\n===\n\nB\n---\n\n", shift(0), "NO_EFFECT"),
        ("an underline, deeper", "A\n===\n\nt\n", shift(1), "A\n---\n\nt\n"),
        ("an underline becomes marks", "A\n===\n\nt\n", shift(2), "### A\n\nt\n"),
        ("out of range", "# A\n\n###### B\n", shift(1), "LEVEL_OUT_OF_RANGE"),
        ("below 1", "# A\n", shift(-1), "LEVEL_OUT_OF_RANGE"),
    ]);
}

#[test]
fn headings_are_renamed() {
    let rename = |title: &str| json!({"rename": {"section": ["A"], "title": title}});
    let linked = |title: &str| json!({"rename": {"section": ["A"], "title": title, "links": true}});
    check(&[
        ("marks", "# A #\n\n[a](#a)\n", rename("B `c`"), "# B `c` #\n\n[a](#a)\n"),
        ("underline", "A\n===\n", rename("B"), "B\n===\n"),
        ("same", "# A\n", rename("A"), "NO_EFFECT"),
        ("empty", "# A\n", rename(" "), "VALUE_INVALID"),
        ("two lines", "# A\n", rename("B\nC"), "VALUE_INVALID"),
        ("a closing mark", "# A\n", rename("B #"), "VALUE_INVALID"),
        ("no title below an underline", "A\n===\n", rename("- B"), "VALUE_INVALID"),
        (
            "an explicit id stays",
            "# A {#x}\n",
            json!({"rename": {"section": ["A {#x}"], "title": "B"}}),
            "# B {#x}\n",
        ),
        (
            "links follow",
            "# A\n\n[a](#a) [b](<#a> \"t\") [r]\n\n[r]: #a\n",
            linked("New one"),
            "# New one\n\n[a](#new-one) [b](<#new-one> \"t\") [r]\n\n[r]: #new-one\n",
        ),
        (
            "later headings of the same title too",
            "# A\n\n# B\n\n# B\n\n[a](#a) [b](#b) [c](#b-1)\n",
            linked("B"),
            "# B\n\n# B\n\n# B\n\n[a](#b) [b](#b-1) [c](#b-2)\n",
        ),
        (
            "a link in percent stays in percent",
            "# A\n\n[a](#a) [b](#%61)\n",
            linked("É"),
            "# É\n\n[a](#é) [b](#%C3%A9)\n",
        ),
        ("in a list", "- # A\n\n  a\n", rename("B"), "- # B\n\n  a\n"),
        ("in a quote", "> A\n> ===\n> a\n", rename("B"), "> B\n> ===\n> a\n"),
        ("an empty heading", "#\n", json!({"rename": {"section": [""], "title": "B"}}), "# B\n"),
    ]);
}

const TABLE: &str = "| Name | Price |\n| ---- | ----: |\n| a    |     1 |\n| b    |    22 |\n";

#[test]
fn tables_change() {
    let change = |change: &str, value: Value| json!({"table": {"table": 1, change: value}});
    let set = |row: usize, column: Value, value: &str| {
        change("set", json!({"row": row, "column": column, "value": value}))
    };
    check(&[
        (
            "a cell keeps its width",
            TABLE,
            set(1, json!("Name"), "xyz"),
            "| Name | Price |\n| ---- | ----: |\n| xyz  |     1 |\n| b    |    22 |\n",
        ),
        (
            "a column to the right",
            TABLE,
            set(2, json!(2), "333"),
            "| Name | Price |\n| ---- | ----: |\n| a    |     1 |\n| b    |   333 |\n",
        ),
        (
            "a longer value",
            TABLE,
            set(1, json!(1), "longer"),
            "| Name | Price |\n| ---- | ----: |\n| longer |     1 |\n| b    |    22 |\n",
        ),
        ("its own value", TABLE, set(1, json!(1), "a"), "NO_EFFECT"),
        ("pipes", "|a|\n|-|\n|b|\n", set(1, json!(1), "x|`y|z`\\|"), "|a|\n|-|\n|x\\|`y\\|z`\\||\n"),
        ("a line end", TABLE, set(1, json!(1), "x\ny"), "VALUE_INVALID"),
        ("row 0", TABLE, set(0, json!(1), "x"), "ROW_NOT_FOUND"),
        ("row 3", TABLE, set(3, json!(1), "x"), "ROW_NOT_FOUND"),
        ("column 3", TABLE, set(1, json!(3), "x"), "COLUMN_NOT_FOUND"),
        ("no such header", TABLE, set(1, json!("price"), "x"), "COLUMN_NOT_FOUND"),
        ("two headers", "|a|a|\n|-|-|\n|b|c|\n", set(1, json!("a"), "x"), "ADDRESS_AMBIGUOUS"),
        ("no table", "a\n", set(1, json!(1), "x"), "TABLE_NOT_FOUND"),
        (
            "a short row",
            "| a | b | c |\n|---|---|---|\n| 1 |\n",
            set(1, json!(3), "x"),
            "| a | b | c |\n|---|---|---|\n| 1 | | x |\n",
        ),
        (
            "without pipes at the ends",
            "a | b\n--- | ---\n1 | 2\n",
            set(1, json!(2), "x"),
            "a | b\n--- | ---\n1 | x\n",
        ),
        (
            "an empty first cell",
            "a | b\n--- | ---\n1 | 2\n",
            set(1, json!(1), ""),
            "a | b\n--- | ---\n| | 2\n",
        ),
        (
            "the start of a list",
            "a | b\n--- | ---\n1 | 2\n",
            set(1, json!(1), "- x"),
            "a | b\n--- | ---\n| - x | 2\n",
        ),
        (
            "below a paragraph",
            "text\na | b\n--- | ---\n1 | 2",
            set(1, json!(2), "x"),
            "text\na | b\n--- | ---\n1 | x",
        ),
        ("in a quote", "> | a |\n> | - |\n> | b |\n", set(1, json!(1), "x"), "> | a |\n> | - |\n> | x |\n"),
        ("in a list", "- | a |\n  | - |\n  | b |\n", set(1, json!(1), "x"), "- | a |\n  | - |\n  | x |\n"),
        (
            "insert a row",
            TABLE,
            change("insert_row", json!({"at": 2, "cells": ["x"]})),
            "| Name | Price |\n| ---- | ----: |\n| a    |     1 |\n| x    |       |\n| b    |    22 |\n",
        ),
        (
            "insert the last row",
            "| a |\n| - |\n| b |",
            change("insert_row", json!({"at": 2, "cells": ["c"]})),
            "| a |\n| - |\n| b |\n| c |",
        ),
        (
            "insert the first row",
            "| a |\n| - |\n",
            change("insert_row", json!({"at": 1, "cells": ["c"]})),
            "| a |\n| - |\n| c |\n",
        ),
        (
            "too many cells",
            TABLE,
            change("insert_row", json!({"at": 1, "cells": ["a", "b", "c"]})),
            "VALUE_INVALID",
        ),
        ("too far down", TABLE, change("insert_row", json!({"at": 4, "cells": []})), "ROW_NOT_FOUND"),
        (
            "insert a row in a list",
            "- | a |\n  | - |\n\n  end\n",
            change("insert_row", json!({"at": 1, "cells": ["c"]})),
            "- | a |\n  | - |\n  | c |\n\n  end\n",
        ),
        (
            "remove a row",
            TABLE,
            change("remove_row", json!({"row": 1})),
            "| Name | Price |\n| ---- | ----: |\n| b    |    22 |\n",
        ),
        (
            "remove the last row",
            "| a |\n| - |\n| b |",
            change("remove_row", json!({"row": 1})),
            "| a |\n| - |",
        ),
        (
            "move a row down",
            TABLE,
            change("move_row", json!({"row": 1, "to": 2})),
            "| Name | Price |\n| ---- | ----: |\n| b    |    22 |\n| a    |     1 |\n",
        ),
        (
            "move a row up",
            "|a|\n|-|\n|b|\n|c|",
            change("move_row", json!({"row": 2, "to": 1})),
            "|a|\n|-|\n|c|\n|b|",
        ),
        ("move a row nowhere", TABLE, change("move_row", json!({"row": 1, "to": 1})), "NO_EFFECT"),
        (
            "insert a column",
            "| a |\n| - |\n| b |\n",
            change("insert_column", json!({"at": 2, "name": "n", "cells": ["x"]})),
            "| a | n |\n| - | --- |\n| b | x |\n",
        ),
        (
            "insert the first column",
            "a | b\n- | -\n1 | 2\n",
            change("insert_column", json!({"at": 1, "name": "n"})),
            "n | a | b\n--- | - | -\n|  | 1 | 2\n",
        ),
        (
            "too many cells of a column",
            "| a |\n| - |\n",
            change("insert_column", json!({"at": 1, "name": "n", "cells": ["x"]})),
            "VALUE_INVALID",
        ),
        (
            "remove a column",
            TABLE,
            change("remove_column", json!({"column": "Price"})),
            "| Name |\n| ---- |\n| a    |\n| b    |\n",
        ),
        (
            "remove down to one without pipes",
            "a | b\n- | -\n1 | 2\n",
            change("remove_column", json!({"column": 2})),
            "| a |\n| - |\n| 1 |\n",
        ),
        (
            "remove the only column",
            "| a |\n| - |\n",
            change("remove_column", json!({"column": 1})),
            "TABLE_SHAPE",
        ),
        (
            "remove beside hidden cells",
            "| a | b |\n| - | - |\n| 1 | 2 | 3 |\n",
            change("remove_column", json!({"column": 1})),
            "TABLE_SHAPE",
        ),
        (
            "move a column",
            TABLE,
            change("move_column", json!({"column": "Price", "to": 1})),
            "| Price | Name |\n| ----: | ---- |\n|     1 | a    |\n|    22 | b    |\n",
        ),
        (
            "move a column without pipes",
            "a | b\n- | -\n1 | 2\n",
            change("move_column", json!({"column": 1, "to": 2})),
            "b | a\n- | -\n2 | 1\n",
        ),
        (
            "move a column of a short row",
            "| a | b |\n|---|---|\n| 1 |\n",
            change("move_column", json!({"column": 1, "to": 2})),
            "| b | a |\n|---|---|\n| | 1 |\n",
        ),
        (
            "CRLF",
            "|a|\r\n|-|\r\n|b|\r\n",
            change("insert_row", json!({"at": 1, "cells": ["x"]})),
            "|a|\r\n|-|\r\n|x|\r\n|b|\r\n",
        ),
        ("a table in a fence is none", "```\n|a|\n|-|\n```\n", set(1, json!(1), "x"), "TABLE_NOT_FOUND"),
    ]);
}

#[test]
fn front_matter_keys() {
    let set = |key: &str, value: Value| json!({"front_matter": {"key": key, "value": value}});
    let gone = |key: &str| json!({"front_matter": {"key": key, "remove": true}});
    let text = "---\n# about\ntitle: 'Old'  # kept\ndate: 2020-01-02\ntags: [a, b]\nlist:\n  - x\n  - \"y\"\nauthor:\n  name: Ada\nempty:\nlong: |\n  one\n  two\n---\n\nText\n";
    let with = |old: &str, new: &str| text.replacen(old, new, 1);
    let cases: Vec<(&str, &str, Value, String)> = vec![
        ("quoted", text, set("title", json!("It's")), with("'Old'", "'It''s'")),
        ("a date stays one", text, set("date", json!("2021-03-04")), with("2020-01-02", "2021-03-04")),
        (
            "a date as a text",
            text,
            set("empty", json!("2021-03-04")),
            with("empty:", "empty: \"2021-03-04\""),
        ),
        ("flow", text, set("tags", json!(["c", "d, e"])), with("[a, b]", "[c, \"d, e\"]")),
        ("a list", text, set("list", json!(["x", "z", 3])), with("- x\n  - \"y\"", "- x\n  - \"z\"\n  - 3")),
        ("nested", text, set("author.name", json!("Bo")), with("Ada", "Bo")),
        (
            "a new nested key",
            text,
            set("author.age", json!(36)),
            with("  name: Ada\n", "  name: Ada\n  age: 36\n"),
        ),
        ("a new key", text, set("new", json!(true)), with("  two\n", "  two\nnew: true\n")),
        ("a new path", text, set("a.b", json!(null)), with("  two\n", "  two\na:\n  b: null\n")),
        ("empty", text, set("empty", json!("yes")), with("empty:", "empty: \"yes\"")),
        ("a number", text, set("title", json!(1.5)), with("'Old'", "1.5")),
        ("the same", text, set("title", json!("Old")), "NO_EFFECT".into()),
        ("the same list", text, set("tags", json!(["a", "b"])), "NO_EFFECT".into()),
        ("several lines", text, set("long", json!("x")), "FRONT_MATTER_UNSUPPORTED".into()),
        ("below a value", text, set("title.x", json!("x")), "KEY_NOT_FOUND".into()),
        ("gone", text, gone("date"), with("date: 2020-01-02\n", "")),
        ("gone list", text, gone("list"), with("list:\n  - x\n  - \"y\"\n", "")),
        ("gone nested", text, gone("author.name"), with("author:\n  name: Ada", "author: {}")),
        ("gone before", text, gone("nothing"), "KEY_NOT_FOUND".into()),
        ("the last key", "---\na: 1\n---\n\np\n", gone("a"), "p\n".into()),
        ("created", "# T\n", set("a", json!("b")), "---\na: b\n---\n\n# T\n".into()),
        (
            "created below a mark",
            "\u{feff}# T\r\n",
            set("a", json!("b")),
            "\u{feff}---\r\na: b\r\n---\r\n\r\n# T\r\n".into(),
        ),
        ("no front matter", "# T\n", gone("a"), "ADDRESS_NOT_FOUND".into()),
        ("unclosed", "---\na: 1\n\n# T\n", set("a", json!("b")), "FRONT_MATTER_UNSUPPORTED".into()),
        ("a rule", "---\n\n# T\n", set("a", json!("b")), "---\na: b\n---\n\n---\n\n# T\n".into()),
        ("TOML", "+++\na = 1\n+++\n", set("a", json!("b")), "FRONT_MATTER_UNSUPPORTED".into()),
        ("JSON", "{\n\"a\": 1\n}\n", set("a", json!("b")), "FRONT_MATTER_UNSUPPORTED".into()),
        ("twice", "---\na: 1\na: 2\n---\n", set("a", json!("b")), "ADDRESS_AMBIGUOUS".into()),
        ("an anchor", "---\na: &x 1\nb: *x\n---\n", set("a", json!("b")), "FRONT_MATTER_UNSUPPORTED".into()),
        ("an alias", "---\na: &x 1\nb: *x\n---\n", set("b", json!("b")), "FRONT_MATTER_UNSUPPORTED".into()),
        ("a tag", "---\na: !x 1\n---\n", set("a", json!("b")), "FRONT_MATTER_UNSUPPORTED".into()),
        (
            "beside an anchor",
            "---\na: &x 1\nb: 2\n---\n",
            set("b", json!(3)),
            "---\na: &x 1\nb: 3\n---\n".into(),
        ),
        (
            "folded over lines",
            "---\na: one\n  two\n---\n",
            set("a", json!("b")),
            "FRONT_MATTER_UNSUPPORTED".into(),
        ),
        (
            "a dotted key",
            "---\na.b: 1\na:\n  b: 2\n---\n",
            set("a.b", json!(3)),
            "---\na.b: 3\na:\n  b: 2\n---\n".into(),
        ),
        ("a line end", "---\na: 1\n---\n", set("a", json!("x\ny")), "---\na: \"x\\ny\"\n---\n".into()),
        ("no name", "---\na: 1\n---\n", set("a..b", json!(1)), "VALUE_INVALID".into()),
        ("only comments", "---\n# c\n---\n", set("a", json!(1)), "---\n# c\na: 1\n---\n".into()),
        ("a list of all", "---\n- a\n---\n", set("a", json!(1)), "FRONT_MATTER_UNSUPPORTED".into()),
        (
            "in flow",
            "---\nm: {a: 1, b: 2}\n---\n",
            set("m.a", json!("x, y")),
            "---\nm: {a: \"x, y\", b: 2}\n---\n".into(),
        ),
        ("into flow", "---\nm: {a: 1}\n---\n", set("m.c", json!(1)), "FRONT_MATTER_UNSUPPORTED".into()),
        ("malformed", "---\na: [1\n---\n", set("b", json!(1)), "FRONT_MATTER_UNSUPPORTED".into()),
    ];
    let cases: Vec<_> =
        cases.iter().map(|(name, text, edit, new)| (*name, *text, edit.clone(), new.as_str())).collect();
    check(&cases);
}

#[test]
fn items_change() {
    let item = |numbers: Value, change: &str, value: Value| json!({"item": {"item": numbers, change: value}});
    let tasks = "# T\n\n- [ ] a\n  - [x] b\n- [X] c\n";
    check(&[
        ("check", tasks, item(json!(1), "check", json!(true)), "# T\n\n- [x] a\n  - [x] b\n- [X] c\n"),
        ("uncheck", tasks, item(json!(2), "check", json!(false)), "# T\n\n- [ ] a\n  - [x] b\n- [ ] c\n"),
        ("nested", tasks, item(json!([1, 1]), "check", json!(false)), "# T\n\n- [ ] a\n  - [ ] b\n- [X] c\n"),
        ("already", tasks, item(json!(2), "check", json!(true)), "NO_EFFECT"),
        ("no task", "- a\n", item(json!(1), "check", json!(true)), "VALUE_INVALID"),
        ("no item", "a\n", item(json!(1), "check", json!(true)), "ADDRESS_NOT_FOUND"),
        ("insert", "- a\n- b\n", item(json!(1), "insert_after", json!("x")), "- a\n- x\n- b\n"),
        (
            "insert a task",
            tasks,
            item(json!(1), "insert_after", json!("x")),
            "# T\n\n- [ ] a\n  - [x] b\n- [ ] x\n- [X] c\n",
        ),
        (
            "insert nested",
            tasks,
            item(json!([1, 1]), "insert_after", json!("x")),
            "# T\n\n- [ ] a\n  - [x] b\n  - [ ] x\n- [X] c\n",
        ),
        ("insert at the end", "- a", item(json!(1), "insert_after", json!("x")), "- a\n- x"),
        (
            "insert into a loose list",
            "* a\n\n* b\n",
            item(json!(2), "insert_after", json!("x\n\ny")),
            "* a\n\n* b\n\n* x\n\n  y\n",
        ),
        (
            "insert a number",
            "1. a\n2. b\n3. c\n",
            item(json!(1), "insert_after", json!("x")),
            "1. a\n2. x\n3. b\n4. c\n",
        ),
        ("insert a one", "1. a\n1. b\n", item(json!(1), "insert_after", json!("x")), "1. a\n1. x\n1. b\n"),
        (
            "insert into gaps",
            "1) a\n5) b\n",
            item(json!(1), "insert_after", json!("x")),
            "1) a\n2) x\n5) b\n",
        ),
        (
            "insert before ten",
            "9. a\n10. b\n    c\n",
            item(json!(1), "insert_after", json!("x")),
            "9. a\n10. x\n11. b\n    c\n",
        ),
        (
            "insert and grow",
            "8. a\n9. b\n   c\n",
            item(json!(1), "insert_after", json!("x")),
            "8. a\n9. x\n10. b\n    c\n",
        ),
        ("insert nothing", "- a\n", item(json!(1), "insert_after", json!(" ")), "VALUE_INVALID"),
        (
            "insert in a quote",
            "> - a\n",
            item(json!(1), "insert_after", json!("x\ny")),
            "> - a\n> - x\n>   y\n",
        ),
        ("remove", "- a\n- b\n- c\n", item(json!(2), "remove", json!(true)), "- a\n- c\n"),
        ("remove a number", "1. a\n2. b\n3. c\n", item(json!(1), "remove", json!(true)), "1. b\n2. c\n"),
        ("remove the last", "- a\n- b", item(json!(2), "remove", json!(true)), "- a"),
        (
            "remove behind a marker",
            "- - a\n  - b\n",
            item(json!([1, 1]), "remove", json!(true)),
            "VALUE_INVALID",
        ),
        ("move down", "- a\n- b\n- c\n", item(json!(1), "move_to", json!(3)), "- b\n- c\n- a\n"),
        ("move up", "1. a\n2. b\n3. c\n", item(json!(3), "move_to", json!(1)), "1. c\n2. a\n3. b\n"),
        ("move nowhere", "- a\n", item(json!(1), "move_to", json!(1)), "NO_EFFECT"),
        ("move too far", "- a\n- b\n", item(json!(1), "move_to", json!(3)), "ADDRESS_NOT_FOUND"),
        (
            "move inwards",
            "- a\n  - x\n- b\n  c\n",
            item(json!(2), "move_to", json!([1, 2])),
            "- a\n  - x\n  - b\n    c\n",
        ),
        ("move outwards", "- a\n  - x\n- b\n", item(json!([1, 1]), "move_to", json!(2)), "- a\n- x\n- b\n"),
        ("renumber", "1. a\n1. b\n5. c\n", json!({"renumber": {"list": 1}}), "1. a\n2. b\n3. c\n"),
        (
            "renumber the second",
            "- a\n\n3. a\n\n   p\n3. b\n",
            json!({"renumber": {"list": 1}}),
            "- a\n\n3. a\n\n   p\n4. b\n",
        ),
        ("renumber again", "1. a\n2. b\n", json!({"renumber": {"list": 1}}), "NO_EFFECT"),
        ("renumber nothing", "- a\n", json!({"renumber": {"list": 1}}), "ADDRESS_NOT_FOUND"),
    ]);
}

#[test]
fn all_matches_are_replaced() {
    let all = |find: &str, with: &str, count: usize| json!({"replace_all": {"find": find, "with": with, "count": count}});
    let lines = |find: &str, with: &str, lines: usize| json!({"replace_all": {"find": find, "with": with, "lines": lines}});
    check(&[
        ("two", "a b a\r\nA\n", all("a", "x", 2), "x b x\r\nA\n"),
        ("another count", "a b a\n", all("a", "x", 1), "COUNT_DIFFERS"),
        ("none", "b\n", all("a", "x", 0), "NO_EFFECT"),
        ("the same", "a\n", all("a", "a", 1), "NO_EFFECT"),
        (
            "groups",
            "a1 b2\n",
            json!({"replace_all": {"find": r"([a-z])(\d)", "with": "$2$1", "regex": true, "count": 2}}),
            "1a 2b\n",
        ),
        (
            "lines",
            "a\nb\n",
            json!({"replace_all": {"find": "^", "with": "> ", "regex": true, "count": 2}}),
            "VALUE_INVALID",
        ),
        ("a dollar", "a\n", all("a", "$1", 1), "$1\n"),
        ("by lines", "a b a\r\nA\na", lines("a", "x", 2), "x b x\r\nA\nx"),
        ("as many matches as lines", "a b a\n", lines("a", "x", 2), "COUNT_DIFFERS"),
        ("touching matches", "aa\na\n", lines("a", "x", 2), "xx\nx\n"),
    ]);
}

/// The code of the refusal, or nothing if the edit is allowed.
fn refused(text: &str, change: &Value, protected: &Value, keeps_addresses: bool) -> Option<String> {
    let made = edited(text, &edit(change)).unwrap_or_else(|error| panic!("{change}: {error}"));
    let protected: Vec<Address> = vec![serde_json::from_value(protected.clone()).unwrap()];
    let policy = EditPolicy { protected, keeps_addresses, ..EditPolicy::default() };
    let checked = LiveOutline::new(text.to_owned()).check_edit(&made.text, made.delta.edits(), &policy);
    checked.err().map(|error| error.code().to_owned())
}

#[test]
fn protected_places_stay() {
    let text = "---\nk: v\nl: w\n---\n\n# A\n\na\n\n## A1\n\n| x |\n| - |\n| y |\n| z |\n\n# B\n\nb\n\n- c\n- d\n\n# C\n\ne\n";
    let (a, b) = (json!({"section": ["A"]}), json!({"section": ["B"]}));
    let moved = |from: &str, to: &str, place: &str| json!({"move": {"from": {"section": [from]}, to: {"section": [place]}}});
    let rename = |title: &str| json!({"rename": {"section": [title], "title": "N"}});
    let set = json!({"table": {"table": 1, "set": {"row": 1, "column": 1, "value": "n"}}});
    let row = |row: usize| json!({"table": 1, "row": row});
    let key = |key: &str| json!({"front_matter": {"key": key, "value": 1}});
    let item = |number: usize, change: &str, value: Value| json!({"item": {"item": number, change: value}});
    for (change, protected, is_refused) in [
        (rename("A"), &a, true),
        (rename("A1"), &a, true),
        (rename("B"), &a, false),
        (moved("A", "after", "B"), &a, true),
        (moved("B", "before", "A"), &a, false),
        (moved("C", "before", "B"), &a, false),
        (moved("C", "into", "A"), &a, true),
        (moved("C", "after", "A1"), &a, false),
        (moved("C", "after", "A"), &a, false),
        (moved("C", "after", "A"), &b, false),
        (rename("A"), &json!({"section": ["A"], "body": true}), false),
        (json!({"delete": {"section": ["A"], "body": true}}), &json!({"section": ["A"], "body": true}), true),
        (set.clone(), &row(1), true),
        (set.clone(), &row(2), false),
        (set.clone(), &json!({"table": 1}), true),
        (set.clone(), &json!({"section": ["A1"], "table": 1}), true),
        (set, &b, false),
        (key("k"), &json!({"front_matter": true, "key": "k"}), true),
        (key("l"), &json!({"front_matter": true, "key": "k"}), false),
        (key("new"), &json!({"front_matter": true}), true),
        (item(1, "remove", json!(true)), &json!({"item": 2}), false),
        (item(1, "insert_after", json!("n")), &json!({"item": 2}), false),
        (item(1, "insert_after", json!("n")), &json!({"item": 1}), false),
        (item(1, "insert_after", json!("n\n\n  m")), &json!({"section": ["B"]}), true),
        (json!({"move": {"from": {"paragraph": 3}, "after": {"item": 2}}}), &json!({"paragraph": 2}), false),
        (json!({"delete": {"paragraph": 2}}), &json!({"paragraph": 2}), true),
        (rename("A"), &json!({"section": ["none"]}), false),
    ] {
        let found = refused(text, &change, protected, false);
        assert_eq!(found.as_deref(), is_refused.then_some("PROTECTED"), "{change} {protected}");
        assert!(!is_refused || refused(text, &change, protected, true).is_some(), "{change} {protected}");
    }
    // A list that stays in force for more than one edit also keeps its addresses.
    for (change, protected, is_refused) in [
        (rename("A"), json!({"section": ["A"], "body": true}), true),
        (rename("C"), json!({"section": ["A"], "body": true}), false),
        (item(1, "remove", json!(true)), json!({"item": 2}), true),
        (item(2, "remove", json!(true)), json!({"item": 1}), false),
        (item(1, "insert_after", json!("n")), json!({"section": ["B"], "item": 2}), true),
        (json!({"rename": {"section": ["C"], "title": "B"}}), b, true),
        (json!({"delete": {"section": ["C"]}}), json!({"lines": [1, 2]}), false),
        (moved("C", "before", "A"), json!({"section": ["A"], "table": 1}), false),
    ] {
        let found = refused(text, &change, &protected, true);
        assert_eq!(found.as_deref(), is_refused.then_some("PROTECTED"), "{change} {protected}");
    }
}

#[test]
fn effects_reach_links_footnotes_and_tables() {
    for (before, after, expected) in [
        ("# A\n", "# A\n\nb\n", &[][..]),
        ("# A\n\n# B\n", "# A\n", &["ANCHOR_CHANGED 1 #b is gone"]),
        ("# A\n\n# A\n", "# B\n\n# A\n", &["ANCHOR_CHANGED 1 #a-1 is now #b"]),
        ("# A {#x}\n\n[a](#x)\n", "# B {#x}\n\n[a](#x)\n", &[]),
        ("[a](#none)\n", "[a](#none)\n\nb\n", &[]),
        ("a\n", "[a](#none)\n", &["LINK_BROKEN 1 no heading has the anchor #none"]),
        ("# \u{c9}t\u{e9}\n\n[a](#%C3%A9t%C3%A9)\n", "# \u{c9}t\u{e9}\n\nb [a](#%C3%A9t%C3%A9)\n", &[]),
        (
            "[a][l] [l]\n\n[l]: x\n",
            "[a][l] [l]\n",
            &["LINK_BROKEN 1 [l] has no definition", "LINK_BROKEN 1 [l] has no definition"],
        ),
        ("a[^1]\n\n[^1]: b\n", "a[^1]\n", &["FOOTNOTE_ORPHANED 1 [^1] has no definition"]),
        ("a[^1]\n\n[^1]: b\n", "a\n\n[^1]: b\n", &["FOOTNOTE_ORPHANED 3 no reference to [^1] is left"]),
        (
            "|a|b|\n|-|-|\n|c|d|\n",
            "|a|b|\n|-|-|\n|c|\n",
            &["TABLE_SHAPE 3 the row has 1 cells, and the table 2 columns"],
        ),
        ("|a|b|\n|-|-|\n|c|\n", "|a|b|\n|-|-|\n|c|\n|d|e|\n", &[]),
    ] {
        let found: Vec<_> = effects(before, after)
            .iter()
            .map(|Effect { code, line, detail }| {
                let code = serde_json::to_value(code).unwrap();
                format!("{} {line} {detail}", code.as_str().unwrap())
            })
            .collect();
        assert_eq!(found, expected, "{before:?} {after:?}");
    }
}

/// Edits that once gave a wrong text.
#[test]
fn neighbours_stay_whole() {
    let item = |numbers: Value, change: &str, value: Value| json!({"item": {"item": numbers, change: value}});
    let gone = |key: &str| json!({"front_matter": {"key": key, "remove": true}});
    let set = |key: &str, value: Value| json!({"front_matter": {"key": key, "value": value}});
    let lists = "5. x\n6. y\n\ntext\n\n1. a\n2. b\n3. c\n";
    check(&[
        (
            "an empty line of a quote in the item",
            "* a\n  > b\n  >\n* c\n",
            item(json!([2]), "move_to", json!([1])),
            "* c\n* a\n  > b\n  >\n",
        ),
        (
            "an empty line of a quote in the last item",
            "* c\n* a\n  > b\n  >\n\nd\n",
            item(json!([2]), "remove", json!(true)),
            "* c\n\nd\n",
        ),
        (
            "a quote below the list moves nowhere",
            "* c\n* a\n>\n> note\n",
            item(json!([2]), "move_to", json!([1])),
            "* a\n* c\n>\n> note\n",
        ),
        (
            "a quote below the list stays",
            "* c\n* a\n>\n> note\n",
            item(json!([2]), "remove", json!(true)),
            "* c\n>\n> note\n",
        ),
        (
            "an empty line of a quote around the items",
            "> * a\n>\n> * c\n",
            item(json!([2]), "move_to", json!([1])),
            "> * c\n>\n> * a\n",
        ),
        (
            "another list keeps its numbers",
            lists,
            item(json!(3), "remove", json!(true)),
            "5. x\n6. y\n\ntext\n\n1. b\n2. c\n",
        ),
        (
            "and in a move",
            lists,
            item(json!(4), "move_to", json!(3)),
            "5. x\n6. y\n\ntext\n\n1. b\n2. a\n3. c\n",
        ),
        (
            "a quote inside moves along",
            "- a\n  - x\n- b\n  > q\n",
            item(json!(2), "move_to", json!([1, 2])),
            "- a\n  - x\n  - b\n    > q\n",
        ),
        (
            "tabs are refused",
            "- a\n    - x\n- b\n\t- c\n",
            item(json!(2), "move_to", json!([1, 2])),
            "VALUE_INVALID",
        ),
        (
            "code keeps its mark",
            "9. a\n10. b\n    ```\n    >q\n    ```\n",
            item(json!(1), "remove", json!(true)),
            "9. b\n   ```\n   >q\n   ```\n",
        ),
        (
            "code moves whole",
            "8. a\n9. b\n   ```\n     > cmd\n   ```\n",
            item(json!(1), "insert_after", json!("n")),
            "8. a\n9. n\n10. b\n    ```\n      > cmd\n    ```\n",
        ),
        (
            "a quote in a longer number",
            "8. a\n9. b\n   > q\n",
            item(json!(1), "insert_after", json!("n")),
            "8. a\n9. n\n10. b\n    > q\n",
        ),
        (
            "an item goes after another, not into it",
            "- a\n  - x\n- b\n",
            json!({"move": {"from": {"item": [1, 1]}, "after": {"item": 2}}}),
            "- a\n- b\n- x\n",
        ),
        (
            "under an item without items",
            "- a\n- b\n",
            item(json!(2), "move_to", json!([1, 1])),
            "- a\n  - b\n",
        ),
        (
            "a text between lists",
            "- a\n\ntext\n\n  - b\n",
            json!({"delete": {"paragraph": 1}}),
            "STRUCTURE_SPILLED",
        ),
        (
            "a tab behind the marker",
            "-\ta\n",
            item(json!(1), "insert_after", json!("x\n\ny")),
            "-\ta\n-\tx\n\n    y\n",
        ),
        (
            "a link is no box",
            "- [ ] a\n",
            item(json!(1), "insert_after", json!("[x](u)")),
            "- [ ] a\n- [ ] [x](u)\n",
        ),
        (
            "a heading in an item",
            "- # H\n  - x\n- b\n",
            item(json!(2), "insert_after", json!("c")),
            "- # H\n  - x\n- b\n- c\n",
        ),
        (
            "nothing between the rows",
            "| a |\n| - |\n| b |\n\np\n",
            json!({"move": {"from": {"paragraph": 1}, "before": {"table": 1, "row": 1}}}),
            "VALUE_INVALID",
        ),
        (
            "no accidental heading",
            "p\n# A\n\n---\n",
            json!({"delete": {"lines": [2, 3]}}),
            "STRUCTURE_SPILLED",
        ),
        (
            "above front matter",
            "---\nk: v\n\n---\n\n# A\n\na\n",
            json!({"move": {"from": {"section": ["A"]}, "before": {"front_matter": true}}}),
            "VALUE_INVALID",
        ),
        (
            "into front matter",
            "---\nk: v\n---\n\np\n",
            json!({"move": {"from": {"paragraph": 1}, "before": {"front_matter": true, "key": "k"}}}),
            "VALUE_INVALID",
        ),
        (
            "a gap in a quote",
            "> p\n>\n> ```\n> x\n> ```\n> q\n",
            json!({"move": {"from": {"paragraph": 1}, "after": {"fence": 1}}}),
            "> ```\n> x\n> ```\n>\n> p\n>\n> q\n",
        ),
        (
            "a gap after HTML",
            "# A\n\n<div>\n</div>\n\n# B\ntext\n# C\n",
            json!({"move": {"from": {"section": ["A"]}, "after": {"section": ["B"]}}}),
            "# B\ntext\n\n# A\n\n<div>\n</div>\n\n# C\n",
        ),
        (
            "a place inside",
            "# A\n\na\n\n## B\n\nb\n",
            json!({"move": {"from": {"lines": [1, 5]}, "before": {"section": ["B"]}}}),
            "MOVE_INTO_ITSELF",
        ),
        ("an anchored mapping", "---\nm: &x {a: 1}\n---\n", gone("m.a"), "FRONT_MATTER_UNSUPPORTED"),
        ("an explicit key", "---\n? a\n: b: 1\nc: 2\n---\n", gone("a.b"), "FRONT_MATTER_UNSUPPORTED"),
        (
            "below an anchor",
            "---\nm: &x\n  a: 1\nn: *x\n---\n",
            set("m.a", json!(2)),
            "FRONT_MATTER_UNSUPPORTED",
        ),
        (
            "below an alias",
            "---\nm: &x\n  a: 1\nn: *x\n---\n",
            set("n.a", json!(2)),
            "FRONT_MATTER_UNSUPPORTED",
        ),
        ("the last key above a blank line", "---\na: 1\n\n---\n\np\n", gone("a"), "p\n"),
        ("a first key above a blank line", "---\na: 1\n\nb: 2\n---\n", gone("a"), "---\nb: 2\n---\n"),
        (
            "front matter below front matter",
            "---\na: 1\n---\n\n---\nb: 2\n---\n\nT\n",
            gone("a"),
            "VALUE_INVALID",
        ),
        ("too long", "T\n", set("a", json!("x".repeat(70_000))), "FRONT_MATTER_UNSUPPORTED"),
        ("too deep", "T\n", set(&vec!["a"; 40].join("."), json!(1)), "VALUE_INVALID"),
        ("JSON in one line", "{\"title\": \"T\"}\n\n# A\n", set("a", json!(1)), "FRONT_MATTER_UNSUPPORTED"),
        ("a template", "{{ title }}\n", set("a", json!(1)), "---\na: 1\n---\n\n{{ title }}\n"),
        ("empty front matter", "---\n---\n\np\n", set("a", json!(1)), "---\na: 1\n---\n\np\n"),
        (
            "a dot in front",
            "---\n.draft: true\n---\n",
            set(".draft", json!(false)),
            "---\n.draft: false\n---\n",
        ),
    ]);
    let wrong = serde_json::from_value::<StructureEdit>(json!({"delete": {"section": ["A"], "itme": 2}}));
    assert!(wrong.unwrap_err().to_string().contains("itme"));
    // Each of many edits is apart from the protected place.
    let text = format!("{0}\n# P\n\np\n\n# Q\n\n{0}", "a\n".repeat(200));
    let all = json!({"replace_all": {"find": "a", "with": "b", "count": 400}});
    assert_eq!(refused(&text, &all, &json!({"section": ["P"]}), true), None);
}
