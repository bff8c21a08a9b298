//! Two servers on one store, which is the purpose of the contract.

use std::time::Duration;

use canvas_core::document::{Edit, Read};
use canvas_core::lease::{CheckIn, CheckOut, CheckedOut, LeaseId};
use canvas_core::store::Store as _;
use canvas_core::{CodedError as _, EngineError};

use super::server::{LONG, SHORT, Server, Skew, apply, code, operation, pair};
use super::tasks::both;
use super::{CanvasId, PASSED, Verdict, row, same};
use crate::conformance::harness::Harness;

const HOUR: Duration = Duration::from_secs(3_600);

pub(crate) async fn created_once<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (one, two) = pair(harness, store).await?;
    let keys = [operation("host", "one"), operation("host", "two")];
    let (first, second) = both(one.create_as("one\n", &keys[0]), two.create_as("two\n", &keys[1])).await;
    let (text, created) = match (first, second) {
        (Ok(created), Err(EngineError::Exists { .. })) => ("one\n", created),
        (Err(EngineError::Exists { .. }), Ok(created)) => ("two\n", created),
        (first, second) => {
            let said = [first, second].map(|made| made.map_or_else(|e| e.code(), |_| "OK"));
            return Err(format!("two creations at once gave {said:?}"));
        }
    };
    same("the document of who has won", created.snapshot.text(), text)?;
    for server in [&one, &two] {
        same("the document", server.text().await?, text.to_owned())?;
    }
    // A retry on either server must return the winner's answer.
    let key = if text == "one\n" { &keys[0] } else { &keys[1] };
    for server in [&one, &two] {
        let again =
            server.create_as(text, key).await.map_err(|e| format!("a retried creation failed: {e}"))?;
        same("the answer to a retried creation", again.revision, created.revision)?;
    }
    PASSED
}

pub(crate) async fn one_lease<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (mut one, mut two) = pair(harness, store).await?;
    one.create("a\nb\n").await?;
    let first = one.check_out("first").await?;
    same("the second check-out", code(&two.ask("second", CheckOut).await?), "LOCK_NOT_AVAILABLE")?;
    same(
        "a write of the other",
        code(&two.ask("second", apply(first, "@@\n a\n+x\n")).await?),
        "LOCK_NOT_OWNED",
    )?;
    same("the check-in", code(&one.ask("first", CheckIn { lease: Some(first) }).await?), "OK")?;
    let mut brief = Server::with_ttl(harness, store, "brief", SHORT).await?;
    let Ok(CheckedOut { lease, expires_at, .. }) = brief.ask("first", CheckOut).await? else {
        return Err("a check-out after a check-in was refused".into());
    };
    brief.wait_until(expires_at).await?;
    let second = two.check_out("second").await.map_err(|e| format!("after expiry, {e}"))?;
    let read = brief.ask("first", Read::new(Some(lease))).await?;
    same("a read with the old lease", code(&read), "LOCK_NOT_OWNED")?;
    same(
        "a write with it",
        code(&brief.ask("first", apply(lease, "@@\n a\n-b\n+c\n")).await?),
        "LOCK_NOT_OWNED",
    )?;
    same(
        "a write with the new one",
        code(&two.ask("second", apply(second, "@@\n a\n-b\n+d\n")).await?),
        "OK",
    )?;
    same("the document", one.text().await?, "a\nd\n".to_owned())?;
    PASSED
}

pub(crate) async fn preempted_everywhere<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (mut one, mut two) = pair(harness, store).await?;
    one.create("a\nb\n").await?;
    let lease = one.check_out("first").await?;
    same("the first write", code(&one.ask("first", apply(lease, "@@\n a\n-b\n+c\n")).await?), "OK")?;
    same("the user's edit", code(&two.ask("user", Edit::overwrite("z\n")).await?), "OK")?;
    same(
        "a write after it",
        code(&one.ask("first", apply(lease, "@@\n a\n-c\n+d\n")).await?),
        "STALE_EPOCH",
    )?;
    same("the document", two.text().await?, "z\n".to_owned())?;
    PASSED
}

