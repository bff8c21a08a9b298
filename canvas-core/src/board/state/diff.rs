//! A value before and after a change.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Diff<T> {
    pub(crate) before: T,
    pub(crate) after: T,
}

impl<T: Clone> Diff<T> {
    /// Returns `None` if both are equal.
    pub(super) fn of(before: &T, after: &T) -> Option<Self>
    where
        T: PartialEq,
    {
        (before != after).then(|| Self { before: before.clone(), after: after.clone() })
    }

    pub(crate) fn inverse(&self) -> Self {
        Self { before: self.after.clone(), after: self.before.clone() }
    }
}

pub(super) fn chained<T>(one: Option<Diff<T>>, two: Option<Diff<T>>) -> Option<Diff<T>> {
    match (one, two) {
        (Some(one), Some(two)) => Some(Diff { before: one.before, after: two.after }),
        (one, two) => one.or(two),
    }
}
