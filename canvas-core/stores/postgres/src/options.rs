//! What a host chooses: the schema, the pool's size, the deadline, the kind of statements.

use std::fmt;
use std::time::Duration;

use canvas_core::BlobId;
use canvas_core::store::{StoreError, StoreOperation as Operation};

use super::error::{CallError, SCHEMA_NAME};

/// What a host chooses. The default fits a server that speaks to the database directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The schema that keeps the tables, `canvas` by default. Any name of 1 to 63 bytes without NUL; it is quoted.
    pub schema: String,
    /// Connections of the pool that [`PostgresStore::connect`](super::PostgresStore::connect) makes, 8 by default,
    /// at least 1.
    pub connections: usize,
    /// How long a call waits for a connection, and again for each statement, 10 s by default. A commit that has been
    /// sent and not answered by then is of unknown fate. With `None` a call waits for as long as the system does,
    /// which on a broken network can be hours.
    pub deadline: Option<Duration>,
    /// How statements reach the server.
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

/// How statements reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Statements {
    /// Prepared once a connection, under a name. The fastest. Right where a connection of the pool is one session of
    /// the server, or where a proxy tracks prepared statements.
    #[default]
    Named,
    /// Sent whole each time, without a name; still one round trip. Right behind a proxy in transaction mode: there
    /// the same name may stand for another client's statement.
    Unnamed,
}

/// A schema's name, checked.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Schema(String);

impl Schema {
    /// Bytes of the longest name; the server would cut longer ones off.
    const BYTES: usize = 63;

    pub(super) fn new(name: &str) -> Result<Self, StoreError> {
        if name.is_empty() || name.len() > Self::BYTES || name.contains('\0') {
            return Err(CallError::unsent(Operation::Open, SCHEMA_NAME).error);
        }
        Ok(Self(name.to_owned()))
    }

    /// The name itself, for a parameter.
    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// The name inside a statement.
    pub(super) fn quoted(&self) -> String {
        format!("\"{}\"", self.0.replace('"', "\"\""))
    }

    /// The statement of a template, which says `{schema}` where the name goes.
    pub(super) fn fill(&self, template: &str) -> String {
        template.replace("{schema}", &self.quoted())
    }

    /// The channel of the schema's notifications. Schemas may have names that a channel cannot, so it has their hash.
    pub(super) fn channel(&self) -> String {
        format!("canvas_{}", &BlobId::of(self.0.as_bytes()).to_string()[..32])
    }

    /// A number for a lock of the server: locks are by number, for the whole database.
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
