//! The effect of a replay on its canvas.

use canvas_lease::Timestamp;
use serde_json::{Value, json};

use crate::board::ComponentId;
use crate::json_patch::JsonPatchOperation;
use crate::recipe::outcome::{Landed, Landing};
use crate::recipe::{
    DataDiff, DataManifest, DataStatus, Datum, Drift, DriftCode, RecipeLimits, ReplayOutcome, Target,
};
use crate::surface::{StatePointer, SurfaceLimits, SurfaceState};

fn component(id: &str) -> ComponentId {
    ComponentId::new(id).unwrap()
}

fn to(id: &str) -> Target {
    Target::Component(component(id))
}

fn at(place: &str) -> Target {
    Target::State(StatePointer::new(place).unwrap())
}

fn made(target: Target, value: Value) -> ReplayOutcome {
    ReplayOutcome { target, result: Ok(Datum::new(value, &RecipeLimits::default()).unwrap()) }
}

fn failed(target: Target, code: DriftCode, message: &str) -> ReplayOutcome {
    ReplayOutcome { target, result: Err(Drift::new(code, message)) }
}

/// A manifest and a state on which replays land one after the other.
struct Canvas {
    manifest: DataManifest,
    state: Option<SurfaceState>,
    limits: SurfaceLimits,
    now: u64,
}

impl Canvas {
    fn new(state: Option<Value>) -> Self {
        let limits = SurfaceLimits { state_bytes: 100, ..SurfaceLimits::default() };
        let state = state.map(|state| SurfaceState::new(state.into(), &limits).unwrap());
        Self { manifest: DataManifest::default(), state, limits, now: 0 }
    }

    /// Lands outcomes. Every component except `gone` exists.
    fn land(&mut self, outcomes: &[ReplayOutcome]) -> (Landed, Vec<JsonPatchOperation>) {
        self.now += 1;
        let now = Timestamp::from_millis(self.now);
        let landing =
            Landing { manifest: &self.manifest, state: self.state.as_ref(), limits: &self.limits, now };
        let landed = landing.land(outcomes, |id| id.as_str() != "gone");
        let before = self.manifest.clone();
        self.manifest.apply(&landed.data).unwrap();
        assert_eq!(DataManifest::read(&self.manifest.to_json()).as_ref(), Some(&self.manifest));
        let mut back = self.manifest.clone();
        back.apply(&landed.data.inverse()).unwrap();
        assert_eq!(back, before);
        if let Some(changed) = &landed.state {
            let old = self.state.replace(changed.state.clone()).unwrap();
            assert_eq!(old.apply(&changed.changes).unwrap(), changed.state);
        }
        let patch = landed.changed.iter().map(|place| place.operation(outcomes).unwrap()).collect();
        (landed, patch)
    }

    fn shown(&self, id: &str) -> Option<(DataStatus, Option<u64>, Option<DriftCode>)> {
        let entry = self.manifest.get(&component(id))?;
        let as_of = entry.data.map(|data| data.as_of.as_millis());
        Some((entry.status, as_of, entry.reason.as_ref().map(|reason| reason.code)))
    }
}

fn add(path: &str, value: Value) -> JsonPatchOperation {
    JsonPatchOperation::Add { path: path.to_owned(), value }
}

fn replace(path: &str, value: Value) -> JsonPatchOperation {
    JsonPatchOperation::Replace { path: path.to_owned(), value }
}

/// Data are new, or old and stale, or missing.
#[test]
fn data_stay_whole() {
    use DataStatus::{Error, Frozen, Ready, Stale};
    use DriftCode::{CallFailed, NotInRecipe, ToolGone};
    let mut canvas = Canvas::new(None);
    let failure = |code| failed(to("c"), code, "why");
    for (outcome, expected, patch) in [
        (failure(CallFailed), (Error, None, Some(CallFailed)), vec![]),
        (failure(ToolGone), (Error, None, Some(ToolGone)), vec![]),
        (failure(DriftCode::Frozen), (Frozen, None, Some(DriftCode::Frozen)), vec![]),
        (made(to("c"), json!([1])), (Ready, Some(4), None), vec![add("/data/c", json!([1]))]),
        (made(to("c"), json!([1.0])), (Ready, Some(4), None), vec![]),
        (made(to("c"), json!([2])), (Ready, Some(6), None), vec![replace("/data/c", json!([2]))]),
        (failure(CallFailed), (Stale, Some(6), Some(CallFailed)), vec![]),
        (failure(ToolGone), (Stale, Some(6), Some(ToolGone)), vec![]),
        (made(to("c"), json!([2])), (Ready, Some(9), None), vec![]),
        (failure(NotInRecipe), (Frozen, Some(9), Some(NotInRecipe)), vec![]),
        (made(to("c"), json!(null)), (Ready, Some(11), None), vec![replace("/data/c", json!(null))]),
    ] {
        let (landed, made) = canvas.land(std::slice::from_ref(&outcome));
        assert_eq!((canvas.shown("c"), made), (Some(expected), patch), "{outcome:?}");
        let is_made = outcome.result.is_ok();
        assert_eq!(
            (landed.refreshed.len(), landed.stale.len()),
            (usize::from(is_made), usize::from(!is_made))
        );
        if let [stale] = &landed.stale[..] {
            assert_eq!((&stale.target, stale.status), (&outcome.target, expected.0));
        }
        // Repeating it has no effect.
        let (again, patch) = canvas.land(&[outcome]);
        assert_eq!((again.data, patch), (DataDiff::default(), vec![]));
        canvas.now -= 1;
    }
}

