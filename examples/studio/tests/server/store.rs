//! A database that is locked, gone, or written by another studio.

use std::path::PathBuf;
use std::time::Duration;

use canvas_studio::options::Options;
use serde_json::{Value, json};

use crate::common::{Client, Studio};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("canvas-studio-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn db(&self) -> PathBuf {
        self.0.join("studio.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

async fn write(client: &mut Client, id: &str, version: &str) -> Value {
    let patch = json!([{"op": "replace", "path": "/version", "value": version}]);
    client.ask_as(id, "canvas.patch", json!({"patch": patch})).await
}

async fn pin(client: &mut Client, id: &str, component: &Value) -> Value {
    let action = json!({"type": "user.pin", "componentId": component, "pinned": true});
    client.ask_as(id, "board.action", json!({"action": action})).await
}

async fn version(client: &mut Client) -> Value {
    client.ok("canvas.get", json!({})).await["state"]["version"].clone()
}

fn unavailable(answer: &Value, cause: &str) {
    let error = &answer["error"];
    assert_eq!(
        (&error["code"], &error["retryable"]),
        (&json!("STORE_UNAVAILABLE"), &json!(true)),
        "{answer}"
    );
    assert_eq!(error["cause"], cause, "{answer}");
    let sentence = error["message"].as_str().unwrap();
    assert!(sentence.contains("database") && sentence.ends_with('.'), "{sentence}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_is_said_and_the_request_succeeds_when_it_is_sent_again() {
    let folder = Folder::new("locked");
    let studio = Studio::on(folder.db()).await;
    let mut client = studio.client("one").await;
    let component =
        client.ok("canvas.get", json!({})).await["board"]["canvas"]["components"][0]["id"].clone();
    let other = rusqlite::Connection::open(folder.db()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    unavailable(&write(&mut client, "w", "2.0").await, "STORE_BUSY");
    unavailable(&pin(&mut client, "p", &component).await, "STORE_BUSY");
    // What is read is read still.
    assert_eq!(version(&mut client).await, "1.2.7");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(write(&mut client, "w", "2.0").await["ok"], true);
    assert_eq!(pin(&mut client, "p", &component).await["ok"], true);
    assert_eq!(version(&mut client).await, "2.0");
    studio.end().await;
}

/// While one request waits for the file, others wait for it, up to a number.
#[tokio::test(flavor = "multi_thread")]
async fn of_too_many_requests_some_are_refused_and_all_are_answered() {
    let folder = Folder::new("many");
    let busy = Duration::from_secs(600);
    let studio = Studio::with(Options { port: 0, db: Some(folder.db()), busy, ..Options::default() }).await;
    let (mut client, mut other) = (studio.client("one").await, studio.client("other").await);
    let lock = rusqlite::Connection::open(folder.db()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 0..100 {
        let patch = json!([{"op": "replace", "path": "/version", "value": number.to_string()}]);
        let params = json!({"canvasId": "studio", "patch": patch});
        let request =
            json!({"type": "req", "id": format!("m{number}"), "method": "canvas.patch", "params": params});
        client.text(&request.to_string()).await;
    }
    let (mut answered, mut refused) = (0, 0);
    while answered + refused < 100 {
        let message = client.message().await;
        match (message["type"] == "res", message["error"]["code"].as_str()) {
            (true, None) => answered += 1,
            (true, Some("TOO_MANY_REQUESTS")) => refused += 1,
            (true, _) => panic!("{message}"),
            _ => {}
        }
        if refused == 36 && !lock.is_autocommit() {
            // Other connections are answered meanwhile.
            assert_eq!(version(&mut other).await, "1.2.7");
            lock.execute_batch("ROLLBACK").unwrap();
        }
    }
    assert_eq!((answered, refused), (64, 36));
    assert_eq!(version(&mut client).await, "63");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_gone_is_said_and_nothing_is_lost_when_it_is_back() {
    let folder = Folder::new("gone");
    let studio = Studio::on(folder.db()).await;
    let mut client = studio.client("one").await;
    assert_eq!(write(&mut client, "a", "2.0").await["ok"], true);
    let away = folder.0.join("away.db");
    std::fs::rename(folder.db(), &away).unwrap();
    unavailable(&write(&mut client, "b", "3.0").await, "STORE_MOVED");
    let read = client.ask("canvas.get", json!({})).await;
    unavailable(&read, "STORE_MOVED");
    // The page is there, and others can come.
    let mut other = Client::connect(studio.page).await;
    assert_eq!(other.ask("hello", json!({"clientId": "other"})).await["error"]["code"], "STORE_UNAVAILABLE");
    std::fs::rename(&away, folder.db()).unwrap();
    assert_eq!(version(&mut client).await, "2.0");
    assert_eq!(write(&mut client, "b", "3.0").await["ok"], true);
    // Events go on too.
    loop {
        if client.event("canvas.updated").await["state"]["version"] == "3.0" {
            break;
        }
    }
    studio.end().await;
    let studio = Studio::on(folder.db()).await;
    let mut client = studio.client("one").await;
    assert_eq!(version(&mut client).await, "3.0");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_studios_on_one_file_tell_their_windows_of_each_other() {
    let folder = Folder::new("two");
    let (one, two) = (Studio::on(folder.db()).await, Studio::on(folder.db()).await);
    let (mut here, mut there) = (one.client("here").await, two.client("there").await);
    here.ok("canvas.get", json!({})).await;
    assert_eq!(write(&mut there, "w", "7.0").await["ok"], true);
    let event = here.event("canvas.updated").await;
    assert_eq!((&event["changedPaths"], &event["state"]["version"]), (&json!(["/version"]), &json!("7.0")));
    one.end().await;
    two.end().await;
}
