//! The corpora through the bridge, where they are at hand: what an acceptance check sees.

#![expect(clippy::print_stdout, reason = "counts are the result of a corpus run")]

use std::path::{Path, PathBuf};

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

/// The rows of our own corpus, and those of the large one where it is at hand.
fn rows(own: &str, large: &str) -> Vec<Value> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let mut text = read(&here.join("../../canvas-patch/tests/corpus").join(own))
        .expect("our own corpus is in the repository");
    let data = std::env::var("CANVAS_DATA").map_or_else(|_| here.join("../../../shared/data"), PathBuf::from);
    match read(&data.join("patch").join(large)) {
        Ok(large) => text.push_str(&large),
        Err(e) => println!("SKIPPED: {large}, only {own} is checked ({e})"),
    }
    text.lines().map(|line| serde_json::from_str(line).expect("the corpus is JSON lines")).collect()
}

fn apply(bridge: &mut Bridge, text: &Value, patch: &Value, mode: &str) -> Value {
    let request = json!({"op": "patch.apply", "text": text, "patch": patch, "mode": mode});
    serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON")
}

#[test]
fn real_changes_go_forth_and_back() {
    let rows = rows("changes.jsonl", "corpus_dev.jsonl");
    let mut bridge = Bridge::new();
    for row in &rows {
        let applied = apply(&mut bridge, &row["before"], &row["patch"], "strict");
        assert_eq!(applied["result"]["text"], row["after"], "{}", row["id"]);
        let back = apply(&mut bridge, &row["after"], &applied["result"]["reverse"], "strict");
        assert_eq!(back["result"]["text"], row["before"], "{}", row["id"]);
    }
    println!("changes through the bridge: {0} of {0} applied, {0} reversed", rows.len());
}

#[test]
fn broken_patches_are_refused_with_a_reason() {
    let rows = rows("broken.jsonl", "negative_dev.jsonl");
    let mut bridge = Bridge::new();
    let (mut refused, mut accepted) = (0, 0);
    for row in &rows {
        let reply = apply(&mut bridge, &row["before"], &row["patch"], "strict");
        let ok = reply["ok"] == json!(true);
        match row["strict"].as_str() {
            Some("reject") => assert!(!ok, "{} was accepted", row["id"]),
            Some("accept") => assert!(ok, "{} was refused: {reply}", row["id"]),
            _ => {}
        }
        if ok {
            accepted += 1;
        } else {
            assert!(reply["error"]["reason"].is_string(), "{reply}");
            refused += 1;
        }
    }
    println!("broken through the bridge: {refused} refused, {accepted} accepted, 0 wrong");
}

#[test]
fn patches_of_models_apply_or_say_why() {
    let rows = rows("models.jsonl", "llm_diffs.jsonl");
    let mut bridge = Bridge::new();
    let (mut unique, mut no_effect, mut refused) = (0, 0, 0);
    for row in &rows {
        let reply = apply(&mut bridge, &row["before"], &row["single_file_patch"], "anchored");
        if reply["ok"] != json!(true) {
            refused += 1;
            let conflicts = reply["error"]["conflicts"].as_array().expect("conflicts are a list");
            for conflict in conflicts.iter().filter(|c| c["hunk"] != json!(0)) {
                let placed =
                    ["line", "candidates", "patch_line"].iter().any(|place| !conflict[place].is_null());
                assert!(placed, "{}: {conflict}", row["id"]);
            }
        }
        let expected = &row["strict_unique_after"];
        if expected.is_null() {
            continue;
        }
        unique += 1;
        if expected == &row["before"] {
            no_effect += 1;
            assert_eq!(reply["error"]["reason"], "NO_EFFECT", "{}", row["id"]);
        } else {
            assert_eq!(&reply["result"]["text"], expected, "{}", row["id"]);
        }
    }
    println!(
        "models through the bridge: {} rows, {unique} unique all right ({no_effect} NO_EFFECT), {refused} refused",
        rows.len()
    );
}
