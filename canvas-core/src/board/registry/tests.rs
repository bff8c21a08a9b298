use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::board::model::data::DataQuery;
use crate::board::model::grid::{NO_CELL, Size};
use crate::board::model::id::DataSourceId;
use crate::model::error::CodedError as _;

fn type_id(name: &str) -> TypeId {
    TypeId::new(name).unwrap()
}

fn note() -> ComponentDefinition {
    serde_json::from_value(json!({
        "typeId": "my.note", "name": "Note", "description": "A note", "category": "utility",
        "configSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "defaultSize": {"cols": 2, "rows": 2}, "minSize": {"cols": 1, "rows": 1}, "maxSize": {"cols": 12, "rows": 8},
    }))
    .unwrap()
}

#[test]
fn definitions_have_the_names_of_the_document() {
    let mut definition = Registry::built_in().get(&type_id("github.pr-list")).unwrap().clone();
    definition.version = 2;
    let json = serde_json::to_value(&definition).unwrap();
    let names: Vec<_> =
        json.as_object().unwrap().keys().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    assert_eq!(
        names,
        [
            "actions",
            "bindingRule",
            "capabilities",
            "category",
            "configSchema",
            "defaultConfig",
            "defaultSize",
            "description",
            "maxSize",
            "minSize",
            "name",
            "typeId",
            "version",
        ]
    );
    assert_eq!(json["capabilities"], json!(["interactive", "refreshable", "filterable", "sortable"]));
    assert_eq!(json["actions"][1]["requiresSelection"], json!(true));
    assert_eq!(serde_json::from_value::<ComponentDefinition>(json).unwrap(), definition);
    let result = Registry::built_in().validate_config(&type_id("github.pr-list"), &json!({}));
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["valid"], json!(false));
    assert_eq!(json["errors"][0]["code"], json!("required"));
    assert_eq!(serde_json::to_value(ValidationResult::from(Vec::new())).unwrap(), json!({"valid": true}));
}

#[test]
fn definitions_with_a_fault_are_refused_and_change_nothing() {
    let mut registry = Registry::built_in();
    let before = (registry.version(), registry.hash());
    let mut check = |code: &str, change: &dyn Fn(&mut ComponentDefinition)| {
        let mut definition = note();
        change(&mut definition);
        let error = registry.register(definition).expect_err(code);
        assert_eq!(error.code(), code, "{error}");
        error.to_string()
    };
    check("INVALID_TYPE_ID", &|d| d.type_id = type_id("my note"));
    check("INVALID_TYPE_ID", &|d| d.type_id = type_id("my\0note"));
    check("INVALID_TYPE_ID", &|d| d.type_id = type_id(&"n".repeat(129)));
    check("TYPE_EXISTS", &|d| d.type_id = type_id("github.pr-list"));
    check("DESCRIPTION_TOO_LONG", &|d| d.description = "word ".repeat(100));
    check("INVALID_TYPE_SIZES", &|d| d.min_size = Size::new(0, 1));
    check("INVALID_TYPE_SIZES", &|d| d.min_size = Size::new(1, 0));
    check("INVALID_TYPE_SIZES", &|d| d.min_size = Size::new(3, 1));
    check("INVALID_TYPE_SIZES", &|d| d.default_size = Size::new(2, 9));
    check("INVALID_TYPE_SIZES", &|d| d.max_size = Size::new(NO_CELL, 8));
    check("INVALID_TYPE_SIZES", &|d| d.max_size = Size::new(8, NO_CELL));
    check("INVALID_TYPE_VERSION", &|d| d.version = 0);
    check("SCHEMA_INVALID", &|d| d.config_schema = json!({"type": "text"}));
    check("SCHEMA_REFERENCE", &|d| d.config_schema = json!({"$ref": "https://a.b/c"}));
    let said = check("SCHEMA_PATTERN", &|d| d.data_binding_schema = Some(json!({"pattern": "("})));
    assert!(said.contains("/dataBindingSchema"), "{said}");
    let action = |id: &str, params: Option<Value>| ComponentActionDefinition {
        action_id: id.to_owned(),
        label: id.to_owned(),
        description: String::new(),
        icon: None,
        requires_selection: None,
        params,
    };
    check("INVALID_ACTION_ID", &|d| d.actions = vec![action("", None)]);
    check("INVALID_ACTION_ID", &|d| d.actions = vec![action("a", None), action("a", None)]);
    let said = check("SCHEMA_INVALID", &|d| {
        d.actions = vec![action("a", None), action("b", Some(json!({"type": 7})))];
    });
    assert!(said.contains("/actions/1/params"), "{said}");
    let said = check("INVALID_DEFAULT_CONFIG", &|d| {
        d.default_config.insert("text".to_owned(), json!(7));
    });
    assert!(said.contains("/defaultConfig/text"), "{said}");
    check("INVALID_DEFAULT_CONFIG", &|d| {
        d.config_schema["additionalProperties"] = json!(false);
        d.default_config.insert("other".to_owned(), json!(7));
    });
    check("INVALID_DEFAULT_CONFIG", &|d| {
        d.default_config.insert("other".to_owned(), json!("x".repeat(70_000)));
    });
    assert_eq!((registry.version(), registry.hash()), before);

    registry.register(note()).unwrap();
    let after = (registry.version(), registry.hash());
    assert!(after.0 > before.0 && after.1 != before.1);
    registry.register(note()).unwrap();
    assert_eq!((registry.version(), registry.hash()), after);
    assert_eq!(registry.unregister(&type_id("my.note")), Some(note()));
    assert_eq!(registry.unregister(&type_id("my.note")), None);
    assert_eq!(registry.hash(), before.1);
    assert!(registry.version() > after.0);
}

