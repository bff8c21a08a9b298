//! Stores that fail one check each. A suite that passes one of them is worth nothing.
//!
//! A mutant is the store of a harness in a layer with one [`Flaw`]. [`survivors`] runs, for each flaw, only the
//! check that must show it; [`kills`] runs the whole suite over each mutant.
//!
//! Run one of them with your own harness: it shows that the harness lets the suite see. A harness that cannot move
//! its clock or make a commit wait leaves some flaws unseen, and says so.
//!
//! # Flaws
//!
#![doc = include_str!("../kills.md")]

mod commit;
mod design;
mod disguise;
mod flaw;
mod kind;
mod named;
mod naming;
mod race;
mod raced;
mod store;
#[cfg(test)]
mod tests;

use std::time::Duration;

use canvas_core::CanvasId;

use self::design::Design;
pub use self::flaw::Flaw;
use self::store::Mutant;
use super::check::Check;
use super::harness::{Driver, Harness, Restore, Stall};
use super::outcome::CheckOutcome;
use super::report::Report;
use super::run;

/// Runs the suite over each mutant of a harness's store. The suite is right where the report of each flaw has
/// [`Flaw::killed_by`] among those that failed.
///
/// Takes as many runs of the suite as there are flaws, where races on threads are skipped unless the flaw is one between
/// threads; see [`survivors`] for slow stores.
pub async fn kills<H: Harness>(harness: &H) -> Vec<(Flaw, Report)> {
    let mut reports = Vec::new();
    for flaw in Flaw::ALL.iter().copied() {
        reports.push((flaw, run(&MutantHarness::new(harness, flaw)).await));
    }
    reports
}

/// Runs on each mutant the check that must show its flaw, up to five times because some are races, and gives the
/// flaws that were not shown: with [`CheckOutcome::Skipped`] because the harness has no way to, with [`CheckOutcome::Passed`] because
/// something is wrong.
pub async fn survivors<H: Harness>(harness: &H) -> Vec<(Flaw, CheckOutcome)> {
    let mut survivors = Vec::new();
    for flaw in Flaw::ALL.iter().copied() {
        let check: Check = flaw.killed_by();
        let mutant = MutantHarness::new(harness, flaw);
        let mut outcome = check.run(&mutant).await;
        // Some flaws are races, which a busy machine may win by chance.
        for _ in 0..4 {
            if !matches!(outcome, Ok(CheckOutcome::Passed)) {
                break;
            }
            outcome = check.run(&mutant).await;
        }
        if let Ok(outcome) = outcome {
            survivors.push((flaw, outcome));
        }
    }
    survivors
}

/// The checks that start threads.
const ON_THREADS: [Check; 5] = [
    Check::CommitsOnThreads,
    Check::CreationsOnThreads,
    Check::DeletionsOnThreads,
    Check::LimitsOnThreads,
    Check::CollectionsOnThreads,
];

struct MutantHarness<'a, H> {
    harness: &'a H,
    flaw: Flaw,
    design: Design,
}

impl<'a, H> MutantHarness<'a, H> {
    const fn new(harness: &'a H, flaw: Flaw) -> Self {
        Self { harness, flaw, design: Design::of(flaw) }
    }
}

impl<H: Harness> Harness for MutantHarness<'_, H> {
    type Store = Mutant<H::Store>;

    async fn fresh(&self) -> Self::Store {
        Mutant::new(self.harness.fresh().await, self.flaw, self.design)
    }

    async fn peer(&self, store: &Self::Store) -> Self::Store {
        store.peer(self.harness.peer(store.inner()).await)
    }

    async fn advance(&self, by: Duration) {
        self.harness.advance(by).await;
    }

    /// Races on threads take the longest, and show nothing of a flaw that a single thread shows.
    fn driver(&self) -> Option<Driver> {
        ON_THREADS.contains(&self.flaw.killed_by()).then(|| self.harness.driver())?
    }

    async fn stall(&self, store: &Self::Store, canvas: &CanvasId) -> Option<Stall> {
        self.harness.stall(store.inner(), canvas).await
    }

    async fn back_up<'a>(&'a self, store: &'a Self::Store) -> Option<Restore<'a>> {
        self.harness.back_up(store.inner()).await
    }

    async fn notified(&self, store: &Self::Store) -> Vec<CanvasId> {
        store.notify(self.harness.notified(store.inner()).await)
    }
}
