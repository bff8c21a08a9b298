//! Content that the store never wrote.

use canvas_core::lease::Timestamp;
use canvas_core::store::{Collected, Commit, Store as _};
use canvas_core::testing::block_on;
use canvas_core::{Blob, BlobId, CodedError as _, Engine, Policy};
use canvas_store_testing::{canvas, collect, commit, done, dropped, edit, fault, key};
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore as _, ObjectStoreExt as _};

use super::{served, state};

#[test]
fn a_row_that_cannot_be_read_is_a_fault_that_says_why() {
    let (server, store) = served();
    let version = done(block_on(store.commit(commit("c", None, "one\n"))));
    let (id, place) = (canvas("c"), Path::from("p/heads/cc.head"));
    let good = block_on(async { server.objects().get(&place).await.unwrap().bytes().await.unwrap() });
    let text = String::from_utf8(good.to_vec()).unwrap();
    let newer_head = text.replacen("\"format\":1", "\"format\":9", 1);
    let foreign = text.replacen("\"canvas\":\"c\"", "\"canvas\":\"d\"", 1);
    let newer = text.replacen("canvas-row 1 ", "canvas-row 2 ", 1);
    let json = text.split_once('\n').unwrap().1.to_owned();
    let cases = [
        (String::new(), "STORE_DAMAGED"),
        (json, "STORE_DAMAGED"),
        (newer, "STORE_TOO_NEW"),
        ("canvas-row 1 1\n".to_owned(), "HEAD_DAMAGED"),
        (text[..text.len() / 2].to_owned(), "HEAD_DAMAGED"),
        (foreign, "HEAD_DAMAGED"),
        (newer_head, "HEAD_TOO_NEW"),
    ];
    for (bytes, expected) in cases {
        assert_ne!(bytes, text, "{expected}");
        block_on(server.objects().put(&place, bytes.into())).unwrap();
        let (code, said_of_load) = fault(block_on(store.load(&id)));
        assert_eq!(code, expected, "{said_of_load}");
        // The conflict would carry it. Had the client done the put before, the row would be a good one.
        let (code, _) = fault(block_on(store.commit(commit("c", None, "two\n"))));
        assert_eq!(code, expected);
        // Which blobs it needs, nobody can tell.
        assert_eq!(fault(block_on(collect(&store, &id, &[]))).0, expected);
        assert!(block_on(store.blob(&id, BlobId::of(b"one\n"))).unwrap().is_some());
        // The list does not look inside.
        assert_eq!(block_on(store.list(None, 10)).unwrap(), [canvas("c")]);
        block_on(server.objects().put(&place, good.clone().into())).unwrap();
        assert_eq!(state(&store, "c").unwrap().0, version);
    }
}

#[test]
fn a_blob_that_is_not_what_it_was_is_noticed_and_can_be_put_again() {
    let (server, store) = served();
    let (id, now) = (canvas("c"), Timestamp::from_millis(0));
    done(block_on(store.commit(commit("c", None, "one\n"))));
    let blobs = Path::from("p/blobs/cc.blobs");
    for (n, found) in [Some(BlobId::of(b"other")), None].into_iter().enumerate() {
        let puts: Vec<_> = block_on(server.objects().list(Some(&blobs)).try_collect()).unwrap();
        // The last one counts, and where it is gone the one before.
        assert_eq!(puts.len(), n + 1);
        for ObjectMeta { location: place, .. } in &puts {
            match found {
                Some(_) => drop(block_on(server.objects().put(place, "other".into())).unwrap()),
                None => block_on(server.objects().delete(place)).unwrap(),
            }
        }
        let read = block_on(store.blob(&id, BlobId::of(b"one\n"))).unwrap();
        assert_eq!(read.map(|blob| blob.id()), found);
        let engine = Engine::new(store.clone(), Policy::default());
        let edited = block_on(engine.call(&id, &key("edit"), edit("two\n"), now));
        assert_eq!(block_on(engine.snapshot(&id, now)).unwrap_err().code(), "CANVAS_DAMAGED");
        assert_eq!(edited.unwrap_err().code(), "CANVAS_DAMAGED");
        let current = state(&store, "c").unwrap().0;
        assert!(current.as_str().starts_with(&format!("{} ", n + 1)));
        done(block_on(store.commit(commit("c", Some(&current), "one\n"))));
        assert_eq!(block_on(engine.snapshot(&id, now)).unwrap().text(), "one\n");
    }
}

/// What the head needs stays, and another canvas's blob of the same content too.
#[test]
fn only_blobs_that_nobody_needs_are_dropped() {
    let (_, store) = served();
    let id = canvas("c");
    let old = Blob::text("old\n".into());
    for name in ["c", "d"] {
        let first = commit(name, None, "one\n");
        done(block_on(store.commit(Commit { blobs: vec![first.blobs[0].clone(), old.clone()], ..first })));
    }
    assert_eq!(block_on(collect(&store, &canvas("nobody"), &[])).unwrap(), Collected::Conflict);
    for gone in [1, 0] {
        assert_eq!(dropped(block_on(collect(&store, &id, &[BlobId::of(b"never there")]))), gone);
        let there = |name, id| block_on(store.blob(&canvas(name), id)).unwrap().is_some();
        assert_eq!((there("c", old.id()), there("c", BlobId::of(b"one\n"))), (false, true));
        assert_eq!((there("d", old.id()), there("d", BlobId::of(b"one\n"))), (true, true));
    }
}
