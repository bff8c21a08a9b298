//! Concurrent commits: the winner, the results of the others, and the state after dropped ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{Commit, Committed, Loaded, Store, StoreError, TreePath, Version};
use canvas_core::{BlobId, CanvasId};

use super::tasks::{Elsewhere, both, give_up_after, join, yield_now};
use super::{NO_STALL, PASSED, Verdict, blob, brief, canvas, commit, done, reached, row, same, same_head};
use super::{find, has, unchanged};
use crate::conformance::harness::Harness;

/// Number of races of each kind. A single race may by chance not be close on a machine with threads.
const ROUNDS: usize = 5;

pub(crate) async fn one_wins<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (mut version, _) = done(store, commit(id, None, "start\n")).await?;
    for _ in 0..ROUNDS {
        version = race(harness, store, id, Some(version)).await?;
    }
    PASSED
}

pub(crate) async fn creation_race<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    for round in 0..ROUNDS {
        race(harness, store, &canvas(&round.to_string()), None).await?;
    }
    PASSED
}

/// Lets three connections commit at once. One must win, and the others must get the winner's row, which must still exist
/// afterwards.
async fn race<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
    expected: Option<Version>,
) -> Result<Version, String> {
    let peers = [harness.peer(store).await, harness.peer(store).await, harness.peer(store).await];
    let commits: Vec<_> = (0..3).map(|i| commit(id, expected.clone(), &format!("{i}\n"))).collect();
    let heads: Vec<_> = commits.iter().map(|commit| Arc::clone(&commit.head)).collect();
    let tries = peers.iter().zip(commits).map(|(peer, commit)| peer.commit(commit)).collect();
    let (mut won, mut lost) = (Vec::new(), Vec::new());
    for (answer, head) in join(tries).await.into_iter().zip(heads) {
        match answer {
            Ok(Committed::Done { version, .. }) => won.push((head, version)),
            Ok(Committed::Conflict(Some(row))) => lost.push(row),
            other => return Err(format!("one of three commits gave {}", brief(&other))),
        }
    }
    same("the number of winners", won.len(), 1)?;
    let (head, version) = won.pop().ok_or("nobody has won")?;
    for row in &lost {
        same_head("the head in a loser's conflict", &row.head, &head)?;
        same("the version in a loser's conflict", &row.version, &version)?;
    }
    unchanged(store, &head, &version).await?;
    Ok(version)
}

pub(crate) async fn land_once<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    const TASKS: usize = 10;
    let peers = [harness.peer(store).await, harness.peer(store).await];
    done(store, commit(id, None, "0\n")).await?;
    let tasks = (0..TASKS).map(|task| count_up(&peers[task % peers.len()], id)).collect();
    let mut versions: Vec<Version> = Vec::new();
    for version in join(tasks).await {
        let version = version?;
        same("use of one version for two commits", versions.contains(&version), false)?;
        versions.push(version);
    }
    let (count, loaded) = counted(store, row(store, id).await?).await?;
    same("the counter after ten steps", count, TASKS)?;
    same("the last version in use", versions.contains(&loaded.version), true)?;
    PASSED
}

/// Adds one to the counter in the document, and retries after each conflict.
async fn count_up<S: Store>(store: &S, id: &CanvasId) -> Result<Version, String> {
    let mut current = row(store, id).await?;
    // Each round of conflicts has a winner, so no task loses this often to nine others.
    for _ in 0..100 {
        let (count, loaded) = counted(store, current).await?;
        let next = commit(id, Some(loaded.version), &format!("{}\n", count + 1));
        match store.commit(next).await {
            Ok(Committed::Done { version, .. }) => return Ok(version),
            Ok(Committed::Conflict(Some(row))) => current = row,
            other => return Err(format!("a step of the counter gave {}", brief(&other))),
        }
    }
    Err("a commit lost a hundred times to nine others".to_owned())
}

async fn counted<S: Store>(store: &S, loaded: Loaded) -> Result<(usize, Loaded), String> {
    let document = loaded.head.draft().get(&TreePath::document()).ok_or("the head has no document")?;
    let text = blob(store, loaded.head.canvas(), document).await?.ok_or("the document is not there")?;
    let text = String::from_utf8(text).map_err(|e| e.to_string())?;
    Ok((text.trim_end().parse().map_err(|_| format!("the counter reads {text:?}"))?, loaded))
}

