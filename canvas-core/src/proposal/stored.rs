//! All proposals of a canvas, in the form that stores keep.

use std::collections::BTreeSet;
use std::sync::Arc;

use canvas_lease::Turn;
use canvas_patch::{Moves, PartId, Parts, PendingPart, part_views};
use serde::{Deserialize, Serialize};

use super::limits::{MAX_BYTES, MAX_PARTS, MAX_PROPOSALS};
use super::owner::Owner;
use super::told::{RejectedBefore, RejectedLines};
use crate::face::contents::FileContent;
use crate::face::read_error::ReadError;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::json_text::json_text;
use crate::model::revision::Revision;

/// Number of rejected parts that a canvas remembers.
const REMEMBERED: usize = 256;

/// The open proposals, and the parts rejected last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Proposals {
    /// The number of the newest part.
    pub(crate) last: u64,
    /// By first proposal. Each has a part.
    pub(crate) owners: Vec<OwnParts>,
    /// Oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rejected: Vec<RejectedPart>,
}

/// All parts that one owner proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnParts {
    pub(crate) owner: Owner,
    /// The revision of the last change by the owner or by a decision.
    pub(crate) revision: Revision,
    /// The turn of the owner's last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<Turn>,
    pub(crate) parts: Parts,
}

/// A rejected part, by hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RejectedPart {
    pub(crate) hash: BlobId,
    pub(crate) part: PartId,
    pub(crate) owner: Owner,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The lines of the part, until the owner knows of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) untold: Option<(usize, usize)>,
}

/// A limit of proposals that a change would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Parts,
    Proposals,
    Bytes(usize),
}

impl Proposals {
    pub(crate) fn of(&self, owner: &Owner) -> Option<&OwnParts> {
        self.owners.iter().find(|own| own.owner == *owner)
    }

    /// Returns the parts of an owner, and adds an empty proposal for a new owner. It must get a part, or be removed by
    /// [`Proposals::tidy`].
    pub(crate) fn entry(&mut self, owner: &Owner, revision: Revision) -> &mut OwnParts {
        let at = self.owners.iter().position(|own| own.owner == *owner).unwrap_or_else(|| {
            self.owners.push(OwnParts {
                owner: owner.clone(),
                revision,
                turn: None,
                parts: Parts::default(),
            });
            self.owners.len() - 1
        });
        &mut self.owners[at]
    }

    /// Changes the parts of an owner so that they lead from `document` to `text`. Returns the parts that this made or changed.
    pub(crate) fn propose(
        &mut self,
        owner: &Owner,
        (document, text): (&str, &str),
        (revision, turn): (Revision, Option<Turn>),
        reason: Option<&str>,
    ) -> Result<Vec<PartId>, Exceeded> {
        let mut last = self.last;
        let own = self.entry(owner, revision);
        let parts = own.parts.propose(document, text, &mut last, reason);
        (own.revision, own.turn) = (revision, turn);
        self.last = last;
        self.tidy();
        self.check().map(|()| parts)
    }

    /// Returns the parts past changes of the document that touched none of them.
    pub(crate) fn moved(self: Arc<Self>, moves: &Moves) -> Arc<Self> {
        if moves.is_empty() {
            return self;
        }
        let mut moved = Self::clone(&self);
        moved.owners.iter_mut().for_each(|own| own.parts.shift(moves));
        moved.into()
    }

    /// Whether [`Proposals::moved`] makes these proposals the other ones.
    pub(crate) fn are_moved(&self, moves: &Moves, others: &Self) -> bool {
        let is_moved = |(one, other): (&OwnParts, &OwnParts)| {
            let is_same =
                one.owner == other.owner && one.revision == other.revision && one.turn == other.turn;
            is_same && one.parts.are_shifted(moves, &other.parts)
        };
        self.last == others.last
            && self.rejected == others.rejected
            && self.owners.len() == others.owners.len()
            && self.owners.iter().zip(&others.owners).all(is_moved)
    }