#[test]
fn configs_of_the_built_in_types() {
    let registry = Registry::built_in();
    let check = |name: &str, config: Value, faults: &[(&str, &str)]| {
        let result = registry.validate_config(&type_id(name), &config);
        let found: Vec<_> = result.errors().iter().map(|e| (e.path.as_str(), e.code.as_str())).collect();
        assert_eq!(found, faults, "{name} {config}");
        assert_eq!(result.is_valid(), faults.is_empty());
    };
    check("github.pr-list", json!({"repo": "a/b"}), &[]);
    check("github.pr-list", json!({"repo": "a/b", "state": "all", "limit": 50, "more": 1}), &[]);
    check("github.pr-list", json!({"repo": "a/b", "limit": 3.0}), &[]);
    check("github.pr-list", json!({"repo": "a/b", "limit": 51}), &[("/limit", "maximum")]);
    check("github.pr-list", json!({"limit": 0}), &[("", "required"), ("/limit", "minimum")]);
    check("github.pr-list", json!("a/b"), &[("", "type")]);
    check("github.issue-grid", json!({"repo": "a/b", "labels": ["bug"], "limit": 500}), &[]);
    check("github.issue-grid", json!({"repo": "a/b", "labels": [1]}), &[("/labels/0", "type")]);
    check("github.issue-grid", json!({"repo": "a/b", "state": "new"}), &[("/state", "enum")]);
    check("github.stat-tile", json!({"repo": "a/b", "metric": "stars"}), &[]);
    check("github.stat-tile", json!({"repo": "a/b"}), &[("", "required")]);
    check("github.stat-tile", json!({"repo": "a/b", "metric": "wins"}), &[("/metric", "enum")]);
    check("github.activity-timeline", json!({"repo": "a/b", "types": ["push", "release"]}), &[]);
    check(
        "github.activity-timeline",
        json!({"repo": 1, "types": ["x"]}),
        &[("/repo", "type"), ("/types/0", "enum")],
    );
    check("github.unknown", json!({}), &[("", "TYPE_NOT_FOUND")]);
}

#[test]
fn configs_make_bindings() {
    let registry = Registry::built_in();
    let check = |name: &str, config: Value, query: &str, params: Value| {
        let Value::Object(config) = config else { panic!("a config is an object") };
        let config = registry.config_for(&type_id(name), config);
        let binding = registry.binding_for(&type_id(name), &config, Some(60_000)).unwrap();
        assert_eq!(
            serde_json::to_value(&binding).unwrap(),
            json!({
                "source": "mock-github", "query": {"type": query, "params": params}, "refreshInterval": 60_000,
            })
        );
        assert!(registry.validate_data_binding(&type_id(name), &binding).is_valid());
    };
    check(
        "github.pr-list",
        json!({"repo": "a/b", "x": 1}),
        "pull_requests",
        json!({"repo": "a/b", "state": "open", "limit": 10}),
    );
    check(
        "github.issue-grid",
        json!({"repo": "a/b", "labels": ["bug"], "limit": 5}),
        "issues",
        json!({"repo": "a/b", "state": "open", "labels": ["bug"], "limit": 5}),
    );
    check(
        "github.stat-tile",
        json!({"repo": "a/b", "metric": "forks"}),
        "stats",
        json!({"repo": "a/b", "metric": "forks"}),
    );
    check(
        "github.activity-timeline",
        json!({"repo": "a/b", "types": []}),
        "activity",
        json!({"repo": "a/b", "types": [], "limit": 20}),
    );
    assert_eq!(registry.binding_for(&type_id("my.note"), &Map::new(), None), None);
}

