//! Specs that compile, and faults of others.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::schema::Schema;
use crate::surface::contract::{ToolContract, ToolDeclaration};
use crate::surface::error::SurfaceCode;
use crate::surface::limits::SurfaceLimits;
use crate::surface::name::{ActionId, ToolName};
use crate::surface::policy::Ceiling;
use crate::surface::spec::action::ActionKind;
use crate::surface::spec::compiled::Spec;
use crate::surface::spec::wire::CanvasSpec;
use crate::surface::strategies::{json_values, specs};

fn ceiling() -> Ceiling {
    static CEILING: LazyLock<Ceiling> = LazyLock::new(make_ceiling);
    CEILING.clone()
}

/// Returns a host with a trusted shell, an untrusted one, and readers.
fn make_ceiling() -> Ceiling {
    let tool = |name: &str| ToolName::new(name).unwrap();
    let tools =
        [("server-a__Bash", false), ("server-a__Read", true), ("gsv__LogsGet", true), ("b__Bash", false)];
    let contract = |name: &str, read_only| {
        let declaration = ToolDeclaration { read_only, ..Default::default() };
        ToolContract::new(tool(name), declaration).unwrap()
    };
    Ceiling {
        tools: tools.into_iter().map(|(name, reads)| (tool(name), contract(name, reads))).collect(),
        trust: [tool("server-a__Bash")].into(),
        ..Default::default()
    }
}

/// The example of the source document, verbatim.
fn example() -> Value {
    json!({
        "version": 1,
        "mode": "html",
        "toolPolicy": {"allow": ["server-a__Bash", "server-a__Read", "gsv__LogsGet"]},
        "state": {"service": "api", "version": "1.2.7", "logsTail": null, "lastDeploy": null},
        "actions": {
            "deploy": {
                "kind": "tool.call",
                "tool": "server-a__Bash",
                "args": {"command": "./deploy {{state.service}} {{state.version}}"},
                "saveAs": "lastDeploy",
                "confirm": "always",
                "timeoutMs": 120_000
            },
            "refreshLogs": {
                "kind": "tool.call",
                "tool": "server-a__Bash",
                "args": {"command": "journalctl -u {{state.service}} -n 80"},
                "saveAs": "logsTail"
            },
            "assistantPlan": {
                "kind": "session.send",
                "message": "Given current rollout state, propose next safe steps and risks.",
                "saveAs": "assistant.plan"
            },
            "setDeploying": {
                "kind": "state.patch",
                "patch": [{"op": "replace", "path": "/status", "value": "deploying"}]
            }
        },
        "bindings": {"buttons.deployNow": "deploy", "buttons.refreshLogs": "refreshLogs"},
        "refresh": [{"id": "pollLogs", "everyMs": 30_000, "action": "refreshLogs", "enabled": true}]
    })
}

fn set(mut json: Value, path: &str, value: Value) -> Value {
    let (parent, name) = path.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.insert(name.to_owned(), value)),
        Value::Array(items) => items.push(value),
        _ => unreachable!("{path}"),
    }
    json
}

fn without(mut json: Value, path: &str) -> Value {
    let (parent, name) = path.rsplit_once('/').unwrap();
    json.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name).unwrap();
    json
}

/// Returns the places and codes of the faults.
fn faults(json: &Value, limits: &SurfaceLimits) -> Vec<(String, SurfaceCode)> {
    let faults = Spec::compile(json, &ceiling(), limits).err().unwrap_or_default();
    faults.into_iter().map(|fault| (fault.place, fault.code)).collect()
}

#[track_caller]
fn check(json: &Value, expected: &[(&str, SurfaceCode)]) {
    let found = faults(json, &SurfaceLimits::default());
    let found: Vec<_> = found.iter().map(|(place, code)| (place.as_str(), *code)).collect();
    assert_eq!(found, expected, "{json}");
}

