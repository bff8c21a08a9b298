//! Documents of more than 64 KiB, which are kept as chunks.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use canvas_core::document::Edit;
use canvas_core::history::{ChangeNumber, Redo, Undo, UndoScope};
use canvas_core::store::Store as _;
use canvas_core::testing::block_on;
use canvas_core::turn::{Promotion, SendMessage};
use canvas_core::{Author, Blob, BlobId, CodedError as _, CollectOptions, EngineError};
use proptest::prelude::*;
use serde_json::json;

use crate::document::any::{Outcome, code};
use crate::document::world::Asked::{Blob as Blobs, Commit, Load};
use crate::document::world::{Trouble, World, collect as drop_all_but};
use crate::policy_with;

const HOUR: u64 = 3_600_000;

/// A text of so many lines, no two of which are the same.
fn text(lines: usize) -> String {
    (0..lines).map(|n| format!("Line {n} of a text, with {} in it.\n", n * 7_919 % 10_007)).collect()
}

/// The text with one line changed.
fn changed(text: &str, line: usize, to: &str) -> String {
    text.split_inclusive('\n').enumerate().map(|(n, old)| if n == line { to } else { old }).collect()
}

fn undo(what: UndoScope) -> Undo {
    Undo { by: Author::User, what }
}

fn steps(steps: u32) -> UndoScope {
    UndoScope::Steps(NonZeroU32::new(steps).unwrap())
}

fn redo(steps: u32) -> Redo {
    Redo { by: Author::User, steps: NonZeroU32::new(steps).unwrap() }
}

/// The ids of the chunks of a document, as its list in the store has them.
fn chunks(world: &World, document: BlobId) -> Vec<BlobId> {
    let list = block_on(world.spy().inner.blob(&world.canvas, document)).unwrap().unwrap();
    assert_eq!((list.as_text(), list.id()), (None, document), "a list is no text");
    let entries = &list.as_bytes()[16..];
    let id = |entry: &[u8]| entry[4..].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    entries.chunks(36).map(|entry| id(entry).parse().unwrap()).collect()
}

/// What the store has, by a server that knows nothing: the text, and the way back and forth.
#[track_caller]
fn check(world: &World, text: &str) {
    let peer = world.peer();
    let snapshot = block_on(peer.engine.snapshot(&peer.canvas, peer.now())).unwrap();
    assert!(snapshot.text() == text, "another text of {} bytes", snapshot.text().len());
    assert_eq!(snapshot.document.id(), snapshot.head.document());
    block_on(peer.engine.replay(&peer.canvas, peer.now())).unwrap();
}

/// Drops all that the engine does not need, however young.
fn drop_the_rest(world: &World) {
    let needed = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
    drop_all_but(&world.spy().inner, &world.canvas, &needed.into_iter().collect());
}

#[test]
fn a_text_is_one_blob_up_to_64_kib() {
    let long = text(3_000);
    for bytes in [(64 << 10) - 1, 64 << 10, (64 << 10) + 1] {
        let text = &long[..bytes];
        let world = World::new(text);
        let is_whole = bytes <= 64 << 10;
        let document = world.head().document();
        assert_eq!(document, BlobId::of_document(text));
        assert_eq!(document == BlobId::of(text.as_bytes()), is_whole, "{bytes}");
        let format = serde_json::to_value(world.head().as_ref()).unwrap()["format"].clone();
        assert_eq!(format, if is_whole { json!(1) } else { json!(2) });
        check(&world, text);
        // Over the bound and back, and by undo.
        for other in [&long[..(64 << 10) + 2], &long[..64 << 10], &long[..100], &long] {
            world.edit(other);
            assert_eq!(world.head().document(), BlobId::of_document(other));
            check(&world, other);
        }
        assert_eq!(code(&world.ask("user", undo(steps(4)))), "OK");
        assert_eq!(world.head().document(), document);
        drop_the_rest(&world);
        check(&world, text);
    }
}

#[test]
fn the_stored_form_is_pinned() {
    let text = text(2_000);
    let world = World::new(&text);
    let document = world.head().document();
    let list = block_on(world.spy().inner.blob(&world.canvas, document)).unwrap().unwrap();
    let (begin, entries) = list.as_bytes().split_at(16);
    assert_eq!(begin[..8], *b"\xffchunks\x01");
    assert_eq!(begin[8..], (text.len() as u64).to_be_bytes());
    let mut at = 0;
    for (entry, id) in entries.chunks(36).zip(chunks(&world, document)) {
        let len = u32::from_be_bytes(entry[..4].try_into().unwrap()) as usize;
        assert_eq!(id, BlobId::of(&text.as_bytes()[at..at + len]));
        at += len;
    }
    assert_eq!((at, entries.len() / 36), (text.len(), 5));
    assert_eq!(document.to_string(), "343c8c1bda3aab218991669ece91e8bc83ed3a7bd43f682abc8952e60f17368e");
}

