//! Edits, effects, undo and redo in any order, compared with a history of plain lists.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, actor};
use crate::history::journal::{Entry, EntryKind};
use crate::history::number::ChangeNumber;
use crate::history::step::Step;
use crate::model::author::{Author, Role};
use crate::surface::{StatePatch, SurfaceDiff, SurfaceFile};
use crate::transition::edit::Edit;
use crate::transition::policy::{HistoryLimits, Policy};
use crate::transition::surface::ended::RunningAction;
use crate::transition::surface::finish::{ActionFailure, FinishAction};
use crate::transition::surface::patch::PatchState;
use crate::transition::undo::{ClearHistory, Undo, UndoScope};

#[derive(Debug, Clone)]
enum Act {
    Edit {
        by: Role,
        patch: Value,
    },
    Effect {
        patch: Value,
    },
    /// Like [`Act::Edit`], but by the command that clients and sessions send.
    Patch {
        by: Role,
        patch: Value,
    },
    /// Begins an action of the spec.
    Begin {
        by: Role,
        action: &'static str,
    },
    /// Ends one of the running tools, perhaps a second time.
    Finish {
        which: prop::sample::Index,
        result: Option<Value>,
    },
    /// Saves one of the specs.
    Spec {
        which: usize,
    },
    Document {
        text: &'static str,
    },
    Undo {
        steps: u32,
    },
    Redo {
        steps: u32,
    },
    /// Undoes one of the changes so far.
    UndoChange {
        which: prop::sample::Index,
    },
    UndoAuthor {
        author: Role,
    },
    Clear,
    /// Drops old entries, keeping this many changes and effects.
    Collect {
        changes: u64,
        effects: u64,
    },
}

/// Returns a spec with every kind of action, or one with fewer.
fn spec(which: usize) -> String {
    let tool = |name: &str, path: &str| json!({"kind": "tool.call", "tool": name, "saveAs": path});
    let mut actions = json!({
        "read": tool("node__Read", "log"),
        "look": tool("node__Read", "a.x"),
        "deploy": tool("node__Deploy", "a.y"),
        "mark": {"kind": "state.patch", "patch": [{"op": "add", "path": "/a", "value": {"x": 7}}]},
    });
    if which == 1 {
        actions.as_object_mut().unwrap().remove("deploy");
    }
    let policy = json!({"allow": ["node__Read", "node__Deploy"]});
    json!({"version": 1, "mode": "html", "toolPolicy": policy, "actions": actions}).to_string()
}

/// Few places, some of which are within others or in a list.
fn operation() -> impl Strategy<Value = Value> {
    let path = prop::sample::select(vec!["/a", "/a/x", "/a/y", "/b", "/b/0", "/log", "/ab", ""]);
    (path, value(), 0..5).prop_map(|(path, value, kind)| match (kind, path) {
        (0, "/a/x" | "/b/0" | "/log") => json!({"op": "remove", "path": path}),
        // The whole stays an object, so that most of the others fit.
        (_, "") => json!({"op": "add", "path": "", "value": {"a": value}}),
        (1, _) => json!({"op": "replace", "path": path, "value": value}),
        _ => json!({"op": "add", "path": path, "value": value}),
    })
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (0..3).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!(0.1)),
        2 => Just(json!({"x": 1, "y": {"z": 2}})),
        2 => Just(json!([1, {"x": 2}])),
        1 => Just(json!({})),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let actor = || prop::sample::select(vec![Role::User, Role::Assistant]);
    let patch = || prop::collection::vec(operation(), 1..3).prop_map(Value::from);
    prop_oneof![
        8 => (actor(), patch()).prop_map(|(by, patch)| Act::Edit { by, patch }),
        6 => patch().prop_map(|patch| Act::Effect { patch }),
        4 => (actor(), patch()).prop_map(|(by, patch)| Act::Patch { by, patch }),
        // Frequent, because an end needs a begin.
        8 => (actor(), prop::sample::select(vec!["read", "look", "deploy", "mark"]))
            .prop_map(|(by, action)| Act::Begin { by, action }),
        8 => (any::<prop::sample::Index>(), prop::option::weighted(0.9, value()))
            .prop_map(|(which, result)| Act::Finish { which, result }),
        1 => (0..2_usize).prop_map(|which| Act::Spec { which }),
        1 => prop::sample::select(vec!["# A\n", "# B\n"]).prop_map(|text| Act::Document { text }),
        8 => (1..4_u32).prop_map(|steps| Act::Undo { steps }),
        6 => (1..4_u32).prop_map(|steps| Act::Redo { steps }),
        4 => any::<prop::sample::Index>().prop_map(|which| Act::UndoChange { which }),
        2 => actor().prop_map(|author| Act::UndoAuthor { author }),
        // These acts shorten the rest of a run.
        1 => Just(Act::Clear),
        1 => (2..8_u64, 2..12_u64).prop_map(|(changes, effects)| Act::Collect { changes, effects }),
    ]
}

