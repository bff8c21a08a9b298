//! A server: an engine with its cache on a connection that makes trouble, and what it may take the time for.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use canvas_core::store::Store;
use canvas_core::{Engine, Policy};

use super::checker::{Asked, Reported, Said};
use super::faults::FaultyStore;
use super::model::{Command, Millis};

/// A server: an engine with a cache of its own on a connection of its own.
pub(crate) struct Server<S> {
    pub(crate) engine: Arc<Engine<FaultyStore<S>>>,
    pub(crate) store: FaultyStore<S>,
    /// How far its host's clock is ahead of the store's. No rule depends on it.
    pub(crate) host_ahead: Millis,
    /// How far the clock that it learns is ahead of the store's.
    pub(crate) ahead: i64,
    /// How far its idea of the store's clock may be ahead: what it learned with its last answer, and the time that
    /// this answer took.
    pub(crate) leads: Vec<i64>,
}

impl<S: Store> Server<S> {
    pub(crate) fn new(store: FaultyStore<S>, policy: Policy, host_ahead: Millis) -> Self {
        let engine = Arc::new(Engine::new(store.clone(), policy));
        Self { engine, store, host_ahead, ahead: 0, leads: Vec::new() }
    }

    /// How long its answers took decides how far its clock may run ahead from now on.
    pub(crate) fn learns(&mut self, asked: &Asked, said: &Said, took: impl IntoIterator<Item = Millis>) {
        if !self.store.has_heard() {
            return;
        }
        // What ends in an error leaves in the cache what was there before.
        let is_error = matches!(asked.command, Command::Create | Command::Delete);
        if !is_error && matches!(said, Said::Answer { .. }) {
            self.leads.clear();
        }
        let ahead = self.ahead;
        self.leads.extend(took.into_iter().map(|took| ahead.saturating_add_unsigned(took)));
        self.leads.sort_unstable();
        self.leads.dedup();
    }
}

/// What a server may take the time for.
pub(crate) fn reported(now: Millis, leads: &[i64], ahead: i64) -> Reported {
    let leads = leads.iter().copied().chain([ahead]);
    Reported { clocks: leads.map(|lead| now.saturating_add_signed(lead)).collect(), ahead }
}

/// Polls a call to its end, or drops it where its server goes down.
pub(crate) async fn until_crash<S: Store>(store: &FaultyStore<S>, call: impl Future<Output = Said>) -> Said {
    let mut call = pin!(call);
    poll_fn(|context| match call.as_mut().poll(context) {
        Poll::Pending if store.is_crashed() => Poll::Ready(Said::Crashed),
        poll => poll,
    })
    .await
}
