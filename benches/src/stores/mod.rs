//! Guarded writes on real databases, beside what an application would write by hand, and reads of many blobs from a store
//! that is far away, beside reads one by one.
//!
//! A guarded write is a whole call of the engine: lease, patch, receipt, compare-and-swap. The peers guard less:
//! the bare `UPDATE` of SQLite writes head and document, the transaction of PostgreSQL only the document.

mod delayed;
mod far;
#[cfg(feature = "sqlite")]
mod hot;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
mod writer;

use std::time::{Duration, Instant};

use crate::measure::Effort;

/// How many writes, or reads, a subject gets through.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// Stable name of the work.
    pub work: &'static str,
    /// Stable name of the subject; the first of a work is what the others are compared with.
    pub subject: &'static str,
    /// Of them in a second, the median of all rounds.
    pub per_second: f64,
    /// The slowest and the fastest round.
    pub range: (f64, f64),
    /// Times the first subject of the work.
    pub ratio: f64,
}

/// One thing to measure on a database.
#[derive(Debug, Clone, Copy)]
pub struct StoreWork {
    /// The stable name in table and JSON.
    pub name: &'static str,
    /// Measures all subjects.
    pub rates: fn(name: &'static str, effort: Effort) -> Vec<Rate>,
}

impl StoreWork {
    /// What it needs and has not; `None` where it can be run.
    pub fn lacking(&self) -> Option<&'static str> {
        let needs_server =
            self.name.starts_with("postgres-") && std::env::var_os("CANVAS_POSTGRES").is_none();
        needs_server.then_some("CANVAS_POSTGRES names no server: run under `.ci/postgres --alone`")
    }
}

/// Every work that the features of this build allow, in the order of the table.
pub const WORKS: &[StoreWork] = &[
    StoreWork { name: "far-board", rates: far::board },
    StoreWork { name: "far-undo", rates: far::undo },
    #[cfg(feature = "sqlite")]
    StoreWork { name: "sqlite-small", rates: sqlite::small },
    #[cfg(feature = "sqlite")]
    StoreWork { name: "sqlite-large", rates: sqlite::large },
    #[cfg(feature = "sqlite")]
    StoreWork { name: "hot-8", rates: hot::process },
    #[cfg(feature = "sqlite")]
    StoreWork { name: "hot-8-power", rates: hot::power },
    #[cfg(feature = "postgres")]
    StoreWork { name: "postgres-steady", rates: postgres::steady },
    #[cfg(feature = "postgres")]
    StoreWork { name: "postgres-hot", rates: postgres::hot },
];

/// One way: does some writes or reads and tells how many.
type Subject<'a> = (&'static str, Box<dyn FnMut() -> u32 + 'a>);

/// Gives each subject its turn in each round, so that a slow minute of the machine hits all.
fn rates(work: &'static str, rounds: usize, mut subjects: Vec<Subject<'_>>) -> Vec<Rate> {
    let mut seen: Vec<Vec<f64>> = subjects.iter().map(|_| Vec::new()).collect();
    for round in 0..=rounds {
        for ((_, run), seen) in subjects.iter_mut().zip(&mut seen) {
            let start = Instant::now();
            let writes = run();
            // The first round warms up.
            if round > 0 {
                seen.push(f64::from(writes) / start.elapsed().max(Duration::from_nanos(1)).as_secs_f64());
            }
        }
    }
    let mut first = None;
    let rate = |((subject, _), mut seen): (Subject<'_>, Vec<f64>)| {
        seen.sort_by(f64::total_cmp);
        let per_second = seen[seen.len() / 2];
        let ratio = per_second / *first.get_or_insert(per_second);
        Rate { work, subject, per_second, range: (seen[0], seen[seen.len() - 1]), ratio }
    };
    subjects.into_iter().zip(seen).map(rate).collect()
}
