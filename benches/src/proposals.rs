//! What proposals cost: an edit beside open parts, an accepted part beside a patch, and a redline.

use std::time::{Duration, Instant};

use canvas_core::document::{ApplyPatch, Edit, Look, Shown};
use canvas_core::lease::Timestamp;
use canvas_core::policy::WriteRules;
use canvas_core::proposal::{DecideParts, Propose, ProposedChange};
use canvas_core::rollout::Rollout;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, Command, ConversationId, Engine, OpKey, PersonId, Policy, Snapshot};

use crate::counted::Counted;
use crate::inputs::document;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// Runs of which the median counts.
const RUNS: usize = 31;

/// A work with open parts beside the same without.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// The median time of the work with open parts, and without.
    pub times: [Duration; 2],
    /// The median of the bytes that a store gets, with open parts and without.
    pub bytes: [u64; 2],
}

/// A canvas, of whose lines every nth has an open part.
struct Bench {
    engine: Engine<Counted<MemoryStore>>,
    canvas: CanvasId,
    calls: u64,
}

impl Bench {
    fn new(text: &str, parts: usize) -> Self {
        let policy = Policy {
            rollout: Rollout::Write,
            writes: WriteRules { rebase: true, ..WriteRules::default() },
            ..Policy::default()
        };
        let engine = Engine::new(Counted::new(MemoryStore::new(|| NOW)), policy);
        let mut bench = Self { engine, canvas: CanvasId::new("c").expect("short"), calls: 0 };
        let key = bench.key();
        block_on(bench.engine.create(&bench.canvas, text, &key, NOW)).expect("it is new");
        if parts > 0 {
            let change = ProposedChange::Text(with_parts(text, parts));
            bench.run(Propose { change, reason: None });
        }
        bench
    }

    fn key(&mut self) -> OpKey {
        self.calls += 1;
        let call = CallId::new(&self.calls.to_string()).expect("short");
        OpKey::person(PersonId::new("Anna").expect("short"), call)
    }

    fn run<C: Command>(&mut self, command: C) -> (C::Done, Snapshot) {
        let key = self.key();
        let answered = block_on(self.engine.call(&self.canvas, &key, command, NOW));
        let answered = answered.expect("the store answers");
        (answered.result.unwrap_or_else(|_| panic!("a call is refused")), answered.snapshot)
    }

    /// Types a letter at the end of a line without a part.
    fn type_in(&mut self, number: usize) -> (Duration, u64) {
        let snapshot = block_on(self.engine.snapshot(&self.canvas, NOW)).expect("it is there");
        let lines: Vec<&str> = snapshot.text().split_inclusive('\n').collect();
        let at = lines.len() / RUNS * number;
        let free = (at..lines.len()).find(|line| is_free(&lines, *line)).expect("most lines are free");
        let start: usize = lines[..free].iter().map(|line| line.len()).sum();
        let mut text = snapshot.text().to_owned();
        text.insert(start + lines[free].len() - 1, 'x');
        let edit = Edit::on(snapshot.revision_id(), text);
        drop(snapshot);
        let before = self.engine.store().put();
        let begin = Instant::now();
        self.run(edit);
        (begin.elapsed(), self.engine.store().put().since(before).bytes)
    }

    fn accept(&mut self) -> (Duration, u64) {
        let (open, _) = block_on(self.engine.proposals(&self.canvas, NOW)).expect("it is there");
        let parts = &open.list()[0].parts;
        let part = parts[parts.len() / 2].view.id;
        drop(open);
        let before = self.engine.store().put();
        let begin = Instant::now();
        self.run(DecideParts::accept([part]));
        (begin.elapsed(), self.engine.store().put().since(before).bytes)
    }

