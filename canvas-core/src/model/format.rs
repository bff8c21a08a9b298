//! The format of a head, and why stored bytes are none.

use serde::{Deserialize, Serialize};

use crate::model::id::CanvasId;

/// The newest format that is read.
pub(crate) const FORMAT: u32 = 2;

/// The format number. A head keeps that of its first writer until it has what an older library must not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) enum Format {
    /// Each document is one blob.
    Whole,
    /// Documents may be lists of chunks, also in the journal. A library that does not know that would drop the chunks.
    Chunked,
}

impl From<Format> for u32 {
    fn from(format: Format) -> Self {
        match format {
            Format::Whole => 1,
            Format::Chunked => 2,
        }
    }
}

impl TryFrom<u32> for Format {
    type Error = HeadError;

    fn try_from(format: u32) -> Result<Self, HeadError> {
        match format {
            1 => Ok(Self::Whole),
            2 => Ok(Self::Chunked),
            found => Err(HeadError::Format { found }),
        }
    }
}

/// What tells a head of another format from bytes that are none.
#[derive(Deserialize)]
pub(crate) struct AnyFormat {
    pub(crate) format: u32,
}

/// Why stored bytes are no head.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    /// A later version of this library wrote it.
    #[error("the head has format {found}, this library reads up to {FORMAT}: update the library")]
    Format {
        /// The format that it says.
        found: u32,
    },
    /// A later version of this library wrote it, with something that this one must not leave alone.
    #[error(
        "the head has what this library does not know, {what} (line {line}, column {column}): update the library"
    )]
    Unknown {
        /// What was found, in the reader's words.
        what: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// It is not the JSON of a head.
    #[error("the head cannot be read, {what} (line {line}, column {column}): restore it from a backup")]
    Unreadable {
        /// What was found, in the reader's words.
        what: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A face, a sync point, the turn's start or the journal's last number lies beyond the canvas's own revision or epoch.
    #[error("the head contradicts itself in {place}: restore it from a backup")]
    Inconsistent {
        /// The field.
        place: &'static str,
    },
    /// It belongs to another canvas.
    #[error("this is the head of canvas {found}: restore the right one from a backup")]
    Foreign {
        /// That canvas.
        found: CanvasId,
    },
}

canvas_patch::coded_error!(HeadError {
    Self::Format { .. } | Self::Unknown { .. } => "HEAD_TOO_NEW";
    Self::Unreadable { .. } | Self::Inconsistent { .. } | Self::Foreign { .. } => "HEAD_DAMAGED";
});

impl HeadError {
    pub(crate) fn unreadable(e: &serde_json::Error) -> Self {
        // The reader's text ends with the place, which has its own fields here.
        let text = e.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what).to_owned();
        let (line, column) = (e.line(), e.column());
        // serde tells these apart by their words alone.
        if ["unknown field", "unknown variant"].iter().any(|words| what.starts_with(words)) {
            return Self::Unknown { what, line, column };
        }
        Self::Unreadable { what, line, column }
    }
}
