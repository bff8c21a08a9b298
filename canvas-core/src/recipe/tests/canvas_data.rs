//! Data of a recipe among those of a board.

use canvas_lease::Timestamp;
use serde_json::{Value, json};

use crate::board::{CanvasEvent, ComponentId, DataErrorCode, DataLoadingState, DataPolicy, DataStates};
use crate::recipe::{CanvasData, ComponentData, DataStatus, Drift, DriftCode};

fn id(name: &str) -> ComponentId {
    ComponentId::new(name).unwrap()
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn of(status: DataStatus, data: Option<Value>, as_of: u64, code: Option<DriftCode>) -> CanvasData {
    let as_of = data.is_some().then(|| at(as_of));
    let reason = code.map(|code| Drift::new(code, "why"));
    CanvasData { components: [(id("c"), ComponentData { status, data, as_of, reason })].into() }
}

fn kinds(events: &[CanvasEvent]) -> Vec<&'static str> {
    let kind = |event: &CanvasEvent| match event {
        CanvasEvent::Ready { .. } => "ready",
        CanvasEvent::Error { .. } => "error",
        _ => "other",
    };
    events.iter().map(kind).collect()
}

/// For example, `ready 1`, `stale 1` or `error NOT_FOUND`.
fn state(states: &DataStates) -> String {
    match states.state(&id("c")).unwrap() {
        DataLoadingState::Ready { data, fetched_at } => format!("ready {data} at {fetched_at}"),
        DataLoadingState::Stale { data, fetched_at } => format!("stale {data} at {fetched_at}"),
        DataLoadingState::Error { error, .. } => format!("error {} {}", error.code, error.message),
        other => format!("{other:?}"),
    }
}

/// After any history, the board shows the data of the canvas, and only changes are reported.
#[test]
fn a_board_shows_the_data_of_its_recipe() {
    use DataStatus::{Error, Frozen, Ready, Stale};
    use DriftCode::{CallFailed, PermissionGone, ToolGone};
    let mut states = DataStates::new(DataPolicy::default());
    states.track(&id("c"), None);
    for (data, events, expected) in [
        (of(Error, None, 0, Some(CallFailed)), vec!["error"], "error SOURCE_UNAVAILABLE CALL_FAILED: why"),
        (of(Error, None, 0, Some(ToolGone)), vec!["error"], "error NOT_FOUND TOOL_GONE: why"),
        (of(Error, None, 0, Some(PermissionGone)), vec!["error"], "error FORBIDDEN PERMISSION_GONE: why"),
        (of(Ready, Some(json!(1)), 10, None), vec!["ready"], "ready 1 at 10"),
        (of(Stale, Some(json!(1)), 10, Some(CallFailed)), vec!["ready", "error"], "stale 1 at 10"),
        (of(Ready, Some(json!(1)), 20, None), vec!["ready"], "ready 1 at 20"),
        (of(Ready, Some(json!(2)), 30, None), vec!["ready"], "ready 2 at 30"),
        // A replay at an earlier time.
        (of(Ready, Some(json!(3)), 15, None), vec!["ready"], "ready 3 at 15"),
        (of(Stale, Some(json!(4)), 40, Some(ToolGone)), vec!["ready", "error"], "stale 4 at 40"),
        (of(Frozen, Some(json!(4)), 40, Some(DriftCode::Frozen)), vec!["ready"], "ready 4 at 40"),
        (of(Frozen, None, 0, Some(DriftCode::Frozen)), vec!["error"], "error UNKNOWN FROZEN: why"),
    ] {
        assert_eq!(kinds(&data.show(&mut states, at(100))), events, "{data:?}");
        assert_eq!(state(&states), expected);
        assert_eq!(data.show(&mut states, at(200)), [], "{data:?}");
        let (fetches, events) = states.due(at(10_000_000));
        assert!(fetches.is_empty() && events.is_empty(), "replays make the data, nothing is fetched");
        assert_eq!(state(&states), expected, "they do not grow stale by themselves");
    }
}

#[test]
fn only_components_that_are_tracked_are_shown() {
    let mut states = DataStates::new(DataPolicy::default());
    assert_eq!(of(DataStatus::Ready, Some(json!(1)), 10, None).show(&mut states, at(100)), []);
    assert!(states.state(&id("c")).is_none());
}

/// A component with another binding is bound to the recipe as soon as the recipe has data for it.
#[test]
fn the_recipe_takes_the_place_of_another_source() {
    let mut states = DataStates::new(DataPolicy::default());
    let mut other = ComponentData::binding();
    other.query.kind = "other".to_owned();
    states.track(&id("c"), Some(&other));
    let (fetches, _) = states.due(at(100));
    let shown = of(DataStatus::Ready, Some(json!(1)), 10, None);
    assert_eq!(kinds(&shown.show(&mut states, at(100))), ["ready"]);
    let late = shown.components[&id("c")].answer().unwrap();
    assert_eq!(states.settle(fetches[0].token, Ok(late), at(200)), None, "what it was asked is of no use");
    assert_eq!(state(&states), "ready 1 at 10");
}

#[test]
fn a_source_answers_what_the_canvas_has() {
    let ready = of(DataStatus::Ready, Some(json!([1])), 10, None);
    let answer = ready.components[&id("c")].answer().unwrap();
    assert_eq!((answer.data, answer.meta.fetched_at, answer.meta.stale), (json!([1]), at(10), false));
    let error =
        of(DataStatus::Error, None, 0, Some(DriftCode::Upstream)).components[&id("c")].answer().unwrap_err();
    assert_eq!((error.code, error.retryable), (DataErrorCode::SourceUnavailable, false));
}

#[test]
fn data_in_json() {
    let data = of(DataStatus::Stale, Some(Value::Null), 10, Some(DriftCode::CallFailed));
    let json = json!({"c": {
        "status": "stale", "data": null, "asOf": 10, "reason": {"code": "CALL_FAILED", "message": "why"},
    }});
    assert_eq!(serde_json::to_value(&data).unwrap(), json);
    assert_eq!(serde_json::from_value::<CanvasData>(json).unwrap(), data);
    let none = of(DataStatus::Error, None, 0, None);
    assert_eq!(serde_json::to_value(&none).unwrap(), json!({"c": {"status": "error"}}));
    assert_eq!(serde_json::from_value::<CanvasData>(json!({"c": {"status": "error"}})).unwrap(), none);
}
