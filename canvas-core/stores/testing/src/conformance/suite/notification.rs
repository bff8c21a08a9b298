//! Notifications of stores that claim them, so that reads need not load the head.

use std::sync::Arc;

use canvas_core::store::{Commit, Store as _};

use super::{CanvasId, PASSED, Verdict, canvas, commit, conflict_row, deletion, done, find, same};
use crate::conformance::harness::Harness;
use crate::conformance::outcome::CheckOutcome;

pub(crate) async fn notifies_peers<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    if !store.capabilities().notify {
        return Ok(CheckOutcome::Skipped("the store does not claim notify"));
    }
    let peers = [harness.peer(store).await, harness.peer(store).await];
    let ids = [canvas("one"), canvas("two")];
    let mut versions = [None, None];
    let committers = [peers.first(), peers.get(1), None, peers.first(), peers.get(1)];
    for (round, committer) in committers.into_iter().enumerate() {
        let committer = committer.unwrap_or(store);
        for (id, version) in ids.iter().zip(&mut versions) {
            for connection in peers.iter().chain([store]) {
                harness.notified(connection).await;
            }
            // One commit of each kind: create, edit, bump, delete, create again.
            let next = match (round, find(store, id).await?) {
                (2, Some(row)) => Commit { head: Arc::clone(&row.head), ..deletion(&row) },
                (3, Some(row)) => deletion(&row),
                _ => commit(id, version.take(), &format!("{round}\n")),
            };
            *version = Some(done(committer, next).await?.0);
            // The committer learns of its commit by the result.
            for connection in peers.iter().chain([store]).filter(|other| !std::ptr::eq(*other, committer)) {
                let notified = harness.notified(connection).await;
                same("the notification of a commit that has its answer", notified.contains(id), true)?;
            }
        }
    }
    // A notification without a change does no harm, so no check requires its absence.
    conflict_row(store, commit(&ids[0], None, "lost\n")).await?;
    PASSED
}
