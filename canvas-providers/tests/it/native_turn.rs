//! Edits in the form that a model was trained on, from its answer to the document and back.

use crate::support;

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_providers::{
    Decoded, EncodedRequest, Event, LoopAction, LoopOptions, NativeTool, Outcome, Provider, RequestOptions,
    StreamEvent, ToolLoop,
};
use canvas_tools::native::{Dialect, RenderOptions, render_native};
use canvas_tools::{NativeTools, Session, ToolReply, Tools};
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp::from_millis(1_000);
const PATH: &str = "document.md";
const BEFORE: &str = "# Plan\n\n- milk\n- eggs\n";
const AFTER: &str = "# Plan\n\n- milk\n- bread\n";

/// An answer that makes one call, as the provider streams or sends it.
fn answer(provider: Provider, asked: &EncodedRequest, dialect: Dialect, id: &str, call: &Value) -> Decoded {
    let name = dialect.tool_names()[0];
    match provider {
        Provider::Anthropic => {
            let input = json!({"type": "tool_use", "id": id, "name": name, "input": call});
            let body = json!({"stop_reason": "tool_use", "content": [input]});
            provider.decode(&body, &asked.context).expect("decodes")
        }
        Provider::OpenAiResponses => {
            let item = match asked.context.native {
                Some(NativeTool::ApplyPatch) => {
                    json!({"type": "apply_patch_call", "id": "apc_1", "call_id": id, "operation": call})
                }
                Some(NativeTool::CodexPatch) => {
                    json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": id, "name": name, "input": call["input"]})
                }
                _ => {
                    let arguments = call.to_string();
                    json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": arguments})
                }
            };
            streamed(asked, &item)
        }
        Provider::OpenAiChat => {
            let call = match asked.context.native {
                Some(_) => {
                    json!({"id": id, "type": "custom", "custom": {"name": name, "input": call["input"]}})
                }
                None => {
                    let arguments = call.to_string();
                    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
                }
            };
            let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            let body = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
            provider.decode(&body, &asked.context).expect("decodes")
        }
        other => panic!("{other} is not in the table"),
    }
}

/// A stream of one item, whose text comes in pieces that are told as they come.
fn streamed(asked: &EncodedRequest, item: &Value) -> Decoded {
    let (mut start, mut done) = (item.clone(), item.clone());
    (start["status"], done["status"]) = (json!("in_progress"), json!("completed"));
    let (text, delta) = match item["type"].as_str() {
        Some("apply_patch_call") => {
            (start["operation"]["diff"].take(), "response.apply_patch_call_operation_diff.delta")
        }
        Some("custom_tool_call") => (start["input"].take(), "response.custom_tool_call_input.delta"),
        _ => (start["arguments"].take(), "response.function_call_arguments.delta"),
    };
    let text = text.as_str().expect("a text");
    let mut events = vec![json!({"type": "response.output_item.added", "output_index": 0, "item": start})];
    let pieces: Vec<char> = text.chars().collect();
    events.extend(
        pieces.chunks(5).map(
            |piece| json!({"type": delta, "output_index": 0, "delta": piece.iter().collect::<String>()}),
        ),
    );
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": done}));
    events.push(json!({"type": "response.completed", "response": {"status": "completed", "output": [done]}}));
    let mut stream = Provider::OpenAiResponses.stream(asked.context.clone());
    let (mut told, mut name) = (String::new(), None);
    for event in events {
        stream.feed(format!("data: {event}\n\n").as_bytes(), &mut |event| match event {
            StreamEvent::Arguments { delta, .. } => told.push_str(delta),
            StreamEvent::Call { name: called, .. } => name = Some(called.to_owned()),
            other => panic!("{other:?}"),
        });
    }
    let decoded = stream.finish();
    assert_eq!(told, text);
    assert_eq!(name, decoded.calls().next().map(|call| call.name.clone()));
    decoded
}

