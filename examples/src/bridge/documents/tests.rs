//! Requests under a policy that no operation of the bridge sets.

use super::*;
use crate::bridge::Bridge;

fn ask(bridge: &mut Bridge, request: &Value) -> Value {
    serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON")
}

#[test]
fn edits_of_one_line_are_merged_by_words() {
    let mut bridge = Bridge::new();
    let writes = WriteRules { merge_words: true, ..WriteRules::default() };
    bridge.documents.engine = Engine::new(bridge.documents.store.clone(), Policy { writes, ..policy() });
    let create = json!({"op": "canvas.create", "canvas": "c", "markdown": "one two three\n", "now": 1_000});
    let base = ask(&mut bridge, &create)["result"]["revision_id"].clone();
    let mut edit = |person: &str, markdown: &str| {
        let edit = json!({"op": "user.edit", "canvas": "c", "markdown": markdown, "base_revision_id": base,
                          "person": person, "now": 2_000});
        ask(&mut bridge, &edit)
    };
    let first = edit("anna", "ONE two three\n");
    assert_eq!((&first["result"]["merged"], &first["result"]["moved"]), (&json!([]), &json!(false)));
    let second = edit("bert", "one two THREE\n");
    let line = json!({"line": 1, "mine": "one two THREE", "theirs": "ONE two three", "now": "ONE two THREE"});
    assert_eq!((&second["result"]["merged"], &second["result"]["moved"]), (&json!([line]), &json!(true)));
    let third = edit("carl", "one TWO three\n");
    assert_eq!(third["error"]["reason"], "STALE_BASE");
    let read = ask(&mut bridge, &json!({"op": "canvas.text", "canvas": "c"}));
    assert_eq!(read["result"]["markdown"], "ONE two THREE\n", "{read}");
}
