//! Parts that are not yet in contents.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Model,
    /// Results of calls, which belong to the user on the wire.
    Results,
}

#[derive(Debug)]
pub(super) struct Item {
    pub(super) role: Role,
    pub(super) part: Value,
    /// Index of the part's event in the history.
    pub(super) at: usize,
}
