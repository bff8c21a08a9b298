//! Where canvases are kept: how each store is opened again, what it has written and what it takes.

use std::io;
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{MemoryStore, Store};
use canvas_core::testing::block_on;

use super::{Phase, Plan, driver};

/// One kind of store that holds its canvases while stores on it are opened and dropped.
pub(super) trait Place: Sync {
    /// The store.
    type Store: Store + 'static;

    const NAME: &'static str;

    /// How long after its put a blob counts as old enough to be dropped, whatever is asked for.
    const GRAIN: Duration = Duration::from_millis(2);

    /// A store on what is there; another one each time.
    fn open(&self) -> Self::Store;

    /// Waits for a call, from any thread.
    fn wait<F: Future>(&self, call: F) -> F::Output {
        block_on(call)
    }

    /// Bytes that were written since the place was made; `None` where nobody counts them.
    fn written(&self) -> Option<u64> {
        None
    }

    /// Bytes that it takes.
    fn disk(&self) -> Option<u64>;
}

/// A store that can be measured.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Its name in table and JSON.
    pub name: &'static str,
    /// Why it cannot be measured here; `None` where it can.
    pub lacking: fn() -> Option<&'static str>,
    /// Runs all phases.
    pub measure: Measure,
}

type Measure = fn(&Plan, &mut dyn FnMut(&Phase) -> io::Result<()>) -> io::Result<()>;

/// Every store that the features of this build bring.
pub const KNOWN: &[Known] = &[
    Known {
        name: Memory::NAME,
        lacking: || None,
        measure: |plan, out| driver::measure(&Memory::new(), plan, out),
    },
    #[cfg(feature = "sqlite")]
    Known {
        name: sqlite::File::NAME,
        lacking: || None,
        measure: |plan, out| driver::measure(&sqlite::File::new()?, plan, out),
    },
    #[cfg(feature = "postgres")]
    Known {
        name: postgres::Database::NAME,
        lacking: || {
            let is_lacking = std::env::var_os("CANVAS_POSTGRES").is_none();
            is_lacking.then_some("CANVAS_POSTGRES names no server: run under `.ci/postgres --alone`")
        },
        measure: |plan, out| driver::measure(&postgres::Database::new(), plan, out),
    },
    #[cfg(feature = "object-store")]
    Known {
        name: object::Bucket::NAME,
        lacking: || None,
        measure: |plan, out| driver::measure(&object::Bucket::new(), plan, out),
    },
];

pub(super) fn now() -> Timestamp {
    std::time::SystemTime::now().into()
}

/// The store in memory, whose copies share what it keeps.
struct Memory(MemoryStore);

impl Memory {
    fn new() -> Self {
        Self(MemoryStore::new(now))
    }
}

impl Place for Memory {
    type Store = MemoryStore;

    const NAME: &'static str = "memory";

    fn open(&self) -> MemoryStore {
        self.0.clone()
    }

    fn disk(&self) -> Option<u64> {
        let canvases = block_on(self.0.list(None, usize::MAX)).ok()?;
        let sizes = canvases.iter().map(|canvas| {
            let head = block_on(self.0.load(canvas)).ok().flatten().map_or(0, |row| row.head.to_json().len());
            head + self.0.blob_stats(canvas).1
        });
        Some(sizes.sum::<usize>() as u64)
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::path::PathBuf;
    use std::{fs, io};

    use canvas_core::store::Blocking;
    use canvas_store_sqlite::SqliteStore;

    use super::{Place, now};

    /// A file in a folder that goes with it.
    pub(super) struct File {
        folder: PathBuf,
        before: Option<u64>,
    }

    impl File {
        pub(super) fn new() -> io::Result<Self> {
            let folder = std::env::temp_dir().join(format!("canvas-scale-{}", std::process::id()));
            fs::create_dir_all(&folder)?;
            Ok(Self { folder, before: written_by_this_process() })
        }
    }

    /// Bytes that this process has passed to `write`, whatever became of them; on Linux.
    fn written_by_this_process() -> Option<u64> {
        let io = fs::read_to_string("/proc/self/io").ok()?;
        io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok())
    }

    impl Place for File {
        type Store = Blocking<SqliteStore>;

        const NAME: &'static str = "sqlite";

        fn open(&self) -> Self::Store {
            let store = SqliteStore::open(self.folder.join("scale.db"), now);
            Blocking::new(store.expect("the folder can be written"))
        }

