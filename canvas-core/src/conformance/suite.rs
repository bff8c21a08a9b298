//! The promises. Each works on a store of its own and says how it was broken.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use canvas_lease::{Timestamp, Turn};

use super::Harness;
use crate::document::command::{Call, Command};
use crate::document::outcome::Outcome;
use crate::engine::Engine;
use crate::ground::blob::{Blob, BlobId};
use crate::ground::head::Head;
use crate::ground::id::{CallId, CanvasId, ConversationId, OpKey};
use crate::ground::store::{Commit, Committed, Loaded, Store, Version};
use crate::policy::Policy;

type Kept = Result<(), String>;

fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Kept {
    if found == expected { Ok(()) } else { Err(format!("{what} is {found:?}, expected {expected:?}")) }
}

fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).expect("the suite's names are short")
}

/// A commit of a canvas whose document is `text`.
fn commit(id: &CanvasId, expected: Option<Version>, text: &str) -> Commit {
    let document = Blob::text(text.to_owned());
    let head = Head::create(id.clone(), document.id());
    Commit { expected, head: Arc::new(head), blobs: vec![document], not_after: None }
}

async fn done<S: Store>(store: &S, commit: Commit) -> Result<(Version, Timestamp), String> {
    match store.commit(commit).await {
        Ok(Committed::Done { version, clock }) => Ok((version, clock)),
        other => Err(format!("the commit gave {other:?}, expected Done")),
    }
}

async fn conflict<S: Store>(store: &S, commit: Commit) -> Result<Option<Loaded>, String> {
    match store.commit(commit).await {
        Ok(Committed::Conflict(current)) => Ok(current),
        other => Err(format!("the commit gave {other:?}, expected Conflict")),
    }
}

async fn row<S: Store>(store: &S, id: &CanvasId) -> Result<Loaded, String> {
    let loaded = store.load(id).await.map_err(|e| e.to_string())?;
    loaded.ok_or_else(|| format!("{id} has no row"))
}

async fn blob<S: Store>(store: &S, id: &CanvasId, blob: BlobId) -> Result<Option<Vec<u8>>, String> {
    let found = store.blob(id, blob).await.map_err(|e| e.to_string())?;
    Ok(found.map(|blob| blob.as_bytes().to_vec()))
}

pub(super) async fn unknown_canvas<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("nobody");
    same("the row", store.load(&id).await.map_err(|e| e.to_string())?.is_some(), false)?;
    same("the blob", blob(&store, &id, BlobId::of(b"x")).await?, None)
}

pub(super) async fn round_trip<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let first = commit(&id, None, "one\n");
    let head = Arc::clone(&first.head);
    let (version, _) = done(&store, first).await?;
    let loaded = row(&store, &id).await?;
    same("the head", &loaded.head, &head)?;
    same("the version", loaded.version, version)
}

pub(super) async fn made_once<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let (version, _) = done(&store, commit(&id, None, "one\n")).await?;
    let current = conflict(&store, commit(&id, None, "two\n")).await?;
    same("the version in the conflict", current.map(|row| row.version), Some(version))
}

pub(super) async fn no_row_no_match<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let (version, _) = done(&store, commit(&canvas("other"), None, "one\n")).await?;
    let id = canvas("c");
    let current = conflict(&store, commit(&id, Some(version), "two\n")).await?;
    same("a row in the conflict", current.is_some(), false)?;
    same("a row afterwards", store.load(&id).await.map_err(|e| e.to_string())?.is_some(), false)
}

pub(super) async fn old_version<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let (first, _) = done(&store, commit(&id, None, "one\n")).await?;
    let second = commit(&id, Some(first.clone()), "two\n");
    let head = Arc::clone(&second.head);
    let (version, _) = done(&store, second).await?;
    conflict(&store, commit(&id, Some(first), "three\n")).await?;
    let loaded = row(&store, &id).await?;
    same("the head", &loaded.head, &head)?;
    same("the version", loaded.version, version)
}

