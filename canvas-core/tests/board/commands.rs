//! Commands one by one: what they do, and how they are refused.

use serde_json::json;

use canvas_core::board::GridPolicy;

use super::world::{World, code, kinds};

#[test]
fn a_first_walk() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let one = world.tile(0, 0, 2, 2);
    let executed = world.json(json!({
        "type": "component.move", "payload": {"componentId": one, "position": {"col": 3, "row": 3}},
    }));
    assert_eq!(code(&executed.result), "OK");
    assert_eq!(kinds(&executed.events), ["layout.changed"]);
    assert_eq!(world.at(&one), Some((3, 3, 2, 2)));
}
