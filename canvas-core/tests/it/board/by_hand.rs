//! What a user does by hand, without a model.

use canvas_core::Role;
use canvas_core::board::{BoardEnv, CanvasCommand, GridPolicy, IdSource, UserAction};
use canvas_core::lease::Timestamp;
use serde_json::json;

use super::world::World;

/// It goes the way of every command, in the user's name.
#[test]
fn what_a_user_does_becomes_a_command() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let id = world.tile(0, 0, 1, 1);
    let (place, size) = (json!({"col": 2, "row": 1}), json!({"cols": 2, "rows": 2}));
    for (action, expected) in [
        (
            json!({"type": "user.move", "componentId": id, "position": place}),
            Some(json!({"type": "component.move", "payload": {"componentId": id, "position": place}})),
        ),
        (
            json!({"type": "user.resize", "componentId": id, "size": size}),
            Some(json!({"type": "component.resize", "payload": {"componentId": id, "size": size}})),
        ),
        (
            json!({"type": "user.pin", "componentId": id, "pinned": true}),
            Some(json!({
                "type": "component.update", "payload": {"componentId": id, "meta": {"pinned": true}},
            })),
        ),
        (
            json!({"type": "user.dismiss", "componentId": id}),
            Some(json!({"type": "component.remove", "payload": {"componentId": id}})),
        ),
        (json!({"type": "user.refresh", "componentId": id}), None),
        (json!({"type": "user.undo"}), None),
        (json!({"type": "user.redo"}), None),
    ] {
        let action: UserAction = serde_json::from_value(action).unwrap();
        let command = expected.map(|command| serde_json::from_value::<CanvasCommand>(command).unwrap());
        assert_eq!(action.command(), command, "{action:?}");
        let (mut by_hand, mut by_command) = (world.board.clone(), world.board.clone());
        let env = || BoardEnv {
            registry: &world.registry,
            rules: world.rules,
            now: Timestamp::from_millis(5_000),
            ids: IdSource::seeded(b"one"),
        };
        let expected = command.map(|command| by_command.execute(&command, Role::User, &mut env()));
        assert_eq!((by_hand.act(&action, &mut env()), &by_hand), (expected, &by_command), "{action:?}");
    }
}
