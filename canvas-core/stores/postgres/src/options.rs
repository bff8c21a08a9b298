//! Options of a store: the schema, the pool's size, the deadline, and the kind of statements.

use std::fmt;
use std::time::Duration;

use canvas_core::BlobId;
use canvas_core::store::{StoreError, StoreOperation as Operation};

use super::error::{CallError, SCHEMA_NAME};

/// Options of a store. The defaults suit a host that connects to the database directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The schema that contains the tables, `canvas` by default. Any name of 1 to 63 bytes without NUL; the store quotes
    /// it.
    pub schema: String,
    /// Maximum connections of the pool that [`PostgresStore::connect`](super::PostgresStore::connect) builds, 8 by default
    /// and at least 1.
    pub connections: usize,
    /// How long a call waits for a connection, and again for each statement, 10 s by default. If a commit has been sent but
    /// has no answer by then, its fate is unknown. With `None`, a call waits for as long as the operating system does,
    /// which can be hours on a broken network.
    pub deadline: Option<Duration>,
    /// Whether statements are prepared under a name. [`Statements::Named`] by default.
    pub statements: Statements,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            schema: "canvas".to_owned(),
            connections: 8,
            deadline: Some(Duration::from_secs(10)),
            statements: Statements::Named,
        }
    }
}

/// The way in which statements are sent to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Statements {
    /// Prepared under a name, once per connection. This is the fastest way. Use it if each connection of the pool is one
    /// session of the server, or if the proxy tracks prepared statements.
    #[default]
    Named,
    /// Sent in full each time and without a name, still in one round trip. Use it behind a proxy in transaction mode, where
    /// the same name may refer to another client's statement.
    Unnamed,
}

/// A validated schema name.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Schema(String);

impl Schema {
    /// Maximum bytes of a name. The server would truncate longer ones.
    const BYTES: usize = 63;

    pub(super) fn new(name: &str) -> Result<Self, StoreError> {
        if name.is_empty() || name.len() > Self::BYTES || name.contains('\0') {
            return Err(CallError::unsent(Operation::Open, SCHEMA_NAME).error);
        }
        Ok(Self(name.to_owned()))
    }

    /// Returns the unquoted name, for use as a parameter.
    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// Returns the quoted name, for use inside a statement.
    pub(super) fn quoted(&self) -> String {
        format!("\"{}\"", self.0.replace('"', "\"\""))
    }

    /// Replaces `{schema}` in a template by the quoted name.
    pub(super) fn fill(&self, template: &str) -> String {
        template.replace("{schema}", &self.quoted())
    }

    /// Returns the channel of the schema's notifications. It contains a hash, because not every schema name is a valid
    /// channel.
    pub(super) fn channel(&self) -> String {
        format!("canvas_{}", &BlobId::of(self.0.as_bytes()).to_string()[..32])
    }

    /// Returns the number of an advisory lock. Such locks are identified by number, for the whole database.
    pub(super) fn lock(&self, what: &[u8]) -> i64 {
        let named = [&(self.0.len() as u64).to_be_bytes(), self.0.as_bytes(), what].concat();
        let hash = *BlobId::of(&named).as_bytes();
        i64::from_be_bytes(std::array::from_fn(|i| hash[i]))
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use canvas_core::CodedError as _;

    use super::*;

    #[test]
    fn names_are_checked_and_quoted() {
        let long = "é".repeat(31);
        for (name, quoted) in [
            ("canvas", "\"canvas\""),
            ("Two Words", "\"Two Words\""),
            ("a\"; drop schema b; --", "\"a\"\"; drop schema b; --\""),
            ("{schema}", "\"{schema}\""),
            (&long, &format!("\"{long}\"")),
        ] {
            let schema = Schema::new(name).expect("the name is fine");
            assert_eq!(schema.fill("x {schema}.y"), format!("x {quoted}.y"));
            assert!(schema.channel().len() < 64);
        }
        for name in ["", "a\0b", &"é".repeat(32), &"x".repeat(64)] {
            let error = Schema::new(name).expect_err("the name is not fine");
            assert_eq!(error.code(), "STORE_UNFIT", "{name:?}");
        }
    }

    #[test]
    fn schemas_have_channels_and_locks_of_their_own() {
        let [a, b] = ["a", "b"].map(|name| Schema::new(name).expect("the name is fine"));
        assert_ne!(a.channel(), b.channel());
        assert_ne!(a.lock(b"x"), b.lock(b"x"));
        assert_ne!(a.lock(b"x"), a.lock(b"y"));
        let ab = Schema::new("ab").expect("the name is fine");
        assert_ne!(ab.lock(b""), a.lock(b"b"));
    }
}