#[test]
fn an_edit_puts_what_it_touches_and_a_reader_fetches_that() {
    let text = text(20_000);
    let world = World::new(&text);
    let reader = world.peer();
    let read = |text: &str| {
        let snapshot = block_on(reader.engine.snapshot(&reader.canvas, reader.now())).unwrap();
        assert!(snapshot.text() == text);
        (reader.spy().asked(), reader.spy().read())
    };
    let all = chunks(&world, world.head().document()).len();
    assert_eq!(read(&text), (vec![Load, Blobs, Blobs], 1 + all), "the list, and all chunks at once");
    assert_eq!(read(&text), (vec![Load], 0));
    let mut text = text;
    for line in [0, 9_999, 19_999] {
        text = changed(&text, line, "another line\n");
        let (_, before) = world.spy().inner.blob_stats(&world.canvas);
        world.spy().asked();
        assert_eq!(code(&world.edit(&text)), "OK");
        assert_eq!(world.spy().asked(), [Commit]);
        let (_, after) = world.spy().inner.blob_stats(&world.canvas);
        assert!(after - before < 100_000, "{} bytes", after - before);
        let (asked, count) = read(&text);
        assert_eq!(asked, [Load, Blobs, Blobs]);
        assert!(count <= 1 + 3, "{count} blobs read");
    }
    check(&world, &text);
}

/// Undo leads to a text of which the store may have dropped what only that had.
#[test]
fn what_undo_needs_again_is_put_again() {
    let first = text(5_000);
    let second = changed(&first, 2_500, "another line\n");
    for history_entry_bytes in [0, 1 << 20] {
        let world =
            World::with(&first, policy_with(|policy| policy.history.entry_bytes = history_entry_bytes));
        world.edit(&second);
        world.ask("user", SendMessage);
        for _ in 0..2 {
            drop_the_rest(&world);
            assert_eq!(code(&world.ask("user", undo(steps(1)))), "OK");
            drop_the_rest(&world);
            check(&world, &first);
            assert_eq!(code(&world.ask("user", redo(1))), "OK");
            drop_the_rest(&world);
            check(&world, &second);
        }
        // One change from under another.
        world.edit(&changed(&second, 10, "a line above\n"));
        drop_the_rest(&world);
        let outcome = world.ask("user", undo(UndoScope::Change(ChangeNumber::new(1))));
        assert_eq!(code(&outcome), "OK");
        drop_the_rest(&world);
        check(&world, &changed(&first, 10, "a line above\n"));
    }
}

/// A collection at a version leaves what that version needs, so a commit on it may rely on that, whatever comes between.
#[test]
fn a_collection_between_a_decision_and_its_commit_takes_nothing_that_is_needed() {
    let first = text(5_000);
    let second = changed(&first, 2_500, "another line\n");
    let world = World::new(&first);
    world.edit(&second);
    let peer = world.peer();
    world.clock.wait(HOUR);
    world.spy().expect(
        Commit,
        Trouble::after(move || {
            drop_the_rest(&peer);
            let kept = CollectOptions { history: Some(0), ..CollectOptions::default() };
            block_on(peer.engine.collect(&peer.canvas, kept)).unwrap();
        }),
    );
    let third = changed(&first, 2_500, "a third line\n");
    assert_eq!(code(&world.edit(&third)), "OK");
    assert!(world.spy().script_is_done());
    check(&world, &third);
}

#[test]
fn an_erased_text_is_gone_with_its_chunks() {
    let secret = "hunter2 is the password\n";
    let clean = text(5_000);
    let world = World::new(&changed(&clean, 2_500, secret));
    world.edit(&clean);
    let operation = crate::document::world::key("host", 0, "erase");
    block_on(world.engine.erase(&world.canvas, &operation, world.now())).unwrap();
    check(&world, &clean);
    let needed = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
    assert_eq!(world.spy().inner.blob_stats(&world.canvas).0, needed.len());
    for blob in block_on(world.spy().inner.blobs(&world.canvas, &needed)).unwrap() {
        assert!(!blob.unwrap().as_text().unwrap_or_default().contains(secret.trim_end()));
    }
}

