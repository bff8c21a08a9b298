//! What keeps data from being made: each case by its code, none of its tools called, and nothing else touched.

use canvas_core::surface::{ActionFailure, ToolDeclaration};
use canvas_tools::recipe::ReplayReport;
use serde_json::{Value, json};

use crate::recipe::world::{World, stale};

/// A replay after something has changed. Beside the report, the names of the tools that were called.
fn drifted(change: impl FnOnce(&mut World)) -> (World, ReplayReport, Vec<String>) {
    let mut world = World::recorded();
    world.host.take();
    change(&mut world);
    let report = world.replay();
    let called = world.host.take().into_iter().map(|(tool, _)| tool).collect();
    (world, report, called)
}

fn read_only() -> ToolDeclaration {
    ToolDeclaration { read_only: true, version: Some("1.0".to_owned()), ..ToolDeclaration::default() }
}

/// What happened to the table and the sum, which are of `orders`, and to the customer, whose call needs the orders.
#[track_caller]
fn check(change: impl FnOnce(&mut World), calls: &[&str], codes: [&str; 3]) {
    let (world, report, called) = drifted(change);
    assert_eq!(called, calls);
    let found = stale(&report);
    for (component, code) in ["table", "sum", "customer"].into_iter().zip(codes) {
        let entry = found.iter().find(|(name, ..)| name == component);
        assert_eq!(entry.map_or("", |(_, _, code)| code), code, "{component}: {found:?}");
        let status = if code.is_empty() { "ready" } else { "stale" };
        assert_eq!(world.shown(component)[0], status, "{component} keeps what it had");
        assert_ne!(world.shown(component)[1], Value::Null);
    }
    assert_eq!(report.escalation.is_some(), codes.iter().any(|code| !code.is_empty()));
    for one in report.stale() {
        assert!(one.reason.message.contains(": "), "no remedy: {}", one.reason.message);
    }
}

const ALL: [&str; 2] = ["orders", "customer"];

#[test]
fn a_tool_that_is_gone_is_not_called_and_neither_is_what_needs_it() {
    let gone = |name: &'static str| {
        move |world: &mut World| {
            world.tools.retain(|tool, _| tool.as_str() != name);
            world.renew();
        }
    };
    check(gone("orders"), &[], ["TOOL_GONE", "TOOL_GONE", "UPSTREAM"]);
    check(gone("customer"), &["orders"], ["", "", "TOOL_GONE"]);
}

#[test]
fn a_tool_whose_contract_has_changed_is_not_called() {
    let changes: [fn(&mut ToolDeclaration); 3] = [
        |tool| tool.version = Some("1.1".to_owned()),
        |tool| tool.input_schema = json!({"type": "object"}),
        |tool| tool.output_schema = Some(json!({"type": "object"})),
    ];
    for change in changes {
        let changed = |world: &mut World| {
            let mut tool = read_only();
            change(&mut tool);
            world.declare_tool("customer", tool);
            world.renew();
        };
        check(changed, &["orders"], ["", "", "CONTRACT_CHANGED"]);
    }
    let described = |world: &mut World| {
        world.declare_tool(
            "orders",
            ToolDeclaration { description: Some("Orders.".to_owned()), ..read_only() },
        );
        world.renew();
    };
    check(described, &ALL, ["", "", ""]);
}

#[test]
fn a_tool_that_is_not_allowed_or_no_longer_read_only_is_not_called() {
    check(|world| world.renew_with(Some(&["orders"])), &["orders"], ["", "", "PERMISSION_GONE"]);
    let writes = |world: &mut World| {
        world.declare_tool("orders", ToolDeclaration { read_only: false, ..read_only() });
        world.renew();
    };
    check(writes, &[], ["PERMISSION_GONE", "PERMISSION_GONE", "UPSTREAM"]);
}

