//! Telling clients what has changed.
//!
//! * Each followed canvas is watched once, whoever follows it. What has changed goes to all of them as one value.
//! * Commits of other processes become known by asking the store a few times a second, and only while somebody follows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use canvas_core::store::Store as _;
use canvas_core::watch::WatchEvent;
use canvas_core::{CanvasId, Engine, Face};
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
    // A change of the document moves the parts.
    if all || has(Face::Document) || has(Face::Proposals) {
        parts.push(Part::Proposals);
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
pub(crate) async fn hear(host: Weak<Host>, mut asking: Asking) {
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(host) = host.upgrade() else { return };
        asking.ask(&host).await;
    }
}

/// What the store is asked for, again and again.
#[derive(Debug)]
pub(crate) struct Asking {
    others: Others,
    rounds: u32,
    /// The canvases when the list was looked at last.
    known: Option<Vec<CanvasId>>,
}

impl Asking {
    /// Canvases that are made after this are new.
    pub(crate) async fn begin(host: &Host, others: Others) -> Self {
        Self { others, rounds: 0, known: listed(host).await }
    }

    async fn ask(&mut self, host: &Host) {
        let followed = host.follow.followed();
        if !followed.is_empty() {
            match &mut self.others {
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
        self.rounds = self.rounds.wrapping_add(1);
        if self.rounds.is_multiple_of(LISTS) && host.follow.lists.receiver_count() > 0 {
            let now = listed(host).await;
            if self.known.is_some() && now.is_some() && self.known != now {
                drop(host.follow.lists.send(()));
            }
            self.known = now.or_else(|| self.known.take());
        }
    }
}

async fn listed(host: &Host) -> Option<Vec<CanvasId>> {
    host.engine.store().list(None, LISTED).await.ok()
}

#[cfg(test)]
mod tests {
    use canvas_core::document::Edit;
    use canvas_core::store::{Blocking, BoxStore, MemoryStore};
    use canvas_core::{CallId, OpKey, Policy};
    use canvas_store_sqlite::SqliteStore;

    use super::*;
    use crate::clock;
    use crate::open::Opened;
    use crate::options::Options;

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
        engine
            .call(&canvas, &key("edit"), Edit::overwrite("b\n"), clock::now())
            .await
            .unwrap()
            .result
            .unwrap();
        let first = followers[0].next().await.unwrap();
        assert_eq!(first[0].to_string(), "canvas://c/document");
        for follower in &mut followers[1..] {
            assert!(Arc::ptr_eq(&first, &follower.next().await.unwrap()));
        }
        drop(followers);
        assert!(follow.followed().is_empty());
    }

    /// A change is told within a second: the first asking after it finds it.
    #[tokio::test]
    async fn each_commit_of_others_is_found_by_one_asking() {
        const { assert!(EVERY.as_millis() * (LISTS as u128) < 1_000) };
        let path = std::env::temp_dir().join(format!("canvas-mcp-follow-{}.db", std::process::id()));
        let open = || SqliteStore::open(&path, clock::now).unwrap();
        let memory = MemoryStore::new(clock::now);
        let boxed = |store: SqliteStore| BoxStore::new(Blocking::new(store));
        let own = open();
        let file = Others::File(Box::new(own.listener()));
        for (here, others, there) in [
            (boxed(own), file, boxed(open())),
            (BoxStore::new(memory.clone()), Others::Server, BoxStore::new(memory)),
        ] {
            let opened = Opened { store: here, others: Others::Nobody };
            let host = Host::start(Options::default(), opened).await.unwrap();
            let mut asking = Asking::begin(&host, others).await;
            let mut follower = host.follow.canvas(&host.engine, &host.first).await;
            let mut list = host.follow.list();
            let other = Engine::new(there, Policy::default());
            asking.ask(&host).await;
            for text in ["b\n", "c\n"] {
                let (key, edit) = (key(text.trim()), Edit::overwrite(text));
                other.call(&host.first, &key, edit, clock::now()).await.unwrap().result.unwrap();
                asking.ask(&host).await;
                assert_eq!(follower.next().await.unwrap()[0].part, Part::Document);
            }
            let new = CanvasId::new("new").unwrap();
            other.create(&new, "", &key("make"), clock::now()).await.unwrap();
            for _ in 0..LISTS {
                asking.ask(&host).await;
            }
            list.try_recv().unwrap();
        }
        drop(std::fs::remove_file(path));
    }
}
