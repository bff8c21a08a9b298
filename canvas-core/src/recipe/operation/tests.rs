use std::borrow::Cow;

use canvas_lease::Timestamp;
use proptest::prelude::*;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Value, json};

use super::operations::Operations;
use super::order::Key;
use crate::model::error::CodedError as _;
use crate::recipe::error::RecipeFault;
use crate::schema::Schema;
use crate::zone::Zone;

#[derive(Deserialize)]
struct Case {
    name: String,
    value: Value,
    ops: Value,
    now: Option<u64>,
    timezone: Option<String>,
    result: Option<Value>,
    code: Option<String>,
}

fn golden() -> Vec<Case> {
    serde_json::from_str(include_str!("catalogue_1.json")).unwrap()
}

fn run(value: &Value, ops: &Value) -> Result<Value, RecipeFault> {
    let operations = Operations::parse(ops).unwrap_or_else(|faults| panic!("{ops}: {faults:?}"));
    operations.apply(Cow::Borrowed(value), Timestamp::from_millis(0), &Zone::UTC)
}

/// Any change of this file other than a new line requires a new catalogue.
#[test]
fn the_catalogue_means_what_it_meant() {
    assert_eq!(Operations::CATALOGUE, 1);
    let cases = golden();
    assert_eq!(cases.len(), 62);
    for Case { name, value, ops, now, timezone, result, code } in cases {
        let operations = Operations::parse(&ops).unwrap();
        assert_eq!(operations.uses_now(), now.is_some(), "{name}");
        let now = Timestamp::from_millis(now.unwrap_or_default());
        let zone = Zone::new(timezone.as_deref().unwrap_or("UTC")).unwrap();
        let borrowed = operations.apply(Cow::Borrowed(&value), now, &zone);
        assert_eq!(operations.apply(Cow::Owned(value), now, &zone), borrowed, "{name}");
        let found = borrowed.map(|value| value.to_string()).map_err(|fault| fault.code().to_string());
        // As texts, so that 1 differs from 1.0.
        assert_eq!(
            found,
            result.map(|value| value.to_string()).ok_or_else(|| code.unwrap_or_default()),
            "{name}"
        );
    }
}

#[test]
fn the_place_of_what_does_not_fit() {
    let sum = |fns: Value| json!([{"op": "limit", "count": 9}, {"op": "aggregate", "values": fns}]);
    for (value, ops, place, words) in [
        (json!(1), json!([{"op": "limit", "count": 1}]), "/0", "a number"),
        (json!(true), json!([{"op": "limit", "count": 1}]), "/0", "true"),
        (json!("a"), json!([{"op": "limit", "count": 1}]), "/0", "a text"),
        (json!({}), json!([{"op": "limit", "count": 1}]), "/0", "an object"),
        (json!(null), json!([{"op": "limit", "count": 1}]), "/0", "null"),
        (
            json!([{"p": 1}, {"p": []}]),
            sum(json!({"a/b": {"fn": "sum", "path": "/p"}})),
            "/1/values/a~1b",
            "row 1 has a list at \"/p\"",
        ),
        (json!([{"p": false}]), sum(json!({"v": {"fn": "avg", "path": "/p"}})), "/1/values/v", "false"),
        (json!([u64::MAX, 1]), sum(json!({"v": {"fn": "sum", "path": ""}})), "/1/values/v", "64 bits"),
        (
            json!([1]),
            json!([{"op": "limit", "count": 1},
                   {"op": "filter", "path": "", "cmp": "eq", "value": {"$date": "9999-12-31||+1d"}}]),
            "/1/value/$date",
            "9999",
        ),
    ] {
        let fault = run(&value, &ops).unwrap_err();
        assert_eq!(fault.place, place, "{ops}");
        assert!(fault.message.contains(words), "{ops}: {fault}");
    }
}

