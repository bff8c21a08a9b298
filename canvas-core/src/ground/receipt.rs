//! Receipts: the memory of what was asked and answered, so that a retry is answered and not done again.

use std::sync::Arc;

use canvas_lease::Fence;
use serde::{Deserialize, Serialize};

use super::blob::{Blob, BlobId};
use super::id::OpKey;

/// Tells calls with other arguments from retries: the first 16 bytes of a blake3 hash of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Digest([u8; 16]);

impl Digest {
    /// The digest of parts, each kept apart from the next by its length.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(short)
    }
}

/// The answer that a receipt keeps, as JSON: in the head where it is small, in a blob where it is not. What it says
/// is for the face that gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Inline(String),
    Stored(BlobId),
    /// It was given up, and must not be done any more.
    Void,
}

impl Answer {
    /// Bytes of an answer that the head takes; a longer one goes into a blob of its own.
    const INLINE: usize = 1024;

    /// Keeps an answer, with a blob among `blobs` where it needs one.
    pub(crate) fn keep<T: Serialize>(outcome: &T, blobs: &mut Vec<Blob>) -> Self {
        let json = serde_json::to_string(outcome).expect("an outcome has only string keys");
        if json.len() <= Self::INLINE {
            return Self::Inline(json);
        }
        let blob = Blob::text(json);
        let id = blob.id();
        blobs.push(blob);
        Self::Stored(id)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) operation: OpKey,
    pub(crate) digest: Digest,
    /// The lease under which it was done; `None` for users and for refusals without a valid lease.
    pub(crate) fence: Option<Fence>,
    pub(crate) answer: Answer,
}

/// What the receipts know of an operation.
#[derive(Debug, PartialEq)]
pub(crate) enum Recall<'a> {
    /// Never asked, as far as is remembered.
    New,
    /// A retry.
    Answered(&'a Answer),
    /// The same key was used for other arguments.
    Reused,
    /// It was given up, with whatever arguments.
    Void,
}

/// The receipts of a canvas, oldest first. Those of the live lease are never dropped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Receipts(Vec<Arc<Receipt>>);

impl Receipts {
    pub(crate) fn recall(&self, operation: &OpKey, digest: Digest) -> Recall<'_> {
        match self.find(operation) {
            None => Recall::New,
            Some(Receipt { answer: Answer::Void, .. }) => Recall::Void,
            Some(receipt) if receipt.digest == digest => Recall::Answered(&receipt.answer),
            Some(_) => Recall::Reused,
        }
    }

    /// The receipt of an operation, whatever its arguments.
    pub(crate) fn find(&self, operation: &OpKey) -> Option<&Receipt> {
        // A retry follows soon, so the newest are looked at first.
        self.0.iter().rev().map(Arc::as_ref).find(|receipt| receipt.operation == *operation)
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Receipt> {
        self.0.iter().map(Arc::as_ref)
    }

    /// How many receipts a lease has.
    pub(crate) fn of_fence(&self, fence: Fence) -> usize {
        self.0.iter().filter(|receipt| receipt.fence == Some(fence)).count()
    }

    /// Keeps a receipt and drops the oldest beyond `keep` that do not belong to the live lease.
    pub(crate) fn push(&mut self, receipt: Receipt, live: Option<Fence>, keep: usize) {
        self.0.push(Arc::new(receipt));
        let is_live = |receipt: &Receipt| live.is_some() && receipt.fence == live;
        let mut spare = self.0.iter().filter(|receipt| !is_live(receipt)).count().saturating_sub(keep);
        self.0.retain(|receipt| {
            let drop = spare > 0 && !is_live(receipt);
            spare -= usize::from(drop);
            !drop
        });
    }

    /// Blobs that hold answers.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> {
        self.0.iter().filter_map(|receipt| match receipt.answer {
            Answer::Stored(id) => Some(id),
            Answer::Inline(_) | Answer::Void => None,
        })
    }
}

#[cfg(test)]
impl FromIterator<Receipt> for Receipts {
    fn from_iter<I: IntoIterator<Item = Receipt>>(receipts: I) -> Self {
        Self(receipts.into_iter().map(Arc::new).collect())
    }
}
