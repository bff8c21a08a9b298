//! What an observer is told.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::observe::{Basis, CallEnd, CommitEnd, Decision, EngineEvent, Observer, Settlement, WaitEnd};
use canvas_core::testing::block_on;
use canvas_core::{CanvasId, CollectOptions, Engine, Policy};
use proptest::prelude::*;

use super::laws::acts;
use super::observer::{Log, What};
use super::world::{Act, Asked, Crowd, Fate, NOW, World, id, key};

impl Asked {
    fn since(self, before: Self) -> Self {
        Self {
            loads: self.loads - before.loads,
            fetches: self.fetches - before.fetches,
            commits: self.commits - before.commits,
            done: self.done - before.done,
            conflicts: self.conflicts - before.conflicts,
            failed: self.failed - before.failed,
            collections: self.collections - before.collections,
        }
    }
}

/// A world whose gate is open, and what its observer is told.
fn open() -> (World, Arc<Log>, Asked) {
    let log = Arc::new(Log::default());
    let world = World::observed(log.clone());
    world.gate().open();
    let before = world.gate().asked();
    (world, log, before)
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Done),
        2 => Just(Fate::Slow),
        2 => Just(Fate::AnswerLost),
        2 => Just(Fate::LostOnTheWay),
        1 => Just(Fate::Definite),
        1 => Just(Fate::TooLarge),
        3 => Just(Fate::Overtaken),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Whatever befalls the commits and whoever gives up: what is told is well nested, agrees with what the store has seen
    /// and the callers were given, and has no text in it.
    #[test]
    fn what_is_told_is_what_was_done(
        acts in acts(),
        fates in prop::collection::vec(fate(), 0..12),
        drops in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..60), 0..4),
        from in 0_usize..40,
    ) {
        let log = Arc::new(Log::default());
        let world = World::observed(log.clone());
        let before = world.gate().asked();
        world.gate().befall(fates);
        let mut crowd = Crowd::begin(acts.iter().enumerate().map(|(i, act)| world.begin(act, i)));
        for step in 0..100_000 {
            for (which, _) in drops.iter().filter(|(_, when)| *when == step) {
                crowd.drop_call(which.index(acts.len()));
            }
            if crowd.poll_woken(from).is_some() {
                continue;
            }
            if crowd.is_done() {
                break;
            }
            world.gate().let_one_pass();
        }
        prop_assert!(crowd.is_done());
        log.check(world.gate().asked().since(before));
        log.check_answers(&crowd.said);
        // Texts have lines of their own; an id of a call has none.
        prop_assert!(!log.printed().contains("\\n"), "{}", log.printed());
    }
}

/// One call alone on a warm cache: it is decided, and committed.
#[test]
fn a_call_alone_is_told_in_order() {
    let (world, log, before) = open();
    super::world::block(world.edit(0));
    let told = log.whats();
    let [
        What::Began("edit"),
        What::Decided(Basis::Cached, Decision::Commit, None),
        What::CommitBegan { commit, calls: 1, blobs, bytes },
        What::CommitEnded(ended, CommitEnd::Done),
        What::Waited(Some(heard), WaitEnd::Stored),
        What::Ended { name: "edit", end: CallEnd::Answered, replayed: false },
    ] = told[..]
    else {
        panic!("{told:#?}")
    };
    assert_eq!((commit, commit), (ended, heard));
    assert!(blobs > 0 && bytes >= "0\n".len());
    log.check(world.gate().asked().since(before));
}

/// Others were faster: the conflict is told, and the second decision is on what it has brought.
#[test]
fn a_conflict_is_told_with_the_second_try() {
    let (world, log, before) = open();
    world.gate().befall([Fate::Overtaken]);
    super::world::block(world.edit(0));
    let waits = log.whats().into_iter().filter_map(|what| match what {
        What::Waited(_, end) => Some(end),
        _ => None,
    });
    assert_eq!(waits.collect::<Vec<_>>(), [WaitEnd::Conflict, WaitEnd::Stored]);
    let basis = log.whats().into_iter().filter_map(|what| match what {
        What::Decided(basis, Decision::Commit, None) => Some(basis),
        _ => None,
    });
    assert_eq!(basis.collect::<Vec<_>>(), [Basis::Cached, Basis::Fresh]);
    log.check(world.gate().asked().since(before));
}