#[test]
fn operations_that_cannot_be_read() {
    let name = "x".repeat(513);
    let many: serde_json::Map<_, _> = (0..65).map(|number| (number.to_string(), json!("/a"))).collect();
    for (ops, expected) in [
        (json!({}), vec![""]),
        (json!(null), vec![""]),
        (json!(vec![json!({"op": "limit", "count": 1}); 17]), vec![""]),
        (json!([1, "limit", null]), vec!["/0", "/1", "/2"]),
        (json!([{}, {"op": 1}, {"op": "map"}, {"op": "Sort"}]), vec!["/0", "/1", "/2/op", "/3/op"]),
        (json!([{"op": "limit"}]), vec!["/0/count"]),
        (json!([{"op": "limit", "count": -1}]), vec!["/0/count"]),
        (json!([{"op": "limit", "count": 1.5}]), vec!["/0/count"]),
        (json!([{"op": "limit", "count": "1"}]), vec!["/0/count"]),
        (json!([{"op": "limit", "count": 1, "a/b": 1, "x": 2}]), vec!["/0/a~1b", "/0/x"]),
        (json!([{"op": "filter"}]), vec!["/0/path", "/0/cmp", "/0/value"]),
        (json!([{"op": "filter", "path": "a", "cmp": "=", "value": 1}]), vec!["/0/path", "/0/cmp"]),
        (
            json!([{"op": "filter", "path": "/~2", "cmp": "eq", "value": 1, "fn": 1}]),
            vec!["/0/fn", "/0/path"],
        ),
        (
            json!([{"op": "filter", "path": "", "cmp": "eq", "value": {"$date": "now+1x"}}]),
            vec!["/0/value/$date"],
        ),
        (
            json!([{"op": "filter", "path": "", "cmp": "eq", "value": {"$date": "now", "x": 1}}]),
            vec!["/0/value"],
        ),
        (json!([{"op": "filter", "path": "", "cmp": "eq", "value": {"$result": {}}}]), vec!["/0/value"]),
        (
            json!([{"op": "filter", "path": "", "cmp": "eq", "value": [{"a": {"$date": "now"}}]}]),
            vec!["/0/value"],
        ),
        (
            json!([{"op": "filter", "path": "", "cmp": "eq", "value": {"$literal": 1, "a": 1}}]),
            vec!["/0/value/a"],
        ),
        (
            json!([{"op": "sort"}, {"op": "sort", "by": []}, {"op": "sort", "by": {}}]),
            vec!["/0/by", "/1/by", "/2/by"],
        ),
        (json!([{"op": "sort", "by": vec![json!({"path": ""}); 17]}]), vec!["/0/by"]),
        (
            json!([{"op": "sort", "by": [{"path": 1, "dir": "up"}, "/a", {"path": "", "x": 1}]}]),
            vec!["/0/by/0/path", "/0/by/0/dir", "/0/by/1", "/0/by/2/x"],
        ),
        (json!([{"op": "select"}, {"op": "select", "fields": {}}]), vec!["/0/fields", "/1/fields"]),
        (json!([{"op": "select", "fields": ["/a"]}]), vec!["/0/fields"]),
        (json!([{"op": "select", "fields": {"a/": "b", "~": 1}}]), vec!["/0/fields/a~1", "/0/fields/~0"]),
        (json!([{"op": "select", "fields": {name: "/a"}}]), vec!["/0/fields"]),
        (json!([{"op": "select", "fields": many}]), vec!["/0/fields"]),
        (json!([{"op": "aggregate"}, {"op": "aggregate", "by": {}, "values": {}}]), vec!["/0", "/1"]),
        (json!([{"op": "aggregate", "by": [], "values": 1}]), vec!["/0/by", "/0/values"]),
        (
            json!([{"op": "aggregate", "by": {"a": "/a"}, "values": {"a": {"fn": "count"}}}]),
            vec!["/0/values/a"],
        ),
        (
            json!([{"op": "aggregate", "values": {
                "a": {"fn": "sum"}, "b": {"fn": "median", "path": ""}, "c": {"path": ""}, "d": "sum",
                "e": {"fn": "count", "path": 1}, "f": {"fn": "sum", "path": "", "of": 1}, "g": {},
            }}]),
            vec![
                "/0/values/a/path",
                "/0/values/b/fn",
                "/0/values/c/fn",
                "/0/values/d",
                "/0/values/e/path",
                "/0/values/f/of",
                "/0/values/g/fn",
                "/0/values/g/path",
            ],
        ),
    ] {
        let faults = Operations::parse(&ops).unwrap_err();
        let places: Vec<_> = faults.iter().map(|fault| fault.place.as_str()).collect();
        assert_eq!(places, expected, "{ops}");
        for fault in &faults {
            let expr = fault.place.ends_with("/$date");
            assert_eq!(fault.code(), if expr { "EXPR_INVALID" } else { "RECIPE_INVALID" }, "{fault:?}");
            assert!(fault.message.contains(": ") && fault.message.len() < 400, "{fault:?}");
        }
        assert!(serde_json::from_value::<Operations>(ops).is_err());
    }
}

