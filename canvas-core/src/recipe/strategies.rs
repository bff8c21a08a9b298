//! Strategies of expressions, operations, recipes and rows, also for your own property tests.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::recipe::{DateExpr, Operations, Parameters};

const MEMBERS: [&str; 4] = ["id", "name", "price", "at"];

/// Generates time expressions that stay within a few centuries of any present `now`.
#[expect(clippy::missing_panics_doc, reason = "they are of the grammar")]
pub fn date_exprs() -> impl Strategy<Value = DateExpr> {
    let anchor = prop_oneof![
        4 => Just("now".to_owned()),
        1 => (1970..2030_u32, 1..=12_u32, 1..=28_u32).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}||")),
    ];
    let unit = || prop::sample::select(vec!["s", "m", "h", "d", "w", "M", "Q", "y"]);
    let step = prop_oneof![
        (prop::sample::select(vec!["+", "-"]), 0..40_u32, unit())
            .prop_map(|(sign, count, unit)| format!("{sign}{count}{unit}")),
        unit().prop_map(|unit| format!("/{unit}")),
    ];
    (anchor, prop::collection::vec(step, 0..4)).prop_map(|(anchor, steps)| {
        let text = format!("{anchor}{}", steps.concat());
        DateExpr::parse(&text).expect("it is of the grammar, and few steps")
    })
}

/// Generates shallow JSON values whose numbers every reader can read exactly.
pub fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000..1_000_i64).prop_map(Value::from),
        (-1.0e6..1.0e6_f64).prop_map(Value::from),
        "[a-z ]{0,6}".prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c]{1,2}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Generates lists of objects with some of the members `id`, `name`, `price` and `at`, similar to responses of tools.
pub fn rows() -> impl Strategy<Value = Value> {
    let member = prop_oneof![
        4 => (0..20_i64).prop_map(Value::from),
        2 => "[a-c]{1,2}".prop_map(Value::from),
        1 => Just(Value::Null),
        1 => (0..40_i64).prop_map(|half| json!(half as f64 / 2.0)),
    ];
    let row =
        prop::collection::vec(proptest::option::weighted(0.9, member), MEMBERS.len()).prop_map(|members| {
            let members = MEMBERS.iter().zip(members);
            Value::Object(members.filter_map(|(name, member)| Some(((*name).to_owned(), member?))).collect())
        });
    prop::collection::vec(row, 0..12).prop_map(Value::from)
}

/// Generates operations that accept every list of [`rows`].
#[expect(clippy::missing_panics_doc, reason = "all of them are read")]
pub fn operations() -> impl Strategy<Value = Operations> {
    operation_list().prop_map(|list| Operations::parse(&list).expect("each is read"))
}

fn operation_list() -> impl Strategy<Value = Value> {
    let path = || prop::sample::select(MEMBERS.map(|name| format!("/{name}")).to_vec());
    let operation = prop_oneof![
        (path(), prop::sample::select(vec!["eq", "ne", "lt", "le", "gt", "ge"]), 0..20_i64)
            .prop_map(|(path, cmp, value)| json!({"op": "filter", "path": path, "cmp": cmp, "value": value})),
        (path(), any::<bool>()).prop_map(|(path, is_rising)| {
            json!({"op": "sort", "by": [{"path": path, "dir": if is_rising { "asc" } else { "desc" }}]})
        }),
        (0..8_u64).prop_map(|count| json!({"op": "limit", "count": count})),
        (path(), path())
            .prop_map(|(one, other)| json!({"op": "select", "fields": {"id": one, "price": other}})),
        path().prop_map(|path| json!({
            "op": "aggregate", "by": {"id": path}, "values": {"price": {"fn": "count"}},
        })),
    ];
    prop::collection::vec(operation, 0..3).prop_map(Value::from)
}

/// Generates JSON parameters of a step that comes after the steps with these ids. One in ten has a frozen part.
pub fn parameters(before: Vec<String>) -> impl Strategy<Value = Value> {
    let result = if before.is_empty() {
        Just(json!(0)).boxed()
    } else {
        let result = |step| json!({"$result": {"step": step, "path": "/rows/0/id"}});
        prop::sample::select(before).prop_map(result).boxed()
    };
    let value = prop_oneof![
        4 => values(),
        3 => date_exprs().prop_map(|expr| json!({"$date": expr})),
        2 => result,
        1 => values().prop_map(|value| json!({"$literal": value})),
        1 => values().prop_map(|value| json!({"$frozen": "a person chose it", "value": value})),
    ];
    prop::collection::vec(("[a-c]", value), 0..3).prop_map(|members| {
        let params = Value::Object(members.into_iter().collect::<Map<_, _>>());
        debug_assert!(Parameters::parse(&params).is_ok());
        params
    })
}

/// Generates JSON recipes of 1 to 3 steps. They call the tools `t0` to `t2`, whose responses are assumed to be
/// `{"rows": …}` with [`rows`]. They feed some of the components `c0` to `c3` and of the places `/s0` to `/s3` of the
/// state.
pub fn recipes() -> impl Strategy<Value = Value> {
    let ids = |count: usize| (0..count).map(|number| format!("step{number}")).collect::<Vec<_>>();
    let steps = (1..4_usize).prop_flat_map(move |count| {
        let step = |number: usize| {
            (0..3_usize, parameters(ids(number)))
                .prop_map(move |(tool, params)| json!({"id": format!("step{number}"), "tool": format!("t{tool}"), "params": params}))
        };
        (0..count).map(step).collect::<Vec<_>>()
    });
    let target = (any::<bool>(), any::<prop::sample::Index>(), operation_list());
    let zone = prop::sample::select(vec!["UTC", "Europe/Berlin", "America/Sao_Paulo"]);
    (steps, prop::collection::vec(target, 4), 1..=4_usize, zone).prop_map(|(steps, targets, count, zone)| {
        let mapping = |(number, (is_component, step, ops)): (usize, &(bool, prop::sample::Index, Value))| {
            let step = &steps[step.index(steps.len())]["id"];
            if *is_component {
                json!({"step": step, "path": "/rows", "ops": ops, "component": format!("c{number}")})
            } else {
                json!({"step": step, "path": "/rows", "ops": ops, "state": format!("/s{number}")})
            }
        };
        let mappings: Vec<_> = targets.iter().take(count).enumerate().map(mapping).collect();
        json!({"version": 1, "catalogue": 1, "timezone": zone, "steps": steps, "mappings": mappings})
    })
}