#[test]
fn the_documented_example_compiles_as_written() {
    let spec = Spec::compile(&example(), &ceiling(), &SurfaceLimits::default()).unwrap();
    let names: Vec<_> = spec.actions().keys().map(ActionId::as_str).collect();
    assert_eq!(names, ["assistantPlan", "deploy", "refreshLogs", "setDeploying"]);
    let timeouts = spec.actions().values().filter_map(|action| match &action.kind {
        ActionKind::ToolCall { timeout_ms, .. } => Some(*timeout_ms),
        _ => None,
    });
    assert_eq!(timeouts.collect::<Vec<_>>(), [120_000, 30_000]);
    assert_eq!(spec.bindings().len(), 2);
    assert!(spec.jobs().iter().all(|job| job.enabled && job.every_ms == 30_000));
    assert_eq!(spec.state().value().to_value(), example()["state"]);
    let warnings: Vec<_> = spec.warnings(&ceiling()).into_iter().map(|w| (w.place, w.code.code())).collect();
    let warnings: Vec<_> = warnings.iter().map(|(place, code)| (place.as_str(), *code)).collect();
    assert_eq!(
        warnings,
        [
            ("/toolPolicy/allow/1", "TOOL_UNUSED"),
            ("/toolPolicy/allow/2", "TOOL_UNUSED"),
            ("/actions/assistantPlan", "ACTION_UNBOUND"),
            ("/actions/setDeploying", "ACTION_UNBOUND"),
        ]
    );
}

#[test]
fn the_least_spec_has_a_version_and_a_mode() {
    let least = json!({"version": 1, "mode": "html"});
    let spec = Spec::compile(&least, &ceiling(), &SurfaceLimits::default()).unwrap();
    assert_eq!(spec.state().to_json(), "{}");
    assert_eq!(spec.warnings(&ceiling()), []);
}

