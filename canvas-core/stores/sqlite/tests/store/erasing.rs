//! Erasing beside writers, over and over: what is left of a secret in the file, in its log and in whatever lies beside them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

use canvas_core::document::Edit;
use canvas_core::lease::Turn;
use canvas_core::policy::HistoryLimits;
use canvas_core::store::Blocking;
use canvas_core::testing::block_on;
use canvas_core::{CanvasId, CodedError as _, CollectOptions, Engine, EngineError, Policy};
use canvas_store_sqlite::{SqliteOptions, SqliteStore};
use canvas_store_testing::{Folder, canvas, key, key_of, system_now};

/// Rounds of `cargo test`; `CANVAS_ERASURES` sets another number, and `.ci/deep erasures` runs 1,000.
const ROUNDS: u64 = 40;

/// Rounds in turns after which the secret was in the gap of a page, when the store only filled with zeros what it deleted.
const LEFT_BY_ZEROS: [u64; 6] = [95, 368, 463, 465, 796, 901];

/// What a writer does at most. It ends earlier, when the round is over.
const CHANGES: u64 = 2_000;

/// How often a round asks again where an erase could not be finished.
const TRIES: u32 = 20;

type Server = Engine<Blocking<SqliteStore>>;

/// Numbers of a seed (SplitMix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.next() as usize % choices.len()]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low)
    }

    /// A text that no secret is part of.
    fn text(&mut self, bytes: u64) -> String {
        let mut text = String::new();
        while (text.len() as u64) < bytes {
            text.push_str(&format!("{:x} ", self.next()));
            if self.chance(10) {
                text.push_str("– ölig\n");
            }
        }
        text
    }
}

/// How a round goes.
#[derive(Debug)]
struct Round {
    /// Times that the secret stands one after the other, so that a part of a long one is found too.
    repeats: usize,
    /// Bytes of other text around it, at most.
    around: u64,
    edits: u64,
    /// Pages of new files, or those of files of earlier formats.
    page_bytes: u64,
    entry_bytes: usize,
    writers: u64,
    /// Whether these take turns with the user of the secret, so that the round goes the same each time; else each is a thread.
    in_turns: bool,
    /// Whether the writers have a connection of their own, or all the same engine.
    own_stores: bool,
    /// Whether a writer edits the canvas of the secret too.
    same_canvas: bool,
    deletes: bool,
    /// Whether each writer collects its own canvas now and then.
    collects: bool,
    /// Whether the canvas of the secret is collected before it is erased, which leaves packs behind.
    collected_before: bool,
    /// Other canvases of the file that nobody writes meanwhile.
    quiet: u64,
}

impl Round {
    fn draw(draw: &mut Draw) -> Self {
        let deletes = draw.chance(30);
        Self {
            repeats: draw.of(&[1, 1, 1, 1, 3, 40, 400]),
            around: draw.of(&[1, 60, 60, 300, 3_000, 9_000]),
            edits: draw.within(3, 24),
            page_bytes: draw.of(&[4_096, 8_192]),
            entry_bytes: draw.of(&[0, 200, Policy::default().history.entry_bytes]),
            writers: draw.of(&[0, 1, 2, 4, 4, 4]),
            in_turns: draw.chance(50),
            own_stores: draw.chance(70),
            same_canvas: !deletes && draw.chance(30),
            deletes,
            collects: draw.chance(80),
            collected_before: draw.chance(30),
            quiet: draw.within(0, 6),
        }
    }

    fn open(&self, folder: &Folder) -> Server {
        // A machine with much else to do is no fault of an erase.
        let options = SqliteOptions { busy_timeout: Duration::from_secs(120), ..SqliteOptions::default() };
        let store = SqliteStore::open_with(folder.file(), system_now, options).unwrap();
        let policy = Policy {
            min_blob_age: Duration::ZERO,
            history: HistoryLimits { entry_bytes: self.entry_bytes, ..Default::default() },
            ..Policy::default()
        };
        Engine::new(Blocking::new(store), policy)
    }
}

fn edit(engine: &Server, canvas: &CanvasId, call: &str, text: String) -> Result<(), EngineError> {
    let call = key_of("user", Turn::ZERO, call);
    block_on(engine.call(canvas, &call, Edit::overwrite(text), system_now()))?.result.unwrap();
    Ok(())
}

/// Another user, who writes beside the secret.
struct Beside {
    canvas: CanvasId,
    /// Whether nobody else has the canvas.
    is_own: bool,
    collects: bool,
    draw: Draw,
}

impl Beside {
    /// The writer of a number: the first one may write the canvas of the secret.
    fn new(engine: &Server, round: &Round, number: u64, seed: u64) -> Self {
        let is_own = !(round.same_canvas && number == 0);
        let canvas = canvas(&if is_own { format!("beside-{number}") } else { "c".to_owned() });
        if is_own {
            block_on(engine.create(&canvas, "first\n", &key("create"), system_now())).unwrap();
        }
        Self { canvas, is_own, collects: round.collects, draw: Draw(seed) }
    }