    /// Returns each part with its owner, by first proposal and then by place.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&OwnParts, &PendingPart)> {
        self.owners.iter().flat_map(|own| own.parts.iter().map(move |part| (own, part)))
    }

    /// Whether the parts are of a document.
    pub(crate) fn fit(&self, document: &str) -> bool {
        self.owners.iter().all(|own| own.parts.fit(document))
    }

    /// Removes the parts that other changes touched, with the old text in them.
    pub(crate) fn without_stale(mut self) -> Self {
        let stale: Vec<_> = self.stale().into_iter().collect();
        for own in &mut self.owners {
            own.parts.remove(&stale);
        }
        self.tidy();
        self
    }

    /// Removes proposals without parts, and rejected parts beyond those remembered.
    pub(crate) fn tidy(&mut self) {
        self.owners.retain(|own| !own.parts.is_empty());
        let beyond = self.rejected.len().saturating_sub(REMEMBERED);
        self.rejected.drain(..beyond);
    }

    fn check(&self) -> Result<(), Exceeded> {
        if self.owners.len() > MAX_PROPOSALS {
            return Err(Exceeded::Proposals);
        }
        if self.owners.iter().any(|own| own.parts.iter().count() > MAX_PARTS) {
            return Err(Exceeded::Parts);
        }
        match self.parts().map(|(_, part)| part.len_bytes()).sum() {
            bytes if bytes > MAX_BYTES => Err(Exceeded::Bytes(bytes)),
            _ => Ok(()),
        }
    }

    /// Remembers rejected parts of a document.
    pub(crate) fn remember(
        &mut self,
        owner: &Owner,
        parts: &[PendingPart],
        document: &str,
        note: Option<&String>,
    ) {
        self.rejected.extend(part_views(parts, document).into_iter().map(|view| RejectedPart {
            hash: hash_of(&view.before, &view.after),
            part: view.id,
            owner: owner.clone(),
            note: note.cloned(),
            untold: Some((view.start_line, view.end_line)),
        }));
    }

    /// Forgets that parts were rejected.
    pub(crate) fn forget(&mut self, parts: &[PendingPart]) {
        self.rejected.retain(|one| parts.iter().all(|part| part.id() != one.part));
    }

    /// Returns the earlier rejection of the same lines, for their owner.
    pub(crate) fn rejected_before(&self, owner: &Owner, before: &str, after: &str) -> Option<RejectedBefore> {
        let hash = hash_of(before, after);
        let mut same = self.rejected.iter().rev().filter(|one| one.hash == hash).peekable();
        same.peek()?;
        Some(RejectedBefore { note: same.find(|one| one.owner == *owner).and_then(|own| own.note.clone()) })
    }

    /// Takes the rejections of which an owner does not know yet, at most the last `most`.
    pub(crate) fn tell(&mut self, owner: &Owner, most: usize) -> Vec<RejectedLines> {
        let own = self.rejected.iter_mut().filter(|one| one.owner == *owner);
        let mut told: Vec<RejectedLines> = own
            .filter_map(|one| {
                let (start_line, end_line) = one.untold.take()?;
                Some(RejectedLines { start_line, end_line, note: one.note.clone() })
            })
            .collect();
        told.drain(..told.len().saturating_sub(most));
        told
    }

    /// Returns the ids of stale parts.
    pub(crate) fn stale(&self) -> BTreeSet<PartId> {
        let is_stale = |part: &&PendingPart| part.state() == canvas_patch::PartState::Stale;
        self.parts().map(|(_, part)| part).filter(is_stale).map(PendingPart::id).collect()
    }

    pub(crate) fn to_blob(&self) -> Blob {
        Blob::text(json_text(self, 1024))
    }
}

/// Returns the hash of the lines of a part.
fn hash_of(before: &str, after: &str) -> BlobId {
    // No text has this byte.
    BlobId::of(&[before.as_bytes(), b"\xff", after.as_bytes()].concat())
}

impl FileContent for Proposals {
    const FILE: TreeFile = TreeFile::Proposals;
    type With<'a> = ();

    fn read(blob: &Blob, (): ()) -> Result<Self, ReadError> {
        let read = blob.as_text().and_then(|text| serde_json::from_str(text).ok());
        read.ok_or_else(|| ReadError::Damaged(blob.id()))
    }

    fn approximate_bytes(&self, blob: &Blob) -> usize {
        blob.as_bytes().len()
    }
}
