//! The commit: one statement, and the meaning of its result.

use canvas_core::store::{
    Commit, Committed, Head, Loaded, StoreError, StoreErrorKind, StoreOperation as Operation,
};
use canvas_core::{Blob, BlobId, CanvasId};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::error::{CallError, UNEXPECTED, sqlstate};
use super::notification;
use super::row::{RowVersion, clock, column, loaded, only};
use super::session::Param;
use super::store::PostgresStore;

/// Maximum bytes of one statement. The server ends the session at messages of 1 GiB.
const STATEMENT_BYTES: usize = 1_000_000_000;

impl PostgresStore {
    /// Writes the row if it has the expected version, or creates it if no version is expected.
    pub(super) async fn swap_or_create(&self, commit: Commit) -> Result<Committed, StoreError> {
        let canvas = commit.head.canvas();
        let fault = |error: CallError| error.of(canvas).of_write();
        let ids: Vec<BlobId> = commit.blobs.iter().map(Blob::id).collect();
        let hashes = ids.iter().map(|id| id.as_bytes().as_slice()).collect();
        let writing = Writing::new(&commit, hashes).map_err(fault)?;
        let expected = commit.expected.as_ref().map(RowVersion::of);
        let swapped = match expected {
            Some(expected) => self.swap(&writing, expected).await,
            None => self.create(&writing).await,
        };
        let current = match (swapped, expected) {
            (Ok(Swapped::Done { version, clock: at }), _) => {
                return Ok(Committed::Done { version: version.name(), clock: clock(at) });
            }
            (Ok(Swapped::Late { clock: at }), _) => return Ok(Committed::Late { clock: clock(at) }),
            (Ok(Swapped::Conflict { version, head, document, clock }), _) => {
                let row = loaded(Operation::Commit, canvas, version, &head, clock)?;
                let document = document.map(Blob::bytes);
                return Ok(Committed::Conflict(Some(Loaded { document, ..row })));
            }
            (Ok(Swapped::NoRow), _) => return Ok(Committed::Conflict(None)),
            // The statement's snapshot may be older than the row that it lost to, so read the row by a second statement.
            (Ok(Swapped::NotMade { clock: at }), _) => {
                let late = commit.not_after.is_some_and(|limit| clock(at) >= limit);
                return match self.read(Operation::Commit, canvas).await? {
                    Some(row) => Ok(Committed::Conflict(Some(row))),
                    None if late => Ok(Committed::Late { clock: clock(at) }),
                    None => Err(fault(held_back())),
                };
            }
            (Err(error), _) => error,
        };
        // Under a stricter isolation level, which a pool of the host may have, a commit that waited for the row and lost
        // gets an error and is rolled back. If the row now has another version than expected, that is a conflict.
        if !current.unsure
            && sqlstate(&current.error) == Some("40001")
            && let Some(row) = self.read(Operation::Commit, canvas).await?
            && Some(RowVersion::of(&row.version)) != expected
        {
            return Ok(Committed::Conflict(Some(row)));
        }
        Err(fault(current))
    }

    /// Updates the row of an existing canvas. If the result makes no sense, the fate of the commit is unknown.
    async fn swap(&self, commit: &Writing<'_>, expected: RowVersion) -> Result<Swapped, CallError> {
        let operation = Operation::Commit;
        let payload =
            notification::payload(commit.canvas, commit.head.lock().epoch(), commit.head.revision());
        let params: [Param<'_>; 11] = [
            (&commit.canvas.as_str().as_bytes(), Type::BYTEA),
            (&expected.version, Type::INT8),
            (&expected.stamp, Type::INT8),
            (&commit.not_after, Type::INT8),
            (&commit.epoch, Type::INT8),
            (&commit.json, Type::BYTEA),
            (&commit.hashes, Type::BYTEA_ARRAY),
            (&commit.contents, Type::BYTEA_ARRAY),
            (&self.0.channel, Type::TEXT),
            (&payload, Type::TEXT),
            (&commit.document, Type::BYTEA),
        ];
        let rows = self.query(operation, &self.0.texts.commit, &params).await?;
        let row = only(operation, &rows)?;
        let clock = column(operation, row, "clock")?;
        let new = new_version(operation, row)?;
        match (column(operation, row, "outcome")?, new) {
            ("done", Some(version)) => Ok(Swapped::Done { version, clock }),
            ("late", None) => Ok(Swapped::Late { clock }),
            ("none", None) => Ok(Swapped::NoRow),
            ("conflict", None) => {
                let current: Vec<Option<&[u8]>> = column(operation, row, "current")?;
                let [Some(version), Some(stamp), Some(head), document] = current[..] else {
                    return Err(CallError::unsent(operation, UNEXPECTED));
                };
                let number = |bytes: &[u8]| bytes.try_into().map_or(0, i64::from_be_bytes);
                let (version, stamp) = (number(version), number(stamp));
                let (head, document) = (head.to_vec(), document.map(<[u8]>::to_vec));
                Ok(Swapped::Conflict { version: RowVersion { version, stamp }, head, document, clock })
            }
            ("done", None) => Err(held_back()),
            _ => Err(CallError::unanswered(operation, UNEXPECTED)),
        }
    }

