//! What a listener hears of commits by others.

use std::fs;

use canvas_core::store::BlockingStore as _;
use canvas_core::{CanvasId, CodedError as _};
use canvas_store_testing::{Folder, canvas, commit, done};

use super::process::{again, given, succeed};

#[test]
fn a_listener_hears_of_each_connection_once() {
    let folder = Folder::new();
    let (store, peer) = (folder.store(), folder.store());
    let mut listener = store.listener();
    let watched = ["a", "b"].map(canvas);
    let mut heard = || listener.poll(&watched).unwrap();
    assert_eq!(heard(), watched, "watched for the first time");
    assert_eq!(heard(), [] as [CanvasId; 0]);
    let first = done(peer.commit(commit("a", None, "one\n")));
    assert_eq!(heard(), [canvas("a")]);
    let second = done(peer.commit(commit("a", Some(&first), "two\n")));
    done(peer.commit(commit("a", Some(&second), "three\n")));
    done(store.commit(commit("b", None, "one\n")));
    assert_eq!(heard(), watched);
    done(peer.commit(commit("c", None, "nobody watches\n")));
    assert_eq!(heard(), [] as [CanvasId; 0]);
    let c = [canvas("c")];
    assert_eq!(listener.poll(&c).unwrap(), c);
}

#[test]
fn a_listener_hears_of_other_processes() {
    if let Some(file) = given() {
        let peer = canvas_store_sqlite::SqliteStore::open(file, || canvas_store_testing::NOW).unwrap();
        done(peer.commit(commit("c", None, "there\n")));
        return;
    }
    let folder = Folder::new();
    let (store, watched) = (folder.store(), [canvas("c")]);
    let mut listener = store.listener();
    listener.poll(&watched).unwrap();
    succeed(again("notifications::a_listener_hears_of_other_processes", &folder.file()));
    assert_eq!(listener.poll(&watched).unwrap(), watched);
}

#[test]
fn a_listener_that_has_failed_misses_nothing() {
    let folder = Folder::new();
    let (store, watched) = (folder.store(), [canvas("c")]);
    let mut listener = store.listener();
    let first = done(store.commit(commit("c", None, "one\n")));
    listener.poll(&watched).unwrap();
    done(store.commit(commit("c", Some(&first), "two\n")));
    let away = folder.path().join("away");
    fs::rename(folder.file(), &away).unwrap();
    let error = listener.poll(&watched).unwrap_err();
    assert_eq!(error.code(), "STORE_MOVED");
    assert!(error.to_string().starts_with("listen: "), "{error}");
    fs::rename(&away, folder.file()).unwrap();
    assert_eq!(listener.poll(&watched).unwrap(), watched);
    assert!(listener.poll(&watched).unwrap().is_empty());
}
