//! What a call costs: round trips to the store, commits, blobs.

use canvas_core::document::{Edit, Read};
use canvas_core::history::{ClearHistory, EntryNumber};
use canvas_core::lease::{CheckIn, CheckOut, Renew};
use canvas_core::store::{Commit as Write, Committed, Head, Store as _};
use canvas_core::testing::block_on;
use canvas_core::turn::{Cancel, SendMessage, TakeControl};
use canvas_core::{Face, Policy};

use super::world::Asked::{Blob, Commit, Load};
use super::world::{World, apply, canvas, end_turn, key};
use crate::document::any::{Call, code, dynamic};
use crate::policy_with;

#[test]
fn a_steady_write_is_one_round_trip() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.spy().asked();
    for change in ["a>c", "c>d", "d>e"] {
        world.clock.wait(1_000);
        assert_eq!(code(&world.run(&world.fresh("model", apply(lease, change))).outcome), "OK");
        assert_eq!(world.spy().asked(), [Commit], "{change}");
    }
    // So are the other calls that change the state and go through.
    let start = world.head().turn_start();
    for command in [
        dynamic(Renew { lease: Some(lease) }),
        dynamic(CheckIn { lease: Some(lease) }),
        dynamic(CheckOut),
        dynamic(Edit::overwrite("z\n")),
        dynamic(Cancel),
        dynamic(TakeControl),
    ] {
        world.ask("model", command.clone());
        assert_eq!(world.spy().asked(), [Commit], "{command:?}");
    }
    // What a conversation must get needs the text that it knows.
    for command in [dynamic(SendMessage), end_turn(start)] {
        world.edit(&format!("{command:?}"));
        world.spy().asked();
        world.ask("model", command.clone());
        assert_eq!(world.spy().asked(), [Blob, Commit], "{command:?}");
    }
}

#[test]
fn a_read_loads_the_head_and_commits_only_what_is_new() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("reader");
    let read = || {
        world.spy().asked();
        assert_eq!(code(&world.ask("reader", Read::new(Some(lease)))), "OK");
        world.spy().asked()
    };
    assert_eq!(read(), [Load, Commit], "the conversation sees the document for the first time");
    for _ in 0..3 {
        assert_eq!(read(), [Load]);
    }
    world.clock.wait(4_999);
    assert_eq!(read(), [Load]);
    world.clock.wait(1);
    assert_eq!(read(), [Load, Commit], "a third of the lease's life has passed");
    assert_eq!(read(), [Load]);
    world.write("reader", lease, "a>c");
    assert_eq!(read(), [Load], "a conversation has seen what it wrote");
}

#[test]
fn a_read_that_is_refused_commits_only_what_is_new() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.ask("model", Read::new(Some(lease)));
    let refused = |expected: &str| {
        world.spy().asked();
        assert_eq!(code(&world.ask("model", Read::new(Some(lease)))), expected);
        world.spy().asked()
    };
    world.clock.wait(15_000);
    assert_eq!(refused("LEASE_EXPIRED"), [Load]);
    world.edit("a\nz\n");
    assert_eq!(refused("STALE_EPOCH"), [Load, Blob, Commit], "it has been shown the change");
    assert_eq!(refused("STALE_EPOCH"), [Load]);
}

#[test]
fn a_store_that_tells_of_changes_is_not_asked_by_reads() {
    let world = World::new("a\nb\n");
    world.spy().set_notify();
    let lease = world.check_out("model");
    world.ask("model", Read::new(Some(lease)));
    world.spy().asked();
    world.ask("model", Read::new(Some(lease)));
    assert_eq!(world.spy().asked(), []);
    world.peer().edit("z\n");
    world.engine.forget(&world.canvas);
    assert_eq!(code(&world.ask("model", Read::new(Some(lease)))), "STALE_EPOCH");
}

#[test]
fn a_replayed_call_costs_nothing_and_a_refusal_one_look() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    let write = world.fresh("model", apply(lease, "a>c"));
    world.run(&write);
    world.spy().asked();
    assert!(world.run(&write).replayed);
    assert_eq!(world.spy().asked(), []);
    let refused = world.fresh("other", CheckOut);
    world.run(&refused);
    assert_eq!(world.spy().asked(), [Load, Commit]);
}

#[test]
fn the_stacks_of_one_face_pass_over_few_entries_of_the_others() {
    let world = World::with("0\n", policy_with(|policy| policy.history.reach = 4));
    for i in 1..=20 {
        world.edit(&format!("{i}\n"));
    }
    for (face, limit, found, looks) in [
        (Some(Face::Board), 2, 0, 4),
        (Some(Face::Board), 9, 0, 9),
        (Some(Face::Document), 2, 2, 2),
        (Some(Face::Document), 9, 9, 9),
        (None, 50, 20, 20),
    ] {
        world.spy().read();
        let stacks = block_on(world.engine.stacks(&world.canvas, face, limit, world.now())).unwrap();
        assert_eq!((stacks.undo.len(), world.spy().read()), (found, looks), "{face:?} {limit}");
    }
}

