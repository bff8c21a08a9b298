//! A walk down the journal of a canvas, entry by entry.

use std::sync::Arc;

use super::{Engine, EngineError};
use crate::history::journal::{Entry, EntryNumber};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::Face;
use crate::model::head::Head;
use crate::store::contract::Store;

/// A walk down the journal of one head.
pub(super) struct Walk<'a, S> {
    pub(super) engine: &'a Engine<S>,
    pub(super) head: Arc<Head>,
    pub(super) document: Blob,
    pub(super) next: Option<BlobId>,
}

impl<S: Store> Walk<'_, S> {
    /// Makes the entry before this number the next one, from the newest on, by the longest links that lead there.
    pub(super) async fn go_below(&mut self, before: EntryNumber) -> Result<(), EngineError> {
        let slot = self.head.journal();
        let wanted = before.get().saturating_sub(1);
        // There is none, or it is forgotten.
        if wanted == 0 || wanted.saturating_add(self.engine.policy.history) <= slot.entries {
            self.next = None;
        }
        let first = slot.skips.towards(wanted, slot.entries).or_else(|| Some((slot.entries, self.next?)));
        let Some((mut number, mut id)) = first.filter(|_| self.next.is_some()) else { return Ok(()) };
        while number > wanted {
            let Some(entry) = self.entry(id).await?.filter(|entry| entry.number.get() == number) else {
                return Err(self.damaged(id));
            };
            let Some(next) = entry.towards(wanted) else {
                self.next = None;
                return Ok(());
            };
            (number, id) = next;
        }
        self.next = Some(id);
        Ok(())
    }

    /// The next older entry; `None` where the journal ends, or what is older is forgotten.
    pub(super) async fn next(&mut self) -> Result<Option<Entry>, EngineError> {
        let Some(id) = self.next.take() else { return Ok(None) };
        let entry = self.entry(id).await?;
        self.next = entry.as_ref().and_then(Entry::previous);
        Ok(entry)
    }

    /// What undo, or redo, would take back one after the other. Where another face has made most of the entries, the
    /// search for those of `face` would read the whole journal, so it ends at the reach of an undo.
    pub(super) async fn stack(
        &self,
        mut next: Option<BlobId>,
        face: Option<Face>,
        limit: usize,
    ) -> Result<Vec<Entry>, EngineError> {
        let (mut entries, mut reads) = (Vec::new(), limit.max(self.engine.policy.history_reach));
        while let Some(id) = next.filter(|_| entries.len() < limit && reads > 0)
            && let Some(entry) = self.entry(id).await?
        {
            reads -= 1;
            next = entry.below();
            entries.extend(Some(entry).filter(|entry| face.is_none_or(|face| entry.step.face() == face)));
        }
        Ok(entries)
    }

    /// An entry; `None` where it is forgotten.
    async fn entry(&self, id: BlobId) -> Result<Option<Entry>, EngineError> {
        let newest = self.head.journal().entries;
        let entry = Entry::read(&self.blob(id).await?).ok_or_else(|| self.damaged(id))?;
        Ok((entry.is_kept(self.engine.policy.history, newest)).then_some(entry))
    }

    pub(super) async fn blob(&self, id: BlobId) -> Result<Blob, EngineError> {
        let canvas = self.head.canvas();
        let blob =
            self.engine.store.blob(canvas, id).await.map_err(|fault| EngineError::of(fault, canvas))?;
        blob.filter(|blob| blob.id() == id).ok_or_else(|| self.damaged(id))
    }

    pub(super) fn not_supported(&self, face: Face) -> EngineError {
        EngineError::FaceNotSupported { canvas: self.head.canvas().clone(), face }
    }

    pub(super) fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.head.canvas().clone(), blob }
    }
}
