//! A surface is deleted as it was seen, or not at all.

use std::sync::Arc;

use canvas_core::surface::{ClientId, PatchState, StatePatch, SurfaceActor};
use canvas_core::testing::block_on;
use canvas_core::{EngineError, Face, Revision};
use serde_json::json;

use super::world::{Fault, World, key};

fn revision(number: u64) -> Revision {
    Revision::new(number).unwrap()
}

/// Deletes the canvas where its surface is that of a revision; the revision that it has in its place.
fn delete(world: &World, call: &str, expected: u64) -> Result<(), u64> {
    let (engine, operation) = (&world.servers[0].engine, key("person", call));
    let deleted =
        engine.delete_unchanged(&world.canvas, Face::Surface, revision(expected), &operation, world.now());
    match block_on(deleted) {
        Ok(()) => Ok(()),
        Err(EngineError::RevisionConflict { expected: asked, current, .. }) => {
            assert_eq!(asked, revision(expected));
            Err(current.get())
        }
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_surface_that_has_changed_is_not_deleted() {
    let world = World::new();
    let now = world.head()["revision"].as_u64().unwrap();
    // What came before the surface's last change, and what is yet to come.
    for wrong in [now - 1, now + 1] {
        assert_eq!(delete(&world, &format!("at {wrong}"), wrong), Err(now));
        assert_eq!(world.head()["deleted"], json!(false));
    }
    assert_eq!(delete(&world, "delete", now), Ok(()));
    assert_eq!(world.head()["deleted"], json!(true));
    // A retry, and who comes later, find it done.
    assert_eq!((delete(&world, "delete", now), delete(&world, "other", 1)), (Ok(()), Ok(())));
}

/// A writer that is faster than the deletion's commit.
#[test]
fn who_writes_meanwhile_keeps_the_canvas() {
    let mut world = World::new();
    let now = world.head()["revision"].as_u64().unwrap();
    let other = Arc::new(world.servers.pop().unwrap().engine);
    for (number, patch) in
        [json!({"status": "saved"}), json!({"status": "saved again"})].into_iter().enumerate()
    {
        let (canvas, at, other) = (world.canvas.clone(), world.now(), Arc::clone(&other));
        world.servers[0].overtake(move || {
            let by = SurfaceActor::ClientId(ClientId::new("window").unwrap());
            let patch = json!([{"op": "replace", "path": "/status", "value": patch["status"]}]);
            let patch = PatchState { by, patch: StatePatch::parse(&patch).unwrap(), expected: None };
            let operation = key("window", &format!("save {number}"));
            block_on(other.call(&canvas, &operation, patch, at)).unwrap().result.unwrap();
        });
        let number = u64::try_from(number).unwrap();
        // Whether its commit is refused, or nobody knows.
        world.servers[0].expect([if number == 0 { Fault::Raced } else { Fault::Overtaken }]);
        assert_eq!(delete(&world, &format!("delete {number}"), now + number), Err(now + number + 1));
        assert_eq!(world.head()["deleted"], json!(false));
    }
    assert_eq!(delete(&world, "now", now + 2), Ok(()));
}
