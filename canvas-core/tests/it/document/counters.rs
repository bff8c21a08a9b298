//! Counters end at 2^53 - 1: what is beyond is refused when it is read, and who is there is refused more.

use std::num::NonZeroU32;

use canvas_core::Author;
use canvas_core::document::Edit;
use canvas_core::history::{ChangeNumber, ClearHistory, EntryNumber, Redo, Undo, UndoScope};
use canvas_core::store::Head;
use serde_json::json;

use super::world::World;
use crate::document::any::{Command, code, dynamic};
use crate::policy_with;

const LAST: u64 = canvas_core::lease::safe_integer::MAX;

fn undo() -> Command {
    dynamic(Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) })
}

fn redo() -> Command {
    dynamic(Redo { by: Author::User, steps: NonZeroU32::MIN })
}

/// A canvas with something to undo and something to redo.
fn eventful() -> World {
    // Nothing is forgotten, whatever the numbers say.
    let world = World::with("a\n", policy_with(|policy| policy.history.changes = u64::MAX));
    world.check_out("model");
    for text in ["b\n", "c\n", "d\n"] {
        world.edit(text);
    }
    world.ask("user", undo());
    world
}

#[test]
fn a_head_with_a_counter_beyond_the_last_is_refused() {
    for (pointer, value, expected) in [
        ("/journal/entries", u64::MAX, "2^53 - 1"),
        ("/journal/entries", LAST + 1, "2^53 - 1"),
        // Each entry has a revision of its own.
        ("/journal/entries", LAST, "in journal"),
        ("/journal/entries", 6, "in journal"),
        ("/receipts/lease/calls", u64::MAX, "2^53 - 1"),
        ("/receipts/lease/calls", LAST + 1, "2^53 - 1"),
        ("/receipts/lease/fence", LAST + 1, "2^53 - 1"),
        ("/revision", LAST + 1, "2^53 - 1"),
        ("/faces/document", LAST + 1, "2^53 - 1"),
        ("/user_revision", LAST + 1, "2^53 - 1"),
        ("/lease/epoch", LAST + 1, "2^53 - 1"),
        ("/lease/fence", LAST + 1, "2^53 - 1"),
        ("/lease/turn", LAST + 1, "2^53 - 1"),
        ("/lease/clock_mark", LAST + 1, "2^53 - 1"),
        ("/turn_start/epoch", LAST + 1, "2^53 - 1"),
    ] {
        let world = eventful();
        let mut json = serde_json::to_value(world.head().as_ref()).unwrap();
        json["user_revision"] = json!(0);
        *json.pointer_mut(pointer).expect(pointer) = json!(value);
        let refused = serde_json::from_value::<Head>(json).unwrap_err().to_string();
        assert!(refused.contains(expected), "{pointer} = {value}: {refused}");
    }
}

#[test]
fn a_head_at_the_last_counter_refuses_changes() {
    let world = eventful();
    let mut json = serde_json::to_value(world.head().as_ref()).unwrap();
    (json["revision"], json["journal"]["entries"]) = (json!(LAST), json!(LAST));
    world.put(serde_json::from_value(json).unwrap());
    for command in [dynamic(Edit::overwrite("z\n")), undo(), redo()] {
        assert_eq!(code(&world.ask("user", command.clone())), "REVISION_EXHAUSTED", "{command:?}");
    }
    assert_eq!((world.text().as_str(), world.head().journal().entries), ("c\n", LAST));
    assert_eq!(code(&world.ask("user", ClearHistory)), "OK");
    assert_eq!(world.head().journal().entries, LAST, "numbers go on");
}

/// The last revision may be used, and the entry that has it.
#[test]
fn the_last_number_of_a_counter_is_used() {
    let world = eventful();
    let mut json = serde_json::to_value(world.head().as_ref()).unwrap();
    (json["revision"], json["journal"]["entries"]) = (json!(LAST - 1), json!(LAST - 1));
    world.put(serde_json::from_value(json).unwrap());
    assert_eq!(code(&world.edit("z\n")), "OK");
    let head = world.head();
    assert_eq!((head.revision().get(), head.journal().entries), (LAST, LAST));
    assert_eq!(Head::from_json(head.canvas(), &head.to_json()).as_ref(), Ok(head.as_ref()));
}

#[test]
fn numbers_of_changes_end_at_the_last_counter() {
    assert!(serde_json::from_value::<ChangeNumber>(json!(LAST)).is_ok());
    assert!(serde_json::from_value::<ChangeNumber>(json!(LAST + 1)).is_err());
    assert!(serde_json::from_value::<EntryNumber>(json!(u64::MAX)).is_err());
}

/// Components that share the last order are in the order of their ids.
#[cfg(feature = "board")]
#[test]
fn the_order_of_components_ends_at_the_last_counter() {
    use canvas_core::Blob;
    use canvas_core::store::{Store as _, TreePath};
    use canvas_core::testing::block_on;

    use crate::document::board::{board_command, made, tile, with_board};

    for (order, expected) in [(LAST, "OK"), (LAST + 1, "CANVAS_DAMAGED"), (u64::MAX, "CANVAS_DAMAGED")] {
        let world = with_board();
        made(&world.ask("user", board_command(Author::User, tile(0))));
        let id = world.head().board().unwrap();
        let root = block_on(world.spy().inner.blob(&world.canvas, id)).unwrap().unwrap();
        let text = root.as_text().unwrap().replace("\"order\":1,", &format!("\"order\":{order},"));
        let root = Blob::text(text);
        assert_ne!(root.id(), id);
        let mut json = serde_json::to_value(world.head().as_ref()).unwrap();
        json["draft"][TreePath::board().as_str()] = json!(root.id());
        world.put_with(serde_json::from_value(json).unwrap(), vec![root]);
        for col in 1..4 {
            let outcome = world.ask("user", board_command(Author::User, tile(col)));
            assert_eq!(code(&outcome), expected, "{order}");
        }
        if expected == "OK" {
            let (board, _) = block_on(world.peer().engine.board(&world.canvas, world.now())).unwrap();
            assert_eq!(board.unwrap().workspace(|_| Default::default()).canvas.components.len(), 4);
        }
    }
}
