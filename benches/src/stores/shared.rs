//! Eight conversations and eight people who write to one collaborative canvas in an SQLite file, beside the same tasks behind
//! one mutex, so that each of their calls is a commit by itself.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use canvas_core::document::{ApplyPatch, Edit};
use canvas_core::store::Blocking;
use canvas_core::testing::block_on;
use canvas_core::turn::{SendMessage, SetWorkMode, WorkMode};
use canvas_core::{CallId, Command, ConversationId, Engine, OpKey, PersonId};
use canvas_store_sqlite::{Durability, SqliteOptions, SqliteStore, system_clock};

use super::sqlite::Folder;
use super::writer::{SMALL, canvas, document, key, line, policy};
use super::{Rate, rates};
use crate::measure::Effort;

/// Conversations, and as many people. Each is a task with a thread and a line of its own.
const EACH: usize = 8;

/// A commit that was answered survives the end of the process.
pub(super) fn process(work: &'static str, effort: Effort) -> Vec<Rate> {
    shared(work, effort, Durability::Process, 25)
}

/// The same, with a commit that waits for the disk.
pub(super) fn power(work: &'static str, effort: Effort) -> Vec<Rate> {
    shared(work, effort, Durability::Power, 5)
}

fn shared(work: &'static str, effort: Effort, durability: Durability, each: u32) -> Vec<Rate> {
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

/// The tasks of one process, which share an engine, and how often each has written.
struct Tasks {
    engine: Engine<Blocking<SqliteStore>>,
    written: u64,
}

impl Tasks {
    fn new(folder: &Folder, name: &str, durability: Durability) -> Self {
        let options = SqliteOptions { durability, ..SqliteOptions::default() };
        let file = folder.0.join(format!("{name}.db"));
        let store = SqliteStore::open_with(file, system_clock, options).expect("the file can be made");
        let tasks = Self { engine: Engine::new(Blocking::new(store), policy()), written: 0 };
        block_on(tasks.engine.create(&canvas(), &document(SMALL), &key("create"), system_clock()))
            .expect("it is new");
        tasks.ask(&key("mode"), SetWorkMode { mode: WorkMode::Collaborative });
        for task in 0..EACH {
            tasks.ask(&OpKey::of(conversation(task), call(task, 0)), SendMessage);
        }
        tasks
    }

    fn ask<C: Command>(&self, key: &OpKey, command: C) {
        let answered = block_on(self.engine.call(&canvas(), key, command, system_clock()));
        answered.expect("the store answers").result.expect("each task has a line of its own");
    }

    /// Replaces the line of a task, as its conversation or as its person.
    fn replace(&self, task: usize, count: u64) {
        let (old, new, id) = (line(task, count), line(task, count + 1), call(task, count + 1));
        if task < EACH {
            let patch = format!("@@\n-{old}\n+{new}\n");
            let patch = ApplyPatch { lease: None, patch, base: None, scope: None, shown: None };
            self.ask(&OpKey::of(conversation(task), id), patch);
        } else {
            let person = PersonId::new(&format!("person {task}")).expect("short");
            let page = block_on(self.engine.snapshot(&canvas(), system_clock())).expect("it is there");
            let edit = Edit::on(page.revision_id(), page.text().replace(&old, &new));
            self.ask(&OpKey::person(person, id), edit);
        }
    }

    /// Has all of them write at once; behind a mutex where there is one. Returns the number of their writes.
    fn write(&mut self, each: u32, mutex: Option<&Mutex<()>>) -> u32 {
        let start = Arc::new(Barrier::new(2 * EACH));
        thread::scope(|scope| {
            for task in 0..2 * EACH {
                let (tasks, start) = (&*self, Arc::clone(&start));
                scope.spawn(move || {
                    start.wait();
                    for count in 0..u64::from(each) {
                        let turn = mutex.map(|mutex| mutex.lock().expect("no task panics"));
                        tasks.replace(task, tasks.written + count);
                        drop(turn);
                    }
                });
            }
        });
        self.written += u64::from(each);
        let text = block_on(self.engine.snapshot(&canvas(), system_clock())).expect("it is there");
        assert!((0..2 * EACH).all(|task| text.text().contains(&line(task, self.written))), "a write is lost");
        each * 2 * EACH as u32
    }
}

fn conversation(task: usize) -> ConversationId {
    ConversationId::new(&format!("conversation {task}")).expect("short")
}

fn call(task: usize, count: u64) -> CallId {
    CallId::new(&format!("toolu_01{task:02}{count:020}")).expect("short")
}
