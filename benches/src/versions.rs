//! Blame of 100 lines, the text after the first change, and the difference from there to the newest one, compared with git.
//! [`peers`](crate::peers) has Automerge and Yjs with the same history.
//!
//! The history replaces the first word of a line 1,001 times. `git blame`, `git show` and `git diff` start a process for
//! each answer, which counts. `git cat-file` is one process for all of them.

use std::cell::RefCell;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::document::Edit;
use canvas_core::history::PastDocument;
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::text::{LineRange, build};
use canvas_core::{CallId, CanvasId, CollectOptions, Engine, EngineError, OpKey, PersonId, Policy, Revision};
use serde_json::{Value, json};

use crate::git::{Repository, blamed_lines, commit};
use crate::inputs::document;
use crate::measure::{Effort, Subject, side_by_side};
use crate::people::Version;
use crate::report::Row;

/// Blame, texts and differences over a history, by subject.
pub const PAST: &str = "past";

/// Sizes of documents. Git stores each revision of a longer one in minutes.
const SIZES: [usize; 2] = [100_000, 1_000_000];

/// Changes of a history, and of one for a first look.
const CHANGES: [usize; 2] = [1_001, 21];

/// Lines to blame.
const LINES: usize = 100;

const NOW: Timestamp = Timestamp::from_millis(1_000);

const FILE: &str = "document.md";

/// A change of a history, which replaces bytes at a place.
struct Change {
    at: usize,
    old: String,
    new: String,
}

fn changes(size: usize, effort: Effort) -> (String, Vec<Change>) {
    let start = document(size);
    let mut text = start.clone();
    let change = |number: usize| {
        let mut place = number * 7_919 % text.len();
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        let at = text[..place].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find(['\n', ' ']).map_or(text.len(), |end| at + end);
        let new = format!("w{number}");
        let old = text[at..end].to_owned();
        text.replace_range(at..end, &new);
        Change { at, old, new }
    };
    let changes = (1..=CHANGES[usize::from(effort.is_quick())]).map(change).collect();
    (start, changes)
}

/// Returns the revisions of a history, the first of which is the start.
fn revisions(size: usize, effort: Effort) -> impl Iterator<Item = Version> {
    let (start, changes) = changes(size, effort);
    let text = start.clone();
    let changed = changes.into_iter().zip(1..).scan(text, |text, (Change { at, old, new }, number)| {
        text.replace_range(at..at + old.len(), &new);
        Some(Version { author: format!("author-{}", number % 3), at: number, text: text.clone() })
    });
    std::iter::once(Version { author: "author-0".to_owned(), at: 0, text: start }).chain(changed)
}

/// Returns the history of [`rows`] for peers in other languages, with offsets in UTF-16 units.
pub fn recorded(size: usize, effort: Effort) -> Value {
    let (start, changes) = changes(size, effort);
    let mut text = start.clone();
    let edits = changes.iter().map(|Change { at, old, new }| {
        let place = text[..*at].encode_utf16().count();
        text.replace_range(*at..at + old.len(), new);
        json!([place, old.encode_utf16().count(), new])
    });
    let edits: Vec<_> = edits.collect();
    json!({"text": start, "edits": edits, "after": text})
}

/// A canvas with the history, its text after the first change, and its last text. A collection keeps the very first text.
struct Canvas {
    engine: Engine<MemoryStore>,
    id: CanvasId,
    clock: Arc<AtomicU64>,
    texts: [String; 2],
    newest: Revision,
}

impl Canvas {
    fn new(size: usize, effort: Effort) -> Self {
        let clock = Arc::new(AtomicU64::new(1_000));
        let of_store = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(of_store.load(Ordering::Relaxed)));
        let (engine, id) = (Engine::new(store, Policy::default()), CanvasId::new("c").expect("short"));
        let (mut texts, mut newest) = ([String::new(), String::new()], Revision::ZERO);
        for Version { author, at, text } in revisions(size, effort) {
            let call = CallId::new(&at.to_string()).expect("short");
            let key = OpKey::person(PersonId::new(&author).expect("short"), call);
            newest = Revision::new(at + 1).expect("it is low");
            if at == 0 {
                block_on(engine.create(&id, &text, &key, NOW)).expect("it is new");
            } else {
                let edited = block_on(engine.call(&id, &key, Edit::overwrite(&text), NOW));
                edited.expect("the store answers").result.unwrap_or_else(|_| panic!("an edit is refused"));
            }
            if at == 1 {
                texts[0].clone_from(&text);
            }
            texts[1] = text;
        }
        Self { engine, id, clock, texts, newest }
    }

    fn text(&self, at: Revision) -> Result<PastDocument, EngineError> {
        block_on(self.engine.document_at(&self.id, at, NOW))
    }

    /// Returns the number of the revision that last wrote each of the first lines.
    fn blame(&self, engine: &Engine<MemoryStore>) -> Result<Vec<u64>, EngineError> {
        let runs = block_on(engine.blame(&self.id, Some(LineRange { start: 1, end: LINES }), NOW))?;
        let lines = runs.iter().flat_map(|run| {
            let revision = run.writer.as_ref().map_or(1, |writer| writer.revision.get());
            std::iter::repeat_n(revision, run.end_line + 1 - run.start_line)
        });
        Ok(lines.collect())
    }

    /// Drops the texts that the history does not need.
    fn collect(&self) {
        self.clock.fetch_add(10_000_000, Ordering::Relaxed);
        block_on(self.engine.collect(&self.id, CollectOptions::default())).expect("it is there");
    }
}

