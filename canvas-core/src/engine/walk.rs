//! Reads of the journal of a canvas. Each read fetches many entries in one request.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::chain::{Blobs, ChainReader, Ends};
use super::trace::Trace;
use super::{Engine, EngineError};
use crate::history::blame::Blame;
use crate::history::journal::Entry;
use crate::history::kept::{KeepLimits, Kept};
use crate::history::reach::{Chain, ChainStep};
use crate::history::revert::{Choice, Seen, Selection, Verdict, Wanted};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::links::Linked;
use crate::store::contract::Store;
use crate::version::stored::{NamedVersion, VersionIndex};

/// The entries that a stack lists.
#[derive(Debug, Clone, Copy)]
pub(super) enum Listed<'l> {
    All,
    InEffect,
    /// Lists the selected entries that no later entry undid.
    Of(Wanted<'l>),
}

impl Listed<'_> {
    fn has(self, verdict: &Verdict) -> bool {
        match self {
            Self::All => true,
            Self::InEffect => matches!(verdict, Verdict::InEffect { is_left: true, .. }),
            Self::Of(_) => verdict.is_chosen(),
        }
    }
}

/// The journal of one head, with the entries read so far.
pub(super) struct Walk<'a, S> {
    engine: &'a Engine<S>,
    trace: Trace<'a>,
    pub(super) head: Arc<Head>,
    pub(super) document: Blob,
    kept: Kept,
    /// The number of records of actions that count as kept, if the head has more.
    most_records: u64,
    journal: ChainReader<'a, S, Entry>,
}

impl<'a, S: Store> Walk<'a, S> {
    pub(super) fn new(engine: &'a Engine<S>, trace: Trace<'a>, head: Arc<Head>, document: Blob) -> Self {
        let (limits, records) = (engine.policy.keep_limits(), engine.policy.audit_records());
        Self::within(engine, trace, head, document, limits, records)
    }

    /// Creates a walk over all that the head keeps, whatever the policy says. It has no document.
    pub(super) fn whole(engine: &'a Engine<S>, trace: Trace<'a>, head: Arc<Head>) -> Self {
        let limits = KeepLimits { changes: u64::MAX, effects: u64::MAX };
        Self::within(engine, trace, head, Blob::text(String::new()), limits, u64::MAX)
    }

    fn within(
        engine: &'a Engine<S>,
        trace: Trace<'a>,
        head: Arc<Head>,
        document: Blob,
        limits: KeepLimits,
        most_records: u64,
    ) -> Self {
        let slot = head.journal();
        let kept = slot.kept(limits);
        let ends = Ends { newest: slot.entries, oldest: kept.oldest(), marks: slot.marks().collect() };
        let journal = ChainReader::new(Blobs::new(engine, trace), ends);
        Self { engine, trace, head, document, kept, most_records, journal }
    }

