//! Deletion of unneeded blobs, and rewriting of their packs.
//!
//! * A pack without live blobs is deleted. If more than half of a pack is dead, it is rewritten, so that its live blobs go
//!   into a new pack together with those of other packs. After a collection of a canvas, therefore, at most half of each
//!   pack is dead.
//! * A collection without a minimum age rewrites every pack that contains dead blobs, including those that died earlier.
//!   The transaction then rewrites the file, because pages may contain copies that belong to no row.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use super::blobs::{Pack, part, with_pack};
use super::error::CallError;
use super::row::wrong_type;
use super::transaction::Transaction;

/// The blobs of a canvas to keep.
pub(super) struct Keep<'a> {
    /// Hashes of the blobs in use.
    pub(super) needed: BTreeSet<&'a [u8]>,
    /// Blobs put after this time stay too. `None` if there is no minimum age.
    pub(super) newest: Option<i64>,
}

impl Keep<'_> {
    fn drops(&self, hash: &[u8], put: i64) -> bool {
        self.newest.is_none_or(|newest| put <= newest) && !self.needed.contains(hash)
    }
}

#[derive(Default)]
pub(super) struct Dropped {
    pub(super) blobs: u64,
    pub(super) bytes: u64,
}

/// Deletes all blobs of a canvas that `keep` does not retain.
pub(super) fn collect(
    transaction: &Transaction<'_>,
    canvas: i64,
    keep: &Keep<'_>,
) -> Result<Dropped, CallError> {
    let mut dropped = Dropped::default();
    drop_single(transaction, canvas, keep, &mut dropped)?;
    let mut rest = Pack::default();
    for (key, mut pack) in packs(transaction, canvas, keep)? {
        for (hash, length) in &pack.dead {
            transaction
                .prepare_cached("DELETE FROM packed WHERE canvas = ?1 AND hash = ?2")?
                .execute(params![canvas, hash])?;
            dropped.blobs += 1;
            dropped.bytes += u64::from(*length);
        }
        if !pack.live.is_empty() {
            let all: u32 = transaction
                .prepare_cached("SELECT coalesce((SELECT length(bytes) FROM pack WHERE key = ?1), 0)")?
                .query_row([key], |row| row.get(0))?;
            let live: u64 = pack.live.iter().map(|blob| u64::from(blob.length)).sum();
            let dead = u64::from(all).saturating_sub(live);
            let most = if keep.newest.is_some() { live } else { 0 };
            if dead <= most {
                continue;
            }
            pack.live.sort_unstable_by_key(|blob| blob.start);
            let mut parts = Vec::with_capacity(pack.live.len());
            with_pack(transaction, key, |bytes| {
                let copy = |blob: &Live| (blob.hash, part(bytes, blob.start, blob.length).to_vec(), blob.put);
                parts.extend(pack.live.iter().map(copy));
            })?;
            for (hash, bytes, put) in parts {
                if !rest.has_room(bytes.len()) {
                    std::mem::take(&mut rest).insert(transaction, canvas)?;
                }
                rest.push(hash, &bytes, put);
            }
        }
        transaction.prepare_cached("DELETE FROM pack WHERE key = ?1")?.execute([key])?;
    }
    rest.insert(transaction, canvas)?;
    Ok(dropped)
}

/// Deletes unneeded blobs that have a row of their own.
fn drop_single(
    transaction: &Transaction<'_>,
    canvas: i64,
    keep: &Keep<'_>,
    dropped: &mut Dropped,
) -> Result<(), CallError> {
    let mut unneeded: Vec<i64> = Vec::new();
    let mut select =
        transaction.prepare_cached("SELECT rowid, hash, put FROM blob WHERE canvas = ?1 AND put <= ?2")?;
    let mut rows = select.query(params![canvas, keep.newest.unwrap_or(i64::MAX)])?;
    while let Some(row) = rows.next()? {
        if keep.drops(row.get_ref(1)?.as_blob().map_err(wrong_type)?, row.get(2)?) {
            unneeded.push(row.get(0)?);
        }
    }
    // SQLite stores the length at the start of a row, so this does not read the content.
    let mut length = transaction.prepare_cached("SELECT length(bytes) FROM blob WHERE rowid = ?1")?;
    let mut delete = transaction.prepare_cached("DELETE FROM blob WHERE rowid = ?1")?;
    for row in unneeded {
        dropped.blobs += 1;
        dropped.bytes += length.query_row([row], |row| row.get::<_, i64>(0))?.unsigned_abs();
        delete.execute([row])?;
    }
    Ok(())
}

#[derive(Default)]
struct Blobs {
    live: Vec<Live>,
    /// Hash and length of the blobs to delete now.
    dead: Vec<([u8; 32], u32)>,
}

struct Live {
    hash: [u8; 32],
    start: u32,
    length: u32,
    put: i64,
}

/// Returns the packs with blobs to delete, oldest first; without a minimum age, all packs.
fn packs(
    transaction: &Transaction<'_>,
    canvas: i64,
    keep: &Keep<'_>,
) -> Result<BTreeMap<i64, Blobs>, CallError> {
    let mut packs: BTreeMap<i64, Blobs> = BTreeMap::new();
    let mut select =
        transaction.prepare_cached("SELECT hash, pack, start, length, put FROM packed WHERE canvas = ?1")?;
    let mut rows = select.query([canvas])?;
    while let Some(row) = rows.next()? {
        let pack = packs.entry(row.get(1)?).or_default();
        let (start, length, put) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let hash: [u8; 32] = row.get(0)?;
        if keep.drops(&hash, put) {
            pack.dead.push((hash, length));
        } else {
            pack.live.push(Live { hash, start, length, put });
        }
    }
    packs.retain(|_, pack| keep.newest.is_none() || !pack.dead.is_empty());
    Ok(packs)
}