/// Entries to undo and redo, by number. The next one comes last.
#[derive(Debug, Clone, Default, PartialEq)]
struct Known {
    undo: Vec<u64>,
    redo: Vec<u64>,
}

fn diff_of(entry: &Entry) -> Option<&SurfaceDiff> {
    match &entry.step {
        Step::Surface(diff) => Some(diff),
        _ => None,
    }
}

fn is_in(inner: &str, outer: &str) -> bool {
    inner == outer || inner.starts_with(&format!("{outer}/"))
}

/// Whether an effect after an entry touched a place of the entry.
fn is_touched(entry: &Entry, entries: &[Entry]) -> bool {
    let effects = entries.iter().filter(|e| e.kind == EntryKind::Effect && e.number > entry.number);
    effects.into_iter().any(|effect| {
        let (mine, paths) = (entry.step.state_paths(), effect.step.state_paths());
        mine.iter().any(|one| paths.iter().any(|other| is_in(one, other) || is_in(other, one)))
    })
}

/// Sets the value at a place whose object exists.
fn set(state: &mut Value, path: &str, value: Option<Value>) {
    let Some((parent, name)) = path.rsplit_once('/') else {
        *state = value.expect("the whole is always something");
        return;
    };
    let members = state.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => drop(members.insert(name.to_owned(), value)),
        None => drop(members.remove(name)),
    }
}

struct Play {
    world: World,
    known: Known,
    /// Actions that have begun.
    running: Vec<RunningAction>,
    /// Numbers of the kept entries, oldest first, and whether each is an effect.
    kept: Vec<(u64, bool)>,
    /// Limits on the kept changes and effects.
    limits: (usize, usize),
}

impl Play {
    fn new(limits: (usize, usize)) -> Self {
        let [history, history_effects] = [limits.0, limits.1].map(|limit| limit.try_into().unwrap());
        let policy = Policy {
            history: HistoryLimits { changes: history, effects: history_effects, ..Default::default() },
            min_blob_age: Duration::ZERO,
            ..Policy::default()
        };
        let mut world = World::with(json!({"a": {"x": 1, "y": 2}, "b": [1, 2], "log": ""}), policy);
        assert_eq!(world.file(SurfaceFile::Spec, Some(&[&spec(0)])), "OK");
        let known = Known { undo: vec![1], redo: Vec::new() };
        Self { world, known, running: Vec::new(), kept: vec![(1, false)], limits }
    }

