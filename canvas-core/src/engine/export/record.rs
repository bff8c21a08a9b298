//! Writes and reads the headers of records, as `FORMAT.md` describes them.

use crate::model::blob::BlobId;

/// The number of the format that this library writes, and the newest one that it reads.
pub(super) const FORMAT: u8 = 1;

/// The first bytes of an export, the last of which is the number of its format.
pub(super) const MAGIC: [u8; 8] = *b"\xffcanvas\x01";

const KIND: usize = 1;
const LENGTH: usize = size_of::<u64>();

/// Tells the three kinds of records apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Head,
    Blob,
    End,
}

impl Kind {
    const fn byte(self) -> u8 {
        match self {
            Self::Head => b'H',
            Self::Blob => b'B',
            Self::End => b'E',
        }
    }
}

/// The beginning of a record, which its payload follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordHeader {
    pub(super) kind: Kind,
    /// The number of bytes that follow the header.
    pub(super) length: u64,
    /// The hash that these bytes must have.
    pub(super) id: BlobId,
}

impl RecordHeader {
    pub(super) const LEN: usize = KIND + LENGTH + 32;

    pub(super) fn of(kind: Kind, payload: &[u8]) -> Self {
        Self { kind, length: payload.len() as u64, id: BlobId::of(payload) }
    }

    pub(super) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [self.kind.byte(); Self::LEN];
        bytes[KIND..KIND + LENGTH].copy_from_slice(&self.length.to_be_bytes());
        bytes[KIND + LENGTH..].copy_from_slice(self.id.as_bytes());
        bytes
    }

    /// Reads a header, or returns `None` if its kind is unknown.
    pub(super) fn read(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let kind = [Kind::Head, Kind::Blob, Kind::End].into_iter().find(|known| known.byte() == *kind)?;
        let (length, id) = rest.split_first_chunk()?;
        let length = u64::from_be_bytes(*length);
        Some(Self { kind, length, id: BlobId::from_bytes(id.try_into().ok()?) })
    }
}

/// The sums over the records so far, which the last record states.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    /// The number of records that are blobs.
    pub(super) blobs: u64,
    /// The total length of their payloads.
    pub(super) bytes: u64,
    /// Hashes the first bytes and every header. The headers have the hashes of the payloads.
    digest: blake3::Hasher,
}

impl Tally {
    pub(super) const LEN: usize = 2 * size_of::<u64>() + 32;

    pub(super) fn new() -> Self {
        let mut digest = blake3::Hasher::new();
        digest.update(&MAGIC);
        Self { blobs: 0, bytes: 0, digest }
    }

    pub(super) fn add(&mut self, header: &RecordHeader) {
        if header.kind == Kind::Blob {
            self.blobs += 1;
            self.bytes = self.bytes.saturating_add(header.length);
        }
        self.digest.update(&header.to_bytes());
    }

    /// Returns the payload of the last record.
    pub(super) fn end(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let (blobs, rest) = bytes.split_at_mut(size_of::<u64>());
        blobs.copy_from_slice(&self.blobs.to_be_bytes());
        let (total, digest) = rest.split_at_mut(size_of::<u64>());
        total.copy_from_slice(&self.bytes.to_be_bytes());
        digest.copy_from_slice(self.digest.finalize().as_bytes());
        bytes
    }
}