pub(super) async fn conflict_carries<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let peer = harness.peer(&store).await;
    let id = canvas("c");
    let (first, _) = done(&store, commit(&id, None, "one\n")).await?;
    let second = commit(&id, Some(first.clone()), "two\n");
    let head = Arc::clone(&second.head);
    done(&peer, second).await?;
    let current = conflict(&store, commit(&id, Some(first), "three\n")).await?;
    let current = current.ok_or("the conflict carries no row")?;
    same("the head in the conflict", &current.head, &head)?;
    done(&store, commit(&id, Some(current.version), "four\n")).await.map(drop)
}

pub(super) async fn versions_are_new<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let mut seen: Vec<Version> = Vec::new();
    for text in ["a\n", "b\n", "a\n", "a\n"] {
        let (version, _) = done(&store, commit(&id, seen.last().cloned(), text)).await?;
        same("use of an old version", seen.contains(&version), false)?;
        seen.push(version);
    }
    conflict(&store, commit(&id, seen.first().cloned(), "late\n")).await.map(drop)
}

pub(super) async fn one_wins<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let (version, _) = done(&store, commit(&id, None, "start\n")).await?;
    let peers = [harness.peer(&store).await, harness.peer(&store).await, harness.peer(&store).await];
    let tries = peers.iter().enumerate().map(|(i, peer)| {
        let commit = commit(&id, Some(version.clone()), &format!("{i}\n"));
        async move { peer.commit(commit).await }
    });
    let mut winners = 0;
    for result in join(tries.collect()).await {
        match result {
            Ok(Committed::Done { .. }) => winners += 1,
            Ok(Committed::Conflict(Some(_))) => {}
            other => return Err(format!("a commit gave {other:?}")),
        }
    }
    same("the number of winners", winners, 1)
}

/// Drives futures side by side to their ends.
async fn join<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if outputs.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

pub(super) async fn blobs_are_there<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let mut first = commit(&id, None, "one\n");
    let raw = Blob::bytes(vec![0, 159, 146, 150]);
    first.blobs.push(raw.clone());
    let (version, _) = done(&store, first).await?;
    same("the text", blob(&store, &id, BlobId::of(b"one\n")).await?, Some(b"one\n".to_vec()))?;
    same("the bytes", blob(&store, &id, raw.id()).await?, Some(raw.as_bytes().to_vec()))?;
    // Writers put their blobs again rather than trust that an old one was kept.
    done(&store, commit(&id, Some(version), "one\n")).await?;
    same("the text, put again", blob(&store, &id, BlobId::of(b"one\n")).await?, Some(b"one\n".to_vec()))
}

pub(super) async fn blobs_are_apart<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let (mine, other) = (canvas("mine"), canvas("other"));
    done(&store, commit(&mine, None, "secret\n")).await?;
    done(&store, commit(&other, None, "open\n")).await?;
    same("a blob of another canvas", blob(&store, &other, BlobId::of(b"secret\n")).await?, None)
}

pub(super) async fn peer_sees<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let peer = harness.peer(&store).await;
    let id = canvas("c");
    let mut expected = None;
    for text in ["one\n", "two\n", "three\n"] {
        let next = commit(&id, expected, text);
        let head = Arc::clone(&next.head);
        let (version, _) = done(&store, next).await?;
        let loaded = row(&peer, &id).await?;
        same("the peer's head", &loaded.head, &head)?;
        same("the peer's version", &loaded.version, &version)?;
        same("the peer's blob", blob(&peer, &id, BlobId::of(text.as_bytes())).await?.is_some(), true)?;
        expected = Some(version);
    }
    Ok(())
}

