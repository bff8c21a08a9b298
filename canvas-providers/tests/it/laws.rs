//! What holds for any input.

use crate::support;

use canvas_providers::{AnswerContext, Event, Provider, RequestOptions, repair};
use canvas_tools::{CodedError as _, ToolSpec};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// JSON with the words of the endpoint in it, so that it gets past the first look.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        proptest::sample::select(vec![
            "",
            " \n",
            "text",
            "tool_use",
            "thinking",
            "tool_result",
            "server_tool_use",
            "object",
            "#",
            "#/a",
            "a",
            "a.b",
            "t1",
            "anthropic",
        ])
        .prop_map(|word| json!(word)),
        "\\PC{0,8}".prop_map(|text| json!(text)),
        any::<i64>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        any::<bool>().prop_map(|flag| json!(flag)),
        Just(Value::Null),
    ];
    let key = proptest::sample::select(vec![
        "type",
        "content",
        "text",
        "id",
        "input",
        "name",
        "error",
        "message",
        "stop_reason",
        "signature",
        "tool_use_id",
        "properties",
        "required",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "items",
        "a",
        "a b",
    ]);
    word.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::Array),
            vec((key.clone(), inner), 0..6).prop_map(|entries| {
                Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

/// Events as a host may hand them in: few ids and names, so that they clash.
fn any_event() -> impl Strategy<Value = Event> {
    let part = prop_oneof![
        2 => any_json(),
        1 => Just(json!({"type": "text", "text": "own"})),
        1 => Just(json!({"type": "text", "text": " "})),
        1 => Just(json!({"type": "thinking", "thinking": "", "signature": "s"})),
        1 => Just(json!({"type": "thinking", "thinking": "x"})),
        1 => Just(json!({"type": "redacted_thinking", "data": "d"})),
        1 => Just(json!({"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}})),
        1 => Just(json!({"type": "tool_use", "input": 5})),
        1 => Just(json!({"type": "server_tool_use", "id": "s1", "name": "w", "input": {}})),
        1 => Just(json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []})),
    ];
    let pick = |words: &'static [&'static str]| proptest::sample::select(words);
    (
        pick(&["system", "user", "assistant", "assistant", "tool"]),
        pick(&["text", "thinking", "tool_call", "tool_call", "tool_result", "tool_result", "opaque"]),
        pick(&["", " \n", "hello", "bye \n"]),
        proptest::option::of(pick(&["", "t1", "t2", "call:1", "call.1"])),
        proptest::option::of(pick(&["", "f", "g", "h.i"])),
        proptest::option::of(any_json()),
        proptest::option::of((pick(&["anthropic", "anthropic", "other"]), part)),
    )
        .prop_map(|(role, kind, content, call_id, name, value, envelope)| {
            let envelope = envelope.map(|(wire, part)| json!({"wire": wire, "issuer": {"host": "api.anthropic.com", "model": "m"}, "parts": [part]}));
            serde_json::from_value(json!({
                "role": role, "type": kind, "content": content, "call_id": call_id, "tool_name": name,
                "arguments": value, "tool_result": value, "envelope": envelope,
            }))
            .expect("any of these is an event")
        })
}

fn specs() -> Vec<ToolSpec> {
    let spec = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
    };
    vec![spec("f"), spec("h.i")]
}

/// Blocks of an answer as the endpoint gives them.
fn answer_part() -> impl Strategy<Value = Value> {
    let object = || {
        vec(("[a-z]{1,4}", any_json()), 0..4)
            .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>()))
    };
    prop_oneof![
        "\\PC{1,20}".prop_map(|text| json!({"type": "text", "text": text, "citations": null})),
        "\\PC{0,20}".prop_map(|text| json!({"type": "thinking", "thinking": text, "signature": "c2ln"})),
        Just(json!({"type": "redacted_thinking", "data": "ZA=="})),
        ("[a-zA-Z0-9_-]{1,70}", "[a-z_]{1,64}", object()).prop_map(
            |(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input})
        ),
        (object(), "[a-z_]{1,20}_block").prop_map(|(mut block, kind)| {
            block["type"] = json!(kind);
            block
        }),
    ]
}

