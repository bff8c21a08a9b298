//! Calls that share commits come to the same as one by one.

use canvas_core::CodedError as _;
use proptest::prelude::*;

use super::world::{Act, Crowd, Fate, World, id, kind};

fn act() -> impl Strategy<Value = Act> {
    let line = prop::sample::select(vec!["a", "b", "c", "d", "e"]);
    prop_oneof![
        3 => (line.clone(), line).prop_map(|(old, new)| Act::Write(old, new.to_owned())),
        2 => "[a-d]\n[a-d]\n".prop_map(Act::Edit),
        2 => prop::sample::select(vec!["model", "other"]).prop_map(Act::CheckOut),
        1 => Just(Act::CheckIn),
        1 => Just(Act::Renew),
        1 => Just(Act::Message),
        1 => Just(Act::Cancel),
        1 => Just(Act::TakeControl),
        2 => Just(Act::Undo),
        1 => Just(Act::Redo),
    ]
}

/// Acts, some of which are made again as the same call.
pub(crate) fn acts() -> impl Strategy<Value = Vec<Act>> {
    let again = prop::option::weighted(0.2, any::<prop::sample::Index>());
    prop::collection::vec((act(), again), 1..40).prop_map(|drawn| {
        let mut acts: Vec<Act> = Vec::new();
        for (act, again) in drawn {
            let act = match again.filter(|_| !acts.is_empty()).map(|again| again.index(acts.len())) {
                Some(i) if !matches!(acts[i], Act::Again(..)) => Act::Again(i, Box::new(acts[i].clone())),
                _ => act,
            };
            acts.push(act);
        }
        acts
    })
}

/// So many calls are decided in the order in which they came: one is sent at once, and 32 make the next commit. Those beyond are
/// decided in the order in which they are polled once there is room.
const IN_ORDER: usize = 33;

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// The same answers, and the same head to the last byte; commits that are overtaken change nothing of that.
    #[test]
    fn a_batch_is_one_by_one(acts in acts(), from in 0_usize..40, overtaken in prop::collection::vec(any::<bool>(), 0..4)) {
        let (together, apart) = (World::new(), World::new());
        apart.gate().open();
        let one_by_one: Vec<_> = acts
            .iter()
            .enumerate()
            .map(|(i, act)| super::world::block(apart.begin(act, i)))
            .collect();

        let fates = overtaken.iter().map(|is| if *is { Fate::Overtaken } else { Fate::Done });
        together.gate().befall(fates);
        let is_calm = !overtaken.contains(&true);
        let mut crowd = Crowd::begin(acts.iter().enumerate().map(|(i, act)| together.begin(act, i)));
        together.gate().open();
        crowd.run(if is_calm && acts.len() <= IN_ORDER { from } else { 0 });
        let answers = crowd.answers();
        prop_assert!(is_calm || answers.len() == acts.len());
        if is_calm {
            for (one, other) in one_by_one.iter().zip(&answers) {
                prop_assert_eq!((&one.json, one.replayed), (&other.json, other.replayed));
                // What was done before is answered with the canvas of a later moment.
                prop_assert!(one == *other || one.replayed);
            }
            prop_assert_eq!(together.head().to_json(), apart.head().to_json());
            prop_assert!(together.gate().commits().len() <= apart.gate().commits().len());
        }
        for said in answers {
            prop_assert!(together.gate().has(&together.canvas, said.document), "of each revision its text is stored");
        }
    }
}

/// A commit has landed, its answer is slow, and another server has gone on: who reads then is shown that.
#[test]
fn a_read_shows_what_was_there_when_it_began() {
    let world = World::new();
    world.gate().befall([Fate::Slow]);
    let mut crowd = Crowd::begin([world.begin(&Act::Write("a", "x".to_owned()), 0)]);
    world.gate().let_one_pass();
    while crowd.poll_woken(0).is_some() {}
    assert_eq!((crowd.is_done(), world.text().as_str()), (false, "x\nb\nc\nd\n"));
    world.peer_edits("peer\n");
    crowd.join(world.begin(&Act::Read, 1));
    crowd.join(world.begin(&Act::Again(0, Box::new(Act::Write("a", "x".to_owned()))), 2));
    crowd.run_slowly(&world);
    let answers = crowd.answers();
    assert_eq!((answers[1].document, answers[2].document), (id("peer\n"), id("peer\n")));
    assert!(answers[2].replayed && answers[2].json == answers[0].json);
}

/// While one commit is under way, all that come are the next one; each has its own revision and its own text.
#[test]
fn calls_that_wait_share_a_commit() {
    let world = World::new();
    let mut crowd = Crowd::begin((0..9).map(|call| world.edit(call)));
    world.gate().open();
    crowd.run(0);
    assert_eq!(world.gate().commits().len(), 2);
    for (call, said) in crowd.answers().into_iter().enumerate() {
        assert_eq!(kind(&said.json), "edited");
        assert_eq!((said.revision, said.document), (call as u64 + 2, id(&format!("{call}\n"))));
        assert!(world.gate().has(&world.canvas, said.document));
    }
    assert_eq!(world.head().revision().get(), 10);
}

/// What is refused waits for what it was refused upon, and is not refused where that never comes.
#[test]
fn a_refusal_waits_for_what_it_was_decided_upon() {
    let world = World::new();
    let write = Act::Write("a", "x".to_owned());
    // The user ends the lease, and the write comes too late.
    let mut crowd = Crowd::begin([world.edit(0), world.begin(&write, 1)]);
    assert!(crowd.said.iter().all(Option::is_none));
    world.gate().open();
    crowd.run(0);
    assert_eq!(kind(&crowd.answers()[1].json), "refused");

    let world = World::new();
    let mut crowd = Crowd::begin([world.edit(0), world.begin(&write, 1)]);
    world.gate().befall([Fate::Definite]);
    world.gate().open();
    crowd.run(0);
    assert_eq!(crowd.said[0].as_ref().unwrap().as_ref().unwrap_err().code(), "STORE_FAILED");
    assert_eq!(kind(&crowd.said[1].as_ref().unwrap().as_ref().unwrap().json), "applied");
}
