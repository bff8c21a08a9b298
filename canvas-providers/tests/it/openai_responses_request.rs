//! Histories and tools in, requests to the Responses endpoint out.

use crate::support;

use canvas_providers::{
    Degradation, EncodeError, EncodedRequest, Event, Issuer, NativeTool, Provider, RequestOptions, ToolChoice,
};
use canvas_tools::native::Dialect;
use canvas_tools::{CodedError as _, ToolSpec};
use serde_json::{Map, Value, json};

const PROVIDER: Provider = Provider::OpenAiResponses;

fn spec(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters }
}

fn tools() -> [ToolSpec; 2] {
    [spec("f", json!({"type": "object"})), spec("g", json!({"type": "object"}))]
}

fn degraded(degradations: &[Degradation]) -> Value {
    degradations.iter().map(|loss| format!("{} {}", loss.path, loss.keyword)).collect()
}

/// The events of a case: what an answer of these items is read as, and then others.
fn events(case: &Value, issuer: &Issuer) -> Vec<Event> {
    let own = case.get("own").map_or_else(Vec::new, |items| {
        let context = canvas_providers::AnswerContext::new(issuer.clone());
        let body = json!({"status": "completed", "output": items});
        PROVIDER.decode(&body, &context).expect("the items are an answer").events
    });
    let others: Vec<Event> = serde_json::from_value(case["events"].clone()).expect("events read");
    own.into_iter().chain(others).collect()
}

#[test]
fn requests() {
    for case in support::cases("openai_responses/request.json") {
        let name = case["name"].as_str().expect("a name");
        let issuer = PROVIDER.issuer("m");
        let events = events(&case, &issuer);
        let asked = if case["other"] == true { Issuer::new("elsewhere", "m") } else { issuer };
        let system = case["system"].as_str().unwrap_or_default();
        let request = match PROVIDER.request(&asked, system, &tools(), &events, &RequestOptions::default()) {
            Ok(request) => request,
            Err(error) => {
                assert_eq!(json!(error.code()), case["error"], "{name}");
                continue;
            }
        };
        assert_eq!(request.body.get("instructions"), case.get("instructions"), "{name}");
        let input = request.body["input"].as_array().expect("a list");
        let mut expected = Vec::new();
        for item in case["input"].as_array().expect("a list") {
            match item.as_str() {
                Some("own") => expected.extend(case["own"].as_array().expect("a list").clone()),
                Some(answer) => {
                    let code = answer.strip_prefix("answer ").expect("own or an answer");
                    let found = &input[expected.len()];
                    assert!(
                        found["output"].as_str().is_some_and(|text| text.contains(code)),
                        "{name}: {found}"
                    );
                    expected.push(found.clone());
                }
                None => expected.push(item.clone()),
            }
        }
        assert_eq!(json!(input), json!(expected), "{name}");
        assert_eq!(degraded(&request.degradations), case["losses"], "{name}");
        assert_eq!(support::faults(PROVIDER, &request.body), Vec::<String>::new(), "{name}");
    }
}

fn ask(options: &RequestOptions, tools: &[ToolSpec]) -> Result<EncodedRequest, EncodeError> {
    PROVIDER.request(&PROVIDER.issuer("m"), "", tools, &[Event::user("Hi")], options)
}

fn body(options: &RequestOptions, tools: &[ToolSpec]) -> Value {
    ask(options, tools).expect("encodes").body
}

#[test]
fn nothing_is_stored_unless_the_host_says_so() {
    let extra = |fields: Value| match fields {
        Value::Object(extra) => RequestOptions { extra, ..RequestOptions::default() },
        _ => unreachable!("fields are an object"),
    };
    let sealed = json!(["reasoning.encrypted_content"]);
    for (fields, store, include) in [
        (json!({}), json!(false), sealed),
        (json!({"store": true}), json!(true), Value::Null),
        (json!({"include": []}), json!(false), json!([])),
        (json!({"store": true, "include": ["x"]}), json!(true), json!(["x"])),
    ] {
        let body = body(&extra(fields.clone()), &[]);
        assert_eq!((&body["store"], &body["include"]), (&store, &include), "{fields}");
    }
    let request = ask(&extra(json!({"reasoning": {"effort": "low"}, "input": "x", "tools": []})), &[])
        .expect("encodes");
    assert_eq!(request.body["reasoning"], json!({"effort": "low"}));
    assert_eq!(degraded(&request.degradations), json!(["/options/extra input", "/options/extra tools"]));
}