/// The numbers of a page, and the blobs that were read for it.
fn page(world: &World, before: u64, limit: usize) -> (Vec<u64>, usize) {
    world.spy().read();
    let page = world.engine.history(&world.canvas, Some(EntryNumber::new(before)), limit, world.now());
    let page = block_on(page).unwrap().iter().map(|entry| entry.number.get()).collect();
    (page, world.spy().read())
}

#[test]
fn a_page_at_the_old_end_of_a_long_history_costs_little_more_than_its_entries() {
    let world = World::with("", policy_with(|policy| policy.history.changes = 4_990));
    for i in 1..=5_000 {
        world.edit(&format!("{i}\n"));
    }
    for before in
        [2, 11, 12, 13, 16, 17, 18, 256, 257, 258, 300, 4_096, 4_097, 4_098, 4_999, 5_000, 5_001, 9_999]
    {
        let (numbers, reads) = page(&world, before, 20);
        let expected: Vec<u64> = (11..before.min(5_001)).rev().take(20).collect();
        assert_eq!(numbers, expected, "{before}");
        // 16 for each power of 16, and the entry where the history ends.
        assert!(reads <= 48 + numbers.len() + 1, "{reads} reads before {before}");
    }
}

#[test]
fn links_lead_nowhere_beyond_a_cleared_history_or_entries_without_them() {
    let world = World::new("");
    let edit = |count| (0..count).for_each(|_| drop(world.edit(&format!("{:?}\n", world.head().revision()))));
    let pages = |first: u64| {
        let newest = world.head().journal().entries;
        for before in 1..=newest + 2 {
            let expected: Vec<u64> = (first..before.min(newest + 1)).rev().take(3).collect();
            assert_eq!(page(&world, before, 3).0, expected, "{before} of {newest}");
        }
    };
    edit(150);
    // As a version without links would have written the head.
    let row = block_on(world.spy().inner.load(&world.canvas)).unwrap().unwrap();
    let mut json: serde_json::Value = serde_json::from_slice(&row.head.to_json()).unwrap();
    assert!(json["journal"].as_object_mut().unwrap().remove("links").is_some());
    let head = Head::from_json(&world.canvas, json.to_string().as_bytes()).unwrap();
    let commit = Write { expected: Some(row.version), head: head.into(), blobs: vec![], not_after: None };
    assert!(matches!(block_on(world.spy().inner.commit(commit)), Ok(Committed::Done { .. })));
    edit(300);
    pages(1);
    world.ask("user", ClearHistory);
    edit(40);
    pages(451);
}

#[test]
fn an_edit_of_a_large_document_stores_what_it_touches() {
    let text: String = (0..40_000).map(|i| format!("line {i} of a large document\n")).collect();
    assert!(text.len() > 1_000_000);
    let world = World::new(&text);
    let lease = world.check_out("model");
    let (blobs, bytes) = world.spy().inner.blob_stats(&world.canvas);
    let change = "line 20000 of a large document>one line changed";
    assert_eq!(code(&world.write("model", lease, change)), "OK");
    // One chunk or two, the list of the document's chunks, and an entry of the journal.
    let (blobs_now, bytes_now) = world.spy().inner.blob_stats(&world.canvas);
    assert!((blobs + 3..=blobs + 4).contains(&blobs_now), "{blobs} and {blobs_now} blobs");
    assert!(bytes_now - bytes <= 64 << 10, "{} bytes", bytes_now - bytes);
    // A text that is there already is put again, chunks and list, and takes no room.
    world.edit(&text);
    let (blobs_then, bytes_then) = world.spy().inner.blob_stats(&world.canvas);
    assert_eq!(blobs_then, blobs_now + 1);
    assert!(bytes_then - bytes_now <= 1024, "{} bytes of journal", bytes_then - bytes_now);
}

#[test]
fn the_host_may_go_back_in_time_at_the_price_of_a_look() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.spy().asked();
    world.clock.set(999);
    assert_eq!(code(&world.write("model", lease, "a>c")), "OK");
    assert_eq!(world.spy().asked(), [Load, Commit]);
    assert_eq!(code(&world.write("model", lease, "c>d")), "OK");
    assert_eq!(world.spy().asked(), [Commit]);
}

/// The engine keeps the canvases that were used last.
#[test]
fn heads_of_canvases_long_unused_are_dropped() {
    let world = World::empty(Policy::default());
    let id = |i: usize| canvas(&format!("c{i}"));
    for i in 0..1025 {
        block_on(world.engine.create(&id(i), "a\n", &key("host", 0, "create"), world.now())).unwrap();
    }
    let asked = |i: usize| {
        world.spy().asked();
        let call = Call { operation: key("user", 0, "u"), command: dynamic(Cancel) };
        call.run(&world.engine, &id(i), world.now()).unwrap();
        world.spy().asked()
    };
    assert_eq!(asked(1024), [Commit]);
    assert_eq!(asked(1024 - 511), [Commit]);
    assert_eq!(asked(1024 - 512), [Load, Blob, Commit]);
    assert_eq!(asked(0), [Load, Blob, Commit]);
    assert_eq!(asked(0), []);
}
