//! The system prompt.

use canvas_core::Policy;
use canvas_core::rollout::Rollout;
use canvas_core::store::MemoryStore;
use canvas_tools::{DocumentTools, Toolset};

use super::world;

#[test]
fn the_prompt_says_what_a_model_must_know() {
    let tools = DocumentTools::default().list(&Policy::default());
    let prompt = world::prompt(DocumentTools::default(), Policy::default());
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
    let read_only = Policy { rollout: Rollout::ReadOnly, ..Policy::default() };
    let reading = world::prompt(DocumentTools::default(), read_only);
    assert!(reading.contains("Tools: canvas_grep, canvas_read_lines, canvas_read_all."));
    for absent in ["canvas_apply_patch", "canvas_check_out", "unified diff", "canvas_check_in"] {
        assert!(!reading.contains(absent), "{absent}");
    }
    assert!(reading.contains("locate"));
    let only = |names: &[&str]| {
        let toolset = DocumentTools::default();
        let mut specs = toolset.list(&Policy::default());
        specs.retain(|spec| names.contains(&spec.name.as_str()));
        Toolset::<MemoryStore>::prompt(&toolset, &specs).join("\n")
    };
    // To locate takes both tools.
    for half in [["canvas_grep"], ["canvas_read_lines"]] {
        assert!(!only(&half).contains("locate (canvas_grep)"));
    }
    let writing = only(&["canvas_apply_patch"]);
    assert!(writing.contains("unified diff") && !writing.contains("canvas_check_out"));
}
