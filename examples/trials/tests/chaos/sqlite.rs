//! The chaos test on an SQLite file.

use std::thread;

use canvas_core::store::{Blocking, Head};
use canvas_core::testing::block_on;
use canvas_core::{Blob, BlobId, CanvasId, Engine};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{Folder, key, system_now};

use super::checker::Entry;
use super::client::{self, Orders, first_text, policy};
use super::cluster::Cluster;

pub(crate) fn run_client(orders: &Orders) {
    let store = SqliteStore::open(&orders.place, system_now).expect("the cluster has made the file");
    let engine = Engine::new(Blocking::new(store).with_spawn(|job| drop(thread::spawn(job))), policy());
    block_on(client::run(&engine, orders));
}

impl Cluster for Folder {
    fn prepare(&self, canvas: &CanvasId) -> String {
        let store = SqliteStore::open(self.file(), system_now).expect("the folder takes files");
        let connection = self.raw();
        let record = "INSERT INTO history (id, version, head) VALUES (NEW.id, NEW.version, NEW.head);";
        let recorder = format!(
            "CREATE TABLE IF NOT EXISTS history (seq INTEGER PRIMARY KEY, id BLOB, version INTEGER, head BLOB);
             CREATE TRIGGER IF NOT EXISTS made AFTER INSERT ON canvas BEGIN {record} END;
             CREATE TRIGGER IF NOT EXISTS moved AFTER UPDATE ON canvas BEGIN {record} END;"
        );
        connection.execute_batch(&recorder).expect("the recorder fits the schema");
        let engine = Engine::new(Blocking::new(store), policy());
        block_on(engine.create(canvas, &first_text(), &key("create"), system_now())).expect("it is new");
        self.file().to_str().expect("the temporary folder's name is text").to_owned()
    }

    fn history(&self, canvas: &CanvasId) -> Vec<Entry> {
        let connection = self.raw();
        let mut rows = connection
            .prepare("SELECT version, head FROM history WHERE id = ?1 ORDER BY seq")
            .expect("the recorder's table is there");
        let rows = rows.query_map([canvas.as_str().as_bytes()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        rows.expect("it can be read")
            .map(|row| {
                let (version, head) = row.expect("a row of the recorder");
                let head = Head::from_json(canvas, &head).expect("a head that the store wrote");
                Entry { version: version.unsigned_abs(), head }
            })
            .collect()
    }

    fn document(&self, canvas: &CanvasId, id: BlobId) -> Option<Blob> {
        let engine = Engine::new(Blocking::new(self.store()), policy());
        block_on(engine.document(canvas, id)).expect("it can be read")
    }
}
