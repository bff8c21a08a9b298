//! The shell commands and statements of the guide `postgres.md`, run as they are printed.

use std::process::Command;
use std::time::{Duration, SystemTime};

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::{CallId, CanvasId, CodedError as _, CollectOptions, Engine, OpKey, Policy};
use canvas_store_postgres::{PostgresOptions, PostgresStore};
use tokio_postgres::{Config, NoTls};

/// The blocks of the guide in this language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let begin = format!("```{language}\n");
    let parts = include_str!("../postgres.md").split(begin.as_str()).skip(1);
    parts.map(|part| part.split("```").next().expect("a text has a first part")).collect()
}

fn address() -> String {
    std::env::var("CANVAS_POSTGRES").expect("run as: .ci/postgres cargo test -p canvas-guides")
}

fn now() -> Timestamp {
    SystemTime::now().into()
}

fn key(call: &str) -> OpKey {
    OpKey::user(CallId::new(call).expect("it is short"))
}

fn engine(config: Config) -> Engine<PostgresStore> {
    // A collection in a test waits for no minute.
    let policy = Policy { min_blob_age: Duration::ZERO, ..Policy::default() };
    let store =
        PostgresStore::connect(config, NoTls, &PostgresOptions::default()).expect("the options are fine");
    Engine::new(store, policy)
}

async fn write(engine: &Engine<PostgresStore>, canvas: &CanvasId, text: &str) {
    let answered = engine.call(canvas, &key(text.trim()), Edit::overwrite(text), now()).await;
    answered.expect("the server is there").result.expect("nobody else writes");
}

fn shell(command: &str) {
    let folder = std::env::temp_dir().join(format!("guide-postgres-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let mut bash = Command::new("bash");
    let bash = bash.args(["-euc", command]).env("DATABASE", address()).current_dir(&folder);
    let output = bash.output().expect("bash is there");
    assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn what_the_guide_says_to_run_runs() {
    let config: Config = address().parse().expect("a connection string");
    let owner = engine(config.clone());
    owner.store().migrate().await.expect("the role may make tables");

    let sql = owner.store().pool().get().await.expect("the server is there");
    for statements in blocks("sql") {
        sql.batch_execute(statements).await.expect("statements that run");
    }

    // The role that the guide makes is enough for everything but migrations.
    let mut config = config;
    let app = engine(config.user("canvas_app").clone());
    let canvas = CanvasId::new("guide-backup").expect("it is short");
    app.create(&canvas, "monday\n", &key("create"), now()).await.expect("there is none");
    let [_, dump, restore, rewrite] = blocks("sh")[..] else {
        panic!("installing, backup, restore, erasing")
    };
    shell(dump);
    write(&app, &canvas, "tuesday\n").await;
    shell(restore);
    // The engine has tuesday in its cache.
    assert_eq!(app.snapshot(&canvas, now()).await.expect("it is back").text(), "monday\n");
    write(&app, &canvas, "wednesday\n").await;
    assert_eq!(owner.snapshot(&canvas, now()).await.expect("it is there").text(), "wednesday\n");

    write(&app, &canvas, "thursday\n").await;
    let keep = CollectOptions { history: Some(0), older_than: Duration::ZERO, ..CollectOptions::default() };
    assert!(app.collect(&canvas, keep).await.expect("the role may drop blobs").blobs > 0);
    shell(rewrite);
    assert_eq!(app.snapshot(&canvas, now()).await.expect("it is there").text(), "thursday\n");
    assert_eq!(app.store().migrate().await.map_err(|e| e.code()), Ok(()), "nothing is to be made");
}
