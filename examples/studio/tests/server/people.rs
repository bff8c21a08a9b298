//! Two people: whose changes undo takes, who is here, and names that are refused.

use serde_json::{Value, json};

use crate::common::{Client, Studio, close};

/// Replaces a part of the document.
pub(crate) async fn edit(client: &mut Client, old: &str, new: &str) {
    let (text, base) = client.text_of().await;
    let at = text[..text.find(old).expect(old)].encode_utf16().count();
    let splice = json!({"at": at, "remove": old.encode_utf16().count(), "insert": new});
    client.ok("document.edit", json!({"baseRevisionId": base, "splice": splice})).await;
}

/// Sends a message, and waits until its turn is over.
pub(crate) async fn say(client: &mut Client, text: &str) {
    client.ok("chat.send", json!({"text": text})).await;
    while client.ok("canvas.get", json!({})).await["chat"]["running"] == true {
        client.event("canvas.chat.turn").await;
    }
}

async fn history(client: &mut Client) -> Value {
    client.ok("canvas.get", json!({})).await["history"].clone()
}

fn said(canvas: &Value) -> Vec<(Value, Value)> {
    let items = canvas["chat"]["items"].as_array().unwrap().iter();
    let of_people = items.filter(|item| item["role"] == "user");
    of_people.map(|item| (item["text"].clone(), item["by"].clone())).collect()
}

