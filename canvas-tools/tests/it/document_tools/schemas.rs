//! The tools as they are declared: names, schemas, and that schemas and checks agree.

use canvas_core::Policy;
use canvas_tools::{DocumentTools, ToolSpec};
use serde_json::{Value, json};

use super::world::World;

fn tool(name: &str) -> ToolSpec {
    DocumentTools::ALL.list(&Policy::default()).into_iter().find(|tool| tool.name == name).unwrap()
}

#[test]
fn names_and_arguments_are_those_of_the_contract() {
    let declared: Vec<(String, Vec<String>, Vec<String>)> = DocumentTools::ALL
        .list(&Policy::default())
        .into_iter()
        .map(|tool| {
            let fields = tool.parameters["properties"].as_object().unwrap().keys().cloned().collect();
            let required = tool.parameters.get("required").and_then(Value::as_array);
            let required = required.into_iter().flatten().map(|name| name.as_str().unwrap().into()).collect();
            (tool.name, fields, required)
        })
        .collect();
    let expected: [(&str, &[&str], &[&str]); 17] = [
        ("canvas_check_out", &[], &[]),
        ("canvas_renew_lease", &["lease_id"], &["lease_id"]),
        ("canvas_check_in", &["lease_id"], &["lease_id"]),
        ("canvas_grep", &["context", "from_line", "lease_id", "query", "regex"], &["lease_id", "query"]),
        (
            "canvas_read_lines",
            &["end_line", "lease_id", "more_ranges", "revision_id", "start_line"],
            &["lease_id", "start_line", "end_line"],
        ),
        ("canvas_read_all", &["lease_id"], &["lease_id"]),
        (
            "canvas_apply_patch",
            &["base_revision_id", "lease_id", "patch", "resend", "scope"],
            &["lease_id", "patch"],
        ),
        ("canvas_outline", &["after_line", "lease_id", "max_level"], &[]),
        ("canvas_read_section", &["fence", "item", "lease_id", "ordinal", "path"], &["path"]),
        ("canvas_history", &["before", "limit", "versions"], &[]),
        (
            "canvas_replace_lines",
            &["base_revision_id", "end_line", "expect_hash", "lease_id", "more_ranges", "start_line", "text"],
            &["lease_id", "start_line", "end_line", "expect_hash", "text"],
        ),
        ("canvas_move", &["after", "before", "from", "into", "lease_id", "shift"], &["lease_id", "from"]),
        (
            "canvas_replace_all",
            &["count", "find", "lease_id", "regex", "revision_id", "with"],
            &["lease_id", "find", "with", "revision_id", "count"],
        ),
        (
            "canvas_edit_table",
            &[
                "insert_column",
                "insert_row",
                "lease_id",
                "move_column",
                "move_row",
                "remove_column",
                "remove_row",
                "section",
                "set",
                "table",
            ],
            &["lease_id", "table"],
        ),
        ("canvas_set_front_matter", &["key", "lease_id", "remove", "value"], &["lease_id", "key"]),
        (
            "canvas_edit_list",
            &["check", "insert_after", "item", "lease_id", "list", "move_to", "remove", "section"],
            &["lease_id"],
        ),
        (
            "canvas_rename_heading",
            &["lease_id", "links", "ordinal", "section", "title"],
            &["lease_id", "section", "title"],
        ),
    ];
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(name, fields, required)| (name.to_owned(), own(fields), own(required)))
        .collect();
    let sorted = |mut declared: Vec<(String, Vec<String>, Vec<String>)>| {
        declared.iter_mut().for_each(|(_, fields, _)| fields.sort());
        declared
    };
    assert_eq!(sorted(declared), expected);
}

/// Tools whose descriptions explain their fields, which is shorter.
fn edits_structure(tool: &ToolSpec) -> bool {
    !usual().iter().any(|other| other.name == tool.name)
}

fn usual() -> Vec<ToolSpec> {
    DocumentTools { structure: false, ..DocumentTools::ALL }.list(&Policy::default())
}

