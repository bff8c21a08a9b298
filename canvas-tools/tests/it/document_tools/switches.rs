//! Tools that a host must ask for.

use canvas_core::Policy;
use canvas_tools::{DocumentTools, ToolSpec};
use serde_json::json;

use super::world::{World, failure, message, prompt};

/// Each extension alone, with the name of its tool.
const EACH: [(&str, DocumentTools); 3] = [
    (
        "canvas_outline",
        DocumentTools { outline: true, read_section: false, replace_lines: false, resend: false },
    ),
    (
        "canvas_read_section",
        DocumentTools { outline: false, read_section: true, replace_lines: false, resend: false },
    ),
    (
        "canvas_replace_lines",
        DocumentTools { outline: false, read_section: false, replace_lines: true, resend: false },
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
    for (name, _) in EACH {
        let reply = world.tool(name, json!({}));
        assert_eq!(failure(&reply), "UNKNOWN_TOOL");
        assert_eq!(message(&reply), message(&unknown).replace("canvas_nothing", name));
        assert!(!message(&unknown).contains(name));
    }
}

#[test]
fn each_is_switched_on_by_itself() {
    for (name, toolset) in EACH {
        let tools = toolset.list(&Policy::default());
        assert_eq!(names(&tools), [names(&usual()), vec![name]].concat());
        let mut world = World::new("# a\n");
        world.toolset = toolset;
        for (other, _) in EACH {
            let reply = world.tool(other, json!({"x": 1}));
            let expected = if other == name { "INVALID_ARGUMENTS at \"/x\"" } else { "UNKNOWN_TOOL" };
            assert_eq!(failure(&reply), expected, "{other} under {name}");
            assert!(other == name || message(&reply).contains(name));
        }
    }
}

/// The usual replies are those of the source document, unless lines can be replaced under their hash.
#[test]
fn only_replacing_adds_the_hash_to_the_usual_replies() {
    for (name, toolset) in EACH.into_iter().chain([("none", DocumentTools::default())]) {
        let mut world = World::new("a\nb\n");
        world.toolset = toolset;
        let lease = world.check_out();
        let lines = json!({"lease_id": lease, "start_line": 1, "end_line": 1});
        for reply in [world.tool("canvas_read_lines", lines), world.under(&lease, "canvas_read_all")] {
            assert_eq!(reply.body().get("range_hash").is_some(), toolset.replace_lines, "{name}");
        }
        let found = world.tool("canvas_grep", json!({"lease_id": lease, "query": "a"}));
        assert!(found.is_ok() && found.body().get("range_hash").is_none(), "{name}");
    }
}

#[test]
fn the_prompt_names_the_tools_that_are_on() {
    let usual = prompt(DocumentTools::default(), Policy::default());
    for (name, toolset) in EACH {
        assert!(!usual.contains(name), "{name}");
        let prompt = prompt(toolset, Policy::default());
        // In the list, and in a sentence of its own.
        assert_eq!(prompt.matches(name).count(), 2, "{prompt}");
        assert_eq!(prompt.lines().count(), usual.lines().count() + 1);
        let added = prompt.lines().filter(|line| !usual.contains(line)).count();
        assert_eq!(added, 2, "the list and the sentence: {prompt}");
    }
    assert!(!prompt(DocumentTools::ALL, Policy::default()).contains("  "));
}
