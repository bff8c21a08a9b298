//! The past of the document: comparison, who wrote which lines, and named versions.

use serde_json::{Value, json};

use crate::common::Studio;
use crate::people::{edit, say};

fn labels(canvas: &Value) -> Vec<&str> {
    let list = canvas["versions"]["list"].as_array().unwrap();
    list.iter().map(|version| version["label"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_named_compared_restored_and_removed() {
    let studio = Studio::start().await;
    let (mut anna, mut bert) = (studio.window("one", "Anna").await, studio.window("two", "Bert").await);
    let (before, _) = anna.text_of().await;
    let markup = "<b>first</b> draft";
    let named =
        anna.ok("versions.name", json!({"label": markup, "note": "as sent"})).await["version"].clone();
    assert_eq!((&named["by"], &named["note"]), (&json!({"person": "Anna"}), &json!("as sent")));
    let news = bert.event("canvas.versions.updated").await;
    assert_eq!(labels(&news), [markup]);
    edit(&mut bert, "Watch the log", "Read the log").await;
    say(&mut anna, "please tidy").await;

    let diff = anna.ok("history.diff", json!({"from": {"version": markup}})).await;
    let (after, revision) = bert.text_of().await;
    assert_eq!((&diff["fromRevisionId"], &diff["revisionId"]), (&named["revisionId"], &json!(revision)));
    assert_eq!(diff["actors"][0], json!({"person": "Bert"}));
    assert!(diff["actors"][1]["conversation"].is_string(), "{diff}");
    // The words lead from one text to the other.
    let units: Vec<u16> = after.encode_utf16().collect();
    let (mut old, mut at) = (Vec::new(), 0);
    for word in diff["words"].as_array().unwrap() {
        let start = word["at"].as_u64().unwrap() as usize;
        old.extend_from_slice(&units[at..start]);
        old.extend(word["del"].as_str().unwrap().encode_utf16());
        at = start + word["ins"].as_str().unwrap().encode_utf16().count();
    }
    old.extend_from_slice(&units[at..]);
    assert_eq!(String::from_utf16(&old).unwrap(), before);

    let restored = bert.ok("versions.restore", json!({"to": {"version": markup}})).await;
    assert_eq!(bert.text_of().await, (before.clone(), restored["revisionId"].as_str().unwrap().to_owned()));
    bert.ok("history.undo", json!({})).await;
    assert_eq!(bert.text_of().await.0, after);
    anna.ok("versions.remove", json!({"label": markup})).await;
    assert_eq!(anna.ok("canvas.get", json!({})).await["versions"], json!({"count": 0, "list": []}));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_has_its_writer() {
    let studio = Studio::start().await;
    let mut anna = studio.window("one", "Anna").await;
    let (text, _) = anna.text_of().await;
    edit(&mut anna, "Faster start", "Quicker start").await;
    let line = 1 + text.lines().position(|line| line.contains("Faster start")).unwrap();
    let lines = json!({"startLine": line - 1, "endLine": line});
    let blamed = anna.ok("history.blame", lines).await;
    assert_eq!(blamed["revisionId"].as_str(), Some(anna.text_of().await.1.as_str()));
    let runs = blamed["lines"].as_array().unwrap();
    assert_eq!(runs[0]["writer"], Value::Null);
    let (run, by) = (&runs[1], json!({"person": "Anna"}));
    assert_eq!(
        (&run["startLine"], &run["writer"]["by"], &run["writer"]["change"]),
        (&json!(line), &by, &json!(1))
    );
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_refused() {
    let studio = Studio::start().await;
    let mut anna = studio.window("one", "Anna").await;
    anna.ok("versions.name", json!({"label": "first"})).await;
    let before = anna.ok("canvas.get", json!({})).await;
    for (method, params, code) in [
        ("versions.name", json!({"label": "first"}), "VERSION_EXISTS"),
        ("versions.name", json!({"label": ""}), "INVALID_ARGUMENTS"),
        ("versions.name", json!({"label": "\u{202e}tsrif"}), "INVALID_ARGUMENTS"),
        ("versions.name", json!({"label": "x".repeat(100_000)}), "INVALID_ARGUMENTS"),
        ("versions.name", json!({"label": "second", "note": "x".repeat(2_000)}), "NOTE_TOO_LONG"),
        ("versions.remove", json!({"label": "second"}), "VERSION_NOT_FOUND"),
        ("versions.restore", json!({"to": {"version": "second"}}), "VERSION_NOT_FOUND"),
        ("versions.restore", json!({"to": {"version": "first"}}), "NO_EFFECT"),
        ("versions.restore", json!({"to": {"revision": 99}}), "REVISION_NOT_FOUND"),
        ("versions.restore", json!({"to": {}}), "INVALID_ARGUMENTS"),
        ("history.diff", json!({"from": {"revision": 0}}), "REVISION_NOT_FOUND"),
        ("history.diff", json!({"from": {"revision": -1}}), "INVALID_ARGUMENTS"),
        ("history.diff", json!({"from": {"revision": 1, "version": "first"}}), "INVALID_ARGUMENTS"),
        ("history.blame", json!({"startLine": 0, "endLine": 1}), "INVALID_ARGUMENTS"),
        ("history.blame", json!({"startLine": 2, "endLine": 1}), "INVALID_ARGUMENTS"),
        ("history.blame", json!({"startLine": 1, "endLine": 1_001}), "INVALID_ARGUMENTS"),
        ("history.blame", json!({"startLine": 1, "endLine": u64::MAX}), "INVALID_ARGUMENTS"),
    ] {
        assert_eq!(anna.code(method, params.clone()).await, code, "{method} {params}");
    }
    // Lines past the end have no writer.
    let past_the_end = json!({"startLine": 900, "endLine": 901});
    assert_eq!(anna.ok("history.blame", past_the_end).await["lines"], json!([]));
    assert_eq!(anna.ok("canvas.get", json!({})).await, before);
    studio.end().await;
}
