//! Reads of the journal: entries, stacks, the blobs in use, and a replay.

use std::collections::BTreeMap;
use std::sync::Arc;

use canvas_lease::Timestamp;

use super::{Engine, EngineError};
use crate::board::{Board, LoadError};
use crate::history::journal::{Entry, EntryNumber};
use crate::history::step::Step;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::model::path::TreePath;
use crate::store::contract::Store;

/// The journal, played back to its beginning and forth again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Entries that were played.
    pub entries: usize,
    /// The document before the first of them.
    pub first: BlobId,
    /// The hash of the draft that they lead to ([`Tree::hash`](crate::Tree::hash)): that of the canvas.
    pub tree: BlobId,
}

/// What can be taken back, and what can be done again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stacks {
    /// The changes that stand, that which undo takes back next first.
    pub undo: Vec<Entry>,
    /// The undoings that stand, that which redo takes back next first.
    pub redo: Vec<Entry>,
}

impl<S: Store> Engine<S> {
    /// Entries of the journal, newest first: at most `limit`, and none from the number `before` on. Each is one look at
    /// the store, those that are passed over too.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotFound`]; [`EngineError::Damaged`] where an entry is missing or not what it was; faults of the
    /// store.
    pub async fn history(
        &self,
        canvas: &CanvasId,
        before: Option<EntryNumber>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>, EngineError> {
        let mut walk = self.walk(canvas, now).await?;
        let mut entries = Vec::new();
        while entries.len() < limit
            && let Some(entry) = walk.next().await?
        {
            if before.is_none_or(|before| entry.number < before) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    /// What can be taken back and what can be done again, on one face or on all: at most `limit` entries of each. Each is
    /// one read of the store, those of other faces too. Of one face only those count that lie among the last
    /// [`Policy::history_reach`](crate::Policy::history_reach) (or `limit`, if that is more) entries of all: no more than
    /// that many are read.
    ///
    /// # Errors
    ///
    /// As [`Engine::history`].
    pub async fn stacks(
        &self,
        canvas: &CanvasId,
        face: Option<Face>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Stacks, EngineError> {
        let walk = self.walk(canvas, now).await?;
        let slot = walk.head.journal();
        let (undo, redo) =
            (walk.stack(slot.undo, face, limit).await?, walk.stack(slot.redo, face, limit).await?);
        Ok(Stacks { undo, redo })
    }

    /// Every blob that the canvas needs: those of the head, the entries of the journal that can still be taken back, and
    /// what these need. A host that drops blobs keeps these, and all that are young. One look at the store for each
    /// entry.
    ///
    /// # Errors
    ///
    /// As [`Engine::history`].
    pub async fn blobs_in_use(&self, canvas: &CanvasId, now: Timestamp) -> Result<Vec<BlobId>, EngineError> {
        let mut walk = self.walk(canvas, now).await?;
        let mut blobs: Vec<_> = walk.head.blobs().collect();
        for board in walk.head.boards() {
            let root = walk.blob(board).await?;
            blobs.extend(Board::named_blobs(&root).ok_or_else(|| walk.damaged(board))?);
        }
        while let Some(entry) = walk.next().await? {
            blobs.extend(entry.documents().chain(entry.previous()));
        }
        blobs.sort_unstable();
        blobs.dedup();
        Ok(blobs)
    }

    /// Plays the journal back from the document to its first entry and forth again, for those who must know that it
    /// leads to the draft. Keeps all entries in memory meanwhile.
    ///
    /// # Errors
    ///
    /// As [`Engine::history`]; [`EngineError::Damaged`] names the document that an entry does not lead to.
    pub async fn replay(&self, canvas: &CanvasId, now: Timestamp) -> Result<Replay, EngineError> {
        let mut walk = self.walk(canvas, now).await?;
        let mut faces = Faces { document: walk.document.clone(), board: None };
        let mut entries = Vec::new();
        while let Some(entry) = walk.next().await? {
            walk.play(&mut faces, &entry.step.inverse()).await?;
            entries.push(entry);
        }
        let first = faces.document.id();
        for entry in entries.iter().rev() {
            walk.play(&mut faces, &entry.step).await?;
        }
        let mut tree = walk.head.draft().clone();
        tree.insert(TreePath::document(), faces.document.id());
        if let Some((board, _)) = &faces.board {
            tree.insert(TreePath::board(), *board);
        }
        match tree.hash() {
            tree if tree == walk.head.draft().hash() => Ok(Replay { entries: entries.len(), first, tree }),
            _ => Err(walk.damaged(faces.document.id())),
        }
    }

    async fn walk(&self, canvas: &CanvasId, now: Timestamp) -> Result<Walk<'_, S>, EngineError> {
        let snapshot = self.snapshot(canvas, now).await?;
        let next = snapshot.head.journal().last;
        Ok(Walk { engine: self, head: snapshot.head, document: snapshot.document, next })
    }
}

/// The faces of a canvas at some entry of its journal.
struct Faces {
    document: Blob,
    /// The board and its blob, once an entry has touched it.
    board: Option<(BlobId, Board)>,
}

/// A walk down the journal of one head.
struct Walk<'a, S> {
    engine: &'a Engine<S>,
    head: Arc<Head>,
    document: Blob,
    next: Option<BlobId>,
}

impl<S: Store> Walk<'_, S> {
    /// The next older entry; `None` where the journal ends, or what is older is forgotten.
    async fn next(&mut self) -> Result<Option<Entry>, EngineError> {
        let Some(id) = self.next.take() else { return Ok(None) };
        let entry = self.entry(id).await?;
        self.next = entry.as_ref().and_then(Entry::previous);
        Ok(entry)
    }

    /// What undo, or redo, would take back one after the other. Where another face has made most of the entries, the
    /// search for those of `face` would read the whole journal, so it ends at the reach of an undo.
    async fn stack(
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

    async fn blob(&self, id: BlobId) -> Result<Blob, EngineError> {
        let canvas = self.head.canvas();
        let blob =
            self.engine.store.blob(canvas, id).await.map_err(|fault| EngineError::of(fault, canvas))?;
        blob.filter(|blob| blob.id() == id).ok_or_else(|| self.damaged(id))
    }

    async fn board(&self, id: BlobId) -> Result<Board, EngineError> {
        let root = self.blob(id).await?;
        let mut parts = BTreeMap::new();
        loop {
            match Board::load(&root, |id| parts.get(&id)) {
                Ok(board) => return Ok(board),
                Err(LoadError::Damaged(id)) => return Err(self.damaged(id)),
                Err(LoadError::Missing(missing)) => {
                    for id in missing {
                        parts.insert(id, self.blob(id).await?);
                    }
                }
            }
        }
    }

    async fn play(&self, faces: &mut Faces, step: &Step) -> Result<(), EngineError> {
        match step {
            Step::Document { after, delta: None, .. } => faces.document = self.blob(*after).await?,
            Step::Document { after, delta: Some(delta), .. } => {
                let text = faces.document.as_text();
                let played = text.and_then(|text| delta.apply(text).ok()).map(Blob::text);
                let played = played.filter(|played| played.id() == *after);
                faces.document = played.ok_or_else(|| self.damaged(*after))?;
            }
            Step::Board { before, after, patch, .. } => {
                let (id, mut board) = match faces.board.take() {
                    Some(board) => board,
                    None => (*before, self.board(*before).await?),
                };
                let played = (id == *before && board.apply(patch).is_ok()).then(|| board.encode());
                let played = played.filter(|kept| kept.root.id() == *after);
                let kept = played.ok_or_else(|| self.damaged(*after))?;
                faces.board = Some((*after, Arc::unwrap_or_clone(kept.board)));
            }
        }
        Ok(())
    }

    fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.head.canvas().clone(), blob }
    }
}
