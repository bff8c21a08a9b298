//! Plans of calls, and what their digests are of.

use canvas_core::lease::Timestamp;
use canvas_core::surface::{
    ActionId, CallPlan, PlanRequest, Scope, StateValue, SurfaceFault, Template, ToolContract,
};
use canvas_core::{BlobId, CanvasId};
use serde_json::{Value, json};

use crate::surface::world::{contract, options};

/// What a digest is of, and a value that reaches the arguments.
struct Case {
    canvas: &'static str,
    action: &'static str,
    spec: &'static [u8],
    version: &'static str,
    value: Value,
    number: Value,
    now: u64,
}

impl Case {
    fn new() -> Self {
        Self {
            canvas: "c",
            action: "deploy",
            spec: b"{}",
            version: "1",
            value: json!("api"),
            number: json!(3),
            now: 5,
        }
    }

    fn plan(&self) -> Result<CallPlan, Vec<SurfaceFault>> {
        let schema = json!({"properties": {"n": {"type": "integer"}}});
        let contract: ToolContract =
            contract("bash", &json!({"version": self.version, "inputSchema": schema})).unwrap();
        let text = json!({"command": "./deploy {{state.v}}", "n": "{{input.n}}"});
        let arguments =
            Template::arguments(&text, contract.name(), Some(&contract), &options("/args")).unwrap();
        let state = StateValue::from(json!({"v": self.value}));
        CallPlan::new(&PlanRequest {
            canvas: &CanvasId::new(self.canvas).unwrap(),
            action: &ActionId::new(self.action).unwrap(),
            spec: BlobId::of(self.spec),
            contract: &contract,
            arguments: &arguments,
            place: "/args",
            scope: Scope {
                state: &state,
                input: &json!({"n": self.number}),
                now: Timestamp::from_millis(self.now),
            },
        })
    }
}

#[test]
fn a_plan_shows_what_would_run() {
    let plan = Case::new().plan().unwrap();
    assert_eq!(plan.arguments, json!({"command": "./deploy 'api'", "n": 3}));
    assert_eq!(plan.words.as_deref(), Some(&["./deploy".to_owned(), "api".to_owned()][..]));
}

#[test]
fn a_digest_is_of_everything_that_decides() {
    let digest = |case: Case| case.plan().unwrap().digest;
    let first = digest(Case::new());
    assert_eq!(digest(Case::new()), first);
    let others = [
        Case { canvas: "d", ..Case::new() },
        Case { action: "x", ..Case::new() },
        Case { spec: b"[]", ..Case::new() },
        Case { version: "2", ..Case::new() },
        Case { value: json!("web"), ..Case::new() },
        Case { now: 6, ..Case::new() },
    ]
    .map(digest);
    for (at, other) in others.iter().enumerate() {
        assert!(*other != first && !others[..at].contains(other), "{at}");
    }
}

#[test]
fn a_plan_that_cannot_run_has_faults() {
    let fault = |case: Case| {
        let faults = case.plan().unwrap_err();
        (faults.len(), faults[0].code.code(), faults[0].place.clone())
    };
    assert_eq!(
        fault(Case { value: json!("\0"), ..Case::new() }),
        (1, "VALUE_REFUSED", "/args/command".to_owned())
    );
    for (number, code) in [
        // No canonical JSON has it.
        (json!((1_u64 << 60) + 1), "ARGUMENTS_REFUSED"),
        (json!(0.5), "ARGUMENTS_REFUSED"),
        (json!("3"), "VALUE_REFUSED"),
    ] {
        assert_eq!(fault(Case { number, ..Case::new() }), (1, code, "/args/n".to_owned()));
    }
}
