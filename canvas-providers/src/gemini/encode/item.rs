//! Parts on their way into contents.

use serde_json::Value;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Model,
    /// Results of calls; the user's on the wire.
    Results,
}

/// A part that is not yet in a content.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) role: Role,
    pub(super) part: Value,
    /// Index of its event in the history.
    pub(super) at: usize,
}
