//! Restores of several faces. `PROPTEST_CASES` is the number of random histories.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use canvas_core::board::{DataLoadingState, Recorded, UndoEntry};
use canvas_core::document::Edit;
use canvas_core::history::{
    At, ChangeNumber, ChangeSelection, ChangesOf, ClearHistory, HistoryMove, PastFaces, RedoOf, Undo,
    UndoScope,
};
use canvas_core::recipe::RecordRecipe;
use canvas_core::store::Tree;
use canvas_core::testing::block_on;
use canvas_core::version::{NameVersion, RemoveVersion, Restore, Restored, VersionLabel};
use canvas_core::{
    Author, BlobId, CodedError as _, CollectOptions, Command, Face, OpKey, PersonId, Policy, Revision, Role,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::recipe::world::{World, put, recipe_of, recording};

const FACES: [Face; 4] = [Face::Document, Face::Board, Face::Surface, Face::Recipe];

fn label(name: &str) -> VersionLabel {
    VersionLabel::new(name).unwrap()
}

fn anna() -> PersonId {
    PersonId::new("anna").unwrap()
}

/// The files of a face in a tree.
fn files(tree: &Tree, face: Face) -> Vec<(String, BlobId)> {
    let paths: &[&str] = match face {
        Face::Document => &["document.md"],
        Face::Board => &["board.json"],
        Face::Surface => &["descriptor.json", "spec.json", "state/latest.json", "assets"],
        Face::Recipe => &["recipe.json"],
        _ => &[],
    };
    let files = tree.iter().filter(|(path, _)| paths.contains(&path.as_str()));
    files.map(|(path, id)| (path.as_str().to_owned(), id)).collect()
}

/// A canvas with all faces, and a person who acts on it.
struct Desk {
    world: World,
    calls: u32,
}

impl Desk {
    fn new() -> Self {
        Self::with(|_| ())
    }

    fn with(change: impl FnOnce(&mut Policy)) -> Self {
        let world = World::with(3, change);
        let recipe = recipe_of(json!({"id": "s", "tool": "t0"}), &world, &[0], &[]);
        world.record(recipe, &[(0, json!(1))]).unwrap();
        Self { world, calls: 0 }
    }

    fn call<C: Command>(&mut self, command: C) -> Result<C::Done, &'static str> {
        self.calls += 1;
        let key = OpKey::person(anna(), format!("call-{}", self.calls).parse().unwrap());
        let called = self.world.engine.call(&self.world.canvas, &key, command, self.world.now());
        block_on(called).unwrap().result.map_err(|refusal| refusal.code())
    }

    fn tree(&self) -> Tree {
        self.world.head().draft().clone()
    }

    fn recorded(&self) -> Moment {
        let World { engine, canvas, .. } = &self.world;
        let (board, _) = block_on(engine.board(canvas, self.world.now())).unwrap();
        let mut board = json!(board.unwrap().workspace(|_| DataLoadingState::Idle));
        board["updatedAt"].take();
        (self.tree(), board)
    }

    fn name(&mut self, name: &str) {
        self.call(NameVersion { label: label(name), note: None, of: None }).unwrap();
    }

    fn at(&self, at: impl Into<At>, faces: &[Face]) -> Result<PastFaces, &'static str> {
        let World { engine, canvas, .. } = &self.world;
        block_on(engine.faces_at(canvas, at, faces, self.world.now())).map_err(|error| error.code())
    }

    fn restore(&mut self, at: impl Into<At>, faces: &[Face]) -> Result<Restored, &'static str> {
        let faces = self.at(at, faces)?;
        self.call(Restore { faces })
    }

    fn undo(&mut self, what: UndoScope) -> Result<HistoryMove, &'static str> {
        self.call(Undo { by: Author::User, what })
    }

    fn select(&mut self, selection: impl Into<ChangeSelection>) -> Result<HistoryMove, &'static str> {
        self.undo(UndoScope::Select(selection.into()))
    }

    fn title(&self, title: &str) {
        self.world.set(&json!([{"op": "add", "path": "/title", "value": title}]));
    }

    fn edit(&mut self, text: &str) {
        self.call(Edit::overwrite(text)).unwrap();
    }

    fn shift(&self, component: usize, row: u32) {
        let id = &self.world.components[component];
        let to = json!({"componentId": id, "position": {"col": 0, "row": row}});
        self.world.try_board(&json!({"type": "component.move", "payload": to}));
    }

    /// Changes all four faces.
    fn change_all(&mut self) {
        self.edit("# Ours\n");
        self.shift(0, 9);
        self.world.delete(1);
        self.title("Ours");
        let recipe = recipe_of(json!({"id": "s", "tool": "t1"}), &self.world, &[0], &[]);
        self.world.record(recipe, &[]).unwrap();
    }

    fn last(&self) -> ChangeNumber {
        ChangeNumber::new(self.world.entries())
    }
}

