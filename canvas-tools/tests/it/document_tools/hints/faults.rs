//! Where the engine has no answer: a store that fails in each of the ways in which one can.

use std::collections::BTreeSet;
use std::sync::Mutex;

use canvas_core::lease::Timestamp;
use canvas_core::store::{
    Commit, Committed, Head, Layer, Loaded, MemoryStore, Store as _, StoreError, StoreErrorKind,
};
use canvas_core::testing::block_on;
use canvas_core::{Blob, BlobId, CanvasId, CodedError as _, Engine, Policy};
use canvas_tools::{DocumentTools, ToolCall, Tools};
use serde_json::json;

use super::super::world::{World, message};
use super::codes::store_errors;
use super::{is_stop, label, named};

/// What the store does wrong, for as long as it does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Trouble {
    /// Every call fails.
    Fails(StoreErrorKind),
    /// Somebody else is faster each time.
    Contended,
    /// Documents are gone.
    NoBlobs,
    /// Heads are of a later version of this library.
    TooNew,
    /// Heads are no heads.
    NoHead,
    /// Heads are those of another canvas.
    Foreign,
    /// There is no row.
    NoRow,
    /// The store's clock counts milliseconds, and the host's seconds.
    Seconds,
}

/// What the model is to do: make the call again, or stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hint {
    Again,
    Stop,
}

/// In 2023.
const SECONDS: u64 = 1_700_000_000;

struct Shaky {
    store: MemoryStore,
    trouble: Mutex<Option<Trouble>>,
}

impl Shaky {
    fn trouble(&self) -> Option<Trouble> {
        self.trouble.lock().unwrap().clone()
    }
}

impl Layer for Shaky {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        let json = match self.trouble() {
            Some(Trouble::Fails(kind)) => return Err(kind.into()),
            Some(Trouble::NoRow) => return Ok(None),
            Some(Trouble::Seconds) => {
                let row = self.store.load(canvas).await?.expect("the canvas is there");
                return Ok(Some(Loaded { clock: Timestamp::from_secs(SECONDS), ..row }));
            }
            Some(Trouble::TooNew) => r#"{"format": 999}"#.to_owned(),
            Some(Trouble::NoHead) => "{".to_owned(),
            Some(Trouble::Foreign) => {
                let row = self.store.load(canvas).await?.expect("the canvas is there");
                let head = String::from_utf8(row.head.to_json()).expect("JSON is text");
                head.replacen(r#""canvas":"c""#, r#""canvas":"d""#, 1)
            }
            _ => return self.store.load(canvas).await,
        };
        Err(Head::from_json(canvas, json.as_bytes()).unwrap_err().into())
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        match self.trouble() {
            Some(Trouble::Fails(kind)) => Err(kind.into()),
            Some(Trouble::Contended) => Ok(Committed::Conflict(self.store.load(commit.head.canvas()).await?)),
            _ => self.store.commit(commit).await,
        }
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        match self.trouble() {
            Some(Trouble::NoBlobs) => Ok(None),
            _ => self.store.blob(canvas, id).await,
        }
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        match self.trouble() {
            Some(Trouble::NoBlobs) => Ok(vec![None; ids.len()]),
            _ => self.store.blobs(canvas, ids).await,
        }
    }
}

pub(super) fn check_all() -> BTreeSet<String> {
    let rows = [
        (Trouble::Contended, "CONTENTION", Hint::Again),
        (Trouble::NoBlobs, "CANVAS_DAMAGED", Hint::Stop),
        (Trouble::TooNew, "HEAD_TOO_NEW", Hint::Stop),
        (Trouble::NoHead, "HEAD_DAMAGED", Hint::Stop),
        (Trouble::Foreign, "HEAD_DAMAGED", Hint::Stop),
        (Trouble::NoRow, "CANVAS_NOT_FOUND", Hint::Stop),
        (Trouble::Seconds, "TIME_IN_SECONDS", Hint::Stop),
    ];
    let failing = store_errors().into_iter().map(|kind| {
        let error = StoreError::from(kind.clone());
        let hint = if error.is_retryable() { Hint::Again } else { Hint::Stop };
        (Trouble::Fails(kind), error.code(), hint)
    });
    failing
        .chain(rows)
        .map(|(trouble, code, hint)| {
            assert_eq!(check(trouble.clone(), hint), code, "{trouble:?}");
            code.to_owned()
        })
        .collect()
}

/// The same call, under the same id, in trouble and after it.
#[track_caller]
fn check(trouble: Trouble, hint: Hint) -> String {
    let world = World::new("a\n");
    let now = Timestamp::from_millis(if trouble == Trouble::Seconds { SECONDS } else { 1_000 });
    let store = Shaky { store: world.engine.store().clone(), trouble: Mutex::new(Some(trouble)) };
    // A server that has just been started: it knows nothing that could stand for the store's answer.
    let engine = Engine::new(store, Policy::default());
    let call = ToolCall { id: "k".into(), name: "canvas_check_out".into(), arguments: json!({}) };
    let tools = Tools::new(DocumentTools::default()).unwrap();
    let mut session = world.session;
    let mut run = || block_on(tools.call(&engine, &mut session, &call, now));
    let refused = run();
    crate::recorded::judge("canvas_check_out", &refused);
    let says = message(&refused);
    assert!(named(&refused).is_empty() && is_stop(&refused), "{says}");
    assert_eq!(says.contains("make the same call again"), hint == Hint::Again, "{says}");
    assert_eq!(refused.body()["error"]["retryable"], hint == Hint::Again, "{says}");
    assert_eq!(run(), refused, "the same trouble has the same answer");
    *engine.store().trouble.lock().unwrap() = None;
    let after = run();
    assert!(hint == Hint::Stop || after.is_ok(), "{says}: {}", after.body());
    label(&refused)
}
