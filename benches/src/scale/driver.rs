//! Drives the phases on one store.

use std::io;
use std::num::NonZeroU32;
use std::thread;
use std::time::{Duration, Instant};

use canvas_core::document::{ApplyPatch, Edit};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::rollout::Rollout;
use canvas_core::{Author, CallId, CanvasId, CollectOptions, ConversationId, Engine, OpKey, Policy};
use peakmem_alloc::PeakMemAllocTrait as _;

use super::keystrokes::Session;
use super::places::{Place, now};
use super::{MANY_SIZES, PHASES, Phase, Plan, SIZES};
use crate::counted::{Counted, Put};
use crate::inputs::document;
use crate::memory::COUNTING;

/// Models write without leases, so that a call is a write and nothing else, and blobs go as soon as nothing needs them.
fn policy() -> Policy {
    Policy { rollout: Rollout::Write, min_blob_age: Duration::from_millis(1), ..Policy::default() }
}

fn key(call: &str) -> OpKey {
    let conversation = ConversationId::new("model").expect("short");
    OpKey::of(conversation, CallId::new(call).expect("short"))
}

/// A canvas as its only writer knows it.
struct Canvas<'t> {
    id: CanvasId,
    /// What its lines say after their number and their count.
    lines: &'t [String],
    /// How often each line was written.
    counts: Vec<u32>,
    edits: u64,
}

/// Lines of a document of about a size in bytes.
fn lines(size: usize) -> Vec<String> {
    let text = document(size);
    let lines = text.lines().filter(|line| !line.is_empty());
    let mut left = size;
    let fits = lines.take_while(|line| {
        let bytes = line.len() + "000000 00000000 \n".len();
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    });
    fits.map(str::to_owned).collect()
}

impl<'t> Canvas<'t> {
    fn new(name: &str, lines: &'t [String]) -> Self {
        let id = CanvasId::new(name).expect("short");
        Self { id, lines, counts: vec![0; lines.len()], edits: 0 }
    }

    fn line(&self, at: usize) -> String {
        format!("{at:06} {:08} {}", self.counts[at], self.lines[at])
    }

    fn text(&self) -> String {
        (0..self.lines.len()).map(|at| self.line(at) + "\n").collect()
    }

    async fn create<P: Place>(&self, engine: &EngineOf<P>) {
        let made = engine.create(&self.id, &self.text(), &key("create"), now()).await;
        made.expect("it is new");
    }

    /// Changes a line as a model does.
    async fn edit<P: Place>(&mut self, engine: &EngineOf<P>, at: usize) {
        let old = self.line(at);
        self.counts[at] += 1;
        self.edits += 1;
        let patch = format!("@@\n-{old}\n+{}\n", self.line(at));
        let command = ApplyPatch { lease: None, patch, base: None, scope: None, shown: None };
        let call = key(&format!("toolu_01{:020}", self.edits));
        let answered = engine.call(&self.id, &call, command, now()).await;
        answered.expect("the store answers").result.expect("nobody else writes");
    }

    async fn read<P: Place>(&self, engine: &EngineOf<P>) {
        let snapshot = engine.snapshot(&self.id, now()).await.expect("it is there");
        assert_eq!(snapshot.text(), self.text(), "the last text that was answered is there");
    }
}

type EngineOf<P> = Engine<Counted<<P as Place>::Store>>;

/// What has passed since a phase began.
struct Watch<'p, P: Place> {
    place: &'p P,
    start: Instant,
    cpu: Option<f64>,
    put: Put,
    written: Option<u64>,
}

impl<'p, P: Place> Watch<'p, P> {
    fn start(place: &'p P, engine: &EngineOf<P>) -> Self {
        let (put, written) = (engine.store().put(), place.written());
        Self { place, start: Instant::now(), cpu: cpu_seconds(), put, written }
    }

    fn stop(self, phase: &'static str, calls: u64, engine: &EngineOf<P>) -> Phase {
        let seconds = self.start.elapsed().as_secs_f64();
        let cpu_seconds = self.cpu.zip(cpu_seconds()).map(|(before, after)| after - before);
        let put = engine.store().put().since(self.put);
        Phase {
            store: P::NAME,
            phase,
            size: None,
            calls,
            seconds,
            cpu_seconds,
            blobs: put.blobs,
            put: put.bytes,
            written: self.written.zip(self.place.written()).map(|(before, after)| after - before),
            disk: self.place.disk(),
            engine: None,
        }
    }
}

/// Seconds of processors that this process has taken, on Linux, where a tick is a hundredth.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may have spaces in it.
    let mut fields = stat.rsplit(')').next()?.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Knuth's generator, as in [`inputs`](crate::inputs).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Runs all phases on a store.
