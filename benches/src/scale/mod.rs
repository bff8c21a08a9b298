//! Many canvases on each store, phase by phase: what an edit costs in time and in bytes, what lies on the disk after it, and
//! what an engine holds meanwhile.
//!
//! All phases are bounded by number, and those that write large texts by bytes too ([`Plan::budget`]): a store that keeps
//! each version whole ends such a phase early and says after how many edits. Nothing is left behind.

mod driver;
pub mod far;
mod keystrokes;
mod places;
pub mod report;

use std::io;

pub use places::{KNOWN, Known};

/// How much is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Canvases that are made.
    pub canvases: usize,
    /// Edits of them, spread evenly.
    pub edits: usize,
    /// Edits of one line in one document of each of [`SIZES`].
    pub lines: usize,
    /// Bytes that edits of lines may hand to a store, for each size.
    pub budget: u64,
    /// Recorded keystrokes that are played on one document, and undone.
    pub keystrokes: usize,
    /// Tasks that work at once, each on canvases of its own.
    pub tasks: usize,
    /// The stores, by name; all that can be had where it is empty.
    pub stores: Vec<String>,
}

impl Plan {
    /// For numbers to cite: some minutes a store.
    pub const FULL: Self = Self {
        canvases: 10_000,
        edits: 100_000,
        lines: 20_000,
        budget: 2_200_000_000,
        keystrokes: usize::MAX,
        tasks: 8,
        stores: Vec::new(),
    };
    /// For a first look, and for tests.
    pub const QUICK: Self = Self {
        canvases: 40,
        edits: 200,
        lines: 40,
        budget: 20_000_000,
        keystrokes: 400,
        tasks: 4,
        stores: Vec::new(),
    };
}

/// Bytes of the documents whose lines are edited again and again.
pub const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Bytes of the documents of the many canvases: of ten, nine have the first and one has the second.
pub const MANY_SIZES: [usize; 2] = [2_000, 20_000];

/// The names of phases, in their order. Lines are edited once for each size. The last two need recorded keystrokes, see
/// [`Plan::keystrokes`].
pub const PHASES: [&str; 8] = ["create", "edit", "read cold", "reopen", "collect", "lines", "type", "undo"];

/// What one phase did on one store.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// The store's name.
    pub store: &'static str,
    /// The phase's name.
    pub phase: &'static str,
    /// Bytes of the document, where the phase has one.
    pub size: Option<usize>,
    /// Calls that were made.
    pub calls: u64,
    /// Seconds that they took.
    pub seconds: f64,
    /// Seconds of processors that this process took, the database's own left out where that is another process.
    pub cpu_seconds: Option<f64>,
    /// Blobs that the engine has handed over.
    pub blobs: u64,
    /// Bytes that the engine has handed over: heads as JSON, and blobs.
    pub put: u64,
    /// Bytes that the store has written for it: its log and its files, as far as it can be asked.
    pub written: Option<u64>,
    /// Bytes that the store takes after it.
    pub disk: Option<u64>,
    /// Bytes that the engine held at most, its cache and the calls under way.
    pub engine: Option<u64>,
}

impl Phase {
    /// Calls in a second.
    pub fn per_second(&self) -> f64 {
        self.calls as f64 / self.seconds.max(1e-9)
    }

    /// A number of bytes for each call.
    pub fn each(&self, bytes: u64) -> f64 {
        bytes as f64 / self.calls.max(1) as f64
    }
}

/// What comes of a plan, in its order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'p> {
    /// A phase has ended.
    Done(&'p Phase),
    /// A store cannot be had here.
    Lacking {
        /// The store's name.
        store: &'static str,
        /// What it needs.
        reason: &'static str,
    },
}

/// Runs all phases on each store of a plan, and hands out each as it ends.
///
/// # Errors
///
/// Those of `out`, and of a temporary folder that cannot be made.
pub fn run(plan: &Plan, out: &mut dyn FnMut(Event<'_>) -> io::Result<()>) -> io::Result<()> {
    for known in KNOWN {
        if !plan.stores.is_empty() && !plan.stores.iter().any(|store| store == known.name) {
            continue;
        }
        match (known.lacking)() {
            Some(reason) => out(Event::Lacking { store: known.name, reason })?,
            None => (known.measure)(plan, &mut |phase| out(Event::Done(phase)))?,
        }
    }
    Ok(())
}
