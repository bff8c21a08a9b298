//! The pool: more callers than connections, callers that go away, connections that are gone.

use std::time::Duration;

use canvas_core::CodedError as _;
use canvas_core::store::{Committed, Store as _, StoreErrorKind, Version};
use canvas_store_postgres::{PostgresOptions, PostgresStore, sqlstate};
use canvas_store_testing::{World, canvas, commit, conflict, definite, done, indeterminate};
use deadpool_postgres::{Manager, Pool};
use tokio_postgres::NoTls;

use super::row;

/// A deadline that no call of a test comes near.
const PATIENCE: Duration = Duration::from_secs(600);

/// A store on the pool of another one, which waits for its own time.
fn with_deadline(world: &World, pool: &Pool, deadline: Duration) -> PostgresStore {
    let options = PostgresOptions { deadline: Some(deadline), ..world.options() };
    PostgresStore::new(pool.clone(), &options).expect("the options are fine")
}

#[tokio::test(flavor = "multi_thread")]
async fn more_callers_than_connections_take_turns() {
    let world = World::new().await;
    let store = world.store_with(|_, options| options.connections = 2);
    take_turns(std::slice::from_ref(&store), 20).await;
    assert_eq!(world.number("SELECT sum(version)::bigint FROM {schema}.heads").await, 40);
    assert!(store.pool().status().size <= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_without_a_connection_has_written_nothing() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store_with(|_, options| {
        options.connections = 1;
        options.deadline = Some(PATIENCE);
    });
    let hasty = with_deadline(&world, store.pool(), Duration::from_millis(300));
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    let taken = store.pool().get().await.expect("it is free");
    let error = definite(hasty.commit(commit(&id, Some(&version), "two\n")).await);
    assert_eq!(error.kind, StoreErrorKind::Unavailable);
    drop(taken);
    done(store.commit(commit(&id, Some(&version), "two\n")).await);
    let nowhere =
        world.store_with(|config, _| *config = "host=/nowhere user=nobody".parse().expect("it reads"));
    assert_eq!(definite(nowhere.commit(commit(&id, None, "x\n")).await).kind, StoreErrorKind::Unavailable);
    store.pool().close();
    assert_eq!(definite(store.load(&id).await).kind, StoreErrorKind::Unavailable);
}

/// A statement goes on after its caller has gone; the next call must not wait behind it.
#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_holds_nobody_up() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store_with(|_, options| options.connections = 1);
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    let blocker = world.block(&id).await;
    tokio::select! {
        biased;
        committed = store.commit(commit(&id, Some(&version), "two\n")) => panic!("it gave {committed:?}"),
        () = world.waiting(1) => {}
    }
    // The only connection is gone with the caller, and another one takes its place.
    assert_eq!(store.pool().status().size, 0);
    assert_eq!(row(&store, &id).await.version, version);
    drop(blocker);
}

/// The server's own timeout comes first: rolled back, and said so.
#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_waits_too_long_is_ended_by_the_server() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store_with(|_, options| options.deadline = Some(PATIENCE));
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    let shown = store.pool().get().await.expect("it is free").query_one("SHOW statement_timeout", &[]).await;
    assert_eq!(shown.expect("the server answers").get::<_, &str>(0), "9min", "its deadline is 10 minutes");
    // A session with a timeout that passes within a test, long before its caller's deadline.
    let config = world.config().options("-c statement_timeout=500").clone();
    let pool = Pool::builder(Manager::new(config, NoTls)).max_size(1).build().expect("the pool is fine");
    let ended = with_deadline(&world, &pool, PATIENCE);
    let blocker = world.block(&id).await;
    let two = || commit(&id, Some(&version), "two\n");
    let error = definite(ended.commit(two()).await);
    assert_eq!((error.code(), sqlstate(&error)), ("STORE_BUSY", Some("57014")));
    drop(blocker);
    done(store.commit(two()).await);
}

/// Without it the deadline passes while the statement waits: its fate is unknown, and it is indeed written later.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_deadline_cuts_off_may_still_be_written() {
    let (world, id) = (World::new().await, canvas("c"));
    let pool =
        Pool::builder(Manager::new(world.config(), NoTls)).max_size(1).build().expect("the pool is fine");
    let store = with_deadline(&world, &pool, PATIENCE);
    let hasty = with_deadline(&world, &pool, Duration::from_millis(500));
    while hasty.check().await.is_err() {}
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    // The connection has prepared the statement, so that nothing but its answer is waited for.
    conflict(store.commit(commit(&id, Some(&Version::new("0")), "x\n")).await);
    let blocker = world.block(&id).await;
    let error = indeterminate(hasty.commit(commit(&id, Some(&version), "two\n")).await);
    assert_eq!(error.canvas, Some(id.clone()));
    assert_eq!(store.pool().status().size, 0, "the connection is thrown away");
    assert_eq!(row(&store, &id).await.version, version, "the next call does not wait");
    drop(blocker);
    world.until("SELECT version FROM {schema}.heads", 2).await;
}

/// A restart of the server, as its clients see it.
#[tokio::test(flavor = "multi_thread")]
async fn ended_sessions_are_replaced() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store_with(|_, options| options.connections = 1);
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    // Idle: the pool finds out by itself, or the first call does.
    world.terminate().await;
    loop {
        match store.load(&id).await {
            Ok(current) => break assert_eq!(current.expect("it was made").version, version),
            failed => assert_eq!(definite(failed).kind, StoreErrorKind::Unavailable),
        }
    }
    // In the middle of a commit.
    let blocker = world.block(&id).await;
    let (committed, ()) = tokio::join!(store.commit(commit(&id, Some(&version), "two\n")), async {
        world.waiting(1).await;
        world.terminate().await;
    });
    let error = indeterminate(committed);
    assert_eq!((error.code(), sqlstate(&error)), ("STORE_INDETERMINATE", Some("57P01")));
    drop(blocker);
    assert_eq!(row(&store, &id).await.version, version);
    assert_eq!(world.state(&id).await, (1, 0, 1), "nothing is half written");
    done(store.commit(commit(&id, Some(&version), "two\n")).await);
}

/// Forty callers on some stores write to a number of canvases, each until its commit is done.
pub(crate) async fn take_turns(stores: &[PostgresStore], canvases: usize) {
    let callers: Vec<_> = (0..40)
        .map(|i| {
            let (store, id) = (stores[i % stores.len()].clone(), canvas(&format!("c{}", i % canvases)));
            tokio::spawn(async move {
                loop {
                    let current = store.load(&id).await.expect("the store answers");
                    let version = current.map(|row| row.version);
                    let commit = commit(&id, version.as_ref(), &format!("{i}\n"));
                    if let Committed::Done { .. } = store.commit(commit).await.expect("the store answers") {
                        break;
                    }
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.expect("no caller fails");
    }
}
