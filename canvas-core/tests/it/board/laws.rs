//! Laws over random boards and commands.

use std::borrow::Cow;
use std::collections::BTreeSet;

use canvas_core::Role;
use canvas_core::board::strategies::{CommandSeed, command_seeds, workspaces};
use canvas_core::board::{
    Board, BoardResult, Bounds, CanvasCommand, CommandResult, ComponentId, GridPolicy, PlacementReason,
    Workspace,
};
use proptest::prelude::*;

use super::world::{World, anew, spread};

fn policies() -> impl Strategy<Value = GridPolicy> {
    prop_oneof![Just(GridPolicy::Grow), Just(GridPolicy::Reject), Just(GridPolicy::BestEffort)]
}

fn actor(number: usize) -> Role {
    if number.is_multiple_of(3) { Role::User } else { Role::Assistant }
}

/// As JSON, which is the same from the board itself.
fn bytes(board: &Board) -> String {
    let json = serde_json::to_string(&board.workspace(|_| Default::default())).unwrap();
    let written = serde_json::to_string(&board.workspace_json(|_| Cow::Owned(Default::default()))).unwrap();
    assert_eq!(written, json);
    json
}

/// The pairs that share a cell.
fn overlaps(workspace: &Workspace) -> BTreeSet<(ComponentId, ComponentId)> {
    let all = &workspace.canvas.components;
    let mut pairs = BTreeSet::new();
    for (at, one) in all.iter().enumerate() {
        for two in &all[at + 1..] {
            if one.bounds().overlaps(two.bounds()) {
                pairs.insert((one.id.clone(), two.id.clone()));
            }
        }
    }
    pairs
}

/// Views that a trigger names, and triggers that a view lists, which are not there.
fn dangling(workspace: &Workspace) -> Vec<String> {
    let Workspace { views, triggers, .. } = workspace;
    let named = triggers.iter().filter_map(|trigger| trigger.view_id.as_ref());
    let named = named.filter(|id| views.iter().all(|view| view.id != **id)).map(ToString::to_string);
    let listed = views.iter().flat_map(|view| &view.trigger_ids);
    let listed =
        listed.filter(|id| triggers.iter().all(|trigger| trigger.id != **id)).map(ToString::to_string);
    named.chain(listed).collect()
}

fn results(result: &BoardResult) -> Vec<&CommandResult> {
    match result {
        BoardResult::One(result) => vec![result],
        BoardResult::Batch(batch) => batch.results.iter().collect(),
    }
}

fn is_best_effort(result: &BoardResult) -> bool {
    results(result).into_iter().any(|result| {
        result.placement.as_ref().is_some_and(|placement| placement.reason == PlacementReason::BestEffort)
            || result.warnings.iter().any(|warning| warning.contains("no room"))
    })
}

/// Commands that are meant to touch pinned ones: all but shifting, clearing and loading.
fn named(command: &CanvasCommand, into: &mut BTreeSet<ComponentId>) {
    match command {
        CanvasCommand::Move(one) => {
            into.insert(one.component_id.clone());
        }
        CanvasCommand::Resize(one) => {
            into.insert(one.component_id.clone());
        }
        CanvasCommand::Remove(one) => {
            into.insert(one.component_id.clone());
        }
        // What is loosened may be moved.
        CanvasCommand::Update(one) => {
            into.insert(one.component_id.clone());
        }
        CanvasCommand::Batch(batch) => batch.commands.iter().for_each(|command| named(command, into)),
        _ => {}
    }
}

fn is_total_clear(command: &CanvasCommand) -> bool {
    match command {
        CanvasCommand::Clear(clear) => !clear.preserve_pinned,
        CanvasCommand::Batch(batch) => batch.commands.iter().any(is_total_clear),
        _ => false,
    }
}

/// Checks one command on a world against every law that speaks of one command.
fn check_one(world: &mut World, seed: &CommandSeed, by: Role) -> Result<(), TestCaseError> {
    let command = seed.command(&world.board);
    let (before, board_before) = (world.workspace(), world.board.clone());
    let history_before = serde_json::to_string(&world.history.state()).unwrap();
    let executed = world.run(&command, by);
    let after = world.workspace();
    let Some(change) = &executed.change else {
        prop_assert_eq!(&after, &before, "nothing was changed by {:?}", command);
        prop_assert_eq!(&world.board, &board_before);
        prop_assert!(executed.events.is_empty());
        prop_assert_eq!(serde_json::to_string(&world.history.state()).unwrap(), history_before);
        return Ok(());
    };
    prop_assert_eq!(spread(&world.board), anew(&world.board), "{:?}", command);
    prop_assert_eq!(dangling(&after), [""; 0], "{:?}", command);
    prop_assert!(executed.result.is_success());
    prop_assert!(!change.patch.is_empty() && !executed.events.is_empty());

    // Taken back and done again, it is what it was, byte for byte.
    let mut walked = world.board.clone();
    walked.apply(&change.patch.inverse()).unwrap();
    prop_assert_eq!(bytes(&walked), bytes(&board_before));
    prop_assert_eq!(&walked, &board_before);
    walked.apply(&change.patch).unwrap();
    prop_assert_eq!(&walked, &world.board);

    // A patch is JSON, and comes back as it was.
    let json = serde_json::to_string(&change).unwrap();
    prop_assert_eq!(&serde_json::from_str::<canvas_core::board::BoardChange>(&json).unwrap(), change);

    // No overlap comes that was not there, unless best effort said so.
    if !is_best_effort(&executed.result) {
        let new: Vec<_> = overlaps(&after).difference(&overlaps(&before)).cloned().collect();
        prop_assert!(new.is_empty(), "{:?} made {:?}", command, new);
    }
    // Pinned ones stay, unless the command named them.
    let mut may = BTreeSet::new();
    named(&command, &mut may);
    if !is_total_clear(&command) {
        for pinned in before.canvas.components.iter().filter(|one| one.meta.pinned && !may.contains(&one.id))
        {
            let bounds: Option<Bounds> = world.board.bounds(&pinned.id);
            prop_assert_eq!(bounds, Some(pinned.bounds()), "{:?} by {:?}", pinned.id, command);
        }
    }
    // What is affected is what differs.
    let differing: BTreeSet<_> = change.patch.component_ids().into_iter().collect();
    let reported: BTreeSet<_> = results(&executed.result)
        .into_iter()
        .flat_map(|result| result.affected_component_ids.clone())
        .collect();
    prop_assert!(differing.is_subset(&reported), "{:?} is more than {:?}", differing, reported);
    Ok(())
}