/// What was stored is found by its id, and some hosts read reasoning that nobody sealed.
#[test]
fn reasoning_without_a_seal_goes_where_it_is_taken() {
    let items = json!([{"type": "reasoning", "id": "rs_1", "summary": []}, {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}]);
    let issuer = PROVIDER.issuer("m");
    let mut history = events(&json!({"own": items, "events": []}), &issuer);
    history.push(Event::result("c", "f", json!("r")));
    let stored = RequestOptions {
        extra: Map::from_iter([("store".to_owned(), json!(true))]),
        ..RequestOptions::default()
    };
    let unsigned = RequestOptions { unsigned_thinking: true, ..RequestOptions::default() };
    for options in [stored, unsigned] {
        let body = PROVIDER.request(&issuer, "", &[], &history, &options).expect("encodes").body;
        assert_eq!(json!(body["input"].as_array().expect("a list")[..2]), items);
    }
    let body =
        PROVIDER.request(&issuer, "", &[], &history, &RequestOptions::default()).expect("encodes").body;
    assert_eq!(body["input"][0].get("id"), None);
    assert_eq!(body["input"].as_array().map(Vec::len), Some(2));
}

#[test]
fn options() {
    let tools = tools();
    let with = |choice: ToolChoice| RequestOptions { tool_choice: choice, ..RequestOptions::default() };
    let choice = |options: RequestOptions| body(&options, &tools)["tool_choice"].clone();
    assert_eq!(choice(with(ToolChoice::Auto)), Value::Null);
    assert_eq!(choice(with(ToolChoice::None)), json!("none"));
    assert_eq!(choice(with(ToolChoice::Required)), json!("required"));
    assert_eq!(choice(with(ToolChoice::Tool("f".into()))), json!({"type": "function", "name": "f"}));
    let single = RequestOptions { parallel_calls: false, ..RequestOptions::default() };
    assert_eq!(body(&single, &tools)["parallel_tool_calls"], json!(false));
    assert_eq!(body(&RequestOptions::default(), &tools).get("parallel_tool_calls"), None);
    let without = body(&RequestOptions { parallel_calls: false, ..with(ToolChoice::None) }, &[]);
    assert!(["parallel_tool_calls", "tool_choice", "tools"].iter().all(|name| without.get(*name).is_none()));
    let few = ask(&RequestOptions { max_tokens: 3, ..RequestOptions::default() }, &[]).expect("encodes");
    assert_eq!(few.body["max_output_tokens"], 16);
    assert_eq!(degraded(&few.degradations), json!(["/options/max_tokens max_tokens"]));
    let code =
        |options: RequestOptions, tools: &[ToolSpec]| ask(&options, tools).expect_err("a bad option").code();
    assert_eq!(code(with(ToolChoice::Tool("h".into())), &tools), "BAD_OPTION");
    assert_eq!(code(with(ToolChoice::Required), &[]), "BAD_OPTION");
    assert_eq!(code(RequestOptions { max_tokens: 0, ..RequestOptions::default() }, &[]), "BAD_OPTION");
}

#[test]
fn native_tools_are_declared_and_chosen_as_such() {
    let native = |dialect: Dialect| {
        let tool_choice = ToolChoice::Tool(dialect.tool_names()[0].to_owned());
        let options =
            RequestOptions { native: NativeTool::of(dialect), tool_choice, ..RequestOptions::default() };
        let request = ask(&options, &[dialect.spec("document.md")]).expect("encodes");
        assert_eq!(request.body["tools"][0].get("strict").is_some(), request.context.native.is_none());
        (
            request.body["tools"][0]["type"].clone(),
            request.body["tool_choice"].clone(),
            request.context.native,
        )
    };
    let patch = json!({"type": "apply_patch"});
    assert_eq!(native(Dialect::ApplyPatch), (json!("apply_patch"), patch, Some(NativeTool::ApplyPatch)));
    let custom = json!({"type": "custom", "name": "apply_patch"});
    assert_eq!(native(Dialect::CodexPatch), (json!("custom"), custom, Some(NativeTool::CodexPatch)));
    let name = "str_replace_based_edit_tool";
    let function = json!({"type": "function", "name": name});
    assert_eq!(native(Dialect::TextEditor), (json!("function"), function, None));
    // Without its spec the tool is not there, and its free text is nobody's.
    let options = RequestOptions { native: Some(NativeTool::CodexPatch), ..RequestOptions::default() };
    assert_eq!(ask(&options, &tools()).expect("encodes").context.native, None);
}

#[test]
fn the_root_of_a_schema_is_a_plain_object() {
    let schema = json!({"enum": [{}], "not": {}, "anyOf": [{"properties": {"a b": {"enum": [1]}}}]});
    let encoded = PROVIDER.tools(&[spec("canvas.node.move", schema)], None);
    let parameters = json!({"type": "object", "properties": {"a b": {"enum": [1]}}});
    assert_eq!(encoded.tools[0]["parameters"], parameters);
    let at_root = |keyword: &str| format!("/tools/0/parameters {keyword}");
    let losses = json!([at_root("anyOf"), at_root("enum"), at_root("not")]);
    assert_eq!(degraded(&encoded.degradations), losses);
    assert!(encoded.renames.wire("canvas.node.move").is_some());
}
