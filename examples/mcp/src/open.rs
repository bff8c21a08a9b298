//! Opening the store, and hearing of what other processes commit to it.

use canvas_core::CodedError as _;
use canvas_core::store::{Blocking, BoxStore, MemoryStore, StoreError};
use canvas_store_postgres::{PostgresOptions, PostgresStore};
use canvas_store_sqlite::{Listener, SqliteStore};
use tokio_postgres::NoTls;

use crate::clock;
use crate::options::StoreOption;

/// A store that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The store.
    pub store: BoxStore,
    /// How commits of other processes become known.
    pub others: Others,
}

/// Who else commits to a store.
#[derive(Debug)]
pub enum Others {
    /// Nobody: it is this process's memory.
    Nobody,
    /// Whoever opens the file. The listener is asked, for microseconds.
    File(Box<Listener>),
    /// Whoever connects to the server. The head of each followed canvas is loaded again and again, since the server
    /// announces what ends a lease and nothing else.
    Server,
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store says why.
    #[error("{}", .0.message())]
    Store(StoreError),
    /// The URL of a database.
    #[error("--postgres takes a URL such as postgres://user@localhost/notes: {0}")]
    Url(tokio_postgres::Error),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Opens a store.
///
/// # Errors
///
/// [`OpenError`]. A database that cannot be reached is found out by the first call, or by its schema being made here.
pub async fn open(option: &StoreOption) -> Result<Opened, OpenError> {
    Ok(match option {
        StoreOption::Memory => {
            Opened { store: BoxStore::new(MemoryStore::new(clock::now)), others: Others::Nobody }
        }
        StoreOption::Sqlite(path) => {
            let store = SqliteStore::open(path, clock::now)?;
            let others = Others::File(Box::new(store.listener()));
            // A call takes microseconds, and waits for other processes for as long as their commits take: less than what
            // handing it to another thread costs.
            Opened { store: BoxStore::new(Blocking::new(store)), others }
        }
        StoreOption::Postgres(url) => {
            let store = PostgresStore::connect(
                url.parse().map_err(OpenError::Url)?,
                NoTls,
                &PostgresOptions::default(),
            )?;
            store.migrate().await?;
            Opened { store: BoxStore::new(store), others: Others::Server }
        }
    })
}
