//! Who last wrote each line. `PROPTEST_CASES` is the number of histories.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use canvas_core::document::DocumentStep;
use canvas_core::history::{BlamedLines, Entry, EntryKind, Step, Undo, UndoScope};
use canvas_core::store::Store as _;
use canvas_core::testing::block_on;
use canvas_core::text::{Delta, LineRange};
use canvas_core::{Actor, Author, Policy};
use proptest::prelude::*;

use super::party::{Party, last};
use super::past::{act, collect};
use super::world::World;
use crate::policy_with;

/// Writers by their changes.
type By = Option<u64>;

/// A slow blame that knows the whole history: for each line its text and its writer.
#[derive(Debug, Default)]
struct Reference {
    lines: Vec<(String, By)>,
    /// The lines that each entry removed, by change and whether it is an undo.
    removed: BTreeMap<(u64, bool), Vec<(String, By)>>,
    entries: u64,
}

impl Reference {
    fn of(text: &str) -> Self {
        Self { lines: lines(text).map(|line| (line.to_owned(), None)).collect(), ..Self::default() }
    }

    /// Takes the new entries.
    fn follow(&mut self, world: &World) {
        let entries = block_on(world.engine.history(&world.canvas, None, 64, world.now())).unwrap();
        let known = self.entries;
        for entry in entries.iter().rev().filter(|entry| entry.number.get() > known) {
            self.entries = entry.number.get();
            if let Step::Document(step) = &entry.step {
                let after = match &step.delta {
                    Some(delta) => delta.apply(&self.text()).unwrap(),
                    // A call with several entries has texts in between, which nobody saw.
                    None if step.after != world.head().document() => {
                        let blob = block_on(world.engine.store().blob(&world.canvas, step.after)).unwrap();
                        blob.and_then(|blob| Some(blob.as_text()?.to_owned())).unwrap()
                    }
                    None => world.text(),
                };
                self.take(entry, step, &after);
            }
        }
    }

    fn text(&self) -> String {
        self.lines.iter().map(|(line, _)| line.as_str()).collect()
    }

