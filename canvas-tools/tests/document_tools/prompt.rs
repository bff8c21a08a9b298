//! What the model is told before it begins.

use canvas_tools::{ToolSpec, document_tools, system_prompt};

#[test]
fn the_prompt_says_what_a_model_must_know() {
    let tools = document_tools();
    let prompt = system_prompt(&tools);
    for tool in &tools {
        assert!(prompt.contains(&tool.name), "{}", tool.name);
    }
    for (what, words) in [
        ("the lease", "lease_id"),
        ("who comes first", "user can edit it too and always comes first"),
        ("to locate", "Always locate before editing"),
        ("not to retype", "Do not retype target text"),
        ("the form of a patch", "unified diff"),
        ("all or nothing", "All hunks apply or none"),
        ("no fuzziness", "no fuzzy matching"),
        ("drift", "Line numbers drift after every edit"),
        ("the base", "base_revision_id"),
        ("interruption", "If the user interrupts, your lease ends and edits fail with STALE_EPOCH"),
        ("hidden messages", "\"Canvas update\""),
    ] {
        assert!(prompt.contains(words), "the prompt is silent on {what}");
    }
    // Four bytes a token is the rule of thumb for English.
    assert!(prompt.len() < 400 * 4 + 200, "{} bytes", prompt.len());
    assert!(!prompt.contains("  ") && !prompt.ends_with('\n'));
}

#[test]
fn the_prompt_speaks_only_of_tools_that_are_enabled() {
    let only = |names: &[&str]| -> Vec<ToolSpec> {
        document_tools().into_iter().filter(|tool| names.contains(&tool.name.as_str())).collect()
    };
    let reading = system_prompt(&only(&["canvas_grep", "canvas_read_lines", "canvas_read_all"]));
    assert!(reading.contains("Tools: canvas_grep, canvas_read_lines, canvas_read_all."));
    for absent in ["canvas_apply_patch", "canvas_check_out", "unified diff", "canvas_check_in"] {
        assert!(!reading.contains(absent), "{absent}");
    }
    assert!(reading.contains("locate"));
    // To locate takes both tools.
    for half in [["canvas_grep"], ["canvas_read_lines"]] {
        assert!(!system_prompt(&only(&half)).contains("locate (canvas_grep)"));
    }
    let writing = system_prompt(&only(&["canvas_apply_patch"]));
    assert!(writing.contains("unified diff") && !writing.contains("canvas_check_out"));
}