    /// Patches a line as a model does.
    fn patch(&mut self, number: usize) -> (Duration, u64) {
        let chat = ConversationId::new("chat").expect("short");
        let mut key = || {
            self.calls += 1;
            OpKey::of(chat.clone(), CallId::new(&self.calls.to_string()).expect("short"))
        };
        let (look, apply) = (key(), key());
        let look = block_on(self.engine.call(&self.canvas, &look, Look { shown: Shown::default() }, NOW));
        let snapshot = look.expect("the store answers").snapshot;
        let lines: Vec<&str> = snapshot.text().lines().collect();
        let line = lines.len() / RUNS * number;
        let (from, to) = (line.max(1) - 1, line + 1);
        let patch = format!(
            "@@ -{0},3 +{0},3 @@\n {1}\n-{2}\n+{2} and more\n {3}\n",
            from + 1,
            lines[from],
            lines[from + 1],
            lines.get(to.max(from + 2)).copied().unwrap_or_default()
        );
        drop(snapshot);
        let before = self.engine.store().put();
        let begin = Instant::now();
        let patch = ApplyPatch { lease: None, patch, base: None, scope: None, shown: None };
        let patched = block_on(self.engine.call(&self.canvas, &apply, patch, NOW));
        let time = begin.elapsed();
        patched.expect("the store answers").result.expect("the patch fits");
        (time, self.engine.store().put().since(before).bytes)
    }
}

/// Whether no line near it is proposed to change.
fn is_free(lines: &[&str], line: usize) -> bool {
    line > 0 && lines.get(line + 1).is_some() && lines[line].len() > 20 && !lines[line].contains(PROPOSED)
}

/// What each part adds to its line.
const PROPOSED: &str = " (proposed)";

/// The text with a change in `parts` of its lines.
fn with_parts(text: &str, parts: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let every = lines.len() / parts;
    let proposed = |(number, line): (usize, &&str)| match line.strip_suffix('\n') {
        Some(bare) if number % every == every / 2 && number / every < parts => {
            format!("{bare}{PROPOSED}\n")
        }
        _ => (*line).to_owned(),
    };
    lines.iter().enumerate().map(proposed).collect()
}

/// Types letters into a document, with open parts and without.
///
/// # Panics
///
/// If the engine refuses an edit.
pub fn typing(size: usize, parts: usize) -> Beside {
    let text = document(size);
    let mut benches = [Bench::new(&text, parts), Bench::new(&text, 0)];
    beside(|which, run| benches[which].type_in(run))
}

/// Accepts one of the open parts of a document, beside a patch of a line of the same document.
///
/// # Panics
///
/// If the engine refuses a decision or a patch.
pub fn accepting(size: usize, parts: usize) -> Beside {
    let text = document(size);
    let mut benches = [Bench::new(&text, parts), Bench::new(&text, 0)];
    beside(|which, run| if which == 0 { benches[0].accept() } else { benches[1].patch(run) })
}

fn beside(mut run: impl FnMut(usize, usize) -> (Duration, u64)) -> Beside {
    let mut seen = [Vec::new(), Vec::new()];
    for number in 0..RUNS {
        for (which, seen) in seen.iter_mut().enumerate() {
            seen.push(run(which, number));
        }
    }
    let times = seen.each_mut().map(|seen| {
        seen.sort_unstable_by_key(|(time, _)| *time);
        seen[RUNS / 2].0
    });
    let bytes = seen.each_mut().map(|seen| {
        seen.sort_unstable_by_key(|(_, bytes)| *bytes);
        seen[RUNS / 2].1
    });
    Beside { times, bytes }
}

/// The median time of the redline of a document with open parts.
///
/// # Panics
///
/// If the engine refuses to propose.
pub fn redline(size: usize, parts: usize) -> Duration {
    let bench = Bench::new(&document(size), parts);
    let (open, _) = block_on(bench.engine.proposals(&bench.canvas, NOW)).expect("it is there");
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            std::hint::black_box(open.redline(None));
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_work_does_what_it_is_named_for() {
        let text = document(20_000);
        let mut bench = Bench::new(&text, 10);
        let parts = |bench: &Bench| {
            let (open, _) = block_on(bench.engine.proposals(&bench.canvas, NOW)).unwrap();
            open.list().first().map_or(0, |own| own.parts.len())
        };
        assert_eq!(parts(&bench), 10);
        bench.type_in(3);
        assert_eq!(parts(&bench), 10);
        bench.accept();
        assert_eq!(parts(&bench), 9);
    }
}