#[test]
fn schemas_are_closed_and_described() {
    for tool in DocumentTools::ALL.list(&Policy::default()) {
        assert!(tool.name.len() <= 64 && tool.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        assert!(tool.description.len() > 40 && !tool.description.contains("  "), "{}", tool.name);
        let schema = &tool.parameters;
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        assert_eq!((schema.get("$schema"), schema.get("title"), schema.get("$defs")), (None, None, None));
        for (field, property) in schema["properties"].as_object().unwrap() {
            // The names of some say it all, and the description of the tool or the prompt does the rest.
            if ["lease_id", "query", "start_line"].contains(&field.as_str()) || edits_structure(&tool) {
                assert_eq!(property.get("description"), None);
                continue;
            }
            let description = property["description"].as_str().unwrap_or_default();
            assert!(
                !description.contains('\n'),
                "{}.{field}: a line break is a token for nothing",
                tool.name
            );
            assert!(description.len() > 10, "{}.{field} has no description", tool.name);
        }
    }
}

#[test]
fn schemas_match_the_argument_types() {
    let schema = tool("canvas_read_lines").parameters;
    let line = &schema["properties"]["start_line"];
    assert_eq!((&line["type"], &line["minimum"]), (&json!("integer"), &json!(1)));
    let schema = tool("canvas_grep").parameters;
    assert_eq!(schema["properties"]["regex"]["type"], json!("boolean"));
    let schema = tool("canvas_apply_patch").parameters;
    assert_eq!(schema["properties"]["base_revision_id"]["type"], json!("string"));
    assert_eq!(tool("canvas_check_out").parameters["properties"], json!({}));
}

/// The keywords that these schemas use, and no others.
fn accepts(schema: &Value, value: &Value) -> bool {
    let keywords = schema.as_object().unwrap();
    keywords.iter().all(|(keyword, rule)| match keyword.as_str() {
        "type" => {
            let is = |name: &Value| match name.as_str().unwrap() {
                "object" => value.is_object(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                "array" => value.is_array(),
                "integer" => value.is_u64() || value.is_i64(),
                other => panic!("no such type: {other}"),
            };
            rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is))
        }
        "minimum" => value.as_i64().is_none_or(|number| number >= rule.as_i64().unwrap()),
        "maximum" => value.as_i64().is_none_or(|number| number <= rule.as_i64().unwrap()),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| accepts(rule, item))),
        "required" => {
            let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
            !value.is_object() || rule.as_array().unwrap().iter().all(has)
        }
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
        "description" | "format" | "default" => true,
        other => panic!("no such keyword: {other}"),
    })
}

/// What the schema admits, the tool reads; what the tool reads, the schema admits. A `null` is read as a field that was
/// left out.
#[test]
fn schemas_and_checks_agree() {
    let world = World::extended("a\nb\n");
    let strings = [json!("x"), json!(""), json!(null), json!(1), json!({})];
    let numbers = [json!(1), json!(9), json!(0), json!(-1), json!("1"), json!(null)];
    let bools = [json!(true), json!(false), json!(null), json!("true")];
    // Fewer, where a tool has many arguments.
    let parts = [json!(2), json!(0), json!(null)];
    let paths = [json!(["x"]), json!([]), json!([1]), json!("x"), json!(null)];
    let texts = [json!("x"), json!(null)];
    let hashes = [json!("0123456789ab"), json!("x"), json!(1)];
    let revisions = [json!("r1-00000000"), json!(null), json!(1)];
    let scopes = [
        json!({"path": ["x"]}),
        json!({"path": []}),
        json!({}),
        json!({"path": [], "item": 0}),
        json!(null),
        json!("x"),
    ];
    let text =
        |start: u64| json!({"start_line": start, "end_line": 1, "expect_hash": "0123456789ab", "text": ""});
    let ranges = [
        json!(null),
        json!([]),
        json!([[1, 2]]),
        json!([[0, 1]]),
        json!([[1]]),
        json!([text(1)]),
        json!([text(3)]),
    ];
    // The fields of the others are too many for each to take each of its values, see `structure`.
    for tool in usual() {
        // Every argument takes each of its values in turn, and may be left out; one more that nobody knows.
        let fields: Vec<(String, Vec<Option<Value>>)> = tool.parameters["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(|name| {
                let values: &[Value] = match name.as_str() {
                    "start_line" | "end_line" | "max_level" | "after_line" => &numbers,
                    "ordinal" | "item" | "fence" => &parts,
                    "path" => &paths,
                    "text" => &texts,
                    "expect_hash" => &hashes,
                    "context" | "from_line" => &parts,
                    "regex" => &bools,
                    "base_revision_id" => &revisions,
                    // With it the lease is not needed, see `past`.
                    "revision_id" => &[],
                    "scope" => &scopes,
                    "more_ranges" => &ranges,
                    _ => &strings,
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
        let required: Vec<&str> =
            tool.parameters["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for arguments in all {
            let reply = world.tool(&tool.name, arguments.clone());
            let mut given = arguments.clone();
            given
                .as_object_mut()
                .unwrap()
                .retain(|name, value| !value.is_null() || required.contains(&&**name));
            // Beyond types: an empty query, a range that runs back, a part that is two things, a hash that is none.
            let number = |name: &str| arguments[name].as_u64().unwrap_or_default();
            let runs_back = (1..number("start_line")).contains(&number("end_line"));
            let beyond = match reply.body()["error"]["place"].as_str() {
                Some("/query") => arguments["query"] == "",
                Some("/end_line") if tool.name == "canvas_replace_lines" => {
                    arguments["end_line"].is_u64() && number("end_line") + 1 < number("start_line")
                }
                Some("/end_line") => runs_back,
                Some("/more_ranges/0/0" | "/more_ranges/0/1" | "/more_ranges/0/end_line") => true,
                Some("/fence") => number("item") > 0 && number("fence") > 0,
                Some("/expect_hash") => arguments["expect_hash"] == "x",
                _ => false,
            };
            let is_read = reply.code() != Some("INVALID_ARGUMENTS") || beyond;
            assert_eq!(
                is_read,
                accepts(&tool.parameters, &given),
                "{} {arguments}: {}",
                tool.name,
                reply.body()
            );
        }
    }
}