#[test]
fn several_faces_are_restored_undone_and_redone_as_one_change() {
    for by_version in [true, false] {
        let mut desk = Desk::new();
        let (then, revision) = (desk.tree(), desk.world.head().revision());
        desk.name("sent");
        desk.change_all();
        let (ours, entries) = (desk.tree(), desk.world.entries());
        let restored = match by_version {
            true => desk.restore(label("sent"), &FACES),
            false => desk.restore(revision, &FACES),
        };
        let restored = restored.unwrap();
        assert_eq!((restored.changed, restored.events.len()), (FACES.to_vec(), 2));
        assert_eq!((desk.tree(), desk.world.entries()), (then.clone(), entries + 1));
        desk.world.replays();
        let moved = desk.undo(UndoScope::Steps(NonZeroU32::MIN)).unwrap();
        assert_eq!((moved.entries.len(), moved.events.len(), desk.tree()), (1, 2, ours.clone()));
        desk.world.replays();
        assert_eq!((desk.world.redo(1), desk.tree()), ("OK", then.clone()));
        assert_eq!(desk.restore(label("sent"), &FACES).map(drop), Err("NO_EFFECT"));

        // From under a later change, and back by the person.
        let restore = desk.last();
        let made = desk.call(Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) }).unwrap();
        assert_eq!((made.entries.len(), desk.tree()), (1, ours.clone()));
        let again = desk.restore(label("sent"), &FACES).unwrap();
        assert_eq!(again.changed, FACES);
        let again = desk.last();
        assert!(again > restore);
        desk.shift(2, 20);
        let moved = desk.select(ChangesOf::Change(again)).unwrap();
        assert_eq!((moved.entries.len(), moved.entries[0].reverts.clone()), (1, vec![again]));
        for face in [Face::Document, Face::Surface, Face::Recipe] {
            assert_eq!(files(&desk.tree(), face), files(&ours, face), "{face}");
        }
        desk.world.replays();
        desk.call(RedoOf { by: Author::User, person: anna() }).unwrap();
        for face in [Face::Document, Face::Surface, Face::Recipe] {
            assert_eq!(files(&desk.tree(), face), files(&then, face), "{face}");
        }
        desk.world.replays();
    }
}

/// A later change on one of the faces keeps all of the restore.
#[test]
fn a_restore_under_a_change_that_touches_it_stays_as_a_whole() {
    let mut desk = Desk::new();
    desk.name("sent");
    desk.change_all();
    desk.restore(label("sent"), &FACES).unwrap();
    let (restore, restored) = (desk.last(), desk.tree());
    desk.shift(0, 30);
    let tree = desk.tree();
    let of = |partial| ChangeSelection { partial, ..ChangeSelection::from(ChangesOf::Change(restore)) };
    assert_eq!(desk.select(of(false)).map(drop), Err("HISTORY_CONFLICT"));
    let kept = desk.select(of(true)).unwrap().kept;
    assert_eq!(
        kept.iter().map(|kept| (kept.change, kept.reason.as_str())).collect::<Vec<_>>(),
        [(restore, "HISTORY_CONFLICT")]
    );
    assert_eq!(desk.tree(), tree);
    assert_eq!(desk.undo(UndoScope::Change(restore)).map(drop), Err("HISTORY_CONFLICT"));
    assert_eq!(desk.select(ChangesOf::Edits(restore, vec![1])).map(drop), Err("EDIT_NOT_FOUND"));
    desk.undo(UndoScope::Steps(NonZeroU32::MIN)).unwrap();
    assert_eq!(desk.tree(), restored);

    // All of the author's changes at once are one entry if one of them is of several faces.
    let moved = desk.undo(UndoScope::Author { author: Role::User, since: None }).unwrap();
    assert_eq!(moved.entries.len(), 1);
    desk.world.replays();
}

