//! What a run works on: the row of a canvas, and what the host brings.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::error::EngineError;
use crate::model::blob::BlobId;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::contract::Version;
use crate::transition::contents::Contents;
use crate::transition::policy::Policy;
use crate::transition::view::Types;

/// Where a run and its task stand.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct RunContext<'a> {
    pub(crate) canvas: &'a CanvasId,
    pub(crate) policy: &'a Policy,
    pub(crate) types: &'a Types,
    /// The host's clock.
    pub(crate) now: Timestamp,
}

impl RunContext<'_> {
    pub(crate) fn not_found(&self) -> EngineError {
        EngineError::NotFound { canvas: self.canvas.clone() }
    }

    pub(crate) fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.canvas.clone(), blob }
    }
}

/// The row of a canvas as it was last seen.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct CachedRow {
    pub(crate) head: Arc<Head>,
    pub(crate) version: Version,
    /// Of its faces those that were needed.
    pub(crate) contents: Contents,
    /// The host's clock when the store's was asked for.
    pub(crate) host_at: Timestamp,
    /// The store's clock in the answer.
    pub(crate) store_at: Timestamp,
}

impl CachedRow {
    /// Roughly what it takes in memory. Cost: a few additions for each page of the board.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.head.approximate_bytes() + self.contents.approximate_bytes()
    }

    /// An estimate of the store's clock: too late by one round trip at most, never too early.
    pub(crate) fn clock(&self, now: Timestamp) -> Timestamp {
        self.store_at.saturating_add(now.saturating_since(self.host_at))
    }
}
