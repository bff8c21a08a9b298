//! What each error of the client means for each call.

use std::time::Duration;

use canvas_core::BlobId;
use canvas_core::store::{Commit, Committed, Store as _, Version};
use canvas_core::testing::block_on;
use canvas_store_object::ObjectCanvasStore;
use canvas_store_testing::{Clock, canvas, collect, commit, done, fault};
use object_store::Error;
use object_store::path::Path;

use super::server::{
    Conditions, MakeError, Mishap, Names, Request, Server, denied, generic, not_found, precondition,
};
use super::{served, state};

fn unauthenticated() -> Error {
    Error::Unauthenticated { path: "key".to_owned(), source: "401".into() }
}

fn exists() -> Error {
    Error::AlreadyExists { path: "key".to_owned(), source: "409".into() }
}

fn not_modified() -> Error {
    Error::NotModified { path: "key".to_owned(), source: "304".into() }
}

fn unsupported() -> Error {
    Error::NotSupported { source: "no".into() }
}

fn not_implemented() -> Error {
    Error::NotImplemented { operation: "put".to_owned(), implementer: "Server".to_owned() }
}

fn invalid() -> Error {
    Error::from(Path::parse("a//b").unwrap_err())
}

fn broken() -> Error {
    generic("the connection broke")
}

const IN_DOUBT: &str = "STORE_INDETERMINATE";

/// Nothing was done in any of these, but the client may have sent the put before.
#[test]
fn errors_of_the_heads_put() {
    let cases: [(MakeError, &str); 9] = [
        (broken, IN_DOUBT),
        (denied, IN_DOUBT),
        (unauthenticated, IN_DOUBT),
        // The row is as it should be, so another put is on its way.
        (precondition, IN_DOUBT),
        (exists, IN_DOUBT),
        (not_modified, IN_DOUBT),
        (unsupported, "STORE_UNFIT"),
        (not_implemented, "STORE_UNFIT"),
        (invalid, "STORE_DAMAGED"),
    ];
    for (error, code) in cases {
        let (server, store) = served();
        for expected in [None, Some(())] {
            let expected = expected.map(|()| done(block_on(store.commit(commit("c\0", None, "one\n")))));
            server.expect(Request::Put, "/heads/", Mishap::Refused(error()));
            let next = commit("c\0", expected.as_ref(), "two\n");
            let (found, text) = fault(block_on(store.commit(next.clone())));
            assert_eq!(found, code, "{text}");
            assert!(text.starts_with("commit of canvas \"c\\0\": "), "{text}");
            assert_eq!(state(&store, "c\0").map(|(version, _)| version), expected);
            if expected.is_some() {
                done(block_on(store.commit(next)));
            }
        }
        server.asked();
    }
}

/// For a row that is to be made there is nothing that could be missing but the bucket.
#[test]
fn a_heads_put_that_finds_nothing() {
    let (server, store) = served();
    server.expect(Request::Put, "/heads/", Mishap::Refused(not_found()));
    let (code, _) = fault(block_on(store.commit(commit("c", None, "one\n"))));
    assert_eq!(code, IN_DOUBT);
    // Real servers say so for a row that was never there.
    let version = Version::new("1 \"x\"");
    for error in [not_found, precondition] {
        server.expect(Request::Put, "/heads/", Mishap::Refused(error()));
        let lost = block_on(store.commit(commit("c", Some(&version), "one\n"))).unwrap();
        assert!(matches!(lost, Committed::Conflict(None)), "{lost:?}");
    }
    server.asked();
}

#[test]
fn a_version_of_another_store_is_no_rows_version() {
    let (server, store) = served();
    let version = done(block_on(store.commit(commit("c", None, "one\n"))));
    server.asked();
    for other in ["", "1", "x y", "0 \"x\"", "01 \"x\""] {
        let other = Version::new(other);
        let lost = block_on(store.commit(commit("c", Some(&other), "two\n"))).unwrap();
        assert!(matches!(&lost, Committed::Conflict(Some(row)) if row.version == version), "{lost:?}");
        let lost = block_on(store.commit(commit("d", Some(&other), "two\n"))).unwrap();
        assert!(matches!(lost, Committed::Conflict(None)), "{lost:?}");
    }
    // Nothing was sent but reads.
    assert!(server.asked().iter().all(|(request, _)| *request == Request::Get));
}