/// What conversations know, and the artefact, may be older texts in chunks.
#[test]
fn texts_that_conversations_and_the_artefact_have_stay() {
    let first = text(5_000);
    let world = World::new(&first);
    world.ask("model", SendMessage);
    for n in 0..20 {
        world.edit(&changed(&first, n * 200, "another line\n"));
    }
    let kept = CollectOptions { history: Some(2), ..CollectOptions::default() };
    world.clock.wait(HOUR);
    assert!(block_on(world.engine.collect(&world.canvas, kept)).unwrap().blobs > 20);
    let peer = world.peer();
    let artefact = peer.head().committed().unwrap().iter().next().unwrap().1;
    let found = block_on(peer.engine.document(&peer.canvas, artefact)).unwrap().unwrap();
    assert!(found.as_text() == Some(&first));
    let Outcome::TurnBegan(began) = peer.ask("model", SendMessage) else { panic!("a turn begins") };
    let diff = began.changes.unwrap().diff.unwrap();
    assert!(diff.contains("+another line\n") && diff.lines().count() < 12, "{diff}");
    assert_eq!(began.promotion, Promotion::Promoted);
}

#[test]
fn a_chunk_that_is_lost_or_altered_is_named() {
    let text = text(5_000);
    let world = World::new(&text);
    let named = chunks(&world, world.head().document());
    for trouble in [Trouble::Missing, Trouble::Damaged] {
        let peer = world.peer();
        // The list comes first. Trouble befalls the last one of those that are read, and they are asked for in order.
        let last = *named.iter().max().unwrap();
        let again = matches!(trouble, Trouble::Missing);
        peer.spy().expect(Blobs, Trouble::after(|| ()));
        peer.spy().expect(Blobs, trouble);
        peer.spy().expect(Blobs, Trouble::after(|| ()));
        peer.spy().expect(Blobs, if again { Trouble::Missing } else { Trouble::Damaged });
        let error = block_on(peer.engine.snapshot(&peer.canvas, peer.now())).unwrap_err();
        assert!(matches!(error, EngineError::Damaged { blob, .. } if blob == last), "{error}");
        assert_eq!(error.code(), "CANVAS_DAMAGED");
    }
    // Where it is gone for good, nobody reads the text, and who has it goes on.
    let all = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
    let rest = all.into_iter().filter(|id| *id != named[2]).collect();
    drop_all_but(&world.spy().inner, &world.canvas, &rest);
    let peer = world.peer();
    for _ in 0..2 {
        let error = block_on(peer.engine.document(&peer.canvas, peer.head().document())).unwrap_err();
        assert!(matches!(error, EngineError::Damaged { blob, .. } if blob == named[2]), "{error}");
        let error = block_on(peer.engine.snapshot(&peer.canvas, peer.now())).unwrap_err();
        assert!(matches!(error, EngineError::Damaged { blob, .. } if blob == named[2]), "{error}");
    }
    let gone = BlobId::of(b"never there");
    assert!(block_on(peer.engine.document(&peer.canvas, gone)).unwrap().is_none());
}

/// A list that says what cannot be is no document, and costs nothing.
#[test]
fn a_list_that_cannot_be_is_damage() {
    let chunk = Blob::text("x".repeat(60_000));
    let entry = |len: u32, id: BlobId| [&len.to_be_bytes()[..], id.as_bytes()].concat();
    let list = |begin: &[u8], total: u64, entries: &[Vec<u8>]| {
        [begin, &total.to_be_bytes()[..], &entries.concat()[..]].concat()
    };
    let (right, begin) = (entry(60_000, chunk.id()), b"\xffchunks\x01");
    let lists = [
        list(begin, 120_001, &[right.clone(), right.clone()]),
        list(begin, 0, &[]),
        list(begin, u64::MAX, &[]),
        list(begin, u64::MAX, &[entry(u32::MAX, chunk.id()), right.clone()]),
        list(begin, 60_001, &[entry(60_001, chunk.id())]),
        list(begin, 0, &[entry(0, chunk.id())]),
        list(begin, 60_000, &[entry(0, chunk.id()), right.clone()]),
        list(begin, 120_000, &[right.clone(), right.clone(), vec![1]]),
        list(b"\xffchunks\x02", 120_000, &[right.clone(), right.clone()]),
        b"\xffchunks\x01".to_vec(),
        b"\xffchunks".to_vec(),
        // It adds up, to more than anybody keeps.
        list(begin, 60_000 * 20_000, &vec![right.clone(); 20_000]),
    ];
    for (number, bytes) in lists.into_iter().enumerate() {
        let world = World::new("small\n");
        let list = Blob::bytes(bytes);
        let head = world.altered("/draft/document.md", json!(list.id())).unwrap();
        world.put_with(head, vec![list.clone(), chunk.clone()]);
        for world in [&world, &world.peer()] {
            let error = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap_err();
            let EngineError::Damaged { blob, .. } = error else { panic!("{number}: {error}") };
            assert!([list.id(), chunk.id()].contains(&blob), "{number}: {blob}");
        }
    }
    // One that is right is read, whoever has written it.
    let world = World::new("small\n");
    let list = Blob::bytes(list(begin, 120_000, &[right.clone(), right]));
    let head = world.altered("/draft/document.md", json!(list.id())).unwrap();
    world.put_with(head, vec![list, chunk]);
    assert_eq!(world.text(), "x".repeat(120_000));
    world.edit(&"x".repeat(130_000));
    assert_eq!(world.text(), "x".repeat(130_000));
}

