//! What a model is told about directives.

use canvas_tools::{directive_tools, document_tools, system_prompt};

#[test]
fn the_prompt_tells_the_contract() {
    let prompt = system_prompt(&directive_tools(true));
    let (_, steps) = prompt.split_once("Edit in this order").expect("there is an order");
    let order = [
        "document_snapshot, write a unified diff",
        "diff_builder",
        "document_edit with action \"patch\"",
        "document_version of the snapshot",
    ];
    let places: Vec<_> =
        order.iter().map(|words| steps.find(words).unwrap_or_else(|| panic!("{words}: {prompt}"))).collect();
    assert!(places.is_sorted(), "snapshot, diff, apply: {prompt}");
    for words in [
        "STALE_VERSION",
        "fresh document_snapshot",
        "never send the same one again",
        "target_range in characters",
    ] {
        assert!(prompt.contains(words), "the prompt is silent on {words}");
    }
    assert!(!prompt.contains("lease") && !prompt.contains("  ") && prompt.len() < 1_600, "{prompt}");

    let by_offsets = system_prompt(&directive_tools(false));
    for absent in ["diff", "patch"] {
        assert!(!by_offsets.contains(absent), "{absent}: {by_offsets}");
    }
    assert!(by_offsets.contains("line_offsets"));
    // Without both tools there is no such order.
    for (missing, there) in [("document_snapshot", false), ("document_edit", false), ("diff_builder", true)] {
        let tools: Vec<_> = directive_tools(true).into_iter().filter(|tool| tool.name != missing).collect();
        assert_eq!(system_prompt(&tools).contains("Edit in this order"), there, "{missing}");
    }
    // Off unless the host takes the toolset.
    assert!(!system_prompt(&document_tools()).contains("document_edit"));
}