    fn take(&mut self, act: &Act) {
        let (state, entries, tree) =
            (self.world.state(), self.world.entries(), self.world.head().draft().hash());
        let answer = match act {
            Act::Edit { by, patch } => self.world.put(*by, false, patch.clone()),
            Act::Effect { patch } => self.world.put(Role::Assistant, true, patch.clone()),
            Act::Patch { by, patch } => {
                let (by, patch) = (actor(*by), StatePatch::parse(patch).unwrap());
                self.world.ask(PatchState { by, patch, expected: None })
            }
            Act::Begin { by, action } => {
                let (answer, running) = self.world.begin(*by, action);
                self.running.extend(running.map(|running| *running));
                answer
            }
            Act::Finish { .. } if self.running.is_empty() => return,
            Act::Finish { which, result } => {
                let running = Box::new(which.get(&self.running).clone());
                let outcome = result.clone().ok_or(ActionFailure::TimedOut);
                self.world.ask(FinishAction { running, outcome })
            }
            Act::Spec { which } => self.world.file(SurfaceFile::Spec, Some(&[&spec(*which)])),
            Act::Document { text } => self.world.write(text),
            Act::Undo { steps } => return self.walk(*steps, EntryKind::Undo, state),
            Act::Redo { steps } => return self.walk(*steps, EntryKind::Redo, state),
            Act::UndoChange { which } => {
                let change =
                    entries.get(which.index(entries.len().max(1))).map_or(1, |entry| entry.change.get());
                let what = UndoScope::Change(ChangeNumber::new(change));
                self.world.ask(Undo { by: Author::User, what })
            }
            Act::UndoAuthor { author } => {
                let what = UndoScope::Author { author: *author, since: None };
                self.world.ask(Undo { by: Author::User, what })
            }
            Act::Clear => self.world.ask(ClearHistory),
            Act::Collect { changes, effects } => {
                self.world.collect(*changes, *effects);
                let limit = |limit: u64| usize::try_from(limit).unwrap();
                self.keep((limit(*changes).min(self.limits.0), limit(*effects).min(self.limits.1)));
                "OK"
            }
        };
        let now = self.new_entries();
        match act {
            Act::Clear => (self.known, self.kept) = (Known::default(), Vec::new()),
            Act::Effect { .. } | Act::Finish { .. } => {
                assert!(now.iter().all(|entry| entry.kind == EntryKind::Effect));
            }
            _ if !now.is_empty() => {
                assert!(now.iter().all(|entry| entry.kind != EntryKind::Effect));
                self.known.undo.extend(now.iter().map(|entry| entry.number.get()));
                self.known.redo.clear();
            }
            _ => {}
        }
        self.note(&now);
        if answer != "OK" {
            assert_eq!(
                (self.world.state(), self.world.head().draft().hash()),
                (state, tree),
                "{act:?}: {answer}"
            );
            assert_ne!(answer, "HISTORY_DAMAGED", "{act:?}");
        }
    }

    /// Undoes or redoes, and checks the answer.
    fn walk(&mut self, steps: u32, kind: EntryKind, mut state: Value) {
        let entries = self.world.entries();
        let stack = if kind == EntryKind::Undo { &self.known.undo } else { &self.known.redo };
        let count = usize::try_from(steps).unwrap();
        let expected = if count > stack.len() {
            "HISTORY_EMPTY"
        } else {
            let inverted: Vec<&Entry> = stack[stack.len() - count..]
                .iter()
                .rev()
                .map(|number| entries.iter().find(|entry| entry.number.get() == *number).unwrap())
                .collect();
            if inverted.iter().any(|entry| is_touched(entry, &entries)) {
                "HISTORY_CONFLICT"
            } else {
                for change in inverted.iter().filter_map(|entry| diff_of(entry)).flat_map(|diff| &diff.state)
                {
                    let before = change.before.as_ref().map(|value| value.to_value());
                    set(&mut state, change.path.as_str(), before);
                }
                "OK"
            }
        };
        let answer = if kind == EntryKind::Undo { self.world.undo(steps) } else { self.world.redo(steps) };
        assert_eq!(answer, expected, "{kind:?} of {steps}");
        assert_eq!(self.world.state(), state);
        if answer == "OK" {
            let now = self.new_entries();
            let made: Vec<_> = now.iter().map(|e| e.number.get()).collect();
            let Known { undo, redo } = &mut self.known;
            let (from, to) = if kind == EntryKind::Undo { (undo, redo) } else { (redo, undo) };
            from.truncate(from.len() - count);
            to.extend(made);
            self.note(&now);
        }
    }

    /// Returns the entries made since the last act.
    fn new_entries(&self) -> Vec<Entry> {
        let last = self.kept.last().map_or(0, |(number, _)| *number);
        self.world.entries().into_iter().filter(|entry| entry.number.get() > last).collect()
    }