#[test]
fn a_call_that_fails_takes_what_needs_it_along() {
    let failures: [fn() -> ActionFailure; 3] = [
        || ActionFailure::TimedOut,
        || ActionFailure::Failed { code: None, message: "no".to_owned() },
        || ActionFailure::Failed { code: Some("E".repeat(500)), message: "no\n".repeat(500) },
    ];
    for failure in failures {
        let failing = move |world: &mut World| world.host.script("orders", move |_| Err(failure()));
        check(failing, &["orders"], ["CALL_FAILED", "CALL_FAILED", "UPSTREAM"]);
        let failing = move |world: &mut World| world.host.script("customer", move |_| Err(failure()));
        check(failing, &ALL, ["", "", "CALL_FAILED"]);
    }
}

#[test]
fn a_response_of_another_shape_fails_only_the_mappings_that_do_not_take_it() {
    let answers = |tool: &'static str, answer: Value| {
        move |world: &mut World| world.host.script(tool, move |_| Ok(answer.clone()))
    };
    let none = ["MAPPING_FAILED", "MAPPING_FAILED", "MAPPING_FAILED"];
    for answer in [json!(null), json!({}), json!({"rows": 5}), json!([1, 2])] {
        check(answers("orders", answer), &["orders"], none);
    }
    check(answers("orders", json!({"rows": [{"amount": 1}]})), &["orders"], ["", "", "MAPPING_FAILED"]);
    let words = json!({"rows": [{"id": "b", "amount": "much"}]});
    check(answers("orders", words), &ALL, ["", "MAPPING_FAILED", ""]);
    check(answers("customer", json!({"names": []})), &ALL, ["", "", "MAPPING_FAILED"]);
}

#[test]
fn a_response_that_is_too_large_too_deep_or_not_exact_is_a_failed_call() {
    let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
    let large = Value::from("x".repeat(1 << 20));
    let inexact = json!({"rows": [], "id": (1_u64 << 60) + 1});
    for answer in [deep, large, inexact] {
        let answers = move |world: &mut World| world.host.script("orders", move |_| Ok(answer.clone()));
        check(answers, &["orders"], ["CALL_FAILED", "CALL_FAILED", "UPSTREAM"]);
    }
}

#[test]
fn arguments_that_the_tool_no_longer_takes_are_not_sent() {
    let mut world = World::new();
    let schema = json!({"type": "object", "properties": {"order": {"type": "string"}}});
    let tool = ToolDeclaration { input_schema: schema, ..read_only() };
    world.declare_tool("customer", tool);
    world.renew();
    world.turn();
    world.record(crate::recipe::world::declaration());
    world.host.script("orders", |_| Ok(json!({"rows": [{"id": 7, "amount": 1}]})));
    let report = world.replay();
    assert_eq!(world.host.take().len(), 1);
    assert_eq!(stale(&report), [("customer".to_owned(), "stale".to_owned(), "MAPPING_FAILED")]);
    assert!(report.stale()[0].reason.message.starts_with("/params/order: "), "{:?}", report.stale());
}

#[test]
fn a_component_that_never_had_data_shows_an_error() {
    let world = World::new();
    world.put_recipe(json!({
        "version": 1, "catalogue": 1, "steps": [{"id": "s", "tool": "orders"}],
        "mappings": [{"step": "s", "path": "/none", "component": "one"}],
    }));
    let report = world.replay();
    assert_eq!(stale(&report), [("one".to_owned(), "error".to_owned(), "MAPPING_FAILED")]);
    assert_eq!(world.shown("one"), json!(["error", null]));
}

#[test]
fn a_step_that_only_drifted_ones_need_is_not_called() {
    let mut world = World::new();
    world.put_recipe(json!({
        "version": 1, "catalogue": 1,
        "steps": [
            {"id": "a", "tool": "orders"},
            {"id": "b", "tool": "customer", "params": {"order": {"$result": {"step": "a", "path": "/rows/0/id"}}}},
        ],
        "mappings": [{"step": "b", "path": "/name", "component": "one"}],
    }));
    assert_eq!(world.replay().run.calls.len(), 2);
    world.host.take();
    world.tools.retain(|tool, _| tool.as_str() == "orders");
    world.renew();
    let report = world.replay();
    assert_eq!(world.host.take(), []);
    assert_eq!(stale(&report), [("one".to_owned(), "stale".to_owned(), "TOOL_GONE")]);
}