#[test]
fn faults_have_code_and_place() {
    use SurfaceCode::{
        PatchFailed, SpecInvalid, StatePath, StateTooLarge, TemplateInvalid, TemplateSinkForbidden,
        ToolNotAllowed, UnsupportedOp,
    };
    let with = |path: &str, value: Value| set(example(), path, value);
    let deep = (0..65).fold(json!(1), |inner, _| json!([inner]));
    for (json, place, code) in [
        (json!(7), "", SpecInvalid),
        (without(example(), "/version"), "", SpecInvalid),
        (with("/version", json!(2)), "/version", SpecInvalid),
        (with("/version", json!("1")), "/version", SpecInvalid),
        (with("/mode", json!("canvas")), "/mode", SpecInvalid),
        (with("/extra", json!(1)), "/extra", SpecInvalid),
        (with("/toolPolicy/deny", json!([])), "/toolPolicy/deny", SpecInvalid),
        (with("/toolPolicy/allow/-", json!("server-*")), "/toolPolicy/allow/3", SpecInvalid),
        (with("/toolPolicy/allow/-", json!("gsv__LogsGet")), "/toolPolicy/allow/3", SpecInvalid),
        (with("/toolPolicy/allow/-", json!("")), "/toolPolicy/allow/3", SpecInvalid),
        (with("/toolPolicy/allow/-", json!(7)), "/toolPolicy/allow/3", SpecInvalid),
        (with("/state", deep), "/state", StateTooLarge),
        (with("/state", json!("x".repeat(256 << 10))), "", SpecInvalid),
        (with("/actions", json!([])), "/actions", SpecInvalid),
        (with("/actions/x", json!("deploy")), "/actions/x", SpecInvalid),
        (with("/actions/x", json!({})), "/actions/x", SpecInvalid),
        (with("/actions/x", json!({"kind": "script.run"})), "/actions/x/kind", SpecInvalid),
        (with("/actions/", json!({"kind": "state.patch", "patch": []})), "/actions/", SpecInvalid),
        (with("/actions/x~1y", json!({"kind": "x"})), "/actions/x~01y/kind", SpecInvalid),
        (without(example(), "/actions/deploy/tool"), "/actions/deploy", SpecInvalid),
        (with("/actions/deploy/tool", json!("b__Bash")), "/actions/deploy/tool", ToolNotAllowed),
        (with("/actions/deploy/tool", json!("{{state.tool}}")), "/actions/deploy/tool", SpecInvalid),
        (with("/actions/deploy/args", json!("ls")), "/actions/deploy/args", SpecInvalid),
        (
            with("/actions/deploy/args/command", json!("eval {{state.service}}")),
            "/actions/deploy/args/command",
            TemplateSinkForbidden,
        ),
        (with("/actions/deploy/args/x", json!("{{state.service")), "/actions/deploy/args/x", TemplateInvalid),
        (
            with("/actions/assistantPlan/message", json!("{{ js }}")),
            "/actions/assistantPlan/message",
            TemplateInvalid,
        ),
        (with("/actions/deploy/saveAs", json!("a..b")), "/actions/deploy/saveAs", StatePath),
        (with("/actions/deploy/saveAs", json!("a.__proto__")), "/actions/deploy/saveAs", StatePath),
        (with("/actions/deploy/saveAs", json!("{{state.x}}")), "/actions/deploy/saveAs", StatePath),
        (with("/actions/deploy/confirm", json!("sometimes")), "/actions/deploy/confirm", SpecInvalid),
        (with("/actions/deploy/confirm", json!(true)), "/actions/deploy/confirm", SpecInvalid),
        (with("/actions/deploy/timeoutMs", json!(0)), "/actions/deploy/timeoutMs", SpecInvalid),
        (with("/actions/deploy/timeoutMs", json!(600_001)), "/actions/deploy/timeoutMs", SpecInvalid),
        (with("/actions/deploy/timeoutMs", json!(-1)), "/actions/deploy/timeoutMs", SpecInvalid),
        (with("/actions/deploy/required", json!("state.x")), "/actions/deploy/required", SpecInvalid),
        (with("/actions/deploy/required", json!(["x"])), "/actions/deploy/required/0", SpecInvalid),
        (with("/actions/deploy/required", json!(["state"])), "/actions/deploy/required/0", SpecInvalid),
        (with("/actions/deploy/required", json!(["runtime.now"])), "/actions/deploy/required/0", SpecInvalid),
        (
            with("/actions/deploy/required", json!(["state.a", "state..b"])),
            "/actions/deploy/required/1",
            StatePath,
        ),
        (with("/actions/deploy/message", json!("x")), "/actions/deploy/message", SpecInvalid),
        (without(example(), "/actions/assistantPlan/message"), "/actions/assistantPlan", SpecInvalid),
        (
            with("/actions/assistantPlan/sessionKey", json!("")),
            "/actions/assistantPlan/sessionKey",
            SpecInvalid,
        ),
        (
            with("/actions/assistantPlan/sessionKey", json!("agent:{{input.a}}:main")),
            "/actions/assistantPlan/sessionKey",
            SpecInvalid,
        ),
        (with("/actions/setDeploying/saveAs", json!("x")), "/actions/setDeploying/saveAs", SpecInvalid),
        (without(example(), "/actions/setDeploying/patch"), "/actions/setDeploying", SpecInvalid),
        (with("/actions/setDeploying/patch", json!({})), "/actions/setDeploying/patch", PatchFailed),
        (
            with("/actions/setDeploying/patch/-", json!({"op": "test", "path": "/a", "value": 1})),
            "/actions/setDeploying/patch/1/op",
            UnsupportedOp,
        ),
        (
            with("/actions/setDeploying/patch/-", json!({"op": "remove", "path": "/prototype"})),
            "/actions/setDeploying/patch/1/path",
            StatePath,
        ),
        (with("/bindings/x", json!("launch")), "/bindings/x", SpecInvalid),
        (with("/bindings/x", json!(["deploy"])), "/bindings/x", SpecInvalid),
        (with("/bindings/", json!("deploy")), "/bindings/", SpecInvalid),
        (with("/refresh", json!({})), "/refresh", SpecInvalid),
        (with("/refresh/-", json!(1)), "/refresh/1", SpecInvalid),
    ] {
        check(&json, &[(place, code)]);
    }
}

