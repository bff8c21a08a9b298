//! How long a call is remembered: a change for its time, whatever comes after it; refusals by their number.

use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::lease::{CheckIn, CheckOut};
use canvas_core::policy::ReceiptLimits;
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{BlobId, CollectOptions, Engine, EngineError, Policy};

use serde_json::json;

use super::world::{Asked, START, Spy, World, apply, key};
use crate::document::any::{Call, code};
use crate::policy_with;

const LIFETIME: u64 = 600_000;

fn edit(world: &World, text: &str) -> Call {
    world.fresh("user", Edit::overwrite(text))
}

/// Runs the call again: whether its receipt answered.
#[track_caller]
fn is_remembered(world: &World, call: &Call) -> bool {
    let before = world.loaded().version;
    let replayed = world.run(call).replayed;
    assert_eq!(replayed, world.loaded().version == before, "a retry changes nothing");
    replayed
}

/// Who is refused a thousand times within a second drops nothing of what others did.
#[test]
fn refusals_evict_no_change() {
    let world = World::new("a\n");
    let mine = edit(&world, "mine\n");
    world.run(&mine);
    world.edit("newer\n");
    for _ in 0..500 {
        assert_eq!(code(&world.ask("model", apply("lease-9-9".parse().unwrap(), "a>c"))), "LOCK_NOT_OWNED");
    }
    assert!(is_remembered(&world, &mine));
    assert_eq!(world.text(), "newer\n", "a late retry overwrites nothing");
    assert!(world.head().to_json().len() < 40_000, "{} bytes", world.head().to_json().len());
}

/// More changes than are kept by number, all of them within the time.
#[test]
fn a_change_is_remembered_for_its_time() {
    let world = World::new("a\n");
    let calls: Vec<Call> = (0..400)
        .map(|i| {
            let call = edit(&world, &format!("{i}\n"));
            assert!(!world.run(&call).replayed);
            world.clock.wait(1_000);
            call
        })
        .collect();
    assert!(calls.iter().all(|call| is_remembered(&world, call)));
    assert_eq!(world.text(), "399\n");
}

/// Receipts beyond a limit that wait for the next index.
const LATE: usize = 64;

fn policy() -> Policy {
    Policy {
        receipts: ReceiptLimits { min_changes: 32, max_changes: 96, refusals: 8, ..Default::default() },
        ..Policy::default()
    }
}

/// After their time changes are kept by number; whole pages go, when a later index leaves them out.
#[test]
fn an_old_change_is_remembered_by_number() {
    let world = World::with("a\n", policy());
    let old: Vec<Call> = (0..64).map(|i| edit(&world, &format!("{i}\n"))).collect();
    old.iter().for_each(|call| assert!(!world.run(call).replayed));
    // An eighth of it at a time, as no longer silence counts.
    for i in 0..8 {
        world.clock.wait(LIFETIME / 8 - u64::from(i == 7));
        world.run(&world.fresh("user", SendMessage));
    }
    assert!(old.iter().all(|call| is_remembered(&world, call)), "they are young");
    world.clock.wait(1);
    (0..64).for_each(|_| drop(world.ask("user", SendMessage)));
    let remembered = old.iter().rev().take_while(|call| is_remembered(&world, call)).count();
    assert!(remembered < 16, "{remembered} of 64 besides 72 newer ones");
}

/// More changes than the most within their time: the oldest go, although they are young.
#[test]
fn the_most_receipts_bound_the_head() {
    let world = World::with("a\n", policy());
    let calls: Vec<Call> = (0..300)
        .map(|i| {
            let call = edit(&world, &format!("{i}\n"));
            world.run(&call);
            assert!(world.head().to_json().len() < 16_000, "{i}: {} bytes", world.head().to_json().len());
            call
        })
        .collect();
    let pages = world.head().blobs().count();
    assert!(pages < 16, "{pages} blobs");
    let remembered = calls.iter().rev().take_while(|call| is_remembered(&world, call)).count();
    assert!((96..96 + LATE).contains(&remembered), "{remembered} remembered");
}

