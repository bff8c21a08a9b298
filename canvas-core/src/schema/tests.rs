use proptest::prelude::*;
use serde_json::{Map, json};

use crate::schema::*;

mod suite;

#[test]
fn errors_have_place_message_and_keyword() {
    let schema = Schema::compile(&json!({
        "type": "object",
        "properties": {
            "repo": {"type": "string", "pattern": "^[^/]+/[^/]+$"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "labels": {"type": "array", "items": {"enum": ["bug", "docs"]}, "uniqueItems": true},
            "a/b~c": {"not": {}},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["repo"],
        "additionalProperties": false,
    }))
    .unwrap();
    let check = |value: Value, expected: &[(&str, &str)]| {
        let errors = schema.validate(&value);
        let found: Vec<_> = errors.iter().map(|e| (e.path.as_str(), e.code.as_str())).collect();
        assert_eq!(found, expected, "{value}: {errors:?}");
        assert!(errors.iter().all(|error| !error.message.is_empty()));
    };
    check(json!({"repo": "a/b", "limit": 10}), &[]);
    check(json!({"repo": "a/b", "limit": 10.0, "labels": ["bug"]}), &[]);
    check(json!({}), &[("", "required")]);
    check(json!(7), &[("", "type")]);
    check(json!({"repo": "ab", "limit": 0}), &[("/limit", "minimum"), ("/repo", "pattern")]);
    check(json!({"repo": 3, "limit": 1.5}), &[("/limit", "type"), ("/repo", "type")]);
    check(
        json!({"repo": "a/b", "labels": ["bug", "x", "x"]}),
        &[("/labels", "uniqueItems"), ("/labels/1", "enum"), ("/labels/2", "enum")],
    );
    check(json!({"repo": "a/b", "a/b~c": 1}), &[("/a~1b~0c", "not")]);
    check(json!({"repo": "a/b", "either": 1}), &[("/either", "anyOf")]);
    check(json!({"repo": "a/b", "more": 1, "most": 1}), &[("", "additionalProperties")]);
}

#[test]
fn schemas_that_cannot_be_used_are_refused_with_code_and_place() {
    use SchemaErrorCode::{Invalid, Pattern, Reference, TooLarge};
    let deep = |n: usize| (0..n).fold(json!(true), |inner, _| json!({"not": inner}));
    for (schema, code, place) in [
        (json!(7), Invalid, ""),
        (json!({"type": "text"}), Invalid, "/type"),
        (json!({"properties": {"a": {"minLength": -1}}}), Invalid, "/properties/a/minLength"),
        (json!({"required": "a"}), Invalid, "/required"),
        (json!({"$schema": "https://json-schema.org/draft/2020-12/schema"}), Invalid, "/$schema"),
        (json!({"properties": {"a": {"$ref": "https://a.b/c.json"}}}), Reference, "/properties/a/$ref"),
        (json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}), Reference, "/properties/a/$ref"),
        (json!({"items": [{"$ref": "other.json#/a"}]}), Reference, "/items/0/$ref"),
        (json!({"items": {"$ref": "#/definitions/a"}}), Reference, "/items/$ref"),
        (json!({"items": {"$ref": "#a"}}), Reference, "/items/$ref"),
        (json!({"$ref": "#"}), Reference, ""),
        (json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}), Reference, ""),
        (
            json!({"definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"not": {"$ref": "#/definitions/a"}}},
                "items": {"$ref": "#/definitions/a"}}),
            Reference,
            "/items/$ref",
        ),
        (json!({"pattern": "("}), Pattern, "/pattern"),
        (json!({"items": {"pattern": "(?=a)b"}}), Pattern, "/items/pattern"),
        (json!({"pattern": "(a)\\1"}), Pattern, "/pattern"),
        (json!({"pattern": "((a{1000}){1000}){1000}"}), Pattern, "/pattern"),
        (json!({"patternProperties": {"(?!a)": {}}}), Pattern, "/patternProperties/(?!a)"),
        (json!({"allOf": vec![json!({"pattern": "a+b"}); 65]}), TooLarge, ""),
        (deep(200), TooLarge, ""),
        (json!({"enum": (0..20_001).collect::<Vec<_>>()}), TooLarge, ""),
        (json!({"description": "x".repeat(300_000)}), TooLarge, ""),
        (json!({"properties": {"n".repeat(200_000): {"enum": vec![0; 1_000]}}}), TooLarge, ""),
        (json!({"properties": {"a/b": {"not": {"$ref": "#c"}}}}), Reference, "/properties/a~1b/not/$ref"),
        (json!({"allOf": [{}, {"items": [{}, {"$ref": "#c"}]}]}), Reference, "/allOf/1/items/1/$ref"),
        (doubled(40), TooLarge, ""),
        (doubled(200), TooLarge, ""),
    ] {
        let error = Schema::compile(&schema).expect_err(&schema.to_string());
        assert_eq!((error.code, error.place.as_str()), (code, place), "{schema:.200}: {error}");
        assert!(error.message.len() <= MESSAGE + 3);
    }
}