#[test]
fn limits_are_reached_and_not_passed() {
    let members = |count: usize| -> serde_json::Map<_, _> {
        (0..count).map(|number| (format!("{number:0>512}"), json!("/a"))).collect()
    };
    for ops in [
        json!(vec![json!({"op": "limit", "count": 1}); 16]),
        json!([{"op": "sort", "by": vec![json!({"path": ""}); 16]}]),
        json!([{"op": "select", "fields": members(64)}]),
    ] {
        assert!(Operations::parse(&ops).is_ok(), "{ops}");
    }
    let unknown: serde_json::Map<_, _> = (0..1_000).map(|number| (number.to_string(), json!(1))).collect();
    assert_eq!(
        Operations::parse(&json!([unknown, {"op": "limit", "count": 0, "x": 1}])).unwrap_err().len(),
        2
    );
    let mut wide = unknown;
    wide.insert("op".to_owned(), json!("limit"));
    assert_eq!(Operations::parse(&json!([wide])).unwrap_err().len(), 64);
}

#[test]
fn rows_that_hold_one_another_do_not_grow_without_end() {
    let double = json!({"op": "select", "fields": {"a": "", "b": ""}});
    let grown = |times: usize| run(&json!([1]), &json!(vec![double.clone(); times]));
    let nodes = |value: &Value| value.to_string().matches('1').count();
    assert_eq!(nodes(&grown(10).unwrap()), 1 << 10);
    let fault = grown(16).map(|value| nodes(&value)).map_err(|fault| (fault.code(), fault.place));
    // 2^16 numbers, twice as many objects, and as many again on the way.
    assert_eq!(fault, Ok(1 << 16));
    let text = json!(["x".repeat(1 << 20)]);
    let copies = |count: usize| {
        let fields: serde_json::Map<_, _> =
            (0..count).map(|number| (number.to_string(), json!(""))).collect();
        run(&text, &json!([{"op": "limit", "count": 1}, {"op": "select", "fields": fields}]))
    };
    assert!(copies(15).is_ok());
    let fault = copies(16).unwrap_err();
    assert_eq!((fault.code(), fault.place.as_str()), ("MAPPING_FAILED", "/1"));
    assert!(fault.message.contains("16 MiB"), "{fault}");
    for functions in [vec!["distinct"; 16], vec!["first"; 16], vec!["min"; 16]] {
        let values: serde_json::Map<_, _> = functions
            .iter()
            .enumerate()
            .map(|(n, f)| (n.to_string(), json!({"fn": f, "path": ""})))
            .collect();
        assert!(run(&text, &json!([{"op": "aggregate", "values": values}])).is_err());
    }
    let by: serde_json::Map<_, _> = (0..16).map(|number| (number.to_string(), json!(""))).collect();
    assert!(run(&text, &json!([{"op": "aggregate", "by": by}])).is_err());
}

