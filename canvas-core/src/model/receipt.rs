//! Receipts: the memory of what was asked and answered, so that a retry is answered and not done again.
//!
//! * Every call that may change state leaves a receipt under (conversation, turn, call id) with a digest of its
//!   arguments, refusals too. The same call is answered the same again.
//! * `CALL_ID_REUSED`, `CALL_ABANDONED` and what the rollout closes leave none. Reads run again.
//! * Receipts of the current lease are never dropped; those of a deleted canvas stay with its tombstone.
//! * The newest receipts lie in the head, older ones in blobs of 16 that are written once and found by short hashes in
//!   the head. An answer of more than 1 KiB is a blob of its own.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use canvas_lease::{Fence, safe_integer};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::model::blob::Missing;
use crate::model::blob::{Blob, BlobId};
use crate::model::id::OpKey;

/// Tells calls with other arguments from retries: the first 16 bytes of a blake3 hash of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub struct Digest([u8; 16]);

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        format!("{:032x}", u128::from_be_bytes(digest.0))
    }
}

impl TryFrom<String> for Digest {
    type Error = ParseHexError;

    fn try_from(text: String) -> Result<Self, ParseHexError> {
        let number = u128::from_str_radix(&text, 16).map_err(|_| ParseHexError)?;
        let digest = Self(number.to_be_bytes());
        // Only the form that is written: no sign, no upper case, no digit too few.
        if String::from(digest) == text { Ok(digest) } else { Err(ParseHexError) }
    }
}

/// A text is not hexadecimal digits of the right number.
#[derive(Debug, thiserror::Error)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
#[error("a digest is lower-case hexadecimal digits: restore the head from a backup")]
pub struct ParseHexError;

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
    /// It was abandoned, and must not be done any more.
    #[serde(rename = "void")]
    Abandoned,
}

impl Answer {
    /// Bytes of an answer that the head takes; a longer one goes into a blob of its own.
    const INLINE: usize = 1024;

    /// Keeps the JSON of an answer, with a blob among `blobs` where it needs one.
    pub(crate) fn of_json(json: String, blobs: &mut Vec<Blob>) -> Self {
        if json.len() <= Self::INLINE {
            return Self::Inline(json);
        }
        let blob = Blob::text(json);
        let id = blob.id();
        blobs.push(blob);
        Self::Stored(id)
    }

    /// The blob that it lies in, if it does.
    fn blob(&self) -> Option<BlobId> {
        match self {
            Self::Stored(id) => Some(*id),
            Self::Inline(_) | Self::Abandoned => None,
        }
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
pub(crate) enum Recall {
    /// Never asked, as far as is remembered.
    New,
    /// A retry.
    Answered(Answer),
    /// The same key was used for other arguments.
    Reused,
    /// It was abandoned, with whatever arguments.
    Abandoned,
}

/// The receipts of a canvas, oldest first. Those of the live lease are never dropped.
///
/// The head is written with every commit, so it has only the newest; older ones lie in pages, blobs that are written
/// once. The head knows which operations are in which page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct Receipts {
    pages: Vec<Page>,
    recent: Vec<Written>,
    /// The calls of the lease that was given last.
    lease: Option<Calls>,
}

/// A receipt and its JSON, which each later head has in it unchanged.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Box<RawValue>")]
struct Written {
    receipt: Arc<Receipt>,
    json: Arc<RawValue>,
}

impl TryFrom<Box<RawValue>> for Written {
    type Error = serde_json::Error;

    fn try_from(json: Box<RawValue>) -> Result<Self, serde_json::Error> {
        Ok(Self { receipt: Arc::new(serde_json::from_str(json.get())?), json: json.into() })
    }
}

impl From<Receipt> for Written {
    fn from(receipt: Receipt) -> Self {
        let json = serde_json::value::to_raw_value(&receipt).expect("a receipt has only string keys");
        Self { receipt: Arc::new(receipt), json: json.into() }
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        self.receipt == other.receipt
    }
}

impl Eq for Written {}

impl Hash for Written {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.receipt.hash(state);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Calls {
    fence: Fence,
    #[serde(deserialize_with = "safe_integer::deserialize")]
    calls: u64,
}

/// Receipts in a blob, as a JSON array.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Page {
    blob: BlobId,
    keys: Keys,
    /// The newest lease with a receipt in it.
    fence: Option<Fence>,
    /// Blobs that hold its long answers.
    answers: Vec<BlobId>,
}

/// Short hashes of operations, 8 hexadecimal digits each: kept as they are written, which happens with every commit.
/// Two operations may have the same; the page then tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
struct Keys(String);

impl TryFrom<String> for Keys {
    type Error = ParseHexError;

    fn try_from(text: String) -> Result<Self, ParseHexError> {
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && text.len().is_multiple_of(8) { Ok(Self(text)) } else { Err(ParseHexError) }
    }
}

impl Keys {
    fn key(operation: &OpKey) -> String {
        let OpKey { conversation, turn, call } = operation;
        let turn = turn.get().to_be_bytes();
        let mut key =
            String::from(Digest::of(&[conversation.as_str().as_bytes(), &turn, call.as_str().as_bytes()]));
        key.truncate(8);
        key
    }