#[test]
fn faces_that_cannot_be_restored_are_refused() {
    let mut desk = Desk::new();
    let before = desk.world.head().revision();
    desk.name("sent");
    desk.title("New");
    let past = desk.at(before, &[Face::Document]).unwrap();
    assert_eq!(past.faces(), [Face::Document]);
    // A version of an earlier revision lacks the faces that changed after it.
    let document =
        block_on(desk.world.engine.document_at(&desk.world.canvas, before, desk.world.now())).unwrap();
    desk.call(NameVersion { label: label("old"), note: None, of: Some(document) }).unwrap();
    for (face, code) in [
        (Face::Surface, "FACE_NOT_FOUND"),
        (Face::Data, "FACE_NOT_FOUND"),
        (Face::Proposals, "FACE_NOT_FOUND"),
    ] {
        assert_eq!(desk.restore(label("old"), &[face]).map(drop), Err(code), "{face}");
    }
    assert_eq!(desk.restore(label("old"), &[Face::Board]).map(drop), Err("NO_EFFECT"));
    assert_eq!(
        desk.restore(Revision::new(1).unwrap(), &[Face::Board]).map(drop),
        Ok(()),
        "as it was created"
    );
    let future = Revision::new(10_000).unwrap();
    assert_eq!(desk.restore(future, &FACES).map(drop), Err("REVISION_NOT_FOUND"));

    // What was read before the history or the version was dropped is refused.
    let (by_version, by_number) =
        (desk.at(label("sent"), &FACES).unwrap(), desk.at(before, &[Face::Surface]).unwrap());
    desk.call(RemoveVersion { label: label("sent") }).unwrap();
    assert_eq!(desk.call(Restore { faces: by_version }).map(drop), Err("VERSION_NOT_FOUND"));
    desk.call(ClearHistory).unwrap();
    assert_eq!(desk.call(Restore { faces: by_number }).map(drop), Err("REVISION_NOT_FOUND"));
    assert_eq!(desk.restore(before, &[Face::Surface]).map(drop), Err("REVISION_NOT_KEPT"));

    // Even if no change was taken back, the files may be gone after the history was cleared.
    let now = desk.world.head().revision();
    let unchanged = desk.at(now, &[Face::Surface, Face::Recipe]).unwrap();
    assert_eq!(desk.call(Restore { faces: unchanged.clone() }).map(drop), Err("NO_EFFECT"));
    let recipe = recipe_of(json!({"id": "s", "tool": "t1"}), &desk.world, &[], &["/total"]);
    desk.world.record(recipe, &[]).unwrap();
    desk.title("Newer");
    let restored = desk.call(Restore { faces: unchanged.clone() }).unwrap();
    assert_eq!(restored.changed, [Face::Surface, Face::Recipe]);
    assert_eq!((desk.world.undo(1), desk.call(ClearHistory).is_ok()), ("OK", true));
    assert_eq!(desk.call(Restore { faces: unchanged.clone() }).map(drop), Err("REVISION_NOT_FOUND"));
    desk.title("Newest");
    assert_eq!(desk.call(Restore { faces: unchanged }).map(drop), Err("REVISION_NOT_FOUND"));

    let world = &desk.world;
    let key = world.key();
    let faces = desk.at(label("old"), &[Face::Document]).unwrap();
    let called = block_on(world.engine.call(&world.canvas, &key, Restore { faces }, world.now())).unwrap();
    assert_eq!(called.result.map_err(|refusal| refusal.code()).map(drop), Err("DECISION_BY_MODEL"));
}

/// Older libraries would read an entry of several faces as a change of the first one.
#[test]
fn a_head_after_a_restore_of_several_faces_is_refused_by_older_libraries() {
    for (faces, raised) in [(&[Face::Surface][..], false), (&[Face::Board], true), (&FACES, true)] {
        let desk = Desk::new();
        let World { engine, canvas, .. } = &desk.world;
        let format = || serde_json::to_value(desk.world.head().as_ref()).unwrap()["format"].clone();
        let then = desk.world.head().revision();
        desk.shift(0, 9);
        desk.title("Ours");
        assert_ne!(format(), 3);
        let faces = desk.at(then, faces).unwrap();
        let key = OpKey::user("restore".parse().unwrap());
        let called = block_on(engine.call(canvas, &key, Restore { faces }, desk.world.now())).unwrap();
        called.result.unwrap();
        assert_eq!(format() == 3, raised);
    }
}

