//! What a model pays before its first call: prompts, and tools as they are listed.

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::{Engine, Policy};
use canvas_examples::bridge::Bridge;
use canvas_providers::Provider;
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
    Tools::try_from(toolsets).expect("no two tools share a name").system_prompt(&engine)
}

/// Name and tokens of each prompt and each toolset.
///
/// # Panics
///
/// Where the bridge lists no tools.
pub fn counts(counter: &Counter) -> Vec<(String, usize)> {
    let document = prompt(vec![Box::new(DocumentTools::default())]);
    let extended = prompt(vec![Box::new(DocumentTools::ALL)]);
    let board = prompt(vec![Box::new(BoardTools::default())]);
    let mut rows = vec![
        ("prompt document".to_owned(), counter.count(&document)),
        ("prompt extended".to_owned(), counter.count(&extended)),
        ("prompt board".to_owned(), counter.count(&board)),
    ];
    let all = serde_json::to_string(&DocumentTools::ALL.list(&Policy::default())).expect("specs are JSON");
    rows.push(("tools extended".to_owned(), counter.count(&all)));
    let all = DocumentTools::ALL.list(&Policy::default());
    let without = DocumentTools { structure: false, ..DocumentTools::ALL }.list(&Policy::default());
    let structure: Vec<_> = all.into_iter().filter(|tool| !without.contains(tool)).collect();
    for tool in &structure {
        rows.push((format!("tool {}", tool.name), counter.count(&json!(tool).to_string())));
    }
    rows.push(("tools structure".to_owned(), counter.count(&json!(structure).to_string())));
    let mut bridge = Bridge::new();
    for (toolset, dialect) in TOOLSETS {
        let tools = tools(&mut bridge, &json!({"op": "tool.list", "toolset": toolset, "dialect": dialect}));
        rows.push((format!("tools {}", dialect.unwrap_or(toolset)), counter.count(&tools)));
    }
    rows
}

/// Tokens of each toolset in the form of each provider, in the order of [`Provider::ALL`].
///
/// # Panics
///
/// Where the bridge lists no tools.
pub fn counts_by_provider(counter: &Counter) -> Vec<(&'static str, Vec<usize>)> {
    let mut bridge = Bridge::new();
    let mut row = |toolset, dialect: Option<&'static str>| {
        let counts = Provider::ALL.iter().map(|provider| {
            let request = json!({
                "op": "provider.tools", "provider": provider.name(), "toolset": toolset, "dialect": dialect,
            });
            counter.count(&tools(&mut bridge, &request))
        });
        (dialect.unwrap_or(toolset), counts.collect())
    };
    TOOLSETS.into_iter().map(|(toolset, dialect)| row(toolset, dialect)).collect()
}

fn tools(bridge: &mut Bridge, request: &Value) -> String {
    let reply: Value = serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON");
    reply["result"]["tools"].to_string()
}
