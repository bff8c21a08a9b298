//! The life of a component, step by step.

use super::*;
use crate::board::data::PaginationMeta;

fn status(states: &DataStates, name: &str) -> &'static str {
    match states.state(&id(name)) {
        None => "gone",
        Some(DataLoadingState::Idle) => "idle",
        Some(DataLoadingState::Loading { .. }) => "loading",
        Some(DataLoadingState::Ready { .. }) => "ready",
        Some(DataLoadingState::Error { .. }) => "error",
        Some(DataLoadingState::Stale { .. }) => "stale",
    }
}

/// Returns the only due request.
fn one(states: &mut DataStates, now: u64) -> Fetch {
    let (mut fetches, events) = states.due(at(now));
    assert!(events.is_empty() && fetches.len() == 1, "{fetches:?} {events:?}");
    fetches.remove(0)
}

fn none(states: &mut DataStates, now: u64) {
    assert_eq!(states.due(at(now)), (Vec::new(), Vec::new()));
}

#[test]
fn data_come_grow_stale_and_come_again() {
    let mut states = DataStates::new(DataPolicy::default());
    states.track(&id("a"), Some(&binding("q", Some(60_000))));
    assert_eq!((status(&states, "a"), states.next_due()), ("idle", Some(at(0))));
    let fetch = one(&mut states, 1_000);
    assert_eq!(status(&states, "a"), "loading");
    let event = states.settle(fetch.token, Ok(result("q", json!([1]), 900, 10_000)), at(2_000));
    let ready = CanvasEvent::Ready {
        component_id: id("a"),
        summary: "1 q".to_owned(),
        highlights: vec!["1".to_owned()],
    };
    assert_eq!(event, Some(ready));
    assert_eq!(status(&states, "a"), "ready");
    assert_eq!(states.next_due(), Some(at(12_000)));
    none(&mut states, 11_999);
    assert_eq!(status(&states, "a"), "ready");
    none(&mut states, 12_000);
    assert_eq!((status(&states, "a"), states.next_due()), ("stale", Some(at(62_000))));
    let fetch = one(&mut states, 62_000);
    // In the background of the shown data.
    assert_eq!((status(&states, "a"), states.schedule.is_under_way(&id("a"))), ("stale", true));
    states.settle(fetch.token, Ok(result("q", json!([2]), 62_000, 10_000)), at(62_500));
    assert_eq!(status(&states, "a"), "ready");
    // The same answer twice.
    assert_eq!(states.settle(fetch.token, Ok(result("q", json!([3]), 62_000, 10_000)), at(62_600)), None);
    assert!(
        matches!(states.state(&id("a")), Some(DataLoadingState::Ready { data, .. }) if *data == json!([2]))
    );
}

#[test]
fn errors_that_may_pass_are_tried_again_and_keep_what_is_there() {
    let policy = DataPolicy { retries: 3, longest_pause: 3_000, ..DataPolicy::default() };
    let mut states = DataStates::new(policy);
    states.track(&id("a"), Some(&binding("q", None)));
    let mut now = 0;
    // Pauses double up to the longest one. The source may ask for a longer one.
    for (retry_after, pause) in [(None, 1_000), (Some(500), 2_000), (Some(7_000), 7_000)] {
        let fetch = one(&mut states, now);
        let failed = error(DataErrorCode::Network, true, retry_after);
        let event = states.settle(fetch.token, Err(failed.clone()), at(now));
        assert_eq!(event, Some(CanvasEvent::Error { component_id: id("a"), error: failed }));
        assert_eq!((status(&states, "a"), states.next_due()), ("error", Some(at(now + pause))));
        now += pause;
    }
    let fetch = one(&mut states, now);
    states.settle(fetch.token, Err(error(DataErrorCode::Network, true, None)), at(now));
    assert_eq!(states.next_due(), None, "no retries are left, and the binding has no interval");
    assert!(states.refresh(&id("a")));
    let fetch = one(&mut states, now);
    states.settle(fetch.token, Ok(result("q", json!(1), now, 100_000)), at(now));
    states.refresh(&id("a"));
    let fetch = one(&mut states, now);
    states.settle(fetch.token, Err(error(DataErrorCode::Timeout, true, None)), at(now));
    assert_eq!(status(&states, "a"), "stale");
    assert_eq!(states.next_due(), Some(at(now + 1_000)), "failures are counted anew after a success");
    let fetch = one(&mut states, now + 1_000);
    states.settle(fetch.token, Err(error(DataErrorCode::Forbidden, false, None)), at(now + 1_000));
    assert_eq!((status(&states, "a"), states.next_due()), ("error", None));
}

