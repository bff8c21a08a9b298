//! A server, which is an engine with a connection and a clock of its own.

use std::time::Duration;

use canvas_core::document::ApplyPatch;
use canvas_core::lease::{CheckOut, LeaseId, Timestamp, Turn};
use canvas_core::store::{Committed, Store as _};
use canvas_core::{
    Answered, CanvasId, CodedError as _, Command, CreatedCanvas, Engine, EngineError, OpKey, Policy, Refused,
};

use super::{canvas, commit, find, row};
use crate::conformance::harness::Harness;
use crate::id::key_of;

/// Long enough that no lease ends during a check.
pub(super) const LONG: Duration = Duration::from_secs(86_400);

/// Short enough to wait for on a real clock.
pub(super) const SHORT: Duration = Duration::from_secs(2);

pub(super) struct Server<'a, H: Harness> {
    harness: &'a H,
    engine: Engine<H::Store>,
    canvas: CanvasId,
    /// Prefix of the call ids, so that two servers use different ones.
    name: &'static str,
    calls: u32,
    skew: Skew,
}

/// The offset of a server's clock.
#[derive(Debug, Clone, Copy)]
pub(super) enum Skew {
    Ahead(Duration),
    Behind(Duration),
}

impl<'a, H: Harness> Server<'a, H> {
    /// Creates a server. The name must be unique among the servers of this store.
    pub(super) async fn new(harness: &'a H, store: &H::Store, name: &'static str) -> Result<Self, String> {
        Self::with_ttl(harness, store, name, LONG).await
    }

    /// Creates a server that issues leases with this time to live.
    pub(super) async fn with_ttl(
        harness: &'a H,
        store: &H::Store,
        name: &'static str,
        ttl: Duration,
    ) -> Result<Self, String> {
        let connection = harness.peer(store).await;
        // A row that always exists, from which to read the store's clock.
        let elsewhere = canvas("elsewhere");
        if find(&connection, &elsewhere).await?.is_none() {
            match connection.commit(commit(&elsewhere, None, "x\n")).await {
                Ok(Committed::Done { .. } | Committed::Conflict(_)) => {}
                other => return Err(format!("a first commit gave {}", super::brief(&other))),
            }
        }
        let mut policy = Policy::default();
        (policy.lease.ttl, policy.lease.max_hold) = (ttl, ttl);
        let engine = Engine::new(connection, policy);
        Ok(Self { harness, engine, canvas: canvas("c"), name, calls: 0, skew: Skew::Ahead(Duration::ZERO) })
    }

    pub(super) fn skewed(self, skew: Skew) -> Self {
        Self { skew, ..self }
    }

    pub(super) fn skew(&mut self, skew: Skew) {
        self.skew = skew;
    }

    pub(super) fn canvas(&self) -> &CanvasId {
        &self.canvas
    }

    /// Reads the store's clock.
    pub(super) async fn clock(&self) -> Result<Timestamp, String> {
        Ok(row(self.engine.store(), &canvas("elsewhere")).await?.clock)
    }

    /// Returns the time by this server's clock.
    async fn now(&self) -> Result<Timestamp, String> {
        let clock = self.clock().await?;
        Ok(match self.skew {
            Skew::Ahead(by) => clock.saturating_add(by),
            Skew::Behind(by) => Timestamp::from_millis(0).saturating_add(
                clock.saturating_duration_since(Timestamp::from_millis(0)).saturating_sub(by),
            ),
        })
    }

    fn key(&mut self, who: &str) -> OpKey {
        self.calls += 1;
        operation(who, &format!("{} {}", self.name, self.calls))
    }

    /// Advances the store's clock to an instant.
    pub(super) async fn wait_until(&self, instant: Timestamp) -> Result<(), String> {
        for _ in 0..10 {
            let left = instant.saturating_duration_since(self.clock().await?);
            if left.is_zero() {
                return Ok(());
            }
            self.harness.advance(left).await;
        }
        Err(format!("the store's clock does not reach {instant}"))
    }

    /// Forgets the notified canvases, like the host of a store that notifies.
    async fn hear(&self) {
        for canvas in self.harness.notified(self.engine.store()).await {
            self.engine.forget(&canvas);
        }
    }

    pub(super) async fn create(&mut self, markdown: &str) -> Result<CreatedCanvas, String> {
        let key = self.key("host");
        self.create_as(markdown, &key).await.map_err(|e| format!("a creation failed: {}", e.message()))
    }

