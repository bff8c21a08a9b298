//! The system prompt of the directive tools.

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::{Engine, Policy};
use canvas_tools::{DirectiveTools, DocumentTools, Tools, Toolset};

fn prompt(toolset: impl Toolset<MemoryStore> + 'static) -> String {
    let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    Tools::new(toolset).unwrap().system_prompt(&engine)
}

#[test]
fn the_prompt_states_the_contract() {
    let reported = prompt(DirectiveTools::default());
    let (_, steps) = reported.split_once("Edit in this order").expect("there is an order");
    let order = [
        "document_snapshot, write a unified diff",
        "diff_builder",
        "document_edit with action \"patch\"",
        "document_version of the snapshot",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|words| steps.find(words).unwrap_or_else(|| panic!("{words}: {reported}")))
        .collect();
    assert!(places.is_sorted(), "snapshot, diff, apply: {reported}");
    for words in [
        "STALE_VERSION",
        "fresh document_snapshot",
        "never send the same one again",
        "target_range in characters",
    ] {
        assert!(reported.contains(words), "the prompt is silent on {words}");
    }
    assert!(!reported.contains("lease") && !reported.contains("  ") && reported.len() < 1_600, "{reported}");

    let by_offsets = prompt(DirectiveTools { use_patch_edits: false });
    for absent in ["diff", "patch"] {
        assert!(!by_offsets.contains(absent), "{absent}: {by_offsets}");
    }
    assert!(by_offsets.contains("line_offsets"));
    // Without both tools there is no such order.
    for (missing, there) in [("document_snapshot", false), ("document_edit", false), ("diff_builder", true)] {
        let toolset = DirectiveTools::default();
        let mut specs = toolset.list(&Policy::default());
        specs.retain(|spec| spec.name != missing);
        let lines = Toolset::<MemoryStore>::prompt(&toolset, &specs);
        assert_eq!(lines.join("\n").contains("Edit in this order"), there, "{missing}");
    }
    // Off unless the host takes the toolset.
    assert!(!prompt(DocumentTools::default()).contains("document_edit"));
}