pub(super) async fn clock_moves<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let step = Duration::from_millis(20);
    let (version, committed) = done(&store, commit(&id, None, "one\n")).await?;
    harness.advance(step).await;
    let loaded = row(&store, &id).await?.clock;
    same("the clock of a load after time has passed", loaded >= committed.saturating_add(step), true)?;
    harness.advance(step).await;
    let current = conflict(&store, commit(&id, None, "two\n")).await?.ok_or("no row")?.clock;
    same("the clock of a conflict after time has passed", current >= loaded.saturating_add(step), true)?;
    harness.advance(step).await;
    let (_, last) = done(&store, commit(&id, Some(version), "three\n")).await?;
    same("the clock of a commit after time has passed", last >= current.saturating_add(step), true)
}

pub(super) async fn not_after<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    if !store.capabilities().not_after {
        return Ok(());
    }
    let id = canvas("c");
    let (version, clock) = done(&store, commit(&id, None, "one\n")).await?;
    let limit = clock.saturating_add(Duration::from_secs(1));
    let in_time = Commit { not_after: Some(limit), ..commit(&id, Some(version), "two\n") };
    let (version, _) = done(&store, in_time).await?;
    harness.advance(Duration::from_secs(1)).await;
    let late = Commit { not_after: Some(limit), ..commit(&id, Some(version.clone()), "three\n") };
    match store.commit(late).await {
        Ok(Committed::Late { clock }) if clock >= limit => {}
        other => return Err(format!("a commit at its limit gave {other:?}, expected Late")),
    }
    let loaded = row(&store, &id).await?;
    same("the version after a late commit", &loaded.version, &version)?;
    // The condition comes first: who is both late and wrong learns the row.
    let wrong = Commit { not_after: Some(limit), ..commit(&id, None, "four\n") };
    conflict(&store, wrong).await.map(drop)
}

pub(super) async fn listed<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    for name in ["b", "a", "d", "c"] {
        done(&store, commit(&canvas(name), None, "x\n")).await?;
    }
    let names = |ids: Vec<CanvasId>| ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
    let list = async |after: Option<&CanvasId>, limit| {
        store.list(after, limit).await.map(names).map_err(|e| e.to_string())
    };
    same("the list", list(None, 10).await?, ["a", "b", "c", "d"].map(String::from).to_vec())?;
    same("its first page", list(None, 2).await?, ["a", "b"].map(String::from).to_vec())?;
    same("its second page", list(Some(&canvas("b")), 2).await?, ["c", "d"].map(String::from).to_vec())
}

pub(super) async fn dropped<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let mut first = commit(&id, None, "kept\n");
    first.blobs.push(Blob::text("old\n".into()));
    done(&store, first).await?;
    let (old, kept) = (BlobId::of(b"old\n"), BlobId::of(b"kept\n"));
    for _ in 0..2 {
        store.delete(&id, &[old, BlobId::of(b"never there")]).await.map_err(|e| e.to_string())?;
        same("a dropped blob", blob(&store, &id, old).await?, None)?;
        same("the other blob", blob(&store, &id, kept).await?.is_some(), true)?;
    }
    Ok(())
}

pub(super) async fn any_id<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let long = "x".repeat(512);
    let names =
        ["../../etc", "a/b", "a'; drop table canvas; --", "ü ∀ 🦀", "\u{0}\n\t", "%2e%2e", "A", "a", &long];
    for name in names {
        done(&store, commit(&canvas(name), None, name)).await.map_err(|e| format!("{name:?}: {e}"))?;
    }
    for name in names {
        let loaded = row(&store, &canvas(name)).await?;
        same("the canvas of the row", loaded.head.canvas().as_str(), name)?;
        let text = blob(&store, &canvas(name), BlobId::of(name.as_bytes())).await?;
        same("its document", text, Some(name.as_bytes().to_vec()))?;
    }
    Ok(())
}

