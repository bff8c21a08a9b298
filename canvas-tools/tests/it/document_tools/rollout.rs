//! The stages of the rollout, as a model meets them.

use canvas_core::Policy;
use canvas_core::refusal::CallRefusal;
use canvas_core::rollout::Rollout;
use canvas_tools::directive::Directive;
use canvas_tools::{DirectiveTools, DocumentTools, ToolCall, Tools};
use serde_json::{Value, json};

use super::world::{World, failure, message, prompt};

const STAGES: [Rollout; 5] =
    [Rollout::Off, Rollout::ReadOnly, Rollout::Write, Rollout::LeaseOptional, Rollout::LeaseEnforced];

fn policy(rollout: Rollout) -> Policy {
    Policy { rollout, ..Policy::default() }
}

fn at(rollout: Rollout) -> World {
    let mut world = World::with("a\nb\n# A\n\n- i\n- j\n\n| x |\n| - |\n| y |\n", policy(rollout));
    world.toolset = DocumentTools::ALL;
    world
}

/// What is listed can be called, and what is not listed is answered with what to do instead.
#[test]
fn listed_is_what_can_be_called() {
    let arguments = |name: &str| match name {
        "canvas_grep" => json!({"query": "a"}),
        "canvas_read_lines" => json!({"start_line": 1, "end_line": 1}),
        "canvas_apply_patch" => json!({"patch": "@@\n-b\n+c\n"}),
        "canvas_read_section" => json!({"path": ["A"]}),
        "canvas_replace_lines" => {
            json!({"start_line": 1, "end_line": 1, "expect_hash": canvas_core::document::RangeHash::of("a\n"), "text": "x"})
        }
        "canvas_move" => json!({"from": {"section": ["A"]}, "shift": 1}),
        "canvas_replace_all" => json!({"find": "b", "with": "c", "revision_id": "REVISION", "count": 1}),
        "canvas_edit_table" => json!({"table": 1, "set": {"row": 1, "column": 1, "value": "c"}}),
        "canvas_set_front_matter" => json!({"key": "k", "value": 1}),
        "canvas_edit_list" => json!({"item": [1], "remove": true}),
        "canvas_rename_heading" => json!({"section": ["A"], "title": "B"}),
        _ => json!({}),
    };
    let all = DocumentTools::ALL.list(&Policy::default());
    for stage in STAGES {
        let listed = DocumentTools::ALL.list(&policy(stage));
        for tool in &all {
            let world = at(stage);
            if stage != Rollout::Off && stage != Rollout::LeaseEnforced {
                assert!(world.tool("canvas_read_all", json!({})).is_ok());
                assert!(world.tool("canvas_grep", json!({"query": "b"})).is_ok());
            }
            let mut arguments = arguments(&tool.name);
            if tool.name == "canvas_replace_all" {
                arguments["revision_id"] = json!(world.revision());
            }
            let reply = world.tool(&tool.name, arguments);
            match listed.iter().find(|other| other.name == tool.name) {
                None => assert_eq!(failure(&reply), "TOOL_DISABLED", "{} at {stage:?}", tool.name),
                Some(tool) => {
                    let required = &tool.parameters["required"];
                    let needs = required.as_array().is_some_and(|names| names.contains(&json!("lease_id")));
                    let code = if needs { "INVALID_ARGUMENTS at \"\"" } else { "OK" };
                    assert_eq!(failure(&reply), code, "{} at {stage:?}: {}", tool.name, reply.body());
                }
            }
        }
        let world = at(stage);
        let unknown = failure(&world.tool("canvas_delete", json!({})));
        assert_eq!(unknown, if listed.is_empty() { "TOOL_DISABLED" } else { "UNKNOWN_TOOL" });
    }
}

#[test]
fn the_lists_of_the_stages() {
    let read = ["canvas_grep", "canvas_read_lines", "canvas_read_all"];
    let lease = ["canvas_check_out", "canvas_renew_lease", "canvas_check_in"];
    let write = ["canvas_apply_patch"];
    for (stage, expected) in [
        (Rollout::Off, vec![]),
        (Rollout::ReadOnly, read.to_vec()),
        (Rollout::Write, [&read[..], &write].concat()),
        (Rollout::LeaseOptional, [&lease[..], &read, &write].concat()),
        (Rollout::LeaseEnforced, [&lease[..], &read, &write].concat()),
    ] {
        let tools = DocumentTools::default().list(&policy(stage));
        assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), expected, "{stage:?}");
        for tool in tools {
            let declares = tool.parameters["properties"].get("lease_id").is_some();
            let takes = stage.has_leases() && tool.name != "canvas_check_out";
            assert_eq!(declares, takes, "{} at {stage:?}", tool.name);
        }
    }
}

