//! The system prompt (specs 000 §11).

use serde_json::Value;

use crate::toolset::board::prompt::{board_lines, is_board_tool};
use crate::toolset::directive::prompt::prompt_lines;
use crate::toolset::spec::ToolSpec;

/// The system prompt for the tools that are enabled: which there are, the lease, how to edit, what interrupts.
///
/// For the seven document tools it stays within 400 tokens of o200k; each extension adds a line. Without tools there is
/// nothing to say.
pub fn system_prompt(tools: &[ToolSpec]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let what = if tools.iter().all(is_board_tool) {
        "You arrange a shared board of components through tools."
    } else {
        "You edit a shared Markdown canvas through tools."
    };
    let mut lines = vec![
        format!("{what} The user can edit it too and always comes first."),
        format!("Tools: {}.", names.join(", ")),
    ];
    let does_without =
        tools.iter().any(|tool| LEASED.contains(&tool.name.as_str()) && !requires(tool, "lease_id"));
    if has("canvas_check_out") && does_without {
        lines.push(
            "Lease: for an edit of more than one call, call canvas_check_out first and pass its lease_id to the other \
             canvas tools; meanwhile nobody else edits. Call canvas_check_in as soon as you are done, before you answer \
             in prose."
                .into(),
        );
    } else if has("canvas_check_out") {
        lines.push(
            "Lease: call canvas_check_out first and pass its lease_id to every canvas tool. A lease is short and \
             renewed by your calls. Call canvas_check_in as soon as you are done, before you answer in prose."
                .into(),
        );
    }
    if has("canvas_grep") && has("canvas_read_lines") {
        lines.push(
            "Work in this order: locate (canvas_grep), inspect (canvas_read_lines), edit. Always locate before \
             editing; read the whole canvas only when you must."
                .into(),
        );
    }
    if has("canvas_outline") {
        lines.push("canvas_outline shows the sections of the canvas; it needs no lease.".into());
    }
    if has("canvas_read_section") {
        lines.push("canvas_read_section reads one section by its heading path; it needs no lease.".into());
    }
    if has("canvas_apply_patch") {
        lines.push(
            "Edit with canvas_apply_patch: one unified diff, hunks in document order, each with 1 to 3 unchanged \
             lines copied exactly as read, so that its old side occurs once in the canvas. All hunks apply or none. \
             There is no fuzzy matching. Do not retype target text beyond the lines of the hunk, never rewrite the \
             whole canvas. Line numbers in hunk headers may be left out."
                .into(),
        );
        lines.push(
            "Line numbers drift after every edit: read again before you rely on them. Each reply names the \
             revision_id; pass it as base_revision_id. When a call fails, do what its message says; never repeat \
             the same patch."
                .into(),
        );
    }
    if has("canvas_replace_lines") {
        lines.push(
            "To rewrite whole lines without quoting them, use canvas_replace_lines: read exactly these lines and \
             pass the reply's range_hash as expect_hash. After a CONTENT_CHANGED look at the lines it shows."
                .into(),
        );
    }
    let told =
        "Messages that begin with \"Canvas update\" tell you how the canvas changed; do not answer them.";
    lines.push(match (has("canvas_apply_patch"), has("canvas_check_out")) {
        (true, true) => format!(
            "If the user interrupts, your lease ends and edits fail with STALE_EPOCH: look at what the user changed, \
             then check out again, or stop if you are told to. {told}"
        ),
        (true, false) => format!("If the user interrupts, your edits fail: stop and wait for the next message. {told}"),
        (false, _) => told.to_owned(),
    });
    lines.extend(prompt_lines(tools));
    lines.extend(board_lines(tools));
    lines.join("\n")
}

/// The tools that a rollout may ask a lease for.
const LEASED: [&str; 5] =
    ["canvas_grep", "canvas_read_lines", "canvas_read_all", "canvas_apply_patch", "canvas_replace_lines"];

fn requires(tool: &ToolSpec, argument: &str) -> bool {
    let required = tool.parameters.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == argument))
}