proptest! {
    #[test]
    fn a_command_and_its_way_back(
        workspace in workspaces(), policy in policies(), seeds in command_seeds(30),
    ) {
        let mut world = World::of(workspace, policy);
        for (number, seed) in seeds.iter().enumerate() {
            check_one(&mut world, seed, actor(number))?;
        }
    }

    #[test]
    fn undo_all_then_redo_all(workspace in workspaces(), policy in policies(), seeds in command_seeds(40)) {
        let mut world = World::of(workspace, policy);
        let mut states = vec![world.board.clone()];
        for (number, seed) in seeds.iter().enumerate() {
            let command = seed.command(&world.board);
            if world.run(&command, actor(number)).change.is_some() {
                states.push(world.board.clone());
            }
        }
        let last = states.len() - 1;
        for state in states[..last].iter().rev() {
            world.history.undo(&mut world.board).unwrap();
            prop_assert_eq!(&world.board, state);
        }
        prop_assert!(world.history.undo(&mut world.board).is_err());
        for state in &states[1..] {
            world.history.redo(&mut world.board).unwrap();
            prop_assert_eq!(&world.board, state);
        }
        prop_assert!(world.history.redo(&mut world.board).is_err());
    }

    /// As if one author had never been there, or nothing is changed.
    #[test]
    fn undo_by_author(workspace in workspaces(), policy in policies(), seeds in command_seeds(25)) {
        let mut world = World::of(workspace, policy);
        let mut alone = world.board.clone();
        for (number, seed) in seeds.iter().enumerate() {
            let command = seed.command(&world.board);
            world.run(&command, actor(number));
        }
        let before = world.board.clone();
        let changes: Vec<_> = world.history.changes().cloned().collect();
        let (kept, gone): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.source == Role::User);
        let undone = world.revert_author(Role::Assistant);
        if let Ok((done, _)) = undone {
            prop_assert_eq!(done, gone.len());
            for change in kept {
                alone.apply(&change.patch).unwrap();
            }
            let (undone, alone) = (world.workspace(), alone.workspace(|_| Default::default()));
            prop_assert_eq!(undone.canvas, alone.canvas);
            prop_assert_eq!((undone.views, undone.triggers), (alone.views, alone.triggers));
            prop_assert_eq!(undone.settings, alone.settings);
            prop_assert_eq!(dangling(&world.workspace()), [""; 0]);
        } else {
            prop_assert_eq!(&world.board, &before);
        }
    }

    /// One change from under later ones: gone without a trace, or nothing is changed.
    #[test]
    fn undo_one(
        workspace in workspaces(), policy in policies(), seeds in command_seeds(25),
        pick in any::<prop::sample::Index>(),
    ) {
        let mut world = World::of(workspace, policy);
        let mut alone = world.board.clone();
        for (number, seed) in seeds.iter().enumerate() {
            let command = seed.command(&world.board);
            world.run(&command, actor(number));
        }
        let (before, ids) = (world.board.clone(), overlaps(&world.workspace()));
        let changes: Vec<_> = world.history.changes().cloned().collect();
        prop_assume!(!changes.is_empty());
        let chosen = &changes[pick.index(changes.len())];
        if world.revert(&chosen.id).is_ok() {
            for change in changes.iter().filter(|change| change.id != chosen.id) {
                alone.apply(&change.patch).unwrap();
            }
            let (undone, alone) = (world.workspace(), alone.workspace(|_| Default::default()));
            prop_assert_eq!(&undone.canvas, &alone.canvas);
            prop_assert_eq!((&undone.views, &undone.triggers), (&alone.views, &alone.triggers));
            prop_assert_eq!(&undone.settings, &alone.settings);
            prop_assert_eq!(dangling(&undone), [""; 0]);
            // It may come back to where others covered it when it was made, and to no new place under others.
            let touched = chosen.patch.component_ids();
            for (one, two) in overlaps(&world.workspace()).difference(&ids) {
                prop_assert!(touched.contains(one) || touched.contains(two));
            }
        } else {
            prop_assert_eq!(&world.board, &before);
        }
    }

    /// The same commands give the same board, whatever happens between.
    #[test]
    fn the_same_log_gives_the_same_board(
        workspace in workspaces(), policy in policies(), seeds in command_seeds(30),
    ) {
        let (mut one, mut two) = (World::of(workspace.clone(), policy), World::of(workspace, policy));
        for (number, seed) in seeds.iter().enumerate() {
            let command = seed.command(&one.board);
            let first = one.run(&command, actor(number));
            // Places that were searched for and found leave no trace.
            let _ = two.board.clone();
            let second = two.run(&command, actor(number));
            prop_assert_eq!(first, second);
        }
        prop_assert_eq!(bytes(&one.board), bytes(&two.board));
    }
}
