//! Receipts in order. The head contains the newest, and pages contain older ones.
//!
//! The head is written with every commit, so it contains only the newest receipts. Older ones are in pages, which are
//! blobs of 16 receipts written once. The head knows the operations in each page, at 8 bytes per operation.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use canvas_lease::{Fence, safe_integer};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::id::OpKey;
use crate::model::receipt::{Answer, Digest, ParseHexError, Receipt, is_zero};

/// Number of receipts in a page.
const PAGE: usize = 16;

/// Number of receipts that stay in the head when a page is made, because a retry usually follows soon.
const RECENT: usize = 4;

/// Receipts, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shelf {
    pub(crate) pages: Vec<Written<Page>>,
    pub(crate) recent: Vec<Written<Receipt>>,
}

/// A value with its JSON, which later heads contain unchanged, including members that a newer library added. Heads
/// share the value, so copying a head costs one reference count for each.
#[derive(Debug)]
pub(crate) struct Written<T>(Arc<WithJson<T>>);

#[derive(Debug)]
struct WithJson<T> {
    value: T,
    json: Box<RawValue>,
}

impl<T> Written<T> {
    fn value(&self) -> &T {
        &self.0.value
    }
}

impl<T> Clone for Written<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Serialize> From<T> for Written<T> {
    fn from(value: T) -> Self {
        let json = serde_json::value::to_raw_value(&value).expect("it has only string keys");
        Self(Arc::new(WithJson { value, json }))
    }
}

impl<T> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.json.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Written<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let value = serde_json::from_str(json.get()).map_err(serde::de::Error::custom)?;
        Ok(Self(Arc::new(WithJson { value, json })))
    }
}

impl<T: Eq> PartialEq for Written<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.value() == other.value()
    }
}

impl<T: Eq> Eq for Written<T> {}

impl<T: Hash> Hash for Written<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value().hash(state);
    }
}

/// Receipts in a blob, as a JSON array.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Page {
    blob: BlobId,
    keys: Keys,
    /// The newest lease with a receipt in the page.
    fence: Option<Fence>,
    /// Blobs with the long answers of the page.
    answers: Vec<BlobId>,
    /// The time of the newest receipt.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "safe_integer::deserialize")]
    at: u64,
}

/// Short hashes of operations, 8 hexadecimal digits each. They are kept in their stored form because every commit
/// writes them. Two operations may have the same hash; the page then distinguishes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
        Digest::of(&[conversation.as_str().as_bytes(), &turn, call.as_str().as_bytes()]).short()
    }

    fn has(&self, key: &str) -> bool {
        // Compared as numbers, because a retry searches all keys of a canvas, and so does each new call.
        let number = |key: &[u8]| key.try_into().ok().map(u64::from_ne_bytes);
        let key = number(key.as_bytes());
        self.0.as_bytes().chunks_exact(8).any(|known| number(known) == key)
    }
}

/// Limits for receipts, not counting the live lease's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) live: Option<Fence>,
    /// Number of receipts kept in any case.
    pub(crate) keep: usize,
    /// Maximum number of receipts.
    pub(crate) most: usize,
    /// Receipts between the two limits are kept if their time is at least this.
    pub(crate) young_from: u64,
}

