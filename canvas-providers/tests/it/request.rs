//! Histories and tools in, wire out.

use crate::support;

use canvas_providers::{
    AnswerContext, Degradation, EncodeError, Event, Provider, RequestOptions, ToolChoice,
};
use canvas_tools::{CodedError as _, ToolSpec};
use serde_json::{Map, Value, json};

fn events(case: &Value) -> Vec<Event> {
    serde_json::from_value(case["events"].clone()).expect("events read")
}

fn spec(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters }
}

fn degraded(degradations: &[Degradation]) -> Value {
    degradations.iter().map(|loss| format!("{} {}", loss.path, loss.keyword)).collect()
}

#[test]
fn request_fixtures() {
    let tools = [spec("f", json!({"type": "object"})), spec("g", json!({"type": "object"}))];
    for case in support::cases("request.json") {
        let name = case["name"].as_str().expect("a name");
        let system = case["system"].as_str().unwrap_or_default();
        let options = RequestOptions::default();
        let result =
            Provider::Anthropic.request(&support::issuer(), system, &tools, &events(&case), &options);
        let request = match result {
            Ok(request) => request,
            Err(error) => {
                assert_eq!(json!(error.code()), case["error"], "{name}");
                continue;
            }
        };
        assert_eq!(support::judge::faults(&request.body), Vec::<String>::new(), "{name}");
        assert_eq!(degraded(&request.degradations), case["losses"], "{name}");
        assert_eq!(request.body.get("system"), case.get("system_out"), "{name}");
        if let Some(messages) = case.get("messages") {
            assert_eq!(request.body["messages"], *messages, "{name}");
        }
        if let Some(answers) = case.get("answers") {
            assert_eq!(json!(failed_answers(&request.body)), *answers, "{name}");
        }
    }
}

fn failed_answers(body: &Value) -> Vec<Value> {
    let messages = body["messages"].as_array().expect("a list").iter();
    let blocks = messages.flat_map(|message| message["content"].as_array().expect("a list"));
    let failed = blocks.filter(|block| block["is_error"] == true);
    let code = |block: &Value| {
        let reply: Value =
            serde_json::from_str(block["content"].as_str().expect("text")).expect("a reply body");
        reply["error"]["code"].clone()
    };
    failed.map(|block| json!([block["tool_use_id"], code(block)])).collect()
}

#[test]
fn tool_fixtures() {
    for case in support::cases("tools.json") {
        let name = case["name"].as_str().expect("a name");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let specs: Vec<ToolSpec> = case["specs"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|spec| ToolSpec {
                name: text(&spec["name"]),
                description: text(&spec["description"]),
                parameters: spec["parameters"].clone(),
            })
            .collect();
        let encoded = Provider::Anthropic.tools(&specs, None);
        assert_eq!(encoded.tools, case["tools"], "{name}");
        assert_eq!(json!(encoded.renames), case["renames"], "{name}");
        assert_eq!(degraded(&encoded.degradations), case["losses"], "{name}");
    }
}

#[test]
fn names_come_back() {
    let tools = [spec("canvas.node.move", json!({"type": "object"}))];
    let context =
        AnswerContext { renames: Provider::Anthropic.tools(&tools, None).renames, ..support::context() };
    let wire = context.renames.wire("canvas.node.move").expect("renamed").to_owned();
    let body = json!({"stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "t1", "name": wire, "input": {}}]});
    let mut decoded = Provider::Anthropic.decode(&body, &context).expect("decodes");
    assert_eq!(decoded.calls().next().expect("a call").name, "canvas.node.move");
    let mut history = vec![Event::user("Go")];
    history.append(&mut decoded.events);
    let request =
        Provider::Anthropic.request(&support::issuer(), "", &tools, &history, &RequestOptions::default());
    let body = request.expect("encodes").body;
    assert_eq!(body["messages"][1]["content"][0]["name"], body["tools"][0]["name"]);
}

fn ask(options: RequestOptions, tools: &[ToolSpec]) -> Result<(Value, Vec<Degradation>), EncodeError> {
    let history = [Event::user("Hi")];
    let request = Provider::Anthropic.request(&support::issuer(), "", tools, &history, &options)?;
    Ok((request.body, request.degradations))
}

#[test]
fn options() {
    let tools = [spec("f", json!({"type": "object"}))];
    let with = |choice: ToolChoice| RequestOptions { tool_choice: choice, ..RequestOptions::default() };
    let choice = |options: RequestOptions| ask(options, &tools).expect("encodes").0["tool_choice"].clone();
    assert_eq!(choice(with(ToolChoice::Auto)), Value::Null);
    assert_eq!(choice(with(ToolChoice::None)), json!({"type": "none"}));
    assert_eq!(choice(with(ToolChoice::Required)), json!({"type": "any"}));
    assert_eq!(choice(with(ToolChoice::Tool("f".to_owned()))), json!({"type": "tool", "name": "f"}));
    let single = RequestOptions { parallel_calls: false, ..RequestOptions::default() };
    assert_eq!(choice(single), json!({"type": "auto", "disable_parallel_tool_use": true}));
    let code = |options, tools: &[ToolSpec]| ask(options, tools).expect_err("a bad option").code();
    assert_eq!(code(with(ToolChoice::Tool("g".to_owned())), &tools), "BAD_OPTION");
    assert_eq!(code(with(ToolChoice::Required), &[]), "BAD_OPTION");
    assert_eq!(code(RequestOptions { max_tokens: 0, ..RequestOptions::default() }, &[]), "BAD_OPTION");
}

#[test]
fn extra_fields_fill_gaps_only() {
    let thinking = json!({"type": "enabled", "budget_tokens": 1024});
    let extra = Map::from_iter([("thinking".to_owned(), thinking.clone()), ("model".to_owned(), json!("x"))]);
    let tools = [spec("f", json!({"type": "object"}))];
    let options = RequestOptions { extra, tool_choice: ToolChoice::Required, ..RequestOptions::default() };
    let (body, degradations) = ask(options, &tools).expect("encodes");
    assert_eq!((&body["thinking"], &body["model"]), (&thinking, &json!("m")));
    assert_eq!(body.get("tool_choice"), None);
    assert_eq!(degraded(&degradations), json!(["/options/extra model", "/options/tool_choice any"]));
}

#[test]
fn a_history_with_calls_declares_them_where_no_tool_is_given() {
    let history = [
        Event::user("Hi"),
        serde_json::from_value(
            json!({"role": "assistant", "type": "tool_call", "call_id": "t", "tool_name": "f"}),
        )
        .expect("an event"),
        Event::result("t", "f", json!({"ok": true})),
    ];
    let request =
        Provider::Anthropic.request(&support::issuer(), "", &[], &history, &RequestOptions::default());
    let body = request.expect("encodes").body;
    assert_eq!(body["tools"][0]["name"], "f");
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
}
