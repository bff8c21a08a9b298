//! Frames that are no requests, and requests that are no good.

use serde_json::{Value, json};

use crate::common::{Client, Frame, Studio};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_answered_and_the_connection_goes_on() {
    let studio = Studio::start().await;
    let mut client = Client::connect(studio.page).await;
    for (frame, id, code) in [
        ("", Value::Null, "BAD_REQUEST"),
        ("{", Value::Null, "BAD_REQUEST"),
        ("\u{0}", Value::Null, "BAD_REQUEST"),
        ("\"__proto__\"", Value::Null, "BAD_REQUEST"),
        (r#"{"type":"req","id":"a","method":"hello","params":7}"#, json!("a"), "BAD_REQUEST"),
        (r#"{"type":"req","id":"a","method":"__proto__"}"#, json!("a"), "UNKNOWN_METHOD"),
        (
            r#"{"type":"req","id":"a","method":"canvas.get","params":{"canvasId":"studio"}}"#,
            json!("a"),
            "HELLO_REQUIRED",
        ),
        (r#"{"type":"req","id":"a","method":"hello"}"#, json!("a"), "INVALID_ARGUMENTS"),
        (
            r#"{"type":"req","id":"a","method":"hello","params":{"clientId":""}}"#,
            json!("a"),
            "INVALID_ARGUMENTS",
        ),
    ] {
        client.text(frame).await;
        let answer = client.message().await;
        assert_eq!((&answer["id"], answer["error"]["code"].as_str()), (&id, Some(code)), "{frame}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    client.send(0x82, b"{}").await.unwrap();
    assert_eq!(client.message().await["error"]["code"], "BAD_REQUEST");
    client.send(0x89, b"are you there").await.unwrap();
    assert_eq!(client.frame().await, Frame::Pong);
    client.ok("hello", json!({"clientId": "a"})).await;
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_parameters_change_nothing() {
    let studio = Studio::start().await;
    let mut client = studio.client("a").await;
    let before = client.ok("canvas.get", json!({})).await;
    let revision = before["document"]["revisionId"].clone();
    let at = |line: usize, expect: &str, change: Value| json!({"baseRevisionId": revision, "line": line, "expect": expect, "change": change});
    let cell = |column: usize, value: &str| json!({"cell": {"column": column, "value": value}});
    for (method, params, code) in [
        ("canvas.get", json!({"canvasId": "nothing"}), "CANVAS_NOT_FOUND"),
        ("canvas.get", json!({"canvasId": 7}), "INVALID_ARGUMENTS"),
        ("canvas.open", json!({"canvasId": "nothing"}), "CANVAS_NOT_FOUND"),
        ("canvas.open", json!({"canvasId": ""}), "INVALID_ARGUMENTS"),
        ("canvas.action", json!({"actionId": "nothing"}), "ACTION_NOT_FOUND"),
        ("canvas.action", json!({"actionId": "deploy"}), "CONFIRMATION_REQUIRED"),
        ("canvas.patch", json!({"patch": "x"}), "PATCH_FAILED"),
        ("document.edit", json!({}), "INVALID_ARGUMENTS"),
        ("document.edit", json!({"baseRevisionId": "x", "markdown": ""}), "INVALID_ARGUMENTS"),
        ("document.edit", json!({"baseRevisionId": revision}), "INVALID_ARGUMENTS"),
        (
            "document.edit",
            json!({"baseRevisionId": revision, "splice": {"at": 0, "remove": -1, "insert": ""}}),
            "INVALID_ARGUMENTS",
        ),
        (
            "document.edit",
            json!({"baseRevisionId": revision, "splice": {"at": 1e6, "remove": 0, "insert": ""}}),
            "INVALID_ARGUMENTS",
        ),
        (
            "document.edit",
            json!({"baseRevisionId": revision, "splice": {"at": 1_000_000, "remove": 0, "insert": ""}}),
            "INVALID_ARGUMENTS",
        ),
        (
            "document.edit",
            json!({"baseRevisionId": "r1-00000000", "splice": {"at": 0, "remove": 0, "insert": ""}}),
            "BASE_UNKNOWN",
        ),
        ("document.structure", json!({}), "INVALID_ARGUMENTS"),
        ("document.structure", at(9, "- [ ] Export as CSV", json!({"fly": 1})), "INVALID_ARGUMENTS"),
        ("document.structure", at(9, "- [x] Export as CSV", json!({"check": true})), "CONTENT_CHANGED"),
        ("document.structure", at(1_000, "", json!({"check": true})), "CONTENT_CHANGED"),
        ("document.structure", at(0, "", json!({"check": true})), "CONTENT_CHANGED"),
        ("document.structure", at(26, "", json!({"check": true})), "ADDRESS_NOT_FOUND"),
        ("document.structure", at(1, "# Release 1.3", json!({"check": true})), "ADDRESS_NOT_FOUND"),
        ("document.structure", at(9, "- [ ] Export as CSV", json!({"check": false})), "NO_EFFECT"),
        ("document.structure", at(9, "- [ ] Export as CSV", cell(1, "x")), "ADDRESS_NOT_FOUND"),
        ("document.structure", at(24, "1. Take today’s build.", json!({"check": true})), "VALUE_INVALID"),
        ("document.structure", at(17, "| --- | --- | --- |", cell(1, "x")), "ADDRESS_NOT_FOUND"),
        (
            "document.structure",
            at(18, "| Feature freeze | Monday | done |", cell(4, "x")),
            "COLUMN_NOT_FOUND",
        ),
        (
            "document.structure",
            at(18, "| Feature freeze | Monday | done |", cell(1, "a\nb")),
            "VALUE_INVALID",
        ),
        ("board.action", json!({"action": {"type": "user.fly"}}), "INVALID_ARGUMENTS"),
        ("board.command", json!({"command": null}), "INVALID_ARGUMENTS"),
        (
            "board.event",
            json!({"event": {"type": "component.clicked", "payload": {"componentId": "nothing"}}}),
            "COMPONENT_NOT_FOUND",
        ),
        (
            "board.event",
            json!({"event": {"type": "component.removed", "payload": {"componentId": "nothing"}}}),
            "INVALID_ARGUMENTS",
        ),
        (
            "board.event",
            json!({"event": {"type": "component.clicked", "payload": {"componentId": "x", "data": "x".repeat(17 << 10)}}}),
            "TOO_LARGE",
        ),
        ("history.undo", json!({}), "NOTHING_TO_UNDO"),
        ("history.redo", json!({}), "NOTHING_TO_REDO"),
        ("history.undo", json!({"steps": 0}), "INVALID_ARGUMENTS"),
        ("trigger.simulate", json!({"simulatedTime": "noon"}), "UNKNOWN_SIMULATED_TIME"),
        ("trigger.accept", json!({"triggerId": "nothing"}), "TRIGGER_NOT_FOUND"),
        ("recipe.refresh", json!({}), "RECIPE_NOT_FOUND"),
        ("recipe.rebuild", json!({"componentId": "x"}), "RECIPE_NOT_FOUND"),
        ("chat.send", json!({"text": ""}), "INVALID_ARGUMENTS"),
        ("chat.send", json!({"text": "x", "canvasId": "nothing"}), "CANVAS_NOT_FOUND"),
        ("chat.settings", json!({"edits": "yes"}), "INVALID_ARGUMENTS"),
    ] {
        assert_eq!(client.code(method, params.clone()).await, code, "{method} {params}");
    }
    let after = client.ok("canvas.get", json!({})).await;
    for part in ["document", "state", "history", "revision", "spec"] {
        assert_eq!(before[part], after[part], "{part}");
    }
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_too_large_ends_the_connection_alone() {
    let studio = Studio::start().await;
    let mut other = studio.client("other").await;
    for size in [(1 << 20) + 1, 3 << 20] {
        let mut client = studio.client("a").await;
        // The other side may end while this one still sends.
        let _ = client.send(0x81, &vec![b' '; size]).await;
        loop {
            match client.frame().await {
                Frame::Close(code) => break assert_eq!(code, 1009),
                Frame::Text(_) | Frame::Ping => {}
                end => panic!("{size}: {end:?}"),
            }
        }
    }
    // In pieces it is too large as well.
    let mut client = studio.client("a").await;
    let piece = vec![b' '; 300 << 10];
    for first in [0x01, 0x00, 0x00, 0x00, 0x80] {
        let _ = client.send(first, &piece).await;
    }
    while let Frame::Text(_) | Frame::Ping = client.frame().await {}
    other.ok("canvas.get", json!({})).await;
    studio.end().await;
}

/// What breaks the protocol of sockets ends the connection, and no other one.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_frame_ends_the_connection_alone() {
    let studio = Studio::start().await;
    let mut other = studio.client("other").await;
    for (first, payload) in
        [(0x81, &b"\xff\xfe"[..]), (0xF1, b"{}"), (0x83, b"{}"), (0x80, b"{}"), (0x09, &[0; 200])]
    {
        let mut client = studio.client("a").await;
        client.send(first, payload).await.unwrap();
        while let Frame::Text(_) | Frame::Ping = client.frame().await {}
    }
    other.ok("canvas.get", json!({})).await;
    studio.end().await;
}
