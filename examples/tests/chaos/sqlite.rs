//! The chaos test on an SQLite file.

use std::path::PathBuf;

use canvas_core::lease::Turn;
use canvas_core::{Blob, BlobId, Blocking, BlockingStore as _, CanvasId, Engine, Head, block_on};
use canvas_examples::sqlite::{SqliteStore, system_clock};
use rusqlite::Connection;

use super::checker::Entry;
use super::client::{self, Orders, key, now, policy};
use super::cluster::Cluster;

pub(crate) fn run_client(orders: &Orders) {
    let store = SqliteStore::open(&orders.place, system_clock).expect("the cluster has made the file");
    let engine = Engine::new(Blocking::in_place(store), policy());
    block_on(client::run(&engine, orders));
}

/// A file in a folder of its own, which goes with it.
pub(crate) struct File {
    folder: PathBuf,
}

impl File {
    pub(crate) fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("canvas-chaos-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Self { folder }
    }

    fn file(&self) -> String {
        self.folder.join("canvases.db").to_str().expect("the temporary folder's name is text").to_owned()
    }

    fn open(&self) -> Connection {
        Connection::open(self.file()).expect("the file opens")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Cluster for File {
    fn prepare(&self, canvas: &str) -> String {
        let store = SqliteStore::open(self.file(), system_clock).expect("the file opens");
        let connection = self.open();
        let record = "INSERT INTO history (id, version, head) VALUES (NEW.id, NEW.version, NEW.head);";
        let recorder = format!(
            "CREATE TABLE IF NOT EXISTS history (seq INTEGER PRIMARY KEY, id BLOB, version INTEGER, head BLOB);
             CREATE TRIGGER IF NOT EXISTS made AFTER INSERT ON canvas BEGIN {record} END;
             CREATE TRIGGER IF NOT EXISTS moved AFTER UPDATE ON canvas BEGIN {record} END;"
        );
        connection.execute_batch(&recorder).expect("the recorder fits the schema");
        let engine = Engine::new(Blocking::in_place(store), policy());
        let id = CanvasId::new(canvas).expect("short");
        block_on(engine.create(&id, "top\n", &key("host", Turn::ZERO, "create"), now())).expect("it is new");
        self.file()
    }

    fn history(&self, canvas: &str) -> Vec<Entry> {
        let id = CanvasId::new(canvas).expect("short");
        let connection = self.open();
        let mut rows = connection
            .prepare("SELECT version, head FROM history WHERE id = ?1 ORDER BY seq")
            .expect("the recorder's table is there");
        let rows =
            rows.query_map([canvas.as_bytes()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)));
        rows.expect("it can be read")
            .map(|row| {
                let (version, head) = row.expect("a row of the recorder");
                let head = Head::from_json(&id, &head).expect("a head that the store wrote");
                Entry { version: version.unsigned_abs(), head }
            })
            .collect()
    }

    fn blob(&self, canvas: &str, id: BlobId) -> Option<Blob> {
        let store = SqliteStore::open(self.file(), system_clock).expect("the file opens");
        store.blob(&CanvasId::new(canvas).expect("short"), id).expect("it can be read")
    }
}