    fn take(&mut self, entry: &Entry, step: &DocumentStep, after: &str) {
        let before = self.text();
        // For each byte of the text after, its place in the text before.
        let mut places: Vec<Option<usize>> = (0..before.len()).map(Some).collect();
        let delta = step.delta.clone().unwrap_or_else(|| Delta::between(&before, after));
        for edit in delta.edits().iter().rev() {
            places.splice(edit.range(), std::iter::repeat_n(None, edit.new.len()));
        }
        assert_eq!(places.len(), after.len());
        let mut given: Vec<(String, By)> = Vec::new();
        let change = entry.change.get();
        match (entry.kind, &entry.reverts) {
            (EntryKind::Undo, _) => given.extend(self.removed[&(change, false)].iter().cloned()),
            (EntryKind::Redo, _) => given.extend(self.removed[&(change, true)].iter().cloned()),
            (EntryKind::Revert, Some(reverts)) => {
                let changes = reverts.changes.iter().map(|change| (change.get(), false));
                given.extend(changes.flat_map(|change| self.removed.get(&change)).flatten().cloned());
            }
            _ => {}
        }
        let starts: BTreeMap<usize, usize> = {
            let mut at = 0;
            let start = |(number, (line, _)): (usize, &(String, By))| {
                at += line.len();
                (at - line.len(), number)
            };
            self.lines.iter().enumerate().map(start).collect()
        };
        let (mut stayed, mut next, mut at) = (BTreeSet::new(), Vec::new(), 0);
        for line in lines(after) {
            let place = places[at];
            let is_one = (0..line.len()).all(|byte| places[at + byte] == place.map(|place| place + byte));
            let number = place.and_then(|place| starts.get(&place)).filter(|_| is_one);
            at += line.len();
            let by = match number.filter(|number| self.lines[**number].0 == line) {
                Some(number) => {
                    stayed.insert(*number);
                    self.lines[*number].1
                }
                None => match given.iter().position(|(text, _)| text == line) {
                    Some(found) => given.remove(found).1,
                    None => Some(change),
                },
            };
            next.push((line.to_owned(), by));
        }
        let gone = self.lines.drain(..).enumerate().filter(|(number, _)| !stayed.contains(number));
        let gone: Vec<_> = gone.map(|(_, line)| line).collect();
        // A person's redo takes the newest undo of the change back, whichever kind it is.
        if let (EntryKind::Revert, Some(reverts)) = (entry.kind, &entry.reverts)
            && let ([reverted], None) = (reverts.changes.as_slice(), &reverts.edits)
        {
            self.removed.insert((reverted.get(), true), gone.clone());
        }
        self.removed.insert((change, entry.kind == EntryKind::Undo), gone);
        self.lines = next;
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

fn blamed(world: &World, lines: Option<LineRange>) -> Vec<BlamedLines> {
    block_on(world.engine.blame(&world.canvas, lines, world.now())).unwrap()
}

/// Returns the change of each line, after a check that the runs have no gaps and differ from their neighbours.
#[track_caller]
fn changes(world: &World) -> Vec<By> {
    let runs = blamed(world, None);
    let mut changes = Vec::new();
    for run in &runs {
        assert_eq!(run.start_line, changes.len() + 1, "{runs:?}");
        assert!(run.end_line >= run.start_line, "{runs:?}");
        let change = run.writer.as_ref().map(|writer| writer.change.get());
        changes.extend(std::iter::repeat_n(change, run.end_line + 1 - run.start_line));
    }
    assert!(runs.windows(2).all(|pair| pair[0].writer != pair[1].writer), "{runs:?}");
    assert_eq!(changes.len(), lines(&world.text()).count());
    changes
}

/// Compares with the reference, for an engine that knows the blame and for one that knows nothing.
#[track_caller]
fn check(world: &World, reference: &Reference) {
    let kept = block_on(world.engine.history(&world.canvas, None, 10_000, world.now())).unwrap();
    let numbers: BTreeSet<u64> = kept.iter().map(|entry| entry.number.get()).collect();
    // What a revert of a change that is not kept wrote itself is not known.
    let reverts = kept.iter().filter(|entry| {
        let mut changes = entry.reverts.iter().flat_map(|reverts| &reverts.changes);
        changes.any(|change| !numbers.contains(&change.get()))
    });
    let uncertain: BTreeSet<u64> = reverts.map(|entry| entry.change.get()).collect();
    let expected: Vec<By> =
        reference.lines.iter().map(|(_, by)| by.filter(|by| numbers.contains(by))).collect();
    assert_eq!(reference.text(), world.text());
    assert_eq!(changes(world), expected, "known");
    let cold = changes(&world.peer());
    for (line, (found, expected)) in cold.iter().zip(&expected).enumerate() {
        let is_uncertain = found.is_none() && expected.is_some_and(|by| uncertain.contains(&by));
        assert!(found == expected || is_uncertain, "line {}: {cold:?}, not {expected:?}", line + 1);
    }
}

#[test]
fn a_line_belongs_to_the_last_change_that_touched_it() {
    let by = |world: &World| changes(world).iter().map(|by| by.unwrap_or(0)).collect::<Vec<_>>();
    for (start, texts, expected) in [
        ("a\nb\nc\n", &[][..], &[0, 0, 0][..]),
        ("", &["a\n"], &[1]),
        ("a\nb\nc\n", &["a\nB\nc\n", "a\nB\nc\nd\n"], &[0, 1, 0, 2]),
        // A removed line leaves no trace.
        ("a\nb\nc\n", &["a\nc\n"], &[0, 0]),
        ("a\nb\nc\n", &["c\n"], &[0]),
        ("a\n", &[""], &[]),
        // The end of a line is a part of it.
        ("a\nb", &["a\nb\n"], &[0, 1]),
        ("a\nb\n", &["a\nb"], &[0, 1]),
        ("a\nb", &["a\nb\nc"], &[0, 1, 1]),
        ("a\nb\n", &["ab\n"], &[1]),
        ("ab\n", &["a\nb\n"], &[1, 1]),
        ("é\r\nb\r\n", &["é\r\nB\r\n"], &[0, 1]),
        // Two edits in one change.
        ("a\nb\nc\nd\n", &["A\nb\nC\nd\n"], &[1, 0, 1, 0]),
        // An overwrite with the same lines in another place.
        ("a\nb\nc\n", &["c\na\nb\n"], &[1, 0, 0]),
    ] {
        let world = World::new(start);
        texts.iter().for_each(|text| drop(world.edit(text)));
        assert_eq!(by(&world), expected, "{start:?} {texts:?}");
        assert_eq!(by(&world.peer()), expected, "{start:?} {texts:?}, from the journal");
    }
}

/// Undo gives lines back to their writers, and so do redo and an undo from under later changes.
#[test]
fn lines_that_come_back_belong_to_their_first_writers() {
    let mut party = Party::with("1\n2\n3\n", Policy::default());
    party.edit("anna", "1\n2 anna\n3\n");
    party.edit("one", "1\n2 one\n3\n4 one\n");
    let both = |party: &Party, expected: &[u64]| {
        for world in [&party.world, &party.world.peer()] {
            let found: Vec<u64> = changes(world).iter().map(|by| by.unwrap_or(0)).collect();
            assert_eq!(found, expected);
        }
    };
    both(&party, &[0, 2, 0, 2]);
    let steps = UndoScope::Steps(NonZeroU32::new(2).unwrap());
    party.world.ask("one", Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) });
    both(&party, &[0, 1, 0]);
    party.redo("user");
    both(&party, &[0, 2, 0, 2]);
    party.world.ask("one", Undo { by: Author::User, what: steps });
    both(&party, &[0, 0, 0]);
    party.redo("user");
    party.redo("user");
    both(&party, &[0, 2, 0, 2]);
    party.edit("bert", &format!("{}5 bert\n", party.world.text()));
    let bert = changes(&party.world)[4].unwrap();
    party.undo("anna", last("one", 1));
    both(&party, &[0, 1, 0, bert]);
    // The redo names the change, and not the revert.
    party.redo("anna");
    both(&party, &[0, 2, 0, 2, bert]);
}