/// The actors of the changes in effect, newest first.
fn actors(history: &Value) -> Vec<Value> {
    history["changes"].as_array().unwrap().iter().map(|change| change["by"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn undo_leaves_the_other_persons_changes() {
    let studio = Studio::start().await;
    let (mut anna, mut bert) = (studio.window("one", "Anna").await, studio.window("two", "Bert").await);
    let (before, _) = anna.text_of().await;
    edit(&mut anna, "Faster start", "Quicker start").await;
    edit(&mut bert, "Watch the log", "Read the log").await;
    let shown = history(&mut anna).await;
    assert_eq!(actors(&shown), [json!({"person": "Bert"}), json!({"person": "Anna"})]);
    assert_eq!((shown["undo"].clone(), &shown["of"]["Anna"]["redo"]), (json!([]), &json!([])));
    assert_eq!(shown["of"]["Anna"]["undo"][0]["change"], 1);
    // Bert's change is the newest, and stays.
    anna.ok("history.undo", json!({})).await;
    assert_eq!(anna.text_of().await.0, before.replace("Watch the log", "Read the log"));
    assert_eq!(anna.code("history.undo", json!({})).await, "NOTHING_TO_UNDO");
    assert_eq!(bert.code("history.redo", json!({})).await, "NOTHING_TO_REDO");
    // A later change of the other person leaves the redo possible.
    edit(&mut bert, "Quieter logs", "Silent logs").await;
    anna.ok("history.redo", json!({})).await;
    let all = before.replace("Watch the log", "Read the log").replace("Quieter logs", "Silent logs");
    assert_eq!(anna.text_of().await.0, all.replace("Faster start", "Quicker start"));
    bert.ok("history.undo", json!({"steps": 2})).await;
    assert_eq!(bert.text_of().await.0, before.replace("Faster start", "Quicker start"));
    assert_eq!(bert.code("history.redo", json!({"steps": 2})).await, "INVALID_ARGUMENTS");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_face_knows_who_changed_it() {
    let studio = Studio::start().await;
    let (mut anna, mut bert) = (studio.window("one", "Anna").await, studio.window("two", "Bert").await);
    let canvas = anna.ok("canvas.get", json!({})).await;
    let component = canvas["board"]["canvas"]["components"][0]["id"].clone();
    let pin = json!({"type": "user.pin", "componentId": component, "pinned": true});
    anna.ok("board.action", json!({"action": pin})).await;
    let version = json!([{"op": "replace", "path": "/version", "value": "9"}]);
    bert.ok("canvas.patch", json!({"patch": version})).await;
    edit(&mut anna, "Faster start", "Quicker start").await;
    let names = ["Anna", "Bert", "Anna"].map(|name| json!({"person": name}));
    assert_eq!(actors(&history(&mut bert).await), names);
    anna.ok("board.action", json!({"action": {"type": "history.undo"}})).await;
    anna.ok("history.undo", json!({})).await;
    let left = bert.ok("canvas.get", json!({})).await;
    assert_eq!(left["state"]["version"], "9");
    assert_ne!(left["board"]["canvas"]["components"][0]["meta"]["pinned"], true);
    assert_eq!(left["document"]["markdown"], canvas["document"]["markdown"]);
    studio.end().await;
}

/// A window without a name works as before there were people, but for what named people did.
#[tokio::test(flavor = "multi_thread")]
async fn a_window_without_a_name_undoes_the_assistant_but_no_named_person() {
    let studio = Studio::start().await;
    let (mut anna, mut guest) = (studio.window("one", "Anna").await, studio.client("two").await);
    let (before, _) = guest.text_of().await;
    say(&mut guest, "please tidy").await;
    let (tidied, _) = guest.text_of().await;
    assert_ne!(tidied, before);
    edit(&mut anna, "# Release", "# The release").await;
    let shown = history(&mut guest).await;
    assert_eq!(actors(&shown)[0], json!({"person": "Anna"}));
    assert!(shown["undo"][0]["by"]["conversation"].is_string(), "{shown}");
    assert_eq!(anna.code("history.undo", json!({"steps": 0})).await, "INVALID_ARGUMENTS");
    let mut undone = 0;
    while guest.ask("history.undo", json!({})).await["ok"] == true {
        undone += 1;
        assert!(undone < 20, "undo never ends");
    }
    assert!(undone > 0);
    assert_eq!(guest.text_of().await.0, before.replace("# Release", "# The release"));
    // The assistant's change is not Anna's, but each change may be taken back by its number.
    anna.ok("history.undo", json!({})).await;
    assert_eq!(anna.text_of().await.0, before);
    assert_eq!(anna.code("history.undo", json!({})).await, "NOTHING_TO_UNDO");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_no_good_are_refused_and_the_window_stays_who_it_was() {
    let studio = Studio::start().await;
    let mut client = studio.window("one", "Anna").await;
    let long = "x".repeat(65);
    for (person, code) in [
        (json!(""), "INVALID_NAME"),
        (json!(" \t"), "INVALID_NAME"),
        (json!("An\u{0}na"), "INVALID_NAME"),
        (json!("\u{202e}annA"), "INVALID_NAME"),
        (json!("\u{200b}"), "INVALID_NAME"),
        (json!(long), "INVALID_NAME"),
        (json!("x".repeat(1_000)), "INVALID_NAME"),
        (json!("user"), "NAME_RESERVED"),
        (json!("USER"), "NAME_RESERVED"),
        (json!("assistant"), "NAME_RESERVED"),
        (json!(7), "INVALID_ARGUMENTS"),
        (json!({"person": "Bert"}), "INVALID_ARGUMENTS"),
    ] {
        let params = json!({"clientId": "one", "person": person});
        assert_eq!(client.code("hello", params).await, code, "{person}");
    }
    edit(&mut client, "Faster start", "Quicker start").await;
    assert_eq!(actors(&history(&mut client).await), [json!({"person": "Anna"})]);
    let hello = client.ok("hello", json!({"clientId": "one", "person": "  Anna   Maria "})).await;
    assert_eq!(hello["person"], "Anna Maria");
    let hello = client.ok("hello", json!({"clientId": "one"})).await;
    assert_eq!(hello["person"], "user");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_hear_who_comes_and_goes() {
    let studio = Studio::start().await;
    let mut guest = studio.client("guest").await;
    let people = async |guest: &mut Client| guest.event("canvas.people.updated").await["people"].clone();
    assert_eq!(people(&mut guest).await, json!(["user"]));
    let first = studio.window("one", "Anna").await;
    assert_eq!(people(&mut guest).await, json!(["Anna", "user"]));
    // Windows with the same name are one person, who leaves with the last of them.
    let mut second = studio.window("two", "Anna").await;
    close(first).await;
    second.ok("hello", json!({"clientId": "two", "person": "<b>Bert</b>"})).await;
    assert_eq!(people(&mut guest).await, json!(["user"]));
    second.ok("canvas.open", json!({})).await;
    assert_eq!(people(&mut guest).await, json!(["<b>Bert</b>", "user"]));
    assert_eq!(second.ok("canvas.get", json!({})).await["people"], json!(["<b>Bert</b>", "user"]));
    second.ok("canvas.close", json!({})).await;
    assert_eq!(people(&mut guest).await, json!(["user"]));
    studio.end().await;
}

/// Two windows of one person share undo, and a request of one person is no retry of another's.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_name_is_the_same_person_after_a_reload() {
    let studio = Studio::start().await;
    let mut before = studio.window("one", "Anna").await;
    let (text, base) = before.text_of().await;
    edit(&mut before, "Faster start", "Quicker start").await;
    close(before).await;
    let mut after = studio.window("another", "Anna").await;
    after.ask_as("same", "history.undo", json!({})).await;
    let (undone, _) = after.text_of().await;
    assert_eq!(undone, text);
    after.ok("hello", json!({"clientId": "another", "person": "Bert"})).await;
    let again = after.ask_as("same", "history.undo", json!({})).await;
    assert_eq!(again["error"]["code"], "NOTHING_TO_UNDO", "{again}");
    assert!(base.starts_with('r'));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_work_at_once_if_the_canvas_is_collaborative() {
    let studio = Studio::start().await;
    let (mut anna, mut bert) = (studio.window("one", "Anna").await, studio.window("two", "Bert").await);
    assert_eq!(anna.ok("canvas.get", json!({})).await["workMode"], "exclusive");
    say(&mut anna, "to all").await;
    assert_eq!(anna.code("people.work_mode", json!({"mode": "chaos"})).await, "INVALID_ARGUMENTS");
    let set = anna.ok("people.work_mode", json!({"mode": "collaborative"})).await;
    assert_eq!(set["changed"], true);
    assert_eq!(bert.event("canvas.mode.updated").await["workMode"], "collaborative");
    assert_eq!(bert.ok("people.work_mode", json!({"mode": "collaborative"})).await["changed"], false);
    // Each has a chat, and the slow turn of one outlasts the other's edit and message.
    let (text, _) = anna.text_of().await;
    anna.ok("chat.send", json!({"text": "a slow edit, please"})).await;
    edit(&mut bert, "# Release", "# The release").await;
    say(&mut bert, "hello").await;
    bert.ok("chat.stop", json!({})).await;
    while anna.ok("canvas.get", json!({})).await["chat"]["running"] == true {
        anna.event("canvas.chat.turn").await;
    }
    let (one, two) = (anna.ok("canvas.get", json!({})).await, bert.ok("canvas.get", json!({})).await);
    assert_eq!(said(&one), [(json!("a slow edit, please"), json!("Anna"))]);
    assert_eq!(said(&two), [(json!("hello"), json!("Bert"))]);
    assert_eq!((&one["chat"]["of"], &two["chat"]["of"]), (&json!("Anna"), &json!("Bert")));
    let codes: Vec<_> = one["chat"]["items"].as_array().unwrap().iter().map(|item| &item["code"]).collect();
    assert!(codes.iter().all(|code| code.is_null()), "{}", one["chat"]);
    let now = one["document"]["markdown"].as_str().unwrap();
    assert!(now.starts_with("# The release") && now != text.replace("# Release", "# The release"), "{now}");
    // Back again, the chat of all is shown.
    bert.ok("people.work_mode", json!({"mode": "exclusive"})).await;
    let shared = bert.ok("canvas.get", json!({})).await;
    assert_eq!(
        (said(&shared), &shared["chat"]["of"]),
        (vec![(json!("to all"), json!("Anna"))], &Value::Null)
    );
    studio.end().await;
}
