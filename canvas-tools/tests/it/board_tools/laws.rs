//! Laws of all calls: nothing panics, what fails changes nothing, retries answer the same, corrections are done.

use canvas_core::board::strategies::{CommandSeed, command_seeds, workspaces};
use canvas_core::board::{Board, CanvasCommand, Workspace};
use canvas_tools::BoardTools;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::World;

/// The call that means a command, where there is one.
fn call_of(command: &CanvasCommand) -> Option<(&'static str, Value)> {
    let operations = |command: &CanvasCommand| match command {
        CanvasCommand::Move(one) => Some(json!({"component_id": one.component_id, "position": one.position})),
        CanvasCommand::Resize(one) => Some(json!({"component_id": one.component_id, "size": one.size})),
        _ => None,
    };
    Some(match command {
        CanvasCommand::Create(one) => {
            let mut arguments = json!({"type_id": one.type_id, "config": one.config});
            if let Some(position) = one.position {
                arguments["position"] = json!(position);
            }
            if let Some(size) = one.size {
                arguments["size"] = json!(size);
            }
            ("create_component", arguments)
        }
        CanvasCommand::Update(one) => {
            ("modify_component", json!({"component_id": one.component_id, "config_updates": one.config}))
        }
        CanvasCommand::Remove(one) => ("remove_component", json!({"component_id": one.component_id})),
        CanvasCommand::Move(_) | CanvasCommand::Resize(_) => {
            ("arrange_canvas", json!({"operations": [operations(command)?]}))
        }
        CanvasCommand::SaveView(one) => {
            ("save_view", json!({"name": one.name, "description": one.description}))
        }
        CanvasCommand::LoadView(one) => ("load_view", json!({"view_id": one.view_id})),
        CanvasCommand::DeleteView(one) => ("delete_view", json!({"view_id": one.view_id})),
        CanvasCommand::Clear(one) => ("clear_canvas", json!({"preserve_pinned": one.preserve_pinned})),
        CanvasCommand::Batch(batch) => {
            // An arrangement where all of it is one, otherwise a plan.
            let all: Option<Vec<Value>> = batch.commands.iter().map(operations).collect();
            match all {
                Some(all) => ("arrange_canvas", json!({"operations": all})),
                None => {
                    let calls = batch.commands.iter().filter_map(call_of);
                    let calls = calls.map(|(name, arguments)| json!({"name": name, "arguments": arguments}));
                    ("plan_canvas", json!({"commands": calls.collect::<Vec<_>>()}))
                }
            }
        }
        // Models have no tool for settings and triggers.
        _ => return None,
    })
}

/// Undo and redo come between, as often as they are likely to find something.
fn call_for(number: usize, seed: &CommandSeed, board: &Board) -> Option<(&'static str, Value)> {
    match number % 7 {
        5 => Some(("undo", json!({"steps": 1 + number % 4}))),
        6 => Some(("redo", json!({"steps": 1 + number % 3}))),
        _ => call_of(&seed.command(board)),
    }
}

fn world(workspace: Workspace) -> World {
    let mut world = World::of(workspace);
    world.toolset = BoardTools::ALL;
    world
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_are_done_whole_or_change_nothing(workspace in workspaces(), seeds in command_seeds(14)) {
        let mut world = world(workspace);
        for (number, seed) in seeds.iter().enumerate() {
            let before = world.board();
            let Some((name, arguments)) = call_for(number, seed, &Board::new(before.clone()).unwrap()) else { continue };
            let (revision, call) = (world.revision(), world.fresh_id());
            let answer = world.host_again(&call, name, arguments.clone());
            let reply = answer.clone();
            if !reply.is_ok() || name == "plan_canvas" {
                prop_assert_eq!((world.board(), world.revision()), (before.clone(), revision));
                prop_assert!(answer.board().events.is_empty() && answer.board().fetch.is_empty());
            }
            let after = (world.board(), world.revision());
            prop_assert_eq!(&world.host_again(&call, name, arguments.clone()), &answer);
            prop_assert_eq!((world.board(), world.revision()), after);
            if reply.body().pointer("/error/corrected_call").is_some() {
                let done = world.corrected(&reply);
                prop_assert!(done.is_ok(), "{} after {}", done.body(), reply.body());
            }
            if name == "plan_canvas" && reply.is_ok() {
                let planned = world.host("commit_plan", json!({"plan_id": reply.body()["plan_id"]}));
                prop_assert!(planned.is_ok(), "{}", planned.body());
            }
        }
    }

    #[test]
    fn arguments_of_any_shape_are_answered(
        workspace in workspaces(),
        name in prop::sample::select(&NAMES[..]),
        arguments in json_near(),
    ) {
        let mut world = world(workspace);
        let (before, revision) = (world.board(), world.revision());
        let reply = world.host(name, arguments);
        if !reply.is_ok() {
            prop_assert_eq!((world.board(), world.revision()), (before, revision));
        }
    }
}

const NAMES: [&str; 14] = [
    "create_component",
    "modify_component",
    "arrange_canvas",
    "remove_component",
    "refresh_component",
    "undo",
    "redo",
    "save_view",
    "load_view",
    "plan_canvas",
    "commit_plan",
    "delete_view",
    "clear_canvas",
    "label_component",
];

/// JSON that has the names and values of arguments in it more often than chance would put them there.
fn json_near() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3_i64..20).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(&["cmp_0", "cmp_1", "github.pr-list", "$0", "o/r", "stars"][..])
            .prop_map(Value::from),
        prop::sample::select(&NAMES[..]).prop_map(Value::from),
    ];
    let field = prop::sample::select(
        &[
            "component_id",
            "type_id",
            "config",
            "position",
            "size",
            "col",
            "row",
            "cols",
            "rows",
            "steps",
            "operations",
            "config_updates",
            "name",
            "view_id",
            "commands",
            "arguments",
            "plan_id",
            "repo",
            "label",
            "x",
        ][..],
    );
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => prop::collection::btree_map(field.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}
