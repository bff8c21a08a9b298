use serde_json::{Value, json};

use super::*;

fn trigger(json: Value) -> ProactiveTrigger {
    let mut all = json!({"id": "trigger_1", "name": "Start", "enabled": true, "type": "session_start"});
    for (key, value) in json.as_object().unwrap() {
        all[key] = value.clone();
    }
    serde_json::from_value(all).unwrap()
}

fn view(id: &str) -> View {
    serde_json::from_value(json!({
        "id": id, "name": "v", "triggerIds": [], "createdAt": 1,
        "snapshot": {
            "grid": {"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 80}, "components": []
        }
    }))
    .unwrap()
}

fn at(time: &str) -> Occasion<'static> {
    let time: jiff::Timestamp = time.parse().unwrap();
    let now = Timestamp::from_millis(u64::try_from(time.as_millisecond()).unwrap());
    Occasion::Time { now, zone: "Europe/Berlin", parts: DayParts::default() }
}

const START: Occasion<'static> = Occasion::SessionStart { session: "s1" };

#[test]
fn what_a_trigger_does() {
    let gone = "nothing: VIEW_NOT_FOUND";
    for (json, mode, occasion, expected) in [
        (json!({"viewId": "view_1"}), ProactiveMode::Suggest, START, "suggest view_1"),
        (json!({"viewId": "view_1"}), ProactiveMode::Auto, START, "load view_1"),
        (json!({"viewId": "view_1"}), ProactiveMode::Off, START, ""),
        (json!({"viewId": "view_1", "enabled": false}), ProactiveMode::Auto, START, ""),
        (json!({"message": "Hello"}), ProactiveMode::Suggest, START, "tell"),
        (json!({"viewId": "view_2"}), ProactiveMode::Suggest, START, gone),
        (json!({"viewId": "view_2"}), ProactiveMode::Auto, START, gone),
        (json!({"viewId": "view_2"}), ProactiveMode::Off, START, ""),
        (json!({"viewId": "view_1"}), ProactiveMode::Auto, at("2026-11-23T08:00:00Z"), ""),
    ] {
        let one = trigger(json.clone());
        let found =
            due(std::slice::from_ref(&one), &[view("view_1")], mode, occasion, &mut TriggerMemory::default());
        let said: Vec<String> = found
            .unwrap()
            .iter()
            .map(|due| {
                let event = due.event.as_ref().map(|event| json!(event)["payload"].clone());
                let reported = |suggested: Option<&ViewId>| {
                    let mut event = json!({"triggerId": "trigger_1", "triggerName": "Start"});
                    if let Some(view) = suggested {
                        event["suggestedViewId"] = json!(view);
                    }
                    (Some(event), one.message.clone())
                };
                let (expected, words) = match &due.action {
                    DueAction::Suggest(view) => (reported(Some(view)), format!("suggest {view}")),
                    DueAction::Load(view) => (reported(Some(view)), format!("load {view}")),
                    DueAction::Tell => (reported(None), "tell".to_owned()),
                    DueAction::Nothing(problem) => ((None, None), format!("nothing: {}", problem.code())),
                };
                assert_eq!((event, due.message.clone()), expected);
                words
            })
            .collect();
        assert_eq!(said.join("; "), expected, "{json} {mode:?}");
    }
}

#[test]
fn one_view_is_loaded() {
    let triggers = [
        trigger(json!({"id": "gone", "viewId": "view_9"})),
        trigger(json!({"id": "first", "viewId": "view_1"})),
        trigger(json!({"id": "second", "viewId": "view_2"})),
    ];
    let views = [view("view_1"), view("view_2")];
    let found = due(&triggers, &views, ProactiveMode::Auto, START, &mut TriggerMemory::default()).unwrap();
    let actions: Vec<_> = found.into_iter().map(|due| due.action).collect();
    let id = |id| ViewId::new(id).unwrap();
    assert_eq!(
        actions,
        [
            DueAction::Nothing(TriggerProblem::ViewGone(id("view_9"))),
            DueAction::Load(id("view_1")),
            DueAction::Suggest(id("view_2")),
        ]
    );
}

