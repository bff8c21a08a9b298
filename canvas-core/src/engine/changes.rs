//! Pages of the changes of the document.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::history::reading;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::history::journal::Entry;
use crate::history::number::EntryNumber;
use crate::model::id::CanvasId;
use crate::store::contract::Store;

/// Maximum number of entries that a page reads beyond those that it lists, because they change other faces only.
const MAX_OTHERS: u64 = 256;

/// Minimum number of entries per read, except for the first read of a page.
const MIN_READ: u64 = 16;

/// A page of the changes of a document, from [`Engine::document_changes`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DocumentChanges {
    /// The entries that change the document, newest first. [`Entry::document_ids`] returns the revisions of each.
    pub entries: Vec<Entry>,
    /// The number to pass as `before` for the next page, or `None` at the end. If the history was cleared, the next page
    /// may be empty.
    pub next: Option<EntryNumber>,
}

impl<S: Store> Engine<S> {
    /// Returns at most `limit` entries that change the document, newest first, and only those before the number
    /// `before`. It reads them like [`Engine::history`], and skips at most 256 entries of other faces. A page can
    /// therefore have fewer entries although older ones follow, so go by [`DocumentChanges::next`].
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
    /// let page = engine.document_changes(&plan, None, 10, now).await?;
    /// let (_, after) = page.entries[0].document_ids().expect("only such entries are listed");
    /// assert_eq!(after, engine.snapshot(&plan, now).await?.revision_id());
    /// assert_eq!(page.next, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::history`].
    pub async fn document_changes(
        &self,
        canvas: &CanvasId,
        before: Option<EntryNumber>,
        limit: usize,
        now: Timestamp,
    ) -> Result<DocumentChanges, EngineError> {
        reading!(self, "document_changes", canvas, now, walk => changes(&mut walk, before, limit))
    }
}

async fn changes<S: Store>(
    walk: &mut Walk<'_, S>,
    before: Option<EntryNumber>,
    limit: usize,
) -> Result<DocumentChanges, EngineError> {
    let (newest, oldest) = (walk.head.journal().entries, walk.oldest().max(1));
    let mut end = before.map_or(newest, |before| before.get().saturating_sub(1).min(newest));
    let wanted = u64::try_from(limit).unwrap_or(u64::MAX);
    let (mut left, mut read) = (wanted.saturating_add(MAX_OTHERS), wanted);
    let mut entries: Vec<Entry> = Vec::new();
    while entries.len() < limit && end >= oldest && left > 0 {
        let start = end.saturating_sub(read - 1).max(oldest);
        let page = walk.range(start..=end).await?;
        // Missing entries are older than all others.
        let is_last = (page.len() as u64) < end - start + 1;
        let changes =
            page.into_iter().filter(|entry| entry.document_ids().is_some()).take(limit - entries.len());
        entries.extend(changes.map(Arc::unwrap_or_clone));
        let last = entries.last().filter(|_| entries.len() == limit);
        let stop = if is_last { 1 } else { start };
        (left, end) = (left - read, last.map_or(stop, |last| last.number.get()) - 1);
        read = wanted.max(MIN_READ).min(left);
    }
    let next = (end >= oldest).then(|| EntryNumber::new(end.saturating_add(1)));
    Ok(DocumentChanges { entries, next })
}
