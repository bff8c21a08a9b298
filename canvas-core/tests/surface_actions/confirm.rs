//! What a person must confirm.

use canvas_core::surface::{Confirmation, ConfirmationPrompt};
use canvas_core::{ActionBegun, ActionRequest, ActionWork, Refusal, Refused as _, SurfaceRefusal};
use serde_json::json;

use super::world::{Begun, World, press, session, word};

fn prompt(begun: &Begun) -> ConfirmationPrompt {
    match begun.as_ref().map_err(|refusal| refusal.view()) {
        Err(Refusal::Surface(SurfaceRefusal::ConfirmationRequired { prompt })) => (**prompt).clone(),
        other => panic!("{other:?}"),
    }
}

fn yes(prompt: &ConfirmationPrompt) -> ActionRequest {
    let confirmation = Confirmation { digest: prompt.digest, planned_at: prompt.planned_at };
    ActionRequest { confirmation: Some(confirmation), ..press("drop") }
}

#[test]
fn what_was_shown_is_what_runs() {
    let world = World::new();
    let shown = prompt(&world.begin(0, "1", press("drop")));
    assert_eq!(shown.tool.as_ref().unwrap().as_str(), "node__Danger");
    assert_eq!(shown.args, json!({"at": "2024-10-27T03:33:20.000Z"}));
    assert_eq!(
        (shown.planned_at, shown.expires_at.as_millis()),
        (world.now(), world.now().as_millis() + 300_000)
    );
    world.wait(1_500);
    let Ok(ActionBegun::Run(running)) = world.begin(1, "2", yes(&shown)) else { panic!() };
    let ActionWork::Tool { arguments, .. } = &running.plan.work else { panic!() };
    // The time that was shown, not that of the press.
    assert_eq!(*arguments, shown.args);
    assert_eq!(running.deadline(), world.now().saturating_add(std::time::Duration::from_secs(1)));
}

#[test]
fn a_confirmation_holds_five_minutes_whatever_else_changes() {
    let world = World::new();
    let shown = prompt(&world.begin(0, "1", press("drop")));
    world.begin(0, "2", press("mark")).unwrap();
    world.wait(299_999);
    assert_eq!(word(&world.begin(0, "3", yes(&shown))), "run");
    world.wait(1);
    assert_eq!(word(&world.begin(0, "4", yes(&shown))), "CONFIRM_STALE");
    // A plan of the future was not made here.
    world.turn_back(300_000 + 5_001);
    assert_eq!(word(&world.begin(0, "5", yes(&shown))), "CONFIRM_STALE");
    world.wait(1);
    assert_eq!(word(&world.begin(0, "6", yes(&shown))), "run");
}

#[test]
fn a_confirmation_of_something_else_is_stale() {
    let world = World::new();
    let shown = prompt(&world.begin(0, "1", press("drop")));
    let later = Confirmation {
        planned_at: world.now().saturating_add(std::time::Duration::from_millis(1)),
        digest: shown.digest,
    };
    let request = ActionRequest { confirmation: Some(later), ..press("drop") };
    assert_eq!(word(&world.begin(0, "2", request)), "CONFIRM_STALE");
    // Another spec, though the action is the same.
    world.change_head(vec![canvas_core::Blob::text(format!(" {}", super::world::spec()))], |head| {
        let blob = canvas_core::Blob::text(format!(" {}", super::world::spec()));
        head["draft"]["spec.json"] = json!(blob.id());
    });
    assert_eq!(word(&world.begin(0, "3", yes(&shown))), "CONFIRM_STALE");
    // For another action it counts for nothing either.
    let request = ActionRequest { confirmation: yes(&shown).confirmation, ..press("deploy") };
    assert_eq!(word(&world.begin(0, "4", request)), "CONFIRM_STALE");
    assert_eq!(world.records().len(), 0);
}

#[test]
fn no_session_confirms() {
    let world = World::new();
    let shown = prompt(&world.begin(0, "1", press("drop")));
    let request = ActionRequest { by: session("agent:main:main"), ..yes(&shown) };
    assert_eq!(word(&world.begin(0, "2", request)), "CONFIRMATION_REQUIRED");
}

#[test]
fn a_message_may_ask_too() {
    let world = World::new();
    let shown = prompt(&world.begin(0, "1", press("shout")));
    assert_eq!((shown.tool, shown.session_key.unwrap().as_str()), (None, "agent:main:main"));
    assert_eq!((shown.args, shown.words), (json!("out"), None));
    let confirmation = Confirmation { digest: shown.digest, planned_at: shown.planned_at };
    world.wait(1);
    let request = ActionRequest { confirmation: Some(confirmation), ..press("shout") };
    assert_eq!(word(&world.begin(0, "2", request)), "run");
}