    pub(super) fn records<E: Linked>(&self) -> ChainReader<'a, S, E> {
        let slot = &self.head.audit;
        let (newest, oldest) = (slot.records, slot.oldest(self.most_records));
        let ends = Ends { newest, oldest, marks: slot.marks().collect() };
        ChainReader::new(Blobs::new(self.engine, self.trace), ends)
    }

    /// Returns the kept entries of these numbers, newest first.
    pub(super) async fn range(
        &mut self,
        wanted: RangeInclusive<u64>,
    ) -> Result<Vec<Arc<Entry>>, EngineError> {
        Ok(self.entries(wanted).await?.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Like [`Walk::range`], with the ids of the entries.
    pub(super) async fn entries(
        &mut self,
        wanted: RangeInclusive<u64>,
    ) -> Result<Vec<(BlobId, Arc<Entry>)>, EngineError> {
        let entries = self.journal.range(wanted).await?;
        Ok(self.kept_of(entries).collect())
    }

    /// Returns the blame of the head's document, if the engine knows it.
    pub(super) fn known_blame(&self) -> Option<Arc<Blame>> {
        self.engine.cache().blame(&self.head)
    }

    /// Keeps the blame of the head's document.
    pub(super) fn keep_blame(&self, blame: &Arc<Blame>) {
        self.engine.cache().put_blame(self.head.canvas(), blame);
    }

    pub(super) const fn kept(&self) -> Kept {
        self.kept
    }

    /// The number of the oldest entry that the history may have.
    pub(super) fn oldest(&self) -> u64 {
        self.kept.oldest()
    }

    /// Returns the next window of older entries with their ids, newest first. It is empty at the end of the journal.
    /// Drops entries from memory unless later windows need their links.
    pub(super) async fn window(&mut self) -> Result<Vec<(BlobId, Arc<Entry>)>, EngineError> {
        let entries = self.journal.window().await?;
        Ok(self.kept_of(entries).collect())
    }

    fn kept_of(&self, entries: Vec<(BlobId, Arc<Entry>)>) -> impl Iterator<Item = (BlobId, Arc<Entry>)> {
        let kept = self.kept;
        entries.into_iter().filter(move |(_, entry)| kept.has(entry))
    }

    /// Returns the listed entries of a chain. It reads at most `limit` entries, or as many as an undo reaches if that is
    /// more, because a search for the entries of one `face` or person might otherwise read the whole journal.
    pub(super) async fn stack(
        &mut self,
        mut chain: Chain,
        listed: Listed<'_>,
        face: Option<Face>,
        limit: usize,
    ) -> Result<Vec<Entry>, EngineError> {
        let head = Arc::clone(&self.head);
        let slot = head.journal();
        let (mut entries, mut reads) = (Vec::new(), limit.max(self.engine.policy.history.reach));
        let selection = match listed {
            Listed::All | Listed::InEffect => Selection::all(Wanted::Nothing),
            Listed::Of(wanted) => Selection::all(wanted),
        };
        let mut choice = Choice::new(selection.clone());
        while entries.len() < limit && reads > 0 {
            let more = reads.min(limit - entries.len());
            match chain.step(slot, (self.kept, 1), more, |id| self.journal.known(id)) {
                ChainStep::Entry(entry) if selection.ends_before(entry) => break,
                ChainStep::Entry(entry) => {
                    reads -= 1;
                    let verdict = choice.visit(&Seen::from(entry));
                    if listed.has(&verdict)
                        && face.is_none_or(|face| entry.steps().any(|step| step.face() == face))
                    {
                        entries.push(entry.clone());
                    }
                }
                ChainStep::End | ChainStep::Forgotten(_) => break,
                ChainStep::Missing(id, likely) => self.journal.read(&[id], &likely).await?,
                ChainStep::Lost(id) => return Err(self.damaged(id)),
            }
        }
        Ok(entries)
    }

    pub(super) async fn blob(&self, id: BlobId) -> Result<Blob, EngineError> {
        self.blobs(&[id]).await?.pop().ok_or_else(|| self.damaged(id))
    }

    /// Returns a blob, unless the store no longer has it.
    pub(super) async fn stored(&self, id: BlobId) -> Result<Option<Blob>, EngineError> {
        let found = Blobs::new(self.engine, self.trace).find(&[id]).await?.pop().flatten();
        Ok(found.filter(|blob| blob.as_text().is_some()))
    }

    /// Returns blobs in the order of the ids. All must exist.
    pub(super) async fn blobs(&self, ids: &[BlobId]) -> Result<Vec<Blob>, EngineError> {
        Blobs::new(self.engine, self.trace).all(ids).await
    }

    pub(super) async fn chunks_of(&self, documents: &[BlobId]) -> Result<Vec<BlobId>, EngineError> {
        Blobs::new(self.engine, self.trace).chunks_of(documents).await
    }

    /// Returns all versions by label, and the ids of their pages.
    pub(super) async fn versions(&self) -> Result<(Vec<BlobId>, Vec<NamedVersion>), EngineError> {
        let ids: Vec<BlobId> = self.version_index().await?.pages().collect();
        let mut versions = Vec::new();
        for (id, page) in ids.iter().zip(self.blobs(&ids).await?) {
            versions.extend(VersionIndex::page_of_blob(&page).ok_or_else(|| self.damaged(*id))?);
        }
        Ok((ids, versions))
    }

    pub(super) async fn version_index(&self) -> Result<VersionIndex, EngineError> {
        let Some(id) = self.head.versions else { return Ok(VersionIndex::default()) };
        VersionIndex::of_blob(&self.blob(id).await?).ok_or_else(|| self.damaged(id))
    }

    pub(super) fn not_supported(&self, face: Face) -> EngineError {
        EngineError::FaceNotSupported { canvas: self.head.canvas().clone(), face }
    }

    pub(super) fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.head.canvas().clone(), blob }
    }
}
