//! Reads of the journal: entries, the undo and redo stacks, and the blobs in use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canvas_lease::Timestamp;
use serde::{Serialize, Serializer};

use super::task::SnapshotTask;
use super::trace::Trace;
use super::walk::{Listed, Walk};
use super::{Engine, EngineError};
use crate::history::journal::{Entry, HistoryEntry};
use crate::history::number::EntryNumber;
use crate::history::reach::Chain;
use crate::history::revert::{ChangesOf, Wanted};
use crate::history::step::{self, Step};
use crate::model::actor::PersonId;
use crate::model::audit_slot::AuditLinks;
use crate::model::blob::BlobId;
use crate::model::face::{Face, TreeFile};
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::model::shelf::Shelf;
use crate::store::contract::Store;

/// The maximum number of times that a read starts again because a later head replaced the one that it read.
pub(super) const TRIES: usize = 8;

/// Reads the journal from the current head. A missing blob may have been dropped by a collection for a later head. If
/// so, the read starts again from that head. This is a macro because the futures of closures that borrow are not
/// `Send`.
macro_rules! reading {
    ($engine:expr, $name:literal, $canvas:expr, $now:expr, $walk:ident => $read:expr) => {{
        let call = $engine.tracer.begin($canvas, $name, None);
        let read = async {
            let mut tries = 0;
            loop {
                let mut $walk = $engine.walk(call.trace(), $now).await?;
                match $read.await {
                    Err(EngineError::Damaged { .. })
                        if tries < $crate::engine::history::TRIES
                            && $engine.has_moved(call.trace(), &$walk.head).await? =>
                    {
                        tries += 1;
                    }
                    read => break read,
                }
            }
        };
        let read = read.await;
        call.end(read)
    }};
}

pub(super) use reading;

/// Entries between two texts that a collection keeps.
pub(super) const TEXT_EVERY: u64 = 256;

/// Documents read at once to find their chunks. Most are lists of chunks of a few KiB.
const LISTS: usize = 64;

/// The changes that can be undone and redone. In JSON, each entry is shortened to a [`HistoryEntry`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stacks {
    /// The changes in effect, in the order in which undo takes them.
    #[serde(serialize_with = "in_short")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<HistoryEntry>"))]
    pub undo: Vec<Entry>,
    /// The undos in effect, in the order in which redo takes them.
    #[serde(serialize_with = "in_short")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<HistoryEntry>"))]
    pub redo: Vec<Entry>,
}

fn in_short<S: Serializer>(entries: &[Entry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(HistoryEntry::from))
}

