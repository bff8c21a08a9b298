//! Processes that die while they run actions of a surface.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{Blocking, BlockingStore as _, Commit};
use canvas_core::surface::{
    ActionBegun, ActionId, ActionName, ActionRequest, BeginAction, Ceiling, ClientId, EventId, FinishAction,
    RunnerId, SurfaceActor, ToolContract, ToolDeclaration, ToolName,
};
use canvas_core::testing::block_on;
use canvas_core::{Blob, CodedError as _, Command, Engine, Policy};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{canvas, current, done, edit_head, key};
use serde_json::json;

use super::process::{again, given, say};

const TEST: &str = "actions::a_process_that_is_killed_at_work_is_at_work_once";
const ROUND: &str = "CANVAS_SQLITE_ROUND";
const ROUNDS: u64 = 20;

/// Each round has a time of its own, so that what was left of the one before is over.
fn time_of(round: u64) -> Timestamp {
    Timestamp::from_millis(round * 1_000_000)
}

/// A server, in the process of a round or after it.
fn server(file: &Path, at: Timestamp) -> Engine<Blocking<SqliteStore>> {
    let name = ToolName::new("node__Deploy").unwrap();
    let tool = ToolContract::new(name.clone(), ToolDeclaration::default()).unwrap();
    let tools = BTreeMap::from([(name.clone(), tool)]);
    let ceiling = Ceiling { tools, trust: [name].into(), ..Ceiling::default() };
    let store = SqliteStore::open(file, move || at).unwrap();
    Engine::new(Blocking::new(store), Policy::default()).with_ceiling(Arc::new(ceiling))
}

/// A canvas with a surface that has one action.
fn make(file: &Path) {
    let engine = server(file, time_of(1));
    block_on(engine.create(&canvas("c"), "", &key("create"), time_of(1))).unwrap();
    let owner = "agent:main:main";
    let files = [
        (
            "descriptor.json",
            json!({"agentId": "main", "title": "c", "ownerSessionKey": owner, "mode": "html", "createdAt": 1}),
        ),
        (
            "spec.json",
            json!({
                "version": 1, "mode": "html", "toolPolicy": {"allow": ["node__Deploy"]},
                "actions": {"deploy": {"kind": "tool.call", "tool": "node__Deploy", "saveAs": "last"}},
            }),
        ),
        ("state/latest.json", json!({})),
    ];
    let files = files.map(|(path, json)| (path, Blob::text(json.to_string())));
    let store = engine.store().inner();
    let (version, head) = current(store.load(&canvas("c"))).unwrap();
    let head = edit_head(&head, |json| {
        for (path, blob) in &files {
            json["draft"][*path] = json!(blob.id());
        }
    });
    let blobs = files.map(|(_, blob)| blob).into();
    done(store.commit(Commit { expected: Some(version), head, blobs, not_after: None }));
}

/// The call of a round. Each attempt is another event.
fn begin(round: u64, attempt: &str) -> BeginAction {
    let request = ActionRequest {
        by: SurfaceActor::ClientId(ClientId::new("window").unwrap()),
        job: None,
        action: ActionName::Id(ActionId::new("deploy").unwrap()),
        input: json!({}),
        expected: None,
        confirmation: None,
    };
    let event = EventId::new(&format!("{round} {attempt}")).unwrap();
    BeginAction { request, event, runner: RunnerId::new(attempt).unwrap() }
}

/// A call of a server.
fn ask<C: Command>(
    engine: &Engine<Blocking<SqliteStore>>,
    call: &str,
    command: C,
    now: Timestamp,
) -> Result<C::Done, C::Refusal> {
    block_on(engine.call(&canvas("c"), &key(call), command, now)).unwrap().result
}

/// What the call of a round is answered.
fn word(engine: &Engine<Blocking<SqliteStore>>, round: u64, attempt: &str, now: Timestamp) -> &'static str {
    match ask(engine, &round.to_string(), begin(round, attempt), now) {
        Ok(ActionBegun::Run(_)) => "run",
        Ok(ActionBegun::Ended { ended, .. }) => ended.failure.map_or("done", |fault| fault.code.code()),
        Err(refusal) => refusal.code(),
    }
}

/// The process of a round: it says what it is about to do and has done, until it is killed.
fn work(file: &Path, round: u64) {
    let (engine, now) = (server(file, time_of(round)), time_of(round));
    say("begins");
    let Ok(ActionBegun::Run(running)) = ask(&engine, &round.to_string(), begin(round, "first"), now) else {
        panic!("nobody has begun it before");
    };
    say("started");
    // Every fourth process comes to the end; the others hang in their tool.
    if round.is_multiple_of(4) {
        let finish = FinishAction { running, outcome: Ok(json!(round)) };
        ask(&engine, &format!("{round} ends"), finish, now).unwrap();
        say("finished");
    }
    loop {
        std::thread::park();
    }
}

#[test]
fn a_process_that_is_killed_at_work_is_at_work_once() {
    if let Some(file) = given() {
        work(&file, env::var(ROUND).unwrap().parse().unwrap());
    }
    let folder = canvas_store_testing::Folder::new();
    make(&folder.file());
    let mut seen = BTreeMap::<_, u32>::new();
    for round in 2..ROUNDS + 2 {
        let mut process =
            again(TEST, &folder.file()).env(ROUND, round.to_string()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        // While it begins, or while it is at work.
        let until = if round.is_multiple_of(2) { "started" } else { "begins" };
        assert!(said.any(|line| line == until), "{until}");
        for _ in 0..round * 4_000 {
            std::hint::spin_loop();
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let has_started = until == "started" || said.any(|line| line == "started");

        let (engine, now) = (server(&folder.file(), time_of(round)), time_of(round));
        let answer = word(&engine, round, "second", now);
        *seen.entry(answer).or_default() += 1;
        match answer {
            // Nobody was told to run it before.
            "run" => assert!(!has_started, "round {round}"),
            "ACTION_IN_PROGRESS" | "done" => {}
            answer => panic!("round {round}: {answer}"),
        }
        let later = now.saturating_add(Duration::from_secs(30));
        let answer = word(&server(&folder.file(), later), round, "third", later);
        assert!(matches!(answer, "ACTION_LOST" | "done"), "round {round}: {answer}");
    }
    // Most die between begin and end.
    assert!(seen["ACTION_IN_PROGRESS"] >= 5, "{seen:?}");
    let at = time_of(ROUNDS + 2);
    let records = block_on(server(&folder.file(), at).audit(&canvas("c"), None, usize::MAX, at)).unwrap();
    assert_eq!(records.len() as u64, ROUNDS, "one for each round");
}