/// Writes a line below the first one, which only the holder of the recorded lease may do. Returns the line if the write
/// succeeded.
async fn write<H: Harness>(
    store: &H::Store,
    server: &mut Server<'_, H>,
    who: &str,
    lease: LeaseId,
    line: &str,
) -> Result<Option<String>, String> {
    // Read first, so that the lease alone decides about the write. If the lease is over, the write reports that.
    let _ = server.ask(who, Read::new(Some(lease))).await?;
    let held = row(store, server.canvas()).await?.head.lock().lease().map(|lease| lease.id);
    let outcome = server.ask(who, apply(lease, &format!("@@\n a\n+{line}\n"))).await?;
    if code(&outcome) != "OK" {
        return Ok(None);
    }
    same("the lease on record when a server wrote", held, Some(lease))?;
    Ok(Some(format!("{line}\n")))
}

pub(crate) async fn skewed_servers<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    // Clocks with an offset but the right speed must not take a lease away.
    for (holder, other) in [(Skew::Ahead(HOUR), Skew::Behind(HOUR)), (Skew::Behind(HOUR), Skew::Ahead(HOUR))]
    {
        let store = harness.fresh().await;
        let mut one = Server::with_ttl(harness, &store, "one", HOUR).await?.skewed(holder);
        let mut two = Server::with_ttl(harness, &store, "two", HOUR).await?.skewed(other);
        one.create("a\n").await?;
        let lease = one.check_out("first").await?;
        let taken = two.ask("second", CheckOut).await?;
        same("a check-out by a server whose clock is off", code(&taken), "LOCK_NOT_AVAILABLE")?;
        same("a write of the holder", code(&one.ask("first", apply(lease, "@@\n a\n+b\n")).await?), "OK")?;
        // A clock that jumps may end a lease early, but still nobody writes without one.
        two.skew(Skew::Ahead(LONG));
        let first = write(&store, &mut one, "first", lease, "c").await?;
        same("what the holder writes", first.as_deref(), Some("c\n"))?;
        let mut writes = vec![first];
        if let Ok(CheckedOut { lease: taken, .. }) = two.ask("second", CheckOut).await? {
            writes.push(write(&store, &mut two, "second", taken, "d").await?);
            writes.push(write(&store, &mut one, "first", lease, "e").await?);
            writes.push(write(&store, &mut two, "second", taken, "f").await?);
        }
        // Each line goes below the first one, so the last one is on top.
        let lines: String = writes.into_iter().flatten().rev().collect();
        same("the document", one.text().await?, format!("a\n{lines}b\n"))?;
    }
    // The lease never expires by a stopped clock, but it does by the store's clock.
    let mut brief = Server::with_ttl(harness, store, "brief", SHORT).await?;
    brief.create("a\n").await?;
    let Ok(CheckedOut { lease, expires_at, .. }) = brief.ask("first", CheckOut).await? else {
        return Err("a check-out of a new canvas was refused".into());
    };
    brief.wait_until(expires_at).await?;
    let passed = brief.clock().await?.saturating_duration_since(expires_at).saturating_add(SHORT);
    brief.skew(Skew::Behind(passed));
    let late = code(&brief.ask("first", apply(lease, "@@\n a\n+late\n")).await?);
    if store.capabilities().not_after {
        same("a write after expiry, by a clock that stopped", late, "LEASE_EXPIRED")?;
    }
    let before = row(store, brief.canvas()).await?.head.revision();
    let mut two = Server::new(harness, store, "two").await?;
    two.check_out("second").await.map_err(|e| format!("after expiry, {e}"))?;
    let write = brief.ask("first", apply(lease, "@@\n a\n+late\n")).await?;
    same("a write after the lease has gone to another", code(&write), "LOCK_NOT_OWNED")?;
    same("the revision", row(store, brief.canvas()).await?.head.revision(), before)?;
    PASSED
}
