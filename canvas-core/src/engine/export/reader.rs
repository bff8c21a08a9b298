//! Reads an export from pieces of any size.

use super::error::{ExportFault, ImportError};
use super::record::{FORMAT, Kind, MAGIC, RecordHeader, Tally};
use crate::model::blob::{Blob, BlobId};

/// The largest head, which is some times more than a store takes.
const HEAD: u64 = 4 << 20;

/// Reads an export piece by piece. How the bytes are cut into pieces makes no difference.
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
    /// The part of the beginning, header or payload that arrived so far. It grows with the bytes that arrive, whatever
    /// length a header states.
    buffer: Vec<u8>,
    /// The number of bytes taken off the pieces so far.
    offset: u64,
    /// The offset of the current record.
    start: u64,
    /// The number of the current record, counted from 1; 0 before the first one.
    record: u64,
    last: Option<BlobId>,
    tally: Tally,
    limit: u64,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Beginning,
    Header,
    Payload(RecordHeader),
    Ended,
}

/// A whole record, whose payload has its hash.
#[derive(Debug)]
pub(super) enum Record {
    Head(Vec<u8>),
    Blob(Blob),
    End,
}

impl Reader {
    /// Creates a reader that accepts payloads of up to `limit` bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self {
            state: State::Beginning,
            buffer: Vec::new(),
            offset: 0,
            start: 0,
            record: 0,
            last: None,
            tally: Tally::new(),
            limit,
        }
    }

    /// The number of blobs so far, and their total length.
    pub(super) fn totals(&self) -> (u64, u64) {
        (self.tally.blobs, self.tally.bytes)
    }

    /// Takes bytes off the beginning of a piece, and returns the next record that is whole.
    pub(super) fn next(&mut self, piece: &mut &[u8]) -> Result<Option<Record>, ImportError> {
        loop {
            match self.state {
                State::Beginning => {
                    let is_whole = self.fill(piece, MAGIC.len() as u64);
                    self.check_beginning()?;
                    if !is_whole {
                        return Ok(None);
                    }
                    self.begin_record();
                }
                State::Header => {
                    if !self.fill(piece, RecordHeader::LEN as u64) {
                        return Ok(None);
                    }
                    let bytes = self.buffer.as_slice().try_into().expect("the buffer has this length");
                    let header = RecordHeader::read(bytes).ok_or_else(|| self.damaged(ExportFault::Kind))?;
                    self.check_header(&header)?;
                    self.buffer.clear();
                    self.state = State::Payload(header);
                }
                State::Payload(header) => {
                    if !self.fill(piece, header.length) {
                        return Ok(None);
                    }
                    return self.end_record(header).map(Some);
                }
                State::Ended if piece.is_empty() => return Ok(None),
                State::Ended => return Err(ImportError::TooLong { bytes: self.offset }),
            }
        }
    }

    /// Checks that the export is whole.
    pub(super) fn finish(&self) -> Result<(), ImportError> {
        match self.state {
            State::Ended => Ok(()),
            _ => Err(ImportError::Cut { bytes: self.offset, record: self.record }),
        }
    }

    /// Moves bytes into the buffer until it has this many. Returns whether it has.
    fn fill(&mut self, piece: &mut &[u8], length: u64) -> bool {
        let missing = length.saturating_sub(self.buffer.len() as u64);
        let take = usize::try_from(missing).map_or(piece.len(), |missing| missing.min(piece.len()));
        let (taken, rest) = piece.split_at(take);
        self.buffer.extend_from_slice(taken);
        (*piece, self.offset) = (rest, self.offset + take as u64);
        missing == take as u64
    }

    fn check_beginning(&self) -> Result<(), ImportError> {
        let (name, format) = self.buffer.split_at(self.buffer.len().min(MAGIC.len() - 1));
        if !MAGIC.starts_with(name) || format == [0] {
            return Err(self.damaged(ExportFault::Beginning));
        }
        match format {
            [found] if *found > FORMAT => Err(ImportError::TooNew { found: *found }),
            _ => Ok(()),
        }
    }

    fn begin_record(&mut self) {
        self.buffer.clear();
        (self.start, self.record) = (self.offset, self.record + 1);
        self.state = State::Header;
    }

    fn check_header(&self, header: &RecordHeader) -> Result<(), ImportError> {
        if (header.kind == Kind::Head) != (self.record == 1) {
            return Err(self.damaged(ExportFault::Order));
        }
        if header.kind == Kind::End && header.length != Tally::LEN as u64 {
            return Err(self.damaged(ExportFault::End));
        }
        let limit = if header.kind == Kind::Head { self.limit.min(HEAD) } else { self.limit };
        if header.length > limit {
            let (byte, record, bytes) = (self.start, self.record, header.length);
            return Err(ImportError::RecordTooLarge { byte, record, bytes, limit });
        }
        if header.kind == Kind::Blob && self.last.is_some_and(|last| last >= header.id) {
            return Err(self.damaged(ExportFault::Order));
        }
        Ok(())
    }

    fn end_record(&mut self, header: RecordHeader) -> Result<Record, ImportError> {
        let payload = std::mem::take(&mut self.buffer);
        let is_end = header.kind == Kind::End;
        let is_fit = |id| id == header.id;
        let record = match header.kind {
            Kind::Blob => Some(Blob::bytes(payload)).filter(|blob| is_fit(blob.id())).map(Record::Blob),
            Kind::Head => is_fit(BlobId::of(&payload)).then_some(Record::Head(payload)),
            Kind::End if is_fit(BlobId::of(&payload)) => {
                if payload != self.tally.end() {
                    return Err(self.damaged(ExportFault::End));
                }
                Some(Record::End)
            }
            Kind::End => None,
        };
        let record = record.ok_or_else(|| self.damaged(ExportFault::Hash))?;
        self.tally.add(&header);
        if header.kind == Kind::Blob {
            self.last = Some(header.id);
        }
        if is_end {
            self.state = State::Ended;
        } else {
            self.begin_record();
        }
        Ok(record)
    }

    fn damaged(&self, fault: ExportFault) -> ImportError {
        ImportError::Damaged { byte: self.start, record: self.record, fault }
    }
}
