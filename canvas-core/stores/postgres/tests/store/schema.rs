//! The schema: made by any number of servers, checked, refused where it is of another version.

use canvas_core::CodedError as _;
use canvas_core::store::{Store as _, StoreErrorKind};
use canvas_store_postgres::{PostgresOptions, PostgresStore, Statements, sqlstate};
use canvas_store_testing::{World, canvas, collect, commit, definite, done};
use tokio_postgres::NoTls;

use super::row;

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_start_at_once_make_it_once() {
    for statements in [Statements::Named, Statements::Unnamed] {
        let world = World::empty();
        let servers: Vec<_> = (0..8)
            .map(|_| {
                let store = world.store_with(|config, options| {
                    // Without a name no level is set, so the host's own is in force.
                    config.options("-c default_transaction_isolation=repeatable\\ read");
                    options.statements = statements;
                });
                tokio::spawn(async move { store.migrate().await })
            })
            .collect();
        for server in servers {
            server.await.expect("no task panics").expect("each finds it made");
        }
        let store = world.store();
        store.migrate().await.expect("it is there already");
        store.check().await.expect("it is the right one");
        done(store.commit(commit("c", None, "one\n")).await);
        store.migrate().await.expect("it is there already");
        row(&store, &canvas("c")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn any_name_will_do() {
    for odd in ["\"; DROP SCHEMA public CASCADE; --", "$$ ' \\ {schema} é", "UPPER.dot"] {
        let mut world = World::empty();
        // The name of a world has no quotes to take care of.
        let plain = world.schema.clone();
        let name = format!("{plain}{odd}");
        let store = world.store_with(|_, options| options.schema.clone_from(&name));
        store.migrate().await.expect("the name is quoted");
        done(store.commit(commit("c", None, "one\n")).await);
        assert_eq!(store.schema(), name);
        let found = world.admin().await;
        let found = found.query_one("SELECT to_regnamespace(quote_ident($1)) IS NOT NULL", &[&name]).await;
        assert!(found.expect("the server answers").get::<_, bool>(0), "{name}");
        world.schema = name.replace('"', "\"\"");
    }
}

/// A role that may make tables in a schema that somebody has made for it, and no schemas.
#[tokio::test(flavor = "multi_thread")]
async fn a_schema_may_be_given() {
    let mut world = World::empty();
    world.sql("CREATE SCHEMA {schema}").await;
    let role = world.role().await;
    let store = world.store_with(|config, _| {
        config.user(&role);
    });
    let error = store.migrate().await.expect_err("it may not make tables");
    assert_eq!((error.code(), sqlstate(&error)), ("STORE_DENIED", Some("42501")));
    world.sql(&format!("GRANT CREATE ON SCHEMA {{schema}} TO \"{role}\"")).await;
    store.migrate().await.expect("it may make tables now");
    done(store.commit(commit("c", None, "one\n")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_made_is_named() {
    let (world, id) = (World::empty(), canvas("c"));
    let store = world.store();
    let errors = [
        definite(store.load(&id).await),
        definite(store.commit(commit(&id, None, "one\n")).await),
        definite(store.list(None, 1).await),
        definite(store.blob(&id, canvas_core::BlobId::of(b"")).await),
        definite(collect(&store, &id, &[]).await),
        store.check().await.expect_err("there is nothing"),
    ];
    for error in errors {
        assert_eq!(error.code(), "STORE_UNFIT");
        assert!(error.to_string().contains("call PostgresStore::migrate"), "{error}");
    }
    store.migrate().await.expect("the server lets us make tables");
    done(store.commit(commit(&id, None, "one\n")).await);
    // Gone while the store is at work, and made again.
    world.sql("DROP SCHEMA {schema} CASCADE").await;
    assert_eq!(definite(store.load(&id).await).kind, StoreErrorKind::Unfit);
    store.migrate().await.expect("the server lets us make tables");
    assert!(store.load(&id).await.expect("the store answers").is_none());
    done(store.commit(commit(&id, None, "one\n")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_schema_is_left_alone() {
    let (world, id) = (World::new().await, canvas("c"));
    done(world.store().commit(commit(&id, None, "one\n")).await);
    world.sql("UPDATE {schema}.layout SET version = 3").await;
    let store = world.store();
    let errors = [
        definite(store.load(&id).await),
        definite(store.commit(commit(&id, None, "two\n")).await),
        store.migrate().await.expect_err("it is a later one"),
        store.check().await.expect_err("it is a later one"),
    ];
    for error in errors {
        assert_eq!(error.kind, StoreErrorKind::TooNew { found: 3 });
        assert_eq!(error.code(), "STORE_TOO_NEW");
    }
    world.sql("UPDATE {schema}.layout SET version = 2").await;
    row(&store, &id).await;
    // A later version has moved a table under a store that is at work.
    world.sql("ALTER TABLE {schema}.heads RENAME TO heads2; UPDATE {schema}.layout SET version = 3").await;
    assert_eq!(definite(store.load(&id).await).kind, StoreErrorKind::Unfit);
    assert_eq!(definite(store.load(&id).await).kind, StoreErrorKind::TooNew { found: 3 });
    world.sql("DELETE FROM {schema}.layout").await;
    let error = world.store().check().await.expect_err("somebody has emptied it");
    assert_eq!(error.code(), "STORE_DAMAGED");
}

#[tokio::test]
async fn options_that_cannot_be_are_refused() {
    let world = World::empty();
    for (schema, connections, code) in
        [("", 1, "STORE_UNFIT"), ("a\0b", 1, "STORE_UNFIT"), ("a", 0, "STORE_UNAVAILABLE")]
    {
        let options =
            PostgresOptions { schema: schema.to_owned(), connections, ..PostgresOptions::default() };
        let error = PostgresStore::connect(world.config(), NoTls, &options).expect_err("it cannot be");
        assert_eq!(error.code(), code, "{schema:?}");
    }
}
