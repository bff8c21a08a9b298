//! Boards that are kept in more than one blob.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use canvas_core::board::{CreateBoard, RunBoardCommand, Workspace};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::store::Store as _;
use canvas_core::testing::block_on;
use canvas_core::{Author, BlobId, CodedError as _};
use serde_json::json;

use crate::document::any::{Outcome, code};
use crate::document::world::Asked::{Blob, Commit, Load};
use crate::document::world::{Trouble, World, collect};

const UNDO: Undo = Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) };

/// A canvas with tiles side by side, 12 in a row, and a free place in the row below.
fn with_tiles(tiles: usize) -> World {
    let grid = json!({"columns": 12, "rows": 2_000, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    let tile = |number: usize| {
        json!({
            "id": format!("cmp_{number}"), "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
            "position": {"col": number % 12, "row": number / 12}, "size": {"cols": 1, "rows": 1},
            "dataBinding": null, "dataState": {"status": "idle"},
            "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
        })
    };
    let workspace = json!({
        "id": "ws_1", "name": "Board", "threadId": "thread", "views": [], "triggers": [],
        "canvas": {"grid": grid, "components": (0..tiles).map(tile).collect::<Vec<_>>()},
        "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "off",
        },
    });
    let workspace: Box<Workspace> = Box::new(serde_json::from_value(workspace).unwrap());
    let world = World::new("a\n");
    assert_eq!(code(&world.ask("host", CreateBoard { workspace })), "OK");
    world
}

fn run(world: &World, command: serde_json::Value) -> Outcome {
    let command = Box::new(serde_json::from_value(command).unwrap());
    world.ask("user", RunBoardCommand { by: Author::User, command, base: None, grid: None })
}

fn swap(one: usize, row: usize) -> serde_json::Value {
    json!({"type": "component.move", "payload": {
        "componentId": format!("cmp_{one}"), "position": {"col": one % 12, "row": row}, "onCollision": "shift",
    }})
}

/// What a new engine reads: the board, and what it asked of the store.
fn now(world: &World) -> Workspace {
    let (board, _) = block_on(world.peer().engine.board(&world.canvas, world.now())).unwrap();
    board.unwrap().workspace(|_| Default::default())
}

fn in_use(world: &World) -> BTreeSet<BlobId> {
    block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap().into_iter().collect()
}

#[test]
fn a_command_writes_what_it_changed() {
    let bytes_of_a_move = |tiles: usize| {
        let world = with_tiles(tiles);
        let (_, before) = world.spy().inner.blob_stats(&world.canvas);
        world.spy().asked();
        assert_eq!(code(&run(&world, swap(3, 1_999))), "OK");
        assert_eq!(world.spy().asked(), [Commit]);
        let (_, after) = world.spy().inner.blob_stats(&world.canvas);
        after - before
    };
    let (few, many) = (bytes_of_a_move(1_000), bytes_of_a_move(10_000));
    // A page and a root that grows by one id for 64 tiles.
    assert!(few < 60_000 && many < few + 9_000 / 64 * 100, "{few} and {many} bytes");
}

#[test]
fn what_is_not_in_use_may_go() {
    let world = with_tiles(500);
    let mut ever = in_use(&world);
    let (blobs, _) = world.spy().inner.blob_stats(&world.canvas);
    assert!(blobs > 5 && ever.len() == blobs, "{} of {blobs} in use", ever.len());
    let mut walked = vec![now(&world)];
    let commands = [
        swap(3, 1_000),
        json!({"type": "view.save", "payload": {"name": "all"}}),
        json!({"type": "component.remove", "payload": {"componentId": "cmp_200"}}),
        json!({"type": "canvas.clear", "payload": {"preservePinned": false}}),
    ];
    for command in &commands {
        assert_eq!(code(&run(&world, command.clone())), "OK");
        ever.extend(in_use(&world));
        walked.push(now(&world));
    }
    // Undo puts again what it needs, so old blobs may go at any time, also while the board is empty.
    for state in walked.iter().rev().skip(1) {
        let needed = in_use(&world);
        assert!(ever.iter().any(|id| !needed.contains(id)));
        collect(&world.spy().inner, &world.canvas, &needed.iter().copied().collect());
        assert_eq!(code(&world.ask("user", UNDO)), "OK");
        ever.extend(in_use(&world));
        assert_eq!(now(&world), *state);
    }
    for id in in_use(&world) {
        assert!(block_on(world.spy().inner.blob(&world.canvas, id)).unwrap().is_some());
    }
}

#[test]
fn a_cold_board_is_three_round_trips_however_large() {
    for (tiles, least) in [(0, 2), (500, 5), (10_000, 120)] {
        let peer = with_tiles(tiles).peer();
        let (board, _) = block_on(peer.engine.board(&peer.canvas, peer.now())).unwrap();
        assert_eq!(board.unwrap().workspace(|_| Default::default()).canvas.components.len(), tiles);
        let (asked, read) = (peer.spy().asked(), peer.spy().read());
        assert!(asked.len() <= 3 && read >= least, "{asked:?}, {read} blobs");
    }
}

#[test]
fn a_board_that_is_known_is_not_read_again() {
    let world = with_tiles(500);
    let look = || {
        world.spy().asked();
        block_on(world.engine.board(&world.canvas, world.now())).unwrap();
        world.spy().asked()
    };
    assert_eq!(look(), [Load]);
    // Nor after a change of the text, by this engine or by another.
    world.edit("b\n");
    assert_eq!(look(), [Load]);
    world.peer().edit("c\n");
    assert_eq!(look(), [Load, Blob], "the text");
    world.peer().edit("d\n");
    world.spy().asked();
    assert_eq!(code(&run(&world, swap(3, 900))), "OK");
    assert_eq!(world.spy().asked(), [Commit, Blob, Commit], "the text");
}

#[test]
fn a_board_is_read_once_and_its_damage_is_reported() {
    let world = with_tiles(500);
    let peer = world.peer();
    assert_eq!(code(&run(&peer, swap(3, 1_000))), "OK");
    // The text and the root, and all pages at once.
    assert_eq!(peer.spy().asked(), [Load, Blob, Blob, Commit]);
    assert!(peer.spy().read() > 5);
    assert_eq!(code(&run(&peer, swap(4, 1_000))), "OK");
    assert_eq!(peer.spy().asked(), [Commit]);

    for trouble in [|| Trouble::Missing, || Trouble::Damaged] {
        for skip in [0, 1] {
            let peer = world.peer();
            for _ in 0..skip {
                peer.spy().expect(Blob, Trouble::after(|| ()));
            }
            peer.spy().expect(Blob, trouble());
            let reported = block_on(peer.engine.board(&peer.canvas, peer.now())).unwrap_err();
            assert_eq!(reported.code(), "CANVAS_DAMAGED");
            assert!(block_on(peer.engine.board(&peer.canvas, peer.now())).is_ok(), "it is there again");
        }
    }
}