pub(crate) async fn head_brings_blobs<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    let over = AtomicBool::new(false);
    let write = async {
        let mut expected = None;
        for round in 0..5 {
            let (version, _) = done(store, commit(id, expected, &format!("{round}\n"))).await?;
            expected = Some(version);
            yield_now().await;
        }
        Ok::<_, String>(())
    };
    let write = async {
        let result = write.await;
        over.store(true, Ordering::Relaxed);
        result
    };
    let read = async {
        loop {
            let last = over.load(Ordering::Relaxed);
            if let Some(loaded) = find(&peer, id).await? {
                counted(&peer, loaded).await?;
            }
            if last {
                return Ok::<_, String>(());
            }
            yield_now().await;
        }
    };
    let (written, read) = both(write, read).await;
    written?;
    read?;
    PASSED
}

pub(crate) async fn abandoned<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    let (mut version, _) = done(store, commit(id, None, "start\n")).await?;
    let mut gave_up = false;
    // Let another writer block half of them, if the harness can do so.
    let held_up = [true, false].into_iter().cycle();
    for (polls, held_up) in (1..9).zip(held_up) {
        let stall = if held_up { harness.stall(store, id).await } else { None };
        let text = format!("{polls}\n");
        let next = commit(id, Some(version.clone()), &text);
        let head = Arc::clone(&next.head);
        gave_up |= give_up_after(polls, store.commit(next)).await.is_none();
        drop(stall);
        // The next writer must find the row usable, on this connection and on another.
        for connection in [&peer, store] {
            version = settle(connection, id).await?;
            let loaded = row(connection, id).await?;
            if loaded.head == head {
                same("the blob of a commit given up", has(connection, id, &text).await?, true)?;
            }
        }
    }
    if gave_up {
        PASSED
    } else {
        Ok(crate::conformance::CheckOutcome::Skipped("commits end before they can be given up"))
    }
}

/// Moves the version, so that a dropped commit cannot land later. It may still land before this.
async fn settle<S: Store>(store: &S, id: &CanvasId) -> Result<Version, String> {
    let mut loaded = row(store, id).await?;
    for _ in 0..3 {
        let expected = Some(loaded.version);
        let bump = Commit { expected, head: loaded.head, blobs: Vec::new(), not_after: None };
        match store.commit(bump).await {
            Ok(Committed::Done { version, .. }) => return Ok(version),
            Ok(Committed::Conflict(Some(row))) => loaded = row,
            other => return Err(format!("after a commit was given up, another gave {}", brief(&other))),
        }
    }
    Err("one commit that was given up made three others conflict".to_owned())
}

pub(crate) async fn learns_after_the_wait<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
) -> Verdict {
    const WAIT: Duration = Duration::from_millis(50);
    let peers = [harness.peer(store).await, harness.peer(store).await];
    let (version, start) = done(store, commit(id, None, "start\n")).await?;
    let commits: Vec<_> = (0..2).map(|i| commit(id, Some(version.clone()), &format!("{i}\n"))).collect();
    let heads: Vec<_> = commits.iter().map(|commit| Arc::clone(&commit.head)).collect();
    let elsewhere = Elsewhere::of(harness).await;
    let stall = harness.stall(store, id).await;
    let stalls = stall.is_some();
    let tries = peers.iter().zip(commits).map(|(peer, commit)| peer.commit(commit)).collect();
    let free = async {
        elsewhere.be_busy().await?;
        harness.advance(WAIT).await;
        drop(stall);
        Ok::<_, String>(())
    };
    let (answers, freed) = both(join(tries), free).await;
    freed?;
    let (won, row, learnt) = winner_and_loser(answers)?;
    same_head("the head that the loser learns", &row.head, &heads[won])?;
    for peer in &peers {
        same("the text that both see afterwards", has(peer, id, &format!("{won}\n")).await?, true)?;
    }
    unchanged(store, &row.head, &row.version).await?;
    if !stalls {
        return NO_STALL;
    }
    let end = start.saturating_add(WAIT);
    reached("the winner's clock after the wait", learnt, end)?;
    reached("the loser's clock after the wait", row.clock, end)?;
    same(
        "the winner's blob",
        blob(store, id, BlobId::of(format!("{won}\n").as_bytes())).await?.is_some(),
        true,
    )?;
    PASSED
}

/// Returns the index and clock of the winner, and the row that the loser got.
fn winner_and_loser(
    answers: Vec<Result<Committed, StoreError>>,
) -> Result<(usize, Loaded, Timestamp), String> {
    let (mut won, mut lost) = (None, None);
    for (i, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(Committed::Done { clock, .. }) => won = Some((i, clock)),
            Ok(Committed::Conflict(Some(row))) => lost = Some(row),
            other => return Err(format!("one of two commits that waited gave {}", brief(&other))),
        }
    }
    let ((i, clock), row) =
        won.zip(lost).ok_or("of two commits on one version not one has won and one lost")?;
    Ok((i, row, clock))
}