/// What is refused, what is replayed and what has no answer.
#[test]
fn a_call_ends_with_its_code() {
    let (world, log, before) = open();
    let ends = || {
        let mut ends = log.whats();
        ends.retain(|what| matches!(what, What::Ended { .. }));
        match ends.last() {
            Some(What::Ended { end, replayed, .. }) => (*end, *replayed),
            _ => panic!("no call has ended"),
        }
    };
    super::world::block(world.edit(0));
    super::world::block(world.edit(0));
    assert_eq!(ends(), (CallEnd::Answered, true));
    let write = Act::Write("a", "x".to_owned());
    let check = [CallEnd::Refused("STALE_EPOCH"), CallEnd::Refused("STALE_EPOCH")];
    for (end, replayed) in check.into_iter().zip([false, true]) {
        super::world::block(world.begin(&write, 1));
        assert_eq!(ends(), (end, replayed));
    }
    world.gate().befall([Fate::Definite]);
    assert!(block_on(world.edit(2)).is_err());
    assert_eq!(ends(), (CallEnd::Failed("STORE_FAILED"), false));
    let absent = CanvasId::new("absent").unwrap();
    assert!(block_on(world.engine.snapshot(&absent, NOW)).is_err());
    assert_eq!(ends(), (CallEnd::Failed("CANVAS_NOT_FOUND"), false));
    let large = "x".repeat(Policy::default().document.bytes + 1);
    assert!(block_on(world.engine.create(&absent, &large, &key("host", "large"), NOW)).is_err());
    assert_eq!(ends(), (CallEnd::Failed("DOCUMENT_TOO_LARGE"), false));
    log.check(world.gate().asked().since(before));
}

/// A commit of unknown fate is settled, whether it has landed or not; for a canvas that is made too.
#[test]
fn how_a_doubt_was_settled_is_told() {
    for (fate, settlement) in
        [(Fate::AnswerLost, Settlement::Landed), (Fate::LostOnTheWay, Settlement::Barred)]
    {
        let (world, log, before) = open();
        world.gate().befall([fate]);
        super::world::block(world.edit(0));
        assert!(log.whats().contains(&What::Settled(settlement)), "{:#?}", log.whats());
        log.check(world.gate().asked().since(before));

        let before = world.gate().asked();
        let made = Arc::new(Log::default());
        let World { engine, .. } = world;
        let engine = engine.with_observer(made.clone());
        engine.store().befall([fate]);
        block_on(engine.create(&CanvasId::new("new").unwrap(), "", &key("host", "new"), NOW)).unwrap();
        assert!(made.whats().contains(&What::Settled(settlement)), "{:#?}", made.whats());
        made.check(engine.store().asked().since(before));
    }
}

/// How many calls share a commit, and that each of them has waited for it.
#[test]
fn the_size_of_a_shared_commit_is_told() {
    let log = Arc::new(Log::default());
    let world = World::observed(log.clone());
    let before = world.gate().asked();
    let mut crowd = Crowd::begin((0..9).map(|call| world.edit(call)));
    world.gate().open();
    crowd.run(0);
    let mut sizes = Vec::new();
    for what in log.whats() {
        let What::CommitBegan { commit, calls, .. } = what else { continue };
        let waited = |what: &&What| **what == What::Waited(Some(commit), WaitEnd::Stored);
        assert_eq!(log.whats().iter().filter(waited).count(), calls);
        sizes.push(calls);
    }
    assert_eq!(sizes, [1, 8]);
    log.check(world.gate().asked().since(before));
}

