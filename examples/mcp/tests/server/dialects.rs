//! Native forms of edits, for clients that want them.

use serde_json::{Value, json};

use super::client::{Client, Folder};

fn names(client: &mut Client) -> Vec<String> {
    let tools = client.ask("tools/list", json!({})).unwrap();
    tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_form_follows_the_name_of_the_client() {
    for (client, tool) in [
        ("claude-ai", "str_replace_based_edit_tool"),
        ("codex-mcp-client", "apply_patch"),
        ("gemini-cli-mcp-client", "replace"),
        ("Visual Studio Code", "canvas_apply_patch"),
        ("", "canvas_apply_patch"),
    ] {
        let mut client = Client::start_as(client, json!({}), &["--dialect", "auto"]);
        assert!(client.instructions.contains(tool), "{}", client.instructions);
        assert!(names(&mut client).contains(&tool.to_owned()), "{tool}");
    }
    assert!(
        names(&mut Client::start_as("claude-ai", json!({}), &[])).contains(&"canvas_check_out".to_owned())
    );
}

#[test]
fn an_edit_in_a_native_form_is_a_turn_of_its_own() {
    let folder = Folder::new();
    folder.write("plan.md", "# Plan\n\n- a\n");
    let (database, document) = (folder.file("x.db"), folder.file("plan.md"));
    let arguments = ["--db", &database, "--document", &document, "--dialect", "text-editor"];
    let mut client = Client::start(&arguments);
    let tool = "str_replace_based_edit_tool";
    let viewed = client.call(tool, json!({"command": "view", "path": "plan.md"}));
    assert!(viewed["content"][0]["text"].as_str().unwrap().contains("- a"), "{viewed}");
    let edit = json!({"command": "str_replace", "path": "plan.md", "old_str": "- a", "new_str": "- b"});
    let edited = client.call(tool, edit);
    let said = edited["content"][0]["text"].as_str().unwrap();
    assert!(said.starts_with("The file plan.md has been edited."), "{edited}");
    assert_eq!(folder.text("plan.md"), "# Plan\n\n- b\n");
    let edit = json!({"command": "str_replace", "path": "plan.md", "old_str": "- z", "new_str": "- b"});
    let missed: Value = client.call(tool, edit);
    assert_eq!(missed["isError"], true);
    assert_eq!(missed["structuredContent"]["error"]["code"], "PATCH_REJECTED");
}
