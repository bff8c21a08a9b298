//! Tokens, counted by a real tokenizer: the system prompt fits its budget, and the estimate of a board's context is
//! enough.

#![expect(clippy::print_stdout, reason = "the counts are the result")]

use canvas_core::board::{
    Aliases, ByteEstimate, CanvasContext, ComponentCategory, ContextInput, DayPlan, TokenCounter, TypeInfo,
    Workspace, canvas_context, temporal_context,
};
use canvas_core::lease::Timestamp;
use canvas_core::{Engine, MemoryStore, Policy};
use canvas_tools::{DocumentTools, Tools};
use serde_json::{Value, json};
use tiktoken_rs::CoreBPE;

/// Tokens that the prompt may have (o200k).
const BUDGET: usize = 400;

#[test]
fn the_system_prompt_stays_within_its_budget() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    let prompt = Tools::new(vec![Box::new(DocumentTools::default())])?.system_prompt(&engine);
    let tokens = tiktoken_rs::o200k_base()?.encode_ordinary(&prompt).len();
    println!("system prompt: {tokens} of {BUDGET} tokens");
    assert!(tokens <= BUDGET, "{tokens} tokens:\n{prompt}");
    Ok(())
}

struct Exact(CoreBPE);

impl TokenCounter for Exact {
    fn count(&self, text: &str) -> u64 {
        self.0.encode_ordinary(text).len() as u64
    }
}

/// Components that show real things, with ids as a host draws them.
fn workspace(title: &str) -> Workspace {
    let grid = json!({"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 80});
    let component = |at: u64| {
        let id = drawn(at);
        let state = match at % 4 {
            0 => json!({"status": "idle"}),
            1 => json!({
                "status": "error", "attemptedAt": 1,
                "error": {"code": "RATE_LIMITED", "message": title, "source": "mock-github", "retryable": true}
            }),
            _ => json!({
                "status": "ready", "fetchedAt": 1,
                "data": {"items": [{"number": at, "title": title, "state": "open"}, {"number": 7, "title": title}]}
            }),
        };
        json!({
            "id": id, "typeId": "github.pr-list", "position": {"col": at % 2 * 6, "row": at / 2 * 2},
            "size": {"cols": 6, "rows": 2}, "config": {"repo": "acme/app", "state": "open", "limit": 10},
            "dataBinding": null, "dataState": state,
            "meta": {"createdAt": 1, "createdBy": "assistant", "pinned": false, "label": title}
        })
    };
    let components: Vec<Value> = (0..20).map(component).collect();
    serde_json::from_value(json!({
        "id": "ws_1", "name": "Work", "canvas": {"grid": grid, "components": components}, "threadId": "t", "views": [],
        "triggers": [], "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "dark", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "off"
        }
    }))
    .expect("the JSON of a workspace")
}

/// An id without a pattern, which costs many tokens.
fn drawn(at: u64) -> String {
    let mixed = (at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    format!("cmp_{mixed:016x}")
}

#[test]
fn the_estimate_is_enough_and_an_exact_count_tells_more() -> Result<(), Box<dyn std::error::Error>> {
    let exact = Exact(tiktoken_rs::o200k_base()?);
    let types = |_: &_| {
        Some(TypeInfo {
            name: "PR List",
            category: ComponentCategory::Data,
            actions: vec!["open", "refresh"],
        })
    };
    let temporal =
        temporal_context(Timestamp::from_millis(1_800_000_000_000), "Europe/Berlin", &DayPlan::default())?;
    let count = |context: &CanvasContext| exact.count(&serde_json::to_string(context).expect("it is JSON"));
    let reported = |context: &CanvasContext| -> usize {
        context.components.iter().map(|one| one.summary.len() + one.highlights.concat().len()).sum()
    };
    for title in [
        "Mend the login, which fails for new users",
        "ログインの修正",
        "x9-QQ#41~~/\\\"{}[]",
        "\u{1F600}\u{1F680}",
    ] {
        let workspace = workspace(title);
        let input = ContextInput::new(&temporal);
        let mut aliases = Aliases::default();
        aliases.learn(&workspace.canvas);
        let short = ContextInput { aliases: Some(&aliases), ..input };

        let estimated = canvas_context(&workspace, &input, types, &ByteEstimate)?;
        assert!(count(&estimated) <= estimated.budget.used_tokens, "{title}");
        let counted = canvas_context(&workspace, &input, types, &exact)?;
        assert!(
            count(&counted) <= counted.budget.used_tokens && counted.budget.used_tokens <= 4_000,
            "{title}"
        );
        assert!(reported(&counted) >= reported(&estimated), "{title}");
        let aliased = canvas_context(&workspace, &short, types, &exact)?;
        assert!(reported(&aliased) >= reported(&counted), "{title}");
        println!(
            "{title}: estimate {} for {} tokens, {} bytes reported; exact {} tokens, {} bytes; with aliases {} tokens, {} bytes",
            estimated.budget.used_tokens,
            count(&estimated),
            reported(&estimated),
            counted.budget.used_tokens,
            reported(&counted),
            aliased.budget.used_tokens,
            reported(&aliased),
        );
    }
    Ok(())
}
