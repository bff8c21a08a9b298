//! Telling clients what has changed.
//!
//! * Each followed canvas is watched once, whoever follows it. What has changed goes to all of them as one value.
//! * Commits of other processes become known by asking the store a few times a second, and only while somebody follows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use canvas_core::{CanvasId, Engine, Face, Store as _, WatchEvent};
use futures_util::future::join_all;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

use crate::host::Host;
use crate::log;
use crate::open::Others;
use crate::uri::{CanvasUri, Part};

/// How often the store is asked for commits of others.
const EVERY: Duration = Duration::from_millis(200);

/// How often the list of canvases is looked at, in such askings.
const LISTS: u32 = 4;

/// Changes that wait for a slow follower. One that has missed some is told that all has changed.
const WAITING: usize = 16;

/// Canvases of a list that is compared.
const LISTED: usize = 10_000;

/// The parts of a canvas that have changed.
pub(crate) type Change = Arc<[CanvasUri]>;

/// Who follows what.
#[derive(Debug)]
pub(crate) struct Follow {
    canvases: Mutex<HashMap<CanvasId, Sender<Change>>>,
    lists: Sender<()>,
}

/// A follower's end. All that is dropped with it.
#[derive(Debug)]
pub(crate) struct Follower {
    canvas: CanvasId,
    changes: Receiver<Change>,
}

impl Follow {
    pub(crate) fn new() -> Self {
        Self { canvases: Mutex::default(), lists: broadcast::channel(WAITING).0 }
    }

    /// Follows a canvas from now on.
    pub(crate) async fn canvas(&self, engine: &Arc<Engine>, canvas: &CanvasId) -> Follower {
        let (changes, new) = {
            let mut canvases = self.lock();
            match canvases.get(canvas) {
                // One without receivers is about to end.
                Some(sender) if sender.receiver_count() > 0 => (sender.subscribe(), None),
                _ => {
                    let (sender, changes) = broadcast::channel(WAITING);
                    canvases.insert(canvas.clone(), sender.clone());
                    (changes, Some(sender))
                }
            }
        };
        if let Some(sender) = new {
            let mut watch = engine.watch(canvas);
            // What is there now is no change.
            drop(watch.next().await);
            tokio::spawn(async move {
                loop {
                    tokio::select! {
                        () = sender.closed() => return,
                        event = watch.next() => match event {
                            Some(Ok(event)) => drop(sender.send(changed(&event))),
                            Some(Err(error)) => {
                                log::line(format_args!("what {} has become: {error}", watch.canvas()));
                                tokio::time::sleep(EVERY).await;
                            }
                            None => return,
                        },
                    }
                }
            });
        }
        Follower { canvas: canvas.clone(), changes }
    }

    /// Follows the list of canvases.
    pub(crate) fn list(&self) -> Receiver<()> {
        self.lists.subscribe()
    }

    fn followed(&self) -> Vec<CanvasId> {
        let mut canvases = self.lock();
        canvases.retain(|_, sender| sender.receiver_count() > 0);
        canvases.keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CanvasId, Sender<Change>>> {
        self.canvases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follower {
    pub(crate) fn canvas(&self) -> &CanvasId {
        &self.canvas
    }

    /// The next change; `None` where there will be none.
    pub(crate) async fn next(&mut self) -> Option<Change> {
        match self.changes.recv().await {
            Ok(change) => Some(change),
            Err(RecvError::Lagged(_)) => Some(uris(&self.canvas, &Part::ALL)),
            Err(RecvError::Closed) => None,
        }
    }
}

fn changed(event: &WatchEvent) -> Change {
    let all = event.made || event.restored || event.revision.is_none() || event.missed > 0;
    let has = |face| event.faces.contains(&face);
    let mut parts = Vec::new();
    if all || has(Face::Document) {
        parts.push(Part::Document);
    }
    if all || has(Face::Board) || has(Face::Data) {
        parts.push(Part::Board);
    }
    if all || !event.faces.is_empty() {
        parts.push(Part::History);
    }
    uris(&event.canvas, &parts)
}

fn uris(canvas: &CanvasId, parts: &[Part]) -> Change {
    parts.iter().map(|part| CanvasUri { canvas: canvas.clone(), part: *part }).collect()
}

/// Asks the store for commits of others, for as long as the host is there.
pub(crate) async fn hear(host: Weak<Host>, mut others: Others) {
    let listed = async |host: &Host| host.engine.store().list(None, LISTED).await.ok();
    let (mut rounds, mut known) = (0_u32, None);
    if let Some(host) = host.upgrade() {
        known = listed(&host).await;
    }
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(host) = host.upgrade() else { return };
        let followed = host.follow.followed();
        if !followed.is_empty() {
            match &mut others {
                Others::Nobody => {}
                Others::File(listener) => match listener.poll(&followed) {
                    Ok(changed) => changed.iter().for_each(|canvas| host.engine.forget(canvas)),
                    Err(error) => log::line(format_args!("commits of other processes: {error}")),
                },
                // What has moved wakes the watchers.
                Others::Server => {
                    join_all(followed.iter().map(|canvas| host.engine.revision_of(canvas))).await;
                }
            }
        }
        rounds = rounds.wrapping_add(1);
        if rounds % LISTS == 0 && host.follow.lists.receiver_count() > 0 {
            let now = listed(&host).await;
            if known.is_some() && now.is_some() && known != now {
                drop(host.follow.lists.send(()));
            }
            known = now.or(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use canvas_core::{BoxStore, Edit, MemoryStore, Policy};
    use canvas_core::{CallId, OpKey};

    use super::*;
    use crate::clock;

    fn key(call: &str) -> OpKey {
        OpKey::user(CallId::new(call).unwrap())
    }

    #[tokio::test]
    async fn all_followers_get_the_same_value() {
        let engine = Arc::new(Engine::new(BoxStore::new(MemoryStore::new(clock::now)), Policy::default()));
        let canvas = CanvasId::new("c").unwrap();
        engine.create(&canvas, "a\n", &key("make"), clock::now()).await.unwrap();
        let follow = Follow::new();
        let mut followers = Vec::new();
        for _ in 0..1_000 {
            followers.push(follow.canvas(&engine, &canvas).await);
        }
        engine.call(&canvas, &key("edit"), Edit::replace("b\n"), clock::now()).await.unwrap().result.unwrap();
        let first = followers[0].next().await.unwrap();
        assert_eq!(first[0].to_string(), "canvas://c/document");
        for follower in &mut followers[1..] {
            assert!(Arc::ptr_eq(&first, &follower.next().await.unwrap()));
        }
        drop(followers);
        assert!(follow.followed().is_empty());
    }
}
