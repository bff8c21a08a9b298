//! Where the records of executed actions hang on the head.

use canvas_lease::safe_integer;
use serde::{Deserialize, Serialize};

use crate::model::blob::{Blob, BlobId};
use crate::model::links::{self, Linked, Links};
use crate::model::receipt::is_zero;
use crate::model::unknown::Unknown;

/// The head's part of the records. Each names the one before, as entries of the journal do, but they are no entries: a
/// record is of no revision, and nobody takes it back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct AuditSlot {
    /// The last record; `None` before the first, and after they were erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<BlobId>,
    /// Records that were ever made; the last one has this number.
    #[serde(deserialize_with = "safe_integer::deserialize")]
    pub(crate) records: u64,
    /// The oldest record that is kept; zero where all are.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "safe_integer::deserialize")]
    pub(crate) kept_from: u64,
    #[serde(default, skip_serializing_if = "Links::is_empty")]
    links: Links,
    #[serde(flatten)]
    unknown: Unknown,
}

/// How a record is found: all that must be read of one to find the others, whatever else a library knows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AuditLinks {
    #[serde(deserialize_with = "safe_integer::deserialize")]
    pub(crate) number: u64,
    /// The record before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<BlobId>,
    /// Links over many records, by powers of 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<Option<BlobId>>,
}

impl AuditSlot {
    /// Nothing was ever recorded.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether there can be such a slot: one past the last record keeps none.
    pub(crate) fn is_consistent(&self) -> bool {
        self.kept_from <= self.records + 1
    }

    /// The number of the oldest record where only this many are kept.
    pub(crate) fn oldest(&self, limit: u64) -> u64 {
        self.records.saturating_sub(limit).saturating_add(1).max(self.kept_from)
    }

    /// The records that it names, with their numbers.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (u64, BlobId)> + use<> {
        self.last.map(|id| (self.records, id)).into_iter().chain(self.links.marks(self.records))
    }

    /// Without records. Numbers go on.
    pub(crate) fn cleared(&self) -> Self {
        let (records, unknown) = (self.records, self.unknown.clone());
        Self { records, kept_from: if records == 0 { 0 } else { records + 1 }, unknown, ..Self::default() }
    }
}

#[cfg(feature = "surface")]
impl AuditSlot {
    /// The links of the next record; `None` where numbers are used up.
    pub(crate) fn next(&self) -> Option<AuditLinks> {
        let number = self.records.checked_add(1).filter(|number| *number < safe_integer::MAX)?;
        Some(AuditLinks { number, previous: self.last, links: self.links.before(number) })
    }

    /// Takes the record with the links that [`AuditSlot::next`] gave.
    pub(crate) fn push(&mut self, number: u64, record: BlobId) {
        self.records = number;
        self.last = Some(record);
        self.links.push(number, record);
    }
}

impl Linked for AuditLinks {
    fn read(blob: &Blob) -> Option<Self> {
        serde_json::from_str(blob.as_text()?).ok()
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn named(&self) -> impl Iterator<Item = (u64, BlobId)> {
        let previous = self.previous.and_then(|id| Some((self.number.checked_sub(1)?, id)));
        previous.into_iter().chain(links::ends(&self.links, self.number))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slot_keeps_no_record_that_was_never_made() {
        for (records, kept_from, expected) in
            [(0, 0, true), (0, 1, true), (0, 2, false), (7, 8, true), (7, 9, false)]
        {
            let slot: AuditSlot =
                serde_json::from_value(json!({"records": records, "kept_from": kept_from})).unwrap();
            assert_eq!(slot.is_consistent(), expected, "{records} {kept_from}");
        }
    }

    #[test]
    fn what_is_cleared_keeps_its_numbers_and_what_a_newer_library_has_put_there() {
        for (records, kept_from) in [(0, 0), (7, 8)] {
            let slot: AuditSlot = serde_json::from_value(json!({"records": records, "later": 1})).unwrap();
            let cleared = slot.cleared();
            assert_eq!(
                (cleared.records, cleared.kept_from, cleared.marks().count()),
                (records, kept_from, 0)
            );
            assert_eq!(serde_json::to_value(&cleared).unwrap()["later"], 1);
        }
        assert_eq!(serde_json::to_value(AuditSlot::default().cleared()).unwrap(), json!({"records": 0}));
    }

    #[cfg(feature = "surface")]
    #[test]
    fn numbers_end_where_json_has_no_more() {
        for (records, expected) in [
            (0, Some(1)),
            (safe_integer::MAX - 2, Some(safe_integer::MAX - 1)),
            (safe_integer::MAX - 1, None),
        ] {
            let slot = AuditSlot { records, ..AuditSlot::default() };
            assert_eq!(slot.next().map(|links| links.number), expected);
        }
    }
}
