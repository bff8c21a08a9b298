//! What holds for any answer, stream and history of the Responses endpoint.

use crate::support;

use canvas_providers::{AnswerContext, Decoded, Event, Provider, RequestOptions};
use canvas_tools::{CodedError as _, ToolSpec};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

const PROVIDER: Provider = Provider::OpenAiResponses;

fn context() -> AnswerContext {
    AnswerContext::new(PROVIDER.issuer("m"))
}

fn object() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof!["\\PC{0,8}".prop_map(Value::from), any::<i32>().prop_map(Value::from), Just(Value::Null)];
    vec(("[a-z]{1,4}", leaf), 0..4)
        .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>()))
}

/// An item as the endpoint gives it, without ids, which come with its place.
fn item() -> impl Strategy<Value = Value> {
    prop_oneof![
        vec("\\PC{0,9}", 0..3).prop_map(|texts| {
            let parts = texts.iter().map(|text| json!({"type": "output_text", "text": text, "annotations": []}));
            json!({"type": "message", "role": "assistant", "status": "completed", "content": parts.collect::<Vec<_>>()})
        }),
        (vec("\\PC{1,9}", 0..3), "[a-z]{1,5}").prop_map(|(texts, seal)| {
            let parts = texts.iter().map(|text| json!({"type": "summary_text", "text": text}));
            json!({"type": "reasoning", "summary": parts.collect::<Vec<_>>(), "encrypted_content": seal})
        }),
        (object(), "[a-z_]{1,9}").prop_map(|(arguments, name)| {
            json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "status": "completed"})
        }),
        "\\PC{0,9}".prop_map(|input| json!({"type": "custom_tool_call", "name": "sql", "input": input, "status": "completed"})),
        "\\PC{0,9}".prop_map(|diff| {
            json!({"type": "apply_patch_call", "status": "completed", "operation": {"type": "update_file", "path": "p", "diff": diff}})
        }),
        ("[a-z]{1,9}_item", object()).prop_map(|(kind, mut item)| {
            item["type"] = json!(kind);
            item
        }),
    ]
}

fn answer() -> impl Strategy<Value = Vec<Value>> {
    vec(item(), 0..6).prop_map(|mut items| {
        for (index, item) in items.iter_mut().enumerate() {
            let (prefix, is_call) = match item["type"].as_str() {
                Some("message") => ("msg", false),
                Some("reasoning") => ("rs", false),
                Some("function_call") => ("fc", true),
                Some("custom_tool_call" | "apply_patch_call") => ("ctc", true),
                _ => ("x", false),
            };
            item["id"] = json!(format!("{prefix}_{index}"));
            if is_call {
                item["call_id"] = json!(format!("call_{index}"));
            }
        }
        items
    })
}

/// The events of a stream that gives these items. Of each item, beginning, text and end may be missing: the last event has
/// all items.
fn events(items: &[Value], missing: &[u8], first_index: usize) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": {"status": "in_progress"}})];
    for (number, item) in items.iter().enumerate() {
        let missing = missing.get(number).copied().unwrap_or_default();
        let index = number + first_index;
        let mut start = item.clone();
        start["status"] = json!("in_progress");
        let mut deltas = Vec::new();
        let mut texts = |kind: &str, place: &str, texts: Vec<&Value>| {
            for (part, text) in texts.into_iter().enumerate() {
                let text: Vec<char> = text.as_str().unwrap_or_default().chars().collect();
                for piece in text.chunks(3) {
                    let piece: String = piece.iter().collect();
                    deltas.push(json!({"type": kind, "output_index": index, place: part, "item_id": "rotates", "delta": piece}));
                }
            }
        };
        let all = |list: &'static str| {
            item[list].as_array().into_iter().flatten().map(|part| &part["text"]).collect()
        };
        match item["type"].as_str() {
            Some("message") => texts("response.output_text.delta", "content_index", all("content")),
            Some("reasoning") => {
                texts("response.reasoning_summary_text.delta", "summary_index", all("summary"))
            }
            Some("function_call") => {
                texts("response.function_call_arguments.delta", "x", vec![&item["arguments"]])
            }
            Some("custom_tool_call") => {
                texts("response.custom_tool_call_input.delta", "x", vec![&item["input"]])
            }
            Some("apply_patch_call") => {
                texts(
                    "response.apply_patch_call_operation_diff.delta",
                    "x",
                    vec![&item["operation"]["diff"]],
                );
            }
            _ => {}
        }
        if missing & 1 == 0 {
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": start}));
        }
        if missing & 2 == 0 {
            events.append(&mut deltas);
        }
        if missing & 4 == 0 {
            events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
        }
    }
    events
}

