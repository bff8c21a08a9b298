//! Commands on canvases that are made by them.

use canvas_core::document::{Edit, Read};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::CheckOut;
use canvas_core::store::Store as _;
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{Author, CallId, CodedError as _, Command, Engine, OpKey, Policy, Revision};

use super::world::World;

/// How a call on no canvas ends: what the document is then, and at which revision; or the code of its failure.
#[track_caller]
fn made<C: Command + Clone>(command: C, expected: Result<(&str, u64), &str>) {
    let world = World::empty(Policy::default());
    let (engine, now) = (&world.engine, world.now());
    let operation = OpKey::user(CallId::new("first").unwrap());
    let call =
        |engine: &Engine<_>| block_on(engine.call_or_create(&world.canvas, &operation, command.clone(), now));
    let first = call(engine);
    let found = match &first {
        Ok(Ok(answered)) => Ok((answered.snapshot.text(), answered.snapshot.revision_id().revision().get())),
        Ok(Err(_)) => Err("refused"),
        Err(e) => Err(e.code()),
    };
    assert_eq!(found, expected, "{}", C::NAME);
    let Ok((text, number)) = expected else {
        assert!(block_on(engine.store().load(&world.canvas)).unwrap().is_none(), "{} leaves a row", C::NAME);
        return;
    };
    // What is stored is what was answered, for whoever comes next too.
    for (engine, who) in [(engine, "same"), (&world.peer().engine, "peer")] {
        let snapshot = block_on(engine.snapshot(&world.canvas, now)).unwrap();
        assert_eq!(
            (snapshot.text(), snapshot.revision_id().revision().get()),
            (text, number),
            "{} {who}",
            C::NAME
        );
        let again = call(engine).unwrap().unwrap();
        assert!(again.replayed, "{} {who}", C::NAME);
    }
    let replay = block_on(engine.replay(&world.canvas, now)).unwrap();
    assert_eq!(replay.tree, world.head().draft().hash(), "{}", C::NAME);
}

#[test]
fn a_command_on_the_document_makes_the_canvas_with_what_it_wrote() {
    made(Edit::overwrite("# Plan\n"), Ok(("# Plan\n", 1)));
    made(Edit::overwrite("line\n".repeat(100_000)), Ok((&"line\n".repeat(100_000), 1)));
    // What changes no text makes an empty document.
    made(Edit::overwrite(""), Ok(("", 1)));
    made(SendMessage, Ok(("", 1)));
    made(CheckOut, Ok(("", 1)));
}

#[test]
fn who_is_refused_makes_no_canvas() {
    made(Read::new(None), Err("refused"));
    made(Edit::on(Revision::new(7).unwrap(), "a\n"), Err("refused"));
}

/// The document was empty first, so the text can be taken back.
#[test]
fn the_first_text_can_be_taken_back() {
    let world = World::empty(Policy::default());
    let (engine, now) = (&world.engine, world.now());
    let [first, second] = ["first", "second"].map(|id| OpKey::user(CallId::new(id).unwrap()));
    let edit = engine.call_or_create(&world.canvas, &first, Edit::overwrite("a\n"), now);
    block_on(edit).unwrap().unwrap().result.unwrap();
    let undo = Undo { by: Author::User, what: UndoScope::Steps(std::num::NonZeroU32::MIN) };
    let undone = block_on(engine.call(&world.canvas, &second, undo, now)).unwrap();
    undone.result.unwrap();
    assert_eq!(undone.snapshot.text(), "");
    let replay = block_on(world.peer().engine.replay(&world.canvas, now)).unwrap();
    assert_eq!((replay.entries, replay.tree), (2, world.head().draft().hash()));
}
