//! The payloads that the READMEs show.

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

fn ask(bridge: &mut Bridge, request: &Value) -> Value {
    let reply: Value = serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON");
    assert_eq!(reply["ok"], json!(true), "{request} gave {reply}");
    reply["result"].clone()
}

#[test]
fn the_edit_of_the_readmes_is_applied() {
    for page in [include_str!("../../../../README.md"), include_str!("../../../../canvas-tools/README.md")] {
        let (_, after) = page.split_once("```json\n").expect("the page has a payload");
        let directive: Value =
            serde_json::from_str(after.split_once("```").expect("it ends").0).expect("it is JSON");
        let mut bridge = Bridge::new();
        let markdown = "# Plan\n\n- one\n- two\n";
        let created = json!({"op": "canvas.create", "canvas": "c", "markdown": markdown, "now": 1});
        let created = ask(&mut bridge, &created);
        assert_eq!(directive["document_version"], created["revision_id"], "the version that the page shows");
        let edit = json!({"op": "directive.apply", "canvas": "c", "directive": directive, "now": 2});
        let status = ask(&mut bridge, &edit)["status"].as_str().unwrap_or_default().to_owned();
        assert!(status.starts_with("applied: +2 chars (patch, version="), "{status}");
        let text = ask(&mut bridge, &json!({"op": "canvas.text", "canvas": "c"}));
        assert_eq!(text["markdown"], "# Plan\n\n- one\n- three\n");
    }
}
