//! `Accept` is read as HTTP defines it.

use std::io::{BufRead as _, BufReader};

use serde_json::json;

use super::http::Server;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Parameters that keep a range acceptable, and those that exclude it.
const ACCEPTED: [&str; 8] =
    ["", ";q=1", ";q=0.5", "; q=0.001", ";Q=1.000", " ; q=1", ";charset=utf-8", ";charset=\"a,b;q=0\";q=0.9"];
const REFUSED: [&str; 5] = [";q=0", "; q=0.0", ";q=0.000", " ;Q=0", ";charset=utf-8;q=0"];

fn session(server: &Server) -> String {
    server.initialize_as("2025-11-25", &[]).session.expect("a session")
}

/// Values of the header, each with the media types that its answer may have.
fn accepted() -> Vec<(String, &'static [&'static str])> {
    let mut rows: Vec<(String, &[&str])> = Vec::new();
    for (range, media) in [
        ("*/*", &[JSON, EVENTS][..]),
        ("application/*", &[JSON]),
        ("text/*", &[EVENTS]),
        (JSON, &[JSON]),
        (EVENTS, &[EVENTS]),
        ("Application/JSON", &[JSON]),
        ("TEXT/Event-Stream", &[EVENTS]),
    ] {
        for weight in ACCEPTED {
            rows.push((format!("{range}{weight}"), media));
            rows.push((format!("text/html, image/png;q=0.8 ,{range}{weight}, ,"), media));
        }
    }
    // The most specific range counts.
    for weight in REFUSED {
        rows.push((format!("*/*, text/event-stream{weight}"), &[JSON]));
        rows.push((format!("application/json{weight}, */*"), &[EVENTS]));
        rows.push((format!("*/*{weight}, application/json"), &[JSON]));
        rows.push((format!("text/*{weight}, text/event-stream, application/*{weight}"), &[EVENTS]));
    }
    rows.push((" ".into(), &[JSON, EVENTS]));
    rows.push((String::new(), &[JSON, EVENTS]));
    rows
}

fn refused() -> Vec<String> {
    let mut rows = Vec::new();
    for media in
        ["text/html", "image/*", "application/xml", "text/plain", "nothing", "application/jsonx", "*/json"]
    {
        rows.extend(ACCEPTED.map(|weight| format!("{media}{weight}")));
    }
    for weight in REFUSED {
        rows.push(format!("*/*{weight}"));
        rows.push(format!("application/json{weight}, text/event-stream{weight}"));
        rows.push(format!("application/*{weight}, text/*{weight}, image/png"));
        rows.push(format!("text/html, */*{weight}"));
    }
    rows
}

#[test]
fn an_answer_has_a_media_type_that_its_client_accepts() {
    let server = Server::start();
    let session = session(&server);
    for (accept, media) in accepted() {
        let answer = server.post(&[("Mcp-Session-Id", &session), ("Accept", &accept)], PING);
        assert_eq!(answer.status, 200, "{accept:?}: {}", answer.body);
        assert!(media.contains(&answer.media.as_str()), "{accept:?}: {}", answer.media);
        assert_eq!(answer.messages(), [json!({"jsonrpc": "2.0", "id": 1, "result": {}})], "{accept:?}");
    }
}

#[test]
fn a_session_may_begin_with_any_range() {
    let server = Server::start();
    for (accept, media) in accepted().into_iter().step_by(5) {
        let answer = server.initialize_as("2025-11-25", &[("Accept", &accept)]);
        assert!(answer.session.is_some() && media.contains(&answer.media.as_str()), "{accept:?}");
        assert_eq!(answer.messages()[0]["result"]["serverInfo"]["name"], "canvas-mcp", "{accept:?}");
    }
}

#[test]
fn accepting_neither_json_nor_events_is_refused() {
    let server = Server::start();
    let session = session(&server);
    for accept in refused() {
        for method in ["POST", "GET"] {
            let answer = server.send(method, &[("Mcp-Session-Id", &session), ("Accept", &accept)], PING);
            assert_eq!(answer.status, 406, "{accept:?}: {}", answer.body);
            let message = answer.messages()[0]["error"]["message"].as_str().unwrap().to_owned();
            assert!(message.contains("Accept") && message.contains(EVENTS), "{accept:?}: {message}");
        }
    }
}

#[test]
fn a_stream_opens_only_if_events_are_accepted() {
    let server = Server::start();
    let session = session(&server);
    for (accept, media) in accepted() {
        let stream = server.open("GET", &[("Mcp-Session-Id", &session), ("Accept", &accept)], "");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        let status = if media.contains(&EVENTS) { "200" } else { "406" };
        assert_eq!(line.split(' ').nth(1), Some(status), "{accept:?}");
    }
}

/// JSON has no room for the question, so the call is refused rather than left to wait.
#[test]
fn a_call_that_asks_its_client_needs_events() {
    let server = Server::start_with(&["--conformance"]);
    let session = session(&server);
    let params = json!({"name": "test_sampling", "arguments": {"prompt": "x"}});
    for id in 0..20 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string();
        let answer = server.post(&[("Mcp-Session-Id", &session), ("Accept", JSON)], &call);
        let error = answer.messages().remove(0);
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(id), &json!(-32600)), "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(EVENTS), "{error}");
    }
}
