//! Which servers the store refuses.

use std::sync::Arc;

use canvas_core::CodedError as _;
use canvas_core::store::{Store as _, StoreOperation};
use canvas_core::testing::block_on;
use canvas_store_testing::{canvas, commit, done};
use futures_util::{FutureExt as _, StreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};

use super::server::{
    Conditions, MakeError, Mishap, Names, Request, Server, denied, generic, not_found, precondition,
};
use super::{open, state};

/// The keys in a bucket.
fn keys(objects: &InMemory) -> Vec<String> {
    let listed = objects.list(None).map(|meta| meta.unwrap().location.to_string()).collect();
    listed.now_or_never().unwrap()
}

#[test]
fn servers_that_do_not_keep_conditions_are_refused() {
    let cases = [
        (Names::Counted, Conditions::CreateIgnored, "If-None-Match"),
        (Names::Counted, Conditions::UpdateIgnored, "If-None-Match"),
        (Names::Counted, Conditions::Ignored, "If-None-Match"),
        (Names::Counted, Conditions::CreateUnknown, "If-None-Match"),
        (Names::Counted, Conditions::UpdateUnknown, "If-None-Match"),
        (Names::Counted, Conditions::RefusedAndDone, "If-None-Match"),
        (Names::Generations, Conditions::UpdateIgnored, "If-None-Match"),
        (Names::Hashed, Conditions::UpdateIgnored, "If-None-Match"),
        (Names::Missing, Conditions::Kept, "one ETag"),
        (Names::Repacked, Conditions::Kept, "one ETag"),
    ];
    for (names, conditions, message) in cases {
        let server = Arc::new(Server::new(names, conditions));
        let error = open(Arc::clone(&server) as _, "p").unwrap_err();
        assert_eq!(error.code(), "STORE_UNFIT", "{names:?}, {conditions:?}");
        assert!(error.to_string().contains(message), "{names:?}, {conditions:?}: {error}");
        let unknown = matches!(conditions, Conditions::CreateUnknown | Conditions::UpdateUnknown);
        assert_eq!(error.source.is_some(), unknown, "{names:?}, {conditions:?}");
        assert!(error.to_string().starts_with("open: "), "{error}");
        assert_eq!(keys(server.objects()), [""; 0]);
    }
}

#[test]
fn servers_that_keep_conditions_are_taken_and_left_clean() {
    for names in [Names::Counted, Names::Hashed, Names::Generations] {
        let server = Arc::new(Server::new(names, Conditions::Kept));
        let store = open(Arc::clone(&server) as _, "p").unwrap();
        assert_eq!(keys(server.objects()), [""; 0]);
        done(block_on(store.commit(commit("c", None, "one\n"))));
    }
}

/// An error of each request of the probe. The store can be opened afterwards, whatever was left behind.
#[test]
fn errors_while_a_store_is_opened_are_reported() {
    let cases: [(Request, MakeError, &str); 6] = [
        (Request::Put, denied, "STORE_DENIED"),
        (Request::Put, || generic("the network is down"), "STORE_UNAVAILABLE"),
        (Request::Put, not_found, "STORE_UNFIT"),
        (Request::Put, precondition, "STORE_BUSY"),
        (Request::Get, denied, "STORE_DENIED"),
        (Request::Get, || generic("the network is down"), "STORE_UNAVAILABLE"),
    ];
    for (request, error, code) in cases {
        let server = Arc::new(Server::new(Names::Hashed, Conditions::Kept));
        server.expect(request, "probes", Mishap::Refused(error()));
        let error = open(Arc::clone(&server) as _, "p").unwrap_err();
        assert_eq!((error.code(), error.operation), (code, Some(StoreOperation::Open)));
        assert!(error.source.is_some());
        server.asked();
        open(Arc::clone(&server) as _, "p").unwrap();
    }
    // Who may not delete can write all the same.
    let server = Arc::new(Server::new(Names::Hashed, Conditions::Kept));
    server.expect(Request::Delete, "", Mishap::Refused(denied()));
    open(Arc::clone(&server) as _, "p").unwrap();
    assert_eq!(server.asked().len(), 6);
    assert_eq!(keys(server.objects()).len(), 1);
}

#[test]
fn prefixes_are_apart() {
    let objects: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let prefixes = ["", "p", "p/q", "pp", "heads", "p/heads", &"x".repeat(120)];
    let stores = prefixes.map(|prefix| open(Arc::clone(&objects), prefix).unwrap());
    for (prefix, store) in prefixes.iter().zip(&stores) {
        assert_eq!(store.prefix(), &Path::from(*prefix));
        assert_eq!(state(store, "c"), None, "{prefix:?}");
        done(block_on(store.commit(commit("c", None, &format!("at {prefix:?}\n")))));
        done(block_on(store.commit(commit(format!("in {prefix:?}"), None, "x\n"))));
    }
    for (prefix, store) in prefixes.iter().zip(&stores) {
        // The prefix of the whole bucket has the heads of another below its own.
        let listed = block_on(store.list(None, usize::MAX));
        if prefixes.iter().any(|other| Path::from(*other) == Path::from(*prefix).join("heads")) {
            assert!(listed.is_err());
        } else {
            let ids: Vec<_> = listed.unwrap().iter().map(|id| id.as_str().to_owned()).collect();
            assert_eq!(ids, ["c".to_owned(), format!("in {prefix:?}")]);
        }
        let text = format!("at {prefix:?}\n");
        let (_, head) = state(store, "c").unwrap();
        let document = block_on(store.blob(&canvas("c"), head.document())).unwrap();
        assert_eq!(document.unwrap().as_text(), Some(text.as_str()));
    }
    for long in ["x".repeat(121), "x/".repeat(100)] {
        let error = open(Arc::clone(&objects), &long).unwrap_err();
        assert_eq!(error.code(), "STORE_UNFIT", "{error}");
    }
}

/// A store is no more than what it was opened on: another one goes on where it has stopped.
#[test]
fn what_was_committed_is_there_when_it_is_opened_again() {
    let objects: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let first = done(block_on(open(Arc::clone(&objects), "p").unwrap().commit(commit("c", None, "one\n"))));
    let again = open(Arc::clone(&objects), "p").unwrap();
    assert_eq!(state(&again, "c").unwrap().0, first);
    let second = done(block_on(again.commit(commit("c", Some(&first), "two\n"))));
    assert_eq!(state(&open(objects, "p").unwrap(), "c").unwrap().0, second);
    assert!(second.as_str().starts_with("2 "), "{second:?}");
    assert_eq!(format!("{again:?}"), "ObjectCanvasStore(\"p\" of InMemory)");
    let head = block_on(again.objects().head(&Path::from("p/heads/cc.head"))).unwrap();
    assert!(head.size > 0);
}
