//! The tools as they are declared: names, schemas, and that schemas and checks agree.

use std::sync::Arc;

use canvas_core::board::{ComponentCategory, ComponentDefinition, Registry, Size, TypeId};
use canvas_core::schema::Schema;
use canvas_core::{Policy, Rollout};
use canvas_tools::{BoardTools, ToolSpec};
use serde_json::{Value, json};

use super::world::{World, failure, workspace};

fn all() -> Vec<ToolSpec> {
    BoardTools::ALL.list(&Registry::built_in(), &Policy::default())
}

fn compiled(tool: &ToolSpec) -> Schema {
    Schema::compile(&tool.parameters).unwrap_or_else(|e| panic!("{}: {e}", tool.name))
}

#[test]
fn names_arguments_and_words_are_those_of_the_document() {
    let declared: Vec<(String, Vec<String>, Vec<String>)> = all()
        .into_iter()
        .map(|tool| {
            let fields = tool.parameters["properties"].as_object().unwrap().keys().cloned().collect();
            let required = tool.parameters.get("required").and_then(Value::as_array);
            let required = required.into_iter().flatten().map(|name| name.as_str().unwrap().into()).collect();
            (tool.name, fields, required)
        })
        .collect();
    let expected: [(&str, &[&str], &[&str]); 16] = [
        ("create_component", &["config", "position", "size", "type_id"], &["type_id", "config"]),
        ("modify_component", &["component_id", "config_updates"], &["component_id"]),
        ("arrange_canvas", &["operations"], &["operations"]),
        ("remove_component", &["component_id"], &["component_id"]),
        ("refresh_component", &["component_id"], &["component_id"]),
        ("undo", &["steps"], &[]),
        ("redo", &["steps"], &[]),
        ("save_view", &["description", "name"], &["name"]),
        ("load_view", &["view_id"], &["view_id"]),
        ("plan_canvas", &["commands"], &["commands"]),
        ("commit_plan", &["plan_id"], &["plan_id"]),
        ("delete_view", &["view_id"], &["view_id"]),
        ("clear_canvas", &["preserve_pinned"], &[]),
        ("label_component", &["component_id", "label", "pinned"], &["component_id"]),
        ("request_action", &["action_id", "component_id", "params"], &["component_id", "action_id"]),
        ("show_canvas", &["after"], &[]),
    ];
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(name, fields, required)| (name.to_owned(), own(fields), own(required)))
        .collect();
    assert_eq!(declared, expected);
    let nine = BoardTools::default().list(&Registry::built_in(), &Policy::default());
    assert_eq!(nine, all()[..9]);
    assert_eq!(
        nine[1].parameters["properties"]["config_updates"],
        json!({"type": "object",
            "description": "Configuration fields to update (merged with existing config)"})
    );
    assert_eq!(
        nine[5].parameters["properties"]["steps"],
        json!({"type": "integer", "minimum": 1, "maximum": 10, "default": 1,
            "description": "Number of steps to undo (default: 1)"})
    );
    let position = &nine[0].parameters["properties"]["position"];
    assert_eq!(position["description"], "Grid position. If omitted, component is auto-placed.");
    assert_eq!(
        position["properties"]["col"],
        json!({"type": "integer", "minimum": 0, "description": "Column position (0-indexed)"})
    );
}

