//! The server says no: the right fault with its place, nothing half written, and the next call works.

use canvas_core::lease::Timestamp;
use canvas_core::store::{
    Commit, Committed, Store as _, StoreError, StoreErrorKind, StoreOperation, Version,
};
use canvas_core::{Blob, BlobId, CodedError as _, Engine, EngineError, Policy};
use canvas_store_postgres::sqlstate;
use canvas_store_testing::{World, address, canvas, collect, commit, conflict, connect, definite, done, key};

use super::isolation::raising;
use super::row;

/// Runs a commit that the server refuses, then lifts the cause and runs it again.
async fn refused(world: &World, cause: &str, cure: &str) -> StoreError {
    let id = canvas("c\n\u{0}");
    let store = world.store();
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    world.sql(cause).await;
    let two = || commit(&id, Some(&version), "two\n");
    let error = definite(store.commit(two()).await);
    assert_eq!((error.operation, &error.canvas), (Some(StoreOperation::Commit), &Some(id.clone())));
    assert!(error.to_string().starts_with(r#"commit of canvas "c\n\0": "#), "{error}");
    assert_eq!(world.state(&id).await, (1, 0, 1), "nothing was written");
    assert_eq!(row(&store, &id).await.version, version, "the connection serves the next call");
    world.sql(cure).await;
    done(store.commit(two()).await);
    assert_eq!(world.state(&id).await, (2, 0, 2));
    error
}

/// What the server answers to a full disk, a quota, a deadlock: by a trigger on the blobs, after the head has moved.
#[tokio::test(flavor = "multi_thread")]
async fn refusals_of_the_server_write_nothing() {
    for (state, code) in [
        ("53100", "STORE_FULL"),
        ("53400", "STORE_FULL"),
        ("40P01", "STORE_BUSY"),
        ("55P03", "STORE_BUSY"),
        ("57014", "STORE_BUSY"),
        ("23514", "STORE_FAILED"),
        ("26000", "STORE_UNFIT"),
    ] {
        let world = World::new().await;
        let error = refused(&world, &raising(state), "DROP TRIGGER refuse ON {schema}.blobs").await;
        assert_eq!((error.code(), sqlstate(&error)), (code, Some(state)));
    }
}

/// A disk that is really full: the blobs lie on a file system of a few megabytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_writes_nothing() {
    // The script has reported that it could not make one.
    if address("CANVAS_POSTGRES_SMALL") == "none" {
        return;
    }
    let (mut world, id) = (World::new().await, canvas("c"));
    let space = world.small_disk().await;
    world.sql(&format!("ALTER TABLE {{schema}}.blobs SET TABLESPACE \"{space}\"")).await;
    let store = world.store();
    let mut version = done(store.commit(commit(&id, None, "one\n")).await);
    let mut seed = 1_u64;
    let mut noise = || {
        // Something that no compression makes smaller.
        let bytes = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        });
        Blob::bytes(bytes.take(1 << 20).collect())
    };
    let mut megabyte = |version: &Version| {
        let mut commit = commit(&id, Some(version), "two\n");
        commit.blobs.push(noise());
        commit
    };
    let error = loop {
        let before = world.state(&id).await;
        assert!(before.2 < 100, "the disk is larger than it should be");
        match store.commit(megabyte(&version)).await {
            Ok(Committed::Done { version: next, .. }) => version = next,
            full => {
                assert_eq!(world.state(&id).await, before, "nothing was written");
                break definite(full);
            }
        }
    };
    assert_eq!((error.code(), sqlstate(&error)), ("STORE_FULL", Some("53100")));
    assert_eq!(row(&store, &id).await.version, version, "reads go on");
    world.sql("ALTER TABLE {schema}.blobs SET TABLESPACE pg_default").await;
    done(store.commit(megabyte(&version)).await);
}