fn stream(events: &[Value], cuts: &[usize]) -> (Decoded, String) {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut stream = PROVIDER.stream(context());
    let mut places: Vec<usize> =
        cuts.iter().map(|cut| cut % (text.len() + 1)).chain([0, text.len()]).collect();
    places.sort_unstable();
    let mut told = String::new();
    for pair in places.windows(2) {
        stream.feed(&text.as_bytes()[pair[0]..pair[1]], &mut |event| {
            if let canvas_providers::StreamEvent::Text { delta, .. } = event {
                told.push_str(delta);
            }
        });
    }
    (stream.finish(), told)
}

/// Parts that a host may hold: sound ones, and some that are not.
fn part() -> impl Strategy<Value = Value> {
    let bare = select(vec![
        json!({"type": "reasoning", "id": "rs_1", "summary": []}),
        json!({"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "e"}),
        json!({"type": "reasoning", "encrypted_content": "e"}),
        json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []}),
        json!({"type": "message", "id": "msg_1", "role": "user", "status": "completed", "content": "x"}),
        json!({"type": "message", "id": "msg_2", "role": "assistant", "status": "completed", "phase": "final_answer", "content": [{"type": "output_text", "text": "Hm"}]}),
        json!({"type": "message", "role": "assistant", "content": "Hm"}),
        json!({"type": "function_call", "id": "fc_1", "call_id": "t1", "name": "f", "arguments": "{}", "status": null, "created_by": 1}),
        json!({"type": "function_call", "id": "x", "arguments": "[1]", "caller": {"type": "program", "caller_id": "p"}}),
        json!({"type": "function_call", "id": "fc_2", "caller": {"type": "direct"}}),
        json!({"type": "custom_tool_call", "input": "x", "status": "completed"}),
        json!({"type": "apply_patch_call", "id": "apc_1", "operation": {}}),
        json!({"type": "apply_patch_call", "id": "apc_1"}),
        json!({"type": "program", "id": "prog_1", "call_id": "p"}),
        json!({"type": "shell_call", "id": "sh_1", "call_id": "s"}),
        json!({"type": "shell_call_output", "id": "so_1", "call_id": "s"}),
        json!({"type": "function_call_output", "call_id": "t1", "output": "x"}),
        json!({"type": "input_text", "text": "Hi"}),
        json!({"type": "input_text"}),
        json!({"type": ""}),
        json!(5),
    ]);
    prop_oneof![3 => bare, 1 => item()]
}