#[test]
fn schemas_are_closed_and_described() {
    for tool in all() {
        assert!(tool.name.len() <= 64 && tool.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        assert!(tool.description.len() > 30 && !tool.description.contains("  "), "{}", tool.name);
        let schema = &tool.parameters;
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        assert_eq!((schema.get("$schema"), schema.get("title"), schema.get("$defs")), (None, None, None));
        assert!(!schema.to_string().contains("\"default\":null"), "{}", tool.name);
        for (field, property) in schema["properties"].as_object().unwrap() {
            let description = property["description"].as_str().unwrap_or_default();
            assert!(description.len() > 10 && !description.contains('\n'), "{}.{field}", tool.name);
        }
        compiled(&tool);
    }
}

/// The union of the source document takes none of the first five: each fits two of its branches. Ours takes each that is
/// right; whether it is one of the type that the call names, the tool says.
#[test]
fn ordinary_configs_are_taken_and_those_of_other_types_are_not() {
    let tool = &BoardTools::default().list(&Registry::built_in(), &Policy::default())[0];
    let schema = compiled(tool);
    let world = World::new();
    for (type_id, config, expected) in [
        ("github.pr-list", json!({"repo": "a/b"}), "OK"),
        ("github.issue-grid", json!({"repo": "a/b", "labels": ["bug"]}), "OK"),
        ("github.stat-tile", json!({"repo": "a/b", "metric": "stars"}), "OK"),
        ("github.activity-timeline", json!({"repo": "a/b", "types": ["push"]}), "OK"),
        ("github.pr-list", json!({"repo": "a/b", "state": "open", "limit": 10}), "OK"),
        ("github.activity-timeline", json!({"repo": "a/b"}), "OK"),
        ("github.pr-list", json!({"repo": "a/b", "of_my_own": [1]}), "CONFIG_VALIDATION_FAILED"),
        ("github.pr-list", json!({"repo": "https://github.com/a/b"}), "CONFIG_VALIDATION_FAILED"),
        ("github.pr-list", json!({}), "CONFIG_VALIDATION_FAILED"),
        ("github.pr-list", json!({"repo": "a/b", "limit": 0}), "CONFIG_VALIDATION_FAILED"),
        ("github.pr-list", json!({"repo": "a/b", "state": "gone"}), "CONFIG_VALIDATION_FAILED"),
        ("github.stat-tile", json!({"repo": "a/b", "metric": "likes"}), "CONFIG_VALIDATION_FAILED"),
        ("github.activity-timeline", json!({"repo": "a/b", "types": ["dance"]}), "CONFIG_VALIDATION_FAILED"),
        ("github.pr-lists", json!({"repo": "a/b"}), "TYPE_NOT_FOUND"),
    ] {
        let arguments = json!({"type_id": type_id, "config": config});
        let errors = schema.validate(&arguments);
        assert_eq!(errors.is_empty(), expected == "OK", "{arguments}: {errors:?}");
        let reply = world.tool("create_component", arguments);
        assert_eq!(reply.code().unwrap_or("OK"), expected, "{}", reply.body());
    }
    // Each is a config of another type.
    for (type_id, config) in [
        ("github.stat-tile", json!({"repo": "a/b"})),
        ("github.pr-list", json!({"repo": "a/b", "limit": 51})),
        ("github.pr-list", json!({"repo": "a/b", "metric": "stars"})),
        ("github.activity-timeline", json!({"repo": "a/b", "labels": ["bug"]})),
    ] {
        let arguments = json!({"type_id": type_id, "config": config});
        assert!(schema.is_valid(&arguments), "{arguments}");
        let reply = world.tool("create_component", arguments);
        assert_eq!(reply.code(), Some("CONFIG_VALIDATION_FAILED"), "{}", reply.body());
    }
}

/// A type that lists its fields takes no others, unless it says so.
#[test]
fn unknown_fields_are_taken_where_the_type_allows_them() {
    let fields = json!({"unit": {"type": "string"}, "max": {"type": "integer"}});
    let mut registry = Registry::built_in();
    for (type_id, config) in [
        ("closed", json!({"type": "object", "properties": fields})),
        ("open", json!({"type": "object", "properties": fields, "additionalProperties": true})),
        ("numbers", json!({"properties": fields, "additionalProperties": {"type": "integer"}})),
        ("unlisted", json!({"type": "object"})),
        ("either", json!({"properties": fields, "anyOf": [{"required": ["unit"]}, {"required": ["own"]}]})),
    ] {
        registry.register(gauge(type_id, config, json!({}))).unwrap();
    }
    let tool = BoardTools::default().list(&registry, &Policy::default()).remove(0);
    let configs = tool.parameters["properties"]["config"]["anyOf"].as_array().unwrap().clone();
    let world = World::with(Some(workspace(12, 8)), Policy::default(), Arc::new(registry));
    for (type_id, closed) in
        [("closed", true), ("open", false), ("numbers", false), ("unlisted", false), ("either", false)]
    {
        let create = json!({"type_id": type_id, "config": {"own": 1, "unit": "m"}});
        let reply = world.tool("create_component", create);
        assert_eq!(reply.is_ok(), !closed, "{}", reply.body());
        let of_type = |config: &&Value| {
            config["description"].as_str().unwrap().starts_with(&format!("Config of {type_id} "))
        };
        let config = configs.iter().find(of_type).unwrap();
        assert_eq!(config.get("additionalProperties") == Some(&json!(false)), closed, "{config}");
    }
    let made = world.tool("create_component", json!({"type_id": "closed", "config": {"unit": "m"}}));
    let id = made.body()["component_id"].clone();
    let updates = json!({"component_id": id, "config_updates": {"max": "x", "own": 1, "other~/": 2}});
    let refused = world.tool("modify_component", updates);
    let errors = refused.body()["error"]["errors"].as_array().unwrap();
    let places: Vec<&str> = errors.iter().map(|fault| fault["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["/config_updates/max", "/config_updates/other~0~1", "/config_updates/own"]);
    assert!(errors[1]["message"].as_str().unwrap().ends_with("max, unit"), "{}", errors[1]);
}

fn gauge(type_id: &str, config_schema: Value, default_config: Value) -> ComponentDefinition {
    ComponentDefinition {
        type_id: TypeId::new(type_id).unwrap(),
        name: "Gauge".into(),
        description: "One number on a scale".into(),
        category: ComponentCategory::Metric,
        config_schema,
        default_config: serde_json::from_value(default_config).unwrap(),
        default_size: Size::new(2, 2),
        min_size: Size::new(1, 1),
        max_size: Size::new(8, 8),
        data_binding_schema: None,
        capabilities: Vec::new(),
        actions: Vec::new(),
        version: 1,
        binding_rule: None,
    }
}

#[test]
fn a_type_appears_by_its_registration_alone() {
    assert!(
        BoardTools::default()
            .list(&Registry::new(), &Policy::default())
            .iter()
            .all(|tool| tool.name != "create_component")
    );
    let mut registry = Registry::new();
    // References from the root, a field that is called as a keyword is, and one that the defaults give.
    let config = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["from", "to"],
        "properties": {
            "from": {"$ref": "#/definitions/end"}, "to": {"$ref": "#/definitions/end"},
            "enum": {"$ref": "#/definitions/end"}, "inner": {"$ref": "#"},
        },
        "definitions": {"end": {"type": "integer", "maximum": 9, "default": {"$ref": "#/untouched"}}},
    });
    registry.register(gauge("my/gauge~1", config, json!({"from": 0}))).unwrap();
    registry.register(gauge("any", json!(true), json!({}))).unwrap();
    let tool = BoardTools::default().list(&registry, &Policy::default()).remove(0);
    let schema = compiled(&tool);
    assert!(tool.parameters.to_string().contains(r##""$ref":"#/untouched""##));
    let world = World::with(Some(workspace(12, 8)), Policy::default(), Arc::new(registry));
    // The union takes whatever the open type takes, so that the other is tried alone.
    let (own, shared) = (&tool.parameters["properties"]["config"]["anyOf"][1], &tool.parameters["$defs"]);
    let gauge = Schema::compile(&json!({"$defs": shared, "allOf": [{"$ref": own["$ref"]}]})).unwrap();
    for (type_id, config, expected) in [
        ("my/gauge~1", json!({"to": 5}), true),
        ("my/gauge~1", json!({"to": 5, "from": 1, "enum": 2}), true),
        ("my/gauge~1", json!({"to": 10}), false),
        ("my/gauge~1", json!({"to": 5, "enum": 10}), false),
        ("my/gauge~1", json!({"from": 1}), false),
        ("my/gauge~1", json!({"to": 5, "inner": {"from": 1, "to": 2}}), true),
        ("my/gauge~1", json!({"to": 5, "inner": {"from": 10, "to": 2}}), false),
        ("any", json!({"whatever": null}), true),
        ("none", json!({}), false),
    ] {
        let arguments = json!({"type_id": type_id, "config": config});
        assert!(schema.is_valid(&arguments) || !expected, "{arguments}");
        assert!(type_id != "my/gauge~1" || gauge.is_valid(&arguments["config"]) == expected, "{arguments}");
        let reply = world.tool("create_component", arguments);
        assert_eq!(reply.is_ok(), expected, "{}", reply.body());
    }
}

#[test]
fn closed_tools_are_not_declared_and_say_so() {
    let names = |policy: &Policy| -> Vec<String> {
        BoardTools::default().list(&Registry::built_in(), policy).into_iter().map(|tool| tool.name).collect()
    };
    let with = |rollout| Policy { rollout, ..Policy::default() };
    assert_eq!(names(&with(Rollout::ReadOnly)), ["refresh_component"]);
    assert_eq!(names(&with(Rollout::Off)), Vec::<String>::new());
    assert_eq!(names(&with(Rollout::Write)).len(), 9);
    assert_eq!(names(&Policy { git_mode: true, ..Policy::default() }), Vec::<String>::new());
    let world = World::with(None, with(Rollout::ReadOnly), Arc::new(Registry::built_in()));
    assert_eq!(failure(&world.tool("undo", json!({}))), "TOOL_DISABLED");
    assert_eq!(failure(&world.tool("undo_all", json!({}))), "UNKNOWN_TOOL");
    assert_eq!(failure(&world.tool("plan_canvas", json!({"commands": []}))), "UNKNOWN_TOOL");
    let world = World::with(None, with(Rollout::Off), Arc::new(Registry::built_in()));
    assert_eq!(failure(&world.tool("undo_all", json!({}))), "TOOL_DISABLED");
}

/// What the schema admits, the tool reads; what the tool reads, the schema admits, where `null` counts as left out.
#[test]
fn schemas_and_checks_agree() {
    let mut world = World::new();
    world.toolset = BoardTools::ALL;
    let cells = [
        json!({"col": 0, "row": 3.0}),
        json!({"col": 1}),
        json!({"col": "1", "row": 0}),
        json!([0, 0]),
        json!(null),
    ];
    let sizes = [json!({"cols": 1, "rows": 2}), json!({"rows": 1}), json!(3), json!(null)];
    let steps = [json!(1), json!(10), json!(2.0), json!(0), json!(11), json!(1.5), json!("1"), json!(null)];
    let objects = [json!({}), json!({"repo": "a/b"}), json!([]), json!("{}"), json!(null)];
    let texts = [json!("x"), json!(""), json!(1), json!(null)];
    let bools = [json!(true), json!("yes"), json!(null)];
    let lists = [
        json!([]),
        json!([{"component_id": "x", "position": {"col": 0, "row": 0}}]),
        json!([{"component_id": "x", "size": {"cols": 1, "rows": 1}, "more": 1}]),
        json!([{"position": {"col": 0, "row": 0}}]),
        json!([1]),
        json!([["x", {"col": 0, "row": 0}, null]]),
        json!({}),
    ];
    let calls = [
        json!([]),
        json!([{"name": "remove_component", "arguments": {"component_id": "x"}}]),
        json!([{"name": "remove_component"}]),
        json!([{"name": 1, "arguments": {}}]),
        json!("all"),
    ];
    let mut tried = 0;
    for tool in all() {
        let schema = compiled(&tool);
        let fields: Vec<(String, Vec<Option<Value>>)> = tool.parameters["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(|name| {
                let values: &[Value] = match name.as_str() {
                    "position" => &cells,
                    "size" => &sizes,
                    "steps" => &steps,
                    "config" | "config_updates" | "params" => &objects,
                    "action_id" => &[json!("refresh"), json!(1), json!(null)],
                    "operations" => &lists,
                    "commands" => &calls,
                    "preserve_pinned" | "pinned" => &bools,
                    "type_id" => &[json!("github.pr-list"), json!(1), json!("")],
                    // That an id is not empty is beyond types, too.
                    "component_id" | "view_id" | "after" => &[json!("x"), json!(1), json!(null)],
                    _ => &texts,
                };
                (name.clone(), values.iter().cloned().map(Some).chain([None]).collect())
            })
            .chain([("unknown".into(), vec![None, Some(json!(1))])])
            .collect();
        let mut all = vec![json!({})];
        for (name, values) in &fields {
            all = all
                .iter()
                .flat_map(|arguments| {
                    values.iter().map(move |value| {
                        let mut arguments = arguments.clone();
                        if let Some(value) = value {
                            arguments[name] = value.clone();
                        }
                        arguments
                    })
                })
                .collect();
        }
        for arguments in all {
            tried += 1;
            let reply = world.host(&tool.name, arguments.clone());
            // Beyond types, a config must be one of its type.
            let is_read = reply.code() != Some("INVALID_ARGUMENTS");
            let is_read = is_read && reply.code() != Some("CONFIG_VALIDATION_FAILED");
            let mut given = arguments.clone();
            let required = tool.parameters.get("required").cloned().unwrap_or_default();
            let is_required = |name: &str| required.as_array().is_some_and(|all| all.contains(&json!(name)));
            given.as_object_mut().unwrap().retain(|name, value| is_required(name) || !value.is_null());
            let errors = schema.validate(&given);
            assert_eq!(is_read, errors.is_empty(), "{} {arguments}: {} {errors:?}", tool.name, reply.body());
        }
    }
    assert!(tried > 1_000, "{tried}");
}