#[test]
fn the_schema_takes_what_can_be_read() {
    let generator = SchemaSettings::draft07().into_generator();
    let schema = generator.into_root_schema_for::<Operations>();
    let schema = Schema::compile(schema.as_value()).unwrap();
    for Case { name, ops, .. } in golden() {
        assert!(schema.is_valid(&ops), "{name}: {:?}", schema.validate(&ops));
    }
    for ops in [
        json!({}),
        json!([{"op": "map"}]),
        json!([{"op": "limit", "count": -1}]),
        json!([{"op": "limit", "count": 1, "x": 1}]),
        json!([{"op": "filter", "path": "", "cmp": "like", "value": 1}]),
        json!([{"op": "sort", "by": [{"path": "", "dir": "up"}]}]),
        json!([{"op": "aggregate", "values": {"a": {"fn": "median", "path": ""}}}]),
        json!(vec![json!({"op": "limit", "count": 1}); 17]),
    ] {
        assert!(!schema.is_valid(&ops), "{ops}");
        assert!(Operations::parse(&ops).is_err(), "{ops}");
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        // At the limits of doubles and of 64-bit integers.
        prop::sample::select(vec![
            json!(i64::MIN),
            json!(u64::MAX),
            json!(1_u64 << 53),
            json!((1_u64 << 53) + 1)
        ]),
        prop::sample::select(vec![
            json!(0.5),
            json!(-0.0),
            json!(1.0),
            json!(9_007_199_254_740_992.0),
            json!(1e300)
        ]),
        "[ab\u{1F30D}]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn operations() -> impl Strategy<Value = Value> {
    let path = || prop::sample::select(vec!["", "/a", "/b", "/a/0", "/b/a"]).prop_map(Value::from);
    let operation = prop_oneof![
        (path(), "eq|ne|lt|le|gt|ge", values())
            .prop_map(|(path, cmp, value)| json!({"op": "filter", "path": path, "cmp": cmp, "value": value})),
        prop::collection::vec((path(), "asc|desc"), 1..3).prop_map(|keys| {
            let by: Vec<_> = keys.into_iter().map(|(path, dir)| json!({"path": path, "dir": dir})).collect();
            json!({"op": "sort", "by": by})
        }),
        (0..5).prop_map(|count| json!({"op": "limit", "count": count})),
        (path(), path()).prop_map(|(a, b)| json!({"op": "select", "fields": {"a": a, "b": b}})),
        (path(), path(), "count|min|max|first|last|distinct").prop_map(|(by, path, function)| {
            json!({"op": "aggregate", "by": {"a": by}, "values": {"b": {"fn": function, "path": path}}})
        }),
    ];
    prop::collection::vec(operation, 0..4).prop_map(Value::from)
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(ops in operations()) {
        let read = Operations::parse(&ops).unwrap();
        let written = serde_json::to_value(&read).unwrap();
        prop_assert_eq!(&serde_json::from_value::<Operations>(written).unwrap(), &read);
    }

    #[test]
    fn the_order_is_total(one in values(), two in values(), three in values()) {
        let [a, b, c] = [&one, &two, &three].map(Key::of);
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert!(a == a && (a > b || b > c || a <= c));
    }

    #[test]
    fn a_copy_and_a_loan_give_the_same(rows in prop::collection::vec(values(), 0..8), ops in operations()) {
        let rows = Value::from(rows);
        let operations = Operations::parse(&ops).unwrap();
        let now = Timestamp::from_millis(0);
        let owned = operations.apply(Cow::Owned(rows.clone()), now, &Zone::UTC);
        prop_assert_eq!(owned, operations.apply(Cow::Borrowed(&rows), now, &Zone::UTC));
    }

    #[test]
    fn any_json_is_read_or_refused(value in values(), ops in operations()) {
        // Faulty values replace some member.
        let mut ops = ops;
        if let Some(Value::Object(members)) = ops.get_mut(0)
            && let Some(member) = members.values_mut().last()
        {
            *member = value;
        }
        if let Err(faults) = Operations::parse(&ops) {
            prop_assert!(!faults.is_empty());
        }
    }
}
