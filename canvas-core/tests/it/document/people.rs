//! Changes name their actors and authors.

use canvas_core::document::Edit;
use canvas_core::history::{Entry, Redo, Undo, UndoScope};
use canvas_core::lease::Turn;
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{Actor, Author, CallId, ConversationId, OpKey, PersonId};

use super::any::{Call, Command, code, dynamic};
use super::world::{World, apply};

fn person(name: &str) -> Actor {
    Actor::Person { person: PersonId::new(name).unwrap() }
}

fn conversation(name: &str, turn: Turn) -> Actor {
    Actor::Conversation { conversation: ConversationId::new(name).unwrap(), turn }
}

fn by(name: &str, call: &str, command: Command) -> Call {
    let operation = OpKey::person(PersonId::new(name).unwrap(), CallId::new(call).unwrap());
    Call { operation, command }
}

fn entries(world: &World) -> Vec<Entry> {
    block_on(world.engine.history(&world.canvas, None, 100, world.now())).unwrap()
}

fn format(world: &World) -> u64 {
    let head: serde_json::Value = serde_json::from_slice(&world.head().to_json()).unwrap();
    head["format"].as_u64().unwrap()
}

#[test]
fn an_entry_names_who_made_it_and_who_wrote_it() {
    let world = World::new("a\nb\n");
    world.ask("main", SendMessage);
    let turn = world.head().lock().turn();
    let lease = world.check_out("main");
    assert_eq!(code(&world.ask("main", apply(lease, "a>c"))), "OK");
    world.edit("c\nz\n");
    assert_eq!(format(&world), 1, "a canvas without named people keeps its format");
    let steps = || UndoScope::Steps(std::num::NonZeroU32::MIN);
    let undo = || dynamic(Undo { by: Author::User, what: steps() });
    for (call, command) in [("1", undo()), ("2", undo())] {
        assert_eq!(code(&world.run(&by("anna", call, command)).outcome), "OK");
    }
    assert_eq!(format(&world), 3);
    let redo = dynamic(Redo { by: Author::User, steps: std::num::NonZeroU32::MIN });
    assert_eq!(code(&world.run(&by("bert", "1", redo)).outcome), "OK");
    let named: Vec<_> =
        entries(&world).iter().map(|entry| (entry.made_by(), entry.written_by().unwrap())).rev().collect();
    let main = conversation("main", turn);
    assert_eq!(
        named,
        [
            (main.clone(), main.clone()),
            (person("user"), person("user")),
            (person("anna"), person("user")),
            (person("anna"), main.clone()),
            (person("bert"), main),
        ]
    );
}

#[test]
fn a_canvas_with_chunks_is_raised_by_one_commit() {
    let long: String = (0..4_000).map(|line| format!("line {line} of a long text\n")).collect();
    let world = World::new("a\n");
    world.edit(&long);
    world.edit(&format!("{long}more\n"));
    assert_eq!(format(&world), 2);
    assert_eq!(code(&world.run(&by("anna", "1", dynamic(Edit::overwrite("short\n")))).outcome), "OK");
    assert_eq!(format(&world), 3);
    let steps = UndoScope::Steps(std::num::NonZeroU32::new(2).unwrap());
    assert_eq!(code(&world.ask("user", Undo { by: Author::User, what: steps })), "OK");
    assert_eq!((world.text(), format(&world)), (long, 3));
}

/// Neither a person and a conversation of one name, nor two people, share a receipt.
#[test]
fn keys_of_people_are_their_own() {
    let world = World::new("a\n");
    let edit = |text: &str| dynamic(Edit::overwrite(text));
    let anna = by("anna", "1", edit("b\n"));
    let bert = by("bert", "1", edit("c\n"));
    let unnamed = Call { operation: OpKey::user(CallId::new("1").unwrap()), command: edit("d\n") };
    let page = OpKey::of(ConversationId::new("anna").unwrap(), CallId::new("1").unwrap());
    let page = Call { operation: page, command: edit("e\n") };
    let all = [&anna, &bert, &unnamed, &page];
    for call in all {
        let run = world.run(call);
        assert_eq!((code(&run.outcome).as_str(), run.replayed), ("OK", false));
    }
    // Enough calls for the receipts to leave the head.
    for number in 0..200 {
        assert_eq!(
            code(&world.run(&by("carl", &number.to_string(), edit(&format!("{number}\n")))).outcome),
            "OK"
        );
    }
    for call in all {
        assert!(world.peer().run(call).replayed);
    }
    assert_eq!(world.text(), "199\n");
    let other = Call { command: edit("x\n"), ..anna };
    assert_eq!(code(&world.run(&other).outcome), "CALL_ID_REUSED");
}

/// The ids of a board come from the key of a call.
#[cfg(feature = "board")]
#[test]
fn two_people_with_one_call_id_make_two_components() {
    use super::board::{board_command, tile, with_board};

    let world = with_board();
    for (name, column) in [("anna", 0), ("bert", 5)] {
        let call = by(name, "1", board_command(Author::User, tile(column)));
        assert_eq!(code(&world.run(&call).outcome), "OK");
    }
    let (board, _) = block_on(world.engine.board(&world.canvas, world.now())).unwrap();
    assert_eq!(board.unwrap().workspace(|_| Default::default()).canvas.components.len(), 2);
}