/// A tool with a different message each time causes no changes.
#[test]
fn the_first_message_of_a_drift_is_kept() {
    let mut canvas = Canvas::new(None);
    canvas.land(&[failed(to("c"), DriftCode::CallFailed, "it is 12:00")]);
    let (landed, _) = canvas.land(&[failed(to("c"), DriftCode::CallFailed, "it is 12:01")]);
    assert!(landed.data.is_empty());
    assert_eq!(landed.stale[0].reason.message, "it is 12:01");
    assert_eq!(canvas.manifest.get(&component("c")).unwrap().reason.as_ref().unwrap().message, "it is 12:00");
}

#[test]
fn what_is_gone_is_left_out() {
    let mut canvas = Canvas::new(None);
    let outcomes = [
        made(to("gone"), json!(1)),
        made(to("c"), json!(2)),
        made(at("/a"), json!(3)),
        failed(at("/b"), DriftCode::CallFailed, "why"),
    ];
    let (landed, patch) = canvas.land(&outcomes);
    assert_eq!(patch, [add("/data/c", json!(2))]);
    assert_eq!((landed.refreshed, landed.stale.len()), (vec![component("c")], 0));
    assert_eq!((canvas.shown("gone"), landed.state.is_none()), (None, true));
    let (landed, _) = canvas.land(&[failed(to("gone"), DriftCode::CallFailed, "why")]);
    assert!(landed.stale.is_empty() && landed.data.is_empty());
}

/// The patch leads from the values before to those after. A value that does not fit does not prevent the others.
#[test]
fn values_are_put_into_the_state() {
    let state = json!({"list": [1, {"x": 2}], "a/b": {}, "text": "t"});
    for (puts, after, patch, stale) in [
        (
            vec![("/new", json!(1))],
            json!({"list": [1, {"x": 2}], "a/b": {}, "text": "t", "new": 1}),
            vec![add("/state/new", json!(1))],
            vec![],
        ),
        (vec![("/text", json!("t"))], state.clone(), vec![], vec![]),
        (
            vec![("/list/0", json!(5)), ("/list/1/x", json!(6)), ("/list/1/y", json!(7))],
            json!({"list": [5, {"x": 6, "y": 7}], "a/b": {}, "text": "t"}),
            vec![
                replace("/state/list/0", json!(5)),
                replace("/state/list/1/x", json!(6)),
                add("/state/list/1/y", json!(7)),
            ],
            vec![],
        ),
        (
            vec![("/o/p/q", json!(1)), ("/o/p/r", json!(2)), ("/a~1b/c", json!(3))],
            json!({"list": [1, {"x": 2}], "a/b": {"c": 3}, "text": "t", "o": {"p": {"q": 1, "r": 2}}}),
            vec![
                add("/state/o", json!({"p": {"q": 1}})),
                add("/state/o/p/r", json!(2)),
                add("/state/a~1b/c", json!(3)),
            ],
            vec![],
        ),
        (
            vec![("/list/2", json!(1)), ("/text/x", json!(1)), ("/list/-", json!(1)), ("/ok", json!(1))],
            json!({"list": [1, {"x": 2}], "a/b": {}, "text": "t", "ok": 1}),
            vec![add("/state/ok", json!(1))],
            vec!["/list/2", "/text/x", "/list/-"],
        ),
        (
            vec![("", json!({"all": 1}))],
            json!({"all": 1}),
            vec![replace("/state", json!({"all": 1}))],
            vec![],
        ),
        // Each fits alone, but not both together.
        (
            vec![("/a", json!("x".repeat(30))), ("/b", json!("x".repeat(30)))],
            state.clone(),
            vec![],
            vec!["/a", "/b"],
        ),
        (
            vec![("/a", json!("x".repeat(100))), ("/b", json!(1))],
            json!({"list": [1, {"x": 2}], "a/b": {}, "text": "t", "b": 1}),
            vec![add("/state/b", json!(1))],
            vec!["/a"],
        ),
    ] {
        let mut canvas = Canvas::new(Some(state.clone()));
        let outcomes: Vec<_> = puts.iter().map(|(place, value)| made(at(place), value.clone())).collect();
        let (landed, made) = canvas.land(&outcomes);
        assert_eq!(canvas.state.as_ref().unwrap().value().to_value(), after, "{puts:?}");
        assert_eq!(made, patch);
        let kept: Vec<_> =
            landed.stale.iter().map(|stale| (stale.target.clone(), stale.reason.code)).collect();
        assert_eq!(
            kept,
            stale.into_iter().map(|place| (at(place), DriftCode::MappingFailed)).collect::<Vec<_>>()
        );
        let mut patched = json!({"data": {}, "state": state});
        let operations: json_patch::Patch = serde_json::from_value(json!(patch)).unwrap();
        json_patch::patch(&mut patched, &operations).unwrap();
        assert_eq!(patched["state"], after);
        let (again, patch) = canvas.land(&outcomes);
        assert!(again.state.is_none() && patch.is_empty());
    }
}

/// A change applies only to the manifest that it was made for.
#[test]
fn a_manifest_takes_no_other_change() {
    let mut canvas = Canvas::new(None);
    let (first, _) = canvas.land(&[made(to("a"), json!(1)), made(to("b"), json!(1))]);
    let before = canvas.manifest.clone();
    assert!(canvas.manifest.apply(&first.data).is_err());
    assert_eq!(canvas.manifest, before);
    let (second, _) = canvas.land(&[made(to("b"), json!(2))]);
    let (third, _) = canvas.land(&[made(to("b"), json!(3))]);
    assert!(canvas.manifest.apply(&second.data.inverse()).is_err());
    for back in [third, second, first] {
        canvas.manifest.apply(&back.data.inverse()).unwrap();
    }
    assert!(canvas.manifest.is_empty());
}