#[test]
fn refusals_are_remembered_by_number() {
    let world = World::with("a\n", policy());
    let lease = world.check_out("model");
    let held: Vec<Call> = (0..40).map(|_| world.fresh("model", apply(lease, "nowhere>c"))).collect();
    let stray: Vec<Call> = (0..40).map(|_| world.fresh("other", CheckOut)).collect();
    for (held, stray) in held.iter().zip(&stray) {
        assert_eq!(code(&world.run(held).outcome), "PATCH_REJECTED/NOT_FOUND");
        assert_eq!(code(&world.run(stray).outcome), "LOCK_NOT_AVAILABLE/HELD");
    }
    // Those of the lease that is held stay, as changes of it do.
    assert!(held.iter().all(|call| is_remembered(&world, call)));
    assert!(is_remembered(&world, &stray[39]));
    world.ask("model", CheckIn { lease: Some(lease) });
    world.ask("model", apply(lease, "a>b"));
    for _ in 0..8 {
        world.ask("other", apply(lease, "a>b"));
    }
    let kept = held.iter().rev().take_while(|call| is_remembered(&world, call)).count();
    assert!(kept < 16, "{kept} kept");
}

/// A clock that falls back or leaps empties nothing; time that really passes does.
#[test]
fn a_wrong_clock_drops_no_young_receipt() {
    let year = 31_536_000_000;
    for clocks in [
        vec![0, START],
        vec![START + year, START],
        vec![START + year],
        vec![START + year, START, START + year, 0],
        vec![u64::MAX >> 12, 0],
        vec![START + 500, START, START + 500, START, START + 500, START],
    ] {
        let world = World::with(
            "a\n",
            Policy { receipts: ReceiptLimits { max_changes: 2_048, ..policy().receipts }, ..policy() },
        );
        let mine = edit(&world, "mine\n");
        world.run(&mine);
        for clock in &clocks {
            world.clock.set(*clock);
            world.engine.forget(&world.canvas);
            for i in 0..12 {
                world.edit(&format!("{i}\n"));
            }
        }
        assert!(is_remembered(&world, &mine), "{clocks:?}");
        let now = world.clock.get().as_millis();
        // It lies in a page whose newest receipt is of the second eighth.
        for passed in 1..=10 {
            world.clock.set(now + passed * LIFETIME / 8);
            for i in 0..LATE {
                world.edit(&format!("{passed} {i}\n"));
            }
        }
        assert!(!is_remembered(&world, &mine), "{clocks:?}");
    }
}

/// Without a lifetime, number alone counts, and no time is stored.
#[test]
fn a_lifetime_of_zero_keeps_by_number_alone() {
    let world = World::with(
        "a\n",
        Policy { receipts: ReceiptLimits { lifetime: Duration::ZERO, ..policy().receipts }, ..policy() },
    );
    let calls: Vec<Call> = (0..100).map(|i| edit(&world, &format!("{i}\n"))).collect();
    calls.iter().for_each(|call| drop(world.run(call)));
    let json = serde_json::to_value(world.head().as_ref()).unwrap();
    assert_eq!(json["receipts"].get("elapsed"), None);
    let remembered = calls.iter().rev().take_while(|call| is_remembered(&world, call)).count();
    assert!((32..32 + LATE).contains(&remembered), "{remembered} remembered");
}

/// What version 0.1.0 stored has no times: it counts as left when this version first wrote the head.
#[test]
fn receipts_without_a_time_are_young_at_first() {
    let world = World::with("a\n", policy_with(|policy| policy.receipts.lifetime = Duration::ZERO));
    let old: Vec<Call> = (0..120).map(|i| edit(&world, &format!("{i}\n"))).collect();
    old.iter().for_each(|call| drop(world.run(call)));
    let mut now = world.peer();
    now.engine = Engine::new(Spy::new(world.spy().inner.clone()), policy());
    (0..LATE).for_each(|i| drop(now.edit(&format!("z{i}\n"))));
    let remembered = old.iter().rev().take_while(|call| is_remembered(&now, call)).count();
    assert!((96 - LATE..96).contains(&remembered), "{remembered} remembered");
}

/// A canvas whose receipts are more than its head may list, and its calls.
fn indexed() -> (World, Vec<Call>) {
    let world = World::new("a\n");
    let calls: Vec<Call> = (0..160).map(|i| edit(&world, &format!("{i}\n"))).collect();
    calls.iter().for_each(|call| drop(world.run(call)));
    (world, calls)
}