#[test]
fn answers_for_what_is_no_longer_asked_are_dropped() {
    let mut states = DataStates::new(DataPolicy::default());
    let answer = || Ok(result("q", json!(1), 0, 100));
    states.track(&id("a"), Some(&binding("q", None)));
    let first = one(&mut states, 0);
    // Another query.
    states.track(&id("a"), Some(&binding("p", None)));
    assert_eq!((states.settle(first.token, answer(), at(1)), status(&states, "a")), (None, "idle"));
    let second = one(&mut states, 2);
    assert_eq!(second.binding.query.kind, "p");
    // Removed, and replaced by another component of the same name.
    states.forget(&id("a"));
    assert_eq!(status(&states, "a"), "gone");
    states.track(&id("a"), Some(&binding("p", None)));
    assert_eq!((states.settle(second.token, answer(), at(3)), status(&states, "a")), (None, "idle"));
    let third = one(&mut states, 4);
    assert!(first.token < second.token && second.token < third.token);
    // Only the interval differs, so that the request continues.
    states.track(&id("a"), Some(&binding("p", Some(5_000))));
    assert!(states.settle(third.token, answer(), at(5)).is_some());
    assert_eq!(states.next_due(), Some(at(105)));
    // Without a binding.
    states.track(&id("a"), None);
    assert_eq!((status(&states, "a"), states.next_due(), states.refresh(&id("a"))), ("idle", None, false));
    assert!(!states.refresh(&id("b")));
}

#[test]
fn another_interval_moves_the_next_refresh() {
    let mut states = DataStates::new(DataPolicy::default());
    states.track(&id("a"), Some(&binding("q", Some(60_000))));
    let fetch = one(&mut states, 0);
    states.settle(fetch.token, Ok(result("q", json!(1), 0, 900_000)), at(0));
    for (interval, next) in [(Some(5_000), 5_000), (Some(3), 1_000), (None, 900_000), (Some(7_000), 7_000)] {
        states.track(&id("a"), Some(&binding("q", interval)));
        assert_eq!(states.next_due(), Some(at(next)), "{interval:?}");
        assert_eq!(status(&states, "a"), "ready");
    }
}

#[test]
fn an_answer_that_does_not_come_has_failed() {
    let mut states = DataStates::new(DataPolicy::default());
    states.track(&id("a"), Some(&binding("q", None)));
    let fetch = one(&mut states, 10);
    assert_eq!(states.next_due(), Some(at(30_010)));
    none(&mut states, 30_009);
    let (fetches, events) = states.due(at(30_010));
    assert!(fetches.is_empty());
    assert!(
        matches!(&events[..], [CanvasEvent::Error { error, .. }] if error.code == DataErrorCode::Timeout)
    );
    assert_eq!(status(&states, "a"), "error");
    assert_eq!(states.settle(fetch.token, Ok(result("q", json!(1), 0, 100)), at(30_011)), None);
    assert_eq!(one(&mut states, 31_010).component_id, id("a"));
}

#[test]
fn data_that_come_unasked_are_shown_if_they_are_newer() {
    let mut states = DataStates::new(DataPolicy::default());
    states.track(&id("a"), Some(&binding("q", None)));
    let fetch = one(&mut states, 0);
    assert!(states.push(&id("a"), result("q", json!("new"), 50, 1_000), at(60)).is_some());
    assert!(states.push(&id("a"), result("q", json!("old"), 40, 1_000), at(61)).is_none());
    assert!(states.push(&id("a"), result("p", json!("other"), 70, 1_000), at(62)).is_none());
    assert!(states.push(&id("b"), result("q", json!("gone"), 70, 1_000), at(63)).is_none());
    // The answer is older than the push.
    assert!(states.schedule.is_under_way(&id("a")));
    assert!(states.settle(fetch.token, Ok(result("q", json!("old"), 45, 1_000)), at(64)).is_none());
    assert!(matches!(states.state(&id("a")), Some(DataLoadingState::Ready { data, .. }) if data == "new"));
    assert!(!states.schedule.is_under_way(&id("a")));
    // If a source's clock was set back, its answer to a request still counts.
    states.refresh(&id("a"));
    let fetch = one(&mut states, 70);
    assert!(states.settle(fetch.token, Ok(result("q", json!("reset"), 1, 1_000)), at(71)).is_some());
}

#[test]
fn a_clock_that_jumps_neither_stops_nor_floods() {
    let mut states = DataStates::new(DataPolicy { under_way: 2, ..DataPolicy::default() });
    let year = 365 * 24 * 60 * 60 * 1_000;
    for name in ["a", "b", "c"] {
        states.track(&id(name), Some(&binding("q", Some(60_000))));
    }
    let (fetches, _) = states.due(at(year));
    assert_eq!(fetches.len(), 2);
    assert_eq!(states.next_due(), Some(at(year + 30_000)), "there is no room for the third");
    for fetch in fetches {
        states.settle(fetch.token, Ok(result("q", json!(1), year, 600_000)), at(year));
    }
    let third = one(&mut states, year);
    assert_eq!(third.component_id, id("c"));
    states.settle(third.token, Ok(result("q", json!(1), year, 600_000)), at(year));
    // Back by a year. A time one minute ahead stays one minute ahead.
    none(&mut states, 10_000);
    assert_eq!(states.next_due(), Some(at(70_000)));
    // Back by a little. The time does not move.
    none(&mut states, 5_000);
    assert_eq!(states.next_due(), Some(at(70_000)));
    none(&mut states, 4_999);
    assert_eq!(states.next_due(), Some(at(64_999)));
    // Far ahead. All are due and take turns.
    let (fetches, _) = states.due(at(year));
    assert_eq!(fetches.len(), 2);
}