/// Before the head is sent nothing is written that anybody could see.
#[test]
fn errors_of_blobs_puts_are_definite() {
    let errors: [MakeError; 4] = [broken, denied, not_found, exists];
    for (error, code) in errors.iter().zip(["UNAVAILABLE", "DENIED", "UNFIT", "BUSY"]) {
        let (server, store) = served();
        for mishap in [Mishap::Refused(error()), Mishap::AnswerLost] {
            let lost = matches!(mishap, Mishap::AnswerLost);
            server.expect(Request::Put, "/blobs/", mishap);
            let (found, text) = fault(block_on(store.commit(commit("c", None, "one\n"))));
            let code = if lost { "UNAVAILABLE" } else { code };
            assert_eq!(found, format!("STORE_{code}"), "{text}");
            let put = server.asked().into_iter().filter(|(request, _)| *request == Request::Put);
            assert!(put.into_iter().all(|(_, key)| key.as_ref().contains("/blobs/")));
            assert_eq!(state(&store, "c"), None);
        }
        done(block_on(store.commit(commit("c", None, "one\n"))));
    }
}

#[test]
fn errors_of_other_calls() {
    let (server, store) = served();
    done(block_on(store.commit(commit("c", None, "one\n"))));
    let id = canvas("c");
    let gone = BlobId::of(b"gone\n");
    server.asked();
    let errors: [MakeError; 3] = [broken, denied, unsupported];
    for (error, expected) in errors.into_iter().zip(["STORE_UNAVAILABLE", "STORE_DENIED", "STORE_UNFIT"]) {
        let expect = |request, key| server.expect(request, key, Mishap::Refused(error()));
        expect(Request::Get, "/heads/");
        let (found, text) = fault(block_on(store.load(&id)));
        assert_eq!((found, text.starts_with("load of canvas \"c\": ")), (expected, true));
        expect(Request::List, "/blobs/");
        let (found, text) = fault(block_on(store.blob(&id, gone)));
        assert_eq!((found, text.starts_with("blob of canvas \"c\": ")), (expected, true));
        expect(Request::Get, "/blobs/");
        let (found, text) = fault(block_on(store.blob(&id, gone)));
        assert_eq!((found, text.starts_with("blob of canvas \"c\": ")), (expected, true));
        expect(Request::List, "/heads");
        let (found, text) = fault(block_on(store.list(None, 1)));
        assert_eq!((found, text.starts_with("list: ")), (expected, true));
        expect(Request::List, "/blobs/");
        let (found, text) = fault(block_on(collect(&store, &id, &[])));
        assert_eq!((found, text.starts_with("collect of canvas \"c\": ")), (expected, true));
        // Some may be gone by then.
        expect(Request::Delete, "");
        let (found, _) = fault(block_on(collect(&store, &id, &[])));
        assert_eq!(found, IN_DOUBT);
    }
    // Of GCS: what is to go is not there.
    server.expect(Request::Delete, "", Mishap::Refused(not_found()));
    block_on(collect(&store, &id, &[])).unwrap();
    server.asked();
}

/// The condition did not hold, and what does cannot be read: the commit may be the very one that is there.
#[test]
fn a_conflict_that_cannot_be_read_is_in_doubt() {
    let (server, store) = served();
    done(block_on(store.commit(commit("c", None, "one\n"))));
    server.expect(Request::Get, "/heads/", Mishap::Refused(denied()));
    let (code, _) = fault(block_on(store.commit(commit("c", None, "two\n"))));
    assert_eq!(code, IN_DOUBT);
}

/// It claims nothing, but it does not send what is late by its own clock.
#[test]
fn a_commit_that_is_late_before_it_is_sent_is_not_sent() {
    let clock = Clock::default();
    clock.advance(Duration::from_secs(1));
    let server = std::sync::Arc::new(Server::new(Names::Hashed, Conditions::Kept));
    let (objects, time) = (std::sync::Arc::clone(&server), clock.clone());
    let store = block_on(ObjectCanvasStore::open(objects, Path::ROOT, move || time.now())).unwrap();
    assert!(!store.capabilities().not_after && !store.capabilities().notify);
    let limit = clock.now();
    let late = |name, expected| Commit { not_after: Some(limit), ..commit(name, expected, "late\n") };
    let version = done(block_on(store.commit(commit("c", None, "one\n"))));
    let answer = block_on(store.commit(late("c", Some(&version)))).unwrap();
    assert!(matches!(answer, Committed::Late { clock } if clock == limit), "{answer:?}");
    let answer = block_on(store.commit(late("d", None))).unwrap();
    assert!(matches!(answer, Committed::Late { .. }), "{answer:?}");
    // The version is compared first.
    let answer = block_on(store.commit(late("c", None))).unwrap();
    assert!(matches!(&answer, Committed::Conflict(Some(row)) if row.version == version), "{answer:?}");
    assert_eq!((state(&store, "c").unwrap().0, state(&store, "d")), (version.clone(), None));
    let in_time = Some(limit.saturating_add(Duration::from_millis(1)));
    done(block_on(store.commit(Commit { not_after: in_time, ..commit("c", Some(&version), "in time\n") })));
}