pub(super) fn measure<P: Place>(
    place: &P,
    plan: &Plan,
    out: &mut dyn FnMut(&Phase) -> io::Result<()>,
) -> io::Result<()> {
    let texts = MANY_SIZES.map(lines);
    let open = || Engine::new(Counted::new(place.open()), policy());
    let mut canvases: Vec<_> = (0..plan.canvases.max(1))
        .map(|number| Canvas::new(&format!("canvas-{number:08}"), &texts[usize::from(number % 10 == 9)]))
        .collect();
    let [create, edit, read, reopen, collect, edit_lines, types, undo] = PHASES;

    let engine = open();
    let watch = Watch::start(place, &engine);
    side_by_side(&mut canvases, plan.tasks, |canvases, _| {
        canvases.iter().for_each(|canvas| place.wait(canvas.create::<P>(&engine)));
    });
    out(&watch.stop(create, canvases.len() as u64, &engine))?;

    let watch = Watch::start(place, &engine);
    let each = plan.edits / plan.tasks.clamp(1, canvases.len());
    let edits = side_by_side(&mut canvases, plan.tasks, |canvases, task| {
        let mut dice = Dice(task as u64);
        for _ in 0..each {
            let canvas = &mut canvases[dice.below(canvases.len())];
            let at = dice.below(canvas.lines.len());
            place.wait(canvas.edit::<P>(&engine, at));
        }
    });
    out(&watch.stop(edit, (edits * each) as u64, &engine))?;
    drop(engine);

    COUNTING.reset_peak_memory();
    let engine = open();
    let watch = Watch::start(place, &engine);
    for canvas in &canvases {
        place.wait(canvas.read::<P>(&engine));
    }
    let peak = Some(COUNTING.get_peak_memory() as u64).filter(|peak| *peak > 0);
    out(&Phase { engine: peak, ..watch.stop(read, canvases.len() as u64, &engine) })?;
    drop(engine);

    let start = Instant::now();
    let engine = open();
    let opened = start.elapsed().as_secs_f64();
    let watch = Watch::start(place, &engine);
    place.wait(canvases[0].read::<P>(&engine));
    let first = watch.stop(reopen, 1, &engine);
    out(&Phase { seconds: first.seconds + opened, ..first })?;

    let collection = CollectOptions { older_than: Duration::ZERO, ..CollectOptions::default() };
    thread::sleep(P::GRAIN + policy().min_blob_age);
    let watch = Watch::start(place, &engine);
    for canvas in &canvases {
        place.wait(engine.collect(&canvas.id, collection)).expect("nothing needs what goes");
    }
    out(&watch.stop(collect, canvases.len() as u64, &engine))?;

    for size in SIZES {
        let text = lines(size);
        let mut canvas = Canvas::new(&format!("lines-{size:08}"), &text);
        place.wait(canvas.create::<P>(&engine));
        let (mut dice, before) = (Dice(size as u64), engine.store().put());
        let watch = Watch::start(place, &engine);
        let mut done = 0;
        while done < plan.lines as u64 && engine.store().put().since(before).bytes < plan.budget {
            let at = dice.below(text.len());
            place.wait(canvas.edit::<P>(&engine, at));
            done += 1;
        }
        out(&Phase { size: Some(size), ..watch.stop(edit_lines, done, &engine) })?;
        thread::sleep(P::GRAIN + policy().min_blob_age);
        let watch = Watch::start(place, &engine);
        place.wait(engine.collect(&canvas.id, collection)).expect("nothing needs what goes");
        place.wait(canvas.read::<P>(&engine));
        out(&Phase { size: Some(size), ..watch.stop(collect, 1, &engine) })?;
    }
    match Session::load() {
        Some(session) => play(place, &session, plan.keystrokes, [types, undo], out),
        None => Ok(()),
    }
}

/// Plays keystrokes as edits of a person, and undoes all of them, each by an engine of its own.
fn play<P: Place>(
    place: &P,
    session: &Session,
    keystrokes: usize,
    [types, undo]: [&'static str; 2],
    out: &mut dyn FnMut(&Phase) -> io::Result<()>,
) -> io::Result<()> {
    let id = CanvasId::new("keystrokes").expect("short");
    let open = || Engine::new(Counted::new(place.open()), policy());
    let (engine, mut calls, mut last) = (open(), 0, session.start().to_owned());
    place.wait(engine.create(&id, session.start(), &key("create"), now())).expect("it is new");
    let watch = Watch::start(place, &engine);
    for text in session.texts(keystrokes) {
        calls += 1;
        let key = OpKey::user(CallId::new(&format!("{calls}")).expect("short"));
        let answered = place.wait(engine.call(&id, &key, Edit::overwrite(text.clone()), now()));
        answered.expect("the store answers").result.expect("nobody else types");
        last = text;
    }
    let snapshot = place.wait(engine.snapshot(&id, now())).expect("it is there");
    assert_eq!(snapshot.text(), last, "the last text that was answered is there");
    assert!(keystrokes < session.len() || session.ends_with(&last), "it is the whole session");
    out(&Phase { size: Some(last.len()), ..watch.stop(types, calls, &engine) })?;
    drop(engine);

    let (engine, mut undone) = (open(), 0);
    let watch = Watch::start(place, &engine);
    loop {
        let key = OpKey::user(CallId::new(&format!("undo {undone}")).expect("short"));
        match place
            .wait(engine.call(
                &id,
                &key,
                Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) },
                now(),
            ))
            .expect("the store answers")
            .result
        {
            Ok(_) => undone += 1,
            Err(_) => break,
        }
    }
    let snapshot = place.wait(engine.snapshot(&id, now())).expect("it is there");
    assert_eq!(snapshot.text(), session.start(), "undone to the first text");
    out(&watch.stop(undo, undone, &engine))
}

/// Shares canvases among tasks, a thread each; the number of tasks.
fn side_by_side<'t>(
    canvases: &mut [Canvas<'t>],
    tasks: usize,
    work: impl Fn(&mut [Canvas<'t>], usize) + Sync,
) -> usize {
    let each = canvases.len().div_ceil(tasks.clamp(1, canvases.len()));
    let (work, shares) = (&work, canvases.chunks_mut(each));
    let tasks = shares.len();
    thread::scope(|scope| {
        for (task, share) in shares.enumerate() {
            scope.spawn(move || work(share, task));
        }
    });
    tasks
}