pub(super) async fn large<H: Harness>(harness: &H) -> Kept {
    let store = harness.fresh().await;
    let id = canvas("c");
    let text = "a line of a large document\n".repeat(80_000);
    done(&store, commit(&id, None, &text)).await?;
    let found = blob(&store, &id, BlobId::of(text.as_bytes())).await?;
    same("the document's size", found.map(|bytes| bytes.len()), Some(text.len()))
}

/// A server: an engine on a connection of its own.
struct Server<S> {
    engine: Engine<S>,
    canvas: CanvasId,
    calls: u32,
}

impl<S: Store> Server<S> {
    fn new(store: S) -> Self {
        Self { engine: Engine::new(store, Policy::default()), canvas: canvas("c"), calls: 0 }
    }

    /// The store's own time, as a host with a right clock has it.
    async fn now(&self) -> Result<Timestamp, String> {
        Ok(row(self.engine.store(), &self.canvas).await?.clock)
    }

    async fn ask(&mut self, who: &str, command: Command) -> Result<Outcome, String> {
        self.calls += 1;
        let operation = operation(who, &format!("{who}-{}", self.calls));
        let now = self.now().await?;
        let call = Call { operation, command };
        let answered = self.engine.call(&self.canvas, &call, now).await.map_err(|e| e.to_string())?;
        Ok(answered.outcome)
    }
}

fn operation(who: &str, call: &str) -> OpKey {
    OpKey {
        conversation: ConversationId::new(who).expect("the suite's names are short"),
        turn: Turn::ZERO,
        call: CallId::new(call).expect("the suite's names are short"),
    }
}

fn code(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Refused(refusal) => refusal.code(),
        _ => "OK",
    }
}

async fn two_servers<H: Harness>(harness: &H) -> Result<(Server<H::Store>, Server<H::Store>), String> {
    let store = harness.fresh().await;
    let (one, two) = (Server::new(harness.peer(&store).await), Server::new(harness.peer(&store).await));
    let (_, now) = done(&store, commit(&canvas("elsewhere"), None, "x\n")).await?;
    let created = one.engine.create(&one.canvas, "a\nb\n", &operation("host", "create"), now).await;
    created.map_err(|e| e.to_string())?;
    Ok((one, two))
}

pub(super) async fn one_lease<H: Harness>(harness: &H) -> Kept {
    let (mut one, mut two) = two_servers(harness).await?;
    let first = one.ask("first", Command::CheckOut).await?;
    same("the first check-out", code(&first), "OK")?;
    same("the second check-out", code(&two.ask("second", Command::CheckOut).await?), "LOCK_NOT_AVAILABLE")?;
    harness.advance(Duration::from_secs(15)).await;
    same("a check-out after expiry", code(&two.ask("second", Command::CheckOut).await?), "OK")?;
    let Outcome::CheckedOut { lease, .. } = first else { return Err("no lease".into()) };
    let read = one.ask("first", Command::Read { lease: Some(lease) }).await?;
    same("a read with the old lease", code(&read), "LOCK_NOT_OWNED")
}

pub(super) async fn preempted_everywhere<H: Harness>(harness: &H) -> Kept {
    let (mut one, mut two) = two_servers(harness).await?;
    let Outcome::CheckedOut { lease, .. } = one.ask("first", Command::CheckOut).await? else {
        return Err("the check-out was refused".into());
    };
    let lease = Some(lease);
    let write = |patch: &str| Command::Apply { lease, patch: patch.into(), base: None };
    same("the first write", code(&one.ask("first", write("@@\n a\n-b\n+c\n")).await?), "OK")?;
    same("the user's edit", code(&two.ask("user", Command::Edit { markdown: "z\n".into() }).await?), "OK")?;
    same("a write after it", code(&one.ask("first", write("@@\n a\n-c\n+d\n")).await?), "STALE_EPOCH")?;
    let now = one.now().await?;
    let text = two.engine.snapshot(&two.canvas, now).await.map_err(|e| e.to_string())?;
    same("the document", text.text(), "z\n")
}
