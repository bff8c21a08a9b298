//! What hosts declare of tools.

use canvas_core::CodedError as _;
use canvas_core::surface::{ContractError, ToolContract, ToolDeclaration};
use serde_json::{Value, json};

use crate::surface::world::{contract, options};

/// The places of strings that may not be saved, and those that were.
fn refused(tool: &str, declared: &Value, arguments: &Value) -> Vec<String> {
    let contract = contract(tool, declared).unwrap();
    match canvas_core::surface::Template::arguments(arguments, contract.name(), Some(&contract), &options(""))
    {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.place).collect(),
    }
}

/// A placeholder in SQL is always refused, one alone in a shell's text too, elsewhere it is fine: so sinks are seen.
#[test]
fn the_deepest_declaration_decides_then_the_schema_then_the_name() {
    let all = json!({"a": "{{state.x}}", "b": {"c": "{{state.x}}", "d": ["{{state.x}}", "{{state.x}}"]}});
    let every = ["/a", "/b/c", "/b/d/0", "/b/d/1"];
    let schema = json!({"properties": {
        "a": {"x-canvas-sink": "sql"},
        "b": {"properties": {"d": {"items": [{}, {"anyOf": [{}, {"x-canvas-sink": "shell"}]}]}}},
    }});
    let deep = json!({"x-canvas-sink": "sql", "properties": {"b": {"$ref": "#/definitions/b"}}, "definitions": {
        "b": {"x-canvas-sink": "text", "additionalProperties": {"allOf": [{"items": {"x-canvas-sink": "sql"}}]}},
    }});
    let patterns = json!({"patternProperties": {"^b": {"x-canvas-sink": "sql"}}, "properties": {"b": {}}});
    let others = json!({"patternProperties": {"^b": {}}, "additionalProperties": {"x-canvas-sink": "sql"}});
    for (tool, declared, expected) in [
        ("read", json!({}), vec![]),
        ("bash", json!({}), every.to_vec()),
        ("query", json!({}), every.to_vec()),
        ("bash", json!({"sinks": {"": "text"}}), vec![]),
        ("bash", json!({"sinks": {"a": "text"}}), every[1..].to_vec()),
        ("read", json!({"sinks": {"a": "shell"}}), vec!["/a"]),
        ("read", json!({"sinks": {"/a": "shell", "/b/d/1": "sql"}}), vec!["/a", "/b/d/1"]),
        ("read", json!({"sinks": {"b": "sql", "/b/d": "text", "/b/d/0": "sql"}}), vec!["/b/c", "/b/d/0"]),
        ("read", json!({"sinks": {"/b~1d": "sql", "b/d": "sql"}}), vec![]),
        ("read", json!({"inputSchema": schema}), vec!["/a", "/b/d/1"]),
        ("bash", json!({"inputSchema": schema}), every.to_vec()),
        ("read", json!({"inputSchema": schema, "sinks": {"a": "text"}}), vec!["/b/d/1"]),
        ("read", json!({"inputSchema": deep}), vec!["/a", "/b/d/0", "/b/d/1"]),
        ("read", json!({"inputSchema": patterns}), every.to_vec()),
        ("read", json!({"inputSchema": others}), every.to_vec()),
        ("read", json!({"inputSchema": {"if": {}, "then": {"x-canvas-sink": "sql"}}}), every.to_vec()),
        ("read", json!({"inputSchema": {"additionalProperties": {"x-canvas-sink": "sql"}}}), every.to_vec()),
    ] {
        assert_eq!(refused(tool, &declared, &all), expected, "{tool} {declared}");
    }
}

#[test]
fn declarations_that_cannot_be_used_are_errors() {
    let sink = |place: &str| ContractError::Sink { place: place.to_owned() };
    for (declared, expected) in [
        (json!({"sinks": {"/a~2": "text"}}), sink("/a~2")),
        (
            json!({"inputSchema": {"properties": {"a/b": {"x-canvas-sink": "bash"}}}}),
            sink("/properties/a~1b/x-canvas-sink"),
        ),
        (json!({"inputSchema": {"allOf": [{}, {"x-canvas-sink": null}]}}), sink("/allOf/1/x-canvas-sink")),
    ] {
        assert_eq!(contract("t", &declared).unwrap_err(), expected, "{declared}");
    }
    for (declared, expected) in [
        (json!({"inputSchema": {"type": "text"}}), "SCHEMA_INVALID"),
        (json!({"inputSchema": {"$ref": "https://a.b/c"}}), "SCHEMA_REFERENCE"),
    ] {
        let error = contract("t", &declared).unwrap_err();
        assert!(matches!(&error, ContractError::Schema(error) if error.code() == expected), "{error}");
        assert_eq!(error.code(), "INVALID_CONTRACT");
    }
    let number = contract("t", &json!({"outputSchema": {"maximum": u64::MAX}})).unwrap_err();
    assert!(matches!(number, ContractError::Number(_)), "{number}");
    // Names of properties and examples declare nothing.
    let schema = json!({"properties": {"x-canvas-sink": {"enum": [{"x-canvas-sink": 1}]}}});
    assert!(contract("t", &json!({"inputSchema": schema})).is_ok());
}

#[test]
fn the_hash_is_of_name_schemas_and_version() {
    let hash = |tool: &str, declared: Value| contract(tool, &declared).unwrap().hash().to_string();
    let first = hash("t", json!({"inputSchema": {"type": "object", "title": "a"}, "version": "1"}));
    assert_eq!(
        first,
        hash(
            "t",
            json!({"inputSchema": {"title": "a", "type": "object"}, "version": "1", "description": "b",
            "readOnly": true, "sinks": {"a": "sql"}})
        )
    );
    let others = [
        hash("u", json!({"inputSchema": {"type": "object", "title": "a"}, "version": "1"})),
        hash("t", json!({"inputSchema": {"type": "object", "title": "b"}, "version": "1"})),
        hash("t", json!({"inputSchema": {"type": "object", "title": "a"}, "version": "2"})),
        hash("t", json!({"inputSchema": {"type": "object", "title": "a"}})),
        hash(
            "t",
            json!({"inputSchema": {"type": "object", "title": "a"}, "version": "1", "outputSchema": {}}),
        ),
    ];
    for (at, other) in others.iter().enumerate() {
        assert!(*other != first && !others[..at].contains(other), "{at}");
    }
}

#[test]
fn arguments_are_checked_with_their_places() {
    let contract =
        contract("t", &json!({"inputSchema": {"properties": {"a": {"type": "integer"}}}})).unwrap();
    assert_eq!(contract.check(&json!({"a": 1}), "/args"), Ok(()));
    let faults = contract.check(&json!({"a": "1"}), "/args").unwrap_err();
    assert_eq!(
        (faults.len(), faults[0].place.as_str(), faults[0].code.code()),
        (1, "/args/a", "ARGUMENTS_REFUSED")
    );
    assert!(faults[0].message.starts_with("t "), "{}", faults[0].message);
    // As much as arguments may have.
    assert_eq!(contract.check(&json!({"b": "x".repeat(256 << 10)}), ""), Ok(()));
    let any = ToolContract::new("t".to_owned().try_into().unwrap(), ToolDeclaration::default()).unwrap();
    assert_eq!(any.check(&json!([1]), ""), Ok(()));
}
