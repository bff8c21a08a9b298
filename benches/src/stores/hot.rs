//! Eight tasks of one process that write to one canvas in an SQLite file, beside the same tasks behind one mutex, so that
//! each of their calls is a commit by itself.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use canvas_core::Engine;
use canvas_core::store::{Blocking, Store as _};
use canvas_core::testing::block_on;
use canvas_store_sqlite::{Durability, SqliteOptions, SqliteStore, system_clock};

use super::sqlite::Folder;
use super::writer::{LINES, SMALL, Writer, canvas, document, key, policy};
use super::{Rate, rates};
use crate::measure::Effort;

/// Tasks that write to one canvas, a thread each.
const TASKS: usize = 8;

/// What a commit that was answered survives: the end of the process.
pub(super) fn process(work: &'static str, effort: Effort) -> Vec<Rate> {
    hot(work, effort, Durability::Process, 50)
}

/// The same, with a commit that waits for the disk.
pub(super) fn power(work: &'static str, effort: Effort) -> Vec<Rate> {
    hot(work, effort, Durability::Power, 10)
}

/// Each task writes `each` times in a round; all of them fit into one lease.
fn hot(work: &'static str, effort: Effort, durability: Durability, each: u32) -> Vec<Rate> {
    let folder = Folder::new();
    let mut alone = Tasks::new(&folder, "alone", durability);
    let mut together = Tasks::new(&folder, "together", durability);
    rates(
        work,
        effort.long_rounds(),
        vec![
            ("one commit a call", Box::new(|| alone.write(each, Some(&Mutex::new(()))))),
            ("canvas", Box::new(|| together.write(each, None))),
        ],
    )
}

type Task = Writer<Blocking<SqliteStore>>;

/// The tasks of one process, which share an engine, and the one that has the lease for all of them.
struct Tasks {
    host: Task,
    tasks: Vec<Task>,
    written: u64,
}

impl Tasks {
    fn new(folder: &Folder, name: &str, durability: Durability) -> Self {
        let options = SqliteOptions { durability, ..SqliteOptions::default() };
        let file = folder.0.join(format!("{name}.db"));
        let store = SqliteStore::open_with(file, system_clock, options).expect("the file can be made");
        let engine = Arc::new(Engine::new(Blocking::new(store), policy()));
        block_on(engine.create(&canvas(), &document(SMALL), &key("create"), system_clock()))
            .expect("it is new");
        let task = |line| Writer::new(Arc::clone(&engine), line, system_clock);
        Self { host: task(LINES - 1), tasks: (0..TASKS).map(task).collect(), written: 1 }
    }

    /// Has all of them write at once; behind a mutex where there is one. The number of their writes.
    fn write(&mut self, each: u32, mutex: Option<&Mutex<()>>) -> u32 {
        let lease = block_on(self.host.check_out());
        let start = Barrier::new(TASKS);
        thread::scope(|scope| {
            for task in &mut self.tasks {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..each {
                        let turn = mutex.map(|mutex| mutex.lock().expect("no task panics"));
                        block_on(task.write(lease));
                        drop(turn);
                    }
                });
            }
        });
        block_on(self.host.check_in(lease));
        let writes = each * TASKS as u32;
        self.written += u64::from(writes);
        let row = block_on(self.host.engine.store().load(&canvas())).expect("it is there");
        let revision = row.expect("it was made").head.revision().get();
        assert_eq!(revision, self.written, "each write is one revision");
        writes
    }
}