/// Events as a host may hand them in: few ids and names, so that they clash.
fn event() -> impl Strategy<Value = Event> {
    (
        select(vec!["system", "user", "assistant", "assistant", "tool"]),
        select(vec!["text", "thinking", "tool_call", "tool_call", "tool_result", "tool_result", "opaque"]),
        select(vec!["", " \n", "hello", "bye \n"]),
        prop::option::of(select(vec!["", "t1", "t2", "call:1", "call é"])),
        prop::option::of(select(vec!["", "f", "g", "h.i"])),
        prop::option::of(select(vec![json!({"ok": false}), json!("text"), json!({"a": 1}), json!(7)])),
        any::<bool>(),
        prop::option::of((select(vec!["openai-responses", "openai-responses", "anthropic"]), part())),
    )
        .prop_map(|(role, kind, content, call_id, name, value, has_image, envelope)| {
            let envelope = envelope.map(|(wire, part)| json!({"wire": wire, "issuer": {"host": "api.openai.com", "model": "m"}, "parts": [part]}));
            let images = if has_image { vec![json!({"media_type": "image/png", "data": "AA=="})] } else { Vec::new() };
            serde_json::from_value(json!({
                "role": role, "type": kind, "content": content, "call_id": call_id, "tool_name": name,
                "arguments": value, "tool_result": value, "images": images, "envelope": envelope,
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

proptest! {
    #![proptest_config(support::law())]

    #[test]
    fn a_stream_is_read_as_the_whole_answer(
        items in answer(), missing in vec(0u8..8, 0..6), first in 0usize..2, cuts in vec(any::<usize>(), 0..6),
    ) {
        let body = json!({"status": "completed", "output": items});
        let whole = PROVIDER.decode(&body, &context()).expect("an answer");
        let mut events = events(&items, &missing, first);
        events.push(json!({"type": "response.completed", "response": body}));
        let (decoded, told) = stream(&events, &cuts);
        // Places that count from 1 are not those of the last event, so that what is missing cannot be put in between.
        let has_places = first == 0 || missing.iter().take(items.len()).all(|missing| missing & 5 == 0);
        if has_places {
            prop_assert_eq!(&decoded, &whole);
        }
        if has_places && missing.iter().all(|missing| missing & 2 == 0) {
            prop_assert_eq!(told, whole.text());
        }
    }

    #[test]
    fn a_call_without_its_end_is_never_complete(items in answer(), end in any::<usize>()) {
        let events = events(&items, &[], 0);
        let end = end % (events.len() + 1);
        let (decoded, _) = stream(&events[..end], &[]);
        prop_assert!(decoded.failure.is_some());
        for call in decoded.calls().filter(|call| call.to_call().is_some()) {
            let is_end = |event: &Value| event["type"] == "response.output_item.done" && event["item"]["call_id"] == *call.id;
            prop_assert!(events[..end].iter().any(is_end), "{:?}", call);
        }
    }

    #[test]
    fn an_answer_goes_back_as_it_came(items in answer()) {
        let body = json!({"status": "completed", "output": items});
        prop_assert_eq!(json!(PROVIDER.replay(&body).expect("an answer")), body["output"].clone());
    }

    #[test]
    fn any_history_and_any_prefix_of_it_is_a_valid_request(events in vec(event(), 0..16)) {
        for end in 0..=events.len() {
            match PROVIDER.request(&PROVIDER.issuer("m"), "", &specs(), &events[..end], &RequestOptions::default()) {
                Ok(request) => prop_assert_eq!(support::faults(PROVIDER, &request.body), Vec::<String>::new()),
                Err(error) => prop_assert_eq!(error.code(), "EMPTY_HISTORY"),
            }
        }
    }

    #[test]
    fn another_issuer_gets_nothing_that_is_sealed(items in answer()) {
        let body = json!({"status": "completed", "output": items});
        let mut history = vec![Event::user("Hi")];
        history.extend(PROVIDER.decode(&body, &context()).expect("an answer").events);
        let request = PROVIDER.request(&PROVIDER.issuer("n"), "", &specs(), &history, &RequestOptions::default());
        let body = request.expect("encodes").body;
        prop_assert_eq!(support::faults(PROVIDER, &body), Vec::<String>::new());
        for item in body["input"].as_array().expect("a list") {
            let kind = item["type"].as_str().unwrap_or_default();
            prop_assert!(matches!(kind, "message" | "function_call" | "function_call_output"), "{}", item);
            prop_assert!(item.get("id").is_none() && item.get("encrypted_content").is_none());
        }
    }

    #[test]
    fn any_events_are_read_or_refused(parts in vec(part(), 0..6), kinds in vec(select(vec![
        "response.output_item.added", "response.output_item.done", "response.output_text.delta", "response.completed",
        "response.function_call_arguments.done", "response.incomplete", "error", "x",
    ]), 0..8), index in prop::option::of(0u64..3)) {
        let events: Vec<Value> = kinds.iter().enumerate().map(|(number, kind)| {
            let part = parts.get(number);
            let response = json!({"output": parts, "usage": 5, "error": part});
            json!({"type": kind, "output_index": index, "item": part, "response": response, "delta": part, "arguments": part, "error": part})
        }).collect();
        let (decoded, _) = stream(&events, &[]);
        serde_json::to_value(&decoded).expect("an answer serialises");
        let _ = PROVIDER.decode(&json!({"status": "completed", "output": parts}), &context());
    }
}
