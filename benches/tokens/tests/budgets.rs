//! Tokens, counted by a real tokenizer: prompt, tools and replies fit their budgets, and the estimate of a board's context
//! is near.

#![expect(clippy::print_stdout, reason = "the counts are the result")]

use canvas_core::board::{
    Aliases, CanvasContext, ComponentCategory, ContextInput, DayPlan, PieceEstimate, TokenCounter, TypeId,
    TypeInfo, Workspace, canvas_context, temporal_context,
};
use canvas_core::lease::Timestamp;
use canvas_tokens::before::before;
use canvas_tokens::play::{HIDDEN, play};
use canvas_tokens::{Counter, script, structure, tools};
use serde_json::{Value, json};
use tiktoken_rs::CoreBPE;

/// Tokens that the prompt of the document tools may have, with their list.
const BUDGET: usize = 1_000;
/// Tokens that the six tools which edit the structure may have together.
const STRUCTURE: usize = 700;

#[test]
fn prompt_and_tools_of_the_document_stay_within_their_budget() {
    let rows = tools::counts(&Counter::o200k());
    let tokens = |name: &str| rows.iter().find(|(known, _)| known == name).expect("it is counted").1;
    let (prompt, tools) = (tokens("prompt document"), tokens("tools document"));
    println!("prompt {prompt} and tools {tools} of {BUDGET} tokens");
    assert!(prompt <= 400 && prompt + tools <= BUDGET);
    let structure = tokens("tools structure");
    println!("tools that edit the structure {structure} of {STRUCTURE} tokens");
    assert!(structure <= STRUCTURE);
}

/// What a model need not retype: no edit costs more by its tool, and the long ones a twentieth.
#[test]
fn edits_of_the_structure_are_short() {
    let compared = structure::compare(&Counter::o200k());
    assert_eq!(compared.len(), 10);
    for structure::Compared { task, patch, tool } in &compared {
        println!(
            "{task}: typed {} instead of {}, read {} instead of {}",
            tool.typed, patch.typed, tool.read, patch.read
        );
        assert!(tool.typed + tool.read <= patch.typed + patch.read, "{task}");
    }
    let [typed, by_tool] =
        [0, 1].map(|at| compared.iter().map(|one| [one.patch.typed, one.tool.typed][at]).sum::<usize>());
    assert!(20 * by_tool <= typed, "{by_tool} of {typed}");
}

/// The replies of the tasks have at most 70 % of the tokens that they had.
#[test]
fn replies_of_the_tasks_stay_short() {
    let Some(tasks) = script::tasks() else {
        println!("SKIPPED: no corpus; set CANVAS_DATA");
        return;
    };
    let counts = play(&tasks, &Counter::o200k());
    let now: usize = counts.iter().filter(|(name, _)| *name != HIDDEN).map(|(_, kind)| kind.total()).sum();
    let before = before("all replies").expect("it was counted");
    println!("{now} tokens, {before} before");
    assert!(10 * now <= 7 * before);
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

fn types(_: &TypeId) -> Option<TypeInfo<'static>> {
    Some(TypeInfo { name: "PR List", category: ComponentCategory::Data, actions: vec!["open", "refresh"] })
}

/// An id without a pattern, which costs many tokens.
fn drawn(at: u64) -> String {
    let mixed = (at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    format!("cmp_{mixed:016x}")
}

#[test]
fn an_exact_count_keeps_the_budget_and_aliases_tell_more() -> Result<(), Box<dyn std::error::Error>> {
    let exact = Exact(tiktoken_rs::o200k_base()?);
    let temporal =
        temporal_context(Timestamp::from_millis(1_800_000_000_000), "Europe/Berlin", &DayPlan::default())?;
    let count = |context: &CanvasContext| exact.count(&serde_json::to_string(context).expect("it is JSON"));
    let reported = |context: &CanvasContext| -> usize {
        context.components.iter().map(|one| one.summary.len() + one.highlights.concat().len()).sum()
    };
    for title in TITLES {
        let workspace = workspace(title);
        let input = ContextInput::new(&temporal);
        let mut aliases = Aliases::default();
        aliases.learn(&workspace.canvas);
        let short = ContextInput { aliases: Some(&aliases), ..input };

        let estimated = canvas_context(&workspace, &input, types, &PieceEstimate)?;
        let counted = canvas_context(&workspace, &input, types, &exact)?;
        assert!(
            count(&counted) <= counted.budget.used_tokens && counted.budget.used_tokens <= 4_000,
            "{title}"
        );
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

/// Titles in several scripts, and one without words.
const TITLES: [&str; 7] = [
    "Mend the login, which fails for new users",
    "Die Anmeldung neuer Benutzer schlägt fehl",
    "Исправить вход для новых пользователей",
    "feat(core): bump serde from 1.0.1 to 1.0.228",
    "x9-QQ#41~~/\\\"{}[]",
    "ログインの修正",
    "\u{1F600}\u{1F680}",
];

/// Whether a count differs from another by no more than a tenth.
fn is_near(estimate: u64, exact: u64) -> bool {
    estimate.abs_diff(exact) * 10 <= exact
}

#[test]
fn the_estimate_of_a_board_is_within_a_tenth() -> Result<(), Box<dyn std::error::Error>> {
    let exact = Exact(tiktoken_rs::o200k_base()?);
    let temporal =
        temporal_context(Timestamp::from_millis(1_800_000_000_000), "Europe/Berlin", &DayPlan::default())?;
    let (mut least, mut most) = (100, 100);
    for title in TITLES {
        for components in [0, 1, 5, 20] {
            let mut workspace = workspace(title);
            workspace.canvas.components.truncate(components);
            let mut aliases = Aliases::default();
            aliases.learn(&workspace.canvas);
            let long = ContextInput::new(&temporal);
            let short = ContextInput { max_tokens: 500, ..long };
            for input in [long, short, ContextInput { aliases: Some(&aliases), ..long }] {
                let Ok(context) = canvas_context(&workspace, &input, types, &PieceEstimate) else { continue };
                let (used, counted) =
                    (context.budget.used_tokens, exact.count(&serde_json::to_string(&context)?));
                assert!(is_near(used, counted), "{components} of {title}: {used} for {counted} tokens");
                (least, most) = (least.min(100 * used / counted), most.max(100 * used / counted));
            }
        }
    }
    println!("estimates are {least} to {most} % of the tokens");
    Ok(())
}
