//! What the stories stand on: folders, clocks, commits, other connections, other processes.

use std::fmt::Debug;
use std::io::{Write as _, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use std::{env, fs, process};

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::{
    Blob, BlockingStore, CallId, CanvasId, Commit, Committed, ConversationId, Engine, Fault, Head, HeadError,
    MemoryStore, OpKey, Policy, Store as _, Version, block_on,
};
use canvas_examples::sqlite::{SqliteError, SqliteStore};
use rusqlite::Connection;

/// A folder of its own for each story, removed in the end.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("canvas-sqlite-{}-{}", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Where the stories keep their database.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("canvases.db")
    }

    pub(crate) fn store(&self) -> SqliteStore {
        SqliteStore::open(self.file(), || Timestamp::from_millis(1_000)).unwrap()
    }

    /// Another program's connection to the database.
    pub(crate) fn raw(&self) -> Connection {
        Connection::open(self.file()).unwrap()
    }

    /// The names in it, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind lies in the system's own folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A clock that stands until it is moved. A copy shows the same time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_millis().try_into().unwrap(), Ordering::SeqCst);
    }
}

/// A clock that panics while it is told to. What it interrupts loses its connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fuse(Arc<AtomicBool>);

impl Fuse {
    pub(crate) fn now(&self) -> Timestamp {
        assert!(!self.0.load(Ordering::SeqCst), "the clock is broken");
        Timestamp::from_millis(1_000)
    }

    /// Makes a store lose all its connections. The canvas must be there, in this version.
    pub(crate) fn cut(&self, store: &SqliteStore, name: &str, version: &Version) {
        self.0.store(true, Ordering::SeqCst);
        let lost = commit(name, Some(version), "lost\n");
        assert!(catch_unwind(AssertUnwindSafe(|| store.commit(lost))).is_err());
        let load = || BlockingStore::load(store, &canvas(name));
        assert!(catch_unwind(AssertUnwindSafe(load)).is_err());
        self.0.store(false, Ordering::SeqCst);
    }
}

pub(crate) fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).unwrap()
}

pub(crate) fn key(call: &str) -> OpKey {
    let conversation = ConversationId::new("host").unwrap();
    OpKey { conversation, turn: Turn::ZERO, call: CallId::new(call).unwrap() }
}

/// A commit of a canvas whose document is `text`, over the version `expected`.
pub(crate) fn commit(name: &str, expected: Option<&Version>, text: &str) -> Commit {
    let (id, now) = (canvas(name), Timestamp::from_millis(0));
    let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    block_on(engine.create(&id, text, &key("create"), now)).unwrap();
    let head = block_on(engine.store().load(&id)).unwrap().unwrap().head;
    let document = Blob::text(text.to_owned());
    Commit { expected: expected.cloned(), head, blobs: vec![document], not_after: None }
}

/// The version of a commit that went through.
#[track_caller]
pub(crate) fn done(committed: Result<Committed, Fault>) -> Version {
    match committed {
        Ok(Committed::Done { version, .. }) => version,
        other => panic!("the commit gave {other:?}"),
    }
}

/// The version and the head that a canvas has now.
pub(crate) fn state(store: &SqliteStore, name: &str) -> Option<(Version, Head)> {
    let loaded = BlockingStore::load(store, &canvas(name)).unwrap();
    loaded.map(|row| (row.version, Head::clone(&row.head)))
}

/// The error in a fault that has written nothing.
#[track_caller]
pub(crate) fn definite<T: Debug>(result: Result<T, Fault>) -> SqliteError {
    match result {
        Err(Fault::Definite(e)) => *e.downcast().expect("the store's own error"),
        other => panic!("{other:?} is no definite fault"),
    }
}

/// The code of a definite fault, whichever of its two types it has.
#[track_caller]
pub(crate) fn code<T: Debug>(result: Result<T, Fault>) -> &'static str {
    match result {
        Err(Fault::Definite(e)) => match e.downcast::<HeadError>() {
            Ok(head) => head.code(),
            Err(e) => e.downcast::<SqliteError>().expect("the store's own error").code(),
        },
        other => panic!("{other:?} is no definite fault"),
    }
}

const ROLE: &str = "CANVAS_SQLITE_FILE";

/// Where this process is the second one of a story: the database that it was given.
pub(crate) fn given() -> Option<PathBuf> {
    env::var_os(ROLE).map(PathBuf::from)
}

/// This test again in another process, where [`given`] gives `file`.
pub(crate) fn again(test: &str, file: &Path) -> Command {
    with_program(Command::new(env::current_exe().unwrap()), test, file)
}

/// [`again`], run by another program that is given this one and its arguments.
pub(crate) fn with_program(mut command: Command, test: &str, file: &Path) -> Command {
    command.args([test, "--exact", "--nocapture"]).env(ROLE, file);
    command
}

/// Runs the second process of a story to its end, in which nothing may fail.
#[track_caller]
pub(crate) fn succeed(mut command: Command) {
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(output.status.success(), "{}: {}{}", output.status, said[0], said[1]);
    // A name that no test has would succeed too.
    assert!(said[0].contains("1 passed"), "{}", said[0]);
}

/// Tells the first process something.
pub(crate) fn say(what: &str) {
    let mut out = stdout().lock();
    writeln!(out, "\n{what}").unwrap();
    out.flush().unwrap();
}