impl<S: Store> Engine<S> {
    /// Returns at most `limit` entries of the journal, newest first, and only those before the number `before`. It
    /// reads many entries at once. The number of round trips grows with the logarithm of the number of returned
    /// entries, and of newer ones. For 5,000 entries, it is at most 22. Entries of version 0.1.0 are read one by one.
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
    /// let newest = engine.history(&plan, None, 10, now).await?;
    /// assert_eq!(newest.iter().map(|entry| entry.number.get()).collect::<Vec<_>>(), [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`], [`EngineError::Damaged`] if an entry is missing or was altered, or a failure
    /// of the store.
    pub async fn history(
        &self,
        canvas: &CanvasId,
        before: Option<EntryNumber>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>, EngineError> {
        reading!(self, "history", canvas, now, walk => entries(&mut walk, before, limit))
    }

    /// Returns the entries after the number `after`, or all if it is `None`, oldest first and at most `limit`. The
    /// result is empty if the canvas did not change since. Use it to send clients the changes that they missed. A
    /// client passes the number of the last entry that it has. If the first entry is not `after` + 1, the entries in
    /// between are no longer kept.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// use canvas_core::document::Edit;
    /// use canvas_core::history::EntryNumber;
    ///
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// for item in ["one", "two", "three"] {
    ///     let edit = Edit::overwrite(format!("# Plan\n\n- {item}\n"));
    ///     engine.call(&plan, &OpKey::user(item.parse()?), edit, now).await?.result?;
    /// }
    /// let missed = engine.history_after(&plan, Some(EntryNumber::new(1)), 100, now).await?;
    /// assert_eq!(missed.iter().map(|entry| entry.number.get()).collect::<Vec<_>>(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// It costs as much as [`Engine::history`] for the same entries.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::history`].
    pub async fn history_after(
        &self,
        canvas: &CanvasId,
        after: Option<EntryNumber>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>, EngineError> {
        let after = after.map_or(0, EntryNumber::get);
        self.read_after(canvas, after, limit, now).await.map(|(entries, _)| entries)
    }

    /// Like [`Engine::history_after`], but also returns the number of the newest entry according to the head of this
    /// read.
    pub(super) async fn read_after(
        &self,
        canvas: &CanvasId,
        after: u64,
        limit: usize,
        now: Timestamp,
    ) -> Result<(Vec<Entry>, u64), EngineError> {
        reading!(self, "history_after", canvas, now, walk => entries_after(&mut walk, after, limit))
    }

    /// Returns the changes that can be undone and those that can be redone, on one face or on all, at most `limit` of
    /// each. It reads entries like [`Engine::history`], including entries of other faces. For one face, it searches
    /// only the last [`HistoryLimits::reach`](crate::policy::HistoryLimits::reach) entries of all faces (or the last
    /// `limit`, if that is more) and does not read further.
    ///
    /// An [`UndoScope::Change`] or [`UndoScope::Author`] adds one entry of the kind
    /// [`EntryKind::Revert`](crate::history::EntryKind::Revert) for each face that it changes. Such an entry is a change
    /// like any other, so it is first in `undo`, and `redo` is empty after it. The changes that it reverted are not
    /// listed. To restore them, undo the revert. A [`Redo`](crate::history::Redo) then reverts them once more.
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
    /// use canvas_core::history::{Undo, UndoScope};
    /// use canvas_core::Author;
    ///
    /// engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
    /// let buttons = engine.stacks(&plan, None, 1, now).await?;
    /// assert!(!buttons.undo.is_empty() && buttons.redo.is_empty());
    ///
    /// let undo = Undo { by: Author::User, what: UndoScope::Steps(std::num::NonZeroU32::MIN) };
    /// engine.call(&plan, &OpKey::user("undo".parse()?), undo, now).await?.result?;
    /// let buttons = engine.stacks(&plan, None, 1, now).await?;
    /// assert!(buttons.undo.is_empty() && !buttons.redo.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// [`UndoScope::Change`]: crate::history::UndoScope::Change
    /// [`UndoScope::Author`]: crate::history::UndoScope::Author
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::history`].
    pub async fn stacks(
        &self,
        canvas: &CanvasId,
        face: Option<Face>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Stacks, EngineError> {
        reading!(self, "stacks", canvas, now, walk => stacks(&mut walk, face, limit))
    }

    /// Returns the changes that undo by this person would take and the undos that redo by this person would take, newest
    /// first and at most `limit` of each. Use it to enable the buttons of one of several people. It searches only the
    /// last [`HistoryLimits::reach`](crate::policy::HistoryLimits::reach) entries, or the last `limit`, if that is more.
    /// It also lists changes whose undo would have no effect, which undo skips.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::history`].
    pub async fn stacks_of(
        &self,
        canvas: &CanvasId,
        person: &PersonId,
        limit: usize,
        now: Timestamp,
    ) -> Result<Stacks, EngineError> {
        reading!(self, "stacks", canvas, now, walk => stacks_of(&mut walk, person, limit))
    }

    /// Returns every blob that the canvas needs. These are the blobs of the head, the kept journal entries and the
    /// blobs that they need, the records of actions, and the chunks of all these documents. If your host drops blobs
    /// itself, keep these and all young blobs. It takes one or two dozen round trips for 1,024 entries, and one for 64
    /// documents kept whole.
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::FaceNotSupported`] if the canvas has a face whose blobs this build cannot determine. In
    /// this case, do not drop any blobs. Otherwise it returns the errors of [`Engine::history`].
    pub async fn blobs_in_use(&self, canvas: &CanvasId, now: Timestamp) -> Result<Vec<BlobId>, EngineError> {
        let needed = reading!(self, "blobs_in_use", canvas, now, walk => needed(&mut walk))?;
        Ok(needed.all().into_iter().collect())
    }

    pub(super) async fn walk<'a>(
        &'a self,
        trace: Trace<'a>,
        now: Timestamp,
    ) -> Result<Walk<'a, S>, EngineError> {
        let ((), snapshot) = self.read(trace, SnapshotTask, now).await?;
        Ok(Walk::new(self, trace, snapshot.head, snapshot.document))
    }

    /// Whether the store's head differs from this one.
    pub(super) async fn has_moved(&self, trace: Trace<'_>, head: &Head) -> Result<bool, EngineError> {
        let row = self.load(trace).await.map_err(|fault| EngineError::of(fault, trace.canvas()))?;
        Ok(row.is_none_or(|row| *row.head != *head))
    }
}

async fn entries<S: Store>(
    walk: &mut Walk<'_, S>,
    before: Option<EntryNumber>,
    limit: usize,
) -> Result<Vec<Entry>, EngineError> {
    let newest = walk.head.journal().entries;
    let end = before.map_or(newest, |before| before.get().saturating_sub(1).min(newest));
    let start = end.saturating_sub(u64::try_from(limit).unwrap_or(u64::MAX)).saturating_add(1);
    Ok(walk.range(start..=end).await?.into_iter().map(Arc::unwrap_or_clone).collect())
}

async fn entries_after<S: Store>(
    walk: &mut Walk<'_, S>,
    after: u64,
    limit: usize,
) -> Result<(Vec<Entry>, u64), EngineError> {
    let newest = walk.head.journal().entries;
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut start = after.saturating_add(1).max(walk.oldest());
    while limit > 0 && start <= newest {
        let end = start.saturating_add(limit - 1).min(newest);
        let mut found = walk.range(start..=end).await?;
        // Changes and effects are dropped separately, so a range may be empty and a later one not.
        if !found.is_empty() {
            found.reverse();
            return Ok((found.into_iter().map(Arc::unwrap_or_clone).collect(), newest));
        }
        start = end.saturating_add(1);
    }
    Ok((Vec::new(), newest))
}

async fn stacks<S: Store>(
    walk: &mut Walk<'_, S>,
    face: Option<Face>,
    limit: usize,
) -> Result<Stacks, EngineError> {
    let (undo, redo) = (walk.head.journal().undo, walk.head.journal().redo);
    let undo = walk.stack(Chain::new(undo), Listed::InEffect, face, limit).await?;
    Ok(Stacks { undo, redo: walk.stack(Chain::new(redo), Listed::All, face, limit).await? })
}

async fn stacks_of<S: Store>(
    walk: &mut Walk<'_, S>,
    person: &PersonId,
    limit: usize,
) -> Result<Stacks, EngineError> {
    let of = ChangesOf::Person(person.clone());
    let (undo, all) = (Chain::new(walk.head.journal().undo), Chain::of_changes(walk.head.journal()));
    let undo = walk.stack(undo, Listed::Of(Wanted::Of(&of)), None, limit).await?;
    let redo = walk.stack(all, Listed::Of(Wanted::UndosBy(person)), None, limit).await?;
    Ok(Stacks { undo, redo })
}

/// The blobs that a canvas names.
#[derive(Debug, Default)]
pub(super) struct NamedBlobs {
    /// The blobs without which the canvas is damaged.
    pub(super) needed: BTreeSet<BlobId>,
    /// Entries before the kept ones, which may be missing. The oldest kept entries name them, and a walk reads them to
    /// find that out.
    pub(super) older: BTreeSet<BlobId>,
    /// The document before the first change of every [`TEXT_EVERY`] entries, which a read of an older text begins with.
    pub(super) texts: BTreeMap<u64, BlobId>,
}

impl NamedBlobs {
    pub(super) fn all(mut self) -> BTreeSet<BlobId> {
        self.needed.append(&mut self.older);
        self.needed
    }
}

/// Returns every blob that the head of a walk and its kept entries name.
pub(super) async fn needed<S: Store>(walk: &mut Walk<'_, S>) -> Result<NamedBlobs, EngineError> {
    let (mut older, mut read, mut texts) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    let mut blobs: BTreeSet<_> = walk.head.blobs().collect();
    let mut documents: BTreeSet<_> = walk.head.documents().collect();
    let mut records = walk.records::<AuditLinks>();
    loop {
        let window = records.window().await?;
        if window.is_empty() {
            break;
        }
        blobs.extend(window.into_iter().map(|(id, _)| id));
    }
    let head = Arc::clone(&walk.head);
    for id in head.indexes() {
        let named = Shelf::named_by_index(&walk.blob(id).await?);
        blobs.extend(named.ok_or_else(|| walk.damaged(id))?);
    }
    for (file, id) in head.files() {
        if !file.face().is_supported() {
            return Err(walk.not_supported(file.face()));
        }
        blobs.extend(named_by(walk, file, id).await?);
    }
    let (pages, versions) = walk.versions().await?;
    blobs.extend(pages);
    for tree in versions.iter().filter_map(|version| version.tree.as_ref()) {
        blobs.extend(tree.iter().map(|(_, id)| id));
        for file in TreeFile::ALL {
            let Some(id) = tree.file(file) else { continue };
            if !file.face().is_supported() {
                return Err(walk.not_supported(file.face()));
            }
            if read.insert((file, id)) {
                blobs.extend(named_by(walk, file, id).await?);
            }
            documents.extend((file == TreeFile::Document).then_some(id));
        }
    }
    loop {
        let entries = walk.window().await?;
        if entries.is_empty() {
            break;
        }
        for (id, entry) in entries {
            blobs.insert(id);
            for step in entry.steps() {
                if let Step::Unsupported { face, .. } = step {
                    return Err(walk.not_supported(*face));
                }
                for (file, id) in step.kept() {
                    blobs.insert(id);
                    // Entries name the same file again and again.
                    if read.insert((file, id)) {
                        blobs.extend(named_by(walk, file, id).await?);
                    }
                    documents.extend((file == TreeFile::Document).then_some(id));
                }
            }
            // Newest first, so that the first change of them is the last to be seen.
            texts.extend(entry.document().map(|step| (entry.number.get() / TEXT_EVERY, step.before)));
            older.extend(entry.previous().into_iter().chain(entry.below()));
            older.extend(entry.previous_change().map(|(_, id)| id));
        }
    }
    // Blobs named only by chunk lists.
    let documents: Vec<_> = documents.into_iter().collect();
    for documents in documents.chunks(LISTS) {
        blobs.extend(walk.chunks_of(documents).await?);
    }
    older.retain(|id| !blobs.contains(id));
    // The first ones begin with the oldest text, which is no nearer to others.
    texts.remove(&0);
    Ok(NamedBlobs { needed: blobs, older, texts })
}

/// Returns the blobs that a file of a tree names. Most files can name no blobs, and these are not read.
async fn named_by<S: Store>(
    walk: &Walk<'_, S>,
    file: TreeFile,
    id: BlobId,
) -> Result<Vec<BlobId>, EngineError> {
    if !file.names_blobs() {
        return Ok(Vec::new());
    }
    step::named(file, &walk.blob(id).await?).ok_or_else(|| walk.damaged(id))
}
