//! Undo of one of many people, on recorded histories and among many entries.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use canvas_core::document::Edit;
use canvas_core::history::{
    ChangeSelection, ChangesOf, HistoryMove, HistoryRefusal, RedoOf, Undo, UndoRefusal, UndoScope,
};
use canvas_core::lease::Timestamp;
use canvas_core::store::{Commit, Committed, Layer, Loaded, MemoryStore, StoreError};
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob, BlobId, CallId, CanvasId, Engine, OpKey, PersonId, Policy};
use canvas_patch::Delta;
use flate2::read::GzDecoder;
use serde::Deserialize;

/// The recorded history of a file.
#[derive(Debug, Deserialize)]
pub struct History {
    /// The path of the file in its repository.
    pub file: String,
    /// The versions, oldest first.
    pub revisions: Vec<Version>,
}

/// A version of a file.
#[derive(Debug, Deserialize)]
pub struct Version {
    /// The anonymous name of the author, such as `author-3`.
    pub author: String,
    /// Seconds since 1970.
    pub at: u64,
    /// All lines of the file.
    pub text: String,
}

/// Reads the recorded histories. `None` if `CANVAS_DATA` does not have them.
///
/// # Errors
///
/// A line that is no such history.
pub fn histories() -> io::Result<Option<Vec<History>>> {
    let data = std::env::var_os("CANVAS_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let Ok(file) = File::open(data.join("histories/book.jsonl.gz")) else { return Ok(None) };
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    let histories = lines.map(|line| Ok(serde_json::from_str(&line?)?));
    histories.collect::<io::Result<_>>().map(Some)
}

/// A canvas on which people write, one call after another.
struct Shared<S> {
    engine: Engine<S>,
    canvas: CanvasId,
    calls: u64,
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_000)
}

fn person(name: &str) -> PersonId {
    PersonId::new(name).expect("short")
}

impl<S: canvas_core::store::Store> Shared<S> {
    fn new(store: S, text: &str, calls: u64) -> Self {
        let mut shared = Self::of(store, calls);
        let key = shared.key("nobody");
        block_on(shared.engine.create(&shared.canvas, text, &key, now())).expect("it is new");
        shared
    }

    fn of(store: S, calls: u64) -> Self {
        let canvas = CanvasId::new("c").expect("short");
        Self { engine: Engine::new(store, Policy::default()), canvas, calls }
    }

    fn key(&mut self, who: &str) -> OpKey {
        self.calls += 1;
        OpKey::person(person(who), CallId::new(&format!("call {}", self.calls)).expect("short"))
    }

    fn edit(&mut self, who: &str, text: &str) {
        let key = self.key(who);
        let edited = block_on(self.engine.call(&self.canvas, &key, Edit::overwrite(text), now()));
        edited.expect("the store answers").result.expect("an edit of the whole text");
    }

    #[expect(clippy::result_large_err, reason = "a bench calls it")]
    fn undo(
        &mut self,
        who: &str,
        last: Option<NonZeroU32>,
        partial: bool,
    ) -> Result<HistoryMove, UndoRefusal> {
        let what = ChangeSelection { last, partial, ..ChangesOf::Person(person(who)).into() };
        let undo = Undo { by: Author::User, what: UndoScope::Select(what) };
        let key = self.key(who);
        block_on(self.engine.call(&self.canvas, &key, undo, now())).expect("the store answers").result
    }

    #[expect(clippy::result_large_err, reason = "a bench calls it")]
    fn redo(&mut self, who: &str) -> Result<HistoryMove, UndoRefusal> {
        let redo = RedoOf { by: Author::User, person: person(who) };
        let key = self.key(who);
        block_on(self.engine.call(&self.canvas, &key, redo, now())).expect("the store answers").result
    }

    fn text(&self) -> String {
        block_on(self.engine.snapshot(&self.canvas, now())).expect("it is there").text().to_owned()
    }
}

/// Results of undoing each author of some histories alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undone {
    /// Authors of files. A person who wrote in two files counts twice.
    pub authors: usize,
    /// Authors all of whose changes were undone.
    pub whole: usize,
    /// Other authors, some of whose changes a partial undo undid.
    pub partly: usize,
    /// The number of changes that these partial undos undid.
    pub changes: usize,
    /// The number of changes that stayed, each because another change touches it.
    pub kept: usize,
    /// Authors for whom a partial undo undid no change.
    pub refused: usize,
    /// Authors whose undo would have no effect.
    pub without_effect: usize,
    /// Undos that broke a law, for example by losing a line of another author, with file and author.
    pub faults: Vec<String>,
}

