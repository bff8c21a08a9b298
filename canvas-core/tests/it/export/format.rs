//! A second implementation of the stream, written by `FORMAT.md` alone.

use canvas_core::BlobId;

pub(crate) const MAGIC: &[u8; 8] = b"\xffcanvas\x01";

/// The kind and the payload of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: u8,
    pub(crate) payload: Vec<u8>,
}

impl Record {
    pub(crate) fn new(kind: u8, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, payload: payload.into() }
    }

    pub(crate) fn id(&self) -> BlobId {
        BlobId::of(&self.payload)
    }

    fn header(&self) -> Vec<u8> {
        let length = (self.payload.len() as u64).to_be_bytes();
        [&[self.kind][..], &length, self.id().as_bytes()].concat()
    }

    /// The record as it is in the stream.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [self.header(), self.payload.clone()].concat()
    }
}

/// The records of an export, without the last one.
pub(crate) fn read(export: &[u8]) -> Vec<Record> {
    let (magic, mut rest) = export.split_at(8);
    assert_eq!(magic, MAGIC);
    let mut records = Vec::new();
    while let Some((header, after)) = rest.split_at_checked(41) {
        let length = u64::from_be_bytes(header[1..9].try_into().unwrap()) as usize;
        let (payload, after) = after.split_at(length);
        let record = Record::new(header[0], payload);
        assert_eq!(record.header(), header);
        records.push(record);
        rest = after;
    }
    assert!(rest.is_empty());
    let end = records.pop().unwrap();
    assert_eq!(end, last(&records));
    records
}

/// An export of these records, with the last one that fits them.
pub(crate) fn write(records: &[Record]) -> Vec<u8> {
    let last = last(records);
    let bytes = records.iter().chain([&last]).flat_map(Record::bytes);
    MAGIC.iter().copied().chain(bytes).collect()
}

fn last(records: &[Record]) -> Record {
    let blobs: Vec<_> = records.iter().filter(|record| record.kind == b'B').collect();
    let total: usize = blobs.iter().map(|blob| blob.payload.len()).sum();
    let headers: Vec<u8> = MAGIC.iter().copied().chain(records.iter().flat_map(Record::header)).collect();
    let counts = [(blobs.len() as u64).to_be_bytes(), (total as u64).to_be_bytes()].concat();
    Record::new(b'E', [&counts[..], BlobId::of(&headers).as_bytes()].concat())
}

/// Where each record begins, and where the export ends.
pub(crate) fn borders(export: &[u8]) -> Vec<usize> {
    let mut at = MAGIC.len();
    let mut borders = vec![0, at];
    while at < export.len() {
        at += 41 + u64::from_be_bytes(export[at + 1..at + 9].try_into().unwrap()) as usize;
        borders.push(at);
    }
    borders
}