#[test]
fn each_is_due_once_in_its_window() {
    let triggers = [
        trigger(json!({"id": "start"})),
        trigger(json!({"id": "monday", "type": "time_based", "simulatedTime": "monday_morning"})),
        trigger(json!({"id": "evening", "type": "time_based", "simulatedTime": "weekday_evening"})),
        trigger(json!({"id": "night", "type": "time_based", "simulatedTime": "friday_night"})),
        trigger(json!({"id": "noon", "type": "time_based", "simulatedTime": "mid_day"})),
    ];
    let mut memory = TriggerMemory::default();
    for (occasion, expected) in [
        (START, "start"),
        (START, ""),
        (Occasion::SessionStart { session: "s2" }, "start"),
        // The clocks change on Sunday the 29th of March, so that Monday's morning begins at 7:00 UTC.
        (at("2026-03-23T07:59:59Z"), ""),
        (at("2026-03-23T08:00:00Z"), "monday"),
        (at("2026-03-23T10:59:59Z"), ""),
        (at("2026-03-23T11:00:00Z"), "noon"),
        (at("2026-03-23T16:00:00Z"), "evening"),
        (at("2026-03-24T16:30:00Z"), "evening"),
        (at("2026-03-27T20:00:00Z"), "night"),
        // The same night, on Saturday.
        (at("2026-03-28T04:59:59Z"), ""),
        (at("2026-03-28T05:00:00Z"), ""),
        (at("2026-03-28T16:30:00Z"), ""),
        (at("2026-03-28T11:30:00Z"), "noon"),
        (at("2026-03-29T01:30:00Z"), ""),
        (at("2026-03-30T07:00:00Z"), "monday"),
    ] {
        // The memory is stored as JSON between two calls.
        memory = serde_json::from_value(json!(memory)).unwrap();
        let found = due(&triggers, &[], ProactiveMode::Suggest, occasion, &mut memory).unwrap();
        let found: Vec<&str> = found.iter().map(|due| due.trigger.as_str()).collect();
        assert_eq!(found.join(" "), expected, "{occasion:?}");
    }
    // A night that begins on Friday is due on Saturday, if there was no call before.
    let found = due(
        &triggers,
        &[],
        ProactiveMode::Suggest,
        at("2026-03-28T00:30:00Z"),
        &mut TriggerMemory::default(),
    );
    assert_eq!(found.unwrap()[0].trigger.as_str(), "night");
    // Removed triggers are forgotten.
    due(&triggers[..1], &[], ProactiveMode::Off, START, &mut memory).unwrap();
    assert_eq!(memory.last.len(), 1);
}

#[test]
fn names_that_are_none() {
    let wrong = trigger(json!({"type": "time_based", "simulatedTime": "Monday Morning"}));
    let none = trigger(json!({"id": "trigger_2", "type": "time_based"}));
    let mut memory = TriggerMemory::default();
    for _ in 0..2 {
        let found = due(
            &[wrong.clone(), none.clone()],
            &[],
            ProactiveMode::Auto,
            at("2026-11-23T08:00:00Z"),
            &mut memory,
        )
        .unwrap();
        let [DueAction::Nothing(one), DueAction::Nothing(other)] =
            [found[0].action.clone(), found[1].action.clone()]
        else {
            panic!("both are wrong: {found:?}")
        };
        assert_eq!((one.code(), other.code()), ("UNKNOWN_SIMULATED_TIME", "UNKNOWN_SIMULATED_TIME"));
        assert!(one.to_string().ends_with("; perhaps monday_morning"), "{one}");
    }
    // The start of a session does not look at times.
    assert_eq!(due(&[wrong, none], &[], ProactiveMode::Auto, START, &mut memory), Ok(vec![]));
}

#[test]
fn a_zone_that_is_none_changes_nothing() {
    let triggers = [trigger(json!({}))];
    let mut memory = TriggerMemory::default();
    due(&triggers, &[], ProactiveMode::Auto, START, &mut memory).unwrap();
    let before = memory.clone();
    let nowhere =
        Occasion::Time { now: Timestamp::from_millis(0), zone: "Nowhere", parts: DayParts::default() };
    let error = due(&[], &[], ProactiveMode::Auto, nowhere, &mut memory).unwrap_err();
    assert_eq!(error.code(), "UNKNOWN_TIME_ZONE");
    assert_eq!(memory, before);
}
