//! Links over many entries of a chain at once, so that few rounds of reads lead to any of its entries: of the journal, and
//! of the records of actions.
//!
//! An entry whose number is a multiple of 4^k links to the one 4^k before. So from a multiple of 4^k the 4^k entries
//! before it are all reached in 3k rounds, each of which asks for everything that the one before has named. The head
//! holds the last multiple of each power, since a commit reads no entry.
//!
//! Before, the powers were those of 16, in the field `skips` of heads and entries: what was stored so is read, and
//! gaps are left where it has no link. Entries and heads of version 0.1.0 have none, and there the journal is walked one
//! by one.

use serde::{Deserialize, Serialize};

use crate::model::blob::{Blob, BlobId};

/// A blob of a chain: it has a number, and names those before it.
pub(crate) trait Linked: Sized {
    /// Reads what the chain has written; `None` where it is something else.
    fn read(blob: &Blob) -> Option<Self>;

    /// Its number in the chain, from 1.
    fn number(&self) -> u64;

    /// The others that it names with their numbers: the one before, and those over many.
    fn named(&self) -> impl Iterator<Item = (u64, BlobId)>;
}

const STEP: u64 = 4;
/// Powers that are linked: up to 4^10, a million.
const LEVELS: usize = 10;

/// Of each power of 4, from the first on, the last entry whose number is a multiple of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Option<BlobId>>", into = "Vec<Option<BlobId>>")]
pub(crate) struct Links([Option<BlobId>; LEVELS]);

impl Links {
    /// Of links by powers of 16, which are each other power of 4.
    pub(crate) fn of_sixteens(ids: &[BlobId]) -> Self {
        let sixteens = ids.iter().flat_map(|id| [None, Some(*id)]);
        Self::from(sixteens.collect::<Vec<_>>())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// What the entry of this number, the next one, links to, by powers. Empty for 3 of 4.
    pub(crate) fn before(&self, number: u64) -> Vec<Option<BlobId>> {
        trimmed(&self.0[..level(number)])
    }

    /// Puts the next entry into the place of the last multiple.
    pub(crate) fn push(&mut self, number: u64, id: BlobId) {
        self.0[..level(number)].fill(Some(id));
    }

    /// The last multiples up to the newest number, with their numbers.
    pub(crate) fn marks(self, newest: u64) -> impl Iterator<Item = (u64, BlobId)> {
        powers(STEP).zip(self.0).filter_map(move |(power, id)| Some((newest / power * power, id?)))
    }
}

/// Where the links of the entry of this number lead, with the numbers there.
pub(crate) fn ends(links: &[Option<BlobId>], number: u64) -> impl Iterator<Item = (u64, BlobId)> {
    powers(STEP).zip(links).filter_map(move |(power, id)| Some((number.checked_sub(power)?, (*id)?)))
}

/// As [`ends`], for links by powers of 16.
pub(crate) fn ends_of_sixteens(links: &[BlobId], number: u64) -> impl Iterator<Item = (u64, BlobId)> {
    powers(STEP * STEP).zip(links).filter_map(move |(power, id)| Some((number.checked_sub(power)?, *id)))
}

/// Of each power of 4, from 1 on, the last multiple up to a number.
pub(crate) fn multiples_up_to(number: u64) -> impl Iterator<Item = u64> {
    std::iter::once(1).chain(powers(STEP).take(LEVELS)).map(move |power| number / power * power)
}

fn powers(step: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(step), move |power| power.checked_mul(step))
}

/// How many powers of 4, up to the highest that is linked, divide a number.
fn level(number: u64) -> usize {
    powers(STEP).take(LEVELS).take_while(|power| number.is_multiple_of(*power)).count()
}

/// Without what is missing at the end.
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