/// Returns a schema that applies its last part 2^n times to one value.
fn doubled(n: usize) -> Value {
    let mut parts: Map<String, Value> = (0..n)
        .map(|k| {
            let next = json!({"$ref": format!("#/definitions/a{}", k + 1)});
            (format!("a{k}"), json!({"allOf": [next, next]}))
        })
        .collect();
    parts.insert(format!("a{n}"), json!({"type": "string"}));
    json!({"definitions": parts, "$ref": "#/definitions/a0"})
}

#[test]
fn hostile_schemas_and_values_take_little_time() {
    let nested = |n: usize, inner: Value| (0..n).fold(inner, |inner, _| json!({"a": inner}));
    // Visits double with each level of the value.
    let doubling = json!({"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
    // The same, decided by the deepest part.
    let all = json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, "required": ["a"]});
    let pattern = json!({"pattern": "^(a|aa|a*)*[^b]{1,40}(x+x+)+y$"});
    let many = json!({"allOf": vec![json!({"pattern": "(a?){100}a{100}$"}); 60]});
    let unique = json!({"uniqueItems": true});
    let objects: Vec<_> = (0..4_000).map(|n| json!({"a": n})).collect();
    let lists = json!({"items": {"uniqueItems": true, "items": {"enum": (0..300).collect::<Vec<_>>()}}});
    for (schema, value, too_large) in [
        (&doubling, nested(12, json!({})), false),
        (&doubling, nested(60, json!(1)), true),
        (&all, nested(8, json!({})), false),
        (&all, nested(60, json!({})), true),
        (&json!({}), nested(100, json!({})), true),
        (&json!({}), json!("a".repeat(70_000)), true),
        (&json!({}), json!(vec![0; 10_001]), true),
        (&json!({}), json!({"n".repeat(60_000): vec![0; 9_000]}), true),
        (&pattern, json!("a".repeat(60_000)), false),
        (&pattern, json!("\u{1F600}".repeat(16_000)), false),
        (&many, json!("a".repeat(10_000)), false),
        (&doubled(12), json!(1), false),
        (&doubled(12), json!({"a": vec![1; 9_000]}), false),
        (&doubled(14), json!(1), false),
        (&unique, json!(objects), false),
        (&unique, json!(vec![json!([1, 2, {"a": null}]); 1_900]), false),
        (&lists, json!(vec![vec![400; 90]; 100]), false),
        (&json!({"items": {"format": "regex"}}), json!(["((a{1000}){1000}){1000}", "(((a+)+)+)+$"]), false),
    ] {
        let compiled = Schema::compile(schema).unwrap();
        let errors = compiled.validate(&value);
        let refused = errors.iter().any(|error| error.code == TOO_LARGE);
        assert_eq!(refused, too_large, "{schema:.80}: {errors:.200?}");
        assert!(errors.len() <= Schema::ERRORS);
        for error in errors {
            assert!(error.message.len() <= MESSAGE + 3 && error.path.len() <= MESSAGE + 3);
        }
    }
}

#[test]
fn references_stay_within_what_was_handed_in() {
    let documents = BTreeMap::from([(
        "https://example.com/size.json".to_owned(),
        json!({"type": "integer", "minimum": 1}),
    )]);
    let schema = json!({"properties": {"size": {"$ref": "https://example.com/size.json"}}});
    let compiled = Schema::compile_with(&schema, &documents).unwrap();
    assert!(compiled.is_valid(&json!({"size": 1})));
    assert_eq!(compiled.validate(&json!({"size": 0}))[0].path, "/size");
    assert_eq!(Schema::compile(&schema).unwrap_err().code, SchemaErrorCode::Reference);
    let tree = json!({"properties": {"children": {"items": {"$ref": "#"}}, "name": {"type": "string"}}});
    let compiled = Schema::compile(&tree).unwrap();
    let errors = compiled.validate(&json!({"children": [{}, {"children": [{"name": 1}]}]}));
    assert_eq!(errors[0].path, "/children/1/children/0/name");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..60).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-c/~.]{0,4}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    // Names that schemas use, so that a value used as a schema has meaning.
    let name = prop_oneof!["a|b|type|items|properties|allOf|not|pattern|\\$ref|minimum|enum", "\\PC{0,3}"];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(name.clone(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// No schema and no value causes a panic, the order of errors is deterministic, and each place is within the value.
    #[test]
    fn any_schema_meets_any_value(schema in any_json(), value in any_json()) {
        if let Ok(compiled) = Schema::compile(&schema) {
            let errors = compiled.validate(&value);
            prop_assert_eq!(&errors, &Schema::compile(&schema).unwrap().validate(&value));
            prop_assert!(errors.is_sorted_by_key(|error| (error.path.clone(), error.code.clone())));
            for error in &errors {
                prop_assert!(value.pointer(&error.path).is_some(), "{:?}", error);
            }
        }
    }
}