/// Who loses twice to others is held back, for as long as is told.
#[test]
fn a_pause_is_told() {
    let (log, paused) = (Arc::new(Log::default()), Arc::new(Mutex::new(Vec::new())));
    let World { engine, canvas } = World::observed(log.clone());
    let pauses = Arc::clone(&paused);
    let world = World {
        engine: engine.with_sleep(move |time| {
            pauses.lock().unwrap().push(time);
            async {}
        }),
        canvas,
    };
    world.gate().open();
    let before = world.gate().asked();
    world.gate().befall([Fate::Overtaken; 5]);
    super::world::block(world.edit(0));
    let told = log.whats().into_iter().filter_map(|what| match what {
        What::BackedOff(losses, pause) => Some((losses, pause)),
        _ => None,
    });
    let (losses, pauses): (Vec<_>, Vec<_>) = told.unzip();
    assert_eq!((losses, pauses), (vec![2, 4], paused.lock().unwrap().clone()));
    log.check(world.gate().asked().since(before));
}

/// Reads and collections are calls as well, and what they ask of the store is theirs.
#[test]
fn each_function_of_the_engine_is_a_call() {
    let (world, log, before) = open();
    let World { engine, canvas } = &world;
    (0..4).for_each(|call| drop(super::world::block(world.edit(call))));
    engine.forget(canvas);
    let document = world.head().document();
    block_on(async {
        engine.snapshot(canvas, NOW).await?;
        engine.revision_of(canvas).await?;
        engine.history(canvas, None, 10, NOW).await?;
        engine.stacks(canvas, None, 10, NOW).await?;
        engine.blobs_in_use(canvas, NOW).await?;
        engine.replay(canvas, NOW).await?;
        engine.document(canvas, document).await?;
        engine.recall(canvas, &key("user", "call 0"), &Edit::overwrite("0\n"), NOW).await?;
        engine.resolve(canvas, &key("user", "call 0"), NOW).await?;
        engine.collect(canvas, CollectOptions { history: Some(1), ..CollectOptions::default() }).await?;
        engine.erase(canvas, &key("user", "erase"), NOW).await?;
        engine.delete(canvas, &key("user", "delete"), NOW).await
    })
    .unwrap();
    let began = log.whats().into_iter().filter_map(|what| match what {
        What::Began(name) if name != "edit" => Some(name),
        _ => None,
    });
    let expected = "snapshot revision_of history stacks blobs_in_use replay document recall resolve collect erase delete";
    assert_eq!(began.collect::<Vec<_>>().join(" "), expected);
    let dropped = log.whats().into_iter().filter_map(|what| match what {
        What::Collected { blobs, end } => Some((blobs > 0, end)),
        _ => None,
    });
    // What is young stays, unless it is erased.
    assert_eq!(dropped.collect::<Vec<_>>(), [(false, CommitEnd::Done), (true, CommitEnd::Done)]);
    let fetched =
        log.whats().into_iter().filter(|what| matches!(what, What::Fetched { found, .. } if *found > 0));
    assert!(fetched.count() >= 4);
    log.check(world.gate().asked().since(before));
}

/// A call that was never polled has not begun.
#[test]
fn a_call_that_is_dropped_has_ended() {
    let log = Arc::new(Log::default());
    let world = World::observed(log.clone());
    let before = world.gate().asked();
    drop(world.edit(0));
    assert!(log.whats().is_empty());
    let mut crowd = Crowd::begin([world.edit(0)]);
    crowd.drop_call(0);
    let told = log.whats();
    let [.., What::CommitEnded(_, CommitEnd::Abandoned), What::Ended { end: CallEnd::Abandoned, .. }] =
        told[..]
    else {
        panic!("{told:#?}")
    };
    log.check(world.gate().asked().since(before));
}

/// Panics at some of its events.
struct Panics {
    from: usize,
    until: usize,
    events: AtomicUsize,
}

impl Observer for Panics {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn event(&self, event: &EngineEvent<'_>) {
        let number = self.events.fetch_add(1, Ordering::SeqCst);
        assert!(!(self.from..self.until).contains(&number), "the observer breaks at {}", event.kind.name());
    }
}

