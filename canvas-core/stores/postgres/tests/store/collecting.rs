//! Collections while others write.

use std::time::Duration;

use canvas_core::policy::HistoryLimits;
use canvas_core::store::Store as _;
use canvas_core::{BlobId, CodedError as _, Engine, Policy};
use canvas_store_testing::collecting::{self, Work};
use canvas_store_testing::{World, canvas, commit, done, erasing};

#[test]
fn tables_are_collected_while_others_write() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let world = runtime.block_on(World::new());
    let run = |work: Work<'_>| runtime.block_on(work);
    collecting::run(|| world.store(), run, Duration::from_nanos(1), (3, 150));
}

/// What SQL can see; of dead rows the server has a say until a VACUUM.
#[tokio::test(flavor = "multi_thread")]
async fn tables_have_no_secret_that_was_erased() {
    let (world, secret) = (World::new().await, "s3cr3t-7a91");
    let engine = Engine::new(
        world.store(),
        Policy { history: HistoryLimits { entry_bytes: 200, ..Default::default() }, ..Policy::default() },
    );
    let found = async || {
        let count = "SELECT (SELECT count(*) FROM {schema}.blobs WHERE position('s3cr3t-7a91'::bytea IN content) > 0) \
                     + (SELECT count(*) FROM {schema}.heads WHERE position('s3cr3t-7a91'::bytea IN head) > 0)";
        world.number(count).await
    };
    erasing::write(&engine, &canvas("c"), secret).await;
    assert!(found().await > 40);
    erasing::erase(&engine, &canvas("c")).await;
    assert_eq!(found().await, 0);
}

/// The first layout had no age.
#[tokio::test]
async fn tables_of_the_first_layout_are_migrated() {
    let (world, id) = (World::new().await, canvas("c"));
    done(world.store().commit(commit(&id, None, "one\n")).await);
    world.sql("ALTER TABLE {schema}.blobs DROP COLUMN put; UPDATE {schema}.layout SET version = 1").await;
    let store = world.store();
    let error = store.load(&id).await.expect_err("it is an earlier one");
    assert!(
        error.code() == "STORE_UNFIT" && error.to_string().contains("call PostgresStore::migrate"),
        "{error}"
    );
    for _ in 0..2 {
        store.migrate().await.expect("the server lets us change tables");
    }
    assert!(store.blob(&id, BlobId::of(b"one\n")).await.expect("the store answers").is_some());
    let version = store.load(&id).await.expect("the store answers").expect("the canvas is there").version;
    done(store.commit(commit(&id, Some(&version), "two\n")).await);
}
