//! How much a commit takes, and who comes first.

use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, Policy};

use super::world::{Crowd, Fate, NOW, World, key, kind};

/// 1, then 32 at most, first come first: revisions follow the order in which the calls came.
#[test]
fn a_commit_takes_32_calls_and_the_others_wait_their_turn() {
    let world = World::new();
    let mut crowd = Crowd::begin((0..100).map(|call| world.edit(call)));
    crowd.run_slowly(&world);
    let revisions: Vec<_> = crowd.answers().iter().map(|said| said.revision).collect();
    assert_eq!(revisions, (2..102).collect::<Vec<_>>());
    // A document and an entry each, a page now and then.
    let commits = world.gate().commits();
    assert_eq!(commits.len(), 5, "{commits:?}");
    assert!(commits.iter().all(|blobs| *blobs <= 32 * 3), "{commits:?}");
}

/// Of more than 1 MiB each, the fourth reaches the limit. No two share a chunk.
#[test]
fn a_commit_takes_no_more_once_it_has_4_mib() {
    let world = World::new();
    let large = |call: usize| {
        let lines = (0..1 << 17).map(|line| format!("{call} {line}\n"));
        super::world::Act::Edit(lines.collect())
    };
    let mut crowd = Crowd::begin((0..10).map(|call| world.begin(&large(call), call)));
    crowd.run_slowly(&world);
    let revisions: Vec<_> = crowd.answers().iter().map(|said| said.revision).collect();
    assert_eq!(revisions, (2..12).collect::<Vec<_>>());
    assert_eq!(world.gate().commits().len(), 4, "1, 4, 4, 1");
}

/// What the store takes one by one it gets one by one.
#[test]
fn a_commit_that_is_too_large_is_made_of_single_ones() {
    let world = World::new();
    let mut crowd = Crowd::begin((0..6).map(|call| world.edit(call)));
    world.gate().befall([Fate::Done, Fate::TooLarge]);
    world.gate().open();
    crowd.run(0);
    assert_eq!(crowd.answers().len(), 6);
    assert_eq!(world.head().revision().get(), 7);
    assert_eq!(world.gate().commits().len(), 7);
    // Afterwards they share commits again.
    let mut crowd = Crowd::begin((6..9).map(|call| world.edit(call)));
    crowd.run(0);
    assert_eq!(world.gate().commits().len(), 3, "memory answers at once");
}

/// The store's clock is not known before a canvas is made, so nothing is decided upon that.
#[test]
fn calls_wait_for_a_canvas_that_is_being_made() {
    let world = World::empty(Policy::default());
    let (canvas, made) = (world.canvas.clone(), key("model", "create"));
    let create = async {
        let created = world.engine.create(&canvas, "a\n", &made, NOW).await?;
        let (revision, document) = (created.snapshot.head.revision().get(), created.snapshot.document.id());
        Ok(super::world::Said {
            json: r#"{"kind":"created"}"#.to_owned(),
            replayed: created.replayed,
            revision,
            document,
        })
    };
    let mut crowd = Crowd::begin([Box::pin(create) as super::world::Doing<'_>]);
    // Who looks finds no canvas yet.
    crowd.join(world.edit(0));
    assert_eq!(crowd.said[1].as_ref().map(|said| said.as_ref().unwrap_err().code()), None);
    world.gate().let_one_pass();
    world.gate().open();
    crowd.run(0);
    let kinds: Vec<_> = crowd.answers().iter().map(|said| kind(&said.json)).collect();
    assert_eq!(kinds, ["created", "edited"]);
    assert!(block_on(world.engine.snapshot(&world.canvas, NOW)).is_ok());
}
