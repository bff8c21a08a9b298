//! Actions of components that a model asks the user to run.

use std::sync::Arc;

use canvas_core::Policy;
use canvas_core::board::Registry;
use canvas_tools::ActionRequest;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, failure, workspace};

/// A type whose actions take parameters, none, and a selection.
fn registry() -> Arc<Registry> {
    let mut registry = Registry::built_in();
    let definition = json!({
        "typeId": "deploy.service", "name": "Service", "description": "A service", "category": "utility",
        "configSchema": {"type": "object"}, "defaultSize": {"cols": 2, "rows": 1}, "minSize": {"cols": 1, "rows": 1},
        "maxSize": {"cols": 4, "rows": 4},
        "actions": [
            {"actionId": "deploy", "label": "Deploy", "description": "Deploys a version.", "params": {
                "type": "object", "properties": {"version": {"type": "string", "pattern": "^[0-9.]+$"}, "force": {"type": "boolean"}},
                "required": ["version"], "additionalProperties": false,
            }},
            {"actionId": "stop", "label": "Stop it", "description": "Stops the service."},
            {"actionId": "open", "label": "Open", "description": "Opens the selected log.", "requiresSelection": true},
        ],
    });
    registry.register(serde_json::from_value(definition).unwrap()).unwrap();
    Arc::new(registry)
}

fn world() -> (World, String) {
    let mut world = World::with(Some(workspace(12, 8)), Policy::default(), registry());
    world.toolset.request_action = true;
    let made = world.host("create_component", json!({"type_id": "deploy.service", "config": {}}));
    let id = made.body()["component_id"].as_str().unwrap_or_else(|| panic!("{}", made.body())).to_owned();
    (world, id)
}

#[test]
fn a_model_asks_and_runs_nothing() {
    let (mut world, id) = world();
    let before = world.revision();
    for (action, params, label, selects) in [
        ("deploy", json!({"version": "1.2"}), "Deploy", false),
        ("stop", json!({}), "Stop it", false),
        ("open", json!({}), "Open", true),
    ] {
        let asked =
            world.host("request_action", json!({"component_id": id, "action_id": action, "params": params}));
        let mut body = asked.body().clone();
        let explanation = body.as_object_mut().unwrap().remove("explanation").unwrap();
        assert_eq!(explanation.as_str().unwrap().contains("select"), selects, "{explanation}");
        assert_eq!(
            body,
            json!({
                "ok": true, "revision_id": before, "component_id": id, "action_id": action, "label": label,
            })
        );
        let ActionRequest { component_id, action_id, label: shown, params: sent } =
            asked.board().requested.clone().expect("the host is told");
        assert_eq!((component_id.as_str(), action_id.as_str(), shown.as_str()), (id.as_str(), action, label));
        assert_eq!(Value::Object(sent), params);
        assert!(asked.board().events.is_empty() && asked.board().fetch.is_empty());
    }
    assert_eq!(world.revision(), before);
}

#[test]
fn what_cannot_be_asked_for() {
    let (mut world, id) = world();
    for (arguments, expected) in [
        (json!({"component_id": "gone", "action_id": "stop"}), "COMPONENT_NOT_FOUND at \"/component_id\""),
        (json!({"component_id": id, "action_id": "fly"}), "ACTION_NOT_FOUND at \"/action_id\""),
        (json!({"component_id": id, "action_id": "deploy"}), "INVALID_ARGUMENTS at \"/params\""),
        (
            json!({"component_id": id, "action_id": "deploy", "params": {"version": "1; rm"}}),
            "INVALID_ARGUMENTS at \"/params/version\"",
        ),
        (
            json!({"component_id": id, "action_id": "deploy", "params": {"version": "1", "force": 1}}),
            "INVALID_ARGUMENTS at \"/params/force\"",
        ),
        (
            json!({"component_id": id, "action_id": "deploy", "params": {"version": "1", "to": "x"}}),
            "INVALID_ARGUMENTS at \"/params\"",
        ),
        // An action that names no parameters takes none.
        (
            json!({"component_id": id, "action_id": "stop", "params": {"now": true}}),
            "INVALID_ARGUMENTS at \"/params\"",
        ),
        (json!({"component_id": id, "action_id": "stop", "params": []}), "INVALID_ARGUMENTS at \"/params\""),
        (json!({"component_id": id}), "INVALID_ARGUMENTS at \"\""),
        (
            json!({"component_id": id, "action_id": "stop", "confirmed": true}),
            "INVALID_ARGUMENTS at \"/confirmed\"",
        ),
    ] {
        let refused = world.host("request_action", arguments.clone());
        assert_eq!(failure(&refused), expected, "{arguments}");
        assert_eq!(refused.board().requested, None);
    }
    // It is off unless a host switches it on.
    let arguments = json!({"component_id": id, "action_id": "stop"});
    assert_eq!(failure(&world.tool("request_action", arguments)), "UNKNOWN_TOOL");
}

#[test]
fn a_model_sees_label_description_and_parameters() {
    let (world, _) = world();
    let specs = world.toolset.list(&registry(), &Policy::default());
    let spec = specs.iter().find(|spec| spec.name == "request_action").unwrap();
    let action = &spec.parameters["properties"]["action_id"];
    assert_eq!(action["enum"], json!(["deploy", "open", "refresh", "stop", "summarize"]));
    let description = action["description"].as_str().unwrap();
    for part in [
        "deploy.service deploy (Deploy): Deploys a version. params: {",
        "\"pattern\":\"^[0-9.]+$\"",
        " | deploy.service open (Open): Opens the selected log. Needs a selection. | ",
        "github.pr-list summarize (Summarize): Sums up the selected pull request. Needs a selection.",
    ] {
        assert!(description.contains(part), "{part} in {description}");
    }
    // Without actions there is nothing to ask for.
    let none = world.toolset.list(&Registry::default(), &Policy::default());
    assert!(none.iter().all(|spec| spec.name != "request_action"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is sent, what a host is told to ask is right by the schema, or nothing is.
    #[test]
    fn only_right_parameters_reach_a_person(
        action in "(deploy|stop|open|refresh|[a-z]{0,6})",
        version in prop::option::of("[0-9.;a]{0,4}"),
        force in prop::option::of(prop_oneof![Just(json!(true)), Just(json!(1)), Just(json!(null))]),
    ) {
        let (mut world, id) = world();
        let mut params = json!({});
        for (name, value) in [("version", version.clone().map(Value::from)), ("force", force.clone())] {
            if let Some(value) = value {
                params[name] = value;
            }
        }
        let is_number = |version: &String| !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
        let is_right = match action.as_str() {
            "deploy" => version.as_ref().is_some_and(is_number) && force.as_ref().is_none_or(Value::is_boolean),
            "stop" | "open" => params == json!({}),
            _ => false,
        };
        let reply = world.host("request_action", json!({"component_id": id, "action_id": action, "params": params}));
        prop_assert_eq!(reply.board().requested.is_some(), is_right, "{} {}", params, reply.body());
        prop_assert_eq!(reply.is_ok(), is_right);
    }
}
