//! Limits of proposals.

/// Maximum number of open proposals on a canvas.
pub const MAX_PROPOSALS: usize = 32;

/// Maximum number of parts in a proposal.
pub const MAX_PARTS: usize = 512;

/// Maximum number of bytes of text in all proposals of a canvas.
pub const MAX_BYTES: usize = 4 << 20;

/// Maximum number of bytes in the reason of a part.
pub const MAX_REASON_BYTES: usize = 512;

/// Maximum number of bytes in the note of a rejection.
pub const MAX_NOTE_BYTES: usize = 256;
