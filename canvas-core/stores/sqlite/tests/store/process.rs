//! Other processes of a test, and a clock that ends connections.

use std::env;
use std::io::{Write as _, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use canvas_core::lease::Timestamp;
use canvas_core::store::{BlockingStore as _, Version};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{NOW, canvas, commit};

const ROLE: &str = "CANVAS_SQLITE_FILE";

/// Where this process is the second one of a test: the database that it was given.
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

/// Runs the second process of a test to its end, in which nothing may fail.
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

/// A clock that panics on request. What it interrupts loses its connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fuse(Arc<AtomicBool>);

impl Fuse {
    pub(crate) fn now(&self) -> Timestamp {
        assert!(!self.0.load(Ordering::SeqCst), "the clock is broken");
        NOW
    }

    /// Makes a store lose all its connections. The canvas must be there, in this version.
    pub(crate) fn cut(&self, store: &SqliteStore, name: &str, version: &Version) {
        self.0.store(true, Ordering::SeqCst);
        let lost = commit(name, Some(version), "lost\n");
        assert!(catch_unwind(AssertUnwindSafe(|| store.commit(lost))).is_err());
        let load = || store.load(&canvas(name));
        assert!(catch_unwind(AssertUnwindSafe(load)).is_err());
        self.0.store(false, Ordering::SeqCst);
    }
}
