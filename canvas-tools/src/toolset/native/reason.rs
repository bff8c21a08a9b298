//! Why native calls are refused, and what to do then.

use canvas_core::text::Reason;

/// Why a native call was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NativeReason {
    /// As of a patch.
    Patch(Reason),
    /// The arguments are not those of the tool.
    InvalidArguments,
    /// The call names another file.
    FileNotFound,
    /// The call creates what is there already.
    AlreadyExists,
    /// The call does what no document allows: deletes, moves, or undoes.
    UnsupportedOp,
    /// The call has nothing in it.
    Empty,
    /// A line number beyond the document.
    InvalidRange,
    /// A marker of a block is missing, or stands where none belongs.
    BadMarker,
}

impl NativeReason {
    /// The stable code.
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

    /// One sentence: what the author of the call may do next. It holds for every form.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Patch(Reason::NotFound) => "Copy the old text from the document, character by character.",
            Self::Patch(Reason::Ambiguous) => {
                "Add unchanged text around the old text until all of it occurs at one place only."
            }
            Self::Patch(Reason::NoAnchor) => "Quote at least one unchanged line next to what you add.",
            Self::Patch(Reason::BadLine) => {
                "Begin every line of the diff with a space (unchanged), - (removed) or + (added), lines of the document that \
                 begin with * too."
            }
            Self::Patch(Reason::BadHeader) => {
                "Write one section, which begins with *** Update File: and the path of the document."
            }
            Self::Patch(Reason::UnexpectedText) => "Send only the patch, without text before or after it.",
            Self::Patch(Reason::Truncated) => "Send all of it again, up to the newline of its last line.",
            Self::Patch(Reason::Overlap) => "Join the changes of the same lines into one.",
            Self::Patch(Reason::NoEffect) => {
                "The document already reads like this: send only what changes it."
            }
            Self::Patch(Reason::NoHunks) | Self::Empty => "Send the change.",
            Self::Patch(reason) => reason.advice(),
            Self::InvalidArguments => "Send the arguments as the tool's schema says.",
            Self::FileNotFound => "Send the call with the path of the document.",
            Self::AlreadyExists => "Edit the document instead of creating it.",
            Self::UnsupportedOp => "Only the text of the document can be changed: send an edit of it.",
            Self::InvalidRange => "Send a line number within the document.",
            Self::BadMarker => {
                "Give each block one SEARCH marker, one separator and one REPLACE marker, and put a backslash before a line of \
                 the document that reads like one."
            }
        }
    }
}
