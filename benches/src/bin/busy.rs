//! Prints how long reads of a thousand canvases wait while sixteen tasks write to one canvas of a megabyte.
//!
//! All share one engine and one runtime. A thread of its own hands a read to the runtime every millisecond, so that a busy
//! runtime does not delay the next one, and a read counts from then to its answer.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use canvas_benches::inputs::document;
use canvas_core::document::ApplyPatch;
use canvas_core::lease::Timestamp;
use canvas_core::policy::HistoryLimits;
use canvas_core::rollout::Rollout;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};

const OTHERS: usize = 1_000;
const WRITERS: usize = 16;
/// Threads of the runtime.
const THREADS: usize = 2;
const READS: usize = 5_000;
const EVERY: Duration = Duration::from_millis(1);

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    Timestamp::from_millis(u64::try_from(since.as_millis()).expect("before the year 500 million"))
}

fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).expect("short")
}

fn key(conversation: &str, call: &str) -> OpKey {
    let conversation = ConversationId::new(conversation).expect("short");
    OpKey::of(conversation, CallId::new(call).expect("short"))
}

fn line(writer: usize, count: u64) -> String {
    format!("Writer {writer:02} has written here for the {count:08}th time.")
}

/// Edits one line of the large canvas until `stop`.
async fn write(
    engine: Arc<Engine<MemoryStore>>,
    writer: usize,
    stop: Arc<AtomicBool>,
    edits: Arc<AtomicU64>,
) {
    let canvas = canvas("large");
    for count in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let patch = format!("@@\n-{}\n+{}\n", line(writer, count), line(writer, count + 1));
        let command = ApplyPatch { lease: None, patch, base: None, scope: None, shown: None };
        let answered =
            engine.call(&canvas, &key("model", &format!("{writer}-{count}")), command, now()).await;
        answered.expect("the store answers").result.expect("nobody else writes this line");
        edits.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads one canvas after another. Returns the times, shortest first.
fn read(runtime: &tokio::runtime::Runtime, engine: &Arc<Engine<MemoryStore>>) -> Vec<Duration> {
    let handle = runtime.handle().clone();
    let engine = Arc::clone(engine);
    let spawner = thread::spawn(move || {
        let begin = Instant::now();
        let reads = (0..READS).map(|read| {
            let due = begin + EVERY * u32::try_from(read).expect("few");
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let engine = Arc::clone(&engine);
            let begun = Instant::now();
            handle.spawn(async move {
                let canvas = canvas(&format!("other-{}", read % OTHERS));
                engine.snapshot(&canvas, now()).await.expect("it is there");
                begun.elapsed()
            })
        });
        reads.collect::<Vec<_>>()
    });
    let reads = spawner.join().expect("it only sleeps");
    let mut times: Vec<_> =
        reads.into_iter().map(|read| runtime.block_on(read).expect("a read does not panic")).collect();
    times.sort_unstable();
    times
}

fn main() -> io::Result<()> {
    let policy = Policy {
        rollout: Rollout::Write,
        history: HistoryLimits { changes: 0, ..Default::default() },
        ..Policy::default()
    };
    let engine = Arc::new(Engine::new(MemoryStore::new(now), policy));
    for other in 0..OTHERS {
        let id = canvas(&format!("other-{other}"));
        block_on(engine.create(&id, &document(2_000), &key("host", "create"), now())).expect("it is new");
    }
    let mut text = document(1_000_000);
    (0..WRITERS).for_each(|writer| text.extend(["\n", &line(writer, 0), "\n"]));
    block_on(engine.create(&canvas("large"), &text, &key("host", "create"), now())).expect("it is new");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).build()?;
    let mut out = io::stdout().lock();
    for writers in [0, WRITERS] {
        let (stop, edits) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let start = Instant::now();
        let tasks: Vec<_> = (0..writers)
            .map(|writer| {
                // Lines go on from where they are.
                runtime.spawn(write(Arc::clone(&engine), writer, Arc::clone(&stop), Arc::clone(&edits)))
            })
            .collect();
        let times = read(&runtime, &engine);
        stop.store(true, Ordering::Relaxed);
        tasks.into_iter().for_each(|task| runtime.block_on(task).expect("a write does not panic"));
        let edits = edits.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1_000.0;
        writeln!(
            out,
            "{writers:>2} writers: {edits:>6.0} edits a second; {READS} reads of others, ms: p50 {:.3}, p90 {:.3}, p99 {:.3}, longest {:.3}",
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        )?;
    }
    Ok(())
}
