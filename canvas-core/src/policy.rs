//! What a host decides once.

use canvas_patch::Limits;

/// Durations and sizes of a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// How long leases live.
    pub lease: canvas_lease::Policy,
    /// Sizes of patches.
    pub patch: Limits,
    /// Bytes of a document. Default 16 MiB.
    pub document_bytes: usize,
    /// Calls that one lease may make; their receipts are never dropped while it lives. Default 512.
    pub calls_per_lease: usize,
    /// Receipts that are kept besides those of the live lease. Default 128.
    pub receipts: usize,
    /// Conversations that a canvas follows. Default 256.
    pub conversations: usize,
    /// Bytes of a diff that a refusal carries. Default 32 KiB.
    pub refusal_diff_bytes: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            lease: canvas_lease::Policy::default(),
            patch: Limits::default(),
            document_bytes: 16 << 20,
            calls_per_lease: 512,
            receipts: 128,
            conversations: 256,
            refusal_diff_bytes: 32 << 10,
        }
    }
}