    /// One change, and now and then a collection.
    fn step(&mut self, engine: &Server) {
        let bytes = self.draw.of(&[1, 40, 700, 2_500, 6_000]);
        let (call, text) = (format!("{:x}", self.draw.next()), self.draw.text(bytes));
        let mut done = edit(engine, &self.canvas, &call, text);
        if self.is_own && self.collects && self.draw.chance(20) {
            let older_than = Duration::from_nanos(1);
            let keep = CollectOptions { history: Some(3), older_than, ..CollectOptions::default() };
            done = done.and_then(|()| block_on(engine.collect(&self.canvas, keep)).map(drop));
        }
        match done {
            Ok(()) | Err(EngineError::Contention { .. }) => {}
            Err(e) => panic!("{}: {e}", self.canvas),
        }
    }
}

/// How often a secret is in each file of a folder.
fn found(folder: &Folder, secret: &str) -> BTreeMap<String, usize> {
    let count = |name: &String| {
        // A log that is emptied meanwhile is still there.
        let bytes = fs::read(folder.path().join(name)).unwrap();
        let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == secret.as_bytes()[0]);
        starts.filter(|(at, _)| bytes[*at..].starts_with(secret.as_bytes())).count()
    };
    let found = folder.names().into_iter().map(|name| (count(&name), name));
    found.filter(|(count, _)| *count > 0).map(|(count, name)| (name, count)).collect()
}

/// Plays a round: where the secret was found after the erase, while others write and when they have ended.
fn play(round: &Round, draw: &mut Draw) -> [BTreeMap<String, usize>; 2] {
    let folder = Folder::new();
    folder.raw().execute_batch(&format!("PRAGMA page_size = {}; VACUUM", round.page_bytes)).unwrap();
    let secret = format!("S3cr3t{:016x}", draw.next());
    let (engine, id) = (round.open(&folder), canvas("c"));
    for quiet in 0..round.quiet {
        let (quiet, text) = (canvas(&format!("quiet-{quiet}")), draw.text(3_000));
        block_on(engine.create(&quiet, &text, &key("create"), system_now())).unwrap();
    }
    block_on(engine.create(&id, "first\n", &key("create"), system_now())).unwrap();
    let over = AtomicBool::new(false);
    let while_written = thread::scope(|scope| {
        let _end = End(&over);
        let mut in_turns = Vec::new();
        for number in 0..round.writers {
            let (engine, folder, over, seed) = (&engine, &folder, &over, draw.next());
            let connect = move || round.own_stores.then(|| round.open(folder));
            if round.in_turns {
                let own = connect();
                let beside = Beside::new(own.as_ref().unwrap_or(engine), round, number, seed);
                in_turns.push((own, beside));
                continue;
            }
            scope.spawn(move || {
                let own = connect();
                let engine = own.as_ref().unwrap_or(engine);
                let mut beside = Beside::new(engine, round, number, seed);
                for _ in 0..CHANGES {
                    if over.load(Ordering::SeqCst) {
                        break;
                    }
                    beside.step(engine);
                }
            });
        }
        leak(&engine, &id, (round, &secret), draw, &mut |steps| {
            for (own, beside) in &mut in_turns {
                (0..steps).for_each(|_| beside.step(own.as_ref().unwrap_or(&engine)));
            }
        });
        erase(&engine, &id);
        found(&folder, &secret)
    });
    let left = [while_written, found(&folder, &secret)];
    if !round.deletes && !round.same_canvas {
        assert_eq!(block_on(round.open(&folder).snapshot(&id, system_now())).unwrap().text(), "clean\n");
    }
    let check: String = folder.raw().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    left
}

/// Ends the writers, also where the round panics.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Writes the secret and takes it out of the document again.
fn leak(
    engine: &Server,
    id: &CanvasId,
    (round, secret): (&Round, &str),
    draw: &mut Draw,
    beside: &mut dyn FnMut(u64),
) {
    for change in 0..round.edits {
        let (before, after) = (draw.within(0, round.around), draw.within(0, round.around));
        let text = format!("{}{}{}", draw.text(before), secret.repeat(round.repeats), draw.text(after));
        edit(engine, id, &format!("leak-{change}"), text).unwrap();
        beside(draw.within(0, 4));
    }
    if round.deletes {
        block_on(engine.delete(id, &key("delete"), system_now())).unwrap();
    } else {
        edit(engine, id, "clean", "clean\n".to_owned()).unwrap();
    }
    beside(draw.within(0, 8));
    if round.collected_before {
        let older_than = Duration::from_nanos(1);
        let keep = CollectOptions { history: Some(2), older_than, ..CollectOptions::default() };
        block_on(engine.collect(id, keep)).unwrap();
        beside(draw.within(0, 8));
    }
}

/// Erases a canvas, and asks again where that could not be finished.
fn erase(engine: &Server, id: &CanvasId) {
    let ask = || block_on(engine.erase(id, &key("erase"), system_now()));
    let mut erased = ask();
    for _ in 1..TRIES {
        if !erased.as_ref().is_err_and(EngineError::is_retryable) {
            break;
        }
        erased = ask();
    }
    erased.unwrap();
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures of a test")]
fn a_secret_is_in_no_file_once_it_is_erased_beside_writers() {
    let rounds = env::var("CANVAS_ERASURES").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let mut failed = Vec::new();
    for seed in (0..rounds).chain(LEFT_BY_ZEROS) {
        let mut draw = Draw(seed);
        let round = Round::draw(&mut draw);
        let found = play(&round, &mut draw);
        if found.iter().any(|files| !files.is_empty()) {
            failed.push(format!("seed {seed}: {found:?} in {round:?}"));
        }
    }
    println!("{} rounds, {} with a secret left", rounds + LEFT_BY_ZEROS.len() as u64, failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
