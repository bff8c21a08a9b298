//! Commits of several calls whose fate is unknown.

use canvas_core::CodedError as _;

use super::world::{Crowd, Fate, World, kind, revisions};

/// Each call of it is settled: done once, whether it got through or not, and the late duplicate does nothing.
#[test]
fn a_batch_in_doubt_is_settled_for_each_of_its_calls() {
    for fate in [Fate::AnswerLost, Fate::LostOnTheWay] {
        // More than a page of receipts takes, so that some lie in a blob when they are looked for.
        for calls in [2, 5, 17, 33] {
            let world = World::new();
            world.gate().befall([Fate::Done, fate]);
            let mut crowd = Crowd::begin((0..calls).map(|call| world.edit(call)));
            world.gate().open();
            crowd.run(0);
            assert_eq!(world.gate().deliver_late(), 0, "{fate:?} {calls}");
            let answers = crowd.answers();
            assert!(answers.iter().all(|said| kind(&said.json) == "edited"));
            assert_eq!(world.head().revision().get(), 1 + calls as u64, "{fate:?} {calls}");
            assert_eq!(answers[1..].iter().all(|said| said.replayed), fate == Fate::AnswerLost);
            if fate == Fate::LostOnTheWay {
                assert_eq!(revisions(&answers).len(), calls);
            }
            // Asked again, each is answered the same.
            for (call, said) in answers.iter().enumerate() {
                let again = super::world::block(world.edit(call));
                assert_eq!((&again.json, again.replayed), (&said.json, true));
            }
        }
    }
}

/// A definite failure is that of the calls in it; those who wait go on.
#[test]
fn a_batch_that_fails_for_sure_has_done_nothing_of_any_call() {
    let world = World::new();
    world.gate().befall([Fate::Done, Fate::Definite]);
    let mut crowd = Crowd::begin((0..4).map(|call| world.edit(call)));
    world.gate().let_one_pass();
    while crowd.poll_woken(0).is_some() {}
    let mut waiting = Crowd::begin([world.edit(4)]);
    world.gate().open();
    crowd.run(0);
    waiting.run(0);
    let codes: Vec<_> =
        crowd.said[1..].iter().flatten().map(|said| said.as_ref().unwrap_err().code()).collect();
    assert_eq!(codes, ["STORE_FAILED"; 3]);
    assert_eq!(waiting.answers()[0].revision, 3);
    assert_eq!((world.head().revision().get(), world.text().as_str()), (3, "4\n"));
    // The same calls work later.
    for call in 1..4 {
        assert!(!super::world::block(world.edit(call)).replayed);
    }
}