fn json_of(world: &World) -> serde_json::Value {
    serde_json::from_slice(&world.head().to_json()).unwrap()
}

#[test]
fn a_head_is_of_format_3_from_its_first_index_on() {
    let world = World::new("a\n");
    for i in 0..160 {
        world.edit(&format!("{i}\n"));
        let json = json_of(&world);
        let expected = if json["receipts"].get("index").is_some() { 3 } else { 1 };
        assert_eq!(json["format"], expected, "{i}");
        assert!(world.head().to_json().len() < 6_000, "{i}: {} bytes", world.head().to_json().len());
    }
    assert_eq!(json_of(&world)["format"], 3);
    world.delete("delete").unwrap();
    let key = key("user", 9, "again");
    block_on(world.engine.create(&world.canvas, "b\n", &key, world.now())).unwrap();
    assert_eq!(json_of(&world)["format"], 3, "a new canvas of the name has the receipts of the old one");
}

#[test]
fn a_steady_edit_is_one_commit_with_an_index_too() {
    let (world, _) = indexed();
    world.spy().asked();
    (0..100).for_each(|i| drop(world.edit(&format!("{i} again\n"))));
    assert_eq!(world.spy().asked(), [Asked::Commit; 100]);
    let peer = world.peer();
    peer.edit("from another server\n");
    assert_eq!(
        peer.spy().asked(),
        [Asked::Load, Asked::Blob, Asked::Commit],
        "the index comes with the document"
    );
}

#[test]
fn a_retry_is_answered_after_a_restart() {
    let (world, calls) = indexed();
    for call in &calls {
        let peer = world.peer();
        assert!(is_remembered(&peer, call), "{call:?}");
        let asked = peer.spy().asked().len();
        assert!(asked <= 4, "{asked} round trips");
    }
    let other = Call { command: Edit::overwrite("other\n").into(), ..calls[0].clone() };
    assert_eq!(code(&world.peer().run(&other).outcome), "CALL_ID_REUSED");
}

#[test]
fn a_missing_index_is_named_and_an_altered_one_bars_all_calls() {
    let (world, calls) = indexed();
    let (known, new) = (calls[0].clone(), edit(&world, "new\n"));
    let (missing, document) = (BlobId::of(b"missing"), world.head().document());
    world.put(world.altered("/receipts/index", json!(missing)).unwrap());
    let version = world.loaded().version;
    for call in [&known, &new] {
        let failed = world.peer().try_run(call);
        assert!(matches!(failed, Err(EngineError::Damaged { blob, .. }) if blob == missing), "{failed:?}");
    }
    assert_eq!(world.loaded().version, version);
    world.put(world.altered("/receipts/index", json!(document)).unwrap());
    let version = world.loaded().version;
    for call in [&known, &new] {
        assert_eq!(code(&world.peer().run(call).outcome), "CALL_ID_REUSED");
    }
    assert_eq!(world.loaded().version, version);
    let collection = CollectOptions { older_than: Duration::ZERO, ..CollectOptions::default() };
    let failed = block_on(world.peer().engine.collect(&world.canvas, collection));
    assert!(matches!(failed, Err(EngineError::Damaged { blob, .. }) if blob == document), "{failed:?}");
}

#[test]
fn a_collection_keeps_what_an_index_names() {
    let (world, calls) = indexed();
    let collection =
        CollectOptions { older_than: Duration::ZERO, history: Some(1), ..CollectOptions::default() };
    world.clock.wait(61_000);
    assert!(block_on(world.engine.collect(&world.canvas, collection)).unwrap().blobs > 0);
    assert!(calls.iter().all(|call| is_remembered(&world.peer(), call)));
}

#[test]
fn an_erasure_leaves_the_calls_of_an_index_and_not_their_answers() {
    let (world, calls) = indexed();
    let erase = key("host", 0, "erase");
    block_on(world.engine.erase(&world.canvas, &erase, world.now())).unwrap();
    for call in &calls {
        assert_eq!(code(&world.peer().run(call).outcome), "CALL_ABANDONED");
    }
}
