//! The corpora through the bridge, where they are at hand: what an acceptance check sees.

#![expect(clippy::print_stdout, reason = "counts are the result of a corpus run")]

use std::path::PathBuf;

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

fn rows(name: &str) -> Option<Vec<Value>> {
    let folder = std::env::var("CANVAS_DATA")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join("patch").join(name)) else {
        println!("corpus {name}: absent, nothing checked");
        return None;
    };
    Some(text.lines().map(|line| serde_json::from_str(line).expect("the corpus is JSON lines")).collect())
}

fn apply(bridge: &mut Bridge, text: &Value, patch: &Value, mode: &str) -> Value {
    let request = json!({"op": "patch.apply", "text": text, "patch": patch, "mode": mode});
    serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON")
}

#[test]
fn real_changes_go_forth_and_back() {
    let Some(rows) = rows("corpus_dev.jsonl") else { return };
    let mut bridge = Bridge::new();
    for row in &rows {
        let applied = apply(&mut bridge, &row["before"], &row["patch"], "strict");
        assert_eq!(applied["result"]["text"], row["after"], "{}", row["id"]);
        let back = apply(&mut bridge, &row["after"], &applied["result"]["reverse"], "strict");
        assert_eq!(back["result"]["text"], row["before"], "{}", row["id"]);
    }
    println!("corpus_dev through the bridge: {0} of {0} applied, {0} reversed", rows.len());
}

#[test]
fn broken_patches_are_refused_with_a_reason() {
    let Some(rows) = rows("negative_dev.jsonl") else { return };
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
    println!("negative_dev through the bridge: {refused} refused, {accepted} accepted, 0 wrong");
}

#[test]
fn patches_of_models_apply_or_say_why() {
    let Some(rows) = rows("llm_diffs.jsonl") else { return };
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
        "llm_diffs through the bridge: {} rows, {unique} unique all right ({no_effect} NO_EFFECT), {refused} refused",
        rows.len()
    );
}
