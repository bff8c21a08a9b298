use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::board::data::DataMeta;
use crate::board::model::data::DataQuery;
use crate::board::model::id::DataSourceId;
use crate::schedule::DAY;

mod story;

fn id(name: &str) -> ComponentId {
    ComponentId::new(name).unwrap()
}

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn binding(query: &str, refresh_interval: Option<u64>) -> DataBinding {
    let source = DataSourceId::new("test").unwrap();
    DataBinding { source, query: DataQuery { kind: query.to_owned(), params: Map::new() }, refresh_interval }
}

fn result(query: &str, data: Value, fetched_at: u64, ttl: u64) -> DataResult {
    let DataBinding { source, query, .. } = binding(query, None);
    let meta = DataMeta { fetched_at: at(fetched_at), source, query, pagination: None, stale: false, ttl };
    DataResult { data, meta }
}

fn error(code: DataErrorCode, retryable: bool, retry_after: Option<u64>) -> DataError {
    let source = DataSourceId::new("test").unwrap();
    DataError { code, message: "it failed".to_owned(), source, retryable, retry_after }
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const POLICY: DataPolicy = DataPolicy {
    timeout: 400,
    under_way: 3,
    first_pause: 10,
    longest_pause: 80,
    retries: 3,
    shortest_interval: 20,
};

#[derive(Debug, Clone)]
enum Op {
    Track(usize, Option<(u8, Option<u64>)>),
    Forget(usize),
    Refresh(usize),
    Due,
    /// An answer to one of all requests so far.
    Settle(prop::sample::Index, Answer),
    Push(usize, u8, i64),
    Clock(i64),
}

#[derive(Debug, Clone, Copy)]
enum Answer {
    Data(u64),
    Fails(bool, Option<u64>),
}

fn op() -> impl Strategy<Value = Op> {
    let answer = prop_oneof![
        2 => prop::sample::select(vec![0_u64, 30, 1_000]).prop_map(Answer::Data),
        1 => (any::<bool>(), proptest::option::of(0..100_u64)).prop_map(|(retry, after)| Answer::Fails(retry, after)),
    ];
    let interval = proptest::option::of(prop::sample::select(vec![0_u64, 50, 300]));
    prop_oneof![
        3 => (0..4_usize, proptest::option::weighted(0.9, (0..2_u8, interval))).prop_map(|(n, b)| Op::Track(n, b)),
        1 => (0..4_usize).prop_map(Op::Forget),
        2 => (0..4_usize).prop_map(Op::Refresh),
        // Frequent, as with real hosts, so that requests are made and old ones accumulate.
        6 => Just(Op::Due),
        6 => (any::<prop::sample::Index>(), answer).prop_map(|(n, answer)| Op::Settle(n, answer)),
        2 => (0..4_usize, 0..2_u8, -50..50_i64).prop_map(|(n, query, age)| Op::Push(n, query, age)),
        4 => prop_oneof![4 => 0..200_i64, 1 => -4_000..0_i64, 1 => -90_000..90_000_i64].prop_map(Op::Clock),
    ]
}

/// The facts about a component that the laws need, found independently of the machine.
#[derive(Debug, Default, Clone)]
struct Known {
    query: Option<u8>,
    /// The only request whose answer may be shown.
    awaited: Option<RequestToken>,
    /// The only value that may be shown, which is the last accepted one.
    shown: Option<Value>,
}

proptest! {
    /// A late answer, or one for another query or for an earlier component of the same name, is never shown. No
    /// component has two requests under way. A poll starts every due request that may be under way.
    #[test]
    fn nothing_late_is_ever_shown(ops in proptest::collection::vec(op(), 1..80)) {
        let mut states = DataStates::new(POLICY);
        let mut known: BTreeMap<usize, Known> = BTreeMap::new();
        let mut requests: Vec<(RequestToken, usize, u8)> = Vec::new();
        let mut now = 100_000_u64;
        let mut serial = 0;
        for op in ops {
            match op {
                Op::Track(n, new) => {
                    let query = new.map(|(query, _)| query);
                    let new = new.map(|(query, interval)| binding(&query.to_string(), interval));
                    states.track(&id(NAMES[n]), new.as_ref());
                    let slot = known.entry(n).or_insert_with(|| Known { query, ..Known::default() });
                    if slot.query != query {
                        *slot = Known { query, ..Known::default() };
                    }
                }
                Op::Forget(n) => {
                    states.forget(&id(NAMES[n]));
                    known.remove(&n);
                }
                Op::Refresh(n) => {
                    let bound = known.get(&n).is_some_and(|slot| slot.query.is_some());
                    prop_assert_eq!(states.refresh(&id(NAMES[n])), bound);
                }
                Op::Due => {
                    let (fetches, events) = states.due(at(now));
                    for event in events {
                        let CanvasEvent::Error { component_id, error } = event else { panic!("{event:?}") };
                        prop_assert_eq!(error.code, DataErrorCode::Timeout);
                        let n = NAMES.iter().position(|&name| name == component_id.as_str()).unwrap();
                        prop_assert!(known.get_mut(&n).unwrap().awaited.take().is_some());
                    }
                    for fetch in fetches {
                        let n = NAMES.iter().position(|&name| name == fetch.component_id.as_str()).unwrap();
                        let slot = known.get_mut(&n).unwrap();
                        let query: u8 = fetch.binding.query.kind.parse().unwrap();
                        prop_assert_eq!(slot.query, Some(query));
                        prop_assert!(slot.awaited.is_none());
                        prop_assert!(requests.last().is_none_or(|last| last.0 < fetch.token));
                        slot.awaited = Some(fetch.token);
                        requests.push((fetch.token, n, query));
                    }
                    prop_assert!(known.values().filter(|slot| slot.awaited.is_some()).count() <= POLICY.under_way);
                    // A small step back of the clock does not move the time.
                    let next = states.next_due();
                    prop_assert!(next.is_none_or(|next| next > at(now)), "{next:?} at {now}");
                }
                Op::Settle(index, answer) => {
                    if requests.is_empty() {
                        continue;
                    }
                    let &(token, n, query) = index.get(&requests);
                    serial += 1;
                    let data = json!([serial]);
                    let answer = match answer {
                        Answer::Data(ttl) => Ok(result(&query.to_string(), data.clone(), now, ttl)),
                        Answer::Fails(retry, after) => Err(error(DataErrorCode::Network, retry, after)),
                    };
                    let awaited = known.get(&n).is_some_and(|slot| slot.awaited == Some(token));
                    let before = states.state(&id(NAMES[n])).cloned();
                    let event = states.settle(token, answer.clone(), at(now));
                    if !awaited {
                        prop_assert!(event.is_none());
                        prop_assert_eq!(states.state(&id(NAMES[n])), before.as_ref());
                        continue;
                    }
                    let slot = known.get_mut(&n).unwrap();
                    slot.awaited = None;
                    match (answer, &event) {
                        (Ok(_), Some(CanvasEvent::Ready { .. })) => slot.shown = Some(data),
                        // Only data pushed in the meantime, if they are newer, take precedence over an answer.
                        (Ok(_), None) => prop_assert!(slot.shown.as_ref().is_some_and(Value::is_string)),
                        (Err(error), Some(CanvasEvent::Error { .. })) => {
                            if !error.retryable {
                                slot.shown = None;
                            }
                        }
                        (answer, event) => panic!("{answer:?} {event:?}"),
                    }
                }
                Op::Push(n, query, age) => {
                    serial += 1;
                    let data = json!(format!("pushed {serial}"));
                    let pushed = result(&query.to_string(), data.clone(), now.saturating_add_signed(age), 500);
                    let event = states.push(&id(NAMES[n]), pushed, at(now));
                    let fits = known.get(&n).is_some_and(|slot| slot.query == Some(query));
                    prop_assert!(fits || event.is_none());
                    if event.is_some() {
                        known.get_mut(&n).unwrap().shown = Some(data);
                    }
                }
                Op::Clock(ms) => now = now.saturating_add_signed(ms),
            }
            for (n, name) in NAMES.iter().enumerate() {
                let state = states.state(&id(name));
                let Some(slot) = known.get(&n) else {
                    prop_assert!(state.is_none());
                    continue;
                };
                prop_assert_eq!(states.schedule.is_under_way(&id(name)), slot.awaited.is_some());
                match state.unwrap() {
                    DataLoadingState::Ready { data, .. } | DataLoadingState::Stale { data, .. } => {
                        prop_assert_eq!(Some(data), slot.shown.as_ref());
                    }
                    DataLoadingState::Loading { .. } => {
                        prop_assert!(slot.awaited.is_some() && slot.shown.is_none());
                    }
                    DataLoadingState::Idle | DataLoadingState::Error { .. } => prop_assert!(slot.shown.is_none()),
                }
            }
        }
    }

    /// For any answers and any polling, a component makes requests no more often than allowed.
    #[test]
    fn nobody_asks_too_often(
        answers in proptest::collection::vec((0..3_u8, proptest::option::of(any::<u64>()), any::<u64>()), 1..60),
        interval in proptest::option::of(any::<u64>()),
    ) {
        let mut states = DataStates::new(POLICY);
        states.track(&id("a"), Some(&binding("q", interval)));
        let mut now = 1_000;
        let mut last = None;
        for (kind, retry_after, ttl) in answers {
            let (fetches, _) = states.due(at(now));
            if let Some(fetch) = fetches.first() {
                if let Some(last) = last {
                    prop_assert!(now - last >= POLICY.first_pause, "{now} after {last}");
                }
                let answer = match kind {
                    0 => Ok(result("q", json!(null), now, ttl)),
                    _ => Err(error(DataErrorCode::RateLimited, kind == 1, retry_after)),
                };
                let waits = kind == 1;
                prop_assert!(states.settle(fetch.token, answer, at(now)).is_some());
                if let (true, Some(next)) = (waits, states.next_due()) {
                    // Shown data may become stale earlier.
                    let quiet = matches!(states.state(&id("a")), Some(DataLoadingState::Error { .. }));
                    let asked = retry_after.unwrap_or(0).min(DAY);
                    prop_assert!(!quiet || next >= at(now + asked));
                }
                last = Some(now);
            }
            match states.next_due() {
                // Beyond the range of a clock.
                Some(next) if next.as_millis() > 1 << 52 => break,
                Some(next) => now = next.as_millis().max(now),
                None => break,
            }
        }
    }
}