fn end(provider: Provider, asked: &EncodedRequest) -> Decoded {
    let body = match provider {
        Provider::Anthropic => {
            json!({"stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]})
        }
        Provider::OpenAiResponses => json!({"status": "completed", "output": []}),
        Provider::OpenAiChat => {
            json!({"choices": [{"message": {"content": "Done."}, "finish_reason": "stop"}]})
        }
        other => panic!("{other} is not in the table"),
    };
    provider.decode(&body, &asked.context).expect("decodes")
}

/// What the model gets for a call: the kind of the part, its text, and whether it says by itself that the call failed.
fn output<'a>(provider: Provider, body: &'a Value, id: &str) -> (&'a str, &'a str, Option<bool>) {
    let text = |value: &'a Value| value.as_str().unwrap_or_default();
    match provider {
        Provider::Anthropic => {
            let messages = body["messages"].as_array().expect("a list").iter();
            let mut blocks = messages.flat_map(|message| message["content"].as_array().expect("a list"));
            let block = blocks.find(|block| block["tool_use_id"] == id).expect("the call is answered");
            (text(&block["type"]), text(&block["content"]), Some(block["is_error"] == true))
        }
        Provider::OpenAiResponses => {
            let mut items = body["input"].as_array().expect("a list").iter();
            let item = items.find(|item| item["call_id"] == id && item.get("output").is_some());
            let item = item.expect("the call is answered");
            let failed = item.get("status").map(|status| status == "failed");
            (text(&item["type"]), text(&item["output"]), failed)
        }
        Provider::OpenAiChat => {
            let mut messages = body["messages"].as_array().expect("a list").iter();
            let message =
                messages.find(|message| message["tool_call_id"] == id).expect("the call is answered");
            (text(&message["role"]), text(&message["content"]), None)
        }
        other => panic!("{other} is not in the table"),
    }
}

/// A turn with a call that misses, the one that is right, and the end: all that was replied and the last request.
fn turn(provider: Provider, dialect: Dialect) -> (Vec<ToolReply>, EncodedRequest) {
    let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
    let (canvas, chat) =
        (CanvasId::new("plan").expect("a name"), ConversationId::new("chat").expect("a name"));
    let call = CallId::new("create").expect("an id");
    let operation = OpKey::of(chat.clone(), call);
    block_on(engine.create(&canvas, BEFORE, &operation, NOW)).expect("the canvas is new");
    let mut session = block_on(Session::open(&engine, canvas, chat, NOW)).expect("the canvas exists");
    let tools = Tools::new(NativeTools::new(dialect)).expect("one tool");
    let specs = tools.specs(&engine);
    let options = RequestOptions { native: NativeTool::of(dialect), ..RequestOptions::default() };
    let written = |from: &str, to: &str| {
        let calls =
            render_native(from, to, dialect, PATH, &RenderOptions::default()).expect("it can be said");
        calls.into_iter().next().expect("the texts differ")
    };
    let calls = [written("- cheese\n- eggs\n", "- cheese\n- ham\n"), written(BEFORE, AFTER)];
    let mut turn = ToolLoop::new(LoopOptions::default(), vec![Event::user("Bread, no eggs.")]);
    let (mut asked, mut replies) = (Vec::new(), Vec::new());
    loop {
        match turn.poll(NOW) {
            LoopAction::SendRequest => {
                let issuer = provider.issuer("m");
                let request =
                    provider.request(&issuer, "", &specs, turn.events(), &options).expect("encodes");
                assert_eq!(support::faults(provider, &request.body), Vec::<String>::new());
                let decoded = match calls.get(asked.len()) {
                    Some(call) => answer(provider, &request, dialect, &format!("c{}", asked.len()), call),
                    None => end(provider, &request),
                };
                turn.on_response(decoded).expect("asked");
                asked.push(request);
            }
            LoopAction::RunCalls(calls) => {
                for call in calls {
                    let reply = block_on(tools.call(&engine, &mut session, &call, NOW));
                    turn.on_reply(&call.id, reply.clone()).expect("the call is open");
                    replies.push(reply);
                }
            }
            LoopAction::Done(outcome) => {
                assert_eq!(outcome, Outcome::Completed);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    let text = block_on(engine.snapshot(&session.canvas, NOW)).expect("a canvas").text().to_owned();
    assert_eq!(text, AFTER, "{provider} {dialect}");
    (replies, asked.pop().expect("something was asked"))
}

#[test]
fn an_edit_goes_through_in_the_form_of_its_model() {
    for (provider, dialect, kind, says_failed) in [
        (Provider::OpenAiResponses, Dialect::ApplyPatch, "apply_patch_call_output", true),
        (Provider::OpenAiResponses, Dialect::CodexPatch, "custom_tool_call_output", false),
        (Provider::OpenAiResponses, Dialect::TextEditor, "function_call_output", false),
        (Provider::OpenAiChat, Dialect::CodexPatch, "tool", false),
        (Provider::OpenAiChat, Dialect::ApplyPatch, "tool", false),
        (Provider::Anthropic, Dialect::TextEditor, "tool_result", true),
        (Provider::Anthropic, Dialect::ApplyPatch, "tool_result", true),
        (Provider::Anthropic, Dialect::CodexPatch, "tool_result", true),
    ] {
        let what = format!("{provider} {dialect}");
        let (replies, last) = turn(provider, dialect);
        assert_eq!(replies.iter().map(ToolReply::is_ok).collect::<Vec<_>>(), [false, true], "{what}");
        for (number, reply) in replies.iter().enumerate() {
            let failed = says_failed.then_some(!reply.is_ok());
            let words = NativeTools::text_of(reply);
            assert!(!words.is_empty() && !words.starts_with('{'), "{what}: {words}");
            assert_eq!(
                output(provider, &last.body, &format!("c{number}")),
                (kind, &*words, failed),
                "{what}"
            );
        }
    }
}
