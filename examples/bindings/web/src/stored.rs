//! An engine on a store that JavaScript implements with promises.

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{
    Capabilities, Collected, Commit, Committed, Head, Loaded, Store, StoreError, StoreErrorKind, Version,
};
use canvas_core::{Blob, BlobId, CanvasId};
use canvas_examples::bridge::Bridge;
use js_sys::{Array, Function, JsString, Uint8Array};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

#[wasm_bindgen]
extern "C" {
    /// The store as the JavaScript part of the package hands it in, with checked answers.
    pub type HostStore;

    /// A head with its version, or nothing.
    #[wasm_bindgen(method, catch)]
    async fn load(this: &HostStore, canvas: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn commit(
        this: &HostStore,
        canvas: &str,
        expected: Option<String>,
        head: Uint8Array,
        ids: Array,
        blobs: Array,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn blobs(this: &HostStore, canvas: &str, ids: Array) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn list(this: &HostStore, after: Option<String>, limit: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn collect(
        this: &HostStore,
        canvas: &str,
        keep: Array,
        older_than: f64,
        at: &str,
    ) -> Result<JsValue, JsValue>;

    /// A row, or the outcome of a commit or a collection.
    type Answer;

    #[wasm_bindgen(method, getter)]
    fn head(this: &Answer) -> Option<Uint8Array>;

    #[wasm_bindgen(method, getter)]
    fn version(this: &Answer) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn conflict(this: &Answer) -> JsValue;

    #[wasm_bindgen(method, getter, js_name = blobs)]
    fn count(this: &Answer) -> f64;

    #[wasm_bindgen(method, getter)]
    fn bytes(this: &Answer) -> f64;

    #[wasm_bindgen(method, getter)]
    fn code(this: &Answer) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn message(this: &Answer) -> Option<String>;
}

/// A call, which gives the bridge back with its answer.
type Running = Pin<Box<dyn Future<Output = (Bridge, String)>>>;

/// An engine on a store of the page. Calls run one after the other: the JavaScript part waits for each, and polls it, so that
/// it catches a trap.
#[wasm_bindgen]
pub struct StoredEngine {
    /// `None` while a call runs.
    idle: Option<Bridge>,
    running: Option<Running>,
    waker: Waker,
}

impl fmt::Debug for StoredEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bridge, is_running) = (&self.idle, self.running.is_some());
        f.debug_struct("StoredEngine").field("bridge", bridge).field("is_running", &is_running).finish()
    }
}

#[wasm_bindgen]
impl StoredEngine {
    /// An engine on this store. `run` is random, because the store has the calls of earlier engines. `wake` is called if a
    /// call can go on.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(store: HostStore, run: &str, wake: Function) -> Self {
        let bridge = Bridge::with_store(run, |clock| PageStore { store: SendWrapper::new(store), clock });
        let waker = Waker::from(Arc::new(PageWaker(SendWrapper::new(wake))));
        Self { idle: Some(bridge), running: None, waker }
    }

    /// Begins a request. Poll it before you begin another one.
    pub fn begin(&mut self, request: String) {
        if let Some(mut bridge) = self.idle.take() {
            self.running = Some(Box::pin(async move {
                let answer = bridge.call_async(&request).await;
                (bridge, answer)
            }));
        }
    }

    /// The answer to the request, or nothing if it waits for the store.
    pub fn poll(&mut self) -> Option<String> {
        let mut context = Context::from_waker(&self.waker);
        let Poll::Ready((bridge, answer)) = self.running.as_mut()?.as_mut().poll(&mut context) else {
            return None;
        };
        (self.idle, self.running) = (Some(bridge), None);
        Some(answer)
    }
}

struct PageWaker(SendWrapper<Function>);

impl Wake for PageWaker {
    fn wake(self: Arc<Self>) {
        drop(self.0.call0(&JsValue::NULL));
    }
}

