//! The three counters of a lock, which never fall.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::safe_integer::{self, SafeIntegerError};

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// On the wire it is a JSON number.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(#[serde(deserialize_with = "safe_integer::deserialize")] u64);

        impl $name {
            /// The lowest value, 0, which a new lock has.
            pub const ZERO: Self = Self(0);

            /// The highest value, 2^53 − 1. The counter stops here; it never starts over.
            pub const MAX: Self = Self(safe_integer::MAX);

            /// Creates the counter at `value`.
            ///
            /// # Errors
            ///
            /// An error if `value` exceeds [`Self::MAX`].
            pub const fn new(value: u64) -> Result<Self, SafeIntegerError> {
                if value > safe_integer::MAX { Err(SafeIntegerError { value }) } else { Ok(Self(value)) }
            }

            /// Returns the value as an integer, at most [`Self::MAX`].
            pub const fn get(self) -> u64 {
                self.0
            }

            /// Returns the counter one higher, or `None` at [`Self::MAX`].
            pub(crate) const fn next(self) -> Option<Self> {
                if self.0 < safe_integer::MAX { Some(Self(self.0 + 1)) } else { None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

counter! {
    /// The number of preemptions so far, whether or not a lease was held. A clock that falls back too far counts as a
    /// preemption. Every lease belongs to the epoch in which it was issued and ends with it.
    Epoch
}

counter! {
    /// A fencing token, which counts the leases issued so far. Each lease takes the next number, so a later
    /// lease has a higher fence and no fence is used twice.
    Fence
}

counter! {
    /// The number of user messages so far. A check-out names the turn it belongs to.
    Turn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_up_to_the_last_exact_integer() {
        let last = (1 << 53) - 1;
        assert_eq!(Epoch::default().get(), 0);
        assert_eq!(Epoch::new(last), Ok(Epoch::MAX));
        assert_eq!(Epoch::new(last + 1), Err(SafeIntegerError { value: last + 1 }));
        assert_eq!(Epoch::new(last - 1).unwrap().next(), Some(Epoch::MAX));
        assert_eq!(Epoch::MAX.next(), None);
    }

    #[test]
    fn is_a_json_number() {
        assert_eq!(serde_json::to_string(&Fence::MAX).unwrap(), "9007199254740991");
        assert_eq!(serde_json::from_str::<Fence>("7").unwrap(), Fence::new(7).unwrap());
        for refused in ["9007199254740992", "-1", "1.0", "\"1\"", "null"] {
            assert!(serde_json::from_str::<Fence>(refused).is_err(), "{refused}");
        }
    }
}
