//! Receipts in order. The head contains the newest, pages contain older ones, and an index names the older pages.
//!
//! The head is written with every commit, so its part is bounded by [`Share`]. When the newest receipts exceed it, all
//! but the last few move into a page, a blob written once. The head lists the newest pages and the operations in each,
//! at 8 bytes per operation. When there are too many pages, the list moves into the index, a blob replaced each time.
//! An engine keeps the index with the canvas, so that a usual call reads neither index nor pages from the store.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use canvas_lease::{Fence, safe_integer};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::op_key::OpKey;
use crate::model::receipt::{Answer, Digest, ParseHexError, Receipt, is_zero};

/// Maximum number of receipts that stay in the head when a page is made, because a retry usually follows soon.
const RECENT: usize = 4;

/// The share of a head that receipts may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// Bytes of JSON of the receipts in the head, beyond which they move into a page.
    pub(crate) bytes: usize,
    /// Pages listed in the head, beyond which the list moves into the index.
    pub(crate) pages: usize,
}

/// Receipts, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shelf {
    /// The [`Index`] of older pages; only in heads of format 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<BlobId>,
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

    /// Returns the length of the JSON.
    fn len(&self) -> usize {
        self.0.json.get().len()
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

/// A page in the index, as blob, number of receipts, newest lease, time, and blobs of long answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct IndexedPage(BlobId, usize, Option<Fence>, u64, Vec<BlobId>);

/// A list of the older pages. Its JSON begins with the keys of all pages in their order, so that the usual lookup,
/// which finds no receipt, parses only these. It keeps no unknown members of a [`Page`].
#[derive(Debug, Default, Serialize, Deserialize)]
struct Index {
    keys: String,
    pages: Vec<IndexedPage>,
}

impl Index {
    fn read(blob: &Blob) -> Option<Self> {
        let index: Self = serde_json::from_str(blob.as_text()?).ok()?;
        let receipts = index.pages.iter().try_fold(0_usize, |sum, page| sum.checked_add(page.1))?;
        let is_whole = receipts.checked_mul(KEY) == Some(index.keys.len()) && index.keys.is_ascii();
        is_whole.then_some(index)
    }

    /// Adds the index to `blobs`, and returns its id.
    fn put(&self, blobs: &mut Vec<Blob>) -> BlobId {
        let blob = Blob::text(serde_json::to_string(self).expect("an index has only string keys"));
        let id = blob.id();
        blobs.push(blob);
        id
    }

    /// Returns the keys in an index, or `None` for any other blob.
    fn keys(blob: &Blob) -> Option<&str> {
        blob.as_text()?.strip_prefix("{\"keys\":\"")?.split_once('"').map(|(keys, _)| keys)
    }

    /// Returns the pages with their keys, oldest first.
    fn pages(&self) -> impl DoubleEndedIterator<Item = (&IndexedPage, &str)> {
        let ends = self.pages.iter().scan(0, |end, page| {
            let start = *end;
            *end += KEY * page.1;
            Some(start..*end)
        });
        self.pages.iter().zip(ends.collect::<Vec<_>>()).map(|(page, range)| (page, &self.keys[range]))
    }
}

/// Number of digits in a key.
const KEY: usize = 8;

impl TryFrom<String> for Keys {
    type Error = ParseHexError;

    fn try_from(text: String) -> Result<Self, ParseHexError> {
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && text.len().is_multiple_of(KEY) { Ok(Self(text)) } else { Err(ParseHexError) }
    }
}

impl Keys {
    fn key(operation: &OpKey) -> String {
        let OpKey { conversation, turn, call, person } = operation;
        let turn = turn.get().to_be_bytes();
        let key = [conversation.as_str().as_bytes(), &turn, call.as_str().as_bytes()];
        let parts = key.into_iter().chain(person.as_ref().map(|person| person.as_str().as_bytes()));
        Digest::of(&parts.collect::<Vec<_>>()).short()
    }

    fn has(keys: &str, key: &str) -> bool {
        // Compared as numbers, because a retry searches all keys of a canvas, and so does each new call.
        let number = |key: &[u8]| key.try_into().ok().map(u64::from_ne_bytes);
        let key = number(key.as_bytes());
        keys.as_bytes().chunks_exact(KEY).any(|known| number(known) == key)
    }
}

/// Limits for receipts. Receipts of the live lease do not count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) live: Option<Fence>,
    pub(crate) share: Share,
    /// Number of receipts kept in any case.
    pub(crate) keep: usize,
    /// Maximum number of receipts.
    pub(crate) most: usize,
    /// Receipts between the two limits are kept if their time is at least this.
    pub(crate) young_from: u64,
}

