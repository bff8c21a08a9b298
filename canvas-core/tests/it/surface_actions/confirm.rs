//! What a person must confirm.

use canvas_core::surface::{
    ActionBegun, ActionRequest, ActionWork, Confirmation, ConfirmationPrompt, SurfaceRefusal,
};
use canvas_core::{Refusal, Refused as _};
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
    world.wait(300_000);
    assert_eq!(word(&world.begin(0, "3", yes(&shown))), "CONFIRM_STALE");
    // A plan of the future was not made here.
    world.turn_back(300_000 + 5_001);
    assert_eq!(word(&world.begin(0, "4", yes(&shown))), "CONFIRM_STALE");
    world.wait(1);
    assert_eq!(word(&world.begin(0, "5", yes(&shown))), "run");
    let shown = prompt(&world.begin(0, "6", press("shout")));
    world.wait(299_999);
    let confirmation = Some(Confirmation { digest: shown.digest, planned_at: shown.planned_at });
    assert_eq!(word(&world.begin(0, "7", ActionRequest { confirmation, ..press("shout") })), "run");
}

#[test]
fn a_confirmation_counts_once() {
    let mut world = World::new();
    let shown = prompt(&world.begin(0, "1", press("drop")));
    world.wait(1);
    let other = prompt(&world.begin(0, "2", press("drop")));
    let Ok(ActionBegun::Run(running)) = world.begin(0, "3", yes(&shown)) else { panic!() };
    // The same call again, here or at another server, is a retry. Another one is not.
    assert_eq!(word(&world.begin(1, "3", yes(&shown))), "ACTION_IN_PROGRESS");
    assert_eq!(word(&world.begin(1, "4", yes(&shown))), "CONFIRM_STALE");
    assert_eq!(world.finish(0, &running, Ok(json!(1))).unwrap().failure, None);
    assert_eq!(word(&world.begin(1, "3", yes(&shown))), "done");
    for call in ["5", "6"] {
        assert_eq!(word(&world.begin(1, call, yes(&shown))), "CONFIRM_STALE");
        world.servers[1] = world.start();
    }
    // What was planned at another time is another plan.
    assert_eq!(word(&world.begin(0, "7", yes(&other))), "run");
    // So is what is shown in the same millisecond.
    let still = prompt(&world.begin(0, "asked again", press("drop")));
    assert_eq!(word(&world.begin(0, "said yes again", yes(&still))), "run");
    let other_still = prompt(&world.begin(0, "asked once more", press("drop")));
    let planned = [&other, &still, &other_still].map(|prompt| prompt.planned_at.as_millis());
    assert_eq!(planned, [0, 1, 2].map(|later| other.planned_at.as_millis() + later));
    assert_eq!(word(&world.begin(0, "said yes once more", yes(&other_still))), "run");
    assert_eq!(word(&world.begin(0, "said yes twice", yes(&other_still))), "CONFIRM_STALE");
    // Of many others none is forgotten.
    let count = world.records().len();
    for n in 0..40 {
        world.wait(2_000);
        let shown = prompt(&world.begin(0, &format!("ask {n}"), press("drop")));
        assert_eq!(word(&world.begin(0, &format!("yes {n}"), yes(&shown))), "run");
        assert_eq!(word(&world.begin(0, &format!("again {n}"), yes(&shown))), "CONFIRM_STALE");
    }
    assert_eq!(word(&world.begin(0, "8", yes(&shown))), "CONFIRM_STALE");
    assert_eq!(word(&world.begin(0, "9", yes(&other))), "CONFIRM_STALE");
    assert!(world.head()["confirmed"]["used"].as_array().unwrap().len() <= 32);
    // Each is lost after its second, when the next one begins: three of before, and all of these but the last.
    assert_eq!(world.records().len(), count + 3 + 39);
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
