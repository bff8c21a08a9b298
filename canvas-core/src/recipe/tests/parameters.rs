//! Resolved parameters, and the faults of others.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use serde_json::{Value, json};

use crate::model::json_hash::JsonHash;
use crate::recipe::{Datum, Mapping, Parameters, Recipe, RecipeCode, RecipeLimits, StepId};
use crate::zone::Zone;

/// 2024-10-31T10:00:00Z.
const NOW: Timestamp = Timestamp::from_millis(1_730_368_800_000);

fn responses() -> BTreeMap<StepId, Value> {
    let rows = json!({"rows": [{"id": 7, "tags": ["a", "b"]}], "none": null});
    [(StepId::new("orders").unwrap(), rows)].into()
}

fn resolve(params: &Value, zone: &str, bytes: usize) -> Result<Value, (String, RecipeCode)> {
    let parameters = Parameters::parse(params).unwrap();
    let zone = Zone::new(zone).unwrap();
    parameters.resolve((NOW, &zone), &responses(), bytes).map_err(|fault| (fault.place, fault.code))
}

#[test]
fn placeholders_become_values() {
    let result = |path: &str| json!({"$result": {"step": "orders", "path": path}});
    for (params, expected) in [
        (json!({}), json!({})),
        (json!({"a": [1, {"b": null}]}), json!({"a": [1, {"b": null}]})),
        (json!({"a": {"$date": "now-1d/d"}}), json!({"a": "2024-10-30T00:00:00+01:00"})),
        (json!({"a": {"$date": "now/d", "as": "date"}}), json!({"a": "2024-10-31"})),
        (json!({"a": {"$date": "now", "as": "unix"}}), json!({"a": 1_730_368_800})),
        (json!([{"$date": "now", "as": "unix_ms"}, 2]), json!([1_730_368_800_000_u64, 2])),
        (json!({"id": result("/rows/0/id")}), json!({"id": 7})),
        (json!({"tags": result("/rows/0/tags")}), json!({"tags": ["a", "b"]})),
        (json!({"none": result("/none")}), json!({"none": null})),
        (
            json!({"all": {"$result": {"step": "orders"}}}),
            json!({"all": responses()[&StepId::new("orders").unwrap()]}),
        ),
        (json!({"a": {"$literal": {"$date": "now"}}}), json!({"a": {"$date": "now"}})),
        (json!([[{"$literal": [1]}], 2]), json!([[[1]], 2])),
        (json!({"a": {"$frozen": "chosen", "value": {"$date": "now"}}}), json!({"a": {"$date": "now"}})),
        (json!({"$frozen": "it sends", "value": {"to": 1}}), json!({"to": 1})),
        // Texts are never interpreted.
        (json!({"a": "now-1d", "b": "$date"}), json!({"a": "now-1d", "b": "$date"})),
    ] {
        assert_eq!(resolve(&params, "Europe/Berlin", 1_000), Ok(expected), "{params}");
    }
}

#[test]
fn what_cannot_be_resolved() {
    use RecipeCode::{ExprInvalid, MappingFailed};
    let result = |step: &str, path: &str| json!({"$result": {"step": step, "path": path}});
    let far: Value = json!({"$date": "now+7990y"});
    for (params, bytes, place, code) in [
        (json!({"a": {"b/c": [result("orders", "/rows/1")]}}), 1_000, "/a/b~1c/0", MappingFailed),
        (json!({"a": result("other", "")}), 1_000, "/a", MappingFailed),
        (json!({"a": [1, far]}), 1_000, "/a/1", ExprInvalid),
        (json!({"a": "xxxx"}), 11, "", MappingFailed),
        // The second copy is one too many.
        (json!([result("orders", ""), result("orders", "")]), 60, "/1", MappingFailed),
    ] {
        assert_eq!(resolve(&params, "UTC", bytes), Err((place.to_owned(), code)), "{params}");
    }
    assert_eq!(resolve(&json!({"a": "xxxx"}), "UTC", 12), Ok(json!({"a": "xxxx"})));
}

#[test]
fn what_is_no_placeholder() {
    for (params, expected) in [
        (json!({"$result": 1}), vec!["/$result"]),
        (json!({"$result": {"step": 1, "path": 2}}), vec!["/$result/step", "/$result/path"]),
        (json!({"$result": {"step": "a", "at": 1}}), vec!["/$result/at"]),
        (json!({"$result": {"step": "a"}, "x": 1}), vec!["/x"]),
        (json!({"$literal": 1, "x": 1}), vec!["/x"]),
        (json!({"$literal": 1, "$date": "now"}), vec![""]),
        (json!({"$frozen": 1, "value": 1}), vec!["/$frozen"]),
        (json!({"$frozen": "", "value": 1}), vec!["/$frozen"]),
        (json!({"$frozen": "x".repeat(2_001), "value": 1}), vec!["/$frozen"]),
        (json!({"$frozen": "why"}), vec![""]),
        (json!({"$frozen": "why", "value": 1, "x": 1}), vec!["/x"]),
        (json!({"a": {"$param": 1}, "b": [{"$": 1}]}), vec!["/a", "/b/0"]),
        (json!({"a": {"$date": "now-"}}), vec!["/a/$date"]),
    ] {
        let faults = Parameters::parse(&params).unwrap_err();
        let places: Vec<_> = faults.iter().map(|fault| fault.place.as_str()).collect();
        assert_eq!(places, expected, "{params}");
    }
}

