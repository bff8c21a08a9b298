//! The reasons for refusing native calls, with advice.

use canvas_core::text::Reason;

/// The reason for refusing a native call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NativeReason {
    /// A reason that patches also have.
    Patch(Reason),
    /// The arguments do not fit the tool.
    InvalidArguments,
    /// The call names a path other than the document's.
    FileNotFound,
    /// The call creates a document that already exists.
    AlreadyExists,
    /// The call is an operation that documents do not support: a deletion, a move or an undo.
    UnsupportedOp,
    /// The call does not contain a change.
    Empty,
    /// A line number is beyond the end of the document.
    InvalidRange,
    /// A block marker is missing or misplaced.
    BadMarker,
}

impl NativeReason {
    /// Returns the stable code, such as `AMBIGUOUS`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Patch(reason) => reason.code(),
            Self::InvalidArguments => "INVALID_ARGUMENTS",
            Self::FileNotFound => "FILE_NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::UnsupportedOp => "UNSUPPORTED_OP",
            Self::Empty => "EMPTY",
            Self::InvalidRange => "INVALID_RANGE",
            Self::BadMarker => "BAD_MARKER",
        }
    }

    /// Returns one sentence on what the author of the call can do next. It applies to every dialect.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Patch(Reason::NotFound) => "copy the old text from the document, character by character",
            Self::Patch(Reason::Ambiguous) => {
                "add unchanged text around the old text until all of it occurs at one place only"
            }
            Self::Patch(Reason::NoAnchor) => "quote at least one unchanged line next to what you add",
            Self::Patch(Reason::BadLine) => {
                "Begin every line of the diff with a space (unchanged), - (removed) or + (added), lines of the document that \
                 begin with * too."
            }
            Self::Patch(Reason::BadHeader) => {
                "write one section, which begins with *** Update File: and the path of the document"
            }
            Self::Patch(Reason::UnexpectedText) => "send only the patch, without text before or after it",
            Self::Patch(Reason::Truncated) => "send all of it again, up to the newline of its last line",
            Self::Patch(Reason::Overlap) => "join the changes of the same lines into one",
            Self::Patch(Reason::NoEffect) => {
                "the document already reads like this: send only what changes it"
            }
            Self::Patch(Reason::NoHunks) | Self::Empty => "send the change",
            Self::Patch(reason) => reason.advice(),
            Self::InvalidArguments => "send the arguments as the tool's schema says",
            Self::FileNotFound => "send the call with the path of the document",
            Self::AlreadyExists => "edit the document instead of creating it",
            Self::UnsupportedOp => "only the text of the document can be changed: send an edit of it",
            Self::InvalidRange => "send a line number within the document",
            Self::BadMarker => {
                "Give each block one SEARCH marker, one separator and one REPLACE marker, and put a backslash before a line of \
                 the document that reads like one."
            }
        }
    }
}
