//! Collections while others write.

use std::sync::Arc;
use std::time::Duration;

use canvas_core::policy::HistoryLimits;
use canvas_core::store::{Store as _, Version};
use canvas_core::testing::block_on;
use canvas_core::{Blob, BlobId, Engine, Policy};
use canvas_store_object::ObjectCanvasStore;
use canvas_store_testing::collecting::{self, Work};
use canvas_store_testing::{canvas, collect, commit, done, dropped, erasing, system_now};
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};

use super::server::{Conditions, Names, Server};

/// Nothing is too young to go, so that each blob that is put again races its own collection.
#[test]
fn a_bucket_is_collected_while_others_write() {
    let server: Arc<dyn ObjectStore> = Arc::new(Server::new(Names::Hashed, Conditions::Kept));
    let connect =
        || block_on(ObjectCanvasStore::open(Arc::clone(&server), Path::from("p"), system_now)).unwrap();
    collecting::run(connect, |work: Work<'_>| block_on(work), Duration::ZERO, (3, 200));
}

#[test]
fn a_bucket_has_no_secret_that_was_erased() {
    let server = Arc::new(Server::new(Names::Hashed, Conditions::Kept));
    let objects = Arc::clone(&server) as Arc<dyn ObjectStore>;
    let store = block_on(ObjectCanvasStore::open(objects, Path::from("p"), system_now)).unwrap();
    let engine = Engine::new(
        store,
        Policy { history: HistoryLimits { entry_bytes: 200, ..Default::default() }, ..Policy::default() },
    );
    let (canvas, secret) = (canvas("c"), "s3cr3t-7a91");
    let found = || {
        block_on(async {
            let listed: Vec<_> = server.objects().list(None).try_collect().await.unwrap();
            let mut found = 0;
            for object in listed {
                let bytes = server.objects().get(&object.location).await.unwrap().bytes().await.unwrap();
                found += usize::from(String::from_utf8_lossy(&bytes).contains(secret));
            }
            found
        })
    };
    block_on(erasing::write(&engine, &canvas, secret));
    assert!(found() > 40);
    block_on(erasing::erase(&engine, &canvas));
    assert_eq!(found(), 0);
}

/// What was dropped is distinguished from what is put again, also where a dropped name is asked for: the last put counts.
#[test]
fn a_blob_that_is_put_again_has_a_place_of_its_own() {
    let (server, store) = super::served();
    let id = canvas("c");
    let with = |expected: Option<&Version>, text: &str| {
        let mut commit = commit("c", expected, text);
        commit.blobs.push(Blob::text("again\n".into()));
        done(block_on(store.commit(commit)))
    };
    let first = with(None, "one\n");
    let listed: Vec<_> = block_on(server.objects().list(Some(&Path::from("p/blobs"))).try_collect()).unwrap();
    with(Some(&first), "one\n");
    // A request to delete that was on its way all the time.
    for object in listed {
        block_on(server.objects().delete(&object.location)).unwrap();
    }
    for text in ["one\n", "again\n"] {
        assert!(block_on(store.blob(&id, BlobId::of(text.as_bytes()))).unwrap().is_some(), "{text:?}");
    }
}

/// Buckets of before 0.2.0 have a blob under its hash alone.
#[test]
fn blobs_of_the_first_layout_are_read_and_collected() {
    let (server, store) = super::served();
    let (id, old) = (canvas("c"), BlobId::of(b"old\n"));
    done(block_on(store.commit(commit("c", None, "one\n"))));
    let place = Path::from(format!("p/blobs/cc.blobs/{old}"));
    block_on(server.objects().put(&place, "old\n".into())).unwrap();
    assert!(block_on(store.blob(&id, old)).unwrap().is_some());
    assert_eq!(dropped(block_on(collect(&store, &id, &[old]))), 0);
    assert_eq!(dropped(block_on(collect(&store, &id, &[]))), 1);
    assert!(block_on(store.blob(&id, old)).unwrap().is_none());
}