#[test]
fn parameters_know_what_is_in_them() {
    let frozen = json!({"a": [{"$frozen": "first", "value": 1}, {"$frozen": "second", "value": 1}]});
    for (params, reason, is_constant) in [
        (json!({"a": [1, {"$literal": 2}]}), None, true),
        (json!({"a": {"$date": "now"}}), None, false),
        (frozen, Some("first"), false),
    ] {
        let parameters = Parameters::parse(&params).unwrap();
        assert_eq!((parameters.frozen(), parameters.is_constant()), (reason, is_constant));
    }
}

fn mapping(path: &str, ops: Value) -> Mapping {
    let json = json!({
        "version": 1, "catalogue": 1, "steps": [{"id": "s", "tool": "t"}],
        "mappings": [{"step": "s", "path": path, "ops": ops, "component": "c"}],
    });
    Recipe::compile(&json, &RecipeLimits::default()).unwrap().mappings()[0].clone()
}

#[test]
fn mappings_make_data() {
    let response = json!({"rows": [{"id": 2, "at": "x"}, {"id": 1.0, "at": -0.0}], "empty": null});
    for (path, ops, expected) in [
        ("", json!([]), json!({"rows": [{"id": 2, "at": "x"}, {"id": 1, "at": 0}], "empty": null})),
        ("/rows/0/id", json!([]), json!(2)),
        ("/empty", json!([]), Value::Null),
        (
            "/rows",
            json!([{"op": "sort", "by": [{"path": "/id"}]}, {"op": "select", "fields": {"n": "/id"}}]),
            json!([{"n": 1}, {"n": 2}]),
        ),
    ] {
        let datum = mapping(path, ops).apply(&response, (NOW, &Zone::UTC), &RecipeLimits::default()).unwrap();
        assert_eq!(datum.value(), &expected, "{path}");
        assert_eq!(datum.bytes(), expected.to_string().len());
        // The data equal those that a reader of the text gets.
        let read = Datum::new(expected, &RecipeLimits::default()).unwrap();
        assert_eq!(read, datum);
    }
}

#[test]
fn mappings_that_do_not_fit() {
    let limits = RecipeLimits { data_bytes: 12, depth: 2, ..RecipeLimits::default() };
    for (path, ops, response, place) in [
        ("/rows", json!([]), json!({}), "/path"),
        ("/rows/0", json!([]), json!({"rows": []}), "/path"),
        ("/rows", json!([{"op": "limit", "count": 1}]), json!({"rows": {}}), "/ops/0"),
        ("", json!([]), json!([[[]]]), ""),
        ("", json!([]), json!("0123456789+"), ""),
        ("", json!([]), json!([1, 9_007_199_254_740_993_u64]), "/1"),
    ] {
        let fault = mapping(path, ops).apply(&response, (NOW, &Zone::UTC), &limits).unwrap_err();
        assert_eq!((fault.place.as_str(), fault.code), (place, RecipeCode::MappingFailed), "{response}");
        assert!(fault.message.contains(": "), "{fault}");
    }
    for response in [json!("0123456789"), json!([[]]), json!([])] {
        assert!(mapping("", json!([])).apply(&response, (NOW, &Zone::UTC), &limits).is_ok(), "{response}");
    }
}

#[test]
fn responses_are_only_so_large() {
    let limits = RecipeLimits { response_bytes: 12, depth: 2, ..RecipeLimits::default() };
    for (response, expected) in [
        (json!("0123456789"), true),
        (json!("0123456789+"), false),
        (json!([[1]]), true),
        (json!([[[]]]), false),
        (json!({"a": {"b": {}}}), false),
        (json!([1.0, 2.0, 3.0]), true),
        (json!(9_007_199_254_740_992_u64), false),
    ] {
        let hash = JsonHash::of(&response).ok().filter(|_| expected);
        let checked = limits.check_response(&response).map_err(|drift| drift.code.code());
        assert_eq!(checked, hash.ok_or("CALL_FAILED"), "{response}");
    }
    let deep = (0..500).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    assert!(RecipeLimits::default().check_response(&deep).is_err());
    assert!(Datum::new(deep, &RecipeLimits::default()).is_err());
}