proptest! {
    #![proptest_config(support::law())]

    #[test]
    fn any_history_and_any_prefix_of_it_is_a_valid_request(events in vec(any_event(), 0..16)) {
        for end in 0..=events.len() {
            let options = RequestOptions::default();
            match Provider::Anthropic.request(&support::issuer(), "", &specs(), &events[..end], &options) {
                Ok(request) => {
                    prop_assert_eq!(support::judge::faults(&request.body), Vec::<String>::new());
                }
                Err(error) => prop_assert_eq!(error.code(), "EMPTY_HISTORY"),
            }
        }
    }

    #[test]
    fn repair_is_done_once(events in vec(any_event(), 0..16)) {
        let once = repair(&events);
        let twice = repair(&once.events);
        prop_assert_eq!(&twice.events, &once.events);
        prop_assert!(twice.degradations.is_empty(), "{:?}", twice.degradations);
        let calls = events.iter().filter(|event| event.call().is_some()).count();
        let after = once.events.iter().filter(|event| event.call().is_some()).count();
        prop_assert_eq!(calls, after, "no call is lost");
    }

    #[test]
    fn events_read_back_as_they_were_written(event in any_event()) {
        let text = serde_json::to_string(&event).expect("an event serialises");
        prop_assert_eq!(serde_json::from_str::<Event>(&text).expect("and reads"), event);
    }

    #[test]
    fn any_body_is_decoded_or_refused(body in any_json(), parts in vec(any_json(), 0..4), stop in any_json()) {
        let answer = json!({"content": parts, "stop_reason": stop});
        for body in [body, answer] {
            if let Ok(decoded) = Provider::Anthropic.decode(&body, &support::context()) {
                serde_json::to_value(&decoded).expect("an answer serialises");
                let replayed = Provider::Anthropic.replay(&body).expect("decodes as before");
                prop_assert!(replayed.len() <= decoded.events.len());
                let mut history = vec![Event::user("Hi")];
                history.extend(decoded.events);
                let options = RequestOptions::default();
                let request = Provider::Anthropic.request(&support::issuer(), "", &specs(), &history, &options);
                prop_assert_eq!(support::judge::faults(&request.expect("encodes").body), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn an_answer_goes_back_as_it_came(parts in vec(answer_part(), 0..8)) {
        let body = json!({"role": "assistant", "stop_reason": "end_turn", "content": parts});
        let replayed = Provider::Anthropic.replay(&body).expect("an answer decodes");
        prop_assert_eq!(Value::Array(replayed), body["content"].clone());
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in vec(any::<u8>(), 0..64)) {
        if let Err(error) = Provider::Anthropic.decode_slice(&bytes, &support::context()) {
            prop_assert!(!error.code().is_empty() && error.place().is_some_and(|place| place.is_empty() || place.starts_with('/')));
        }
    }

    #[test]
    fn names_map_both_ways(names in proptest::collection::btree_set("[a-c.:_ é]{0,3}|[a-z.]{60,70}", 1..20)) {
        let spec = |name: &String| ToolSpec {
            name: name.clone(),
            description: String::new(),
            parameters: json!({"type": "object"}),
        };
        let specs: Vec<ToolSpec> = names.iter().map(spec).collect();
        let encoded = Provider::Anthropic.tools(&specs, None);
        let mut back = Vec::new();
        for tool in encoded.tools.as_array().expect("a list") {
            let wire = tool["name"].as_str().expect("a name");
            prop_assert!(support::judge::is_word(wire, 64), "{}", wire);
            let answer = json!({"stop_reason": "tool_use", "content": [
                {"type": "tool_use", "id": "t", "name": wire, "input": {}}]});
            let context = AnswerContext { renames: encoded.renames.clone(), ..support::context() };
            let decoded = Provider::Anthropic.decode(&answer, &context).expect("decodes");
            back.push(decoded.calls().next().expect("a call").name.clone());
        }
        prop_assert_eq!(back, names.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn any_schema_becomes_a_plain_object(parameters in any_json()) {
        let spec = ToolSpec { name: "t".to_owned(), description: String::new(), parameters };
        let encoded = Provider::Anthropic.tools(&[spec], None);
        let schema = &encoded.tools[0]["input_schema"];
        prop_assert_eq!(&schema["type"], "object");
        prop_assert!(schema["properties"].is_object());
        for keyword in ["$schema", "$ref", "anyOf", "oneOf", "allOf"] {
            prop_assert!(schema.get(keyword).is_none());
        }
    }
}

/// A union of references to itself would be followed for ever.
#[test]
fn a_schema_that_holds_itself_ends() {
    let branches = vec![json!({"$ref": "#"}); 20];
    let spec = ToolSpec {
        name: "t".to_owned(),
        description: String::new(),
        parameters: json!({"anyOf": branches, "oneOf": branches, "allOf": branches}),
    };
    assert_eq!(Provider::Anthropic.tools(&[spec], None).tools[0]["input_schema"]["type"], "object");
}
