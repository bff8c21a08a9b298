//! Changes one by one: what a client has missed, and what happens while it listens.

use std::future::ready;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use canvas_core::document::Edit;
use canvas_core::history::{ChangeNumber, Entry, EntryNumber};
use canvas_core::store::{MemoryStore, Store as _};
use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, Engine, EngineError, Follow};
use proptest::prelude::*;

use crate::policy_with;
use crate::watch::world::{NOW, Wire, World, canvas, held_until, set};

type Followed = Option<Result<Entry, EngineError>>;

fn engine() -> Arc<Engine<Wire>> {
    let [engine, _] = World::new(false).engines;
    Arc::new(engine)
}

fn create(engine: &Engine<Wire>) {
    let key = World::new(false).key("host");
    block_on(engine.create(&canvas("c"), "text\n", &key, NOW)).unwrap();
}

/// Makes the change of this number.
fn edit(engine: &Engine<Wire>, number: u64) {
    let key = canvas_core::OpKey::user(canvas_core::CallId::new(&number.to_string()).unwrap());
    let edit = Edit::overwrite(format!("text {number}\n"));
    block_on(engine.call(&canvas("c"), &key, edit, NOW)).unwrap().result.unwrap();
}

fn follow(engine: &Arc<Engine<Wire>>, after: Option<u64>) -> Follow<Wire> {
    Follow::new(Arc::clone(engine), &canvas("c"), after.map(EntryNumber::new), || NOW)
}

/// Polls the next change once, and drops the call.
fn poll(follow: &mut Follow<Wire>) -> Poll<Followed> {
    pin!(follow.next()).poll(&mut Context::from_waker(Waker::noop()))
}

/// The number of the next change; `None` where it waits.
fn next(follow: &mut Follow<Wire>) -> Option<u64> {
    match poll(follow) {
        Poll::Ready(entry) => Some(entry.expect("it goes on").expect("nothing fails").number.get()),
        Poll::Pending => None,
    }
}

fn all(follow: &mut Follow<Wire>) -> Vec<u64> {
    std::iter::from_fn(|| next(follow)).collect()
}

#[test]
fn a_client_gets_what_it_has_missed_and_then_each_change() {
    let engine = engine();
    create(&engine);
    let mut from_the_start = follow(&engine, None);
    assert_eq!(next(&mut from_the_start), None);
    edit(&engine, 1);
    assert_eq!(all(&mut from_the_start), [1]);
    (2..=4).for_each(|number| edit(&engine, number));
    for (after, expected) in
        [(None, &[1, 2, 3, 4][..]), (Some(0), &[1, 2, 3, 4]), (Some(3), &[4]), (Some(4), &[])]
    {
        let mut later = follow(&engine, after);
        assert_eq!(all(&mut later), expected, "{after:?}");
    }
    assert_eq!(all(&mut from_the_start), [2, 3, 4]);
}

/// More than are read at once, with changes while they are read.
#[test]
fn many_changes_come_once_each() {
    let engine = engine();
    create(&engine);
    (1..=600).for_each(|number| edit(&engine, number));
    let mut follow = follow(&engine, Some(10));
    let mut seen: Vec<_> = (0..300).filter_map(|_| next(&mut follow)).collect();
    (601..=900).for_each(|number| edit(&engine, number));
    seen.extend(all(&mut follow));
    assert_eq!(seen, (11..=900).collect::<Vec<_>>());
}

/// A call that is dropped while the store is asked loses nothing, nor does one whose load fails.
#[test]
fn nothing_is_lost_by_calls_that_are_dropped_or_fail() {
    let engine = engine();
    create(&engine);
    let mut follow = follow(&engine, None);
    assert_eq!(next(&mut follow), None);
    edit(&engine, 1);
    set(&engine.store().hold.load);
    assert_eq!(next(&mut follow), None, "it waits for the store");
    assert_eq!(next(&mut follow), Some(1));
    edit(&engine, 2);
    engine.store().is_down.store(true, Ordering::SeqCst);
    let Poll::Ready(Some(Err(error))) = poll(&mut follow) else { panic!("the store is down") };
    assert_eq!(error.code(), "STORE_UNAVAILABLE");
    engine.store().is_down.store(false, Ordering::SeqCst);
    assert_eq!(all(&mut follow), [2]);
}

