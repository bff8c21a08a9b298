//! The store's clock, which is read for each result, is the same for all, and decides about `not_after`.
//!
//! A commit at its limit is judged by the clock in its result, so that no test depends on speed.

use std::sync::Arc;
use std::time::Duration;

use canvas_core::CodedError as _;
use canvas_core::store::{Commit, Committed, Loaded, Store as _};

use super::tasks::{Elsewhere, both};
use super::{
    CanvasId, NO_NOT_AFTER, NO_STALL, PASSED, Verdict, brief, canvas, commit, conflict_row, deletion, done,
    find, late, reached, row, same, unchanged,
};
use crate::conformance::harness::Harness;

/// Long enough to show on every clock, but short enough to wait for on a real one.
const STEP: Duration = Duration::from_millis(20);

/// Longer than any run takes.
const FAR: Duration = Duration::from_secs(86_400);

/// Maximum difference between the clocks of two connections, which is the tolerance of leases for a clock that falls back.
const TOLERANCE: Duration = Duration::from_secs(5);

pub(crate) async fn clock_moves<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (version, committed) = done(store, commit(id, None, "one\n")).await?;
    harness.advance(STEP).await;
    let loaded = row(store, id).await?.clock;
    reached("the clock of a load after time has passed", loaded, committed.saturating_add(STEP))?;
    harness.advance(STEP).await;
    let current = conflict_row(store, commit(id, None, "two\n")).await?.clock;
    reached("the clock of a conflict after time has passed", current, loaded.saturating_add(STEP))?;
    harness.advance(STEP).await;
    let (_, last) = done(store, commit(id, Some(version), "three\n")).await?;
    reached("the clock of a commit after time has passed", last, current.saturating_add(STEP))?;
    PASSED
}

pub(crate) async fn one_clock<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peers = [harness.peer(store).await, harness.peer(store).await];
    let (mut version, mut last) = done(store, commit(id, None, "one\n")).await?;
    // Ask one after the other, and the first one again, so that neither clock may be ahead or behind.
    for connection in [&peers[0], &peers[1], store, &peers[0]] {
        let loaded = row(connection, id).await?.clock;
        reached("the clock of another connection's load", loaded.saturating_add(TOLERANCE), last)?;
        let (next, clock) = done(connection, commit(id, Some(version), "two\n")).await?;
        reached("the clock of another connection's commit", clock.saturating_add(TOLERANCE), loaded)?;
        (version, last) = (next, clock);
    }
    PASSED
}

pub(crate) async fn not_after<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    if !store.capabilities().not_after {
        return NO_NOT_AFTER;
    }
    let (version, clock) = done(store, commit(id, None, "one\n")).await?;
    let in_time = Some(clock.saturating_add(FAR));
    let next = Commit { not_after: in_time, ..commit(id, Some(version), "two\n") };
    let (version, clock) = done(store, next).await?;
    let limit = clock.saturating_add(STEP);
    harness.advance(STEP).await;
    let next = Commit { not_after: Some(limit), ..commit(id, Some(version), "three\n") };
    reached("the clock of a late commit", late(store, next).await?, limit)?;
    PASSED
}

pub(crate) async fn at_the_limit<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    if !store.capabilities().not_after {
        return NO_NOT_AFTER;
    }
    let (version, _) = done(store, commit(id, None, "start\n")).await?;
    // A real clock is at the limit only if the commit follows within the same millisecond.
    for _ in 0..50 {
        let limit = row(store, id).await?.clock;
        let next = Commit { not_after: Some(limit), ..commit(id, Some(version.clone()), "next\n") };
        match store.commit(next).await {
            Ok(Committed::Late { clock }) => reached("the clock of a late commit", clock, limit)?,
            Ok(Committed::Done { clock, .. }) => {
                return Err(format!("a commit with the limit {limit} was done at {clock}"));
            }
            other => return Err(format!("a commit at its limit gave {}", brief(&other))),
        }
    }
    PASSED
}

pub(crate) async fn late_writes_nothing<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    if !store.capabilities().not_after {
        return NO_NOT_AFTER;
    }
    let (id, never) = (canvas("c"), canvas("never made"));
    let first = commit(&id, None, "one\n");
    let head = Arc::clone(&first.head);
    let (version, clock) = done(store, first).await?;
    let not_after = Some(clock);
    late(store, Commit { not_after, ..commit(&id, Some(version.clone()), "two\n") }).await?;
    unchanged(store, &head, &version).await?;
    late(store, Commit { not_after, ..commit(&never, None, "two\n") }).await?;
    same("a row made too late", find(store, &never).await?.is_some(), false)?;
    let list = store.list(None, 10).await.map_err(|e| e.message())?;
    same("the list after a canvas was made too late", list, vec![id.clone()])?;
    // For every kind of commit: an empty bump, a deletion, a canvas created again.
    let loaded = row(store, &id).await?;
    let bump = Commit { head: Arc::clone(&head), ..deletion(&loaded) };
    for next in [bump, deletion(&loaded)] {
        late(store, Commit { not_after, ..next }).await?;
        unchanged(store, &head, &version).await?;
    }
    // The same blobs can be put again in time.
    let (version, _) = done(store, commit(&id, Some(version), "two\n")).await?;
    done(store, commit(&never, None, "two\n")).await?;
    let deleted = deletion(&Loaded { version, ..row(store, &id).await? });
    let grave = Arc::clone(&deleted.head);
    let (version, _) = done(store, deleted).await?;
    late(store, Commit { not_after, ..commit(&id, Some(version.clone()), "again\n") }).await?;
    unchanged(store, &grave, &version).await?;
    PASSED
}

pub(crate) async fn late_and_wrong<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    if !store.capabilities().not_after {
        return NO_NOT_AFTER;
    }
    let (first, _) = done(store, commit(id, None, "one\n")).await?;
    let (version, clock) = done(store, commit(id, Some(first.clone()), "two\n")).await?;
    for wrong in [None, Some(first)] {
        let next = Commit { not_after: Some(clock), ..commit(id, wrong, "three\n") };
        let current = conflict_row(store, next).await?;
        same("the version in the conflict", &current.version, &version)?;
    }
    PASSED
}

pub(crate) async fn judged_after_the_wait<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
) -> Verdict {
    // The commit should begin to wait within this time. If it begins later, it is late all the same.
    const WAIT: Duration = Duration::from_secs(1);
    if !store.capabilities().not_after {
        return NO_NOT_AFTER;
    }
    let first = commit(id, None, "one\n");
    let head = Arc::clone(&first.head);
    let (version, clock) = done(store, first).await?;
    let elsewhere = Elsewhere::of(harness).await;
    let Some(stall) = harness.stall(store, id).await else { return NO_STALL };
    let limit = clock.saturating_add(WAIT);
    let next = Commit { not_after: Some(limit), ..commit(id, Some(version.clone()), "two\n") };
    let free = async {
        elsewhere.be_busy().await?;
        harness.advance(WAIT).await;
        drop(stall);
        Ok::<_, String>(())
    };
    let (clock, freed) = both(late(store, next), free).await;
    freed?;
    reached("the clock of a commit that waited past its limit", clock?, limit)?;
    unchanged(store, &head, &version).await?;
    PASSED
}