/// The numbers of receipts still beyond the limits, and the receipts to spare.
struct Retention {
    beyond: usize,
    too_many: usize,
    live: Option<Fence>,
    young_from: u64,
}

impl Retention {
    /// Whether to drop this many receipts together, because they are old or exceed the maximum.
    fn drops(&mut self, count: usize, fence: Option<Fence>, at: u64) -> bool {
        if self.live.is_some() && fence == self.live {
            return false;
        }
        let drops = self.beyond >= count && (at < self.young_from || self.too_many >= count);
        // If one stays, so do all newer ones.
        self.beyond = if drops { self.beyond - count } else { 0 };
        self.too_many = self.too_many.saturating_sub(count);
        drops
    }
}

impl Page {
    fn count(&self) -> usize {
        self.keys.0.len() / KEY
    }
}

impl IndexedPage {
    fn of(page: &Page) -> (Self, String) {
        let Page { blob, keys, fence, answers, at } = page;
        (Self(*blob, page.count(), *fence, *at, answers.clone()), keys.0.clone())
    }
}

/// Returns the receipt of an operation in a page. `at` is the time of the page.
fn in_page(page: &Blob, operation: &OpKey, at: u64) -> Option<Receipt> {
    let Ok(receipts) = serde_json::from_str::<Vec<Receipt>>(page.as_text().unwrap_or_default()) else {
        return Some(unreadable(operation, at));
    };
    // If there are several receipts, the last one counts, because an action that began has ended.
    receipts.into_iter().rfind(|receipt| receipt.operation == *operation)
}

/// A call whose receipt is unreadable must not run twice, so it gets an answer that fits no command.
fn unreadable(operation: &OpKey, at: u64) -> Receipt {
    let answer = Answer::Inline(String::new());
    Receipt { operation: operation.clone(), digest: Digest::of(&[]), fence: None, answer, at }
}

impl Shelf {
    pub(crate) fn is_empty(&self) -> bool {
        self.index.is_none() && self.pages.is_empty() && self.recent.is_empty()
    }

    /// Returns the blobs that an index names, or `None` for any other blob.
    pub(crate) fn named_by_index(index: &Blob) -> Option<Vec<BlobId>> {
        let pages = Index::read(index)?.pages;
        Some(
            pages
                .into_iter()
                .flat_map(|IndexedPage(page, _, _, _, answers)| [vec![page], answers].concat())
                .collect(),
        )
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
        if self.pages.is_empty() && self.index.is_none() {
            return Ok(None);
        }
        let key = Keys::key(operation);
        for page in self.pages.iter().rev().map(Written::value).filter(|page| Keys::has(&page.keys.0, &key)) {
            if let Some(receipt) = in_page(blob(page.blob)?, operation, page.at) {
                return Ok(Some(receipt));
            }
        }
        let Some(index) = self.index else { return Ok(None) };
        let index = blob(index)?;
        if Index::keys(index).is_some_and(|keys| !Keys::has(keys, &key)) {
            return Ok(None);
        }
        let Some(index) = Index::read(index) else { return Ok(Some(unreadable(operation, 0))) };
        for (IndexedPage(page, _, _, at, _), _) in
            index.pages().rev().filter(|(_, keys)| Keys::has(keys, &key))
        {
            if let Some(receipt) = in_page(blob(*page)?, operation, *at) {
                return Ok(Some(receipt));
            }
        }
        Ok(None)
    }

