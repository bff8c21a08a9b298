//! Kinds of commits that a flaw may affect.

use canvas_core::store::{Commit, Loaded};

/// The effect of a commit on its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitKind {
    First,
    Edit,
    Bump,
    Deletion,
    Revival,
}

impl CommitKind {
    #[cfg(test)]
    pub(super) const ALL: [Self; 5] = [Self::First, Self::Edit, Self::Bump, Self::Deletion, Self::Revival];

    pub(super) fn of(commit: &Commit, current: Option<&Loaded>) -> Self {
        match current {
            _ if commit.expected.is_none() => Self::First,
            Some(row) if row.head == commit.head => Self::Bump,
            _ if commit.head.is_deleted() => Self::Deletion,
            Some(row) if row.head.is_deleted() => Self::Revival,
            _ => Self::Edit,
        }
    }
}
