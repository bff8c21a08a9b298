//! The commit keeps its promises whatever isolation level the database has by default.

use canvas_core::CodedError as _;
use canvas_core::store::{Committed, Store as _};
use canvas_store_postgres::{PostgresStore, sqlstate};
use canvas_store_testing::{World, canvas, commit, conflict, definite, done, head};
use deadpool_postgres::{Manager, Pool};
use tokio_postgres::NoTls;

const LEVELS: [&str; 2] = ["repeatable read", "serializable"];

/// A commit that waits for the row and loses it learns the row that won.
async fn loses(world: &World, store: &PostgresStore) {
    let id = canvas("c");
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    let blocker = world.block(&id).await;
    let winner = head(&id, "won\n", 0);
    blocker.change(&winner).await;
    let (committed, ()) = tokio::join!(store.commit(commit(&id, Some(&version), "lost\n")), async {
        world.waiting(1).await;
        blocker.commit().await;
    });
    assert_eq!(conflict(committed).head, winner);
    assert_eq!(world.state(&id).await, (2, 0, 1), "the loser's blob was not written");
}

#[tokio::test(flavor = "multi_thread")]
async fn own_sessions_read_what_is_committed() {
    for level in LEVELS {
        let mut world = World::new().await;
        let role = world.role().await;
        world.sql(&format!("ALTER ROLE \"{role}\" SET default_transaction_isolation = '{level}'")).await;
        let store = world.store_with(|config, _| {
            config.user(&role);
        });
        let client = store.pool().get().await.expect("the server is there");
        let shown = client.query_one("SHOW transaction_isolation", &[]).await.expect("the server answers");
        assert_eq!(shown.get::<_, &str>(0), "read committed");
        drop(client);
        loses(&world, &store).await;
    }
}

/// A pool of the host's may have sessions of any level: a transaction that has to be tried again is answered as the contract says.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_a_host_may_have_any_level() {
    for level in LEVELS {
        let world = World::new().await;
        let mut config = world.config();
        config.options(format!("-c default_transaction_isolation={}", level.replace(' ', "\\ ")));
        let pool = Pool::builder(Manager::new(config, NoTls)).build().expect("the pool is fine");
        let store = PostgresStore::new(pool, &world.options()).expect("the options are fine");
        let client = store.pool().get().await.expect("the server is there");
        let shown = client.query_one("SHOW transaction_isolation", &[]).await.expect("the server answers");
        assert_eq!(shown.get::<_, &str>(0), level);
        drop(client);
        loses(&world, &store).await;

        let id = canvas("made at once");
        let tries: Vec<_> = (0..6)
            .map(|i| {
                let (store, commit) = (store.clone(), commit(&id, None, &format!("{i}\n")));
                tokio::spawn(async move { store.commit(commit).await })
            })
            .collect();
        let mut winners = 0;
        for answer in tries {
            match answer.await.expect("no task panics") {
                Ok(Committed::Done { .. }) => winners += 1,
                committed => drop(conflict(committed)),
            }
        }
        assert_eq!(winners, 1, "{level}");
    }
}

/// The same error without a new row: nothing was written, and the store says so and does not try again.
#[tokio::test(flavor = "multi_thread")]
async fn a_serialization_failure_without_a_winner_is_definite() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    let version = done(store.commit(commit(&id, None, "one\n")).await);
    world.sql(&raising("40001")).await;
    let error = definite(store.commit(commit(&id, Some(&version), "two\n")).await);
    assert_eq!((error.code(), sqlstate(&error)), ("STORE_BUSY", Some("40001")));
    assert_eq!(world.number("SELECT last_value FROM {schema}.tries").await, 1, "the store tried once");
    assert_eq!(world.state(&id).await, (1, 0, 1));
}

/// A trigger that lets no blob in. It counts the tries, which a sequence does whatever becomes of the statement.
pub(crate) fn raising(state: &str) -> String {
    format!(
        "CREATE SEQUENCE {{schema}}.tries;
         CREATE FUNCTION {{schema}}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN PERFORM nextval('{{schema}}.tries'); RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$;
         CREATE TRIGGER refuse BEFORE INSERT ON {{schema}}.blobs
             FOR EACH ROW EXECUTE FUNCTION {{schema}}.refuse()"
    )
}
