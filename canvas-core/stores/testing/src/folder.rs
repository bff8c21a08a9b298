//! Folders of tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// A folder of one test, removed when it is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder in the system's folder for temporary files.
    #[expect(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("canvas-test-{}-{}", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).expect("the name is new");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where tests keep their database.
    pub fn file(&self) -> PathBuf {
        self.0.join("canvases.db")
    }

    /// The names of its entries, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("it is there");
        let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("tests make names of text");
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("it can be read"))).collect();
        names.sort();
        names
    }

    /// A store in [`Folder::file`], whose clock shows [`NOW`](super::clock::NOW).
    #[cfg(feature = "sqlite")]
    pub fn store(&self) -> canvas_store_sqlite::SqliteStore {
        canvas_store_sqlite::SqliteStore::open(self.file(), || super::clock::NOW)
            .expect("the folder takes files")
    }

    /// A connection of another program to [`Folder::file`].
    #[cfg(feature = "sqlite")]
    pub fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).expect("the folder takes files")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
