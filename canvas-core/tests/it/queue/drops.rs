//! Calls whose callers give up, at every moment.

use canvas_core::CodedError as _;

use super::world::{Act, Crowd, Fate, World, kind, revisions};

fn was_done(world: &World, call: usize) -> bool {
    String::from_utf8(world.head().to_json()).unwrap().contains(&format!("\"call {call}\""))
}

/// Each of five calls is dropped at each of its polls: before it is sent it leaves no trace, later it is done once at most,
/// and all others are done once.
#[test]
fn a_call_that_is_dropped_is_never_done_or_done_once_and_harms_nobody() {
    let fates = [Fate::Done, Fate::Overtaken, Fate::AnswerLost, Fate::LostOnTheWay, Fate::Definite];
    let pairs = fates.iter().flat_map(|fate| [(*fate, Fate::Done), (Fate::Done, *fate)]);
    for (first, second) in pairs {
        for dropped in 0..5 {
            let mut polls = 0;
            while play(dropped, polls, [first, second]) {
                polls += 1;
                assert!(polls < 100);
            }
        }
    }
}

/// Whether the call was still there after so many polls in all.
fn play(dropped: usize, polls: usize, fates: [Fate; 2]) -> bool {
    let world = World::new();
    world.gate().befall(fates);
    let mut crowd = Crowd::begin((0..5).map(|call| world.edit(call)));
    let mut left = polls;
    // Each poll of the crowd is a moment at which it may be dropped.
    loop {
        if left == 0 || crowd.is_done() {
            break;
        }
        left -= 1;
        if crowd.poll_woken(0).is_none() {
            world.gate().let_one_pass();
        }
    }
    let was_there = crowd.said[dropped].is_none();
    let is_sent = !world.gate().commits().is_empty() || dropped == 0;
    crowd.drop_call(dropped);
    world.gate().open();
    crowd.run(0);
    world.gate().deliver_late();
    let context = format!("{dropped} at {polls} {fates:?}");
    if was_there && !is_sent {
        assert!(!was_done(&world, dropped), "{context}");
    }
    let mut done = 0;
    for (call, said) in crowd.said.iter().enumerate() {
        match said {
            Some(Ok(said)) => {
                assert!(was_done(&world, call), "{context}");
                assert_eq!(kind(&said.json), "edited");
                done += 1;
            }
            Some(Err(e)) => {
                assert_eq!(e.code(), "STORE_FAILED", "{context}");
                assert!(!was_done(&world, call), "{context}");
            }
            None => done += usize::from(was_done(&world, call)),
        }
    }
    assert_eq!(world.head().revision().get(), 1 + done as u64, "{context}");
    // Who was settled by a receipt is shown the canvas of a later moment.
    let answers = crowd.said.iter().flatten().filter_map(|said| said.as_ref().ok());
    let answers: Vec<_> = answers.filter(|said| !said.replayed).collect();
    assert_eq!(revisions(&answers).len(), answers.len(), "{context}");
    was_there
}

/// The commit under way is everybody's: who has begun it may go, or hold it and never poll again.
#[test]
fn a_commit_goes_on_without_the_call_that_began_it() {
    for is_held in [false, true] {
        let world = World::new();
        let mut held = Vec::new();
        let mut first = world.edit(0);
        let mut nobody = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(first.as_mut().poll(&mut nobody).is_pending());
        held.push(first);
        let mut crowd = Crowd::begin((1..4).map(|call| world.edit(call)));
        if !is_held {
            held.clear();
        }
        world.gate().open();
        crowd.run(0);
        assert_eq!(crowd.answers().len(), 3);
        assert_eq!(world.head().revision().get(), 5, "the first was on its way");
        assert_eq!(world.gate().commits().len(), 2);
    }
}

/// What a dropped call has done in between is not there for those who were decided upon it.
#[test]
fn those_who_were_decided_upon_a_dropped_call_are_decided_again() {
    let world = World::new();
    let write = |old: &'static str, new: &str| Act::Write(old, new.to_owned());
    let begun = [write("d", "D"), write("a", "x"), write("x", "y"), write("b", "B")];
    let mut crowd = Crowd::begin(begun.iter().enumerate().map(|(i, act)| world.begin(act, i)));
    crowd.drop_call(1);
    world.gate().open();
    crowd.run(0);
    let kinds: Vec<_> = crowd.answers().iter().map(|said| kind(&said.json)).collect();
    assert_eq!(kinds, ["applied", "refused", "applied"]);
    assert_eq!(world.text(), "a\nB\nc\nD\n");
    assert!(!was_done(&world, 1));
}

/// Where all have gone, the next call begins anew.
#[test]
fn nothing_is_left_of_calls_that_were_all_dropped() {
    let world = World::new();
    for _ in 0..3 {
        drop(Crowd::begin((0..5).map(|call| world.edit(call))));
        assert_eq!(world.head().revision().get(), 1);
    }
    world.gate().open();
    let said = super::world::block(world.edit(7));
    assert_eq!((said.revision, said.replayed), (2, false));
    assert!(format!("{:?}", world.engine).contains("queues: Queues(Mutex { data: {}"), "no queue is left");
}