#[test]
fn a_canvas_that_is_not_there_is_an_error_until_it_is() {
    let engine = engine();
    let mut follow = follow(&engine, None);
    let Poll::Ready(Some(Err(error))) = poll(&mut follow) else { panic!("there is no canvas") };
    assert_eq!(error.code(), "CANVAS_NOT_FOUND");
    create(&engine);
    edit(&engine, 1);
    assert_eq!(all(&mut follow), [1]);
}

/// A backup takes the place of the store: what clients have is void, also where they come later.
#[test]
fn it_ends_where_the_store_has_gone_back() {
    let engine = engine();
    create(&engine);
    let backup = MemoryStore::new(|| NOW);
    let early = block_on(engine.store().load(&canvas("c"))).unwrap().unwrap();
    let blobs = vec![canvas_core::Blob::text("text\n".into())];
    let commit = canvas_core::store::Commit { expected: None, head: early.head, blobs, not_after: None };
    block_on(backup.commit(commit)).unwrap();
    let mut early_bird = follow(&engine, None);
    (1..=2).for_each(|number| edit(&engine, number));
    assert_eq!(all(&mut early_bird), [1, 2]);
    engine.store().swap(backup);
    engine.forget(&canvas("c"));
    assert!(matches!(poll(&mut early_bird), Poll::Ready(None)));
    assert!(matches!(poll(&mut early_bird), Poll::Ready(None)), "it stays so");
    assert!(matches!(poll(&mut follow(&engine, Some(2))), Poll::Ready(None)));
    assert_eq!(next(&mut follow(&engine, Some(0))), None, "who has nothing waits");
}

#[test]
fn a_history_that_forgets_begins_where_it_is_kept() {
    let store = MemoryStore::new(|| NOW);
    let policy = policy_with(|policy| policy.history.changes = 3);
    let engine = Engine::new(store, policy);
    let id = canvas("c");
    let key = |call: u64| canvas_core::OpKey::user(canvas_core::CallId::new(&call.to_string()).unwrap());
    block_on(engine.create(&id, "text\n", &key(0), NOW)).unwrap();
    for number in 1..=9 {
        let edit = Edit::overwrite(format!("text {number}\n"));
        block_on(engine.call(&id, &key(number), edit, NOW)).unwrap().result.unwrap();
    }
    let kept = block_on(engine.history(&id, None, 100, NOW)).unwrap();
    let oldest = kept.last().expect("some are kept").number.get();
    assert!(oldest > 1, "some are forgotten");
    // One at a time, by name of the last one.
    let (mut after, mut seen) = (None, Vec::new());
    while let Some(entry) = block_on(engine.history_after(&id, after, 1, NOW)).unwrap().pop() {
        after = Some(entry.number);
        seen.push(entry.number.get());
    }
    assert_eq!(seen, (oldest..=9).collect::<Vec<_>>());
    assert!(
        block_on(engine.history_after(&id, Some(ChangeNumber::new(99).into()), 9, NOW)).unwrap().is_empty()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever a client asks for after whatever entry is a part of the history.
    #[test]
    fn entries_after_are_those_of_the_history(count in 0_u64..20, after in 0_u64..25, limit in 0_usize..25) {
        let engine = engine();
        create(&engine);
        (1..=count).for_each(|number| edit(&engine, number));
        let mut expected = block_on(engine.history(&canvas("c"), None, 100, NOW)).unwrap();
        expected.reverse();
        expected.retain(|entry| entry.number.get() > after);
        expected.truncate(limit);
        let found = block_on(engine.history_after(&canvas("c"), Some(EntryNumber::new(after)), limit, NOW));
        prop_assert_eq!(found.unwrap(), expected);
    }

    /// However often a client is dropped or its deadline comes first, it gets each change once.
    #[test]
    fn a_client_that_is_dropped_again_and_again_misses_nothing(acts in prop::collection::vec(0..4_u8, 0..40)) {
        let engine = engine();
        create(&engine);
        let (mut made, mut seen) = (0, Vec::new());
        let mut client = follow(&engine, None);
        for act in acts {
            match act {
                0 => { made += 1; edit(&engine, made); }
                1 => seen.extend(next(&mut client)),
                2 => {
                    let entry = held_until(engine.store(), client.next_until(ready(())));
                    seen.extend(entry.map(|entry| entry.number.get()));
                }
                _ => client = follow(&engine, seen.last().copied()),
            }
        }
        seen.extend(all(&mut client));
        prop_assert_eq!(seen, (1..=made).collect::<Vec<_>>());
    }
}
