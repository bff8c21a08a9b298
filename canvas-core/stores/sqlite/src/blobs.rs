//! Storage of blobs.
//!
//! * The small blobs of one commit share one row of `pack`, and each has a narrow row in `packed` with its position. A
//!   commit with more than [`PACK_BYTES`] writes several packs. A blob larger than [`SMALL`] has a row of its own in
//!   `blob`, and so do all blobs that were written in an earlier format.
//! * Each blob is stored once. If it is put again, it keeps its place and gets a new time. If its stored bytes are damaged,
//!   it gets a new place.

use std::collections::{BTreeMap, BTreeSet};

use canvas_core::{Blob, BlobId};
use rusqlite::{OptionalExtension as _, params};

use super::error::CallError;
use super::row::wrong_type;
use super::transaction::Transaction;

/// Maximum bytes of a blob in a pack. Reading any blob of a pack also reads the others.
const SMALL: usize = 64 << 10;

/// Maximum bytes of a pack, and therefore the most that a read of one blob has to load.
pub(super) const PACK_BYTES: usize = 256 << 10;

/// Puts the blobs of a commit. `now` is in milliseconds.
pub(super) fn put(
    transaction: &Transaction<'_>,
    canvas: i64,
    blobs: &[Blob],
    now: i64,
) -> Result<(), CallError> {
    let (mut pack, mut seen) = (Pack::default(), BTreeSet::new());
    for blob in blobs {
        let bytes = blob.as_bytes();
        if !seen.insert(blob.id()) || put_again(transaction, canvas, blob, now)? {
            continue;
        }
        if bytes.len() > SMALL {
            transaction
                .prepare_cached("INSERT INTO blob (canvas, hash, bytes, put) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![canvas, blob.id().as_bytes(), bytes, now])?;
            continue;
        }
        if !pack.has_room(bytes.len()) {
            std::mem::take(&mut pack).insert(transaction, canvas)?;
        }
        pack.push(*blob.id().as_bytes(), bytes, now);
    }
    pack.insert(transaction, canvas)
}

/// Renews the time of an existing blob. Returns false if the blob is missing or its stored bytes are damaged.
fn put_again(transaction: &Transaction<'_>, canvas: i64, blob: &Blob, now: i64) -> Result<bool, CallError> {
    let (hash, bytes) = (blob.id(), blob.as_bytes());
    let hash = hash.as_bytes();
    if bytes.len() <= SMALL {
        let found: Option<(i64, Option<bool>)> = transaction
            .prepare_cached(
                "SELECT pack, (SELECT substr(bytes, start + 1, length) = ?3 FROM pack WHERE key = pack) \
                 FROM packed WHERE canvas = ?1 AND hash = ?2",
            )?
            .query_row(params![canvas, hash, bytes], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match found {
            Some((_, Some(true))) => {
                transaction
                    .prepare_cached("UPDATE packed SET put = ?3 WHERE canvas = ?1 AND hash = ?2")?
                    .execute(params![canvas, hash, now])?;
                return Ok(true);
            }
            Some((pack, _)) => {
                transaction
                    .prepare_cached("DELETE FROM packed WHERE canvas = ?1 AND hash = ?2")?
                    .execute(params![canvas, hash])?;
                // A collection finds packs by their blobs.
                transaction
                    .prepare_cached(
                        "DELETE FROM pack WHERE key = ?2 \
                         AND NOT EXISTS (SELECT 1 FROM packed WHERE canvas = ?1 AND pack = ?2)",
                    )?
                    .execute(params![canvas, pack])?;
            }
            None => {}
        }
    }
    // SQLite writes only the pages that differ. This also heals a damaged blob.
    let updated = transaction
        .prepare_cached("UPDATE blob SET bytes = ?3, put = ?4 WHERE canvas = ?1 AND hash = ?2")?
        .execute(params![canvas, hash, bytes, now])?;
    Ok(updated > 0)
}

/// A pack under construction.
#[derive(Default)]
pub(super) struct Pack {
    bytes: Vec<u8>,
    blobs: Vec<Packed>,
}

struct Packed {
    hash: [u8; 32],
    start: usize,
    length: usize,
    put: i64,
}

impl Pack {
    /// Whether a blob of this length fits. An empty pack accepts any length.
    pub(super) fn has_room(&self, length: usize) -> bool {
        self.blobs.is_empty() || self.bytes.len() + length <= PACK_BYTES
    }

    pub(super) fn push(&mut self, hash: [u8; 32], bytes: &[u8], put: i64) {
        self.blobs.push(Packed { hash, start: self.bytes.len(), length: bytes.len(), put });
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes the pack and the positions of its blobs. A blob that was in another pack is no longer found there.
    pub(super) fn insert(mut self, transaction: &Transaction<'_>, canvas: i64) -> Result<(), CallError> {
        if self.blobs.is_empty() {
            return Ok(());
        }
        transaction
            .prepare_cached("INSERT INTO pack (canvas, bytes) VALUES (?1, ?2)")?
            .execute(params![canvas, self.bytes])?;
        let pack = transaction.last_insert_rowid();
        // In hash order, neighbouring index rows are inserted one after the other.
        self.blobs.sort_unstable_by_key(|blob| blob.hash);
        let mut insert = transaction.prepare_cached(
            "INSERT INTO packed (canvas, hash, pack, start, length, put) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT DO UPDATE SET pack = excluded.pack, start = excluded.start, length = excluded.length",
        )?;
        for Packed { hash, start, length, put } in &self.blobs {
            insert.execute(params![canvas, hash, pack, *start as i64, *length as i64, put])?;
        }
        Ok(())
    }
}

/// Reads blobs of a canvas. Reads each pack only once, even if several of its blobs are requested.
pub(super) fn get(
    transaction: &Transaction<'_>,
    canvas: i64,
    ids: &[BlobId],
) -> Result<BTreeMap<BlobId, Blob>, CallError> {
    let mut found = BTreeMap::new();
    let mut packs: BTreeMap<i64, Vec<(BlobId, u32, u32)>> = BTreeMap::new();
    let mut place = transaction
        .prepare_cached("SELECT pack, start, length FROM packed WHERE canvas = ?1 AND hash = ?2")?;
    let mut single = transaction.prepare_cached("SELECT bytes FROM blob WHERE canvas = ?1 AND hash = ?2")?;
    for id in ids {
        let place = place
            .query_row(params![canvas, id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        if let Some((pack, start, length)) = place {
            packs.entry(pack).or_default().push((*id, start, length));
        } else if let Some(bytes) =
            single.query_row(params![canvas, id.as_bytes()], |row| row.get(0)).optional()?
        {
            found.insert(*id, Blob::bytes(bytes));
        }
    }
    for (pack, blobs) in packs {
        with_pack(transaction, pack, |bytes| {
            for (id, start, length) in blobs {
                found.insert(id, Blob::bytes(part(bytes, start, length).to_vec()));
            }
        })?;
    }
    Ok(found)
}

/// Calls `look` with the bytes of a pack, or not at all if the pack is missing.
pub(super) fn with_pack(
    transaction: &Transaction<'_>,
    pack: i64,
    look: impl FnOnce(&[u8]),
) -> Result<(), CallError> {
    let mut select = transaction.prepare_cached("SELECT bytes FROM pack WHERE key = ?1")?;
    let mut rows = select.query([pack])?;
    if let Some(row) = rows.next()? {
        look(row.get_ref(0)?.as_blob().map_err(wrong_type)?);
    }
    Ok(())
}

/// Returns a part of a pack, or the rest if the pack is too short. The reader notices the damage by the hash.
pub(super) fn part(bytes: &[u8], start: u32, length: u32) -> &[u8] {
    let (start, length) = (start as usize, length as usize);
    let end = start.saturating_add(length).min(bytes.len());
    bytes.get(start..end).unwrap_or_default()
}