#[test]
fn jobs_run_what_asks_nobody() {
    let job = |id: &str, every: u64, action: &str| json!({"id": id, "everyMs": every, "action": action});
    let spec = set(example(), "/actions/read", json!({"kind": "tool.call", "tool": "server-a__Read"}));
    let spec = set(spec, "/toolPolicy/allow/-", json!("b__Bash"));
    let spec = set(spec, "/actions/untrusted", json!({"kind": "tool.call", "tool": "b__Bash"}));
    let never = json!({"kind": "tool.call", "tool": "b__Bash", "confirm": "never"});
    let spec = set(spec, "/actions/never", never);
    for (job, expected) in [
        (job("a", 1_000, "refreshLogs"), None),
        (job("a", 604_800_000, "read"), None),
        (job("a", 5_000, "setDeploying"), None),
        (job("pollLogs", 5_000, "read"), Some("/refresh/1/id")),
        (job("a", 999, "read"), Some("/refresh/1/everyMs")),
        (job("a", 604_800_001, "read"), Some("/refresh/1/everyMs")),
        (job("a", 5_000, "launch"), Some("/refresh/1/action")),
        (job("a", 5_000, "deploy"), Some("/refresh/1/action")),
        (job("a", 5_000, "untrusted"), Some("/refresh/1/action")),
        (job("a", 5_000, "never"), Some("/refresh/1/action")),
        (job("a", 5_000, "assistantPlan"), Some("/refresh/1/action")),
        (set(job("a", 5_000, "deploy"), "/enabled", json!(false)), Some("/refresh/1/action")),
        (set(job("a", 5_000, "read"), "/enabled", json!("yes")), Some("/refresh/1/enabled")),
        (set(job("a", 5_000, "read"), "/cron", json!("* * * * *")), Some("/refresh/1/cron")),
        (without(job("a", 5_000, "read"), "/action"), Some("/refresh/1")),
        (without(job("a", 5_000, "read"), "/everyMs"), Some("/refresh/1")),
    ] {
        let json = set(spec.clone(), "/refresh/-", job);
        check(
            &json,
            &expected.map(|place| (place, SurfaceCode::SpecInvalid)).into_iter().collect::<Vec<_>>(),
        );
    }
}

/// A reference to an action with a fault is not another fault.
#[test]
fn every_fault_is_listed_in_the_order_of_the_spec_up_to_64() {
    use SurfaceCode::{SpecInvalid, ToolNotAllowed};
    let mut json = set(example(), "/version", json!(3));
    json = set(json, "/actions/deploy/timeoutMs", json!("soon"));
    json = set(json, "/actions/deploy/confirm", json!("no"));
    json = set(json, "/actions/deploy/speed", json!(1));
    json = set(json, "/actions/refreshLogs/tool", json!("rm"));
    json = set(json, "/actions/setDeploying/kind", json!("patch"));
    json = set(json, "/bindings/x", json!("setDeploying"));
    json = set(json, "/zoom", json!(1));
    check(
        &json,
        &[
            ("/version", SpecInvalid),
            ("/actions/deploy/confirm", SpecInvalid),
            ("/actions/deploy/timeoutMs", SpecInvalid),
            ("/actions/deploy/speed", SpecInvalid),
            ("/actions/refreshLogs/tool", ToolNotAllowed),
            ("/actions/setDeploying/kind", SpecInvalid),
            ("/refresh/0/action", SpecInvalid),
            ("/zoom", SpecInvalid),
        ],
    );
    let many = (0..100).fold(example(), |json, number| set(json, &format!("/x{number}"), json!(1)));
    assert_eq!(faults(&many, &SurfaceLimits::default()).len(), 64);
}

#[test]
fn specs_have_limits() {
    let limits = SurfaceLimits { actions: 4, bindings: 2, jobs: 1, ..Default::default() };
    let spec_bytes = example().to_string().len();
    assert_eq!(faults(&example(), &SurfaceLimits { spec_bytes, ..limits }), []);
    for (limits, place) in [
        (SurfaceLimits { spec_bytes: spec_bytes - 1, ..limits }, ""),
        (SurfaceLimits { bindings: 1, ..limits }, "/bindings"),
        (SurfaceLimits { jobs: 0, ..limits }, "/refresh"),
        (SurfaceLimits { actions: 3, ..limits }, "/actions"),
    ] {
        assert_eq!(faults(&example(), &limits)[0], (place.to_owned(), SurfaceCode::SpecInvalid));
    }
    let limits = SurfaceLimits { actions: 3, ..Default::default() };
    assert_eq!(faults(&example(), &limits), [("/actions".to_owned(), SurfaceCode::SpecInvalid)]);
    let limits = SurfaceLimits { state_bytes: 10, ..Default::default() };
    assert_eq!(faults(&example(), &limits), [("/state".to_owned(), SurfaceCode::StateTooLarge)]);
}

