//! The program of the guide `live-updates.md`, asked over a connection as a browser asks.

#[expect(dead_code, reason = "the test has a file of its own")]
#[path = "../examples/live_updates.rs"]
mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::lease::CheckOut;
use canvas_core::store::Blocking;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, EngineError, OpKey, Policy};
use canvas_store_sqlite::{SqliteStore, system_clock as now};
use program::{open, routes};
use serde_json::Value;
use tokio::time::{sleep, timeout};

/// Bounds a hang. No result depends on it.
const PATIENCE: Duration = Duration::from_secs(120);

struct World {
    engine: Arc<Engine<Blocking<SqliteStore>>>,
    canvas: CanvasId,
    url: String,
    folder: PathBuf,
}

impl World {
    async fn new(name: &str) -> Self {
        Self::with(name, Policy::default()).await
    }

    async fn with(name: &str, policy: Policy) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = std::env::temp_dir().join(format!("guide-live-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        // The program opens its file with the default policy.
        let engine = if policy == Policy::default() {
            open(folder.join("live.db")).expect("a file of its own")
        } else {
            let store = SqliteStore::open(folder.join("live.db"), now).expect("a file of its own");
            Arc::new(Engine::new(Blocking::new(store), policy))
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}/documents/plan/live", listener.local_addr().expect("it has one"));
        let served = axum::serve(listener, routes(Arc::clone(&engine)));
        tokio::spawn(async move { served.await });
        Self { engine, canvas: CanvasId::new("plan").expect("it is short"), url, folder }
    }

    async fn create(&self) {
        let made = self.engine.create(&self.canvas, "# Plan\n", &key("create"), now()).await;
        made.expect("there is none");
    }

    async fn edit(&self, item: &str) -> Result<(), EngineError> {
        let edit = Edit::overwrite(format!("# Plan\n\n- {item}\n"));
        self.engine.call(&self.canvas, &key(item), edit, now()).await?.result.expect("nobody is refused");
        Ok(())
    }

    /// What a model does first.
    async fn check_out(&self, call: &str) {
        let conversation = ConversationId::new("chat").expect("it is short");
        let call = CallId::new(call).expect("it is short");
        let key = OpKey::of(conversation, call);
        let answered = self.engine.call(&self.canvas, &key, CheckOut, now()).await;
        answered.expect("the file is there").result.expect("nobody else has it");
    }

    async fn connect(&self, last: Option<&str>) -> Client {
        let mut request = reqwest::Client::new().get(&self.url);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        Client { response: request.send().await.expect("the server is there"), text: String::new() }
    }
}

fn key(call: &str) -> OpKey {
    OpKey::user(CallId::new(call).expect("it is short"))
}

struct Client {
    response: reqwest::Response,
    text: String,
}

impl Client {
    /// The next event of this name: its id and its data.
    async fn next(&mut self, name: &str) -> (Option<String>, Value) {
        loop {
            let Some((event, rest)) = self.text.split_once("\n\n") else {
                let chunk = timeout(PATIENCE, self.response.chunk());
                let chunk = chunk.await.expect("an event comes").expect("the connection stands");
                let chunk = chunk.expect("the stream has no end");
                self.text.push_str(std::str::from_utf8(&chunk).expect("events here are ASCII"));
                continue;
            };
            let field = |name: &str| {
                let start = format!("{name}: ");
                event.lines().find_map(|line| line.strip_prefix(start.as_str())).map(str::to_owned)
            };
            let (found, id, data) = (field("event"), field("id"), field("data"));
            self.text = rest.to_owned();
            if found.as_deref() == Some(name) {
                return (id, serde_json::from_str(&data.expect("an event has data")).expect("JSON"));
            }
        }
    }
}

#[tokio::test]
async fn a_client_that_was_away_gets_what_it_missed_once_and_in_order() {
    let world = World::new("changes").await;
    world.create().await;
    let mut client = world.connect(None).await;
    world.edit("one").await.expect("the file is there");
    let (first, change) = client.next("change").await;
    assert_eq!((first.as_deref(), &change["author"]), (Some("1"), &Value::from("user")));

    drop(client);
    for item in ["two", "three"] {
        world.edit(item).await.expect("the file is there");
    }
    let mut client = world.connect(first.as_deref()).await;
    for expected in ["2", "3"] {
        assert_eq!(client.next("change").await.0.as_deref(), Some(expected));
    }
    world.edit("four").await.expect("the file is there");
    assert_eq!(client.next("change").await.0.as_deref(), Some("4"));

    // Nothing of a client that has gone stays.
    let held = Arc::strong_count(&world.engine);
    drop(client);
    let let_go = async {
        while Arc::strong_count(&world.engine) >= held {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, let_go).await.expect("the stream of a dropped client lets the engine go");
}

#[tokio::test]
async fn the_lock_is_shown_until_the_user_types() {
    let world = World::new("lock").await;
    world.create().await;
    let mut client = world.connect(None).await;
    assert!(client.next("lock").await.1.get("holder").is_none());

    world.check_out("1").await;
    assert_eq!(client.next("lock").await.1["holder"], "chat");
    world.edit("mine").await.expect("the file is there");
    assert!(client.next("lock").await.1.get("holder").is_none());
}

#[tokio::test]
async fn a_canvas_that_is_not_there_is_no_stream() {
    let world = World::new("absent").await;
    assert_eq!(world.connect(None).await.response.status(), 404);
}

/// Nobody commits when a lease ends by itself.
#[tokio::test]
async fn a_lease_that_expires_is_shown_as_free() {
    let mut policy = Policy::default();
    let ttl = Duration::from_millis(300);
    policy.lease.ttl = ttl;
    let world = World::with("expiry", policy).await;
    world.create().await;
    let mut client = world.connect(None).await;
    assert!(client.next("lock").await.1.get("holder").is_none());
    // A lease that is over before the stream looks at it is never shown: then there is another one.
    let mut leases = 0;
    let (_, lock) = loop {
        leases += 1;
        world.check_out(&leases.to_string()).await;
        if let Ok(event) = timeout(10 * ttl, client.next("lock")).await {
            break event;
        }
    };
    assert_eq!(lock["holder"], "chat");
    assert!(client.next("lock").await.1.get("holder").is_none());
}

#[tokio::test]
async fn a_store_that_was_put_back_resets_the_client() {
    let world = World::new("reset").await;
    world.create().await;
    world.edit("one").await.expect("the file is there");
    let (file, copy) = (world.folder.join("live.db"), world.folder.join("copy.db"));
    copy_pages(&file, &copy);
    for item in ["two", "three"] {
        world.edit(item).await.expect("the file is there");
    }
    let mut client = world.connect(Some("2")).await;
    assert_eq!(client.next("change").await.0.as_deref(), Some("3"));
    copy_pages(&copy, &file);
    // As a listener of the store says.
    world.engine.forget(&world.canvas);
    client.next("reset").await;
    // The stream ends with it: what a client reads next, it reads anew.
    let mut rest = Ok(Some(Default::default()));
    while let Ok(Some(_)) = rest {
        rest = timeout(PATIENCE, client.response.chunk()).await.expect("the stream ends");
    }
}

/// Copies all pages of a file in use.
fn copy_pages(from: &Path, to: &Path) {
    let from = rusqlite::Connection::open(from).expect("the file is there");
    let mut to = rusqlite::Connection::open(to).expect("the folder is there");
    let backup = rusqlite::backup::Backup::new(&from, &mut to).expect("two files");
    backup.step(-1).expect("nobody writes");
}
