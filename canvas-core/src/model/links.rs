//! Links over many entries of a chain, so that any entry is reached in few rounds of reads. The journal and the records
//! of actions are such chains.
//!
//! An entry whose number is a multiple of 4^k links to the one 4^k earlier. From a multiple of 4^k, all of the 4^k
//! entries before it are therefore reached in 3k rounds, each of which requests every entry named by the previous
//! round. The head holds the last multiple of each power, because a commit reads no entry.
//!
//! Older versions used powers of 16, in the field `skips` of heads and entries. These are still read, and gaps remain
//! for the powers that they lack. Entries and heads of version 0.1.0 have no links, so their journal is walked one
//! entry at a time.

use serde::{Deserialize, Serialize};

use crate::model::blob::{Blob, BlobId};

/// A blob of a chain, which has a number and names earlier blobs.
pub(crate) trait Linked: Sized {
    /// Reads a blob of the chain, or returns `None` if it is a different kind of blob.
    fn read(blob: &Blob) -> Option<Self>;

    /// Returns the number in the chain, counted from 1.
    fn number(&self) -> u64;

    /// Returns the entries that this one names, with their numbers: the previous entry, and the targets of the links.
    fn named(&self) -> impl Iterator<Item = (u64, BlobId)>;
}

const STEP: u64 = 4;
/// Number of powers of 4 whose last multiples are all held, so that 4^6 entries are reached in seven rounds.
const NEAR: usize = 6;
/// Number of linked powers, up to 4^10, about a million.
const LEVELS: usize = 10;

/// For each power of 4, starting with 4 itself, the last entry whose number is a multiple of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Option<BlobId>>", into = "Vec<Option<BlobId>>")]
pub(crate) struct Links([Option<BlobId>; LEVELS]);

impl Links {
    /// Converts links by powers of 16, which are every second power of 4.
    pub(crate) fn of_sixteens(ids: &[BlobId]) -> Self {
        let sixteens = ids.iter().flat_map(|id| [None, Some(*id)]);
        Self::from(sixteens.collect::<Vec<_>>())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Returns the links of the next entry, which has this number, by powers. The list is empty for three out of four
    /// entries.
    pub(crate) fn before(&self, number: u64) -> Vec<Option<BlobId>> {
        trimmed(&self.0[..level(number)])
    }

    /// Makes the next entry the last multiple of each power that divides its number.
    pub(crate) fn push(&mut self, number: u64, id: BlobId) {
        self.0[..level(number)].fill(Some(id));
    }

    /// Returns the last multiples up to the newest number, with their numbers.
    pub(crate) fn marks(self, newest: u64) -> impl Iterator<Item = (u64, BlobId)> {
        powers(STEP).zip(self.0).filter_map(move |(power, id)| Some((newest / power * power, id?)))
    }
}

/// For 1 and each small power of 4, its multiples since the last multiple of the next power. They are known only if
/// they are as many as there can be, because a chain may have begun to collect them later.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct NearLinks(Vec<Vec<BlobId>>);

impl NearLinks {
    /// Returns the links of the next entry. For each power whose next power divides its number, these are the second
    /// and the third last multiple.
    pub(crate) fn before(&self, number: u64) -> Vec<Option<BlobId>> {
        let of_power = |ids: &Vec<BlobId>| match ids.as_slice() {
            [third, second, _] => [Some(*second), Some(*third)],
            _ => [None, None],
        };
        trimmed(&self.0.iter().take(level(number)).flat_map(of_power).collect::<Vec<_>>())
    }

    /// Adds the next entry.
    pub(crate) fn push(&mut self, number: u64, id: BlobId) {
        let level = level(number);
        self.0.resize_with(self.0.len().max((level + 1).min(NEAR)), Vec::new);
        self.0.iter_mut().take(level).for_each(Vec::clear);
        if let Some(ids) = self.0.get_mut(level) {
            ids.push(id);
        }
    }

    /// Returns the held entries with their numbers, if the newest entry has this number.
    pub(crate) fn marks(&self, newest: u64) -> impl Iterator<Item = (u64, BlobId)> {
        std::iter::once(1).chain(powers(STEP)).zip(&self.0).flat_map(move |(power, ids)| {
            let first = newest / (power * STEP) * (power * STEP) + power;
            let is_known = ids.len() as u64 == newest / power % STEP;
            let numbers = (0_u64..).map(move |nth| first + nth * power);
            // The chain names its newest entry itself.
            numbers.zip(ids.iter().copied()).filter(move |(number, _)| is_known && *number != newest)
        })
    }
}

/// Returns the targets of the links from [`NearLinks`], with their numbers.
pub(crate) fn near_ends(links: &[Option<BlobId>], number: u64) -> impl Iterator<Item = (u64, BlobId)> {
    let places = std::iter::once(1).chain(powers(STEP)).flat_map(|power| [power * 2, power * 3]);
    places.zip(links).filter_map(move |(back, id)| Some((number.checked_sub(back)?, (*id)?)))
}

/// Returns the targets of an entry's links, with their numbers.
pub(crate) fn ends(links: &[Option<BlobId>], number: u64) -> impl Iterator<Item = (u64, BlobId)> {
    powers(STEP).zip(links).filter_map(move |(power, id)| Some((number.checked_sub(power)?, (*id)?)))
}

/// Like [`ends`], for links by powers of 16.
pub(crate) fn ends_of_sixteens(links: &[BlobId], number: u64) -> impl Iterator<Item = (u64, BlobId)> {
    powers(STEP * STEP).zip(links).filter_map(move |(power, id)| Some((number.checked_sub(power)?, *id)))
}

/// Returns for 1 and for each linked power of 4 the last multiple that is at most `number`.
pub(crate) fn multiples_up_to(number: u64) -> impl Iterator<Item = u64> {
    std::iter::once(1).chain(powers(STEP).take(LEVELS)).map(move |power| number / power * power)
}

fn powers(step: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(step), move |power| power.checked_mul(step))
}

/// Returns the number of linked powers of 4 that divide a number.
fn level(number: u64) -> usize {
    powers(STEP).take(LEVELS).take_while(|power| number.is_multiple_of(*power)).count()
}

/// Removes missing links at the end.
fn trimmed(links: &[Option<BlobId>]) -> Vec<Option<BlobId>> {
    links[..links.iter().rposition(Option::is_some).map_or(0, |last| last + 1)].to_vec()
}

impl From<Vec<Option<BlobId>>> for Links {
    fn from(ids: Vec<Option<BlobId>>) -> Self {
        let mut ids = ids.into_iter();
        Self(std::array::from_fn(|_| ids.next().flatten()))
    }
}

impl From<Links> for Vec<Option<BlobId>> {
    fn from(links: Links) -> Self {
        trimmed(&links.0)
    }
}