    fn has(&self, key: &str) -> bool {
        self.0.as_bytes().chunks(8).any(|known| known == key.as_bytes())
    }
}

/// Receipts in a page.
const PAGE: usize = 16;

/// Receipts that stay in the head when a page is made: a retry follows soon.
const RECENT: usize = 4;

impl Receipts {
    /// What is known of an operation. Pages come from `blob`, where it may be one of them.
    pub(crate) fn recall<'a>(
        &self,
        operation: &OpKey,
        digest: Digest,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
    ) -> Result<Recall, Missing> {
        Ok(match self.find(operation, blob)?.as_deref() {
            None => Recall::New,
            Some(Receipt { answer: Answer::Abandoned, .. }) => Recall::Abandoned,
            Some(receipt) if receipt.digest == digest => Recall::Answered(receipt.answer.clone()),
            Some(_) => Recall::Reused,
        })
    }

    /// The receipt of an operation, whatever its arguments.
    pub(crate) fn find<'a>(
        &self,
        operation: &OpKey,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
    ) -> Result<Option<Arc<Receipt>>, Missing> {
        if let Some(receipt) = self.newest(operation) {
            return Ok(Some(Arc::clone(receipt)));
        }
        if self.pages.is_empty() {
            return Ok(None);
        }
        let key = Keys::key(operation);
        for page in self.pages.iter().rev().filter(|page| page.keys.has(&key)) {
            let json = blob(page.blob)?.as_text().unwrap_or_default();
            let Ok(receipts) = serde_json::from_str::<Vec<Receipt>>(json) else {
                // What cannot be read must not be done twice: an answer that nothing fits.
                let (operation, digest) = (operation.clone(), Digest::of(&[]));
                let answer = Answer::Inline(String::new());
                return Ok(Some(Arc::new(Receipt { operation, digest, fence: None, answer })));
            };
            if let Some(receipt) = receipts.into_iter().find(|receipt| receipt.operation == *operation) {
                return Ok(Some(Arc::new(receipt)));
            }
        }
        Ok(None)
    }

    /// Whether the newest receipts, which the head has, know an operation.
    pub(crate) fn has_newly(&self, operation: &OpKey) -> bool {
        self.newest(operation).is_some()
    }

    fn newest(&self, operation: &OpKey) -> Option<&Arc<Receipt>> {
        self.recent
            .iter()
            .rev()
            .map(|written| &written.receipt)
            .find(|receipt| receipt.operation == *operation)
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Receipt> {
        assert!(self.pages.is_empty(), "small worlds need no pages");
        self.recent.iter().map(|written| written.receipt.as_ref())
    }

    /// How many calls a lease has made.
    pub(crate) fn of_fence(&self, fence: Fence) -> u64 {
        self.lease.filter(|lease| lease.fence == fence).map_or(0, |lease| lease.calls)
    }

    /// Keeps a receipt, and drops the oldest beyond `keep` that do not belong to the live lease; of those in pages,
    /// only whole pages. A new page is put to `blobs`.
    pub(crate) fn push(&mut self, receipt: Receipt, live: Option<Fence>, keep: usize, blobs: &mut Vec<Blob>) {
        if let Some(fence) = receipt.fence {
            let calls = (self.of_fence(fence) + 1).min(safe_integer::MAX);
            self.lease = Some(Calls { fence, calls });
        }
        self.recent.push(receipt.into());
        if self.recent.len() == PAGE + RECENT {
            self.turn_the_page(blobs);
        }
        self.drop_beyond(live, keep);
    }

    fn turn_the_page(&mut self, blobs: &mut Vec<Blob>) {
        let page: Vec<_> = self.recent.drain(..PAGE).collect();
        let json = serde_json::to_string(&page).expect("a receipt has only string keys");
        let receipts = || page.iter().map(|written| &written.receipt);
        let blob = Blob::text(json);
        self.pages.push(Page {
            blob: blob.id(),
            keys: Keys(receipts().map(|receipt| Keys::key(&receipt.operation)).collect()),
            fence: receipts().filter_map(|receipt| receipt.fence).max(),
            answers: receipts().filter_map(|receipt| receipt.answer.blob()).collect(),
        });
        blobs.push(blob);
    }

    fn drop_beyond(&mut self, live: Option<Fence>, keep: usize) {
        let is_spare = |fence: Option<Fence>| live.is_none() || fence != live;
        let in_pages = PAGE * self.pages.iter().filter(|page| is_spare(page.fence)).count();
        let in_head = self.recent.iter().filter(|written| is_spare(written.receipt.fence)).count();
        let mut spare = (in_pages + in_head).saturating_sub(keep);
        self.pages.retain(|page| {
            let drop = spare >= PAGE && is_spare(page.fence);
            spare -= if drop { PAGE } else { 0 };
            !drop
        });
        // Older ones stay in pages, so newer ones stay too.
        if self.pages.is_empty() {
            self.recent.retain(|written| {
                let drop = spare > 0 && is_spare(written.receipt.fence);
                spare -= usize::from(drop);
                !drop
            });
        }
    }

    /// Blobs that hold pages and answers.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> {
        let pages = self.pages.iter().flat_map(|page| page.answers.iter().copied().chain([page.blob]));
        pages.chain(self.recent.iter().filter_map(|written| written.receipt.answer.blob()))
    }
}

#[cfg(test)]
impl FromIterator<Receipt> for Receipts {
    fn from_iter<I: IntoIterator<Item = Receipt>>(receipts: I) -> Self {
        Self { recent: receipts.into_iter().map(Written::from).collect(), ..Self::default() }
    }
}
