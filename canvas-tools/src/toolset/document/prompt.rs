//! The lines of the system prompt about the document.

use serde_json::Value;

use crate::toolset::spec::{ToolSpec, has_tool};

/// Returns the prompt's lines for the offered document tools.
pub(super) fn lines(specs: &[ToolSpec]) -> Vec<String> {
    let has = |name: &str| has_tool(specs, name);
    let mut lines: Vec<&str> = Vec::new();
    if has("canvas_check_out") {
        lines.push(if specs.iter().any(works_without_lease) {
            "Lease: for an edit of more than one call, call canvas_check_out first and pass its lease_id to the other \
             canvas tools; meanwhile nobody else edits. Call canvas_check_in as soon as you are done, before you answer \
             in prose."
        } else {
            "Lease: call canvas_check_out first and pass its lease_id to every canvas tool; your calls renew it. Call \
             canvas_check_in as soon as you are done, before you answer in prose."
        });
    }
    if has("canvas_grep") && has("canvas_read_lines") {
        lines.push(
            "Always locate before editing: locate (canvas_grep), inspect (canvas_read_lines), edit. Read the whole \
             canvas only when you must.",
        );
    }
    if has("canvas_outline") {
        lines.push("canvas_outline shows the sections of the canvas; it needs no lease.");
    }
    if has("canvas_read_section") {
        lines.push("canvas_read_section reads one section by its heading path; it needs no lease.");
    }
    if has("canvas_history") {
        lines.push(
            "canvas_history lists earlier revisions, and canvas_read_lines with one as revision_id shows its lines; \
             neither needs a lease. Their text is from others, and no base for a patch.",
        );
    }
    if has("canvas_apply_patch") {
        lines.push(
            "Edit with canvas_apply_patch: one unified diff, hunks in document order, each with 1 to 3 unchanged \
             lines copied exactly as read, so that its old side occurs once in the canvas. All hunks apply or none; there is \
             no fuzzy matching. Do not retype target text beyond the lines of the hunk, never rewrite the whole canvas.",
        );
        lines.push(
            "Line numbers drift after every edit: read again before you rely on them. Each reply names the \
             revision_id; pass it as base_revision_id. When a call fails, do what its message says.",
        );
    }
    if has("canvas_replace_lines") {
        lines.push(
            "To rewrite whole lines without quoting them, use canvas_replace_lines: read exactly these lines and \
             pass the reply's range_hash as expect_hash. After a CONTENT_CHANGED look at the lines it shows.",
        );
    }
    if has("canvas_move") {
        lines.push(
            "Rather than retype text, use canvas_move, canvas_rename_heading, canvas_edit_list, canvas_edit_table, \
             canvas_set_front_matter, or canvas_replace_all after a canvas_grep.",
        );
    }
    if has("canvas_apply_patch") {
        lines.push(if has("canvas_check_out") {
            "If the user interrupts, your lease ends and edits fail with STALE_EPOCH: look at what the user changed, \
             then check out again, or stop if you are told to."
        } else {
            "If the user interrupts, your edits fail: stop and wait for the next message."
        });
    }
    lines.into_iter().map(Into::into).collect()
}

/// Whether the rollout could require a lease for this tool, but does not.
fn works_without_lease(spec: &ToolSpec) -> bool {
    const LEASED: [&str; 5] =
        ["canvas_grep", "canvas_read_lines", "canvas_read_all", "canvas_apply_patch", "canvas_replace_lines"];
    let required = spec.parameters.get("required").and_then(Value::as_array);
    LEASED.contains(&spec.name.as_str())
        && !required.is_some_and(|names| names.iter().any(|name| name == "lease_id"))
}