struct PageStore {
    store: SendWrapper<HostStore>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl PageStore {
    fn row(&self, canvas: &CanvasId, row: &Answer) -> Result<Loaded, StoreError> {
        let (Some(head), Some(version)) = (row.head(), row.version()) else {
            return Err(StoreError::damaged("a row of the store has no head or no version"));
        };
        let head = Head::from_json(canvas, &head.to_vec())
            .map_err(StoreErrorKind::Unreadable)
            .map_err(StoreError::new)?;
        Ok(Loaded {
            head: Arc::new(head),
            version: Version::new(version),
            clock: (self.clock)(),
            document: None,
        })
    }

    fn found(&self, canvas: &CanvasId, value: JsValue) -> Result<Option<Loaded>, StoreError> {
        present(value).map(|row| self.row(canvas, &row)).transpose()
    }
}

fn present(value: JsValue) -> Option<Answer> {
    (!value.is_null() && !value.is_undefined()).then(|| value.unchecked_into())
}

/// Reads the reason of a rejected promise. Only a code says that nothing was written.
fn failure(reason: JsValue, otherwise: StoreErrorKind) -> StoreError {
    let Some(reason) = reason.is_object().then(|| reason.unchecked_into::<Answer>()) else {
        return StoreError::new(otherwise);
    };
    let kind = match reason.code().as_deref() {
        Some("STORE_BUSY") => StoreErrorKind::Busy,
        Some("STORE_FULL") => StoreErrorKind::Full,
        Some("STORE_UNAVAILABLE") => StoreErrorKind::Unavailable,
        Some("STORE_TOO_LARGE") => StoreErrorKind::TooLarge,
        Some("STORE_DENIED") => StoreErrorKind::Denied,
        Some("STORE_FAILED") => StoreErrorKind::Failed,
        _ => otherwise,
    };
    let error = StoreError::new(kind);
    match reason.message() {
        Some(message) => error.with_source(message),
        None => error,
    }
}

fn unread(reason: JsValue) -> StoreError {
    failure(reason, StoreErrorKind::Unavailable)
}

fn unwritten(reason: JsValue) -> StoreError {
    failure(reason, StoreErrorKind::Indeterminate)
}

fn names<'b>(ids: impl IntoIterator<Item = &'b BlobId>) -> Array {
    ids.into_iter().map(|id| JsValue::from_str(&id.to_string())).collect()
}

impl Store for PageStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn load(&self, canvas: &CanvasId) -> impl Future<Output = Result<Option<Loaded>, StoreError>> + Send {
        SendWrapper::new(async move {
            let row = self.store.load(canvas.as_str()).await;
            self.found(canvas, row.map_err(unread)?)
        })
    }

    fn commit(&self, commit: Commit) -> impl Future<Output = Result<Committed, StoreError>> + Send {
        SendWrapper::new(async move {
            let Commit { expected, head, blobs, .. } = commit;
            let ids: Vec<_> = blobs.iter().map(Blob::id).collect();
            let bytes = blobs.iter().map(|blob| Uint8Array::from(blob.as_bytes())).collect();
            let expected = expected.map(|version| version.as_str().to_owned());
            let (canvas, json) = (head.canvas().as_str(), Uint8Array::from(head.to_json().as_slice()));
            let answer = self.store.commit(canvas, expected, json, names(&ids), bytes).await;
            let answer: Answer = answer.map_err(unwritten)?.unchecked_into();
            Ok(match answer.version() {
                Some(version) => Committed::Done { version: Version::new(version), clock: (self.clock)() },
                None => Committed::Conflict(self.found(head.canvas(), answer.conflict())?),
            })
        })
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        Ok(self.blobs(canvas, &[id]).await?.pop().flatten())
    }

    fn blobs(
        &self,
        canvas: &CanvasId,
        ids: &[BlobId],
    ) -> impl Future<Output = Result<Vec<Option<Blob>>, StoreError>> + Send {
        SendWrapper::new(async move {
            let found = self.store.blobs(canvas.as_str(), names(ids)).await.map_err(unread)?;
            let found: Array = found.unchecked_into();
            Ok(found
                .iter()
                .map(|blob| blob.dyn_into::<Uint8Array>().ok().map(|bytes| Blob::bytes(bytes.to_vec())))
                .collect())
        })
    }

    fn list(
        &self,
        after: Option<&CanvasId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<CanvasId>, StoreError>> + Send {
        SendWrapper::new(async move {
            let after = after.map(|after| after.as_str().to_owned());
            let found = self.store.list(after, limit as f64).await.map_err(unread)?;
            let found: Array = found.unchecked_into();
            let ids = found.iter().map(|id| CanvasId::new(&String::from(id.unchecked_into::<JsString>())));
            ids.collect::<Result<_, _>>().map_err(StoreError::damaged)
        })
    }

    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> impl Future<Output = Result<Collected, StoreError>> + Send {
        SendWrapper::new(async move {
            let needed = match self.load(canvas).await? {
                Some(row) if row.version == *at => row.head.blobs().collect::<Vec<_>>(),
                _ => return Ok(Collected::Conflict),
            };
            let age = older_than.as_millis() as f64;
            let keep = names(keep.iter().chain(&needed));
            let done =
                self.store.collect(canvas.as_str(), keep, age, at.as_str()).await.map_err(unwritten)?;
            Ok(present(done).map_or(Collected::Conflict, |done| Collected::Done {
                blobs: done.count() as u64,
                bytes: done.bytes() as u64,
            }))
        })
    }
}
