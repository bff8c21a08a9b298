//! Patches, tested with the public suite, against the crate json-patch, and by laws.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::surface::strategies::{patch_seeds, state_values};

fn state(value: Value) -> SurfaceState {
    SurfaceState::new(value.into(), &SurfaceLimits::default()).unwrap()
}

fn apply(document: Value, patch: Value) -> Result<ChangedState, SurfaceFault> {
    let patch = StatePatch::parse(&patch).map_err(|faults| faults[0].clone())?;
    patch.apply(&state(document), &SurfaceLimits::default())
}

#[track_caller]
fn check_changes(document: Value, patch: Value, expected: Value) {
    let changed = apply(document, patch).unwrap();
    assert_eq!(serde_json::to_value(&changed.changes).unwrap(), expected);
}

#[track_caller]
fn check_fault(document: Value, patch: Value, expected: (&str, SurfaceCode)) {
    let fault = apply(document, patch).unwrap_err();
    assert_eq!((fault.place.as_str(), fault.code), expected, "{fault}");
}

#[test]
fn faults_have_their_place() {
    use SurfaceCode::{PatchFailed, StatePath, UnsupportedOp};
    let doc = || json!({"a": {"b": 1}, "l": [1, [2]], "t": "x"});
    for (operation, place, code) in [
        (json!({"op": "test", "path": "/a", "value": 1}), "/op", UnsupportedOp),
        (json!({"op": "move", "from": "/a", "path": "/b"}), "/op", UnsupportedOp),
        (json!({"op": "Add", "path": "/a", "value": 1}), "/op", UnsupportedOp),
        (json!({"op": 1, "path": "/a"}), "/op", PatchFailed),
        (json!({"path": "/a"}), "", PatchFailed),
        (json!({"op": "remove"}), "", PatchFailed),
        (json!({"op": "remove", "path": ["a"]}), "/path", PatchFailed),
        (json!({"op": "add", "path": "/a"}), "", PatchFailed),
        (json!("add"), "", PatchFailed),
        (json!({"op": "remove", "path": "a"}), "/path", StatePath),
        (json!({"op": "add", "path": "/a/__proto__", "value": 1}), "/path", StatePath),
        (json!({"op": "add", "path": "/constructor/x", "value": 1}), "/path", StatePath),
        (json!({"op": "remove", "path": "/x"}), "/path", PatchFailed),
        (json!({"op": "add", "path": "/x/y", "value": 1}), "/path", PatchFailed),
        (json!({"op": "replace", "path": "/x/y", "value": 1}), "/path", PatchFailed),
        (json!({"op": "replace", "path": "/t/y", "value": 1}), "/path", PatchFailed),
        (json!({"op": "add", "path": "/l/3", "value": 1}), "/path", PatchFailed),
        (json!({"op": "replace", "path": "/l/2", "value": 1}), "/path", PatchFailed),
        (json!({"op": "replace", "path": "/l/-", "value": 1}), "/path", PatchFailed),
        (json!({"op": "remove", "path": "/l/-"}), "/path", PatchFailed),
        (json!({"op": "remove", "path": "/l/01"}), "/path", PatchFailed),
        (json!({"op": "add", "path": "/l/00", "value": 1}), "/path", PatchFailed),
        (json!({"op": "add", "path": "/l/-1", "value": 1}), "/path", PatchFailed),
        (json!({"op": "add", "path": "/l/x", "value": 1}), "/path", PatchFailed),
        (json!({"op": "remove", "path": "/l/99999999999999999999"}), "/path", PatchFailed),
        (json!({"op": "remove", "path": ""}), "/path", PatchFailed),
    ] {
        let first = json!({"op": "add", "path": "/new", "value": 0});
        check_fault(doc(), json!([first, operation]), (&format!("/1{place}"), code));
    }
    check_fault(doc(), json!({}), ("", PatchFailed));
    let many: Value = (0..1025).map(|_| json!({"op": "remove", "path": "/a"})).collect();
    check_fault(doc(), many, ("", PatchFailed));
}