    pub(super) async fn create_as(&self, markdown: &str, key: &OpKey) -> Result<CreatedCanvas, EngineError> {
        // If the clock cannot be read, the store fails anyway, and the engine reports that itself.
        let now = self.now().await.unwrap_or(Timestamp::from_millis(0));
        self.hear().await;
        self.engine.create(&self.canvas, markdown, key, now).await
    }

    pub(super) async fn delete(&mut self) -> Result<(), String> {
        let (key, now) = (self.key("host"), self.now().await?);
        self.hear().await;
        let deleted = self.engine.delete(&self.canvas, &key, now).await;
        deleted.map_err(|e| format!("a deletion failed: {}", e.message()))
    }

    pub(super) async fn ask<C: Command>(&mut self, who: &str, command: C) -> Result<Outcome<C>, String> {
        let key = self.key(who);
        Ok(self.call(&key, command).await?.result)
    }

    pub(super) async fn call<C: Command>(&self, key: &OpKey, command: C) -> Result<Answered<C>, String> {
        let now = self.now().await?;
        self.hear().await;
        let answered = self.engine.call(&self.canvas, key, command, now).await;
        answered.map_err(|e| format!("a call failed: {}", e.message()))
    }

    pub(super) async fn check_out(&mut self, who: &str) -> Result<LeaseId, String> {
        match self.ask(who, CheckOut).await? {
            Ok(checked_out) => Ok(checked_out.lease),
            Err(refusal) => Err(format!("a check-out of a free canvas gave {}", refusal.code())),
        }
    }

    pub(super) async fn text(&self) -> Result<String, String> {
        let now = self.now().await?;
        self.hear().await;
        let snapshot = self.engine.snapshot(&self.canvas, now).await;
        Ok(snapshot.map_err(|e| format!("a snapshot failed: {}", e.message()))?.text().to_owned())
    }
}

/// Creates two servers on one store.
pub(super) async fn pair<'a, H: Harness>(
    harness: &'a H,
    store: &H::Store,
) -> Result<(Server<'a, H>, Server<'a, H>), String> {
    Ok((Server::new(harness, store, "one").await?, Server::new(harness, store, "two").await?))
}

pub(super) fn apply(lease: LeaseId, patch: &str) -> ApplyPatch {
    ApplyPatch { lease: Some(lease), patch: patch.into(), base: None, scope: None, shown: None }
}

pub(super) fn operation(who: &str, call: &str) -> OpKey {
    key_of(who, Turn::ZERO, call)
}

pub(super) type Outcome<C> = Result<<C as Command>::Done, <C as Command>::Refusal>;

/// Returns `OK` or the code of a refusal.
pub(super) fn code<D, R: Refused>(result: &Result<D, R>) -> &'static str {
    result.as_ref().map_or_else(|refusal| refusal.code(), |_| "OK")
}

#[cfg(test)]
mod tests {
    use canvas_core::document::Read;
    use canvas_core::testing::block_on;

    use super::*;
    use crate::conformance::tests::Gates;

    /// If the store notifies, reads do not load, so a server that ignores notifications would read old rows.
    #[test]
    fn a_server_listens_before_it_reads() {
        let gates = Gates::new();
        block_on(async {
            let store = gates.fresh().await;
            let mut one = Server::new(&gates, &store, "one").await?;
            let mut two = Server::new(&gates, &store, "two").await?;
            one.create("a\n").await?;
            let lease = one.check_out("model").await?;
            let read = Read::new(Some(lease));
            let first = one.ask("model", read).await?;
            let patch = "@@\n-a\n+b\n".to_owned();
            two.ask("model", ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None })
                .await?
                .unwrap();
            let second = one.ask("model", read).await?;
            assert!(first.unwrap().revision.revision() < second.unwrap().revision.revision());
            Ok::<_, String>(())
        })
        .unwrap();
    }

    #[test]
    fn a_server_has_a_clock_of_its_own() {
        let gates = Gates::new();
        block_on(async {
            let store = gates.fresh().await;
            let mut server = Server::new(&gates, &store, "one").await?;
            let clock = server.clock().await?;
            assert_eq!(server.now().await?, clock);
            server = server.skewed(Skew::Behind(SHORT));
            assert_eq!(server.now().await?.saturating_add(SHORT), clock);
            server.skew(Skew::Ahead(LONG));
            assert_eq!(server.now().await?, clock.saturating_add(LONG));
            Ok::<_, String>(())
        })
        .unwrap();
    }
}
