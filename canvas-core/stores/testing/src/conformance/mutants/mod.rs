//! Stores that fail one check each. A suite that passes one of them is worthless.
//!
//! A mutant wraps the store of a harness in a layer with one [`Flaw`]. For each flaw, [`survivors`] runs only the check
//! that must reveal it, and [`kills`] runs the whole suite.
//!
//! Run one of these functions with your own harness to prove that the suite can detect flaws through it. If a harness
//! cannot move its clock or make a commit wait, some flaws stay undetected, and the result lists them.
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

/// Runs the suite on each mutant of a harness's store. The suite works if each report contains [`Flaw::killed_by`] among
/// the failed checks.
///
/// Takes as many runs of the suite as there are flaws. Races on threads run only for flaws between threads. For slow
/// stores, see [`survivors`].
pub async fn kills<H: Harness>(harness: &H) -> Vec<(Flaw, Report)> {
    let mut reports = Vec::new();
    for flaw in Flaw::ALL.iter().copied() {
        reports.push((flaw, run(&MutantHarness::new(harness, flaw)).await));
    }
    reports
}

/// Runs on each mutant the check that must reveal its flaw, up to five times because some flaws are races. Returns the
/// undetected flaws: with [`CheckOutcome::Skipped`] if the harness has no way to reveal it, and with
/// [`CheckOutcome::Passed`] if the suite or the harness is wrong.
pub async fn survivors<H: Harness>(harness: &H) -> Vec<(Flaw, CheckOutcome)> {
    let mut survivors = Vec::new();
    for flaw in Flaw::ALL.iter().copied() {
        let check: Check = flaw.killed_by();
        let mutant = MutantHarness::new(harness, flaw);
        let mut outcome = check.run(&mutant).await;
        // Some flaws are races, which may not occur by chance on a busy machine.
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

    /// Races on threads take the longest, and are not needed for a flaw that a single thread reveals.
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
