//! Links over many entries of the journal at once, so that its old end is a few reads away.
//!
//! An entry whose number is a multiple of 16^k links to the one 16^k before it. So any entry is found in at most 16
//! reads for each power of 16 between it and the newest. The head holds the last multiple of each power, since a commit
//! reads no entry: one id for each power, and a new one in every 16th commit. Entries and heads of version 0.1.0 have
//! none, and there the journal is walked one by one.

use serde::{Deserialize, Serialize};

use crate::model::blob::BlobId;

const STEP: u64 = 16;
/// Powers that are linked: up to 16^5, a million.
const LEVELS: usize = 5;

/// Of each power of 16, from the first on, the last entry whose number is a multiple of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<BlobId>", into = "Vec<BlobId>")]
pub(crate) struct Skips([Option<BlobId>; LEVELS]);

impl Skips {
    pub(crate) fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    /// What the entry of this number, the next one, links to. Empty for 15 of 16.
    pub(crate) fn before(&self, number: u64) -> Vec<BlobId> {
        self.0.iter().take(level(number)).map_while(|id| *id).collect()
    }

    /// Puts the next entry into the place of the last multiple.
    pub(crate) fn push(&mut self, number: u64, id: BlobId) {
        self.0[..level(number)].fill(Some(id));
    }

    /// Of the last multiples up to the newest number, the lowest that is not below `wanted`, with its number.
    pub(crate) fn towards(&self, wanted: u64, newest: u64) -> Option<(u64, BlobId)> {
        let marks = powers().zip(&self.0).filter_map(|(power, id)| Some((newest / power * power, (*id)?)));
        marks.filter(|(number, _)| *number >= wanted).last()
    }
}

/// Of the links of the entry of this number, the longest that does not lead below `wanted`, and where it leads.
pub(crate) fn longest(links: &[BlobId], number: u64, wanted: u64) -> Option<(u64, BlobId)> {
    let ends = powers().zip(links).filter_map(|(power, id)| Some((number.checked_sub(power)?, *id)));
    ends.filter(|(number, _)| *number >= wanted).last()
}

fn powers() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(STEP), |power| power.checked_mul(STEP))
}

/// How many powers of 16, up to the highest that is linked, divide a number.
fn level(number: u64) -> usize {
    powers().take(LEVELS).take_while(|power| number.is_multiple_of(*power)).count()
}

impl From<Vec<BlobId>> for Skips {
    fn from(ids: Vec<BlobId>) -> Self {
        let mut ids = ids.into_iter();
        Self(std::array::from_fn(|_| ids.next()))
    }
}

impl From<Skips> for Vec<BlobId> {
    fn from(skips: Skips) -> Self {
        skips.0.into_iter().flatten().collect()
    }
}
