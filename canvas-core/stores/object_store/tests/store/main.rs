//! The store on an object store: its contract, and what servers and networks do to it.

mod collecting;
mod conditions;
mod conformance;
mod damage;
mod faults;
mod listing;
mod server;
mod settling;

use std::sync::Arc;

use canvas_core::store::{Head, Store as _, StoreError, Version};
use canvas_core::testing::block_on;
use canvas_store_object::ObjectCanvasStore;
use canvas_store_testing::{NOW, canvas, current};
use object_store::ObjectStore;
use object_store::path::Path;

use server::{Conditions, Names, Server};

/// Opens a store whose clock shows `NOW`.
fn open(objects: Arc<dyn ObjectStore>, prefix: &str) -> Result<ObjectCanvasStore, StoreError> {
    block_on(ObjectCanvasStore::open(objects, Path::from(prefix), || NOW))
}

/// A server with ETags as S3 has them, and a store on it. Nothing was asked of it yet.
fn served() -> (Arc<Server>, ObjectCanvasStore) {
    let server = Arc::new(Server::new(Names::Hashed, Conditions::Kept));
    let store = open(Arc::clone(&server) as Arc<dyn ObjectStore>, "p").unwrap();
    server.asked();
    (server, store)
}

/// The version and the head that a canvas has now.
fn state(store: &ObjectCanvasStore, name: &str) -> Option<(Version, Arc<Head>)> {
    current(block_on(store.load(&canvas(name))))
}
