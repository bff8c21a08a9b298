//! The outline of a snapshot, which is brought up to date from edit to edit.

use std::num::NonZeroU32;

use canvas_core::document::{ApplyPatch, Read};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::CheckIn;
use canvas_core::testing::block_on;
use canvas_core::text::{build, outline};
use canvas_core::{Author, Snapshot};
use proptest::prelude::*;

use super::world::World;

fn snapshot(world: &World) -> Snapshot {
    block_on(world.engine.snapshot(&world.canvas, world.now())).expect("the canvas is there")
}

/// Long enough to be read in parts.
fn document() -> String {
    let section =
        |n: usize| format!("# Section {n}\n\n{}\n- item\n- item\n\n", "some words of it. ".repeat(15));
    (0..20).map(section).collect()
}

#[derive(Debug, Clone, Copy)]
enum By {
    User,
    Model,
    OtherServer,
    Undo,
}

#[derive(Debug, Clone)]
struct Step {
    by: By,
    /// Lines that are replaced, as parts of all lines, and what by.
    lines: Vec<(prop::sample::Index, &'static str)>,
    looks: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let by = prop::sample::select(vec![By::User, By::Model, By::OtherServer, By::Undo]);
    let line =
        prop::sample::select(vec!["# New", "## Inner", "words", "", "```", "---", "> # Quoted", "- # Item"]);
    let lines = prop::collection::vec((any::<prop::sample::Index>(), line), 1..4);
    (by, lines, any::<bool>()).prop_map(|(by, lines, looks)| Step { by, lines, looks })
}

impl Step {
    fn take(&self, world: &World) {
        let before = world.text();
        let mut lines: Vec<&str> = before.split_inclusive('\n').collect();
        let new: Vec<String> = self.lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        for ((at, _), line) in self.lines.iter().zip(&new) {
            let at = at.index(lines.len());
            lines[at] = line;
        }
        let after = lines.concat();
        match self.by {
            By::User => drop(world.edit(&after)),
            By::OtherServer => drop(world.peer().edit(&after)),
            By::Model => {
                let lease = Some(world.check_out("model"));
                world.ask("model", Read::new(lease));
                world.ask(
                    "model",
                    ApplyPatch {
                        lease,
                        patch: build(&before, &after, 3),
                        base: None,
                        scope: None,
                        shown: None,
                    },
                );
                world.ask("model", CheckIn { lease });
            }
            By::Undo => {
                let what = UndoScope::Steps(NonZeroU32::MIN);
                world.ask("user", Undo { by: Author::User, what });
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_has_the_outline_of_its_text(steps in prop::collection::vec(step(), 1..12)) {
        let world = World::new(&document());
        let mut held = Vec::new();
        for step in &steps {
            step.take(&world);
            let snapshot = snapshot(&world);
            if step.looks {
                prop_assert_eq!(snapshot.outline(), &outline(snapshot.text()));
            }
            held.push(snapshot);
        }
        for snapshot in held {
            prop_assert_eq!(snapshot.outline(), &outline(snapshot.text()));
        }
    }
}

#[test]
fn snapshots_of_one_revision_share_an_outline() {
    let world = World::new(&document());
    let first = snapshot(&world);
    assert!(std::ptr::eq(first.outline(), snapshot(&world).outline()));
    world.check_out("model");
    assert!(std::ptr::eq(first.outline(), snapshot(&world).outline()), "the lease is no part of the text");
    world.edit("# Other\n");
    assert_eq!(snapshot(&world).outline().sections().len(), 1);
    assert_eq!(first.outline().sections().len(), 20);
}
