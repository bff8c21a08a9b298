//! The native part of the Python package. Texts and patches cross the border as strings, and everything else as JSON through
//! the bridge.
//!
//! No call holds the interpreter's lock while it works.

mod store;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use canvas_core::document::LineSpan;
use canvas_core::store::Blocking;
use canvas_examples::bridge::Bridge;
use canvas_patch::{ApplyOptions, Mode, apply, build};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use self::store::PythonStore;

/// Result of a patch with its text, hunks, summary, changed lines, repairs and inverse.
type Applied = (String, usize, String, Vec<(usize, usize)>, Vec<(usize, &'static str)>, String);

/// Functions and classes for the Python code.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Engine, apply_patch, build_patch, store::swap_fault};
}

/// Applies a patch to a text. Returns `None` if it is refused. The bridge then gives the reason.
#[pyfunction]
fn apply_patch(py: Python<'_>, text: &str, patch: &str, is_anchored: bool) -> Option<Applied> {
    py.detach(|| {
        let mode = if is_anchored { Mode::Anchored } else { Mode::Strict };
        let applied = apply(text, patch, &ApplyOptions { mode, ..ApplyOptions::default() }).ok()?;
        let all = applied.spans();
        let spans = all.iter().map(LineSpan::from).map(|span| (span.start_line, span.end_line)).collect();
        let repairs = applied.repairs().iter().map(|repair| (repair.hunk, repair.kind.code())).collect();
        let (summary, inverse) = (applied.summary(), applied.inverse());
        Some((applied.into_text(), summary.hunks, summary.to_string(), spans, repairs, inverse))
    })
}

/// Builds the patch that turns one text into the other.
#[pyfunction]
fn build_patch(py: Python<'_>, before: &str, after: &str, context: usize) -> String {
    py.detach(|| build(before, after, context))
}

/// An engine behind its JSON interface.
#[pyclass(frozen, module = "canvas_engine._native")]
#[derive(Debug)]
struct Engine {
    bridge: Mutex<Option<Bridge>>,
    /// The thread that has the bridge. A store in Python may call the engine again.
    holder: Mutex<Option<ThreadId>>,
    /// Id of the process that created it.
    process: u32,
}

impl Engine {
    fn is_forked(&self) -> bool {
        std::process::id() != self.process
    }

    fn set_holder(&self, holder: Option<ThreadId>) {
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = holder;
    }

    /// Raises `RuntimeError` with `REENTRANT` if this thread has the bridge already.
    fn check_thread(&self) -> PyResult<()> {
        let holder = *self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        if holder == Some(thread::current().id()) {
            return Err(PyRuntimeError::new_err("REENTRANT"));
        }
        Ok(())
    }
}

#[pymethods]
impl Engine {
    /// Keeps the canvases in memory, or in a store of Python. `run` begins the ids of its own calls in the store.
    #[new]
    #[pyo3(signature = (store=None, run="bridge"))]
    fn new(store: Option<Py<PyAny>>, run: &str) -> Self {
        let bridge = store.map_or_else(Bridge::new, |store| {
            Bridge::with_store(run, |clock| Blocking::new(PythonStore::new(store, clock)))
        });
        Self { bridge: Mutex::new(Some(bridge)), holder: Mutex::new(None), process: std::process::id() }
    }

    /// Answers one request. Threads wait for each other. Raises `RuntimeError` with `FORKED`, `REENTRANT`, `CLOSED` or
    /// `INTERNAL`.
    fn call(&self, py: Python<'_>, request: &str) -> PyResult<String> {
        if self.is_forked() {
            return Err(PyRuntimeError::new_err("FORKED"));
        }
        self.check_thread()?;
        py.detach(|| {
            let mut bridge = self.bridge.lock().unwrap_or_else(PoisonError::into_inner);
            let bridge = bridge.as_mut().ok_or_else(|| PyRuntimeError::new_err("CLOSED"))?;
            self.set_holder(Some(thread::current().id()));
            // A panic is a bug, and must not end a worker that catches exceptions.
            let answered = catch_unwind(AssertUnwindSafe(|| bridge.call(request)));
            self.set_holder(None);
            answered.map_err(|_| PyRuntimeError::new_err("INTERNAL"))
        })
    }

    /// Frees the engine. Later calls fail. An engine of another process is left alone.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_forked() {
            return Ok(());
        }
        self.check_thread()?;
        py.detach(|| drop(self.bridge.lock().unwrap_or_else(PoisonError::into_inner).take()));
        Ok(())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The connection to the file belongs to the process before the fork.
        if self.is_forked() {
            std::mem::forget(self.bridge.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}
