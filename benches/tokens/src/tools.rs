//! What a model pays before its first call: prompts, and tools as they are listed.

use canvas_core::lease::Timestamp;
use canvas_core::{Engine, MemoryStore, Policy};
use canvas_examples::bridge::Bridge;
use canvas_tools::{BoardTools, DocumentTools, Tools, Toolset};
use serde_json::{Value, json};

use crate::Counter;

type Toolsets = Vec<Box<dyn Toolset<MemoryStore>>>;

/// Toolsets of the bridge, and of natives the dialects.
const TOOLSETS: [(&str, Option<&str>); 10] = [
    ("document", None),
    ("board", None),
    ("surface", None),
    ("recipe", None),
    ("native", Some("text-editor")),
    ("native", Some("apply-patch")),
    ("native", Some("codex-patch")),
    ("native", Some("edit")),
    ("native", Some("replace")),
    ("native", Some("search-replace")),
];

/// The system prompt of some toolsets.
///
/// # Panics
///
/// Where two of them share a name.
pub fn prompt(toolsets: Toolsets) -> String {
    let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    Tools::new(toolsets).expect("no two tools share a name").system_prompt(&engine)
}

/// Name and tokens of each prompt and each toolset.
///
/// # Panics
///
/// Where the bridge lists no tools.
pub fn counts(counter: &Counter) -> Vec<(String, usize)> {
    let document = prompt(vec![Box::new(DocumentTools::default())]);
    let board = prompt(vec![Box::new(BoardTools::default())]);
    let mut rows = vec![
        ("prompt document".to_owned(), counter.count(&document)),
        ("prompt board".to_owned(), counter.count(&board)),
    ];
    let mut bridge = Bridge::new();
    for (toolset, dialect) in TOOLSETS {
        let request = json!({"op": "tool.list", "toolset": toolset, "dialect": dialect});
        let reply: Value = serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON");
        let tools = reply["result"]["tools"].to_string();
        rows.push((format!("tools {}", dialect.unwrap_or(toolset)), counter.count(&tools)));
    }
    rows
}
