//! The network: one round trip a call, and what a broken one leaves behind.

use std::time::Duration;

use canvas_core::store::{Commit, Committed, Store as _, StoreErrorKind};
use canvas_core::{BlobId, CodedError as _, Engine, Policy};
use canvas_store_postgres::{PostgresOptions, PostgresStore, Statements};
use canvas_store_testing::{World, canvas, commit, conflict, definite, done, edit, head, indeterminate, key};

use super::row;
use super::wire::{Fate, Wire};

fn store_on(world: &World, wire: &Wire, statements: Statements) -> PostgresStore {
    world.store_with(|config, options| {
        *config = wire.config();
        options.statements = statements;
        options.connections = 1;
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_steady_call_is_one_round_trip() {
    for statements in [Statements::Named, Statements::Unnamed] {
        let world = World::new().await;
        let wire = Wire::to(&world.config());
        let (store, id) = (store_on(&world, &wire, statements), canvas("c"));
        let mut version = done(store.commit(commit(&id, None, "one\n")).await);
        // The first of each kind on a connection may prepare.
        for steady in [false, true] {
            let count = |what: &str| {
                let trips = wire.round_trips();
                assert!(trips == 1 || !steady, "{what} took {trips} round trips with {statements:?}");
            };
            count("nothing yet");
            version = done(store.commit(commit(&id, Some(&version), "two\n")).await);
            count("a commit");
            // A megabyte and a notification change nothing.
            let large =
                Commit { head: head(&id, "x", 1), ..commit(&id, Some(&version), &"x".repeat(1 << 20)) };
            version = done(store.commit(large).await);
            count("a large commit");
            conflict(
                store.commit(commit(&id, Some(&canvas_core::store::Version::new("1-1")), "three\n")).await,
            );
            count("a conflict");
            row(&store, &id).await;
            count("a load");
            store.blob(&id, BlobId::of(b"two\n")).await.expect("the store answers").expect("it is there");
            count("a blob");
            store.list(None, 10).await.expect("the store answers");
            count("a list");
            done(store.commit(commit(steady, None, "one\n")).await);
            count("a creation");
            row(&store, &id).await;
        }
    }
}

/// Nobody knows, and the answer says so; the connection is replaced.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_connection_leaves_the_fate_of_a_commit_unknown() {
    for statements in [Statements::Named, Statements::Unnamed] {
        for (fate, versions) in [(Fate::CutRequest, 1), (Fate::CutReply, 2)] {
            let world = World::new().await;
            let wire = Wire::to(&world.config());
            let (store, id) = (store_on(&world, &wire, statements), canvas("c"));
            let version = done(store.commit(commit(&id, None, "one\n")).await);
            // The statement of later commits is prepared.
            conflict(store.commit(commit(&id, Some(&canvas_core::store::Version::new("0")), "x\n")).await);
            wire.set(fate);
            let error = indeterminate(store.commit(commit(&id, Some(&version), "two\n")).await);
            assert_eq!(error.canvas, Some(id.clone()), "{fate:?}");
            assert_eq!(wire.fate(), Fate::Carry, "the wire was cut");
            world.until("SELECT version FROM {schema}.heads", versions).await;
            assert_eq!(world.state(&id).await, (versions, 0, versions), "head and blobs go together");
            row(&store, &id).await;
            // What reads has written nothing, whatever happened.
            for fate in [Fate::CutRequest, Fate::CutReply] {
                wire.set(fate);
                assert_eq!(definite(store.load(&id).await).kind, StoreErrorKind::Unavailable);
                row(&store, &id).await;
                wire.set(fate);
                assert_eq!(
                    definite(store.blob(&id, BlobId::of(b"")).await).kind,
                    StoreErrorKind::Unavailable
                );
                row(&store, &id).await;
                wire.set(fate);
                assert_eq!(definite(store.list(None, 1).await).kind, StoreErrorKind::Unavailable);
                row(&store, &id).await;
            }
        }
    }
}

/// Preparing a statement is not running it.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_before_the_commit_is_sent_is_definite() {
    let (world, id) = (World::new().await, canvas("c"));
    let wire = Wire::to(&world.config());
    let store = store_on(&world, &wire, Statements::Named);
    store.check().await.expect("the tables are there");
    for fate in [Fate::CutRequest, Fate::CutReply] {
        wire.set(fate);
        assert_eq!(
            definite(store.commit(commit(&id, None, "one\n")).await).kind,
            StoreErrorKind::Unavailable
        );
        // The new connection has to prepare again; its greeting must get through.
        store.check().await.expect("the tables are there");
    }
    done(store.commit(commit(&id, None, "one\n")).await);
}

/// The network swallows everything from now on, and no end hears of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_network_ends_at_the_deadline() {
    let (world, id) = (World::new().await, canvas("c"));
    let wire = Wire::to(&world.config());
    let store = world.store_with(|config, options| {
        *config = wire.config();
        options.connections = 1;
        options.deadline = Some(Duration::from_secs(600));
    });
    // On the same connection, with a deadline that passes within the test.
    let options = PostgresOptions { deadline: Some(Duration::from_millis(500)), ..world.options() };
    let hasty = PostgresStore::new(store.pool().clone(), &options).expect("the options are fine");
    while hasty.check().await.is_err() {}
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    // The connection has prepared the statement, so that nothing but its answer is waited for.
    conflict(store.commit(commit(&id, Some(&canvas_core::store::Version::new("0")), "x\n")).await);
    wire.set(Fate::SwallowReplies);
    let error = indeterminate(hasty.commit(commit(&id, Some(&version), "two\n")).await);
    assert!(error.message().contains("deadline"), "{}", error.message());
    // The greeting of a new connection is swallowed too.
    assert_eq!(definite(hasty.load(&id).await).kind, StoreErrorKind::Unavailable);
    wire.set(Fate::Carry);
    world.until("SELECT version FROM {schema}.heads", 2).await;
    let current = row(&store, &id).await;
    assert_eq!(current.head, head(&id, "two\n", 0), "it was written all the same");
}

/// The engine above settles what is unknown: the edit is made once, whether its request or its reply was lost.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_over_a_broken_connection_is_made_once() {
    for (fate, replayed) in [(Fate::CutRequest, false), (Fate::CutReply, true)] {
        let (world, id) = (World::new().await, canvas("c"));
        let wire = Wire::to(&world.config());
        let engine = Engine::new(store_on(&world, &wire, Statements::Named), Policy::default());
        let now = world.now().await;
        engine.create(&id, "one\n", &key("create"), now).await.expect("there is room");
        let first = engine.call(&id, &key("first"), edit("two\n"), now).await;
        first.expect("the store answers").result.expect("a user may edit");
        let before = world.state(&id).await.0;
        wire.set(fate);
        let answer =
            engine.call(&id, &key("second"), edit("three\n"), now).await.expect("the engine settles it");
        assert_eq!(wire.fate(), Fate::Carry, "the wire was cut");
        assert_eq!((answer.snapshot.text(), answer.replayed), ("three\n", replayed), "{fate:?}");
        assert!(answer.result.is_ok());
        let revision = answer.snapshot.head.revision().get();
        assert_eq!(revision, 3, "the creation and two edits");
        // A request that was lost costs one more version: the bump that keeps a late duplicate out.
        let bump = if replayed { 0 } else { 1 };
        assert_eq!(world.state(&id).await.0, before + 1 + bump);
        let again = engine.store().commit(commit(&id, None, "x\n")).await;
        assert!(matches!(again, Ok(Committed::Conflict(Some(_)))));
    }
}
