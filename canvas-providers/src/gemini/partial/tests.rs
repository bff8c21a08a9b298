use serde_json::json;

use super::*;

/// Returns the arguments, and the text that was shown for them.
fn assemble(pieces: &[Value]) -> Option<(Value, String)> {
    let (mut assembly, mut shown) = (Assembly::default(), String::new());
    for piece in pieces {
        let text = piece.to_string();
        shown.push_str(&assembly.take(&serde_json::from_str(&text).expect("a piece")).ok()?);
    }
    shown.push_str(&assembly.close());
    Some((Value::Object(assembly.into_value()), shown))
}

#[test]
fn pieces_become_arguments_and_their_text() {
    let table = [
        (json!([]), json!({})),
        (
            json!([{"jsonPath": "$.a", "stringValue": "x\"", "willContinue": true},
                {"jsonPath": "$.a", "stringValue": "\ny", "willContinue": true}, {"jsonPath": "$.a", "stringValue": ""}]),
            json!({"a": "x\"\ny"}),
        ),
        (
            json!([{"jsonPath": "$.a.b[0].c", "numberValue": 3}, {"jsonPath": "$.a.b[0].d", "boolValue": false},
                {"jsonPath": "$.a.b[1]", "nullValue": "NULL_VALUE"}, {"jsonPath": "$.e", "numberValue": -0.5}]),
            json!({"a": {"b": [{"c": 3, "d": false}, null]}, "e": -0.5}),
        ),
        (
            json!([{"jsonPath": "$['it\\'s'][\"q\\\"\"]['\\u0061.[']", "stringValue": "v"}]),
            json!({"it's": {"q\"": {"a.[": "v"}}}),
        ),
        (json!([{"jsonPath": "$.a", "stringValue": "x", "willContinue": true}]), json!({"a": "x"})),
    ];
    for (pieces, expected) in table {
        let (arguments, shown) = assemble(pieces.as_array().expect("a list")).expect("they fit");
        assert_eq!(arguments, expected);
        assert_eq!(serde_json::from_str::<Value>(&shown).expect(&shown), expected, "{shown}");
    }
}

#[test]
fn a_piece_that_goes_back_is_taken_and_no_longer_shown() {
    let pieces = [
        json!({"jsonPath": "$.a.x", "numberValue": 1}),
        json!({"jsonPath": "$.b", "numberValue": 2}),
        json!({"jsonPath": "$.a.y", "numberValue": 3}),
        json!({"jsonPath": "$.b", "numberValue": 4}),
    ];
    let (arguments, shown) = assemble(&pieces).expect("they fit");
    assert_eq!(arguments, json!({"a": {"x": 1, "y": 3}, "b": 4}));
    assert_eq!(shown, "{\"a\":{\"x\":1},\"b\":2");
}

#[test]
fn what_does_not_fit_is_refused() {
    let deep = format!("$.a{}", "[0]".repeat(MAX_LEVELS));
    let table = [
        json!([{"jsonPath": "$", "numberValue": 1}]),
        json!([{"jsonPath": "$[0]", "numberValue": 1}]),
        json!([{"jsonPath": "a", "numberValue": 1}]),
        json!([{"jsonPath": "$.", "numberValue": 1}]),
        json!([{"jsonPath": "$..a", "numberValue": 1}]),
        json!([{"jsonPath": "$.a[", "numberValue": 1}]),
        json!([{"jsonPath": "$.a[-1]", "numberValue": 1}]),
        json!([{"jsonPath": "$.a['b", "numberValue": 1}]),
        json!([{"jsonPath": "$.a[1]", "numberValue": 1}]),
        json!([{"jsonPath": deep, "numberValue": 1}]),
        json!([{"jsonPath": "$.a", "numberValue": "1"}]),
        json!([{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a.b", "numberValue": 1}]),
        json!([{"jsonPath": "$.a.b", "numberValue": 1}, {"jsonPath": "$.a", "numberValue": 1}]),
        json!([{"jsonPath": "$.a.b", "numberValue": 1}, {"jsonPath": "$.a[0]", "numberValue": 1}]),
    ];
    for pieces in table {
        assert_eq!(assemble(pieces.as_array().expect("a list")), None, "{pieces}");
    }
}