/// The board's stack lists a restored board with the command that would make it, or with its records.
#[test]
fn the_stack_of_a_board_lists_a_restore() {
    let mut desk = Desk::new();
    desk.name("sent");
    desk.shift(0, 9);
    desk.restore(label("sent"), &[Face::Board]).unwrap();
    desk.world.delete(0);
    desk.world.delete(1);
    desk.restore(label("sent"), &[Face::Document, Face::Board]).unwrap();
    let World { engine, canvas, .. } = &desk.world;
    let stacks = block_on(engine.stacks(canvas, Some(Face::Board), 10, desk.world.now())).unwrap();
    let stack: Vec<UndoEntry> = stacks.undo.iter().filter_map(UndoEntry::of).collect();
    let kinds = |recorded: &Recorded| serde_json::to_value(recorded).unwrap()["type"].clone();
    let shown: Vec<[Value; 2]> =
        stack.iter().take(4).map(|entry| [kinds(&entry.forward), kinds(&entry.inverse)]).collect();
    assert_eq!(json!(shown[0]), json!(["canvas.restore", "canvas.restore"]));
    assert_eq!(json!(shown[3]), json!(["component.move", "component.move"]));
}

#[derive(Debug, Clone)]
enum Act {
    Edit(u32),
    Shift(usize, u32),
    Delete(usize),
    Add(u32),
    View(u32),
    Title(u32),
    Recipe(Option<bool>),
    Replay(u32),
    Name(u32),
    /// Restores a version, or a revision so many before the current one, on the faces of a mask.
    Restore(Result<u32, u64>, u8),
    Undo(u32),
    Redo,
    UndoOf(u64),
    Collect(u64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        2 => (0..9_u32).prop_map(Act::Edit),
        2 => (0..3_usize, 0..9_u32).prop_map(|(component, row)| Act::Shift(component, row)),
        1 => (0..3_usize).prop_map(Act::Delete),
        1 => (10..19_u32).prop_map(Act::Add),
        1 => (0..3_u32).prop_map(Act::View),
        2 => (0..9_u32).prop_map(Act::Title),
        1 => any::<Option<bool>>().prop_map(Act::Recipe),
        1 => (0..9_u32).prop_map(Act::Replay),
        1 => (0..3_u32).prop_map(Act::Name),
        4 => (prop_oneof![(0..3_u32).prop_map(Ok), (1..12_u64).prop_map(Err)], 1..16_u8)
            .prop_map(|(at, faces)| Act::Restore(at, faces)),
        1 => (1..4_u32).prop_map(Act::Undo),
        1 => Just(Act::Redo),
        1 => (0..6_u64).prop_map(Act::UndoOf),
        1 => (0..9_u64).prop_map(Act::Collect),
    ];
    prop::collection::vec(act, 1..30)
}

/// A tree, and its board without the time of its last change. A revert leaves this time, and a restore does not change it
/// alone.
type Moment = (Tree, Value);

/// What was current at revisions and versions.
#[derive(Default)]
struct Known {
    revisions: BTreeMap<Revision, Moment>,
    versions: BTreeMap<u32, Moment>,
    /// Whether a collection may have dropped entries.
    is_collected: bool,
}

