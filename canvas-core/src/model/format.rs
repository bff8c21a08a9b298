//! The format of a head, and errors of unreadable heads.

use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::id::CanvasId;

/// The newest format that this library reads.
pub(crate) const FORMAT: u32 = 3;

/// The format number of a head. A head keeps the format of its first writer until it contains data that an older
/// library must not handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) enum Format {
    /// Each document is one blob.
    Whole,
    /// Documents may be lists of chunks, including those in the journal. A library without support for lists would drop
    /// the chunks.
    Chunked,
    /// Operations may be of named people, and older receipts are named by an index in place of the head. A library
    /// without support for this would run their calls again, and drop the names and the pages.
    Shared,
}

impl From<Format> for u32 {
    fn from(format: Format) -> Self {
        match format {
            Format::Whole => 1,
            Format::Chunked => 2,
            Format::Shared => 3,
        }
    }
}

impl TryFrom<u32> for Format {
    type Error = HeadError;

    fn try_from(format: u32) -> Result<Self, HeadError> {
        match format {
            1 => Ok(Self::Whole),
            2 => Ok(Self::Chunked),
            3 => Ok(Self::Shared),
            found => Err(HeadError::Format { found }),
        }
    }
}

/// The part that distinguishes a head of another format from arbitrary bytes.
#[derive(Deserialize)]
pub(crate) struct AnyFormat {
    pub(crate) format: u32,
}

/// Error returned if stored bytes are not a head.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeadError {
    /// A later version of this library wrote the head.
    #[error("the head has format {found}, this library reads up to {FORMAT}: update the library")]
    Format {
        /// The format number in the head.
        found: u32,
    },
    /// A later version of this library wrote the head, with a part that this version must not ignore.
    #[error("the head is of a later library, {what} (line {line}, column {column}): update the library")]
    Unknown {
        /// The finding, in the words of the JSON reader.
        what: String,
        /// The line of the finding, counted from 1.
        line: usize,
        /// The column of the finding, counted from 1.
        column: usize,
    },
    /// The bytes are not the JSON of a head.
    #[error("the head cannot be read, {what} (line {line}, column {column}): restore it from a backup")]
    Unreadable {
        /// The finding, in the words of the JSON reader.
        what: String,
        /// The line of the finding, counted from 1.
        line: usize,
        /// The column of the finding, counted from 1.
        column: usize,
    },
    /// Two parts of the head contradict each other. For example, a face, a sync point, the turn's start or the
    /// journal's last number exceeds the canvas's own revision or epoch.
    #[error("the head contradicts itself in {place}: restore it from a backup")]
    Inconsistent {
        /// The first inconsistent field, by its name in the JSON.
        place: &'static str,
    },
    /// The head belongs to another canvas.
    #[error("this is the head of canvas {found}: restore the right one from a backup")]
    Foreign {
        /// The canvas that the head names.
        found: CanvasId,
    },
}

impl CodedError for HeadError {
    fn code(&self) -> &'static str {
        match self {
            Self::Format { .. } | Self::Unknown { .. } => "HEAD_TOO_NEW",
            Self::Unreadable { .. } | Self::Inconsistent { .. } | Self::Foreign { .. } => "HEAD_DAMAGED",
        }
    }
}

impl HeadError {
    pub(crate) fn unreadable(e: &serde_json::Error) -> Self {
        // The reader's message ends with the place, which has its own fields here.
        let text = e.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what).to_owned();
        let (line, column) = (e.line(), e.column());
        // serde distinguishes these cases only by their words.
        if ["unknown field", "unknown variant"].iter().any(|words| what.starts_with(words)) {
            return Self::Unknown { what, line, column };
        }
        Self::Unreadable { what, line, column }
    }
}