/// Plays a history once for each of its authors, and undoes the changes of this author.
///
/// # Panics
///
/// Panics if a history has no versions, or if it does not play.
pub fn undo_each(history: &History, undone: &mut Undone) {
    let mut authors: Vec<&str> = history.revisions.iter().map(|version| version.author.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    let lines = lines_with_authors(&history.revisions);
    let last = &history.revisions.last().expect("a history has versions").text;
    for author in authors {
        undone.authors += 1;
        let mut shared = Shared::new(MemoryStore::new(now), "", 0);
        history.revisions.iter().for_each(|version| shared.edit(&version.author, &version.text));
        let before = shared.text();
        assert_eq!(before, *last, "{}", history.file);
        let others: Vec<&str> =
            lines.iter().filter(|(_, by)| *by != author).map(|(line, _)| line.as_str()).collect();
        let mut fault = |what: &str| undone.faults.push(format!("{} {author}: {what}", history.file));
        let has_named_place = match shared.undo(author, None, false) {
            Ok(_) => {
                undone.whole += 1;
                if !has_all(&shared.text(), &others) {
                    fault("a line of another author is lost");
                }
                if shared.redo(author).is_err() || shared.text() != before {
                    fault("redo does not restore");
                }
                continue;
            }
            Err(UndoRefusal::History(HistoryRefusal::NothingToUndo)) => {
                undone.without_effect += 1;
                continue;
            }
            Err(UndoRefusal::History(HistoryRefusal::HistoryConflict { .. })) => true,
            Err(_) => false,
        };
        if !has_named_place || shared.text() != before {
            fault("refused without a place, or with a change");
            continue;
        }
        match shared.undo(author, None, true) {
            Ok(moved) => {
                if moved.kept.iter().any(|kept| kept.with.is_none()) {
                    fault("a change stays without a place");
                }
                if !has_all(&shared.text(), &others) {
                    fault("a line of another author is lost by a partial undo");
                }
                if moved.entries.is_empty() {
                    undone.refused += 1;
                    continue;
                }
                undone.partly += 1;
                undone.changes += moved.entries.len();
                undone.kept += moved.kept.len();
                if shared.redo(author).is_err() || shared.text() != before {
                    fault("redo does not restore a partial undo");
                }
            }
            Err(refusal) => fault(&format!("partial undo is refused: {refusal}")),
        }
    }
}

/// Returns the lines of the last version with the authors who last wrote them.
fn lines_with_authors(versions: &[Version]) -> Vec<(String, &str)> {
    let (mut text, mut lines): (&str, Vec<(String, &str)>) = ("", Vec::new());
    for Version { author, text: next, .. } in versions {
        let mut at = 0;
        let starts: BTreeMap<usize, usize> = lines
            .iter()
            .enumerate()
            .map(|(nth, (line, _))| {
                at += line.len();
                (at - line.len(), nth)
            })
            .collect();
        for edit in Delta::between(text, next).edits().iter().rev() {
            let nth = |at: usize| starts.get(&at).copied().unwrap_or(lines.len());
            let range = nth(edit.at)..nth(edit.at + edit.old.len());
            let new = edit.new.split_inclusive('\n').map(|line| (line.to_owned(), author.as_str()));
            lines.splice(range, new);
        }
        text = next;
    }
    assert_eq!(lines.iter().map(|(line, _)| line.as_str()).collect::<String>(), text);
    lines
}

/// Whether all these lines occur in a text, in order.
fn has_all(text: &str, wanted: &[&str]) -> bool {
    let mut lines = text.split_inclusive('\n');
    wanted.iter().all(|line| lines.any(|other| other == *line))
}

/// Counts the round trips and the blobs that an engine reads. Copies share store and counts.
#[derive(Debug, Clone)]
struct Asked(Arc<(MemoryStore, AtomicUsize, AtomicUsize)>);

impl Asked {
    /// Returns the round trips and the blobs read since the last call.
    fn take(&self) -> (usize, usize) {
        (self.0.1.swap(0, Ordering::Relaxed), self.0.2.swap(0, Ordering::Relaxed))
    }

    fn count(&self, blobs: usize) {
        self.0.1.fetch_add(1, Ordering::Relaxed);
        self.0.2.fetch_add(blobs, Ordering::Relaxed);
    }
}

impl Layer for Asked {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.0.0
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.count(0);
        canvas_core::store::Store::load(self.inner(), canvas).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.count(0);
        canvas_core::store::Store::commit(self.inner(), commit).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        self.count(1);
        canvas_core::store::Store::blob(self.inner(), canvas, id).await
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        self.count(ids.len());
        canvas_core::store::Store::blobs(self.inner(), canvas, ids).await
    }
}

/// An undo of the last ten changes of one of many people.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Entries since the oldest of the ten changes.
    pub since: usize,
    /// Requests to the store.
    pub round_trips: usize,
    /// Blobs read.
    pub blobs: usize,
    /// Time of the call.
    pub time: Duration,
}

/// Undoes the last ten changes of one of 100 people who made `entries` changes in a random order.
///
/// # Panics
///
/// If the engine refuses an edit or the undo.
pub fn undo_of_one_of_many(entries: usize, who: usize, is_warm: bool) -> Measured {
    const PEOPLE: usize = 100;
    let mut lines: Vec<String> = (0..PEOPLE).map(|line| format!("line {line}\n")).collect();
    let store = Asked(Arc::new((MemoryStore::new(now), AtomicUsize::new(0), AtomicUsize::new(0))));
    let mut shared = Shared::new(store.clone(), &lines.concat(), 0);
    let (mut seed, mut order) = (1 + who as u64, Vec::new());
    for number in 0..entries {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let who = usize::try_from(seed >> 33).expect("31 bits") % PEOPLE;
        lines[who] = format!("line {who}, {number}\n");
        shared.edit(&format!("p{who}"), &lines.concat());
        order.push(who);
    }
    let oldest = order.iter().rev().enumerate().filter(|(_, one)| **one == who).nth(9);
    let since = oldest.expect("each wrote often").0 + 1;
    if !is_warm {
        shared = Shared::of(store.clone(), shared.calls);
    }
    store.take();
    let begin = Instant::now();
    let undone = shared.undo(&format!("p{who}"), NonZeroU32::new(10), false);
    let time = begin.elapsed();
    assert_eq!(undone.expect("nobody else changes this line").entries.len(), 10);
    let (round_trips, blobs) = store.take();
    Measured { since, round_trips, blobs, time }
}