    fn note(&mut self, made: &[Entry]) {
        self.kept.extend(made.iter().map(|entry| (entry.number.get(), entry.kind == EntryKind::Effect)));
        self.keep(self.limits);
    }

    /// Drops the entries before the last of these numbers of changes and effects.
    fn keep(&mut self, (mut changes, mut effects): (usize, usize)) {
        let is_kept = |(_, is_effect): &&(u64, bool)| {
            let left = if *is_effect { &mut effects } else { &mut changes };
            *left = left.wrapping_sub(1);
            *left != usize::MAX
        };
        let kept = self.kept.iter().rev().take_while(is_kept).count();
        self.kept.drain(..self.kept.len() - kept);
        let first = self.kept.first().map_or(u64::MAX, |(number, _)| *number);
        let Known { undo, redo } = &mut self.known;
        [undo, redo].into_iter().for_each(|stack| stack.retain(|number| *number >= first));
    }

    fn check(&self) {
        self.world.replays();
        let stacks = self.world.stacks();
        let numbers = |entries: &[Entry]| entries.iter().rev().map(|e| e.number.get()).collect::<Vec<_>>();
        let shown = Known { undo: numbers(&stacks.undo), redo: numbers(&stacks.redo) };
        let entries = self.world.entries();
        let known = Known { undo: in_effect(&self.known.undo, &entries), redo: self.known.redo.clone() };
        assert_eq!(shown, known);
        let shown: Vec<_> = entries.iter().map(|e| (e.number.get(), e.kind == EntryKind::Effect)).collect();
        assert_eq!(shown, self.kept);
        let json = self.world.head().to_json();
        assert!(json.len() < 64 << 10);
    }
}

/// Returns those of the entries on the stack that no later one reverted.
fn in_effect(stack: &[u64], entries: &[Entry]) -> Vec<u64> {
    let (mut reverted, mut numbers) = (Vec::new(), Vec::new());
    for number in stack.iter().rev() {
        let entry = entries.iter().find(|entry| entry.number.get() == *number).unwrap();
        if !reverted.contains(&entry.change) {
            reverted.extend(entry.reverts.iter().flat_map(|reverts| &reverts.changes).copied());
            numbers.insert(0, *number);
        }
    }
    numbers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// In any order, the journal plays back to the canvas, and effects are not on the stacks. Undo and redo do what the
    /// entries say place by place. They refuse exactly if an effect has touched a place since then. The longest end
    /// within the limits of changes and effects is kept, and it contains all entries that undo can reach.
    #[test]
    fn edits_effects_and_undo_in_any_order_play_back_to_the_canvas(
        acts in prop::collection::vec(act(), 1..24),
        // Half of the canvases keep all entries.
        limits in prop_oneof![Just((1_000, 1_000)), (2..8_usize, 2..12_usize)],
    ) {
        let mut play = Play::new(limits);
        for act in &acts {
            play.take(act);
            play.check();
        }
    }
}

proptest! {
    /// A number that is read again has all its digits. Otherwise no change that contains it could be undone.
    #[test]
    fn numbers_come_back_as_they_were(bits in prop::collection::vec(any::<u64>(), 8), small in -1.0e9..1.0e9_f64) {
        let numbers: Vec<_> = bits.into_iter().map(f64::from_bits).chain([small]).filter(|n| n.is_finite()).collect();
        let mut world = World::new(json!({"a": numbers}));
        world.forget();
        prop_assert_eq!(world.set("/b", json!(numbers)), "OK");
        prop_assert_eq!(world.set("/a/0", json!(1)), "OK");
        prop_assert_eq!(world.set("/b", json!(1)), "OK");
        world.forget();
        prop_assert_eq!(world.undo(3), "OK");
        prop_assert_eq!(world.redo(2), "OK");
        world.forget();
        prop_assert_eq!(world.state()["b"].clone(), json!(numbers));
        world.replays();
    }
}

