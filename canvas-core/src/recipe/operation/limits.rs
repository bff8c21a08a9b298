//! How much operations may be and do.

/// Operations of a list.
pub(super) const OPERATIONS: usize = 16;
/// Bytes that a run may copy into new rows.
pub(super) const COPIED_BYTES: usize = 16 << 20;
/// Keys of a sort.
pub(super) const SORT_KEYS: usize = 16;
/// Members of a new row.
pub(super) const MEMBERS: usize = 64;
/// Bytes of the name of one.
pub(super) const NAME_BYTES: usize = 512;
