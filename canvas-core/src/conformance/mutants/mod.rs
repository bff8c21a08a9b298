//! Stores that break one promise each. A suite that passes one of them is worth nothing.
//!
//! A mutant is the store of a harness behind a layer with one [`Flaw`]. [`survivors`] tries, for each flaw, only the
//! promise that must show it; [`kills`] runs the whole suite over each mutant.
//!
//! Run one of them with your own harness: it shows that the harness lets the suite see. A harness that cannot move
//! its clock or make a commit wait leaves some flaws unseen, and says so.
//!
//! # Flaws
//!
#![doc = include_str!("../kills.md")]

mod commit;
mod disguise;
mod flaw;
mod store;

use std::time::Duration;

pub use self::flaw::Flaw;
use self::store::Mutant;
use super::check::Promise;
use super::harness::{Harness, Stall};
use super::outcome::Kept;
use super::report::Report;
use super::run;
use crate::model::id::CanvasId;

/// Runs the suite over each mutant of a harness's store. The suite is right where the report of each flaw has
/// [`Flaw::killed_by`] among those that failed.
///
/// Takes as many runs of the suite as there are flaws; see [`survivors`] for slow stores.
pub async fn kills<H: Harness>(harness: &H) -> Vec<(Flaw, Report)> {
    let mut reports = Vec::new();
    for flaw in Flaw::ALL.iter().copied() {
        reports.push((flaw, run(&MutantHarness { harness, flaw }).await));
    }
    reports
}

/// Tries on each mutant the promise that must show its flaw, up to five times because some are races, and gives the
/// flaws that were not shown: with [`Kept::Untried`] because the harness has no way to, with [`Kept::Shown`] because
/// something is wrong.
pub async fn survivors<H: Harness>(harness: &H) -> Vec<(Flaw, Kept)> {
    let mut survivors = Vec::new();
    for flaw in Flaw::ALL.iter().copied() {
        let promise: Promise = flaw.killed_by();
        let mutant = MutantHarness { harness, flaw };
        let mut kept = promise.check(&mutant).await;
        // Some flaws are races, which a busy machine may win by chance.
        for _ in 0..4 {
            if !matches!(kept, Ok(Kept::Shown)) {
                break;
            }
            kept = promise.check(&mutant).await;
        }
        if let Ok(kept) = kept {
            survivors.push((flaw, kept));
        }
    }
    survivors
}

struct MutantHarness<'a, H> {
    harness: &'a H,
    flaw: Flaw,
}

impl<H: Harness> Harness for MutantHarness<'_, H> {
    type Store = Mutant<H::Store>;

    async fn fresh(&self) -> Self::Store {
        Mutant::new(self.harness.fresh().await, self.flaw)
    }

    async fn peer(&self, store: &Self::Store) -> Self::Store {
        store.peer(self.harness.peer(store.inner()).await)
    }

    async fn advance(&self, by: Duration) {
        self.harness.advance(by).await;
    }

    async fn stall(&self, store: &Self::Store, canvas: &CanvasId) -> Option<Stall> {
        self.harness.stall(store.inner(), canvas).await
    }

    async fn told(&self, store: &Self::Store) -> Vec<CanvasId> {
        store.tell(self.harness.told(store.inner()).await)
    }
}
