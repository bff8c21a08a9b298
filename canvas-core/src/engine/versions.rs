//! Reads of named versions.

use canvas_lease::Timestamp;

use super::history::reading;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::model::id::CanvasId;
use crate::store::contract::Store;
use crate::version::label::VersionLabel;
use crate::version::stored::{NamedVersion, VersionIndex};

impl<S: Store> Engine<S> {
    /// Returns all named versions of a canvas, oldest first. It reads one blob for every 64 or fewer of
    /// them, all at once.
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`], [`EngineError::Damaged`] if a page is missing or was altered, or a failure of
    /// the store.
    pub async fn versions(
        &self,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<Vec<NamedVersion>, EngineError> {
        reading!(self, "versions", canvas, now, walk => all(&mut walk))
    }
}

async fn all<S: Store>(walk: &mut Walk<'_, S>) -> Result<Vec<NamedVersion>, EngineError> {
    let (_, mut versions) = walk.versions().await?;
    versions.sort_by(|a, b| (a.at, &a.label).cmp(&(b.at, &b.label)));
    Ok(versions)
}

/// Returns the version with a label.
pub(super) async fn find<S: Store>(
    walk: &mut Walk<'_, S>,
    label: &VersionLabel,
) -> Result<NamedVersion, EngineError> {
    let page = walk.version_index().await?.page_with(label);
    let versions = match page {
        Some(id) => VersionIndex::page_of_blob(&walk.blob(id).await?).ok_or_else(|| walk.damaged(id))?,
        None => Vec::new(),
    };
    let not_found =
        || EngineError::VersionNotFound { canvas: walk.head.canvas().clone(), label: label.clone() };
    versions.into_iter().find(|version| version.label == *label).ok_or_else(not_found)
}
