//! Copies of the bare file, without its log, that were made while it was written.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::sync::Arc;

use canvas_core::store::{Blocking, BlockingStore as _, Commit, Head, Version};
use canvas_core::testing::block_on;
use canvas_core::{Blob, BlobId, CodedError as _, Engine, Policy};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{Folder, NOW, canvas, done, dropped, edit_head, head};
use serde_json::json;

const CANVASES: [&str; 3] = ["a", "b", "c"];

const PAGE: usize = 4 << 10;

/// A store in use, and all heads that it ever had.
struct Source {
    folder: Folder,
    store: SqliteStore,
    heads: HashMap<(&'static str, Version), Arc<Head>>,
    last: BTreeMap<&'static str, Version>,
    commits: u64,
}

impl Source {
    fn new() -> Self {
        let folder = Folder::new();
        let store = folder.store();
        Self { folder, store, heads: HashMap::new(), last: BTreeMap::new(), commits: 1_000 }
    }

    /// Commits to each canvas, and drops the document before, so that its pages are used again.
    fn commit(&mut self, times: usize) {
        for (i, name) in CANVASES.into_iter().enumerate().cycle().take(CANVASES.len() * times) {
            self.commits += 1;
            let text = format!("{} {name}\n", self.commits).repeat(600 * (i + 1));
            let (head, document) = (long(&head(name, &text, self.commits)), Blob::text(text));
            let expected = self.last.get(name).cloned();
            let blobs = vec![document.clone()];
            let commit = Commit { expected, head: Arc::clone(&head), blobs, not_after: None };
            let version = done(self.store.commit(commit));
            self.heads.insert((name, version.clone()), head);
            if self.last.insert(name, version).is_some() {
                assert_eq!(dropped(super::collect(&self.store, name, &[])), 1);
            }
        }
    }

    /// The bare file, once all of the log is in it.
    fn file(&self) -> Vec<u8> {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        self.folder.raw().query_row(checkpoint, [], |_| Ok(())).unwrap();
        fs::read(self.folder.file()).unwrap()
    }
}

/// A head of several pages that is as long as all others, and another one from its beginning to its end.
fn long(head: &Head) -> Arc<Head> {
    let known = json!({"revision": 1, "document": BlobId::of(head.document().as_bytes()).to_string()});
    let known = json!({"synced": known, "seen": known});
    edit_head(head, |json| {
        for i in 100..200 {
            json["conversations"][i.to_string()] = known.clone();
        }
    })
}

/// What a copy has: for each canvas the head and the document, or the code of an error.
fn read(source: &Source, copy: &Folder) -> Vec<&'static str> {
    let store = match SqliteStore::open(copy.file(), || NOW) {
        Ok(store) => store,
        Err(e) => return vec![e.code()],
    };
    let engine = Engine::new(Blocking::new(store), Policy::default());
    let read = |name| {
        let head = match engine.store().inner().load(&canvas(name)) {
            Ok(None) => return ["none", "none"],
            Ok(Some(row)) if source.heads.get(&(name, row.version.clone())) == Some(&row.head) => "a head",
            Ok(Some(_)) => "A MIXTURE",
            Err(e) => e.code(),
        };
        [head, block_on(engine.snapshot(&canvas(name), NOW)).map_or_else(|e| e.code(), |_| "a document")]
    };
    CANVASES.into_iter().flat_map(read).collect()
}

/// A copy reads the file from its beginning. Where the log's content goes into the file meanwhile, the copy has the
/// older state of the first pages, however many these are, and the newer one of the others.
#[test]
fn a_copy_without_its_log_is_an_older_state_or_says_that_it_is_damaged() {
    let mut source = Source::new();
    source.commit(3);
    let mut older = source.file();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for commits in [1, 1, 2, 5] {
        source.commit(commits);
        let newer = source.file();
        for page in 0..=older.len() / PAGE {
            let torn = [&older[..page * PAGE], newer.get(page * PAGE..).unwrap_or_default()].concat();
            let copy = Folder::new();
            fs::write(copy.file(), torn).unwrap();
            read(&source, &copy).into_iter().for_each(|what| *found.entry(what).or_default() += 1);
        }
        // Where nothing was torn, all of the older state is there, whatever the log had.
        source.commit(1);
        let copy = Folder::new();
        fs::copy(source.folder.file(), copy.file()).unwrap();
        assert_eq!(read(&source, &copy), ["a head", "a document"].repeat(3));
        older = source.file();
    }
    let expected = ["CANVAS_DAMAGED", "STORE_DAMAGED", "a document", "a head"];
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected, "{found:?}");
}
