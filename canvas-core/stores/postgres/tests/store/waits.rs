//! Statements that wait: judged on the row and the clock as they are when the wait is over.

use std::time::Duration;

use super::row;
use canvas_core::lease::Timestamp;
use canvas_core::store::{Collected, Commit, Committed, Store as _};
use canvas_core::{Blob, BlobId, CodedError as _};
use canvas_store_testing::{
    World, canvas, collect, commit, conflict, definite, done, done_at, dropped, head,
};

/// A moment that a statement sent now is sure to reach the server before.
const SOON: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_waits_past_its_limit_is_late() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    let (version, clock) = done_at(store.commit(commit(&id, None, "one\n")).await);
    let limit = clock.saturating_add(SOON);
    let blocker = world.block(&id).await;
    let late = Commit { not_after: Some(limit), ..commit(&id, Some(&version), "two\n") };
    let (committed, ()) = tokio::join!(store.commit(late), async {
        world.waiting(1).await;
        passed(&world, limit).await;
        drop(blocker);
    });
    match committed {
        Ok(Committed::Late { clock }) => assert!(clock >= limit, "{clock} is before {limit}"),
        other => panic!("the commit gave {other:?}"),
    }
    assert_eq!(world.state(&id).await, (1, 0, 1), "nothing was written");
    assert_eq!(row(&store, &id).await.version, version);
}

/// Waits until the server's clock has reached an instant.
async fn passed(world: &World, limit: Timestamp) {
    while world.now().await < limit {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_waits_within_its_limit_is_done() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    let (version, clock) = done_at(store.commit(commit(&id, None, "one\n")).await);
    let blocker = world.block(&id).await;
    let limit = clock.saturating_add(Duration::from_secs(3_600));
    let in_time = Commit { not_after: Some(limit), ..commit(&id, Some(&version), "two\n") };
    let (committed, ()) = tokio::join!(store.commit(in_time), async {
        world.waiting(1).await;
        drop(blocker);
    });
    assert_eq!(row(&store, &id).await.version, done(committed));
    assert_eq!(world.state(&id).await, (2, 0, 2));
}

/// A server whose clock is where the test has put it: the limit itself is too late, by the microsecond.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_at_its_limit_is_late() {
    let mut world = World::new().await;
    let role = world.role().await;
    world
        .sql(&format!(
            "CREATE TABLE {{schema}}.clock AS SELECT 0::bigint AS micros;
             CREATE FUNCTION {{schema}}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
                 'SELECT to_timestamp(0) + micros * interval ''1 us'' FROM {{schema}}.clock';
             GRANT SELECT ON {{schema}}.clock TO \"{role}\";
             ALTER ROLE \"{role}\" SET search_path = {{schema}}, pg_catalog"
        ))
        .await;
    let store = world.store_with(|config, _| {
        config.user(&role);
    });
    let limit = Timestamp::from_millis(1_763_771_234_567);
    for (micros, in_time) in [(-1, true), (0, false), (1, false), (999, false)] {
        let at = i64::try_from(limit.as_millis()).expect("it is small") * 1_000 + micros;
        let id = canvas(&format!("c{micros}"));
        world.sql("UPDATE {schema}.clock SET micros = 5000999").await;
        let (version, clock) = done_at(store.commit(commit(&id, None, "one\n")).await);
        assert_eq!(clock, Timestamp::from_millis(5_000), "the clock is cut to milliseconds");
        world.sql(&format!("UPDATE {{schema}}.clock SET micros = {at}")).await;
        let limited = |commit| Commit { not_after: Some(limit), ..commit };
        let other = canvas(&format!("d{micros}"));
        for commit in [commit(&id, Some(&version), "two\n"), commit(&other, None, "two\n")] {
            match store.commit(limited(commit)).await {
                Ok(Committed::Done { .. }) if in_time => {}
                Ok(Committed::Late { clock }) if !in_time => assert_eq!(clock, limit),
                other => panic!("{micros} gave {other:?}"),
            }
        }
    }
}

/// Late and wrong at once: the condition comes first, and the conflict carries what won, not the snapshot of the
/// statement.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_loses_while_it_waits_learns_the_row_that_won() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    let (version, clock) = done_at(store.commit(commit(&id, None, "one\n")).await);
    let limit = clock.saturating_add(SOON);
    let blocker = world.block(&id).await;
    let winner = head(&id, "won\n", 0);
    blocker.change(&winner).await;
    let lost = Commit { not_after: Some(limit), ..commit(&id, Some(&version), "lost\n") };
    let (committed, ()) = tokio::join!(store.commit(lost), async {
        world.waiting(1).await;
        passed(&world, limit).await;
        blocker.commit().await;
    });
    let current = conflict(committed);
    assert_eq!(current.head, winner);
    assert!(current.clock >= limit, "the clock is of before the wait");
    assert_eq!(world.state(&id).await, (2, 0, 1), "the loser's blob was not written");
    // What the conflict carries is good for the next commit.
    done(store.commit(commit(&id, Some(&current.version), "again\n")).await);
}

