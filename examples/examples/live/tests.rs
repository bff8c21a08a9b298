//! The example over a real connection, to a server on this machine.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use canvas_examples::live::Endpoint;
use canvas_providers::{Provider, Retries};
use serde_json::{Value, json};

use crate::options::Options;
use crate::run::run;
use crate::server::{Heard, Scripted, Server, pieces, stream};

#[derive(Debug, Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn options(url: &str) -> Options {
    let arguments = ["--model", "m-1", "--base-url", url].map(str::to_owned);
    let key = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "secret-key".to_owned());
    let options = Options::parse(arguments, key).expect("is understood").expect("no help");
    let retries = Retries {
        initial_backoff: Duration::from_millis(40),
        max_backoff: Duration::from_secs(2),
        attempts: 4,
    };
    Options { retries, ..options }
}

/// Runs the script: whether the model came to its end, the transcript, the requests.
fn served(script: Vec<Scripted>, change: impl FnOnce(&mut Options)) -> (bool, String, Vec<Heard>) {
    let server = Server::start(script);
    let mut options = options(&server.url);
    change(&mut options);
    let page = Page::default();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ended = runtime.block_on(run(&options, page.clone())).expect("canvas and output do not fail");
    let page = String::from_utf8(page.0.lock().expect("no panic").clone()).expect("text");
    say(&page);
    assert!(page.contains("unlocked"), "no lease is left");
    assert!(!page.contains("secret-key"));
    (ended, page, server.heard())
}

