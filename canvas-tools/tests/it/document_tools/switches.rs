//! Tools that a host must ask for.

use canvas_core::Policy;
use canvas_tools::{DocumentTools, ToolSpec};
use serde_json::json;

use super::world::{World, failure, message, prompt};

const NONE: DocumentTools = DocumentTools {
    outline: false,
    read_section: false,
    replace_lines: false,
    resend: false,
    structure: false,
    history: false,
};

/// Each extension alone, with the names of its tools.
const EACH: [(&[&str], DocumentTools); 5] = [
    (&["canvas_outline"], DocumentTools { outline: true, ..NONE }),
    (&["canvas_read_section"], DocumentTools { read_section: true, ..NONE }),
    (&["canvas_history"], DocumentTools { history: true, ..NONE }),
    (&["canvas_replace_lines"], DocumentTools { replace_lines: true, ..NONE }),
    (
        &[
            "canvas_move",
            "canvas_replace_all",
            "canvas_edit_table",
            "canvas_set_front_matter",
            "canvas_edit_list",
            "canvas_rename_heading",
        ],
        DocumentTools { structure: true, ..NONE },
    ),
];

fn names(tools: &[ToolSpec]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn usual() -> Vec<ToolSpec> {
    DocumentTools::default().list(&Policy::default())
}

#[test]
fn they_are_off_by_default() {
    assert_eq!(usual().len(), 7);
    let world = World::new("# a\n");
    let unknown = world.tool("canvas_nothing", json!({}));
    for name in EACH.iter().flat_map(|(names, _)| *names) {
        let reply = world.tool(name, json!({}));
        assert_eq!(failure(&reply), "UNKNOWN_TOOL");
        assert_eq!(message(&reply), message(&unknown).replace("canvas_nothing", name));
        assert!(!message(&unknown).contains(name));
    }
}

#[test]
fn each_is_switched_on_by_itself() {
    for (own, toolset) in EACH {
        let tools = toolset.list(&Policy::default());
        assert_eq!(names(&tools), [names(&usual()), own.to_vec()].concat());
        let mut world = World::new("# a\n");
        world.toolset = toolset;
        for other in EACH.iter().flat_map(|(names, _)| *names) {
            let reply = world.tool(other, json!({"x": 1}));
            let is_own = own.contains(other);
            let expected = if is_own { "INVALID_ARGUMENTS at \"/x\"" } else { "UNKNOWN_TOOL" };
            assert_eq!(failure(&reply), expected, "{other} under {own:?}");
            assert!(is_own || own.iter().all(|own| message(&reply).contains(own)));
        }
    }
}

/// The usual replies are those of the source document, unless lines can be replaced under their hash.
#[test]
fn only_replacing_adds_the_hash_to_the_usual_replies() {
    for (names, toolset) in EACH.into_iter().chain([(&[] as &[&str], DocumentTools::default())]) {
        let mut world = World::new("a\nb\n");
        world.toolset = toolset;
        let lease = world.check_out();
        let lines = json!({"lease_id": lease, "start_line": 1, "end_line": 1});
        for reply in [world.tool("canvas_read_lines", lines), world.under(&lease, "canvas_read_all")] {
            assert_eq!(reply.body().get("range_hash").is_some(), toolset.replace_lines, "{names:?}");
        }
        let found = world.tool("canvas_grep", json!({"lease_id": lease, "query": "a"}));
        assert!(found.is_ok() && found.body().get("range_hash").is_none(), "{names:?}");
    }
}

#[test]
fn the_prompt_names_the_tools_that_are_on() {
    let usual = prompt(DocumentTools::default(), Policy::default());
    for (names, toolset) in EACH {
        let prompt = prompt(toolset, Policy::default());
        for name in names {
            assert!(!usual.contains(name), "{name}");
            // In the list, and in a sentence of its own.
            assert_eq!(prompt.matches(name).count(), 2, "{prompt}");
        }
        assert_eq!(prompt.lines().count(), usual.lines().count() + 1);
        let added = prompt.lines().filter(|line| !usual.contains(line)).count();
        assert_eq!(added, 2, "the list and the sentence: {prompt}");
    }
    assert!(!prompt(DocumentTools::ALL, Policy::default()).contains("  "));
}
