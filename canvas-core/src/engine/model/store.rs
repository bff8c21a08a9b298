//! The store of the model, which has one row and the faults that a [`Flaw`] gives it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canvas_lease::Timestamp;
use serde_json::{Value, json};

use super::call::{ACTION, ADDED, CANVAS, Op, PART, TEXT, at};
use super::flaw::Flaw;
use crate::face::contents::FileContent as _;
use crate::history::journal::Entry;
use crate::history::step::Step;
use crate::model::actor::PersonId;
use crate::model::blob::{Blob, BlobId};
use crate::model::conversation::{Conversation, RunningTurn};
use crate::model::face::TreeFile;
use crate::model::head::Head;
use crate::model::links::Linked as _;
use crate::model::op_key::OpKey;
use crate::model::receipt::{Answer, Receipt};
use crate::model::receipts::Receipts;
use crate::model::revision::Revision;
use crate::model::shelf::Shelf;
use crate::model::work_mode::WorkMode;
use crate::proposal::owner::Owner;
use crate::proposal::stored::Proposals;
use crate::store::contract::{Commit, Committed, Loaded, Version};

/// The tool of the surface's action.
pub(super) const TOOL: &str = "node__Deploy";

/// Late enough that a slow clock stays far from zero.
pub(super) const START: i64 = 20;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Row {
    pub(super) head: Arc<Head>,
    pub(super) version: u64,
}

#[derive(Debug, Clone)]
pub(super) struct RowStore {
    pub(super) row: Row,
    /// The row before the current one, for loads from the past.
    pub(super) before: Option<Row>,
    /// Content has one name, so which of it is there follows from the rest and from [`RowStore::dropped`].
    pub(super) blobs: BTreeMap<BlobId, Blob>,
    /// Blobs that collections dropped and that no commit put again.
    pub(super) dropped: BTreeSet<BlobId>,
    /// The collection under way, with the planned version and the blobs that it keeps.
    pub(super) collection: Option<(u64, BTreeSet<BlobId>)>,
    pub(super) clock: i64,
}

impl RowStore {
    /// A canvas that was just created, with or without a surface. In the collaborative mode, the model and the other
    /// conversation have turns of their own, and have seen the text.
    /// If `has_part`, somebody proposes another line.
    pub(super) fn new((has_surface, has_part): (bool, bool), mode: WorkMode) -> Self {
        let document = Blob::text(TEXT.into());
        let mut head = Head::create(CANVAS.clone(), document.id());
        let mut blobs = BTreeMap::from([(document.id(), document)]);
        for (file, json) in surface().into_iter().filter(|_| has_surface) {
            let blob = Blob::text(json.to_string());
            head.draft.insert(file.tree_path(), blob.id());
            blobs.insert(blob.id(), blob);
        }
        if has_part {
            let blob = first_parts();
            head.proposals = Some(blob.id());
            blobs.insert(blob.id(), blob);
        }
        if mode == WorkMode::Collaborative {
            let turn = RunningTurn { lock: head.lock.clone(), start: head.turn_start };
            for op in [Op::WriteA, Op::WriteOther] {
                let known = Conversation { turn: Some(turn.clone()), ..Conversation::knows(head.now()) };
                head.conversations.insert(op.conversation().clone(), known);
            }
            head.lock.close_after(&turn.lock);
            head.work_mode = mode;
        }
        Self {
            row: Row { head: Arc::new(head), version: 1 },
            before: None,
            blobs,
            dropped: BTreeSet::new(),
            collection: None,
            clock: START,
        }
    }

    /// Returns the answer to a commit, with the replaced row.
    pub(super) fn commit(
        &mut self,
        flaw: Option<Flaw>,
        commit: &Commit,
        clock: Timestamp,
        sent_at: i64,
    ) -> (Committed, Option<Row>) {
        let expected = commit.expected.as_ref().map(Version::as_str);
        let matches = expected == Some(self.row.version.to_string().as_str());
        if !matches && flaw != Some(Flaw::ConditionIgnored) {
            return (Committed::Conflict(Some(loaded(&self.row, clock))), None);
        }
        let judged = if flaw == Some(Flaw::ClockReadEarly) { at(sent_at) } else { clock };
        if flaw != Some(Flaw::LimitIgnored) && commit.not_after.is_some_and(|limit| judged >= limit) {
            return (Committed::Late { clock }, None);
        }
        let old = &self.row;
        let is_bump = *commit.head == *old.head;
        let is_bar = self.bars(&commit.head, &commit.blobs) > self.bars(&old.head, &[]);
        if (is_bump && flaw == Some(Flaw::BumpLeftOut)) || (is_bar && flaw == Some(Flaw::BarLeftOut)) {
            return (Committed::Done { version: name(old.version), clock }, None);
        }
        let mut head = Arc::clone(&commit.head);
        if flaw == Some(Flaw::ReceiptsForgotten) {
            let mut forgetful = Head::clone(&head);
            forgetful.receipts = newest(&self.receipts(&old.head, &[]), self.receipts(&head, &commit.blobs));
            head = Arc::new(forgetful);
        }
        let version = match flaw {
            Some(Flaw::VersionsOfRevisions) => head.revision().get(),
            _ => old.version + 1,
        };
        for blob in &commit.blobs {
            self.dropped.remove(&blob.id());
            self.blobs.insert(blob.id(), blob.clone());
        }
        let old = std::mem::replace(&mut self.row, Row { head, version });
        self.before = Some(old.clone());
        (Committed::Done { version: name(version), clock }, Some(old))
    }
}