/// A canvas as 0.1.0 has stored it, with a large text in one blob.
fn old(text: &str) -> World {
    let world = World::new("");
    let (blob, first) = (Blob::text(text.to_owned()), world.head().document());
    let json = serde_json::to_string(world.head().as_ref()).unwrap();
    let json = json.replace(&first.to_string(), &blob.id().to_string());
    world.put_with(serde_json::from_str(&json).unwrap(), vec![blob]);
    world
}

#[test]
fn a_large_text_of_before_is_read_and_its_first_edit_makes_chunks() {
    let first = text(5_000);
    let (world, whole) = (old(&first), BlobId::of(first.as_bytes()));
    check(&world, &first);
    // The same text is no change.
    assert_eq!(code(&world.edit(&first)), "OK");
    assert_eq!((world.head().document(), world.head().revision().get()), (whole, 1));
    assert_eq!(serde_json::to_value(world.head().as_ref()).unwrap()["format"], 1);
    let second = changed(&first, 100, "another line\n");
    world.edit(&second);
    assert_eq!(world.head().document(), BlobId::of_document(&second));
    assert_ne!(world.head().document(), BlobId::of(second.as_bytes()));
    drop_the_rest(&world);
    check(&world, &second);
    // Undo leads to the very blob, which is put again, and redo to the chunks.
    assert_eq!(code(&world.ask("user", undo(steps(1)))), "OK");
    assert_eq!(world.head().document(), whole);
    drop_the_rest(&world);
    check(&world, &first);
    assert_eq!(code(&world.ask("user", redo(1))), "OK");
    drop_the_rest(&world);
    check(&world, &second);
}

#[test]
fn the_same_text_under_its_name_of_before_is_no_change() {
    let first = text(5_000);
    let world = old(&first);
    let Outcome::TurnBegan(began) = world.ask("model", SendMessage) else { panic!("a turn begins") };
    assert_eq!(began.promotion, Promotion::Promoted);
    world.edit(&changed(&first, 100, "another line\n"));
    world.edit(&first);
    let head = world.head();
    assert_ne!(head.document(), BlobId::of(first.as_bytes()), "the text has chunks now");
    assert_ne!(Some(head.hash_pair().0), head.hash_pair().1);
    let Outcome::TurnBegan(began) = world.peer().ask("model", SendMessage) else { panic!("a turn begins") };
    assert_eq!((began.promotion, began.changes), (Promotion::Unchanged, None));
    let (draft, artefact) = world.head().hash_pair();
    assert_eq!(Some(draft), artefact);
    // Another text is one.
    world.edit(&changed(&first, 100, "another line\n"));
    let Outcome::TurnBegan(began) = world.peer().ask("model", SendMessage) else { panic!("a turn begins") };
    assert_eq!(began.promotion, Promotion::Promoted);
    assert!(began.changes.is_some());
}

/// The current document that comes along with a conflict is a list too.
#[test]
fn who_loses_a_commit_fetches_the_chunks_of_the_winner() {
    let first = text(5_000);
    for sends_along in [false, true] {
        let world = World::new(&first);
        if sends_along {
            world.spy().send_along();
        }
        let winner = world.peer();
        let theirs = changed(&first, 4_000, "their line\n");
        let edit = theirs.clone();
        world.spy().expect(Commit, Trouble::after(move || drop(winner.edit(&edit))));
        world.spy().asked();
        let base = world.head().revision_id();
        assert_eq!(code(&world.ask("user", Edit::on(base, changed(&first, 100, "my line\n")))), "OK");
        let (asked, read) = (world.spy().asked(), world.spy().read());
        assert_eq!(asked.iter().filter(|asked| **asked == Commit).count(), 2, "{asked:?}");
        assert!(read <= 6, "{read} blobs: {asked:?}");
        check(&world, &changed(&theirs, 100, "my line\n"));
    }
}