#[expect(clippy::print_stdout, reason = "the transcript of a test that fails says why")]
fn say(text: &str) {
    println!("{text}");
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn error(status: u16, headers: &'static str, kind: &str) -> Scripted {
    let body = json!({"type": "error", "error": {"type": kind, "message": "Not now."}});
    Scripted::Whole(status, headers, body.to_string())
}

fn done() -> Scripted {
    Scripted::Stream(stream("end_turn", &[text("It is done.")], 0))
}

fn patch() -> Vec<Value> {
    let patch =
        json!({"lease_id": "lease-1-1", "patch": "@@\n - Tag the commit.\n+- Announce the release.\n"});
    vec![text("I add the step."), tool("p", "canvas_apply_patch", patch)]
}

fn check_out() -> Scripted {
    Scripted::Stream(stream("tool_use", &[tool("o", "canvas_check_out", json!({}))], 10))
}

/// The waits that the transcript tells of, in milliseconds.
fn waits(page: &str) -> Vec<u64> {
    let told = page.lines().filter_map(|line| line.split_once("retry     after ")?.1.split_once(" ms: "));
    told.map(|(wait, _)| wait.parse().expect("a number")).collect()
}

/// Each request came after the wait before it, or later. Both clocks may be cut to whole milliseconds.
fn assert_waited(heard: &[Heard], waits: &[u64]) {
    for (pair, wait) in heard.windows(2).zip(waits) {
        let passed = pair[1].at - pair[0].at + Duration::from_millis(2);
        assert!(passed >= Duration::from_millis(*wait), "{passed:?} in place of {wait} ms");
    }
}

#[test]
fn a_turn_survives_limits_cuts_and_resets() {
    let whole = stream("tool_use", &patch(), 5);
    let part = whole[..whole.len() / 2].to_vec();
    let script = vec![
        error(429, "retry-after: 1\r\n", "rate_limit_error"),
        check_out(),
        error(529, "", "overloaded_error"),
        Scripted::Cut(part.clone()),
        Scripted::Reset(part),
        Scripted::Stream(whole),
        done(),
    ];
    let (ended, page, heard) = served(script, |_| {});
    assert!(ended);
    assert!(page.contains("| - Tag the commit.\n           | - Announce the release.\n"), "{page}");
    assert_eq!(page.matches("retry ").count(), 4, "{page}");
    assert!(page.contains("It is done."));
    // With up to the client's own first wait on top.
    assert!((1_000..=1_040).contains(&waits(&page)[0]), "the wait is the provider's: {page}");
    assert_waited(&heard[..2], &waits(&page)[..1]);
    assert!(heard.iter().all(|heard| heard.head.starts_with("post /v1/messages http/1.1\r\n")));
    assert!(heard.iter().all(|heard| heard.head.contains("x-api-key: secret-key\r\n")));
    // The same request each time, until an answer is taken.
    assert_eq!(heard[2].body, heard[3].body);
    assert_eq!(heard[3].body, heard[5].body);
    assert_eq!((&heard[0].body["stream"], &heard[0].body["model"]), (&json!(true), &json!("m-1")));
    assert_eq!(heard[6].body["messages"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_provider_that_stays_overloaded_is_given_up() {
    let (ended, page, heard) = served(vec![error(529, "", "overloaded_error"); 4], |_| {});
    assert!(!ended);
    assert!(page.contains("gave up: ") && page.contains(" overloaded_error: Not now"), "{page}");
    // Between half and all of 40, 80 and 160 ms.
    let waits = waits(&page);
    assert_eq!(waits.len(), 3, "{page}");
    for (wait, most) in waits.iter().zip([40, 80, 160]) {
        assert!((most / 2..=most).contains(wait), "{page}");
    }
    assert_waited(&heard, &waits);
}

#[test]
fn what_no_wait_mends_is_asked_once() {
    let rows = [
        (error(429, "retry-after: 3600\r\n", "rate_limit_error"), "rate_limit_error"),
        (error(401, "", "authentication_error"), "authentication_error"),
        (error(400, "", "invalid_request_error"), "invalid_request_error"),
        (Scripted::Whole(404, "", "<html>Not Found</html>".to_owned()), "HTTP 404: <html>Not Found</html>"),
        (Scripted::Whole(200, "", "<html>A portal</html>".to_owned()), "cannot be read"),
    ];
    for (scripted, words) in rows {
        let once = |options: &mut Options| {
            // A page that is no answer might be one the next time.
            options.retries.attempts = if words == "cannot be read" { 1 } else { 4 };
        };
        let (ended, page, heard) = served(vec![scripted], once);
        assert!(!ended && heard.len() == 1);
        assert!(page.contains("gave up") && page.contains(words), "{words}: {page}");
    }
}

#[test]
fn an_answer_that_breaks_off_each_time_is_kept_and_its_call_answered() {
    let whole = stream("tool_use", &[text("I begin."), tool("o", "canvas_check_out", json!({}))], 0);
    let part = Scripted::Cut(whole[..whole.len() - 2].to_vec());
    let (ended, page, _) = served(vec![part.clone(), part], |options| options.retries.attempts = 2);
    assert!(!ended);
    assert!(page.contains("o did not run: ") && page.contains("gave up: "), "{page}");
}

#[test]
fn a_host_that_is_not_there_is_given_up() {
    // Nobody listens there; a port that was free a moment ago may be another test's by now.
    let options = options("http://127.0.0.1:1");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let page = Page::default();
    assert!(!runtime.block_on(run(&options, page.clone())).expect("the canvas does not fail"));
    let page = String::from_utf8(page.0.lock().expect("no panic").clone()).expect("text");
    assert_eq!(page.matches("TRANSPORT_FAILED").count(), 3, "{page}");
    assert!(page.contains("gave up: ") && page.contains("sending request"), "{page}");
}

#[test]
fn whole_answers_do_as_well() {
    let out = tool("o", "canvas_check_out", json!({}));
    let whole = |stop_reason: &str, content: Vec<Value>| {
        let usage = json!({"input_tokens": 100, "output_tokens": 20});
        let body = json!({"stop_reason": stop_reason, "content": content, "usage": usage});
        Scripted::Whole(200, "", body.to_string())
    };
    let script =
        vec![whole("tool_use", vec![out]), whole("tool_use", patch()), whole("end_turn", vec![text("So.")])];
    let (ended, page, heard) = served(script, |options| options.client.streamed = false);
    assert!(ended && page.contains("- Announce the release."), "{page}");
    assert_eq!(heard[0].body["stream"], false);
    assert!(page.contains("300 + 60 tokens"), "{page}");
}

/// A whole answer of a provider: with one call, or with text alone.
fn whole(provider: &str, answer: Result<&Value, &str>) -> Scripted {
    let call = answer.ok().map(|call| (call["id"].clone(), call["name"].clone(), call["input"].clone()));
    let body = match (provider, call, answer) {
        ("openai-chat", Some((id, name, input)), _) => {
            let call = json!({"id": id, "type": "function",
                "function": {"name": name, "arguments": input.to_string()}});
            let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
        }
        ("openai-chat", None, Err(text)) => {
            let message = json!({"role": "assistant", "content": text});
            json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        }
        ("openai-responses", Some((id, name, input)), _) => json!({
            "object": "response", "status": "completed",
            "output": [{"type": "function_call", "id": format!("fc_{}", id.as_str().unwrap_or_default()),
                "call_id": id, "name": name, "arguments": input.to_string(), "status": "completed"}],
        }),
        ("openai-responses", None, Err(text)) => json!({
            "object": "response", "status": "completed",
            "output": [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}],
        }),
        ("ollama", Some((_, name, input)), _) => {
            let call = json!({"function": {"name": name, "arguments": input}});
            let message = json!({"role": "assistant", "content": "", "tool_calls": [call]});
            json!({"model": "m-1", "message": message, "done": true, "done_reason": "stop"})
        }
        ("ollama", None, Err(text)) => {
            let message = json!({"role": "assistant", "content": text});
            json!({"model": "m-1", "message": message, "done": true, "done_reason": "stop"})
        }
        ("gemini", Some((_, name, input)), _) => {
            let parts = json!([{"functionCall": {"name": name, "args": input}}]);
            json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
        }
        ("gemini", None, Err(text)) => {
            let content = json!({"role": "model", "parts": [{"text": text}]});
            json!({"candidates": [{"content": content, "finishReason": "STOP"}]})
        }
        ("gemini-interactions", Some((id, name, input)), _) => json!({"status": "requires_action",
            "steps": [{"type": "function_call", "id": id, "name": name, "arguments": input}]}),
        ("gemini-interactions", None, Err(text)) => json!({"status": "completed",
            "steps": [{"type": "model_output", "content": [{"type": "text", "text": text}]}]}),
        ("bedrock-converse", Some((id, name, input)), _) => {
            let content = json!([{"toolUse": {"toolUseId": id, "name": name, "input": input}}]);
            json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use"})
        }
        ("bedrock-converse", None, Err(text)) => {
            let message = json!({"role": "assistant", "content": [{"text": text}]});
            json!({"output": {"message": message}, "stopReason": "end_turn"})
        }
        (_, Some(_), Ok(call)) => json!({"stop_reason": "tool_use", "content": [call]}),
        (_, _, answer) => {
            json!({"stop_reason": "end_turn", "content": [text(answer.err().unwrap_or_default())]})
        }
    };
    Scripted::Whole(200, "", body.to_string())
}

#[test]
fn only_the_provider_differs_between_dialects() {
    for &provider in Provider::ALL {
        let name = provider.name();
        let (out, patch) = (tool("o", "canvas_check_out", json!({})), patch().remove(1));
        let script = vec![whole(name, Ok(&out)), whole(name, Ok(&patch)), whole(name, Err("It is done."))];
        let (ended, page, heard) = served(script, |options| {
            options.provider = provider;
            options.client.endpoint = Endpoint::of(provider).expect("has an endpoint");
        });
        assert!(ended && page.contains("| - Announce the release."), "{name}: {page}");
        assert!(heard[0].head.contains(&provider_path(provider).to_lowercase()), "{name}");
    }
}

fn provider_path(provider: Provider) -> String {
    Endpoint::of(provider).expect("has an endpoint").path("m-1", true)
}

/// Streams that a provider has sent, with calls of tools that are not ours.
#[test]
fn recorded_streams_are_read_as_they_came() {
    let data = std::env::var("CANVAS_DATA").unwrap_or_else(|_| "../../shared/data".to_owned());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(data).join("providers/anthropic");
    for name in ["s08_streaming_tool_use_terminal", "s09_parallel_tool_use"] {
        let Ok(recorded) = std::fs::read_to_string(folder.join(format!("{name}.sse"))) else {
            say(&format!("SKIPPED: {name} (not in CANVAS_DATA)"));
            continue;
        };
        let recorded = pieces(&recorded, 1);
        let half = recorded[..recorded.len() / 2].to_vec();
        let script = vec![Scripted::Reset(half), Scripted::Stream(recorded), done()];
        let (ended, page, heard) = served(script, |_| {});
        assert!(ended, "{page}");
        assert!(page.contains("refused: UNKNOWN_TOOL"), "{page}");
        let messages = heard[2].body["messages"].as_array().expect("messages");
        assert_eq!(messages.len(), 3, "the message, the answer as it came, and the results");
    }
}

#[test]
fn each_provider_has_an_endpoint() {
    for provider in Provider::ALL {
        let endpoint = Endpoint::of(*provider).unwrap_or_else(|| panic!("{provider} has no endpoint"));
        assert!(endpoint.path("m", true).starts_with('/'));
    }
}

#[test]
fn a_command_line_that_cannot_be_meant_is_refused() {
    let none = |_: &str| None;
    let parse = |line: &str| Options::parse(line.split_whitespace().map(str::to_owned), none).map(|_| ());
    for (line, words) in [
        ("", "set ANTHROPIC_API_KEY"),
        ("--base-url http://localhost:1", "--model"),
        ("--model", "needs a value"),
        ("--provider nobody", "Provider::ALL"),
        ("--model m --nothing", "there is no option --nothing"),
        ("--model m --attempts x", "a whole number"),
        ("--model m a b", "too many arguments"),
        ("--model m --file no/such/file", "cannot be read"),
    ] {
        let problem = parse(line).expect_err(line);
        assert!(problem.contains(words), "{line}: {problem}");
    }
    assert!(parse("--help").is_ok());
}