/// A poll does not push out a person's changes, even if few are kept.
#[test]
fn effects_take_no_room_of_changes() {
    let policy = Policy {
        history: HistoryLimits { changes: 3, ..Default::default() },
        min_blob_age: Duration::ZERO,
        ..Policy::default()
    };
    // The newest two changes with the entries between them, and too few effects for more than one of them.
    for (changes, effects, kept_from, undone) in [(2, 1_000, 203, 2), (10, 250, 554, 1), (10, 100, 705, 0)] {
        let mut world = World::with(json!({"n": 0, "log": ""}), policy);
        for n in 1..=4 {
            assert_eq!(world.set("/n", json!(n)), "OK");
            (0..200).for_each(|number| assert_eq!(world.poll("/log", json!(n * 1_000 + number)), "OK"));
        }
        assert_eq!((world.stacks().undo.len(), world.entries().len()), (3, 3 + 800));
        let before = world.blobs();
        world.collect(changes, effects);
        let kept = (world.head().journal().kept_from, world.entries().len());
        assert_eq!(kept, (kept_from, usize::try_from(805 - kept_from).unwrap()));
        // Earlier entries and states are gone.
        assert!(world.blobs() + usize::try_from(kept_from).unwrap() + 700 < before + 20, "{before}");
        assert_eq!(world.stacks().undo.len(), usize::try_from(undone).unwrap());
        assert_eq!(world.undo(undone + 1), "HISTORY_EMPTY");
        if undone > 0 {
            assert_eq!((world.undo(undone), world.state()["n"].clone()), ("OK", json!(4 - undone)));
            assert_eq!((world.redo(undone), world.state()["n"].clone()), ("OK", json!(4)));
        }
        world.replays();
    }
}

/// An edit on an older revision ignores the saves of later polls.
#[test]
fn effects_do_not_count_toward_the_reach_of_an_edit() {
    let policy = Policy {
        history: HistoryLimits { reach: 3, ..Default::default() },
        min_blob_age: Duration::ZERO,
        ..Policy::default()
    };
    // With and without changes before, and changes between.
    for (before, changes, answer) in
        [(0, 1, "OK"), (0, 3, "OK"), (0, 4, "PATCH_REJECTED"), (2, 3, "OK"), (2, 4, "PATCH_REJECTED")]
    {
        for collects in [false, true] {
            let mut world = World::with(json!({"log": ""}), policy);
            let poll = |world: &mut World| {
                (0..50).for_each(|number| assert_eq!(world.poll("/log", json!(number)), "OK"));
            };
            assert_eq!(world.write("a\nb\nc\n"), "OK");
            poll(&mut world);
            (0..before).for_each(|number| assert_eq!(world.set("/n", json!(number)), "OK"));
            poll(&mut world);
            let base = world.head().revision();
            poll(&mut world);
            for number in 0..changes {
                assert_eq!(world.write(&format!("a\nb\n{number}\n")), "OK");
                poll(&mut world);
            }
            if collects {
                // Down to an effect before the base and one after it.
                world.collect(changes, 50 * (changes + 1) + if before == 0 { 10 } else { 0 });
            }
            world.forget();
            assert_eq!(world.ask(Edit::on(base, "x\nb\nc\n")), answer, "{changes} changes, {before} before");
        }
    }
}

/// A poll every 30 seconds for a day, between changes and undos by a person.
#[test]
fn a_poll_never_eats_an_undo() {
    let mut world = World::new(json!({"title": "a", "log": []}));
    assert_eq!((world.set("/title", json!("b")), world.set("/title", json!("c"))), ("OK", "OK"));
    for number in 0..2_880 {
        world.wait(30_000);
        assert_eq!(world.poll("/log", json!([number])), "OK");
    }
    assert_eq!(world.head().journal().entries, 2_882);
    assert_eq!((world.undo(1), world.state()), ("OK", json!({"title": "b", "log": [2_879]})));
    assert_eq!(world.poll("/log", json!([2_880])), "OK");
    assert_eq!((world.undo(1), world.state()), ("OK", json!({"title": "a", "log": [2_880]})));
    assert_eq!(world.poll("/log", json!([2_881])), "OK");
    assert_eq!((world.redo(2), world.state()), ("OK", json!({"title": "c", "log": [2_881]})));
    assert_eq!(world.undo(3), "HISTORY_EMPTY");
    world.replays();
    assert_eq!(world.stacks().undo.len(), 2);
}
