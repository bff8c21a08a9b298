//! Tools that a provider has built in.

use canvas_providers::{Event, NativeTool, Provider, RequestOptions, TextEditor, ToolChoice};
use canvas_tools::ToolSpec;
use canvas_tools::native::{CODEX_GRAMMAR, Dialect};
use serde_json::{Value, json};

fn spec(dialect: Dialect) -> ToolSpec {
    dialect.spec("document.md")
}

fn editor(version: TextEditor) -> NativeTool {
    NativeTool::TextEditor(version)
}

#[test]
fn declarations() {
    for (tool, declared) in [
        (
            editor(TextEditor::V20250728 { max_characters: None }),
            json!({"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}),
        ),
        (
            editor(TextEditor::V20250728 { max_characters: Some(10_000) }),
            json!({
                "type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 10_000,
            }),
        ),
        (
            editor(TextEditor::V20250429),
            json!({"type": "text_editor_20250429", "name": "str_replace_based_edit_tool"}),
        ),
        (
            editor(TextEditor::V20250124),
            json!({"type": "text_editor_20250124", "name": "str_replace_editor"}),
        ),
        (
            editor(TextEditor::V20241022),
            json!({"type": "text_editor_20241022", "name": "str_replace_editor"}),
        ),
        (NativeTool::ApplyPatch, json!({"type": "apply_patch"})),
        (
            NativeTool::CodexPatch,
            json!({
                "type": "custom", "name": "apply_patch", "description": spec(Dialect::CodexPatch).description,
                "format": {"type": "grammar", "syntax": "lark", "definition": CODEX_GRAMMAR},
            }),
        ),
    ] {
        let spec = spec(tool.dialect());
        assert_eq!(tool.declare(&spec), declared);
        assert!(tool.dialect().tool_names().contains(&tool.name()), "{tool:?}");
    }
}

/// A dialect is either built in or a function, and its newest version is the one that it is named after.
#[test]
fn every_dialect_has_a_declaration() {
    for dialect in Dialect::ALL {
        let native = NativeTool::of(dialect);
        assert_eq!(native.map(NativeTool::dialect), native.map(|_| dialect));
        assert!(native.is_none_or(|tool| tool.name() == spec(dialect).name), "{dialect}");
        let encoded = Provider::Anthropic.tools(&[spec(dialect)], native);
        assert!(encoded.renames == Default::default());
        let built_in = dialect == Dialect::TextEditor;
        assert_eq!(encoded.tools[0].get("input_schema").is_some(), !built_in, "{dialect}");
        let losses: Vec<_> = encoded.degradations.iter().map(|loss| (&*loss.path, &*loss.keyword)).collect();
        let expected = native.filter(|_| !built_in).map(|_| ("/tools/0", "native"));
        assert_eq!(losses.first().copied().filter(|loss| loss.1 == "native"), expected, "{dialect}");
    }
}

/// Under the older name calls and choices go both ways, and another tool of that name yields.
#[test]
fn an_older_name_is_mapped_both_ways() {
    let name = "str_replace_based_edit_tool";
    let other = ToolSpec { name: "str_replace_editor".into(), ..spec(Dialect::Edit) };
    let specs = [other, spec(Dialect::TextEditor)];
    let native = Some(editor(TextEditor::V20250124));
    let tool_choice = ToolChoice::Tool(name.into());
    let options = RequestOptions { native, tool_choice, ..RequestOptions::default() };
    let ask = |events: &[Event]| {
        Provider::Anthropic.request(&Provider::Anthropic.issuer("m"), "", &specs, events, &options).unwrap()
    };
    let first = ask(&[Event::user("Edit.")]);
    assert_eq!(first.body["tools"][1], json!({"type": "text_editor_20250124", "name": "str_replace_editor"}));
    assert_ne!(first.body["tools"][0]["name"], "str_replace_editor");
    assert_eq!(first.body["tool_choice"]["name"], "str_replace_editor");
    let input = json!({"command": "view", "path": "document.md"});
    let answer = json!({"stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "toolu_1", "name": "str_replace_editor", "input": input}]});
    let decoded = Provider::Anthropic.decode(&answer, &first.context).unwrap();
    let history: Vec<Event> = [Event::user("Edit.")].into_iter().chain(decoded.events).collect();
    assert!(json!(history).to_string().contains(name));
    let again = ask(&history).body;
    let calls: Vec<&Value> = again["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["content"].as_array().unwrap())
        .filter(|block| block["type"] == "tool_use")
        .collect();
    assert_eq!((calls.len(), &calls[0]["name"]), (1, &json!("str_replace_editor")));
}
