//! The conversation: what a restart keeps of it, what the model hears of, and what a person takes back.

use std::path::{Path, PathBuf};

use canvas_studio::assistant::AssistantOptions;
use canvas_studio::options::Options;
use canvas_tools::{EVENTS_HEADER, HIDDEN_HEADER, SNAPSHOT_HEADER};
use serde_json::{Value, json};

use crate::common::{Client, Studio};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("canvas-studio-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn database(&self) -> PathBuf {
        self.0.join("studio.db")
    }

    /// The file of what the model was sent and has answered.
    fn history_file(&self) -> PathBuf {
        let mut files = std::fs::read_dir(self.0.join("studio.db.chats")).unwrap();
        let is_history = |path: &PathBuf| path.extension().is_some_and(|part| part == "history");
        files.find_map(|file| Some(file.unwrap().path()).filter(is_history)).expect("there is one")
    }

    /// The texts of the user's messages that the model was sent, hidden ones included.
    fn messages(&self) -> Vec<String> {
        let kept = read(&self.history_file());
        assert_eq!(kept["is_running"], false);
        let events = kept["events"].as_array().unwrap().iter();
        let user = events.filter(|event| event["role"] == "user");
        user.filter_map(|event| event["content"].as_str().map(str::to_owned)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Sends a message, and waits until its turn is over.
async fn say(client: &mut Client, text: &str) {
    client.ok("chat.send", json!({"text": text})).await;
    over(client).await;
}

async fn over(client: &mut Client) {
    while chat(client).await["running"] == true {
        client.event("canvas.chat.turn").await;
    }
}

async fn chat(client: &mut Client) -> Value {
    client.ok("canvas.get", json!({})).await["chat"].clone()
}

/// All but suggestions, which each window asks for.
async fn items(client: &mut Client) -> Vec<Value> {
    let items = chat(client).await["items"].as_array().unwrap().clone();
    items.into_iter().filter(|item| item["kind"] != "suggestion").collect()
}

async fn append(client: &mut Client, text: &str) {
    let (now, base) = client.text_of().await;
    let splice = json!({"at": now.chars().count(), "remove": 0, "insert": text});
    client.ok("document.edit", json!({"baseRevisionId": base, "splice": splice})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_loses_neither_the_chat_nor_what_the_model_was_sent() {
    let folder = Folder::new("restart");
    let studio = Studio::on(folder.database()).await;
    let mut client = studio.client("one").await;
    client.ok("chat.settings", json!({"edits": "legacy"})).await;
    say(&mut client, "hello").await;
    let (before, settings) = (items(&mut client).await, chat(&mut client).await["edits"].clone());
    assert_eq!((before.len(), &settings), (2, &json!("legacy")));
    let sent = folder.messages();
    assert!(sent.iter().any(|message| message.starts_with(SNAPSHOT_HEADER)), "{sent:?}");
    studio.end().await;

    let studio = Studio::on(folder.database()).await;
    let mut client = studio.client("one").await;
    assert_eq!((items(&mut client).await, &chat(&mut client).await["edits"]), (before, &settings));
    append(&mut client, "\nWritten after the restart.\n").await;
    say(&mut client, "hello again").await;
    let now = folder.messages();
    assert_eq!(now[..sent.len()], sent);
    // The model knows the document, so that it hears of the change alone.
    let new = &now[sent.len()..];
    assert!(new[0].starts_with(HIDDEN_HEADER) && new[0].contains("+Written after the restart."), "{new:?}");
    assert!(!new.iter().any(|message| message.starts_with(SNAPSHOT_HEADER)), "{new:?}");
    assert_eq!(new.last().unwrap(), "hello again");
    studio.end().await;
}

/// The lines are those of the text that the person saw, and the model is told where they are by now.
#[tokio::test(flavor = "multi_thread")]
async fn the_model_is_told_which_lines_the_person_selected() {
    let folder = Folder::new("selection");
    let studio = Studio::on(folder.database()).await;
    let mut client = studio.client("one").await;
    say(&mut client, "hello").await;
    let (_, base) = client.text_of().await;
    let splice = json!({"at": 0, "remove": 0, "insert": "One more line.\n"});
    client.ok("document.edit", json!({"baseRevisionId": base, "splice": splice})).await;
    let lines = |start: i64, end: i64| json!({"startLine": start, "endLine": end, "baseRevisionId": base});
    for selection in [json!({"startLine": 1}), lines(-1, 1), json!("1-2")] {
        let message = json!({"text": "hello", "selection": selection});
        assert_eq!(client.code("chat.send", message).await, "INVALID_ARGUMENTS");
    }
    for (selection, told) in [
        (lines(1, 2), Some("lines 2-3")),
        // Lines that are not there are left out, and the message arrives.
        (lines(0, 0), None),
        (lines(3, 2), None),
        (lines(1, 9_999), None),
    ] {
        let sent = folder.messages().len();
        client.ok("chat.send", json!({"text": "hello", "selection": selection})).await;
        over(&mut client).await;
        let new = folder.messages().split_off(sent);
        let is_told = new.iter().any(|message| message.contains("The user selected"));
        assert_eq!(is_told, told.is_some(), "{new:?}");
        assert!(told.is_none_or(|lines| new[0].contains(lines)), "{new:?}");
        assert_eq!(new.last().unwrap(), "hello");
    }
    studio.end().await;
}

/// What the model did in a turn that the end of the server has cut off is in no history.
#[tokio::test(flavor = "multi_thread")]
async fn after_an_end_in_the_middle_of_a_turn_the_model_gets_the_whole_canvas() {
    let folder = Folder::new("cut-off");
    let studio = Studio::on(folder.database()).await;
    let mut client = studio.client("one").await;
    say(&mut client, "hello").await;
    studio.end().await;
    let (file, sent) = (folder.history_file(), folder.messages());
    let mut kept = read(&file);
    kept["is_running"] = true.into();
    std::fs::write(&file, kept.to_string()).unwrap();
    let studio = Studio::on(folder.database()).await;
    let mut client = studio.client("one").await;
    say(&mut client, "hello again").await;
    let now = folder.messages();
    assert!(now[sent.len()].starts_with(SNAPSHOT_HEADER), "{:?}", &now[sent.len()..]);
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_one_edit_of_the_assistant_back() {
    let studio = Studio::start().await;
    let mut client = studio.client("one").await;
    let (before, _) = client.text_of().await;
    say(&mut client, "please tidy").await;
    let edit = items(&mut client).await.into_iter().find(|item| item.get("change").is_some());
    let change = edit.expect("an edit that may be taken back")["change"].clone();
    // A later edit elsewhere stays.
    append(&mut client, "\nMine.\n").await;
    client.ok("history.undo", json!({"change": change})).await;
    assert_eq!(client.text_of().await.0, format!("{before}\nMine.\n"));
    assert_eq!(client.code("history.undo", json!({"change": change})).await, "HISTORY_NOT_FOUND");
    for params in [json!({"change": change, "steps": 1}), json!({"change": "x"}), json!({"change": -1})] {
        assert_eq!(client.code("history.undo", params).await, "INVALID_ARGUMENTS");
    }
    assert_eq!(client.code("history.redo", json!({"change": change})).await, "INVALID_ARGUMENTS");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_patches_the_assistant_edits_by_characters() {
    let studio = Studio::start().await;
    let mut client = studio.client("one").await;
    let (before, _) = client.text_of().await;
    client.ok("chat.settings", json!({"edits": "legacy"})).await;
    say(&mut client, "a directive, please").await;
    assert_eq!(client.text_of().await.0, format!("{before}- And where?\n"));
    let shown = items(&mut client).await;
    let edit = shown.iter().find(|item| item["kind"] == "edit" && item.get("change").is_some());
    assert_eq!(edit.expect("it is shown")["icon"], "insert");
    client.ok("chat.settings", json!({"edits": "patches"})).await;
    say(&mut client, "a directive, please").await;
    assert!(client.text_of().await.0.contains("announces the release, and where?"));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_cleared_by_its_name_and_as_an_action() {
    let studio = Studio::start().await;
    let mut client = studio.client("one").await;
    for (method, params) in
        [("history.clear", json!({})), ("board.action", json!({"action": {"type": "history.clear"}}))]
    {
        append(&mut client, "\nMore.\n").await;
        let (text, _) = client.text_of().await;
        assert_eq!(client.ok(method, params).await["cleared"], true);
        assert_eq!(client.text_of().await.0, text);
        assert_eq!(client.code("history.undo", json!({})).await, "NOTHING_TO_UNDO");
    }
    for (action, expected) in
        [("history.undo", "More.\n\nMore.\n"), ("history.redo", "More.\n\nMore.\n\nMore.\n")]
    {
        if action == "history.undo" {
            append(&mut client, "\nMore.\n").await;
        }
        client.ok("board.action", json!({"action": {"type": action}})).await;
        assert!(client.text_of().await.0.ends_with(expected), "{action}");
    }
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_hears_what_happened_on_the_board() {
    let folder = Folder::new("events");
    let studio = Studio::on(folder.database()).await;
    let mut client = studio.client("one").await;
    say(&mut client, "hello").await;
    let canvas = client.ok("canvas.get", json!({})).await;
    let component = canvas["board"]["canvas"]["components"][0]["id"].clone();
    for pinned in [true, false, true] {
        let action = json!({"type": "user.pin", "componentId": component, "pinned": pinned});
        client.ok("board.action", json!({"action": action})).await;
    }
    client.ok("board.action", json!({"action": {"type": "user.refresh", "componentId": component}})).await;
    client.event("canvas.data.updated").await;
    let view = canvas["board"]["views"][0]["id"].clone();
    client.ok("board.command", json!({"command": {"type": "view.load", "payload": {"viewId": view}}})).await;
    let sent = folder.messages().len();
    say(&mut client, "what happened?").await;
    let messages = folder.messages();
    let message =
        messages[sent..].iter().find(|message| message.starts_with(EVENTS_HEADER)).expect("there is one");
    let lines = message.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let told: Vec<(String, Option<u64>)> = lines
        .filter(|line| line["payload"]["componentId"] == component || line["type"] == "view.loaded")
        .map(|line| {
            let change = line["payload"]["changeType"].as_str().unwrap_or_default();
            (format!("{} {change}", line["type"].as_str().unwrap()), line["times"].as_u64())
        })
        .collect();
    assert!(told.contains(&("layout.changed pinned".to_owned(), Some(2))), "{told:?}");
    assert!(told.contains(&("layout.changed unpinned".to_owned(), None)), "{told:?}");
    assert!(told.iter().any(|(kind, _)| kind.starts_with("component.ready")), "{told:?}");
    assert!(told.contains(&("view.loaded ".to_owned(), None)), "{told:?}");
    // They are told once.
    let sent = messages.len();
    say(&mut client, "and now?").await;
    assert!(!folder.messages()[sent..].iter().any(|message| message.contains("view.loaded")));
    studio.end().await;
}

/// The message of a surface waits for the turn that a person has begun.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_a_surface_ends_no_turn() {
    let folder = Folder::new("surface");
    let path = folder.0.join("script.json");
    let answer = |text: &str, pause: u64| {
        let body = json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"});
        json!({"pauseMs": pause, "body": body})
    };
    let script = json!({"turns": [
        {"when": "a person", "answers": [answer("To the person.", 1_500)]},
        {"answers": [answer("To the surface.", 0)]},
    ]});
    std::fs::write(&path, script.to_string()).unwrap();
    let assistant = AssistantOptions { script: Some(path), ..AssistantOptions::default() };
    let studio = Studio::with(Options { port: 0, assistant, ..Options::default() }).await;
    let (mut person, mut page) = (studio.client("one").await, studio.client("two").await);
    let spec = person.ok("canvas.get", json!({})).await["spec"].clone();
    let mut spec =
        if spec.is_string() { serde_json::from_str(spec.as_str().unwrap()).unwrap() } else { spec };
    spec["actions"]["plan"] = json!({"kind": "session.send", "message": "What next?", "saveAs": "plan"});
    page.ok("canvas.upsert", json!({"spec": spec})).await;
    person.ok("chat.send", json!({"text": "from a person"})).await;
    let asked = page.ask("canvas.action", json!({"actionId": "plan"})).await;
    let asked = match asked["error"]["confirmation"].as_object() {
        Some(prompt) => {
            let consent = json!({"digest": prompt["digest"], "plannedAt": prompt["plannedAt"]});
            page.ask("canvas.action", json!({"actionId": "plan", "confirmation": consent})).await
        }
        None => asked,
    };
    assert_eq!(asked["result"]["result"]["text"], "To the surface.", "{asked}");
    let said: Vec<_> = items(&mut person).await.iter().map(|item| item["text"].clone()).collect();
    assert_eq!(said, ["from a person", "To the person.", "What next?", "To the surface."]);
    studio.end().await;
}