#[test]
fn a_document_of_one_line_of_10_mb_is_edited_in_its_chunks() {
    let line: String = (0..).map(|n: u64| format!("{} ", n * n % 999_983)).take(1_700_000).collect();
    let line = &line[..10 << 20];
    let world = World::new(line);
    let (_, before) = world.spy().inner.blob_stats(&world.canvas);
    let after = [&line[..5 << 20], "an edit", &line[5 << 20..]].concat();
    // Its entry would have both lines.
    assert_eq!(code(&world.edit(&after)), "OK");
    let (_, now) = world.spy().inner.blob_stats(&world.canvas);
    assert!(now - before < 400_000, "{} bytes", now - before);
    drop_the_rest(&world);
    check(&world, &after);
}

/// What a step of the law does.
#[derive(Debug, Clone)]
enum Act {
    /// Changes a line, to one of a few texts, so that texts come back.
    Change(usize, u8),
    /// Removes or doubles a part, so that the text crosses the bound.
    Cut(usize, usize),
    Double,
    Undo(u32),
    Redo(u32),
    Message,
    Collect(u64),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0..3_000_usize, 0..3_u8).prop_map(|(line, to)| Act::Change(line, to)),
        1 => (0..3_000_usize, 1..2_000_usize).prop_map(|(line, count)| Act::Cut(line, count)),
        1 => Just(Act::Double),
        3 => (1..4_u32).prop_map(Act::Undo),
        2 => (1..4_u32).prop_map(Act::Redo),
        1 => Just(Act::Message),
        3 => (0..8_u64).prop_map(Act::Collect),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// However a text came about, its chunks are those of the text; and nothing goes that somebody needs.
    #[test]
    fn any_history_keeps_what_it_needs(acts in prop::collection::vec(act(), 1..20), is_old in any::<bool>()) {
        let first = text(2_000);
        let world = if is_old { old(&first) } else { World::new(&first) };
        let mut now = first;
        for act in acts {
            world.clock.wait(HOUR);
            let lines = || now.split_inclusive('\n').collect::<Vec<_>>();
            match act {
                Act::Change(line, to) => {
                    let after = changed(&now, line % (lines().len() + 1), &format!("changed to {to}\n"));
                    world.edit(&after);
                }
                Act::Cut(line, count) => {
                    let lines = lines();
                    let kept = lines.iter().enumerate().filter(|(n, _)| *n < line || *n >= line + count);
                    world.edit(&kept.map(|(_, line)| *line).collect::<String>());
                }
                Act::Double if now.len() < 400_000 => drop(world.edit(&now.repeat(2))),
                Act::Double => {}
                Act::Undo(count) => drop(world.ask("user", undo(steps(count)))),
                Act::Redo(count) => drop(world.ask("user", redo(count))),
                Act::Message => drop(world.ask("model", SendMessage)),
                Act::Collect(history) => {
                    let collection = CollectOptions { history: Some(history), ..CollectOptions::default() };
                    block_on(world.engine.collect(&world.canvas, collection)).unwrap();
                    drop_the_rest(&world);
                }
            }
            let peer = world.peer();
            let snapshot = block_on(peer.engine.snapshot(&peer.canvas, peer.now())).unwrap();
            let document = snapshot.head.document();
            prop_assert!([BlobId::of_document(snapshot.text()), BlobId::of(snapshot.text().as_bytes())].contains(&document));
            let known = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap();
            prop_assert!(known.text() == snapshot.text());
            now = snapshot.text().to_owned();
        }
        check(&world, &now);
        // All that the canvas names is there.
        let needed = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
        let found = block_on(world.spy().inner.blobs(&world.canvas, &needed)).unwrap();
        let lost: BTreeSet<_> = needed.iter().zip(&found).filter(|(_, blob)| blob.is_none()).map(|(id, _)| *id).collect();
        let history = block_on(world.engine.history(&world.canvas, None, 999, world.now())).unwrap();
        // The oldest entry names one that is forgotten.
        prop_assert!(lost.len() <= 1 + history.len().min(1), "{} of {}", lost.len(), needed.len());
    }
}
