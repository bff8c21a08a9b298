//! Two windows type, and a window that lost its connection sends again.

use serde_json::{Value, json};

use crate::common::{Client, Studio};

async fn edit(client: &mut Client, base: &str, at: usize, remove: usize, insert: &str) -> Value {
    let splice = json!({"at": at, "remove": remove, "insert": insert});
    client.ask("document.edit", json!({"baseRevisionId": base, "splice": splice})).await
}

/// The place of a text, as JavaScript counts.
fn place(text: &str, part: &str) -> usize {
    text[..text.find(part).unwrap()].encode_utf16().count()
}

/// The text after a splice of an event.
fn spliced(text: &str, splice: &Value) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let (at, remove) = (splice["at"].as_u64().unwrap() as usize, splice["remove"].as_u64().unwrap() as usize);
    let insert: Vec<u16> = splice["insert"].as_str().unwrap().encode_utf16().collect();
    String::from_utf16(&[&units[..at], &insert, &units[at + remove..]].concat()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_windows_type_in_different_paragraphs_and_both_stay() {
    let studio = Studio::start().await;
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    let (text, base) = one.text_of().await;
    let first = edit(&mut one, &base, place(&text, "Faster start"), 6, "𝄞 Quicker").await;
    assert_eq!((&first["result"]["moved"], &first["ok"]), (&json!(false), &json!(true)), "{first}");
    // The other window has not heard of it.
    let second = edit(&mut other, &base, place(&text, "Watch the log"), 0, "Sit down. ").await;
    assert_eq!(second["result"]["moved"], true, "{second}");
    let expected = text.replace("Faster start", "𝄞 Quicker start").replace("Watch", "Sit down. Watch");
    let (now, revision) = other.text_of().await;
    assert_eq!(now, expected);
    assert_eq!(second["result"]["revisionId"], revision);
    // Both are told of both, in order, and come to the same text.
    for client in [&mut one, &mut other] {
        let mut shown = text.clone();
        let mut known = base.clone();
        for (author, id) in [("one", &first), ("other", &second)] {
            let event = client.event("canvas.document.updated").await;
            assert_eq!(event["baseRevisionId"], known.as_str());
            assert_eq!(
                (&event["actor"], &event["clientId"], &event["request"]),
                (&json!("user"), &json!(author), &id["id"])
            );
            shown = spliced(&shown, &event["splice"]);
            known = event["revisionId"].as_str().unwrap().to_owned();
        }
        assert_eq!((shown, known), (expected.clone(), revision.clone()));
    }
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_both_touch_one_place_the_second_is_refused_with_both_texts() {
    let studio = Studio::start().await;
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    let (text, base) = one.text_of().await;
    let at = place(&text, "Quieter");
    edit(&mut one, &base, at, 7, "Fewer").await;
    let refused = edit(&mut other, &base, at, 7, "Shorter").await;
    let error = &refused["error"];
    assert_eq!(error["code"], "PATCH_REJECTED", "{refused}");
    assert_eq!(error["markdown"], text.replace("Quieter", "Fewer"));
    assert_eq!(error["yours"], text.replace("Quieter", "Shorter"));
    let (now, revision) = other.text_of().await;
    assert_eq!((now, &json!(revision)), (text.replace("Quieter", "Fewer"), &error["revisionId"]));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_sent_again_is_answered_from_the_receipt() {
    let studio = Studio::start().await;
    let mut client = studio.client("one").await;
    let canvas = client.ok("canvas.get", json!({})).await;
    let component = canvas["board"]["canvas"]["components"][0]["id"].clone();
    let base = canvas["document"]["revisionId"].clone();
    let requests = [
        (
            "document.edit",
            json!({"baseRevisionId": base, "splice": {"at": 0, "remove": 0, "insert": "> new\n\n"}}),
        ),
        ("canvas.patch", json!({"patch": [{"op": "replace", "path": "/version", "value": "1.3.0"}]})),
        ("board.action", json!({"action": {"type": "user.pin", "componentId": component, "pinned": true}})),
        ("history.undo", json!({})),
        (
            "board.event",
            json!({"event": {"type": "component.clicked", "payload": {"componentId": component}}}),
        ),
        ("trigger.simulate", json!({"simulatedTime": "monday_morning"})),
        ("chat.send", json!({"text": "hello"})),
    ];
    let mut answers = Vec::new();
    for (number, (method, params)) in requests.iter().enumerate() {
        answers.push(client.ask_as(&format!("once-{number}"), method, params.clone()).await);
    }
    assert!(answers.iter().all(|answer| answer["ok"] == true), "{answers:?}");
    // The answers were lost with the connection.
    drop(client);
    let mut client = studio.client("one").await;
    let before = client.ok("canvas.get", json!({})).await;
    for (number, (method, params)) in requests.iter().enumerate() {
        let again = client.ask_as(&format!("once-{number}"), method, params.clone()).await;
        assert_eq!(again, answers[number], "{method}");
    }
    let after = client.ok("canvas.get", json!({})).await;
    for part in ["document", "state", "history"] {
        assert_eq!(before[part], after[part], "{part}");
    }
    assert_eq!(after["document"]["markdown"].as_str().unwrap().matches("> new").count(), 1);
    studio.end().await;
}

/// Of another client the same name of a request is another request.
#[tokio::test(flavor = "multi_thread")]
async fn names_of_requests_are_those_of_one_client() {
    let studio = Studio::start().await;
    for name in ["one", "other"] {
        let mut client = studio.client(name).await;
        let (_, base) = client.text_of().await;
        let splice = json!({"at": 0, "remove": 0, "insert": format!("{name}\n\n")});
        let answer =
            client.ask_as("same", "document.edit", json!({"baseRevisionId": base, "splice": splice})).await;
        assert_eq!(answer["ok"], true, "{answer}");
    }
    let mut client = studio.client("one").await;
    assert!(client.text_of().await.0.starts_with("other\n\none\n\n"));
    let reused = client.ask_as("same", "history.undo", json!({})).await;
    assert_eq!(reused["error"]["code"], "CALL_ID_REUSED");
    studio.end().await;
}

/// A text that the server does not know any more is sent whole, as after a new start.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_on_a_text_of_before_a_new_start() {
    let folder = std::env::temp_dir().join(format!("canvas-studio-edit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let studio = Studio::on(folder.join("studio.db")).await;
    let mut client = studio.client("one").await;
    let (text, base) = client.text_of().await;
    let (first, second) = (place(&text, "Faster start"), place(&text, "Watch the log"));
    edit(&mut client, &base, first, 6, "Quicker").await;
    studio.end().await;
    let studio = Studio::on(folder.join("studio.db")).await;
    let mut client = Client::connect(studio.page).await;
    client.ok("hello", json!({"clientId": "one"})).await;
    let unknown = edit(&mut client, &base, second, 0, "Sit down. ").await;
    assert_eq!(unknown["error"]["code"], "BASE_UNKNOWN");
    let whole = text.replace("Watch", "Sit down. Watch");
    let moved = client.ok("document.edit", json!({"baseRevisionId": base, "markdown": whole})).await;
    assert_eq!(moved["moved"], true);
    let (now, _) = client.text_of().await;
    assert_eq!(now, whole.replace("Faster start", "Quicker start"));
    studio.end().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_and_cells_are_changed_at_their_lines() {
    let studio = Studio::start().await;
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    let (text, base) = one.text_of().await;
    let row = "| Feature freeze | Monday | done |";
    let change = |line: usize, expect: &str, change: Value| json!({"baseRevisionId": base, "line": line, "expect": expect, "change": change});
    let checked =
        one.ok("document.structure", change(9, "- [ ] Export as CSV", json!({"check": true}))).await;
    // The other window has not heard of it.
    let cell = json!({"cell": {"column": 2, "value": "Tuesday | noon"}});
    other.ok("document.structure", change(18, row, cell)).await;
    let expected =
        text.replace("[ ] Export", "[x] Export").replace(row, "| Feature freeze | Tuesday \\| noon | done |");
    assert_eq!(other.text_of().await.0, expected);
    let event = other.event("canvas.document.updated").await;
    assert_eq!((&event["actor"], &event["clientId"]), (&json!("user"), &json!("one")));
    assert_eq!(event["revisionId"], checked["revisionId"]);
    for _ in 0..2 {
        one.ok("history.undo", json!({})).await;
    }
    assert_eq!(one.text_of().await.0, text);
    studio.end().await;
}