        fn written(&self) -> Option<u64> {
            Some(written_by_this_process()? - self.before?)
        }

        /// The file and its log.
        fn disk(&self) -> Option<u64> {
            let files = fs::read_dir(&self.folder).ok()?.flatten();
            let sizes = files.filter(|file| !file.file_name().to_string_lossy().ends_with("-shm"));
            Some(sizes.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum())
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use canvas_store_postgres::{PostgresOptions, PostgresStore};
    use tokio::runtime::{Builder, Runtime};
    use tokio_postgres::{Client, Config, NoTls};

    use super::Place;

    /// A schema of its own, which goes with it. Commits do not wait for the disk.
    pub(super) struct Database {
        runtime: Runtime,
        client: Client,
        schema: String,
        before: Option<i64>,
    }

    fn config() -> Config {
        let server = std::env::var("CANVAS_POSTGRES").expect("it was looked for before");
        let mut config: Config = server.parse().expect("CANVAS_POSTGRES is a connection string");
        config.options("-c synchronous_commit=off");
        config
    }

    impl Database {
        pub(super) fn new() -> Self {
            let runtime = Builder::new_multi_thread().enable_all().build().expect("a runtime needs little");
            let schema = format!("scale_{}", std::process::id());
            let client = runtime.block_on(async {
                let (client, connection) = config().connect(NoTls).await.expect("the server is there");
                tokio::spawn(connection);
                let setup = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
                client.batch_execute(&setup).await.expect("the server lets this role make schemas");
                client
            });
            let mut database = Self { runtime, client, schema, before: None };
            let store = database.open();
            database.runtime.block_on(store.migrate()).expect("the schema is empty");
            database.before =
                database.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
            database
        }

        fn number(&self, query: &str) -> Option<i64> {
            let row = self.runtime.block_on(self.client.query_one(query, &[])).ok()?;
            row.try_get(0).ok()
        }
    }

    impl Place for Database {
        type Store = PostgresStore;

        const NAME: &'static str = "postgres";

        fn open(&self) -> PostgresStore {
            let options = PostgresOptions { schema: self.schema.clone(), ..PostgresOptions::default() };
            PostgresStore::connect(config(), NoTls, &options).expect("the name is fine")
        }

        fn wait<F: Future>(&self, call: F) -> F::Output {
            self.runtime.block_on(call)
        }

        /// The log that the server writes ahead.
        fn written(&self) -> Option<u64> {
            let now = self.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")?;
            u64::try_from(now - self.before?).ok()
        }

        /// Tables, what lies beside them, and indexes.
        fn disk(&self) -> Option<u64> {
            let sizes = format!(
                "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
                 JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = '{}' AND c.relkind = 'r'",
                self.schema
            );
            u64::try_from(self.number(&sizes)?).ok()
        }
    }

    impl Drop for Database {
        fn drop(&mut self) {
            let gone = format!("DROP SCHEMA {} CASCADE", self.schema);
            let _ = self.runtime.block_on(self.client.batch_execute(&gone));
        }
    }
}

#[cfg(feature = "object-store")]
mod object {
    use std::sync::Arc;
    use std::time::Duration;

    use canvas_core::testing::block_on;
    use canvas_store_object::ObjectCanvasStore;
    use futures_util::TryStreamExt as _;
    use object_store::ObjectStore as _;
    use object_store::memory::InMemory;
    use object_store::path::Path;

    use super::{Place, now};

    /// A bucket in memory.
    pub(super) struct Bucket(Arc<InMemory>);

    impl Bucket {
        pub(super) fn new() -> Self {
            Self(Arc::new(InMemory::new()))
        }
    }

    impl Place for Bucket {
        type Store = ObjectCanvasStore;

        const NAME: &'static str = "object-store";

        /// Servers date objects by the second.
        const GRAIN: Duration = Duration::from_millis(2_100);

        fn open(&self) -> ObjectCanvasStore {
            let bucket = Arc::clone(&self.0);
            let opened = block_on(ObjectCanvasStore::open(bucket, Path::ROOT, now));
            opened.expect("it keeps to conditions")
        }

        /// All objects, of whatever state.
        fn disk(&self) -> Option<u64> {
            let sizes = self.0.list(None).map_ok(|object| object.size);
            block_on(sizes.try_fold(0, async |sum, size| Ok(sum + size))).ok()
        }
    }
}
