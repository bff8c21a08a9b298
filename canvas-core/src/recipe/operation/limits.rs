//! Limits of operations.

/// Maximum number of operations in a list.
pub(super) const OPERATIONS: usize = 16;
/// Maximum bytes that a run may copy into new rows.
pub(super) const COPIED_BYTES: usize = 16 << 20;
/// Maximum number of keys of a sort.
pub(super) const SORT_KEYS: usize = 16;
/// Maximum number of members of a new row.
pub(super) const MEMBERS: usize = 64;
/// Maximum bytes of a member's name.
pub(super) const NAME_BYTES: usize = 512;
