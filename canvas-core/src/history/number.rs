//! Numbers of entries and of changes.

use std::fmt;

use canvas_lease::safe_integer;
use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(#[serde(deserialize_with = "safe_integer::deserialize")] u64);

        impl $name {
            /// Creates a number, whether or not an entry with it exists.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// Returns the number as an integer.
            pub const fn get(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// Numbers the entries of a canvas's journal in the order in which they were made, counted from 1.
    EntryNumber
}

number! {
    /// Names a change permanently, by the number of the entry that first made it. Undo and redo keep this number.
    ChangeNumber
}

impl From<ChangeNumber> for EntryNumber {
    fn from(change: ChangeNumber) -> Self {
        Self(change.0)
    }
}