#[test]
fn what_is_odd_is_a_warning() {
    let list = json!(["server-a__Bash", "gone", "b__Bash"]);
    let action = |tool: &str, save: &str| json!({"kind": "tool.call", "tool": tool, "confirm": "never", "saveAs": save});
    let spec = json!({
        "version": 1, "mode": "html", "toolPolicy": {"allow": list}, "state": {"a": null, "l": [1]},
        "actions": {
            "one": action("gone", "state.x"), "two": action("b__Bash", "a.b"), "three": action("server-a__Bash", "l.1"),
            "four": action("server-a__Bash", "l.0"),
        },
        "bindings": {"1": "one", "2": "two", "3": "three"},
        "refresh": [{"id": "j", "everyMs": 1_000, "action": "four", "enabled": false}],
    });
    let host = Ceiling { allow: Some([ToolName::new("server-a__Bash").unwrap()].into()), ..ceiling() };
    let spec = Spec::compile(&spec, &host, &SurfaceLimits::default()).unwrap();
    let warnings: Vec<_> = spec.warnings(&host).into_iter().map(|w| (w.place, w.code.code())).collect();
    let warnings: Vec<_> = warnings.iter().map(|(place, code)| (place.as_str(), *code)).collect();
    assert_eq!(
        warnings,
        [
            ("/toolPolicy/allow/1", "TOOL_NOT_FOUND"),
            ("/toolPolicy/allow/2", "TOOL_NOT_ALLOWED"),
            ("/actions/one/confirm", "CONFIRM_IGNORED"),
            ("/actions/one/saveAs", "SAVE_PREFIXED"),
            ("/actions/three/saveAs", "SAVE_UNREACHABLE"),
            ("/actions/two/confirm", "CONFIRM_IGNORED"),
            ("/actions/two/saveAs", "SAVE_UNREACHABLE"),
            ("/refresh/0", "JOB_DISABLED"),
        ]
    );
}

fn schema() -> &'static Schema {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(make_schema);
    &SCHEMA
}

fn make_schema() -> Schema {
    let settings = schemars::generate::SchemaSettings::draft07();
    let schema = settings.into_generator().into_root_schema_for::<CanvasSpec>().to_value();
    Schema::compile(&schema).unwrap()
}

/// Collects members whose replacement with another value makes an invalid spec.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    if let Value::Object(members) = value {
        for (name, member) in members {
            let here = crate::model::json_pointer::join_pointer(place, name);
            if !matches!(name.as_str(), "state" | "args" | "value") {
                places(member, &here, found);
            }
            found.push(here);
        }
    }
}

proptest! {
    #[test]
    fn specs_of_the_strategy_compile_and_fit_the_json_schema(spec in specs()) {
        let json = serde_json::to_value(&spec.spec).unwrap();
        prop_assert_eq!(Spec::compile(&json, &spec.ceiling, &SurfaceLimits::default()).err(), None);
        prop_assert_eq!(schema().validate(&json), []);
    }

    /// Replacing a member with any value does not panic, and a spec that the schema refuses is refused.
    #[test]
    fn what_the_json_schema_refuses_does_not_compile(
        spec in specs(), pick in any::<prop::sample::Index>(), value in json_values(),
    ) {
        let mut json = serde_json::to_value(&spec.spec).unwrap();
        let mut found = Vec::new();
        places(&json, "", &mut found);
        let place = &found[pick.index(found.len())];
        *json.pointer_mut(place).unwrap() = value;
        let compiled = Spec::compile(&json, &spec.ceiling, &SurfaceLimits::default());
        let errors = schema().validate(&json);
        prop_assert!(errors.is_empty() || compiled.is_err(), "{} {:?}", place, errors);
        for fault in compiled.err().unwrap_or_default() {
            prop_assert!(!fault.message.is_empty() && fault.message.len() < 400);
        }
    }

    #[test]
    fn no_value_is_too_odd_to_be_checked(value in json_values()) {
        prop_assert!(Spec::compile(&value, &ceiling(), &SurfaceLimits::default()).is_err());
    }
}
