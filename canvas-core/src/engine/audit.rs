//! The engine's reads of the records of executed actions.

use canvas_lease::Timestamp;

use super::history::reading;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::model::id::CanvasId;
use crate::store::contract::Store;
use crate::surface::NumberedRecord;
use crate::surface::audit::StoredRecord;

impl<S: Store> Engine<S> {
    /// Returns the records of actions that ended on a canvas, newest first. It returns at most `limit` records, and
    /// only those before the number `before`. The last [`SurfaceLimits::audit`](crate::surface::SurfaceLimits::audit)
    /// records are kept, even if their surface was deleted since. It takes as few round trips as [`Engine::history`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::history`].
    pub async fn audit(
        &self,
        canvas: &CanvasId,
        before: Option<u64>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<NumberedRecord>, EngineError> {
        reading!(self, "audit", canvas, now, walk => records(&mut walk, before, limit))
    }
}

async fn records<S: Store>(
    walk: &mut Walk<'_, S>,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<NumberedRecord>, EngineError> {
    let mut records = walk.records::<StoredRecord>();
    let newest = records.newest();
    let end = before.map_or(newest, |before| before.saturating_sub(1).min(newest));
    let start = end.saturating_sub(u64::try_from(limit).unwrap_or(u64::MAX)).saturating_add(1);
    let records = records.range(start..=end).await?;
    Ok(records.into_iter().map(|(_, record)| record.numbered()).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::engine::CollectOptions;
    use crate::model::blob::{Blob, BlobId};
    use crate::model::head::Head;
    use crate::model::id::{CallId, ConversationId};
    use crate::model::op_key::OpKey;
    use crate::store::contract::{Commit, Committed};
    use crate::store::error::StoreError;
    use crate::store::layer::Layer;
    use crate::store::memory::MemoryStore;
    use crate::surface::audit::AuditRecord;
    use crate::testing::block_on;
    use crate::transition::policy::Policy;

    /// Counts the requests for blobs, which are those for records and one for the document.
    struct Counted {
        store: MemoryStore,
        asked: AtomicUsize,
    }

    impl Layer for Counted {
        type Inner = MemoryStore;

        fn inner(&self) -> &MemoryStore {
            &self.store
        }

        async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Store::blob(&self.store, canvas, id).await
        }

        async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Store::blobs(&self.store, canvas, ids).await
        }
    }

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);

    fn record(number: u64) -> AuditRecord {
        serde_json::from_value(json!({
            "eventId": format!("event {number}"), "actor": {"clientId": "window"}, "actionId": "deploy", "tool": "Bash",
            "argsDigest": "0".repeat(64), "startedAt": number, "endedAt": number + 1, "outcome": "finished",
            "summary": "done",
        }))
        .unwrap()
    }

    fn key(call: &str) -> OpKey {
        let conversation = ConversationId::new("host").unwrap();
        OpKey::of(conversation, CallId::new(call).unwrap())
    }

    /// A canvas with `count` records, of which `kept` are kept.
    fn canvas_with(count: u64, kept: u64) -> (Engine<Counted>, CanvasId) {
        let mut policy = Policy { min_blob_age: Duration::ZERO, ..Policy::default() };
        policy.surface.audit = kept;
        let store = Counted { store: MemoryStore::new(|| NOW), asked: AtomicUsize::new(0) };
        let (engine, canvas) = (Engine::new(store, policy), CanvasId::new("c").unwrap());
        block_on(engine.create(&canvas, "", &key("create"), NOW)).unwrap();
        add(&engine, &canvas, 1..=count);
        (engine, canvas)
    }

    fn add(engine: &Engine<Counted>, canvas: &CanvasId, numbers: impl Iterator<Item = u64>) {
        let row = block_on(Store::load(engine.store(), canvas)).unwrap().unwrap();
        let mut head = Head::clone(&row.head);
        let blobs = numbers.map(|number| head.audit.record(record(number)).unwrap()).collect();
        let commit = Commit { expected: Some(row.version), head: Arc::new(head), blobs, not_after: None };
        let committed = block_on(Store::commit(engine.store(), commit)).unwrap();
        assert!(matches!(committed, Committed::Done { .. }));
        engine.forget(canvas);
    }

    fn numbers(engine: &Engine<Counted>, canvas: &CanvasId, before: Option<u64>, limit: usize) -> Vec<u64> {
        let records = block_on(engine.audit(canvas, before, limit, NOW)).unwrap();
        assert!(records.iter().all(|found| found.record == record(found.number)));
        records.into_iter().map(|record| record.number).collect()
    }

    #[test]
    fn records_are_paged_newest_first() {
        let (engine, canvas) = canvas_with(20, 10);
        for (before, limit, expected) in [
            (None, 3, vec![20, 19, 18]),
            (Some(18), 3, vec![17, 16, 15]),
            (Some(13), 9, vec![12, 11]),
            (Some(11), 9, vec![]),
            (Some(0), 9, vec![]),
            (Some(u64::MAX), 1, vec![20]),
            (None, 0, vec![]),
            (None, usize::MAX, (11..=20).rev().collect()),
        ] {
            assert_eq!(numbers(&engine, &canvas, before, limit), expected, "{limit} before {before:?}");
        }
    }

    #[test]
    fn records_are_found_in_few_round_trips() {
        let (engine, canvas) = canvas_with(5_000, 5_000);
        for (before, limit, most) in [(None, 100, 11), (Some(2_500), 100, 22), (None, 5_000, 22)] {
            engine.forget(&canvas);
            engine.store().asked.store(0, Ordering::Relaxed);
            assert_eq!(numbers(&engine, &canvas, before, limit).len(), limit);
            let asked = engine.store().asked.load(Ordering::Relaxed);
            assert!(asked <= most, "{asked} round trips for {limit} before {before:?}");
        }
    }

    #[test]
    fn a_collection_keeps_as_many_records_as_the_policy_says() {
        let (engine, canvas) = canvas_with(40, 10);
        let collection = CollectOptions { older_than: Duration::ZERO, ..CollectOptions::default() };
        let dropped = block_on(engine.collect(&canvas, collection));
        assert_eq!(dropped.unwrap().blobs, 30);
        assert_eq!(numbers(&engine, &canvas, None, 99), (31..=40).rev().collect::<Vec<_>>());
        add(&engine, &canvas, 41..=42);
        assert_eq!(numbers(&engine, &canvas, None, 99), (33..=42).rev().collect::<Vec<_>>());
        assert_eq!(block_on(engine.collect(&canvas, collection)).unwrap().blobs, 2);
    }

    #[test]
    fn records_outlive_a_deletion_but_no_erasure() {
        let (engine, canvas) = canvas_with(3, 10);
        block_on(engine.delete(&canvas, &key("delete"), NOW)).unwrap();
        block_on(engine.create(&canvas, "", &key("again"), NOW)).unwrap();
        assert_eq!(numbers(&engine, &canvas, None, 9), [3, 2, 1]);
        assert!(block_on(engine.erase(&canvas, &key("erase"), NOW)).unwrap().blobs >= 3);
        assert!(numbers(&engine, &canvas, None, 9).is_empty());
        add(&engine, &canvas, 4..=4);
        assert_eq!(numbers(&engine, &canvas, None, 9), [4]);
    }
}
