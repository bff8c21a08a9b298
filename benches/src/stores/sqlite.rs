//! A write in an SQLite file, beside a bare `UPDATE` of the same bytes.

use std::path::{Path, PathBuf};

use canvas_core::Engine;
use canvas_core::store::{Blocking, Store as _};
use canvas_core::testing::block_on;
use rusqlite::Connection;

use super::writer::{SMALL, Writer, canvas, document, key, policy};
use super::{Rate, rates};
use crate::measure::Effort;
use canvas_store_sqlite::{SqliteStore, system_clock};

/// Bytes of a large document.
const LARGE: usize = 1_000_000;

/// A folder that goes with it.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("canvas-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A document of 4 KiB.
pub(super) fn small(work: &'static str, effort: Effort) -> Vec<Rate> {
    write(work, effort, SMALL, 500)
}

/// A document of 1 MB.
pub(super) fn large(work: &'static str, effort: Effort) -> Vec<Rate> {
    write(work, effort, LARGE, 50)
}

/// Some writes a round, with WAL and `synchronous = NORMAL` on both sides.
fn write(work: &'static str, effort: Effort, bytes: usize, writes: u32) -> Vec<Rate> {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.0.join("canvas.db"), system_clock).expect("the file can be made");
    let engine = Engine::new(Blocking::new(store), policy());
    block_on(engine.create(&canvas(), &document(bytes), &key("create"), system_clock())).expect("it is new");
    let mut writer = Writer::new(engine, 0, system_clock);
    let mut lease = None;
    // Until as many receipts are kept as ever will be.
    block_on(writer.steady(&mut lease, 200));
    let head =
        block_on(writer.engine.store().load(&canvas())).expect("it is there").expect("it was made").head;
    let bare = bare(&folder.0.join("bare.db"), head.to_json().len() + bytes);
    let bodies = bodies(head.to_json().len() + bytes);
    let mut turns = bodies.iter().cycle();
    rates(
        work,
        effort.long_rounds(),
        vec![
            (
                "UPDATE of the same bytes",
                Box::new(|| {
                    let mut update = bare.prepare_cached("UPDATE bare SET body = ?1").expect("it fits");
                    for body in turns.by_ref().take(writes as usize) {
                        update.execute([body]).expect("the row is there");
                    }
                    writes
                }),
            ),
            (
                "canvas",
                Box::new(|| {
                    block_on(writer.steady(&mut lease, writes));
                    writes
                }),
            ),
        ],
    )
}

/// One row of `size` bytes, which nothing guards.
fn bare(path: &Path, bytes: usize) -> Connection {
    let connection = Connection::open(path).expect("the file can be made");
    let setup = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE bare (body BLOB)";
    connection.execute_batch(setup).expect("the file is new");
    connection.execute("INSERT INTO bare VALUES (?1)", [vec![0u8; bytes]]).expect("the table is new");
    connection
}

/// Different bytes, because SQLite leaves out the pages that an `UPDATE` does not change.
fn bodies(bytes: usize) -> Vec<Vec<u8>> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..16).map(|_| (0..bytes).map(|_| next()).collect()).collect()
}