#[test]
fn bindings_are_checked_where_the_type_has_a_schema() {
    let mut registry = Registry::new();
    let mut definition = note();
    definition.data_binding_schema = Some(
        json!({"properties": {"source": {"const": "notes"}, "refreshInterval": {"type": ["integer", "null"], "minimum": 1000}}}),
    );
    registry.register(definition).unwrap();
    let check = |name: &str, source: &str, refresh_interval: Option<u64>, faults: &[&str]| {
        let query = DataQuery { kind: "all".to_owned(), params: Map::new() };
        let binding = DataBinding { source: DataSourceId::new(source).unwrap(), query, refresh_interval };
        let result = registry.validate_data_binding(&type_id(name), &binding);
        let found: Vec<_> = result.errors().iter().map(|e| e.path.as_str()).collect();
        assert_eq!(found, faults);
    };
    check("my.note", "notes", None, &[]);
    check("my.note", "other", Some(10), &["/refreshInterval", "/source"]);
    check("my.unknown", "notes", None, &[""]);
}

proptest! {
    /// A registry is a map in the order of names. Its hash depends only on its content, and its version grows with each
    /// change.
    #[test]
    fn a_registry_is_a_map(steps in proptest::collection::vec((0..6_u8, any::<bool>(), 1..3_u32), 0..24)) {
        let mut registry = Registry::new();
        let mut model: BTreeMap<String, u32> = BTreeMap::new();
        let define = |name: &str, version: u32| {
            let category = if name.ends_with('0') { ComponentCategory::Metric } else { ComponentCategory::Utility };
            ComponentDefinition { type_id: type_id(name), version, category, ..note() }
        };
        for (n, add, version) in steps {
            let name = format!("t.{n}");
            let before = registry.version();
            let known = model.get(&name).copied();
            let changed = if add {
                let result = registry.register(define(&name, version));
                prop_assert_eq!(result.is_ok(), known.is_none_or(|known| known == version));
                model.entry(name).or_insert(version);
                known.is_none()
            } else {
                prop_assert_eq!(registry.unregister(&type_id(&name)).map(|d| d.version), known);
                model.remove(&name);
                known.is_some()
            };
            prop_assert_eq!(registry.version(), before + u64::from(changed));
        }
        let found: Vec<_> = registry.get_all().map(|d| (d.type_id.to_string(), d.version)).collect();
        prop_assert_eq!(&found, &model.clone().into_iter().collect::<Vec<_>>());
        let metrics = registry.get_by_category(ComponentCategory::Metric).count();
        prop_assert_eq!(metrics, usize::from(model.contains_key("t.0")));
        let mut again = Registry::new();
        for (name, version) in found.iter().rev() {
            again.register(define(name, *version)).unwrap();
        }
        prop_assert_eq!(again.hash(), registry.hash());
        if let Some((name, version)) = found.first() {
            again.unregister(&type_id(name));
            again.register(define(name, version + 1)).unwrap();
            prop_assert_ne!(again.hash(), registry.hash());
        }
    }

    /// Defaults fill missing fields of a config, and no others.
    #[test]
    fn defaults_stand_under_a_config(
        state in proptest::option::of(0..3_u8), more in proptest::option::of("[a-z]{1,3}"),
    ) {
        let mut config = Map::new();
        config.extend(state.map(|state| ("state".to_owned(), json!(state))));
        config.extend(more.map(|name| (format!("my_{name}"), Value::Null)));
        let registry = Registry::built_in();
        let pr_list = type_id("github.pr-list");
        let merged = registry.config_for(&pr_list, config.clone());
        let defaults = &registry.get(&pr_list).unwrap().default_config;
        for (name, value) in &merged {
            prop_assert_eq!(Some(value), config.get(name).or_else(|| defaults.get(name)));
        }
        prop_assert!(config.keys().chain(defaults.keys()).all(|name| merged.contains_key(name)));
        prop_assert_eq!(registry.config_for(&type_id("other"), config.clone()), config);
    }
}