    /// Inserts the row of a new canvas.
    async fn create(&self, commit: &Writing<'_>) -> Result<Swapped, CallError> {
        let operation = Operation::Commit;
        let lock = self.0.schema.lock(&[b"create ", commit.canvas.as_str().as_bytes()].concat());
        let params: [Param<'_>; 8] = [
            (&commit.canvas.as_str().as_bytes(), Type::BYTEA),
            (&lock, Type::INT8),
            (&commit.not_after, Type::INT8),
            (&commit.epoch, Type::INT8),
            (&commit.json, Type::BYTEA),
            (&commit.hashes, Type::BYTEA_ARRAY),
            (&commit.contents, Type::BYTEA_ARRAY),
            (&commit.document, Type::BYTEA),
        ];
        let rows = self.query(operation, &self.0.texts.create, &params).await?;
        let row = only(operation, &rows)?;
        let clock = column(operation, row, "clock")?;
        Ok(match new_version(operation, row)? {
            Some(version) => Swapped::Done { version, clock },
            None => Swapped::NotMade { clock },
        })
    }
}

/// A commit as parameters of a statement.
struct Writing<'a> {
    canvas: &'a CanvasId,
    head: &'a Head,
    json: Vec<u8>,
    epoch: i64,
    not_after: Option<i64>,
    document: Vec<u8>,
    hashes: Vec<&'a [u8]>,
    contents: Vec<&'a [u8]>,
}

impl<'a> Writing<'a> {
    fn new(commit: &'a Commit, hashes: Vec<&'a [u8]>) -> Result<Self, CallError> {
        let number = |value: u64| i64::try_from(value).expect("counters and times end at 2^53 - 1");
        let json = commit.head.to_json();
        let bytes =
            commit.blobs.iter().map(|blob| blob.as_bytes().len()).fold(json.len(), usize::saturating_add);
        if bytes > STATEMENT_BYTES {
            let message = format!("{bytes} bytes are more than one statement carries: store less at once");
            let error = StoreError::new(StoreErrorKind::TooLarge).with_message(message);
            return Err(error.with_context(Operation::Commit, None).into());
        }
        let contents = commit.blobs.iter().map(Blob::as_bytes).collect();
        Ok(Self {
            canvas: commit.head.canvas(),
            head: &commit.head,
            json,
            epoch: number(commit.head.lock().epoch().get()),
            not_after: commit.not_after.map(|limit| number(limit.as_millis())),
            document: commit.head.document().as_bytes().to_vec(),
            hashes,
            contents,
        })
    }
}

/// The server's verdict on a commit.
enum Swapped {
    Done {
        version: RowVersion,
        clock: i64,
    },
    Late {
        clock: i64,
    },
    /// A creation that inserted no row, because it lost to another one or is late.
    NotMade {
        clock: i64,
    },
    Conflict {
        version: RowVersion,
        head: Vec<u8>,
        document: Option<Vec<u8>>,
        clock: i64,
    },
    NoRow,
}

/// The error if no row was written although the condition holds. A rule, a trigger or a policy of the table prevents the
/// write. Blobs are written only together with the head.
fn held_back() -> CallError {
    CallError::unsent(Operation::Commit, UNEXPECTED)
}

fn new_version(operation: Operation, row: &Row) -> Result<Option<RowVersion>, CallError> {
    let version: Option<i64> = column(operation, row, "new_version")?;
    let stamp: Option<i64> = column(operation, row, "new_stamp")?;
    Ok(version.zip(stamp).map(|(version, stamp)| RowVersion { version, stamp }))
}
