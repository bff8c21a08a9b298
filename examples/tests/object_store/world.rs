//! What the stories stand on: clocks, stores, commits.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::{
    Blob, CallId, CanvasId, Commit, Committed, ConversationId, Engine, Fault, Head, HeadError, MemoryStore,
    OpKey, Policy, Store, Version, block_on,
};
use canvas_examples::object_store::{ObjectCanvasStore, ObjectStoreError};
use object_store::ObjectStore;
use object_store::path::Path;

use super::server::{Conditions, Names, Server};

/// A clock that stands until it is moved. A copy shows the same time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_millis().try_into().unwrap(), Ordering::SeqCst);
    }
}

/// Opens a store whose clock stands.
pub(crate) fn open(
    objects: Arc<dyn ObjectStore>,
    prefix: &str,
) -> Result<ObjectCanvasStore, ObjectStoreError> {
    let clock = || Timestamp::from_millis(1_000);
    block_on(ObjectCanvasStore::open(objects, Path::from(prefix), clock))
}

/// A server with ETags as S3 has them, and a store on it. Nothing was asked of it yet.
pub(crate) fn served() -> (Arc<Server>, ObjectCanvasStore) {
    let server = Arc::new(Server::new(Names::Hashed, Conditions::Kept));
    let store = open(Arc::clone(&server) as Arc<dyn ObjectStore>, "p").unwrap();
    server.asked();
    (server, store)
}

pub(crate) fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).unwrap()
}

pub(crate) fn key(call: &str) -> OpKey {
    let conversation = ConversationId::new("host").unwrap();
    OpKey { conversation, turn: Turn::ZERO, call: CallId::new(call).unwrap() }
}

/// A commit of a canvas whose document is `text`, over the version `expected`.
pub(crate) fn commit(name: &str, expected: Option<&Version>, text: &str) -> Commit {
    let (id, now) = (canvas(name), Timestamp::from_millis(0));
    let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    block_on(engine.create(&id, text, &key("create"), now)).unwrap();
    let head = block_on(engine.store().load(&id)).unwrap().unwrap().head;
    let document = Blob::text(text.to_owned());
    Commit { expected: expected.cloned(), head, blobs: vec![document], not_after: None }
}

/// Commits, and gives the version.
#[track_caller]
pub(crate) fn done(store: &ObjectCanvasStore, commit: Commit) -> Version {
    match block_on(store.commit(commit)) {
        Ok(Committed::Done { version, .. }) => version,
        other => panic!("the commit gave {other:?}"),
    }
}

/// The version and the head that a canvas has now.
pub(crate) fn state(store: &impl Store, name: &str) -> Option<(Version, Head)> {
    let loaded = block_on(store.load(&canvas(name))).unwrap();
    loaded.map(|row| (row.version, Head::clone(&row.head)))
}

/// What became of a call, in a word, with the code of a fault and its text.
pub(crate) fn said<T: Debug>(result: Result<T, Fault>) -> (&'static str, &'static str, String) {
    let (kind, error) = match result {
        Ok(other) => panic!("{other:?} is no fault"),
        Err(Fault::Definite(error)) => ("definite", error),
        Err(Fault::Indeterminate(error)) => ("in doubt", error),
    };
    let text = error.to_string();
    match error.downcast::<HeadError>() {
        Ok(head) => (kind, head.code(), text),
        Err(error) => (kind, error.downcast::<ObjectStoreError>().unwrap().code(), text),
    }
}