#[test]
fn all_operations_that_cannot_be_read_are_named() {
    let patch = json!([{"op": "test"}, {"op": "remove", "path": "/a"}, {"op": "copy"}, 7]);
    let faults = StatePatch::parse(&patch).unwrap_err();
    let places: Vec<_> = faults.iter().map(|fault| fault.place.as_str()).collect();
    assert_eq!(places, ["/0/op", "/2/op", "/3"]);
}

#[test]
fn replace_sets_a_member_that_is_missing() {
    let patch = json!([{"op": "replace", "path": "/status", "value": "deploying"}]);
    check_changes(json!({}), patch, json!([{"path": "/status", "after": "deploying"}]));
}

#[test]
fn changes_name_the_outermost_places_and_lists_as_a_whole() {
    let add = |path: &str, value: Value| json!({"op": "add", "path": path, "value": value});
    let remove = |path: &str| json!({"op": "remove", "path": path});
    let doc = || json!({"a": {"b": 1, "c": 2}, "l": [{"x": [1]}, 2], "n": null});
    let check = |operations: Value, expected| check_changes(doc(), operations, expected);
    check(json!([add("/a/b", json!(3))]), json!([{"path": "/a/b", "before": 1, "after": 3}]));
    check(
        json!([add("/a/b", json!(3)), remove("/a/c")]),
        json!([{"path": "/a/b", "before": 1, "after": 3}, {"path": "/a/c", "before": 2}]),
    );
    check(
        json!([add("/a/b", json!(3)), remove("/a"), add("/a", json!({})), add("/a/d", json!(4))]),
        json!([{"path": "/a", "before": {"b": 1, "c": 2}, "after": {"d": 4}}]),
    );
    check(
        json!([add("/l/0/x/-", json!(2))]),
        json!([{"path": "/l", "before": [{"x": [1]}, 2], "after": [{"x": [1, 2]}, 2]}]),
    );
    check(json!([remove("/n")]), json!([{"path": "/n", "before": null}]));
    // A value that ends as it began has not changed.
    check(json!([add("/a/b", json!(1))]), json!([]));
    check(json!([remove("/l/1"), add("/l/1", json!(2))]), json!([]));
    check(json!([add("/t", json!(1)), remove("/t"), remove("/n")]), json!([{"path": "/n", "before": null}]));
    check_changes(
        json!([1]),
        json!([add("/-", json!(2))]),
        json!([{"path": "", "before": [1], "after": [1, 2]}]),
    );
    check_changes(
        json!({"a": 1}),
        json!([add("/b", json!(2)), add("", json!({"a": 2}))]),
        json!([{"path": "", "before": {"a": 1}, "after": {"a": 2}}]),
    );
}

#[test]
fn a_change_shares_what_it_leaves_alone() {
    let before = state(json!({"a": {"b": 1}, "big": {"x": [1, 2, 3]}, "l": [{"y": 1}, 2]}));
    let patch = json!([{"op": "replace", "path": "/a/b", "value": 2}, {"op": "remove", "path": "/l/1"}]);
    let after = StatePatch::parse(&patch).unwrap().apply(&before, &SurfaceLimits::default()).unwrap().state;
    let shared = |pointer: &str| {
        let of = |state: &SurfaceState| StatePointer::new(pointer).unwrap().of(state.value()).cloned();
        match (of(&before), of(&after)) {
            (Some(StateValue::Object(one)), Some(StateValue::Object(two))) => Arc::ptr_eq(&one, &two),
            (Some(StateValue::List(one)), Some(StateValue::List(two))) => Arc::ptr_eq(&one, &two),
            _ => unreachable!("{pointer} is in both"),
        }
    };
    assert_eq!(["/big", "/big/x", "/l/0"].map(shared), [true; 3]);
    assert_eq!(["", "/a", "/l"].map(shared), [false; 3]);
}

