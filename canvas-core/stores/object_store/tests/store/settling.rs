//! Engines on a server whose answers are lost: each call is done once and answered as what it was.

use std::sync::Arc;
use std::thread;

use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, Engine, Policy, Resolution};
use canvas_store_object::ObjectCanvasStore;
use canvas_store_testing::{NOW, canvas, edit, key};

use super::server::{Mishap, Request, Server, denied, generic, precondition};
use super::{open, served, state};

fn engine() -> (Arc<Server>, Engine<ObjectCanvasStore>) {
    let (server, store) = served();
    (server, Engine::new(store, Policy::default()))
}

/// The number in the version of a row.
fn number(engine: &Engine<ObjectCanvasStore>) -> u64 {
    let (version, _) = state(engine.store(), "c").unwrap();
    version.as_str().split(' ').next().unwrap().parse().unwrap()
}

/// What befalls the put of a head, whether the row already has the call afterwards, and how far its number moves.
/// Where it was not done, an empty bump comes between.
fn mishaps() -> [(&'static str, Mishap, bool, u64); 6] {
    [
        ("answer lost", Mishap::AnswerLost, true, 1),
        ("answer without a name", Mishap::Unnamed, true, 1),
        // The client has sent it again by itself, so the answer is a conflict with the commit's own row.
        ("sent twice", Mishap::Twice, true, 1),
        ("never arrived", Mishap::Refused(generic("the connection broke")), false, 2),
        ("refused", Mishap::Refused(denied()), false, 2),
        ("held up", Mishap::Refused(precondition()), false, 2),
    ]
}

#[test]
fn an_edit_whose_answer_is_lost_is_done_once() {
    for (name, mishap, replayed, moves) in mishaps() {
        let (server, engine) = engine();
        let id = canvas("c");
        block_on(engine.create(&id, "one\n", &key("create"), NOW)).unwrap();
        let before = (number(&engine), state(engine.store(), "c").unwrap().1.revision());
        server.expect(Request::Put, "/heads/", mishap);
        let answer = block_on(engine.call(&id, &key("edit"), edit("two\n"), NOW)).unwrap();
        assert_eq!((answer.result.is_ok(), answer.replayed), (true, replayed), "{name}");
        assert_eq!(number(&engine), before.0 + moves, "{name}");
        server.asked();
        let (_, head) = state(engine.store(), "c").unwrap();
        assert_eq!(head.revision().get(), before.1.get() + 1, "{name}");
        assert_eq!(block_on(engine.snapshot(&id, NOW)).unwrap().text(), "two\n", "{name}");
        // Again, at another server.
        let peer = Engine::new(engine.store().clone(), Policy::default());
        let again = block_on(peer.call(&id, &key("edit"), edit("two\n"), NOW)).unwrap();
        assert!(again.replayed && again.result == answer.result, "{name}: {again:?}");
        assert_eq!(number(&engine), before.0 + moves, "{name}");
    }
}

#[test]
fn a_creation_whose_answer_is_lost_makes_one_canvas() {
    for (name, mishap, replayed, _) in mishaps() {
        let (server, engine) = engine();
        let id = canvas("c");
        server.expect(Request::Put, "/heads/", mishap);
        let created = block_on(engine.create(&id, "one\n", &key("create"), NOW)).unwrap();
        assert_eq!((created.replayed, number(&engine)), (replayed, 1), "{name}");
        server.asked();
        // Another operation learns that it is there.
        let other = block_on(engine.create(&id, "two\n", &key("other"), NOW));
        assert_eq!(other.unwrap_err().code(), "CANVAS_EXISTS", "{name}");
        assert_eq!(block_on(engine.snapshot(&id, NOW)).unwrap().text(), "one\n", "{name}");
    }
}

/// A bump that is sent twice, after an edit that never arrived.
#[test]
fn a_bump_may_be_sent_twice() {
    let (server, engine) = engine();
    let id = canvas("c");
    block_on(engine.create(&id, "one\n", &key("create"), NOW)).unwrap();
    server.expect(Request::Put, "/heads/", Mishap::Refused(generic("the connection broke")));
    server.expect(Request::Put, "/heads/", Mishap::Twice);
    let answer = block_on(engine.call(&id, &key("edit"), edit("two\n"), NOW)).unwrap();
    assert!(answer.result.is_ok() && !answer.replayed);
    assert_eq!(number(&engine), 3);
    server.asked();
}

/// The network is down for longer than the engine looks. Whoever comes later finds out.
#[test]
fn a_commit_that_stays_in_doubt_is_settled_later() {
    for (mishap, is_done) in
        [(Mishap::AnswerLost, true), (Mishap::Refused(generic("the connection broke")), false)]
    {
        let (server, engine) = engine();
        let id = canvas("c");
        block_on(engine.create(&id, "one\n", &key("create"), NOW)).unwrap();
        server.expect(Request::Put, "/heads/", mishap);
        for _ in 0..4 {
            server.expect(Request::Get, "/heads/", Mishap::Refused(generic("the network is down")));
        }
        assert_eq!(
            block_on(engine.call(&id, &key("edit"), edit("two\n"), NOW)).unwrap_err().code(),
            "STORE_INDETERMINATE"
        );
        server.asked();
        let resolution = block_on(engine.resolve(&id, &key("edit"), NOW)).unwrap();
        assert_eq!(matches!(resolution, Resolution::Done(_)), is_done, "{resolution:?}");
        let text = if is_done { "two\n" } else { "one\n" };
        assert_eq!(block_on(engine.snapshot(&id, NOW)).unwrap().text(), text);
    }
}

/// On real threads, each with a store of its own.
#[test]
fn edits_of_many_servers_land_once_each() {
    const SERVERS: u64 = 4;
    const EDITS: u64 = 20;
    let (_, engine) = engine();
    let id = canvas("c");
    block_on(engine.create(&id, "start\n", &key("create"), NOW)).unwrap();
    let first = state(engine.store(), "c").unwrap().1.revision().get();
    thread::scope(|scope| {
        for server in 0..SERVERS {
            let store = open(Arc::clone(engine.store().objects()), "p").unwrap();
            scope.spawn(move || {
                let engine = Engine::new(store, Policy::default());
                for n in 0..EDITS {
                    let name = format!("{server} {n}\n");
                    let answer = block_on(engine.call(&canvas("c"), &key(&name), edit(&name), NOW)).unwrap();
                    assert!(answer.result.is_ok() && !answer.replayed);
                }
            });
        }
    });
    assert_eq!(state(engine.store(), "c").unwrap().1.revision().get(), first + SERVERS * EDITS);
    assert_eq!(number(&engine), 1 + SERVERS * EDITS);
}