impl RowStore {
    /// Begins a collection, which keeps the blobs that the row needs and its whole journal. All other blobs are old.
    pub(super) fn plan_collection(&mut self, flaw: Option<Flaw>) {
        let head = &self.row.head;
        let mut keep: BTreeSet<_> = head.blobs().collect();
        let indexes = head.indexes().filter_map(|id| Shelf::named_by_index(self.blobs.get(&id)?));
        keep.extend(indexes.flatten());
        let mut next = head.journal.last.filter(|_| flaw != Some(Flaw::HistoryCollected));
        while let Some(entry) = next.and_then(|id| Entry::read(self.blobs.get(&id)?)) {
            keep.extend(entry.steps().flat_map(Step::kept).map(|(_, id)| id));
            keep.extend(entry.previous());
            next = entry.previous();
        }
        self.collection = Some((self.row.version, keep));
    }

    /// Ends the collection, if the row still has the planned version.
    pub(super) fn collect(&mut self, flaw: Option<Flaw>) {
        let Some((version, keep)) = self.collection.take() else { return };
        if version != self.row.version && flaw != Some(Flaw::CollectedAtAnyVersion) {
            return;
        }
        let needed: BTreeSet<_> = self.row.head.blobs().chain(keep).collect();
        let gone: Vec<_> = self.blobs.keys().filter(|id| !needed.contains(id)).copied().collect();
        for id in gone {
            self.blobs.remove(&id);
            self.dropped.insert(id);
        }
    }
}

/// Milliseconds, each of which is a tick, that the tool of the action may take.
const TIMEOUT: u64 = 2;

/// The files of a surface with one action, which calls a tool with effects and saves its result.
fn surface() -> [(TreeFile, Value); 3] {
    let descriptor = json!({
        "agentId": "main", "title": "Deploy", "ownerSessionKey": "agent:main:main", "mode": "html", "createdAt": START,
    });
    let action = json!({"kind": "tool.call", "tool": TOOL, "saveAs": "last", "timeoutMs": TIMEOUT});
    let spec = json!({
        "version": 1, "mode": "html", "toolPolicy": {"allow": [TOOL]}, "actions": {ACTION: action},
    });
    [(TreeFile::Descriptor, descriptor), (TreeFile::Spec, spec), (TreeFile::State, json!({}))]
}

/// The part with which a world begins.
pub(super) fn first_parts() -> Blob {
    let mut proposals = Proposals::default();
    let own = proposals.entry(&Owner::Person(PersonId::default()), Revision::ZERO);
    own.parts.propose(TEXT, &format!("{TEXT}{ADDED}"), &mut 0, None);
    proposals.last = PART.get();
    proposals.to_blob()
}

/// A row as the store gives it.
pub(super) fn loaded(row: &Row, clock: Timestamp) -> Loaded {
    Loaded { head: Arc::clone(&row.head), version: name(row.version), clock, document: None }
}

fn name(version: u64) -> Version {
    Version::new(version.to_string())
}

impl RowStore {
    /// All receipts of a head, which may need blobs that are not stored yet.
    pub(super) fn receipts(&self, head: &Head, unstored: &[Blob]) -> Vec<Receipt> {
        head.receipts.all(|id| unstored.iter().find(|blob| blob.id() == id).or_else(|| self.blobs.get(&id)))
    }

    /// Whether the part waits, pending or stale; `None` in a world without proposals.
    pub(super) fn waits(&self, head: &Head) -> Option<bool> {
        let proposals = Proposals::read(self.blobs.get(&head.proposals?)?, ()).ok()?;
        Some(proposals.parts().any(|(_, part)| part.id() == PART))
    }

    /// The number of abandoned calls.
    fn bars(&self, head: &Head, unstored: &[Blob]) -> usize {
        self.receipts(head, unstored).iter().filter(|receipt| receipt.answer == Answer::Abandoned).count()
    }
}

/// Whether receipts include an operation.
pub(super) fn has(receipts: &[Receipt], operation: &OpKey) -> bool {
    receipts.iter().any(|receipt| receipt.operation == *operation)
}

/// Returns the receipts that `old` lacks.
fn newest(old: &[Receipt], new: Vec<Receipt>) -> Receipts {
    new.into_iter().filter(|receipt| !has(old, &receipt.operation)).collect()
}