#[test]
fn states_have_limits() {
    let limits = SurfaceLimits { state_bytes: 24, depth: 3, ..Default::default() };
    let state = SurfaceState::new(json!({"a": "12345"}).into(), &limits).unwrap();
    assert_eq!(state.bytes(), 13);
    for (operations, expected) in [
        // Eight bytes are used in addition to the text.
        (json!([{"op": "replace", "path": "/a", "value": "1234567890123456"}]), None),
        (json!([{"op": "replace", "path": "/a", "value": "12345678901234567"}]), Some("")),
        // Only the result counts.
        (
            json!([{"op": "add", "path": "/b", "value": "1234567890123"}, {"op": "remove", "path": "/b"}]),
            None,
        ),
        (json!([{"op": "add", "path": "/b", "value": [[]]}]), None),
        (json!([{"op": "add", "path": "/b", "value": [[[]]]}]), Some("/0/path")),
        (json!([{"op": "replace", "path": "", "value": [[[]]]}]), None),
        (json!([{"op": "replace", "path": "", "value": [[[[]]]]}]), Some("/0/path")),
    ] {
        let fault = StatePatch::parse(&operations).unwrap().apply(&state, &limits).err();
        let found = fault.as_ref().map(|fault| (fault.place.as_str(), fault.code));
        assert_eq!(found, expected.map(|place| (place, SurfaceCode::StateTooLarge)), "{operations}");
    }
    let new = |value: Value| SurfaceState::new(value.into(), &limits).map(drop).map_err(|fault| fault.code);
    assert_eq!(new(json!([[[]]])), Ok(()));
    assert_eq!(new(json!([[[[]]]])), Err(SurfaceCode::StateTooLarge));
    assert_eq!(new(json!("1234567890123456789012")), Ok(()));
    assert_eq!(new(json!("12345678901234567890123")), Err(SurfaceCode::StateTooLarge));
}

#[derive(serde::Deserialize)]
struct Case {
    #[serde(default)]
    comment: String,
    doc: Value,
    patch: Value,
    expected: Option<Value>,
    error: Option<String>,
    #[serde(default)]
    disabled: bool,
}