/// Measures all of them.
///
/// # Panics
///
/// If the engine refuses a call.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if !SIZES.contains(&size) {
        return Vec::new();
    }
    let [canvas, collected] = [(); 2].map(|()| Canvas::new(size, effort));
    collected.collect();
    let folder = std::env::temp_dir().join(format!("canvas-past-{}", std::process::id()));
    let repository = Repository::new(&folder, |git| {
        let mut revisions = revisions(size, effort).zip(1..);
        revisions.try_for_each(|(version, number)| commit(git, 0, FILE, (number, &version)))
    });
    let (first, newest, [before, after]) =
        (Revision::new(2).expect("it is low"), canvas.newest, &canvas.texts);
    let back = format!("0~{}", newest.get() - first.get());
    let before_name = format!("{back}:{FILE}");
    let git = |arguments: &[&str]| match &repository {
        Ok(repository) => repository.run(arguments),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    let blamed = canvas.blame(&canvas.engine).expect("it is there");
    let is_blame = |lines: &Vec<u64>| *lines == blamed;
    let is_before = |text: &Vec<u8>| text == before.as_bytes();
    let cold = || Engine::new(canvas.engine.store().clone(), *canvas.engine.policy());
    let both = || Ok::<_, EngineError>((canvas.text(first)?, canvas.text(newest)?));
    let patch = build(before, after, 3);
    let lines = format!("-L1,{LINES}");
    let batch =
        RefCell::new(repository.as_ref().map_err(|e| io::Error::other(e.to_string())).and_then(Batch::new));
    let subjects = [
        Subject::memcpy(before.as_bytes()),
        Subject::new("blame", || canvas.blame(&canvas.engine), is_blame),
        Subject::new("blame, cold", || canvas.blame(&cold()), is_blame),
        Subject::new(
            "git blame",
            || git(&["blame", "--line-porcelain", &lines, "0", "--", FILE]),
            |printed| {
                blamed_lines(printed).iter().map(|line| line.revision as u64).eq(blamed.iter().copied())
            },
        ),
        Subject::new("text", || canvas.text(first), |past| past.text() == before),
        Subject::new("text, collected", || collected.text(first), |past| past.text() == before),
        Subject::new("git show", || git(&["show", &before_name]), is_before),
        Subject::new("git cat-file", || Batch::text(&batch, &before_name), is_before),
        Subject::new(
            "texts and patch",
            || both().map(|(a, b)| build(a.text(), b.text(), 3)),
            |p| *p == patch,
        ),
        Subject::new(
            "diff",
            || block_on(canvas.engine.diff(&canvas.id, first, newest, NOW)),
            |diff| diff.patch == patch,
        ),
        Subject::new("git diff", || git(&["diff", &back, "0"]), |printed| !printed.is_empty()),
    ];
    let rows = Row::of(work, size, side_by_side(&subjects, effort));
    drop(subjects);
    drop(batch);
    // Nobody needs it any more.
    let _ = std::fs::remove_dir_all(&folder);
    rows
}

/// A `git cat-file --batch` that waits for names.
struct Batch {
    git: Child,
    printed: BufReader<ChildStdout>,
}

impl Batch {
    fn new(repository: &Repository) -> io::Result<Self> {
        let mut git = repository.git(&["cat-file", "--batch=%(objectsize)"]).spawn()?;
        let printed = BufReader::new(git.stdout.take().expect("it is piped"));
        Ok(Self { git, printed })
    }

    fn text(batch: &RefCell<io::Result<Self>>, name: &str) -> io::Result<Vec<u8>> {
        let mut batch = batch.borrow_mut();
        let Self { git, printed } = batch.as_mut().map_err(|error| io::Error::other(error.to_string()))?;
        writeln!(git.stdin.as_mut().expect("it is piped"), "{name}")?;
        let mut size = String::new();
        printed.read_line(&mut size)?;
        let mut text = vec![0; size.trim_end().parse().map_err(io::Error::other)?];
        printed.read_exact(&mut text)?;
        printed.read_line(&mut size)?;
        Ok(text)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.git.stdin.take());
        let _ = self.git.wait();
    }
}