const CALLS: usize = 5;

/// Runs calls with an observer that panics at the events of these numbers, then each call again without one: how many
/// events there were.
fn run_with_panics(from: usize, until: usize) -> usize {
    let observer = Arc::new(Panics { from, until, events: AtomicUsize::new(0) });
    let world = World::observed(observer.clone());
    let canvas = world.canvas.clone();
    let mut said = Vec::new();
    {
        // The second commit loses, and then nobody knows what has become of the third.
        world.gate().befall([Fate::Done, Fate::Overtaken, Fate::AnswerLost]);
        let mut crowd = Crowd::begin([]);
        for call in 0..CALLS {
            if catch_unwind(AssertUnwindSafe(|| crowd.join(world.edit(call)))).is_err() {
                crowd.drop_polled();
            }
        }
        world.gate().open();
        for _ in 0..1_000 {
            // Who has panicked has no future any more.
            match catch_unwind(AssertUnwindSafe(|| crowd.poll_woken(0))) {
                Ok(None) => break,
                Ok(Some(_)) => {}
                Err(_) => crowd.drop_polled(),
            }
        }
        assert!(crowd.is_done(), "those beside the one that has panicked wait for ever: {from}..{until}");
        said.append(&mut crowd.said);
    }
    // Nothing is lost and nothing done twice: each call again is answered, and each has its one revision.
    let World { engine, .. } = world;
    let calm = World { engine: engine.with_observer(Arc::new(Log::default())), canvas };
    let again: Vec<_> = (0..CALLS).map(|call| super::world::block(calm.edit(call))).collect();
    assert_eq!(calm.head().revision().get(), 1 + CALLS as u64, "{from}..{until}");
    for (call, (said, again)) in said.iter().zip(&again).enumerate() {
        assert!(calm.gate().has(&calm.canvas, id(&format!("{call}\n"))));
        if let Some(Ok(said)) = said {
            assert!(again.replayed && again.json == said.json, "{from}..{until}: call {call} was answered");
        }
    }
    observer.events.load(Ordering::SeqCst)
}

/// Wherever an observer panics, once or from then on, as other panics unwind too.
#[test]
fn an_observer_that_panics_loses_nothing() {
    let events = run_with_panics(0, 0);
    assert!(events > 6 * CALLS, "{events}");
    for event in 0..events {
        run_with_panics(event, event + 1);
        run_with_panics(event, usize::MAX);
    }
}

/// Waits at each event of one canvas until the test lets it go.
struct Slow {
    canvas: CanvasId,
    go: Mutex<mpsc::Receiver<()>>,
}

impl Observer for Slow {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn event(&self, event: &EngineEvent<'_>) {
        if *event.canvas == self.canvas {
            // An error once the test has said all.
            let _ = self.go.lock().unwrap().recv();
        }
    }
}

/// While an observer takes its time at one canvas, others go on.
#[test]
fn a_slow_observer_holds_up_one_call() {
    let (go, waits) = mpsc::channel();
    let (slow, fast) = (CanvasId::new("slow").unwrap(), CanvasId::new("fast").unwrap());
    let store = canvas_core::store::MemoryStore::new(|| NOW);
    let observer = Arc::new(Slow { canvas: slow.clone(), go: Mutex::new(waits) });
    let engine = Engine::new(store, Policy::default()).with_observer(observer);
    thread::scope(|scope| {
        let made = scope.spawn(|| block_on(engine.create(&slow, "", &key("host", "1"), NOW)));
        for number in 0..6 {
            // Wherever the slow one stands by now.
            let canvas = CanvasId::new(&format!("{}-{number}", fast.as_str())).unwrap();
            block_on(engine.create(&canvas, "", &key("host", "1"), NOW)).unwrap();
            assert!(number > 0 || !made.is_finished());
            go.send(()).unwrap();
        }
        drop(go);
        assert!(made.join().is_ok());
    });
}
