//! The corpora through the bridge, where they are at hand: what an acceptance check sees.

#![expect(clippy::print_stdout, reason = "counts are the result of a corpus run")]

use std::path::{Path, PathBuf};

use canvas_core::text::{Delta, TextEdit};
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

/// Every other edit of a real change is proposed, and the rest is typed, in any order. A part is applied where it was meant,
/// or stale.
#[test]
fn real_changes_are_proposed_while_others_are_typed() {
    let rows = rows("changes.jsonl", "corpus_dev.jsonl");
    let (mut changes, mut accepted, mut stale, mut typed, mut refused, mut whole) = (0, 0, 0, 0, 0, 0);
    for (number, row) in rows.iter().enumerate() {
        let [before, after] = ["before", "after"].map(|name| row[name].as_str().expect("texts"));
        let edits = Delta::between(before, after).edits().to_vec();
        if edits.len() < 2 {
            continue;
        }
        changes += 1;
        let with = |edits: Vec<TextEdit>| {
            let delta = Delta::try_from(edits).expect("they are in order");
            delta.apply(before).expect("they are of this text")
        };
        let mut bridge = Bridge::new();
        let mut ask = |mut request: Value| {
            request["canvas"] = json!("c");
            request["now"] = json!(1_000);
            let reply: Value =
                serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON");
            match reply["ok"] == json!(true) {
                true => Ok(reply["result"].clone()),
                false => Err(reply["error"]["code"].clone()),
            }
        };
        let base = ask(json!({"op": "canvas.create", "markdown": before})).unwrap()["revision_id"].clone();
        let proposed = with(edits.iter().step_by(2).cloned().collect());
        ask(json!({"op": "proposal.make", "person": "anna", "markdown": proposed})).unwrap();
        let mut waiting: Vec<TextEdit> = edits.iter().skip(1).step_by(2).cloned().collect();
        let (mut state, mut refused_here) = (number, 0);
        let stale_here = loop {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let list = ask(json!({"op": "proposal.list"})).unwrap();
            let parts = list["proposals"][0]["parts"].as_array().cloned().unwrap_or_default();
            let pending: Vec<&Value> = parts.iter().filter(|part| part["state"] == "pending").collect();
            if pending.is_empty() && waiting.is_empty() {
                break parts.len();
            }
            let draw = (state >> 33) % (pending.len() + waiting.len());
            let Some(part) = pending.get(draw) else {
                let edit = waiting.remove(draw - pending.len());
                let request = json!({"op": "user.edit", "person": "bert", "markdown": with(vec![edit]), "base_revision_id": base});
                match ask(request) {
                    Ok(_) => typed += 1,
                    Err(code) => {
                        assert_eq!(code, "PATCH_REJECTED", "{}", row["id"]);
                        refused_here += 1;
                    }
                }
                continue;
            };
            let text = ask(json!({"op": "canvas.text"})).unwrap()["markdown"].as_str().unwrap().to_owned();
            let decided =
                ask(json!({"op": "proposal.decide", "accept": [part["id"]], "person": "bert"})).unwrap();
            // The lines of the part are replaced, and nothing else.
            let line = |name: &str| part[name].as_u64().unwrap() as usize;
            let offset = |lines: usize| text.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
            let range = offset(line("start_line") - 1)..offset(line("end_line"));
            let mut wanted = text.clone();
            assert_eq!(text[range.clone()], *part["before"].as_str().unwrap(), "{}", row["id"]);
            wanted.replace_range(range, part["after"].as_str().unwrap());
            assert_eq!(decided["markdown"], wanted, "{}", row["id"]);
            accepted += 1;
        };
        if stale_here == 0 && refused_here == 0 {
            let text = ask(json!({"op": "canvas.text"})).unwrap();
            assert_eq!(text["markdown"], after, "{}", row["id"]);
            whole += 1;
        }
        stale += stale_here;
        refused += refused_here;
    }
    println!(
        "{changes} real changes in parts: {whole} made whole; parts: {accepted} accepted, {stale} stale; edits: {typed} typed, {refused} refused"
    );
    assert!(whole * 10 > changes * 5, "most of them do not touch each other");
}
