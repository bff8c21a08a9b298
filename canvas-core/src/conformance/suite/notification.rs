//! Stores that tell of changes, so that reads need not load the head.

use super::{SHOWN, Verdict, canvas, commit, conflict_row, done, same};
use crate::conformance::harness::Harness;
use crate::conformance::outcome::Kept;
use crate::store::contract::Store as _;

pub(in crate::conformance) async fn tells_peers<H: Harness>(harness: &H) -> Verdict {
    let store = harness.fresh().await;
    if !store.capabilities().notify {
        return Ok(Kept::Untried("the store does not claim notify"));
    }
    let peers = [harness.peer(&store).await, harness.peer(&store).await];
    let ids = [canvas("one"), canvas("two")];
    let mut versions = [None, None];
    let committers = [peers.first(), peers.get(1), None, peers.first()];
    for (round, committer) in committers.into_iter().enumerate() {
        let committer = committer.unwrap_or(&store);
        for (id, version) in ids.iter().zip(&mut versions) {
            for connection in peers.iter().chain([&store]) {
                harness.told(connection).await;
            }
            let next = commit(id, version.take(), &format!("{round}\n"));
            *version = Some(done(committer, next).await?.0);
            // Who has its answer is not asked: it knows.
            for connection in peers.iter().chain([&store]).filter(|other| !std::ptr::eq(*other, committer)) {
                let told = harness.told(connection).await;
                same("word of a commit that has its answer", told.contains(id), true)?;
            }
        }
    }
    // Word of what did not happen does no harm, so it is not asked for.
    conflict_row(&store, commit(&ids[0], None, "lost\n")).await?;
    SHOWN
}
