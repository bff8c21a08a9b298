//! The head's pointers into the records of executed actions.

use canvas_lease::safe_integer;
use serde::{Deserialize, Serialize};

use crate::model::blob::{Blob, BlobId};
use crate::model::links::{self, Linked, Links};
use crate::model::receipt::is_zero;
use crate::model::unknown::Unknown;

/// The head's part of the action records. Each record names the previous one, like journal entries do. However, a
/// record is not an entry, because it has no revision and cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct AuditSlot {
    /// The last record; `None` before the first one, and after an erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<BlobId>,
    /// Number of records ever made, which is also the number of the last one.
    #[serde(deserialize_with = "safe_integer::deserialize")]
    pub(crate) records: u64,
    /// Number of the oldest record kept; zero if all are kept.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "safe_integer::deserialize")]
    pub(crate) kept_from: u64,
    #[serde(default, skip_serializing_if = "Links::is_empty")]
    links: Links,
    #[serde(flatten)]
    unknown: Unknown,
}

/// The links of a record. Every library must be able to read this part in order to find other records, even if it
/// cannot read the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AuditLinks {
    #[serde(deserialize_with = "safe_integer::deserialize")]
    pub(crate) number: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<BlobId>,
    /// Links over many records, by powers of 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<Option<BlobId>>,
}

impl AuditSlot {
    /// Whether no action was ever recorded.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the numbers are possible. `kept_from` is one past the last record if no record is kept.
    pub(crate) fn is_consistent(&self) -> bool {
        self.kept_from <= self.records + 1
    }

    /// Returns the number of the oldest record if at most `limit` records are kept.
    pub(crate) fn oldest(&self, limit: u64) -> u64 {
        self.records.saturating_sub(limit).saturating_add(1).max(self.kept_from)
    }

    /// Returns the records that the slot names, with their numbers.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (u64, BlobId)> + use<> {
        self.last.map(|id| (self.records, id)).into_iter().chain(self.links.marks(self.records))
    }

    /// Returns the slot without records. Numbers continue.
    pub(crate) fn cleared(&self) -> Self {
        let (records, unknown) = (self.records, self.unknown.clone());
        Self { records, kept_from: if records == 0 { 0 } else { records + 1 }, unknown, ..Self::default() }
    }
}

#[cfg(feature = "surface")]
impl AuditSlot {
    /// Returns the links of the next record, or `None` if the numbers are used up.
    pub(crate) fn next(&self) -> Option<AuditLinks> {
        let number = self.records.checked_add(1).filter(|number| *number < safe_integer::MAX)?;
        Some(AuditLinks { number, previous: self.last, links: self.links.before(number) })
    }

    /// Adds the record that has the links from [`AuditSlot::next`].
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