/// Entries that keep texts have no edits. These are chunked as well.
#[test]
fn a_change_that_keeps_both_texts_is_compared() {
    let world = World::with(&"a line\n".repeat(10_000), policy_with(|p| p.history.entry_bytes = 16));
    let mut reference = Reference::of(&world.text());
    for (number, at) in [0, 9_999, 5_000].into_iter().enumerate() {
        let text = world.text();
        let mut lines: Vec<&str> = lines(&text).collect();
        let line = format!("a line that is longer, by change {number}\n");
        lines[at] = &line;
        world.edit(&lines.concat());
        reference.follow(&world);
        check(&world, &reference);
    }
    world.ask("one", Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) });
    reference.follow(&world);
    check(&world, &reference);
}

#[test]
fn a_range_is_clipped_to_the_document() {
    let world = World::new("1\n2\n3\n4\n");
    world.edit("1\n2 two\n3\n4\n");
    for ((start, end), expected) in [
        ((1, 4), &[(1, 1), (2, 2), (3, 4)][..]),
        ((2, 3), &[(2, 2), (3, 3)]),
        ((4, 400), &[(4, 4)]),
        ((3, usize::MAX), &[(3, 4)]),
        ((5, 6), &[]),
        ((0, 1), &[(1, 1)]),
        ((3, 2), &[]),
    ] {
        let runs = blamed(&world, Some(LineRange { start, end }));
        let runs: Vec<_> = runs.iter().map(|run| (run.start_line, run.end_line)).collect();
        assert_eq!(runs, expected, "{start}-{end}");
    }
}

/// Accepted text has the person as actor and the conversation as author.
#[test]
fn a_writer_has_an_actor_and_an_author() {
    let mut party = Party::with("1\n", Policy::default());
    party.edit("anna", "1\n2\n");
    party.edit("one", "1\n2\n3\n");
    let runs = blamed(&party.world, None);
    let named = |actor: &Actor| match actor {
        Actor::Person { person } => person.to_string(),
        Actor::Conversation { conversation, .. } => conversation.to_string(),
        Actor::Host => "host".to_owned(),
    };
    let writers = runs.iter().filter_map(|run| run.writer.as_ref());
    let writers: Vec<_> =
        writers.map(|writer| (named(&writer.actor), writer.author.as_ref().map(named))).collect();
    let both = |name: &str| (name.to_owned(), Some(name.to_owned()));
    assert_eq!(writers, [both("anna"), both("one")]);
}

/// A server that knows nothing reads a stored blame and at most the entries since.
#[test]
fn a_cold_blame_is_few_round_trips() {
    let world = World::new("first\n");
    let mut text = "first\n".to_owned();
    let mut reference = Reference::of(&text);
    for n in 1..=1_500 {
        text = format!("{n}\n{}", lines(&text).take(200).collect::<String>());
        world.edit(&text);
        reference.follow(&world);
        if n % 97 == 0 {
            // Also of changes from before a stored blame.
            world.ask("one", Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::new(60).unwrap()) });
            reference.follow(&world);
            text = world.text();
        }
        if n % 250 == 0 {
            check(&world, &reference);
        }
    }
    collect(&world, u64::MAX);
    let peer = world.peer();
    assert_eq!(changes(&peer).len(), reference.lines.len());
    let asked = peer.spy().asked().len();
    assert!(asked <= 40, "{asked} round trips");
    check(&world, &reference);
    collect(&world, 100);
    check(&world, &reference);
}

proptest! {
    /// With entries that keep texts, texts of several chunks, undo, redo, restore, and collections.
    #[test]
    fn blame_is_a_replay_of_the_kept_history(
        acts in prop::collection::vec(act(), 1..40),
        entry_bytes in prop_oneof![2 => Just(Policy::default().history.entry_bytes), 1 => Just(16)],
        is_long in prop::bool::weighted(0.1),
    ) {
        // The texts between the entries of one call are not read from chunks here.
        let entry_bytes = if is_long { Policy::default().history.entry_bytes } else { entry_bytes };
        let policy = policy_with(|policy| policy.history.entry_bytes = entry_bytes);
        let start = if is_long { "a line\n".repeat(10_000) } else { "1\n2\n3\n".to_owned() };
        let mut party = Party::with(&start, policy);
        let mut reference = Reference::of(&start);
        for (number, act) in acts.into_iter().enumerate() {
            act.on(&mut party, number);
            reference.follow(&party.world);
        }
        check(&party.world, &reference);
    }
}
