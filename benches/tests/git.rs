//! Git as the judge of texts of the past and of blame, on 60 recorded histories with 2,034 revisions.
//!
//! Each revision is a commit of a repository and an edit of a canvas, by the same author at the same time. The text of each
//! revision has the same bytes. Blame follows from the differences between neighbouring revisions. The test checks that both
//! sides are right given their own differences:
//!
//! * The edits in the journal, and the patches of `git log`, each lead from one text to the next.
//! * The engine's blame follows from the edits in its journal, and git's from its patches.
//!
//! So a line that git blames on another revision was kept by one side's difference and not by the other's, in the newest
//! revision at which the two part. That is a tie if both could be right. There are four kinds, and `git_ties.tsv` counts them
//! for each file:
//!
//! * `equal` if both differences keep the same number of lines, so neither is better.
//! * `longer` if ours keeps more lines. Git does not search for the shortest difference.
//! * `other` if git keeps more lines, but does as we do if told to use `histogram` or `patience`. Our differences are histograms,
//!   which prefer rare lines as anchors. Git's default prefers many kept lines, also of blank lines and fences of code.
//! * `open` if git keeps more lines, and its own three algorithms do not agree about the line.
//!
//! Any other line fails the test. `CANVAS_TIES=1` prints each tie.

#![expect(clippy::print_stdout, reason = "the counts are the result")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_benches::git::{GitLine, Repository};
use canvas_benches::people::{History, Version, histories};
use canvas_core::document::Edit;
use canvas_core::history::Step;
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{Actor, CallId, CanvasId, CollectOptions, Engine, OpKey, PersonId, Policy, Revision};

/// For each line of a text, the line of the text before from which it was kept.
type Kept = Vec<Option<usize>>;

/// Numbers of ties, by their kind.
type Ties = BTreeMap<String, [usize; 4]>;

struct Canvas {
    engine: Engine<MemoryStore>,
    id: CanvasId,
    clock: Arc<AtomicU64>,
}

impl Canvas {
    fn of(history: &History) -> Self {
        let clock = Arc::new(AtomicU64::new(0));
        let of_store = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(of_store.load(Ordering::Relaxed)));
        let id = CanvasId::new("c").unwrap();
        let canvas = Self { engine: Engine::new(store, Policy::default()), id, clock };
        let key = OpKey::host("create".parse().unwrap());
        block_on(canvas.engine.create(&canvas.id, "", &key, canvas.now())).unwrap();
        for (Version { author, at, text }, number) in history.revisions.iter().zip(1..) {
            canvas.clock.store(at * 1_000, Ordering::Relaxed);
            let call = CallId::new(&format!("{number}")).unwrap();
            let key = OpKey::person(PersonId::new(author).unwrap(), call);
            let edited = block_on(canvas.engine.call(&canvas.id, &key, Edit::overwrite(text), canvas.now()));
            edited.unwrap().result.unwrap();
        }
        canvas
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    /// Returns the text of a revision of the history, counted from 1. The canvas was empty at first.
    fn text(&self, revision: usize) -> String {
        let revision = Revision::new(revision as u64 + 1).unwrap();
        block_on(self.engine.document_at(&self.id, revision, self.now())).unwrap().text().to_owned()
    }

    fn blame(&self) -> Vec<GitLine> {
        let runs = block_on(self.engine.blame(&self.id, None, self.now())).unwrap();
        let lines = runs.into_iter().flat_map(|run| {
            let writer = run.writer.expect("the first text is empty");
            let Actor::Person { person } = writer.actor else { panic!("{:?}", writer.actor) };
            let revision = usize::try_from(writer.revision.get() - 1).unwrap();
            let line = GitLine { revision, author: person.to_string(), at: writer.at.as_millis() / 1_000 };
            std::iter::repeat_n(line, run.end_line + 1 - run.start_line)
        });
        lines.collect()
    }

