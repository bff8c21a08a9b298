//! Where the bridge keeps its canvases.

use canvas_core::lease::Timestamp;
use canvas_core::{BoxStore, MemoryStore};

use super::request::{BridgeError, Request};

/// Opens the store that a request names. Stores on disk are features of the bridge.
pub(super) fn open(
    request: &Request<'_>,
    clock: impl Fn() -> Timestamp + Send + Sync + 'static,
) -> Result<BoxStore, BridgeError> {
    match request.text("kind")? {
        "memory" => Ok(memory(clock)),
        #[cfg(feature = "sqlite")]
        "sqlite" => {
            let store = canvas_store_sqlite::SqliteStore::open(request.text("path")?, clock)?;
            Ok(BoxStore::new(canvas_core::Blocking::in_place(store)))
        }
        #[cfg(not(feature = "sqlite"))]
        "sqlite" => {
            let message = "this bridge is built without SQLite: build it with --features sqlite";
            Err(BridgeError::new("NOT_SUPPORTED", message.to_owned()))
        }
        kind => {
            let message = format!("there is no kind of store {kind:?}: send memory or sqlite");
            Err(BridgeError::new("BAD_REQUEST", message))
        }
    }
}

pub(super) fn memory(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> BoxStore {
    BoxStore::new(MemoryStore::new(clock))
}
