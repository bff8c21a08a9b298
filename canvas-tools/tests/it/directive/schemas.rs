//! The schemas, and that they admit what is read.

use canvas_core::{CodedError as _, Policy};
use canvas_tools::DirectiveTools;
use canvas_tools::directive::{Directive, directive_schema};
use serde_json::{Value, json};

/// The keywords that these schemas use, and no others.
fn accepts(schema: &Value, value: &Value) -> bool {
    let keywords = schema.as_object().unwrap();
    keywords.iter().all(|(keyword, rule)| match keyword.as_str() {
        "type" => {
            let is = |name: &Value| match name.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "null" => value.is_null(),
                "integer" => value.is_u64() || value.is_i64(),
                other => panic!("no such type: {other}"),
            };
            rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is))
        }
        "enum" => rule.as_array().unwrap().contains(value),
        "const" => rule == value,
        "pattern" => {
            assert_eq!(*rule, json!("\\S"));
            value.as_str().is_none_or(|text| !text.trim().is_empty())
        }
        "minimum" => value.as_i64().is_none_or(|number| number >= rule.as_i64().unwrap()),
        "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
        "items" => value.as_array().is_none_or(|list| list.iter().all(|one| accepts(rule, one))),
        "anyOf" => rule.as_array().unwrap().iter().any(|one| accepts(one, value)),
        "required" => rule.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
        "additionalProperties" => {
            assert_eq!(*rule, json!(false));
            let known = schema["properties"].as_object().unwrap();
            value.as_object().is_none_or(|fields| fields.keys().all(|field| known.contains_key(field)))
        }
        "properties" => rule
            .as_object()
            .unwrap()
            .iter()
            .all(|(name, schema)| value.get(name).is_none_or(|value| accepts(schema, value))),
        "if" => accepts(&schema[if accepts(rule, value) { "then" } else { "else" }], value),
        "then" | "else" | "description" | "format" => true,
        other => panic!("no such keyword: {other}"),
    })
}

/// Beyond what a schema says: a range that runs back or is no place, versions that are none or differ, an empty content.
const BEYOND: [&str; 4] = ["BAD_RANGE", "BAD_VERSION", "VERSIONS_DIFFER", "EMPTY_FIELD"];

#[test]
fn schema_and_reading_agree() {
    let (all, without) = (directive_schema(true), directive_schema(false));
    let fields: [(&str, Vec<Value>); 7] = [
        ("action", ["insert", "replace", "annotate", "patch", "delete"].map(Value::from).to_vec()),
        ("content", vec![json!("x"), json!(""), json!(null), json!(1)]),
        ("target", vec![json!({"lines": [1, 1]}), json!(null), json!(1)]),
        (
            "target_range",
            vec![
                json!([1, 1]),
                json!({"start": 1, "end": 1}),
                json!([1]),
                json!([1, -1]),
                json!([0.5, 1]),
                json!(null),
            ],
        ),
        ("diff", vec![json!("@@\n-a\n+b\n"), json!(" "), json!(null), json!(1)]),
        ("document_version", vec![json!("r1-3fa94c02"), json!(null)]),
        ("snapshot_version", vec![json!("r1-3fa94c02")]),
    ];
    let mut cases = vec![json!({})];
    for (name, values) in &fields {
        let values: Vec<Option<&Value>> = values.iter().map(Some).chain([None]).collect();
        cases = cases
            .iter()
            .flat_map(|case| {
                values.iter().map(move |value| {
                    let mut case = case.clone();
                    if let Some(value) = value {
                        case[*name] = (*value).clone();
                    }
                    case
                })
            })
            .collect();
    }
    assert_eq!(cases.len(), 6 * 5 * 4 * 7 * 5 * 3 * 2);
    let (mut read, mut refused) = (0, 0);
    for case in &cases {
        let parsed = Directive::parse(case);
        let beyond =
            parsed.as_ref().is_err_and(|e| e.reason().is_some_and(|reason| BEYOND.contains(&reason)));
        let admitted = accepts(&all, case);
        if parsed.is_ok() {
            read += 1;
            assert!(admitted, "{case}");
            // Without patches there is no diff, not even a null one.
            let knows = case["action"] != "patch" && case.get("diff").is_none();
            assert_eq!(accepts(&without, case), knows, "{case}");
        } else {
            refused += 1;
            // A range of the wrong shape is a fault of the schema too; those of BEYOND need not be.
            assert!(!admitted || beyond, "{case}: {parsed:?}");
        }
    }
    assert!(read > 50 && refused > 1_000, "{read} {refused}");
    for unknown in [json!({"action": "patch", "x": 1}), json!([]), json!(null)] {
        assert!(!accepts(&all, &unknown));
    }
}

#[test]
fn schemas_are_closed_and_described() {
    for patches in [true, false] {
        let tools = DirectiveTools { use_patch_edits: patches }.list(&Policy::default());
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let expected = ["document_snapshot", "document_edit", "diff_builder"];
        assert_eq!(names, &expected[..if patches { 3 } else { 2 }]);
        let schemas = tools.iter().map(|tool| &tool.parameters).cloned().chain([directive_schema(patches)]);
        for schema in schemas {
            assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
            assert_eq!((schema.get("$schema"), schema.get("title"), schema.get("$defs")), (None, None, None));
            assert_eq!((schema.get("allOf"), schema.get("anyOf"), schema.get("oneOf")), (None, None, None));
            assert!(!schema.to_string().contains("$ref"));
            for (field, property) in schema["properties"].as_object().unwrap() {
                let description = property["description"].as_str().unwrap_or_default();
                assert!(description.len() > 10 && !description.contains("  "), "{field}: {description}");
            }
        }
        for tool in &tools {
            assert!(tool.description.len() > 40 && !tool.description.contains("  "), "{}", tool.name);
        }
        // With patches off, no word of them.
        let edit = &tools[1];
        let reported = format!("{} {}", edit.description, edit.parameters["properties"]["action"]);
        assert_eq!(
            (reported.contains("patch"), edit.parameters["properties"].get("diff").is_some()),
            (patches, patches)
        );
        let needed = if patches { json!(["action"]) } else { json!(["action", "content"]) };
        assert_eq!(edit.parameters["required"], needed);
        assert!(
            edit.parameters.get("if").is_none() && edit.parameters["properties"].get("version").is_none()
        );
    }
}