#[test]
fn who_has_waited_longest_comes_first() {
    let mut states = DataStates::new(DataPolicy { under_way: 1, ..DataPolicy::default() });
    states.track(&id("b"), Some(&binding("q", Some(1_000))));
    let fetch = one(&mut states, 0);
    states.settle(fetch.token, Ok(result("q", json!(1), 0, 9_000)), at(0));
    states.track(&id("a"), Some(&binding("q", Some(1_000))));
    let mut turns = Vec::new();
    for step in 1..=6 {
        // Each answer takes longer than the interval.
        let fetch = one(&mut states, step * 1_500);
        states.settle(fetch.token, Ok(result("q", json!(1), 0, 9_000)), at(step * 1_500 + 10));
        turns.push(fetch.component_id.to_string());
    }
    assert_eq!(turns.concat(), "ababab");
}

#[test]
fn events_say_what_the_data_are() {
    let check = |data: Value, total: Option<u64>, summary: &str, highlights: &[&str]| {
        let mut states = DataStates::new(DataPolicy::default());
        states.track(&id("a"), Some(&binding("pull_requests", None)));
        let fetch = one(&mut states, 0);
        let mut answer = result("pull_requests", data, 0, 1);
        answer.meta.pagination =
            total.map(|total| PaginationMeta { total, offset: 0, limit: 10, has_more: total > 10 });
        let event = states.settle(fetch.token, Ok(answer), at(0));
        let Some(CanvasEvent::Ready { summary: said, highlights: shown, .. }) = event else {
            panic!("data are there");
        };
        assert_eq!((said.as_str(), shown), (summary, highlights.iter().map(|&h| h.to_owned()).collect()));
    };
    let pr = |n: u64| json!({"number": n, "title": format!("Fix {n}"), "state": "open"});
    check(json!([]), None, "0 pull requests", &[]);
    check(json!([pr(1), pr(2)]), Some(2), "2 pull requests", &["#1 Fix 1 (open)", "#2 Fix 2 (open)"]);
    check(
        json!([pr(1), {"name": "x\ny"}, [], null, 7, pr(5)]),
        Some(40),
        "6 of 40 pull requests",
        &["#1 Fix 1 (open)", "x y", "7"],
    );
    check(json!({"metric": "open_prs", "value": 12}), None, "open prs: 12", &["open prs: 12"]);
    check(json!({"b": [1], "c": 2, "d": "e"}), None, "pull requests: 3 fields", &["c: 2", "d: e"]);
    check(json!(null), None, "pull requests: nothing", &[]);
    check(json!(1.5), None, "pull requests: 1.5", &[]);
    let long = "\u{1F600}".repeat(1_000_000);
    let cut = format!("{}…", "\u{1F600}".repeat(20));
    check(json!([{"title": long}]), None, "1 pull requests", &[&cut]);
    check(json!(long), None, &format!("pull requests: {cut}"), &[]);
}

/// A failure that a source reports unasked is shown like an answer, without an automatic retry.
#[test]
fn failures_come_unasked_too() {
    use DataErrorCode::{Network, NotFound};
    let mut states = DataStates::new(DataPolicy::default());
    assert_eq!(states.fail(&id("a"), error(Network, true, None), at(0)), None, "there is none");
    states.track(&id("a"), None);
    assert_eq!(states.fail(&id("a"), error(Network, true, None), at(0)), None, "it has no source");
    states.track(&id("a"), Some(&binding("q", None)));
    let mut other = error(Network, true, None);
    other.source = DataSourceId::new("other").unwrap();
    assert_eq!(states.fail(&id("a"), other, at(0)), None);
    assert_eq!(status(&states, "a"), "idle");
    for (has_data, error, expected) in [
        (false, error(Network, true, None), "error"),
        (true, error(Network, true, Some(7)), "stale"),
        (false, error(Network, true, None), "stale"),
        (true, error(NotFound, false, None), "error"),
    ] {
        if has_data {
            states.push(&id("a"), result("q", json!([1]), 900, 10_000_000), at(1_000)).unwrap();
        }
        let event = states.fail(&id("a"), error.clone(), at(2_000));
        assert_eq!(event, Some(CanvasEvent::Error { component_id: id("a"), error }));
        assert_eq!(status(&states, "a"), expected);
        none(&mut states, 9_000_000);
    }
    // A request under way continues, and its answer counts.
    states.refresh(&id("a"));
    let fetch = one(&mut states, 9_000_001);
    states.fail(&id("a"), error(Network, false, None), at(9_000_002)).unwrap();
    assert!(states.settle(fetch.token, Ok(result("q", json!([2]), 9_000_003, 1)), at(9_000_003)).is_some());
    assert_eq!(status(&states, "a"), "ready");
    // An interval continues from there.
    states.track(&id("a"), Some(&binding("q", Some(60_000))));
    states.fail(&id("a"), error(Network, true, None), at(9_100_000)).unwrap();
    none(&mut states, 9_159_999);
    one(&mut states, 9_160_000);
}