/// Where leases are optional their ids are still checked; where there are none they mean nothing.
#[test]
fn a_lease_that_is_named() {
    for (stage, sent, expected) in [
        (Rollout::Write, json!("L0"), "OK"),
        (Rollout::Write, json!(null), "OK"),
        (Rollout::LeaseOptional, json!("L0"), "LOCK_NOT_OWNED"),
        (Rollout::LeaseOptional, json!("lease-9-0"), "LOCK_NOT_OWNED"),
        (Rollout::LeaseOptional, json!(null), "OK"),
        (Rollout::LeaseOptional, json!(1), "INVALID_ARGUMENTS at \"/lease_id\""),
        (Rollout::LeaseEnforced, json!("L0"), "LOCK_NOT_OWNED"),
        (Rollout::LeaseEnforced, json!(null), "INVALID_ARGUMENTS at \"/lease_id\""),
    ] {
        let world = at(stage);
        for name in ["canvas_read_all", "canvas_grep"] {
            let mut arguments = json!({"lease_id": sent});
            if name == "canvas_grep" {
                arguments["query"] = "a".into();
            }
            let reply = world.tool(name, arguments);
            assert_eq!(failure(&reply), expected, "{name} {sent} at {stage:?}");
            assert_eq!(reply.body().get("expires_in_s"), None);
        }
    }
}

#[test]
fn a_closed_tool_says_what_to_do_instead() {
    let disabled = |rollout| CallRefusal::Disabled { rollout };
    for (policy, name, expected) in [
        (policy(Rollout::Off), "canvas_grep", disabled(Rollout::Off)),
        (policy(Rollout::ReadOnly), "canvas_apply_patch", disabled(Rollout::ReadOnly)),
        (policy(Rollout::Write), "canvas_check_out", disabled(Rollout::Write)),
        (Policy { git_mode: true, ..Policy::default() }, "canvas_grep", CallRefusal::GitMode),
    ] {
        let world = World::with("a\n", policy);
        assert_eq!(message(&world.tool(name, json!({}))), expected.to_string());
        assert!(DocumentTools::ALL.list(&policy).iter().all(|tool| tool.name != name));
    }
}

#[test]
fn directives_follow_the_stage() {
    for (stage, snapshot, edit) in [
        (policy(Rollout::Off), "TOOL_DISABLED", "TOOL_DISABLED"),
        (policy(Rollout::ReadOnly), "OK", "TOOL_DISABLED"),
        (policy(Rollout::Write), "OK", "OK"),
        (policy(Rollout::LeaseEnforced), "OK", "OK"),
        (Policy { git_mode: true, ..Policy::default() }, "GIT_MODE_UNSUPPORTED", "GIT_MODE_UNSUPPORTED"),
    ] {
        let world = World::with("a\nb\n", stage);
        let mut session = world.session.clone();
        let mut call = |name: &str, arguments: Value| {
            let call = ToolCall { id: world.fresh_id(), name: name.into(), arguments };
            let tools = Tools::new(DirectiveTools::default()).unwrap();
            let run = tools.call(&world.engine, &mut session, &call, world.now());
            let reply = canvas_core::testing::block_on(run);
            let is_listed = tools.specs(&world.engine).iter().any(|tool| tool.name == name);
            assert_eq!(is_listed, reply.is_ok(), "{name} at {stage:?}");
            reply
        };
        assert_eq!(failure(&call("document_snapshot", json!({}))), snapshot, "{stage:?}");
        assert_eq!(failure(&call("diff_builder", json!({"original": "a\n", "updated": "c\n"}))), snapshot);
        for directive in [
            json!({"action": "insert", "content": "x", "target_range": [0, 0]}),
            json!({"action": "annotate", "content": "x", "target_range": [0, 0]}),
        ] {
            Directive::parse(&directive).unwrap();
            assert_eq!(failure(&call("document_edit", directive)), edit, "{stage:?}");
        }
        assert_eq!(world.text() == "a\nb\n", edit != "OK");
    }
}

#[test]
fn the_prompt_follows_the_stage() {
    let prompt = |stage| prompt(DocumentTools::ALL, policy(stage));
    assert_eq!(prompt(Rollout::Off), "");
    let update = "Messages that begin with \"Canvas update\"";
    for (stage, says, is_silent_on) in [
        (
            Rollout::ReadOnly,
            vec!["locate (canvas_grep)", update],
            vec!["lease_id", "unified diff", "STALE_EPOCH"],
        ),
        (
            Rollout::Write,
            vec!["unified diff", update, "your edits fail"],
            vec!["lease_id", "STALE_EPOCH", "canvas_check_out"],
        ),
        (
            Rollout::LeaseOptional,
            vec!["for an edit of more than one call", "STALE_EPOCH", update],
            vec!["to every canvas tool"],
        ),
        (
            Rollout::LeaseEnforced,
            vec!["to every canvas tool", "STALE_EPOCH", update],
            vec!["for an edit of more than one call"],
        ),
    ] {
        let prompt = prompt(stage);
        for words in says {
            assert!(prompt.contains(words), "{stage:?} is silent on {words}");
        }
        for words in is_silent_on {
            assert!(!prompt.contains(words), "{stage:?} speaks of {words}");
        }
    }
}
