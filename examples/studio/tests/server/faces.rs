//! The lock, the board, the surface and the recipe, as a window sees them.

use std::time::Duration;

use canvas_studio::assistant::AssistantOptions;
use canvas_studio::options::Options;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::common::{Client, PATIENCE, Studio};

fn components(canvas: &Value) -> Vec<Value> {
    canvas["board"]["canvas"]["components"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_move_says_where_there_is_room_and_undo_goes_over_all_faces() {
    let studio = Studio::start().await;
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    let canvas = one.ok("canvas.get", json!({})).await;
    let all = components(&canvas);
    let (moved, taken) = (&all[0], &all[2]);
    let go = |place: &Value| json!({"action": {"type": "user.move", "componentId": moved["id"], "position": place}});
    let refused = one.ok("board.action", go(&taken["position"])).await;
    assert_eq!(
        (&refused["success"], &refused["error"]["code"]),
        (&json!(false), &json!("COLLISION_DETECTED")),
        "{refused}"
    );
    let free = refused["freePlaces"].as_array().unwrap();
    assert!(!free.is_empty());
    let done = one.ok("board.action", go(&free[0])).await;
    assert_eq!(done["success"], true, "{done}");
    let event = other.event("canvas.board.updated").await;
    assert_eq!(
        (&event["components"][0]["id"], &event["components"][0]["position"]),
        (&moved["id"], &free[0])
    );
    one.ok("canvas.patch", json!({"patch": [{"op": "replace", "path": "/version", "value": "9"}]})).await;
    let undone = other.ok("history.undo", json!({"steps": 2})).await;
    assert_eq!(undone["entries"].as_array().unwrap().len(), 2);
    let back = one.ok("canvas.get", json!({})).await;
    assert_eq!(
        (&back["state"]["version"], &components(&back)[0]["position"]),
        (&json!("1.2.7"), &moved["position"])
    );
    one.ok("history.redo", json!({})).await;
    let again = one.ok("canvas.get", json!({})).await;
    assert_eq!(&components(&again)[0]["position"], &free[0]);
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_components_come_and_are_fetched_anew() {
    let studio = Studio::start().await;
    let mut client = studio.client("one").await;
    let canvas = client.ok("canvas.get", json!({})).await;
    let id = components(&canvas)[0]["id"].as_str().unwrap().to_owned();
    let ready = async |client: &mut Client| loop {
        let event = client.event("canvas.data.updated").await;
        if event["components"][&id]["status"] == "ready" {
            return event["components"][&id].clone();
        }
    };
    let first = ready(&mut client).await;
    assert!(first["data"].is_object(), "{first}");
    client.ok("board.action", json!({"action": {"type": "user.refresh", "componentId": id}})).await;
    ready(&mut client).await;
    let canvas = client.ok("canvas.get", json!({})).await;
    assert_eq!(components(&canvas)[0]["dataState"]["status"], "ready");
    // Another config has other data, and one that fails says so.
    let command = json!({"type": "component.update", "payload": {"componentId": id, "config": {"repo": "mock-error/forbidden"}}});
    assert_eq!(client.ok("board.command", json!({"command": command})).await["success"], true);
    loop {
        let event = client.event("canvas.data.updated").await;
        if event["components"][&id]["status"] == "error" {
            break assert_eq!(event["components"][&id]["error"]["code"], "FORBIDDEN");
        }
    }
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_persons_consent_runs_with_it_and_all_windows_see_it() {
    let studio = Studio::start().await;
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    let asked = one.ask("canvas.action", json!({"actionId": "deploy"})).await;
    let prompt = &asked["error"]["confirmation"];
    assert_eq!(asked["error"]["code"], "CONFIRMATION_REQUIRED");
    assert_eq!(prompt["words"], json!(["./deploy", "api", "1.2.7"]));
    let consent = json!({"digest": prompt["digest"], "plannedAt": prompt["plannedAt"]});
    let done = one.ok("canvas.action", json!({"actionId": "deploy", "confirmation": consent})).await;
    assert_eq!(done["result"]["result"], "api 1.2.7 is live");
    other.event("canvas.action.started").await;
    other.event("canvas.action.finished").await;
    let updated = other.event("canvas.updated").await;
    assert_eq!(updated["changedPaths"], json!(["/lastDeploy"]));
    assert_eq!(updated["state"]["lastDeploy"]["result"], "api 1.2.7 is live");
    // Consent is for what was shown, and for once.
    one.ok("canvas.patch", json!({"patch": [{"op": "replace", "path": "/version", "value": "1; rm -rf /"}]}))
        .await;
    let again = one.ask("canvas.action", json!({"actionId": "deploy", "confirmation": consent})).await;
    assert_eq!(again["error"]["code"], "CONFIRM_STALE", "{again}");
    let asked = one.ask("canvas.action", json!({"actionId": "deploy"})).await;
    assert_eq!(asked["error"]["confirmation"]["words"], json!(["./deploy", "api", "1; rm -rf /"]));
    studio.end().await;
}

/// Names that mean something to JavaScript are refused, and markup is text.
#[tokio::test(flavor = "multi_thread")]
async fn a_state_has_no_names_of_javascript_and_may_have_markup() {
    let studio = Studio::start().await;
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    let markup = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    for (path, value, code) in [
        ("/__proto__", json!({"polluted": true}), Some("STATE_PATH")),
        ("/constructor", json!({"prototype": {"polluted": true}}), Some("STATE_PATH")),
        ("/html", json!(markup), None),
    ] {
        let patch = json!([{"op": "add", "path": path, "value": value}]);
        let answer = one.ask("canvas.patch", json!({"patch": patch})).await;
        assert_eq!(answer["error"]["code"].as_str(), code, "{answer}");
    }
    let event = other.event("canvas.updated").await;
    assert_eq!((&event["changedPaths"], &event["state"]["html"]), (&json!(["/html"]), &json!(markup)));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn triggers_suggest_load_or_stay_silent() {
    let studio = Studio::start().await;
    let mut one = studio.client("one").await;
    let welcome = one.event("canvas.trigger.activated").await;
    assert_eq!((&welcome["triggerId"], &welcome["mode"]), (&json!("welcome"), &json!("suggest")));
    // The same client has come already.
    let mut again = studio.client("one").await;
    again.ok("canvas.get", json!({})).await;
    assert!(
        again.events.iter().all(|event| event["event"] != "canvas.trigger.activated"),
        "{:?}",
        again.events
    );
    let simulate = json!({"simulatedTime": "monday_morning"});
    assert_eq!(one.ok("trigger.simulate", simulate.clone()).await["activated"], json!(["monday"]));
    let monday = one.event("canvas.trigger.activated").await;
    assert_eq!((&monday["triggerId"], &monday["mode"]), (&json!("monday"), &json!("suggest")));
    assert_eq!(components(&one.ok("canvas.get", json!({})).await).len(), 5);
    assert_eq!(one.ok("trigger.accept", json!({"triggerId": "monday"})).await["success"], true);
    assert_eq!(components(&one.ok("canvas.get", json!({})).await).len(), 2);
    one.ok("history.undo", json!({})).await;
    for (mode, activated, shown) in [("off", json!([]), 5), ("auto", json!(["monday"]), 2)] {
        let command = json!({"type": "settings.update", "payload": {"proactiveMode": mode}});
        assert_eq!(one.ok("board.command", json!({"command": command})).await["success"], true);
        assert_eq!(one.ok("trigger.simulate", simulate.clone()).await["activated"], activated, "{mode}");
        assert_eq!(components(&one.ok("canvas.get", json!({})).await).len(), shown, "{mode}");
    }
    studio.end().await;
}

/// What the assistant says with the call that is held back.
const ON_ITS_WAY: &str = "The patch is on its way.";

/// The slow turn of the demo, whose patch is on its way for a minute, or until a person takes control.
fn held_back() -> Value {
    let mut script: Value = serde_json::from_str(include_str!("../../scripts/demo.json")).unwrap();
    let turns = script["turns"].as_array_mut().unwrap();
    turns.retain(|turn| turn["when"] == "slow");
    let patch = &mut turns[0]["answers"][1];
    patch["callPauseMs"] = 60_000.into();
    let said = json!({"type": "text", "text": ON_ITS_WAY});
    patch["body"]["content"].as_array_mut().unwrap().insert(0, said);
    script
}

/// The script checks the document out, and holds its patch back.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_the_document_over_and_the_late_patch_is_refused() {
    let script = std::env::temp_dir().join(format!("canvas-studio-slow-{}.json", std::process::id()));
    std::fs::write(&script, held_back().to_string()).unwrap();
    let assistant = AssistantOptions { script: Some(script.clone()), ..AssistantOptions::default() };
    let studio = Studio::with(Options { port: 0, assistant, ..Options::default() }).await;
    std::fs::remove_file(script).unwrap();
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    one.ok("chat.send", json!({"text": "slow"})).await;
    let lock = loop {
        let lock = other.event("canvas.lock.updated").await["lock"].clone();
        if lock["locked"] == true {
            break lock;
        }
    };
    assert_eq!((&lock["holder"], &lock["blocksTyping"]), (&json!("assistant"), &json!(true)));
    assert_eq!(lock["tooltip"], "Assistant editing canvas…");
    while other.event("canvas.chat.appended").await["item"]["text"] != ON_ITS_WAY {}
    let (text, _) = other.text_of().await;
    other.ok("document.take_control", json!({})).await;
    let free = loop {
        let lock = one.event("canvas.lock.updated").await["lock"].clone();
        if lock["locked"] == false {
            break lock;
        }
    };
    assert_eq!(free["canTakeControl"], false);
    let refused = loop {
        let item = one.event("canvas.chat.appended").await["item"].clone();
        if item["kind"] == "edit" && item["status"] == "refused" {
            break item;
        }
    };
    assert_eq!(refused["code"], "STALE_EPOCH");
    assert_eq!(one.text_of().await.0, text);
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_assistants_edit_comes_with_its_words_and_a_recipe_feeds_a_component() {
    let studio = Studio::start().await;
    let mut one = studio.client("one").await;
    one.ok("chat.send", json!({"text": "please tidy"})).await;
    let event = loop {
        let event = one.event("canvas.document.updated").await;
        if event["actor"] == "assistant" {
            break event;
        }
    };
    assert!(event["words"].as_array().is_some_and(|words| !words.is_empty()), "{event}");
    assert!(event.get("clientId").is_none());
    loop {
        if one.event("canvas.chat.turn").await["running"] == false {
            break;
        }
    }
    one.ok("chat.send", json!({"text": "recipe"})).await;
    let recipe = one.event("canvas.recipe.updated").await;
    let (id, made) = recipe["components"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(made["status"], "ready");
    let canvas = one.ok("canvas.get", json!({})).await;
    let fed = components(&canvas).into_iter().find(|one| one["id"] == id.as_str()).unwrap();
    assert_eq!(fed["dataState"]["status"], "ready", "{fed}");
    // It is refused as long as the last one is not long ago.
    let refresh = async {
        loop {
            let answer = one.ask("recipe.refresh", json!({"components": [id]})).await;
            if answer["ok"] == true {
                break answer["result"].clone();
            }
            assert_eq!(answer["error"]["code"], "RATE_LIMITED", "{answer}");
            sleep(Duration::from_millis(100)).await;
        }
    };
    let refreshed = timeout(PATIENCE, refresh).await.expect("it is not refused for ever");
    assert_eq!(refreshed["refreshed"], json!([id]), "{refreshed}");
    assert_eq!(one.code("recipe.rebuild", json!({"componentId": id})).await, "NOT_STALE");
    studio.end().await;
}
