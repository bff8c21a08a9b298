//! The suite that every store passes: a test for each promise.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use canvas_core::testing::block_on;
use canvas_store_object::ObjectCanvasStore;
use canvas_store_testing::conformance::{Check, CheckOutcome, Harness, Restore, mutants, run};
use canvas_store_testing::{Clock, skipped};
use futures_util::TryStreamExt as _;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};

use super::server::{Conditions, Names, Server};

/// One bucket, in which each store has a prefix of its own.
struct Bucket {
    clock: Clock,
    objects: Arc<dyn ObjectStore>,
    prefixes: AtomicU32,
}

impl Bucket {
    fn new(objects: impl ObjectStore) -> Self {
        Self { clock: Clock::default(), objects: Arc::new(objects), prefixes: AtomicU32::new(0) }
    }

    fn served(names: Names) -> Self {
        Self::new(Server::new(names, Conditions::Kept))
    }

    async fn open(&self, prefix: Path) -> ObjectCanvasStore {
        let clock = self.clock.clone();
        let objects = Arc::clone(&self.objects);
        ObjectCanvasStore::open(objects, prefix, move || clock.now()).await.unwrap()
    }
}

impl Harness for Bucket {
    type Store = ObjectCanvasStore;

    async fn fresh(&self) -> ObjectCanvasStore {
        let number = self.prefixes.fetch_add(1, Ordering::Relaxed);
        // As text one begins another, `p/1` and `p/10`.
        self.open(Path::from(format!("p/{number}"))).await
    }

    async fn peer(&self, store: &ObjectCanvasStore) -> ObjectCanvasStore {
        self.open(store.prefix().clone()).await
    }

    async fn advance(&self, by: Duration) {
        self.clock.advance(by);
        // The server has a clock of its own, by which blobs grow old.
        std::thread::sleep(by);
    }

    /// Object by object, as tools copy buckets.
    async fn back_up<'a>(&'a self, store: &'a ObjectCanvasStore) -> Option<Restore<'a>> {
        let list =
            || async { self.objects.list(Some(store.prefix())).try_collect::<Vec<_>>().await.unwrap() };
        let mut kept = Vec::new();
        for object in list().await {
            let bytes = self.objects.get(&object.location).await.unwrap().bytes().await.unwrap();
            kept.push((object.location, bytes));
        }
        Some(Box::pin(async move {
            for object in list().await {
                self.objects.delete(&object.location).await.unwrap();
            }
            for (location, bytes) in kept {
                self.objects.put(&location, bytes.into()).await.unwrap();
            }
        }))
    }
}

mod checks {
    use super::{Bucket, Names};

    canvas_store_testing::conformance_tests!(Bucket::served(Names::Hashed));
}

/// What the store does not claim, and what cannot be tried because commits never wait.
const SKIPPED: [Check; 7] = [
    Check::LearnsAfterTheWait,
    Check::NotAfter,
    Check::AtTheLimit,
    Check::LateWritesNothing,
    Check::LateAndWrong,
    Check::JudgedAfterTheWait,
    Check::NotifiesPeers,
];

/// On each kind of server. In memory nothing waits at all, so that no commit can be abandoned half way.
#[test]
fn all_in_one_report() {
    let buckets = [
        ("in memory", Bucket::new(InMemory::new()), &[Check::Abandoned][..]),
        ("ETags that count", Bucket::served(Names::Counted), &[]),
        ("ETags that are hashes", Bucket::served(Names::Hashed), &[]),
        ("generations", Bucket::served(Names::Generations), &[]),
    ];
    for (kind, bucket, more) in buckets {
        let mut checks = skipped(&format!("object store, {kind}"), &block_on(run(&bucket)));
        checks.retain(|check| !more.contains(check));
        assert_eq!(checks, SKIPPED, "{kind}");
    }
}

/// Through this harness the suite sees every flaw that it knows, but those of what the store does not claim.
#[test]
fn no_mutant_survives() {
    let survivors = block_on(mutants::survivors(&Bucket::served(Names::Hashed)));
    for (flaw, kept) in survivors {
        assert!(
            matches!(kept, CheckOutcome::Skipped(_)),
            "the suite does not see that a store {}",
            flaw.text()
        );
        assert!(SKIPPED.contains(&flaw.killed_by()), "{}", flaw.text());
    }
}
