//! Stores written in Python.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::store::{
    BlockingStore, Capabilities, Collected, Commit, Committed, Head, Loaded, StoreError, StoreErrorKind,
    StoreOperation, Version,
};
use canvas_core::{Blob, BlobId, CanvasId};
use canvas_examples::bridge::BridgeClock;
use pyo3::exceptions::{PyBaseException, PyException};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

thread_local! {
    /// The last exception of a store in a call of this thread.
    static FAULT: RefCell<Option<Py<PyBaseException>>> = const { RefCell::new(None) };
}

/// Returns the exception that a store raised in this thread, once, and puts an earlier one in its place.
#[pyfunction]
pub(crate) fn swap_fault(earlier: Option<Py<PyBaseException>>) -> Option<Py<PyBaseException>> {
    FAULT.replace(earlier)
}

/// Keeps an exception, unless one that must not be lost is kept already, such as a KeyboardInterrupt.
fn keep(fault: Py<PyBaseException>, py: Python<'_>) {
    FAULT.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|kept| kept.bind(py).is_instance_of::<PyException>()) {
            *kept = Some(fault);
        }
    });
}

/// The head of a row with its version.
type Row = (PyBackedBytes, String);

/// An object with the methods of `_Adapter` in `_store.py`. Its calls run on the thread of the engine's call.
pub(crate) struct PythonStore {
    object: Py<PyAny>,
    clock: BridgeClock,
}

impl PythonStore {
    pub(crate) fn new(object: Py<PyAny>, clock: BridgeClock) -> Self {
        Self { object, clock }
    }

    fn call<T>(
        &self,
        operation: StoreOperation,
        canvas: Option<&CanvasId>,
        call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, StoreError> {
        let called = Python::attach(|py| {
            call(self.object.bind(py)).map_err(|error| {
                let kind = kind_of(&error, operation, py);
                let fault = StoreError::new(kind).with_source(error.to_string());
                keep(error.into_value(py), py);
                fault
            })
        });
        called.map_err(|error| error.with_context(operation, canvas))
    }

    fn loaded(&self, canvas: &CanvasId, (head, version): Row) -> Result<Loaded, StoreError> {
        let head = Head::from_json(canvas, &head).map_err(|error| {
            let error = StoreError::new(StoreErrorKind::Unreadable(error));
            error.with_context(StoreOperation::Load, Some(canvas))
        })?;
        Ok(Loaded {
            head: Arc::new(head),
            version: Version::new(version),
            clock: (self.clock)(),
            document: None,
        })
    }
}

/// A store that knows better than these defaults raises a `CanvasError` with the code of a store.
fn kind_of(error: &PyErr, operation: StoreOperation, py: Python<'_>) -> StoreErrorKind {
    let code = error.value(py).getattr("code").and_then(|code| code.extract::<String>());
    match code.as_deref() {
        Ok("STORE_BUSY") => StoreErrorKind::Busy,
        Ok("STORE_FULL") => StoreErrorKind::Full,
        Ok("STORE_UNAVAILABLE") => StoreErrorKind::Unavailable,
        Ok("STORE_TOO_LARGE") => StoreErrorKind::TooLarge,
        Ok("STORE_DENIED") => StoreErrorKind::Denied,
        Ok("STORE_UNFIT") => StoreErrorKind::Unfit,
        Ok("STORE_MOVED") => StoreErrorKind::Moved,
        Ok("STORE_DAMAGED") => StoreErrorKind::Damaged,
        Ok("STORE_FAILED") => StoreErrorKind::Failed,
        _ if matches!(operation, StoreOperation::Commit | StoreOperation::Collect) => {
            StoreErrorKind::Indeterminate
        }
        _ => StoreErrorKind::Failed,
    }
}

impl fmt::Debug for PythonStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PythonStore")
    }
}

impl BlockingStore for PythonStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        let row = self.call(StoreOperation::Load, Some(canvas), |store| {
            store.call_method1("load", (canvas.as_str(),))?.extract::<Option<Row>>()
        })?;
        row.map(|row| self.loaded(canvas, row)).transpose()
    }

    fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let canvas = commit.head.canvas();
        let (row, is_done) = self.call(StoreOperation::Commit, Some(canvas), |store| {
            let py = store.py();
            let blobs: Vec<_> = commit
                .blobs
                .iter()
                .map(|blob| (blob.id().to_string(), PyBytes::new(py, blob.as_bytes())))
                .collect();
            let expected = commit.expected.as_ref().map(Version::as_str);
            let head = PyBytes::new(py, &commit.head.to_json());
            let arguments = (canvas.as_str(), expected, head, blobs);
            store.call_method1("commit", arguments)?.extract::<(Option<Row>, bool)>()
        })?;
        let clock = (self.clock)();
        Ok(match row {
            Some((_, version)) if is_done => Committed::Done { version: Version::new(version), clock },
            row => Committed::Conflict(row.map(|row| self.loaded(canvas, row)).transpose()?),
        })
    }

    fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        Ok(self.blobs(canvas, &[id])?.pop().flatten())
    }

    fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let found = self.call(StoreOperation::Blob, Some(canvas), |store| {
            let names: Vec<_> = ids.iter().map(BlobId::to_string).collect();
            store.call_method1("blobs", (canvas.as_str(), names))?.extract::<Vec<Option<PyBackedBytes>>>()
        })?;
        Ok(found.into_iter().map(|bytes| bytes.map(|bytes| Blob::bytes(bytes.to_vec()))).collect())
    }

    fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        let names = self.call(StoreOperation::List, None, |store| {
            let after = after.map(CanvasId::as_str);
            // Databases have no larger number.
            let limit = limit.min(i64::MAX as usize);
            store.call_method1("list", (after, limit))?.extract::<Vec<String>>()
        })?;
        let ids = names.iter().map(|name| CanvasId::new(name)).collect::<Result<_, _>>();
        ids.map_err(|error| StoreError::failed(error).with_context(StoreOperation::List, None))
    }

    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        // The store knows nothing of heads, so the blobs of the current one are named too.
        let Some(row) = self.load(canvas)?.filter(|row| row.version == *at) else {
            return Ok(Collected::Conflict);
        };
        let dropped = self.call(StoreOperation::Collect, Some(canvas), |store| {
            let keep: BTreeSet<_> = keep.iter().copied().chain(row.head.blobs()).collect();
            let keep: Vec<_> = keep.iter().map(BlobId::to_string).collect();
            let arguments = (canvas.as_str(), keep, older_than.as_secs_f64(), at.as_str());
            store.call_method1("collect", arguments)?.extract::<Option<(u64, u64)>>()
        })?;
        Ok(dropped.map_or(Collected::Conflict, |(blobs, bytes)| Collected::Done { blobs, bytes }))
    }
}