/// The first try waits, the retry of the same commit waits after it: one of them is done, and the other gets a conflict.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_while_the_first_try_is_under_way_writes_once() {
    let (world, id) = (World::new().await, canvas("c"));
    let stores = [world.store(), world.store()];
    let version = done(stores[0].commit(commit(&id, None, "one\n")).await);
    let blocker = world.block(&id).await;
    let again = commit(&id, Some(&version), "two\n");
    let (first, second, ()) =
        tokio::join!(stores[0].commit(again.clone()), stores[1].commit(again.clone()), async {
            world.waiting(2).await;
            drop(blocker);
        });
    let (winners, losers): (Vec<_>, Vec<_>) =
        [first, second].into_iter().partition(|answer| matches!(answer, Ok(Committed::Done { .. })));
    assert_eq!(winners.len(), 1);
    let current = losers.into_iter().map(conflict).next().expect("one has lost");
    assert_eq!(current.head, again.head, "the loser finds its own head, with its receipt");
    assert_eq!(world.state(&id).await, (2, 0, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_creations_one_wins_and_the_others_learn_it() {
    let (world, id) = (World::new().await, canvas("c"));
    let stores: Vec<_> = (0..6).map(|_| world.store()).collect();
    let tries: Vec<_> = stores
        .into_iter()
        .enumerate()
        .map(|(i, store)| {
            let commit = commit(&id, None, &format!("{i}\n"));
            tokio::spawn(async move { (commit.head.clone(), store.commit(commit).await) })
        })
        .collect();
    let mut winners = Vec::new();
    let mut learnt = Vec::new();
    for answer in tries {
        match answer.await.expect("no task panics") {
            (head, Ok(Committed::Done { version, .. })) => winners.push((head, version)),
            (_, committed) => learnt.push(conflict(committed)),
        }
    }
    let [(winner, version)] = &winners[..] else { panic!("{} creations have won", winners.len()) };
    assert_eq!(learnt.len(), 5);
    for current in learnt {
        assert_eq!((&current.head, &current.version), (winner, version));
    }
    assert_eq!(world.state(&id).await, (1, 0, 1), "only the winner's blob is there");
}

/// Another creation is under way when the limit passes. It is then rolled back, or kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_creation_that_waits_past_its_limit_is_late() {
    const ROLLED_BACK: u64 = 1;
    const KEPT: u64 = 2;
    let (world, id) = (World::new().await, canvas("c"));
    let stores = [world.store(), world.store()];
    world
        .sql(
            "CREATE FUNCTION {schema}.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 PERFORM pg_advisory_xact_lock(hashtext('{name}'), 0);
                 IF NEW.epoch = 1 THEN RAISE EXCEPTION 'rolled back'; END IF;
                 RETURN NULL;
             END $$;
             CREATE TRIGGER hold AFTER INSERT ON {schema}.heads FOR EACH ROW WHEN (NEW.epoch > 0)
                 EXECUTE FUNCTION {schema}.hold()",
        )
        .await;
    let (_, clock) = done_at(stores[0].commit(commit("other", None, "one\n")).await);
    for epoch in [ROLLED_BACK, KEPT] {
        let holder = world.admin().await;
        let hold = world.fill("BEGIN; SELECT pg_advisory_xact_lock(hashtext('{name}'), 0)");
        holder.batch_execute(&hold).await.expect("the server answers");
        let first = Commit { head: head(&id, "first\n", epoch), ..commit(&id, None, "first\n") };
        let limit = world.now().await.saturating_add(SOON);
        assert!(limit > clock);
        let second = Commit { not_after: Some(limit), ..commit(&id, None, "second\n") };
        let (first, second, ()) = tokio::join!(
            stores[0].commit(first),
            async {
                world.waiting(1).await;
                stores[1].commit(second).await
            },
            async {
                world.waiting(2).await;
                passed(&world, limit).await;
                holder.batch_execute("COMMIT").await.expect("the server answers");
            }
        );
        if epoch == KEPT {
            assert!(matches!(first, Ok(Committed::Done { .. })), "{first:?}");
            assert_eq!(conflict(second).head, head(&id, "first\n", KEPT));
        } else {
            assert_eq!(definite(first).code(), "STORE_FAILED");
            assert!(matches!(second, Ok(Committed::Late { clock }) if clock >= limit), "{second:?}");
            assert_eq!(world.number("SELECT count(*) FROM {schema}.blobs").await, 1);
        }
    }
}

/// Blobs are found unneeded by a head that is no longer the head when the row is free.
#[tokio::test(flavor = "multi_thread")]
async fn a_collection_that_waits_drops_nothing_where_the_head_has_moved() {
    let (world, id) = (World::new().await, canvas("c"));
    let store = world.store();
    let mut first = commit(&id, None, "kept\n");
    first.blobs.extend([Blob::text("needed again\n".into()), Blob::text("old\n".into())]);
    done(store.commit(first).await);
    let (needed, old) = (BlobId::of(b"needed again\n"), BlobId::of(b"old\n"));
    let blocker = world.block(&id).await;
    blocker.change(&head(&id, "needed again\n", 0)).await;
    let (collected, ()) = tokio::join!(collect(&store, &id, &[]), async {
        world.waiting(1).await;
        blocker.commit().await;
    });
    assert_eq!(collected.expect("the store answers"), Collected::Conflict);
    let there = async |blob| store.blob(&id, blob).await.expect("the store answers").is_some();
    assert!(there(needed).await && there(old).await);
    assert_eq!(dropped(collect(&store, &id, &[]).await), 2);
    assert!(there(needed).await && !there(old).await);
    let nobody = collect(&store, &canvas("nobody"), &[]).await;
    assert_eq!(nobody.expect("the store answers"), Collected::Conflict);
}