impl Act {
    fn on(self, desk: &mut Desk, known: &mut Known) -> Result<(), TestCaseError> {
        let world = &desk.world;
        match self {
            Self::Edit(line) => drop(desk.call(Edit::overwrite(format!("# Sales\n\n{line}\n")))),
            Self::Shift(component, row) => desk.shift(component, row),
            Self::Delete(component) => {
                let id = &world.components[component];
                world.try_board(&json!({"type": "component.remove", "payload": {"componentId": id}}));
            }
            Self::Add(row) => world.try_board(&json!({"type": "component.create", "payload": {
                "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
                "position": {"col": 0, "row": row}, "size": {"cols": 1, "rows": 1},
            }})),
            Self::View(name) => {
                world.try_board(&json!({"type": "view.save", "payload": {"name": format!("view {name}")}}));
            }
            Self::Title(title) => desk.title(&title.to_string()),
            Self::Recipe(tool) => {
                let tool = tool.map(|one| if one { "t0" } else { "t1" });
                let recipe =
                    tool.map(|tool| recipe_of(json!({"id": "s", "tool": tool}), world, &[0], &["/total"]));
                drop(world.ask(RecordRecipe { recipe, ..recording(world, json!(null)) }));
            }
            Self::Replay(total) if world.recipe().is_some() => {
                drop(world.ask(world.replay(vec![put("/total", json!(total))])));
            }
            Self::Replay(_) => {}
            Self::Name(name) => {
                drop(desk.call(RemoveVersion { label: label(&name.to_string()) }));
                desk.name(&name.to_string());
                known.versions.insert(name, desk.recorded());
            }
            Self::Restore(at, mask) => {
                let faces: Vec<Face> = FACES
                    .into_iter()
                    .enumerate()
                    .filter(|(bit, _)| mask >> bit & 1 == 1)
                    .map(|(_, face)| face)
                    .collect();
                let revision = |back| {
                    Revision::new(desk.world.head().revision().get().saturating_sub(back).max(1)).unwrap()
                };
                let (then, at): (Option<Moment>, At) = match at {
                    Ok(name) => (known.versions.get(&name).cloned(), label(&name.to_string()).into()),
                    Err(back) => {
                        let revision = revision(back);
                        (known.revisions.get(&revision).cloned(), revision.into())
                    }
                };
                let before = desk.tree();
                let has = |tree: &Tree| {
                    FACES.iter().all(|face| !faces.contains(face) || !files(tree, *face).is_empty())
                };
                match desk.restore(at, &faces) {
                    Err(
                        code @ ("NO_EFFECT" | "REVISION_NOT_KEPT" | "FACE_NOT_FOUND" | "VERSION_NOT_FOUND"),
                    ) => {
                        prop_assert_eq!(desk.tree(), before);
                        let may_be = match code {
                            "REVISION_NOT_KEPT" => known.is_collected,
                            "FACE_NOT_FOUND" => then.is_none_or(|(tree, _)| !has(&tree)),
                            "VERSION_NOT_FOUND" => then.is_none(),
                            _ => true,
                        };
                        prop_assert!(may_be, "{}", code);
                    }
                    Err(code) => prop_assert!(false, "{}", code),
                    Ok(restored) => {
                        let (after, board) = desk.recorded();
                        // Revisions within an act are not recorded.
                        let (then, then_board) = then.unwrap_or_else(|| (after.clone(), board.clone()));
                        for face in Face::ALL {
                            let is_same = face == Face::Board && !restored.changed.contains(&face);
                            let expected = if faces.contains(&face) && !is_same { &then } else { &before };
                            prop_assert_eq!(files(&after, face), files(expected, face), "{}", face);
                        }
                        prop_assert!(!faces.contains(&Face::Board) || board == then_board);
                        prop_assert!(!restored.changed.is_empty());
                        desk.undo(UndoScope::Steps(NonZeroU32::MIN)).unwrap();
                        prop_assert_eq!(&desk.tree(), &before);
                        prop_assert_eq!(desk.world.redo(1), "OK");
                        prop_assert_eq!(desk.tree(), after);
                    }
                }
            }
            Self::Undo(steps) => drop(desk.undo(UndoScope::Steps(NonZeroU32::new(steps).unwrap()))),
            Self::Redo => drop(world.redo(1)),
            Self::UndoOf(back) => {
                let change = ChangeNumber::new(world.entries().saturating_sub(back).max(1));
                drop(desk.select(ChangesOf::Change(change)));
            }
            Self::Collect(keep) => {
                known.is_collected = true;
                world.wait(3_600_000);
                let options = CollectOptions { history: Some(keep), ..CollectOptions::default() };
                block_on(world.engine.collect(&world.canvas, options)).unwrap();
            }
        }
        Ok(())
    }
}

proptest! {
    /// Over all faces, with effects, undo, redo, reverts and collections.
    #[test]
    fn a_restored_face_equals_the_recorded_one(
        acts in acts(),
        entry_bytes in prop_oneof![2 => Just(Policy::default().history.entry_bytes), 1 => Just(8)],
    ) {
        let mut desk = Desk::with(|policy| policy.history.entry_bytes = entry_bytes);
        let mut known = Known::default();
        for act in acts {
            act.on(&mut desk, &mut known)?;
            known.revisions.insert(desk.world.head().revision(), desk.recorded());
            desk.world.wait(1);
        }
        desk.world.replays();
    }
}
