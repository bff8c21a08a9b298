//! Strict tools: which schemas OpenAI's two APIs are given as strict, and what is said of the others.

use canvas_providers::{Event, Provider, RequestOptions};
use canvas_tools::ToolSpec;
use serde_json::{Value, json};

const APIS: [Provider; 2] = [Provider::OpenAiChat, Provider::OpenAiResponses];

/// The tool as the API declares it, and why it is not strict.
fn declared(api: Provider, schema: &Value, strict_tools: bool) -> (Value, Option<String>) {
    let options = RequestOptions { strict_tools, ..RequestOptions::default() };
    let tools = [ToolSpec { name: "f".into(), description: "f".into(), parameters: schema.clone() }];
    let request = api.request(&api.issuer("m"), "", &tools, &[Event::user("Hi")], &options).expect("encodes");
    let tool = &request.body["tools"][0];
    let tool = tool.get("function").unwrap_or(tool).clone();
    let loss = request.degradations.iter().find(|loss| loss.keyword == "strict");
    assert!(loss.is_none_or(|loss| loss.path == "/tools/0/parameters"), "{loss:?}");
    (tool, loss.map(|loss| loss.how.clone()))
}

fn object(properties: Value) -> Value {
    let required: Vec<_> = properties.as_object().expect("an object").keys().cloned().collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// The rules are those of the vendor's page of supported schemas.
#[test]
fn both_apis_hold_a_model_to_the_same_schemas() {
    let text = json!({"type": "string"});
    let mut deep = text.clone();
    for _ in 0..11 {
        deep = object(json!({"a": deep}));
    }
    let many: Vec<_> = (0..1_001).map(|number| number.to_string()).collect();
    let long: Vec<_> = (0..251).map(|number| format!("{number:060}")).collect();
    let names: serde_json::Map<_, _> = (0..5_001).map(|number| (number.to_string(), text.clone())).collect();
    let table = [
        (json!({}), None),
        (json!({"type": "object"}), None),
        (object(json!({"x": text})), None),
        (object(json!({"x": object(json!({"y": text}))})), None),
        (object(json!({"x": {"anyOf": [text, {"type": "null"}]}})), None),
        (object(json!({"x": {"type": ["string", "null"]}})), None),
        (
            object(
                json!({"x": {"type": "array", "items": object(json!({"y": text})), "minItems": 1, "maxItems": 9}}),
            ),
            None,
        ),
        (object(json!({"x": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2}})), None),
        (object(json!({"x": {"type": "string", "pattern": "^a", "format": "date"}})), None),
        (object(json!({"x": {"type": "string", "enum": ["a", "b"]}, "y": {"const": 1}})), None),
        (
            json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}}, "required": ["x"], "$defs": {"A": text}}),
            None,
        ),
        (json!({"type": "object", "properties": {"x": text}}), Some("x may be left out")),
        (object(json!({"x": {"type": "string", "minLength": 1}})), Some("it uses minLength")),
        (object(json!({"x": {"type": "string", "maxLength": 1}})), Some("it uses maxLength")),
        (object(json!({"x": {"type": "string", "default": "a"}})), Some("it uses default")),
        (object(json!({"x": {"type": "array", "prefixItems": [text]}})), Some("it uses prefixItems")),
        (object(json!({"x": {"type": "array", "uniqueItems": true}})), Some("it uses uniqueItems")),
        (object(json!({"x": {"oneOf": [text]}})), Some("it uses oneOf")),
        (
            object(json!({"x": {"type": "object", "patternProperties": {}}})),
            Some("it uses patternProperties"),
        ),
        (
            json!({"type": "object", "additionalProperties": true}),
            Some("an object in it takes other properties"),
        ),
        (
            object(json!({"x": {"type": "object", "additionalProperties": text}})),
            Some("an object in it takes other properties"),
        ),
        (object(json!({"x": true})), Some("a schema in it is no object")),
        (object(json!({"x": {"$ref": "#", "title": "t"}})), Some("a $ref has other keywords beside it")),
        (deep, Some("it is nested deeper than 10 levels")),
        (
            object(json!({"x": {"type": "string", "enum": many}})),
            Some("it has more than 1000 values of enums"),
        ),
        (
            object(json!({"x": {"type": "string", "enum": long}})),
            Some("an enum in it has more than 15000 characters"),
        ),
        (
            object(Value::Object([("x".repeat(120_001), text)].into_iter().collect())),
            Some("it has more than 120000 characters of names and values"),
        ),
        (object(names.into()), Some("it has more than 5000 properties")),
    ];
    for (schema, why) in table {
        let shown: String = schema.to_string().chars().take(200).collect();
        for api in APIS {
            let (tool, listed) = declared(api, &schema, true);
            assert_eq!(tool["strict"] == true, why.is_none(), "{api:?}: {shown}");
            assert_eq!(listed, why.map(|why| format!("declared without it: {why}")), "{api:?}: {shown}");
            let (tool, listed) = declared(api, &schema, false);
            assert!(tool["strict"] != true && listed.is_none(), "{api:?}: {shown}");
        }
    }
}

/// An object that says nothing of other properties is closed, also in a list, in a branch and beside `null`.
#[test]
fn open_objects_are_closed() {
    for inner in [
        json!({"type": "object"}),
        json!({"type": ["object", "null"]}),
        json!({"type": "array", "items": {"type": "object"}}),
        json!({"anyOf": [{"type": "object"}, {"type": "null"}]}),
    ] {
        for api in APIS {
            let (tool, _) = declared(api, &object(json!({"x": inner})), true);
            let text = tool["parameters"].to_string();
            assert_eq!(text.matches("\"additionalProperties\":false").count(), 2, "{api:?}: {text}");
        }
    }
}

/// Without `strict` the Responses API tries to be strict by itself, and changes the schema for it.
#[test]
fn responses_are_never_strict_by_themselves() {
    let (tool, _) = declared(Provider::OpenAiResponses, &json!({}), false);
    assert_eq!(tool["strict"], false);
}