impl Shelf {
    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.recent.is_empty()
    }

    /// Returns the receipt of an operation if the head contains it.
    pub(crate) fn newest(&self, operation: &OpKey) -> Option<&Receipt> {
        self.recent.iter().rev().map(Written::value).find(|receipt| receipt.operation == *operation)
    }

    /// Returns the receipt of an operation if a page contains it.
    pub(crate) fn find_in_pages<'a>(
        &self,
        operation: &OpKey,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
    ) -> Result<Option<Receipt>, Missing> {
        if self.pages.is_empty() {
            return Ok(None);
        }
        let key = Keys::key(operation);
        for page in self.pages.iter().rev().map(Written::value).filter(|page| page.keys.has(&key)) {
            let json = blob(page.blob)?.as_text().unwrap_or_default();
            let Ok(receipts) = serde_json::from_str::<Vec<Receipt>>(json) else {
                // A call whose receipt is unreadable must not run twice, so it gets an answer that fits no command.
                let (operation, digest) = (operation.clone(), Digest::of(&[]));
                let answer = Answer::Inline(String::new());
                return Ok(Some(Receipt { operation, digest, fence: None, answer, at: page.at }));
            };
            // If there are several receipts, the last one counts, because an action that began has ended.
            if let Some(receipt) = receipts.into_iter().rfind(|receipt| receipt.operation == *operation) {
                return Ok(Some(receipt));
            }
        }
        Ok(None)
    }

    #[cfg(all(test, feature = "surface"))]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Receipt> {
        assert!(self.pages.is_empty(), "small worlds need no pages");
        self.recent.iter().map(Written::value)
    }

    /// Adds a receipt, and drops the oldest ones beyond the limits. A new page is added to `blobs`.
    pub(crate) fn push(&mut self, receipt: Receipt, room: &Room, blobs: &mut Vec<Blob>) {
        self.recent.push(receipt.into());
        if self.recent.len() == PAGE + RECENT {
            self.turn_the_page(blobs);
        }
        self.make_room(room);
    }

    fn turn_the_page(&mut self, blobs: &mut Vec<Blob>) {
        let page: Vec<_> = self.recent.drain(..PAGE).collect();
        let json = serde_json::to_string(&page).expect("a receipt has only string keys");
        let receipts = || page.iter().map(Written::value);
        let blob = Blob::text(json);
        let index = Page {
            blob: blob.id(),
            keys: Keys(receipts().map(|receipt| Keys::key(&receipt.operation)).collect()),
            fence: receipts().filter_map(|receipt| receipt.fence).max(),
            answers: receipts().filter_map(|receipt| receipt.answer.blob()).collect(),
            at: receipts().map(|receipt| receipt.at).max().unwrap_or_default(),
        };
        self.pages.push(index.into());
        blobs.push(blob);
    }

    fn make_room(&mut self, room: &Room) {
        let is_spare = |fence: Option<Fence>| room.live.is_none() || fence != room.live;
        let in_pages = PAGE * self.pages.iter().filter(|page| is_spare(page.value().fence)).count();
        let in_head = self.recent.iter().filter(|written| is_spare(written.value().fence)).count();
        let spare = in_pages + in_head;
        let (mut beyond, mut too_many) = (spare.saturating_sub(room.keep), spare.saturating_sub(room.most));
        // Drops this many receipts together, if they are old or exceed the maximum.
        let mut takes = |count: usize, fence: Option<Fence>, at: u64| {
            let goes = is_spare(fence) && beyond >= count && (at < room.young_from || too_many >= count);
            if goes {
                (beyond, too_many) = (beyond - count, too_many.saturating_sub(count));
            }
            goes
        };
        self.pages.retain(|page| !takes(PAGE, page.value().fence, page.value().at));
        // Older ones stay in pages, so newer ones stay too.
        if self.pages.is_empty() {
            self.recent.retain(|written| !takes(1, written.value().fence, written.value().at));
        }
    }

    /// See [`Receipts::erase`](crate::model::receipts::Receipts::erase).
    pub(crate) fn erase<'a>(
        &mut self,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) -> Result<(), Missing> {
        let pages = || self.pages.iter().map(|page| page.value().blob);
        let missing: Vec<_> = pages().filter(|page| blob(*page).is_err()).collect();
        if !missing.is_empty() {
            return Err(Missing::all(missing));
        }
        for page in &mut self.pages {
            let json = blob(page.value().blob)?.as_text().unwrap_or_default();
            let erased = serde_json::from_str::<Vec<Receipt>>(json).map(|mut receipts| {
                receipts.iter_mut().for_each(|receipt| receipt.answer.erase());
                serde_json::to_string(&receipts).expect("a receipt has only string keys")
            });
            // An unreadable page bars its calls, and its replacement still does so.
            let erased = Blob::text(erased.unwrap_or_default());
            let index = Page { blob: erased.id(), answers: Vec::new(), ..Page::clone(page.value()) };
            *page = index.into();
            blobs.push(erased);
        }
        for written in &mut self.recent {
            let mut receipt = Receipt::clone(written.value());
            receipt.answer.erase();
            *written = receipt.into();
        }
        Ok(())
    }

    /// Returns the approximate size in memory. Each receipt counts twice, as a value and as JSON.
    pub(crate) fn approximate_bytes(&self) -> usize {
        let recent: usize = self.recent.iter().map(|written| written.0.json.get().len()).sum();
        2 * recent + 1024 * self.pages.len()
    }

    /// Returns the blobs of pages and answers.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> {
        let pages = self.pages.iter().map(Written::value);
        let pages = pages.flat_map(|page| page.answers.iter().copied().chain([page.blob]));
        pages.chain(self.recent.iter().filter_map(|written| written.value().answer.blob()))
    }
}

#[cfg(test)]
impl FromIterator<Receipt> for Shelf {
    fn from_iter<I: IntoIterator<Item = Receipt>>(receipts: I) -> Self {
        Self { recent: receipts.into_iter().map(Written::from).collect(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use canvas_lease::Turn;

    use super::*;
    use crate::model::id::{CallId, ConversationId};

    fn receipt(call: &str, answer: &str) -> Receipt {
        let (conversation, call) = (ConversationId::new("host").unwrap(), CallId::new(call).unwrap());
        let operation = OpKey { conversation, turn: Turn::ZERO, call };
        let answer = Answer::Inline(answer.to_owned());
        Receipt { operation, digest: Digest::of(&[]), fence: None, answer, at: 0 }
    }

    /// An action leaves a second receipt when it ends: in the same page, in the next one, or in the head.
    #[test]
    fn the_last_receipt_of_an_operation_counts_wherever_it_lies() {
        let room = Room { live: None, keep: 1_000, most: 1_000, young_from: 0 };
        for (between, after) in [(0, 0), (3, 20), (16, 20), (30, 0), (30, 40), (19, 0)] {
            let (mut shelf, mut blobs) = (Shelf::default(), Vec::new());
            let others = |name: &'static str, count: u32| {
                (0..count).map(move |number| receipt(&format!("{name} {number}"), "other"))
            };
            let all = [receipt("a", "begun")]
                .into_iter()
                .chain(others("between", between))
                .chain([receipt("a", "ended")])
                .chain(others("after", after));
            for one in all {
                shelf.push(one, &room, &mut blobs);
            }
            let operation = receipt("a", "").operation;
            let blob = |id| blobs.iter().find(|blob| blob.id() == id).ok_or_else(|| Missing::all(vec![id]));
            let found = shelf.newest(&operation).cloned();
            let found = found.or_else(|| shelf.find_in_pages(&operation, blob).unwrap());
            assert_eq!(found.unwrap().answer, Answer::Inline("ended".to_owned()), "{between} {after}");
        }
    }
}