#[expect(clippy::disallowed_methods, reason = "a test reads its corpus")]
fn cases(file: &str) -> Option<Vec<Case>> {
    let given = std::env::var("CANVAS_DATA").map(PathBuf::from);
    let root = given.unwrap_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"));
    let text = std::fs::read_to_string(root.join("json-patch").join(file)).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

/// The cases of json-patch-tests with our operations have the expected results. The others are refused because of their
/// operations.
#[test]
#[expect(clippy::print_stderr, reason = "a corpus that is not there is said aloud, and so are the counts")]
fn the_public_suite() {
    for (file, (all, ours_expected, others_expected)) in
        [("tests.json", (95, 63, 29)), ("spec_tests.json", (17, 10, 6))]
    {
        let Some(cases) = cases(file) else {
            eprintln!("SKIPPED: {file} of json-patch-tests (not in CANVAS_DATA)");
            continue;
        };
        assert_eq!(cases.len(), all);
        let (mut ours, mut others) = (0, 0);
        for case in cases.into_iter().filter(|case| !case.disabled) {
            let operations = case.patch.as_array().unwrap().iter();
            let is_ours = operations.clone().all(|operation| {
                operation["op"].as_str().is_some_and(|op| ["add", "replace", "remove"].contains(&op))
            });
            let result = apply(case.doc.clone(), case.patch.clone());
            let name = format!("{file}: {}: {}", case.comment, case.patch);
            if !is_ours {
                others += 1;
                assert_eq!(result.unwrap_err().code, SurfaceCode::UnsupportedOp, "{name}");
                continue;
            }
            ours += 1;
            match (result, case.expected, case.error) {
                (Ok(changed), Some(expected), None) => {
                    assert_eq!(changed.state.value().to_value(), expected, "{name}");
                }
                (Err(_), None, Some(_)) => {}
                (result, ..) => panic!("{name}: {result:?}"),
            }
        }
        eprintln!("{file}: {ours} cases of add, replace and remove, {others} of other operations");
        assert_eq!((ours, others), (ours_expected, others_expected));
    }
}

/// Returns the result of the crate json-patch, if it has the same semantics. It removes the last item at `-`, and its
/// `replace` does not set missing members.
fn reference(document: &Value, patch: &Value) -> Option<Result<Value, ()>> {
    let mut document = document.clone();
    for operation in patch.as_array().unwrap() {
        let path = operation["path"].as_str().unwrap();
        let is_missing = document.pointer(path).is_none();
        if operation["op"] == "replace" && is_missing {
            let (parent, _) = path.rsplit_once('/').unwrap();
            if document.pointer(parent).is_some_and(Value::is_object) {
                return None;
            }
        }
        let one: ::json_patch::Patch = serde_json::from_value(json!([operation])).unwrap();
        if ::json_patch::patch(&mut document, &one).is_err() {
            return Some(Err(()));
        }
    }
    Some(Ok(document))
}

proptest! {
    /// Patches have the same results as in the crate json-patch, and their changes lead in both directions.
    #[test]
    fn a_patch_and_its_changes_lead_to_the_same_state(value in state_values(), seeds in patch_seeds(6)) {
        let limits = SurfaceLimits::default();
        let before = SurfaceState::new(value, &limits).unwrap();
        let json = seeds.patch(&before);
        let patch = StatePatch::parse(&json).unwrap();
        let applied = patch.apply(&before, &limits);
        if let Some(reference) = reference(&before.value().to_value(), &json) {
            let ours = applied.as_ref().map(|changed| changed.state.value().to_value()).map_err(|_| ());
            prop_assert_eq!(ours, reference.map(|value| StateValue::from(value).to_value()));
        }
        let Ok(ChangedState { state: after, changes }) = applied else { return Ok(()) };
        prop_assert_eq!(after.bytes(), after.to_json().len());
        prop_assert_eq!(changes.is_empty(), after == before);
        for (number, change) in changes.iter().enumerate() {
            prop_assert_ne!(&change.before, &change.after);
            prop_assert!(changes[..number].iter().all(|other| !other.path.touches(&change.path)));
            for names in 0..change.path.names().count() {
                let around = change.path.first(names);
                prop_assert!(matches!(around.of(before.value()), Some(StateValue::Object(_))));
            }
        }
        let stored: Vec<crate::surface::StateChange> = serde_json::from_str(&serde_json::to_string(&changes).unwrap()).unwrap();
        prop_assert_eq!(&stored, &changes);
        let played = before.apply(&changes).unwrap();
        prop_assert_eq!((&played, played.bytes()), (&after, after.to_json().len()));
        let inverse: Vec<_> = changes.iter().cloned().map(crate::surface::StateChange::inverse).collect();
        prop_assert_eq!(after.apply(&inverse).unwrap(), before);
        if let Some(first) = changes.first() {
            let conflict = after.apply(&changes).unwrap_err();
            prop_assert_eq!(&conflict.path, &first.path);
        }
    }

    /// A stored state reads back unchanged and has the same text again, with all digits of floats and a single zero.
    #[test]
    fn a_state_is_read_as_it_was_written(value in state_values()) {
        let state = SurfaceState::new(value, &SurfaceLimits::default()).unwrap();
        let json = state.to_json();
        prop_assert_eq!(&json, &state.value().to_json());
        let read = SurfaceState::read(&json).unwrap();
        prop_assert_eq!((read.to_json(), read), (json, state));
    }

    #[test]
    fn patches_are_written_as_they_are_read(value in state_values(), seeds in patch_seeds(6)) {
        let state = SurfaceState::new(value, &SurfaceLimits::default()).unwrap();
        let patch = StatePatch::parse(&seeds.patch(&state)).unwrap();
        let written = serde_json::to_value(&patch).unwrap();
        prop_assert_eq!(StatePatch::parse(&written).unwrap(), patch);
    }
}
