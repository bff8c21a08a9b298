//! What an engine keeps between calls is bounded in bytes.

use canvas_core::Policy;
use canvas_core::testing::block_on;
use canvas_core::turn::Cancel;

use super::world::Asked::{Blob, Commit, Load};
use super::world::{World, canvas, key};
use crate::document::any::{Call, dynamic};

/// The size of a large text here.
const LARGE: usize = 1 << 17;

/// What a call on a canvas asks of the store: a commit alone where the engine has kept it. A large text is a list of chunks,
/// which are read after it.
fn is_kept(world: &World, name: &str, call: &str) -> bool {
    world.spy().asked();
    let call = Call { operation: key("user", 0, call), command: dynamic(Cancel) };
    call.run(&world.engine, &canvas(name), world.now()).unwrap();
    let asked = world.spy().asked();
    let cold: [&[_]; 2] = [&[Load, Blob, Commit], &[Load, Blob, Blob, Commit]];
    assert!(asked == [Commit] || cold.contains(&&asked[..]), "{asked:?}");
    asked == [Commit]
}

fn create(world: &World, name: &str, text: &str) {
    block_on(world.engine.create(&canvas(name), text, &key("host", 0, "create"), world.now())).unwrap();
}

/// How many of the newest canvases are kept, each asked once, from the newest on.
fn kept(world: &World, canvases: usize) -> usize {
    (0..canvases).rev().take_while(|i| is_kept(world, &format!("c{i}"), "count")).count()
}

#[test]
fn many_large_canvases_stay_under_the_bound() {
    let text = "A line of a long text without headings.\n".repeat(LARGE / 40);
    for (cache_bytes, expected) in [(16 * LARGE, 8..=16), (4 * LARGE, 2..=4), (LARGE / 2, 0..=0), (0, 0..=0)]
    {
        let world = World::empty(Policy { cache_bytes, ..Policy::default() });
        (0..40).for_each(|i| create(&world, &format!("c{i}"), &text));
        let kept = kept(&world, 40);
        assert!(expected.contains(&kept), "{kept} of {cache_bytes} bytes");
    }
}

/// A canvas in use stays, however many others pass by.
#[test]
fn what_is_used_all_the_time_is_kept() {
    let text = "A line of a long text without headings.\n".repeat(LARGE / 40);
    let world = World::empty(Policy { cache_bytes: 8 * LARGE, ..Policy::default() });
    create(&world, "mine", &text);
    for i in 0..40 {
        create(&world, &format!("c{i}"), &text);
        assert!(is_kept(&world, "mine", &format!("call-{i}")), "{i}");
    }
}

/// An outline of a list is several times as large as its text. It is made after the call, and counted with the next.
#[test]
fn outlines_count_too() {
    let text = "- x\n".repeat(LARGE / 16);
    let count = |outlined: bool| {
        let world = World::empty(Policy { cache_bytes: 32 * LARGE, ..Policy::default() });
        for i in 0..100 {
            create(&world, &format!("c{i}"), &text);
            let snapshot = block_on(world.engine.snapshot(&canvas(&format!("c{i}")), world.now())).unwrap();
            if outlined {
                assert_eq!(snapshot.outline().sections().len(), 0);
            }
        }
        kept(&world, 100)
    };
    let (plain, outlined) = (count(false), count(true));
    assert!(plain > 60 && outlined < 20, "{plain} without outlines, {outlined} with them");
}

/// What a canvas takes is counted anew as it grows and shrinks, and given back when it goes.
#[test]
fn what_is_dropped_is_not_counted() {
    let world = World::empty(Policy { cache_bytes: 4 * LARGE, ..Policy::default() });
    create(&world, "mine", "a\n");
    let large = "x".repeat(LARGE);
    for i in 0..40 {
        create(&world, &format!("c{i}"), &large);
        block_on(world.engine.delete(&canvas(&format!("c{i}")), &key("host", 0, "delete"), world.now()))
            .unwrap();
        create(&world, &format!("d{i}"), &large);
        world.engine.forget(&canvas(&format!("d{i}")));
    }
    assert!(is_kept(&world, "mine", "k"));
}

#[cfg(feature = "board")]
#[test]
fn boards_count_too() {
    use canvas_core::board::{CreateBoard, Workspace};
    use serde_json::json;

    let grid = json!({"columns": 12, "rows": 2_000, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    let tile = |number: usize| {
        json!({
            "id": format!("cmp_{number}"), "typeId": "github.stat-tile",
            "config": {"repo": format!("o/{}", "r".repeat(998)), "metric": "stars"},
            "position": {"col": number % 12, "row": number / 12}, "size": {"cols": 1, "rows": 1},
            "dataBinding": null, "dataState": {"status": "idle"},
            "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
        })
    };
    let workspace = json!({
        "id": "ws_1", "name": "Board", "threadId": "thread", "views": [], "triggers": [],
        "canvas": {"grid": grid, "components": (0..100).map(tile).collect::<Vec<_>>()},
        "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "off",
        },
    });
    let workspace: Box<Workspace> = Box::new(serde_json::from_value(workspace).unwrap());
    let world = World::empty(Policy { cache_bytes: 16 * LARGE, ..Policy::default() });
    for i in 0..40 {
        let name = format!("c{i}");
        create(&world, &name, "a\n");
        let command = dynamic(CreateBoard { workspace: workspace.clone() });
        let call = Call { operation: key("host", 0, "board"), command };
        call.run(&world.engine, &canvas(&name), world.now()).unwrap();
    }
    world.spy().asked();
    let kept = (0..40)
        .rev()
        .take_while(|i| {
            block_on(world.engine.board(&canvas(&format!("c{i}")), world.now())).unwrap();
            world.spy().asked() == [Load]
        })
        .count();
    assert!((4..=16).contains(&kept), "{kept} boards of 130 KB");
}