/// A rule of the table that silently keeps rows from being changed.
#[tokio::test(flavor = "multi_thread")]
async fn an_update_that_is_held_back_is_not_done() {
    let world = World::new().await;
    let cause =
        "CREATE FUNCTION {schema}.keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                 CREATE TRIGGER keep BEFORE UPDATE ON {schema}.heads
                     FOR EACH ROW EXECUTE FUNCTION {schema}.keep()";
    let error = refused(&world, cause, "DROP TRIGGER keep ON {schema}.heads").await;
    assert_eq!(error.kind, StoreErrorKind::Damaged);
    world
        .sql(
            "CREATE TRIGGER keep BEFORE INSERT ON {schema}.heads
                 FOR EACH ROW EXECUTE FUNCTION {schema}.keep()",
        )
        .await;
    let error = definite(world.store().commit(commit("new", None, "one\n")).await);
    assert_eq!(error.kind, StoreErrorKind::Damaged);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_rights_are_named() {
    let mut world = World::new().await;
    let (role, id) = (world.role().await, canvas("c"));
    let store = world.store_with(|config, _| {
        config.user(&role);
    });
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    for (right, table) in [("INSERT", "blobs"), ("UPDATE", "heads"), ("SELECT", "heads")] {
        world.sql(&format!("REVOKE {right} ON {{schema}}.{table} FROM \"{role}\"")).await;
        let error = definite(store.commit(commit(&id, Some(&version), "two\n")).await);
        assert_eq!((error.code(), sqlstate(&error)), ("STORE_DENIED", Some("42501")), "{right}");
        assert_eq!(world.state(&id).await, (1, 0, 1), "nothing was written");
        if right == "SELECT" {
            assert_eq!(definite(store.load(&id).await).code(), "STORE_DENIED");
        }
        world.sql(&format!("GRANT {right} ON {{schema}}.{table} TO \"{role}\"")).await;
    }
    done(store.commit(commit(&id, Some(&version), "two\n")).await);
    // A role that may no longer log in.
    let locked_out = world.store_with(|config, _| {
        config.user(&role);
    });
    world.sql(&format!("ALTER ROLE \"{role}\" NOLOGIN")).await;
    let error = definite(locked_out.commit(commit(&id, Some(&version), "three\n")).await);
    assert_eq!((error.code(), sqlstate(&error)), ("STORE_DENIED", Some("28000")));
}

/// The engine looks for the head's own error, so it goes out as it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_head_is_unreadable() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    let mut first = commit(&id, None, "one\n");
    first.blobs.push(Blob::text("old\n".into()));
    done(store.commit(first).await);
    world
        .sql(
            "CREATE TABLE {schema}.backup AS SELECT * FROM {schema}.heads;
             UPDATE {schema}.heads SET head = 'no head'",
        )
        .await;
    let faults = [
        store.load(&id).await.map(drop),
        store.commit(commit(&id, None, "two\n")).await.map(drop),
        collect(&store, &id, &[]).await.map(drop),
    ];
    for fault in faults {
        assert_eq!(definite(fault).code(), "HEAD_DAMAGED");
    }
    assert_eq!(world.state(&id).await, (1, 0, 2), "no blob was dropped that the head may need");
    assert_eq!(store.list(None, 9).await.expect("the list needs no head"), std::slice::from_ref(&id));
    world.sql("UPDATE {schema}.heads h SET head = b.head FROM {schema}.backup b").await;
    row(&store, &id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_or_altered_blob_is_seen() {
    let (world, id) = (World::new().await, canvas("c"));
    let now = Timestamp::from_millis(1_000);
    let server = Engine::new(world.store(), Policy::default());
    server.create(&id, "one\n", &key("create"), now).await.expect("there is room");
    for damage in ["UPDATE {schema}.blobs SET content = 'other'", "DELETE FROM {schema}.blobs"] {
        world.sql(damage).await;
        let engine = Engine::new(world.store(), Policy::default());
        match engine.snapshot(&id, now).await {
            Err(EngineError::Damaged { blob, .. }) => assert_eq!(blob, BlobId::of(b"one\n")),
            other => panic!("{damage} gave {other:?}"),
        }
    }
    let found = world.store().blob(&id, BlobId::of(b"one\n")).await;
    assert!(found.expect("the store answers").is_none());
}

/// A failover to a lagging replica, or a restored backup, has a row of the same number again.
#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_was_lost_never_matches_again() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    let first = done(store.commit(commit(&id, None, "one\n")).await);
    world.sql("CREATE TABLE {schema}.backup AS SELECT * FROM {schema}.heads").await;
    let lost = done(store.commit(commit(&id, Some(&first), "two\n")).await);
    world
        .sql(
            "DELETE FROM {schema}.heads;
             INSERT INTO {schema}.heads SELECT * FROM {schema}.backup",
        )
        .await;
    let again = done(store.commit(commit(&id, Some(&first), "other\n")).await);
    assert_eq!(world.state(&id).await.0, 2, "the number is used again");
    let current = conflict(store.commit(commit(&id, Some(&lost), "three\n")).await);
    assert_eq!(current.version, again);
}

/// A standby may be behind what another server learned, and cannot write.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_is_not_asked() {
    let (world, id) = (World::new().await, canvas("c"));
    let version = done(world.store().commit(commit(&id, None, "one\n")).await);
    let standby: tokio_postgres::Config =
        address("CANVAS_POSTGRES_STANDBY").parse().expect("the script gives a connection string");
    let there = connect(&standby).await;
    let caught_up = world.fill("SELECT to_regclass('{schema}.heads') IS NOT NULL");
    while !there.query_one(&caught_up, &[]).await.is_ok_and(|row| row.get(0)) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let store = world.store_with(|config, _| *config = standby);
    let errors = [
        definite(store.load(&id).await),
        definite(store.blob(&id, BlobId::of(b"one\n")).await),
        definite(store.list(None, 9).await),
        definite(store.commit(commit(&id, Some(&version), "two\n")).await),
        definite(store.commit(commit("new", None, "two\n")).await),
        definite(collect(&store, &id, &[]).await),
    ];
    for error in errors {
        assert_eq!(error.code(), "STORE_UNAVAILABLE", "{error}");
    }
    assert_eq!(store.pool().status().size, 0, "the next call connects anew, perhaps to the primary");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_statement_carries_is_not_sent() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    // Copies of one blob, which share its bytes.
    let blob = Blob::bytes(vec![b'x'; 1_000_000]);
    let large = Commit { blobs: vec![blob; 1_000], ..commit(&id, None, "one\n") };
    let error = definite(store.commit(large).await);
    assert_eq!(error.kind, StoreErrorKind::TooLarge);
    assert!(matches!(store.commit(commit(&id, None, "one\n")).await, Ok(Committed::Done { .. })));
}