    /// Returns the lines that the edits in the journal keep.
    fn kept(&self, texts: &[String]) -> Vec<Kept> {
        let entries = block_on(self.engine.history(&self.id, None, texts.len(), self.now())).unwrap();
        let befores = std::iter::once("").chain(texts.iter().map(String::as_str));
        let steps = entries.iter().rev().zip(befores).map(|(entry, before)| {
            let Step::Document(step) = &entry.step else { panic!("{entry:?}") };
            let edits = step.delta.as_ref().expect("the changes are small").edits();
            let line = |at: usize| {
                assert!(before[..at].ends_with('\n') || [0, before.len()].contains(&at), "not at a line");
                lines(&before[..at]).count()
            };
            let hunks = edits.iter().map(|edit| {
                let old = edit.range();
                (line(old.start)..line(old.end), lines(&edit.new).count())
            });
            hunks.collect::<Vec<_>>()
        });
        steps.zip(texts).map(|(hunks, after)| kept(hunks, after)).collect()
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// Returns the lines that the hunks of a patch without context replace, and the number of new lines of each.
fn hunks(patch: &str) -> Vec<(Range<usize>, usize)> {
    let range = |side: &str| {
        let (start, count) = side[1..].split_once(',').unwrap_or_else(|| (&side[1..], "1"));
        let [start, count] = [start, count].map(|number| number.parse::<usize>().unwrap());
        // An empty side has the number of the line before it.
        let start = if count == 0 { start } else { start - 1 };
        start..start + count
    };
    let headers = patch.lines().filter_map(|line| line.strip_prefix("@@ ")?.split_once(" @@"));
    let sides = headers.filter_map(|(sides, _)| sides.split_once(' '));
    sides.map(|(old, new)| (range(old), range(new).len())).collect()
}

fn kept(hunks: Vec<(Range<usize>, usize)>, after: &str) -> Kept {
    let (mut kept, mut at) = (Kept::new(), 0);
    for (old, new) in hunks {
        kept.extend((at..old.start).map(Some));
        kept.extend(std::iter::repeat_n(None, new));
        at = old.end;
    }
    let rest = lines(after).count() - kept.len();
    kept.extend((at..at + rest).map(Some));
    kept
}

/// Checks that a difference keeps lines alone that are equal, in order, and returns how many.
#[track_caller]
fn check(kept: &Kept, before: &str, after: &str) -> usize {
    let (before, after): (Vec<_>, Vec<_>) = (lines(before).collect(), lines(after).collect());
    assert_eq!(kept.len(), after.len());
    let pairs: Vec<_> = kept.iter().zip(after).filter_map(|(from, line)| Some(((*from)?, line))).collect();
    assert!(pairs.iter().all(|(from, line)| before[*from] == *line), "a kept line is another one");
    assert!(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0), "a kept line is out of order");
    pairs.len()
}

/// Returns the revision that last wrote each line, from the kept lines of each revision.
fn blamed(steps: &[Kept]) -> Vec<usize> {
    let next = |by: Vec<usize>, (kept, revision): (&Kept, usize)| {
        kept.iter().map(|from| from.map_or(revision, |from| by[from])).collect()
    };
    steps.iter().zip(1..).fold(Vec::new(), next)
}

/// Returns the newest revision at which two histories of a line part, as an index, with the line there.
fn parting(ours: &[Kept], gits: &[Kept], mut line: usize) -> (usize, usize) {
    for step in (0..ours.len()).rev() {
        match (ours[step][line], gits[step][line]) {
            (Some(our), Some(git)) if our == git => line = our,
            _ => return (step, line),
        }
    }
    panic!("both have the line from the same revision");
}

/// Compares a history with git's, and returns the number of lines.
fn compare(repository: &Repository, branch: usize, history: &History, ties: &mut Ties) -> usize {
    let (file, canvas) = (&history.file, Canvas::of(history));
    let texts = repository.texts(branch, history).unwrap();
    assert_eq!(texts.len(), history.revisions.len());
    for (number, text) in texts.iter().enumerate() {
        assert!(canvas.text(number + 1) == *text, "{file}: another text of revision {}", number + 1);
    }
    let by_git = |algorithm| -> Vec<Kept> {
        let patches = repository.patches(branch, algorithm).unwrap();
        patches.iter().zip(&texts).map(|(patch, after)| kept(hunks(patch), after)).collect()
    };
    let (our_steps, git_steps) = (canvas.kept(&texts), by_git("default"));
    assert_eq!((our_steps.len(), git_steps.len()), (texts.len(), texts.len()));
    let (ours, gits) = (canvas.blame(), repository.blame(branch, history, texts.len()).unwrap());
    for (lines, steps) in [(&ours, &our_steps), (&gits, &git_steps)] {
        let expected: Vec<_> = blamed(steps)
            .into_iter()
            .map(|revision| {
                let Version { author, at, .. } = &history.revisions[revision - 1];
                GitLine { revision, author: author.clone(), at: *at }
            })
            .collect();
        assert_eq!(*lines, expected, "{file}");
    }
    let befores = std::iter::once("").chain(texts.iter().map(String::as_str)).zip(&texts);
    let numbers: Vec<[usize; 2]> = befores
        .zip(our_steps.iter().zip(&git_steps))
        .map(|((before, after), (ours, gits))| [ours, gits].map(|kept| check(kept, before, after)))
        .collect();
    let mut others = None;
    for line in (0..ours.len()).filter(|line| ours[*line].revision != gits[*line].revision) {
        let (step, at) = parting(&our_steps, &git_steps, line);
        let [our, git] = numbers[step];
        let kind = match our.cmp(&git) {
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 1,
            std::cmp::Ordering::Less => {
                let others = others.get_or_insert_with(|| ["histogram", "patience"].map(by_git));
                let others = others.each_ref().map(|steps| steps[step][at]);
                if others.contains(&our_steps[step][at]) {
                    2
                } else {
                    let is_open = others[0] != others[1] || others[0] != git_steps[step][at];
                    assert!(
                        is_open,
                        "{file}: line {} is {:?}, and not {:?}",
                        line + 1,
                        ours[line],
                        gits[line]
                    );
                    3
                }
            }
        };
        ties.entry(file.clone()).or_default()[kind] += 1;
        if std::env::var_os("CANVAS_TIES").is_some() {
            let text = lines(&texts[step]).nth(at).unwrap_or_default();
            let (our, git, kind) = (ours[line].revision, gits[line].revision, KINDS[kind]);
            println!("{file}\t{}\t{our}\t{git}\tat {}\t{kind}\t{text:?}", line + 1, step + 1);
        }
    }
    // The texts that the journal does not need are gone, and the blame is computed again.
    canvas.clock.fetch_add(3_600_000, Ordering::Relaxed);
    block_on(canvas.engine.collect(&canvas.id, CollectOptions::default())).unwrap();
    let engine = Engine::new(canvas.engine.store().clone(), Policy::default());
    let cold = Canvas { engine, ..canvas };
    assert_eq!(cold.blame(), ours, "{file}");
    for number in (1..=texts.len()).step_by(16) {
        assert!(
            cold.text(number) == texts[number - 1],
            "{file}: another text of revision {number}, collected"
        );
    }
    ours.len()
}

const KINDS: [&str; 4] = ["equal", "longer", "other", "open"];

#[test]
fn git_has_the_same_texts_and_blame() {
    let skipped = |why: &str| println!("SKIPPED: git as a judge of the past ({why})");
    let Some(histories) = histories().unwrap() else { return skipped("`CANVAS_DATA` has no `histories`") };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("git_has_the_same_texts_and_blame");
    let repository = match Repository::of(&folder, &histories) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return skipped(&error.to_string()),
        made => made.unwrap(),
    };
    let mut ties = Ties::new();
    let all = histories.iter().enumerate();
    let all: usize = all.map(|(branch, history)| compare(&repository, branch, history, &mut ties)).sum();
    let sum = |kind: usize| ties.values().map(|ties| ties[kind]).sum::<usize>();
    let sums: Vec<_> = KINDS.iter().zip(0..).map(|(name, kind)| format!("{name} {}", sum(kind))).collect();
    println!("git: {all} lines blamed, ties: {}", sums.join(", "));
    let row = |(file, ties): (&String, &[usize; 4])| {
        [&[file.clone()][..], &ties.map(|count| count.to_string())].concat().join("\t") + "\n"
    };
    let table = format!("file\t{}\n{}", KINDS.join("\t"), ties.iter().map(row).collect::<String>());
    assert_eq!(table, include_str!("git_ties.tsv"), "`CANVAS_TIES=1` prints the lines");
}
