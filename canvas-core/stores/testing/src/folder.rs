//! Temporary folders for tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// A temporary folder for one test. Dropping it removes the folder.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Creates an empty folder in the system's folder for temporary files.
    #[expect(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("canvas-test-{}-{}", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).expect("the name is new");
        Self(path)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the test's database file, which may not exist yet.
    pub fn file(&self) -> PathBuf {
        self.0.join("canvases.db")
    }

    /// Returns the names of all entries, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("it is there");
        let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("tests make names of text");
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("it can be read"))).collect();
        names.sort();
        names
    }

    /// Opens a store in [`Folder::file`] whose clock always shows [`NOW`](super::clock::NOW).
    #[cfg(feature = "sqlite")]
    pub fn store(&self) -> canvas_store_sqlite::SqliteStore {
        canvas_store_sqlite::SqliteStore::open(self.file(), || super::clock::NOW)
            .expect("the folder takes files")
    }

    /// Opens a connection to [`Folder::file`] that bypasses the store.
    #[cfg(feature = "sqlite")]
    pub fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).expect("the folder takes files")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If the folder cannot be removed, it stays in the system's folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