    /// Returns all receipts, oldest first.
    #[cfg(all(test, feature = "surface"))]
    pub(crate) fn all<'a>(&self, blob: impl Fn(BlobId) -> Option<&'a Blob>) -> Vec<Receipt> {
        let index = self.index.map(|id| blob(id).and_then(Index::read).expect("the index is stored"));
        let listed = index.iter().flat_map(|index| &index.pages).map(|page| page.0);
        let pages = listed.chain(self.pages.iter().map(|page| page.value().blob)).flat_map(|id| {
            let page = blob(id).and_then(Blob::as_text).expect("the page is stored");
            serde_json::from_str::<Vec<Receipt>>(page).expect("a page has receipts")
        });
        pages.chain(self.recent.iter().map(|written| written.value().clone())).collect()
    }

    /// Adds a receipt, and drops the oldest ones beyond the limits. A new page or index is added to `blobs`, and `blob`
    /// supplies the present index.
    pub(crate) fn push<'a>(
        &mut self,
        receipt: Receipt,
        room: &Room,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) {
        self.recent.push(receipt.into());
        let bytes: usize = self.recent.iter().map(Written::len).sum();
        if bytes > room.share.bytes {
            self.turn_the_page(room.share.bytes / 3, blobs);
        }
        if self.pages.len() > room.share.pages {
            self.index_pages(room, blob, blobs);
        }
        // Older ones stay, so newer ones stay too.
        if self.index.is_none() {
            let mut retention = self.retention(room, &[]);
            self.pages
                .retain(|page| !retention.drops(page.value().count(), page.value().fence, page.value().at));
            if self.pages.is_empty() {
                self.recent.retain(|written| !retention.drops(1, written.value().fence, written.value().at));
            }
        }
    }

    /// Moves the receipts into a page, except the newest ones. At most [`RECENT`] stay, and only as long as they have
    /// fewer than `bytes` bytes in total, but always the last one.
    fn turn_the_page(&mut self, bytes: usize, blobs: &mut Vec<Blob>) {
        let mut left = bytes;
        let stay = self.recent.iter().rev().take(RECENT).take_while(|written| {
            left = left.saturating_sub(written.len());
            left > 0
        });
        let stay = stay.count().max(1);
        let page: Vec<_> = self.recent.drain(..self.recent.len() - stay).collect();
        if page.is_empty() {
            return;
        }
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

    /// Moves the list of pages into the index, and drops the oldest pages beyond the limits.
    fn index_pages<'a>(
        &mut self,
        room: &Room,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) {
        // An index that is not at hand or cannot be read stays, and so does the list.
        let older = self.index.map(|id| blob(id).ok().and_then(Index::read));
        let Some(older) = older.unwrap_or_else(|| Some(Index::default())) else { return };
        let mut retention = self.retention(room, &older.pages);
        let mut index = Index::default();
        let listed: Vec<_> = self.pages.drain(..).map(|page| IndexedPage::of(page.value())).collect();
        let listed = listed.iter().map(|(page, keys)| (page, keys.as_str()));
        for (page, keys) in older.pages().chain(listed) {
            let IndexedPage(_, count, fence, at, _) = *page;
            if !retention.drops(count, fence, at) {
                index.keys.push_str(keys);
                index.pages.push(page.clone());
            }
        }
        self.index = (!index.pages.is_empty()).then(|| index.put(blobs));
    }

    fn retention(&self, room: &Room, older: &[IndexedPage]) -> Retention {
        let is_spare = |fence: Option<Fence>| room.live.is_none() || fence != room.live;
        let older = older.iter().map(|IndexedPage(_, count, fence, ..)| (*count, *fence));
        let pages = self.pages.iter().map(|page| (page.value().count(), page.value().fence));
        let recent = self.recent.iter().map(|written| (1, written.value().fence));
        let all = older.chain(pages).chain(recent);
        let spare: usize = all.filter(|(_, fence)| is_spare(*fence)).map(|(count, _)| count).sum();
        let (beyond, too_many) = (spare.saturating_sub(room.keep), spare.saturating_sub(room.most));
        Retention { beyond, too_many, live: room.live, young_from: room.young_from }
    }

    /// See [`Receipts::erase`](crate::model::receipts::Receipts::erase).
    pub(crate) fn erase<'a>(
        &mut self,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) -> Result<(), Missing> {
        let older = match self.index {
            // If it is unreadable, it bars calls, and stays as it is.
            Some(id) => Index::read(blob(id)?),
            None => None,
        };
        let listed = older.iter().flat_map(|index| index.pages.iter().map(|page| page.0));
        let pages = listed.chain(self.pages.iter().map(|page| page.value().blob));
        let missing: Vec<_> = pages.filter(|page| blob(*page).is_err()).collect();
        if !missing.is_empty() {
            return Err(Missing::all(missing));
        }
        let mut erased = |page: BlobId| {
            let json = blob(page)?.as_text().unwrap_or_default();
            let erased = serde_json::from_str::<Vec<Receipt>>(json).map(|mut receipts| {
                receipts.iter_mut().for_each(|receipt| receipt.answer.erase());
                serde_json::to_string(&receipts).expect("a receipt has only string keys")
            });
            // An unreadable page bars its calls, and its replacement still does so.
            let erased = Blob::text(erased.unwrap_or_default());
            let id = erased.id();
            blobs.push(erased);
            Ok(id)
        };
        for page in &mut self.pages {
            let listed =
                Page { blob: erased(page.value().blob)?, answers: Vec::new(), ..Page::clone(page.value()) };
            *page = listed.into();
        }
        if let Some(mut index) = older {
            for page in &mut index.pages {
                (page.0, page.4) = (erased(page.0)?, Vec::new());
            }
            self.index = Some(index.put(blobs));
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
        let recent: usize = self.recent.iter().map(Written::len).sum();
        2 * recent + 1024 * self.pages.len()
    }

    /// Returns the blobs of the index, pages and answers that the head names.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> {
        let pages = self.pages.iter().map(Written::value);
        let pages = pages.flat_map(|page| page.answers.iter().copied().chain([page.blob]));
        pages.chain(self.recent.iter().filter_map(|written| written.value().answer.blob())).chain(self.index)
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

    use super::*;
    use crate::model::id::{CallId, ConversationId};

    fn receipt(call: &str, answer: &str) -> Receipt {
        let (conversation, call) = (ConversationId::new("host").unwrap(), CallId::new(call).unwrap());
        let operation = OpKey::of(conversation, call);
        let answer = Answer::Inline(answer.to_owned());
        Receipt { operation, digest: Digest::of(&[]), fence: None, answer, at: 0 }
    }

    /// An action leaves a second receipt when it ends: in the same page, in the next one, or in the head.
    #[test]
    fn the_last_receipt_of_an_operation_counts_wherever_it_lies() {
        let room = Room {
            share: Share { bytes: 1_500, pages: 2 },
            live: None,
            keep: 1_000,
            most: 1_000,
            young_from: 0,
        };
        for (between, after) in [(0, 0), (3, 20), (16, 20), (30, 0), (30, 40), (19, 0)] {
            let (mut shelf, mut blobs) = (Shelf::default(), Vec::<Blob>::new());
            let others = |name: &'static str, count: u32| {
                (0..count).map(move |number| receipt(&format!("{name} {number}"), "other"))
            };
            let all = [receipt("a", "begun")]
                .into_iter()
                .chain(others("between", between))
                .chain([receipt("a", "ended")])
                .chain(others("after", after));
            for one in all {
                let known = blobs.clone();
                let blob =
                    |id| known.iter().find(|blob| blob.id() == id).ok_or_else(|| Missing::all(vec![id]));
                shelf.push(one, &room, blob, &mut blobs);
            }
            let operation = receipt("a", "").operation;
            let blob = |id| blobs.iter().find(|blob| blob.id() == id).ok_or_else(|| Missing::all(vec![id]));
            let found = shelf.newest(&operation).cloned();
            let found = found.or_else(|| shelf.find_in_pages(&operation, blob).unwrap());
            assert_eq!(found.unwrap().answer, Answer::Inline("ended".to_owned()), "{between} {after}");
        }
    }
}
