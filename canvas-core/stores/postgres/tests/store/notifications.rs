//! A preemption on one server is heard on another.

use std::time::Duration;

use canvas_core::lease::{CheckOut, Epoch, Timestamp};
use canvas_core::store::{Commit, Store as _};
use canvas_core::{CodedError as _, Engine, Policy, Revision};
use canvas_store_postgres::{Listener, ListenerOptions, Notification};
use canvas_store_testing::{World, address, canvas, commit, done, edit, head, key};
use tokio_postgres::NoTls;

use super::wire::{Fate, Wire};

async fn listener(world: &World, heartbeat: Duration) -> Listener {
    let options = ListenerOptions { schema: world.schema.clone(), heartbeat, ..ListenerOptions::default() };
    Listener::connect(world.config(), NoTls, options).await.expect("the server is there")
}

/// The next notification; a test that waits in vain fails.
async fn heard(listener: &mut Listener) -> Notification {
    tokio::time::timeout(Duration::from_secs(600), listener.next()).await.expect("a notification comes")
}

fn epoch_of(notification: &Notification) -> (String, u64) {
    match notification {
        Notification::Preempted { canvas, epoch, .. } => (canvas.as_str().to_owned(), epoch.get()),
        other => panic!("{other:?} is no preemption"),
    }
}

/// Notifications keep the order of their commits, so what is heard next shows what was not said before.
#[tokio::test(flavor = "multi_thread")]
async fn only_a_changed_epoch_is_announced() {
    let (world, other) = (World::new().await, World::new().await);
    let (mut near, mut far) =
        (listener(&world, Duration::from_secs(15)).await, listener(&other, Duration::from_secs(15)).await);
    let (here, there) = (world.store(), other.store());
    for name in ["\u{0}\n'", &"🦀".repeat(128)] {
        let id = canvas(name);
        let at = |epoch| Commit { head: head(&id, "one\n", epoch), ..commit(&id, None, "one\n") };
        let mut version = done(here.commit(at(0)).await);
        for (epoch, reported) in [(0, false), (1, true), (1, false), (2, true)] {
            version = done(here.commit(Commit { expected: Some(version), ..at(epoch) }).await);
            if reported {
                let expected = Notification::Preempted {
                    canvas: id.clone(),
                    epoch: Epoch::new(epoch).expect("it is small"),
                    revision: Revision::new(1).expect("it is small"),
                };
                assert_eq!(heard(&mut near).await, expected);
            }
        }
        // Refused commits say nothing, whatever epoch they bring.
        let late = Commit { not_after: Some(Timestamp::from_millis(1)), expected: Some(version), ..at(7) };
        here.commit(late).await.expect("the store answers");
        here.commit(at(8)).await.expect("the store answers");
    }
    // Payloads that are none, by somebody with access to the database.
    let channel = here.channel();
    world.sql(&format!("NOTIFY {channel}; NOTIFY {channel}, 'x'; NOTIFY {channel}, '1 2 zz'")).await;
    let last = canvas("last");
    let version = done(here.commit(commit(&last, None, "one\n")).await);
    let preempted = Commit { head: head(&last, "one\n", 1), ..commit(&last, Some(&version), "one\n") };
    done(here.commit(preempted).await);
    assert_eq!(epoch_of(&heard(&mut near).await), ("last".into(), 1));
    // Another schema has its own channel.
    let id = canvas("elsewhere");
    let version = done(there.commit(commit(&id, None, "one\n")).await);
    done(there.commit(Commit { head: head(&id, "one\n", 3), ..commit(&id, Some(&version), "one\n") }).await);
    assert_eq!(epoch_of(&heard(&mut far).await), ("elsewhere".into(), 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_on_one_server_stops_the_loop_on_another() {
    let (world, id) = (World::new().await, canvas("c"));
    let mut listener = listener(&world, Duration::from_secs(15)).await;
    let servers = [world.store(), world.store()].map(|store| Engine::new(store, Policy::default()));
    let now = world.now().await;
    servers[0].create(&id, "one\n", &key("create"), now).await.expect("there is room");
    let checked_out = servers[0].call(&id, &key("check out"), CheckOut, now).await;
    checked_out.expect("the store answers").result.expect("the lease is free");
    let edited = servers[1].call(&id, &key("edit"), edit("two\n"), now).await.expect("the store answers");
    let epoch = edited.snapshot.head.lock().epoch();
    let notification = heard(&mut listener).await;
    assert_eq!(epoch_of(&notification), ("c".into(), epoch.get()));
    servers[0].forget(&id);
    assert_eq!(servers[0].snapshot(&id, now).await.expect("the store answers").text(), "two\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_listener_says_so_and_listens_again() {
    let (world, id) = (World::new().await, canvas("c"));
    let mut listener = listener(&world, Duration::from_millis(50)).await;
    let store = world.store();
    let mut version = done(store.commit(commit(&id, None, "one\n")).await);
    for epoch in 1..=3 {
        world.terminate().await;
        assert_eq!(heard(&mut listener).await, Notification::Lost);
        assert_eq!(heard(&mut listener).await, Notification::Listening);
        let store = world.store();
        let preempted = Commit { head: head(&id, "one\n", epoch), ..commit(&id, Some(&version), "one\n") };
        version = done(store.commit(preempted).await);
        assert_eq!(epoch_of(&heard(&mut listener).await), ("c".into(), epoch));
    }
    drop(listener);
    world
        .until(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}' AND query LIKE 'LISTEN%'",
            0,
        )
        .await;
}

/// The network swallows everything and no end hears of it: only the heartbeat tells.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_network_is_found_out() {
    let world = World::new().await;
    let wire = Wire::to(&world.config());
    let options = || ListenerOptions {
        schema: world.schema.clone(),
        heartbeat: Duration::from_millis(50),
        deadline: Duration::from_millis(500),
        ..ListenerOptions::default()
    };
    // The deadline of heartbeats is that of connecting too, which a busy machine may miss.
    let mut listener = loop {
        if let Ok(listener) = Listener::connect(wire.config(), NoTls, options()).await {
            break listener;
        }
    };
    wire.set(Fate::SwallowReplies);
    assert_eq!(heard(&mut listener).await, Notification::Lost);
    wire.set(Fate::Carry);
    assert_eq!(heard(&mut listener).await, Notification::Listening);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_cannot_be_is_refused() {
    let world = World::empty();
    let options = || ListenerOptions { schema: world.schema.clone(), ..ListenerOptions::default() };
    for (address, code) in [
        (address("CANVAS_POSTGRES_STANDBY"), "STORE_UNAVAILABLE"),
        ("host=/nowhere user=nobody".to_owned(), "STORE_UNAVAILABLE"),
    ] {
        let config = address.parse().expect("it reads");
        let error = Listener::connect(config, NoTls, options()).await.expect_err("it cannot be");
        assert_eq!(error.code(), code);
    }
    let nameless = ListenerOptions { schema: String::new(), ..options() };
    let error = Listener::connect(world.config(), NoTls, nameless).await.expect_err("it has no name");
    assert_eq!(error.code(), "STORE_UNFIT");
}
