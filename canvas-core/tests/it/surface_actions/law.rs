//! Whatever the order of begins, retries, ends, crashes, faults and clocks: what a call asks for is started at most once,
//! and ends with exactly one record.

use std::collections::{BTreeMap, BTreeSet};

use canvas_core::surface::{ActionBegun, ActionFailure, EventId, RunningAction};
use canvas_core::testing::block_on;
use proptest::prelude::*;
use serde_json::json;

use super::world::{Fault, World, key, press};

#[derive(Debug, Clone)]
enum Act {
    /// A call, of which there are few, so that most are sent again.
    Begin {
        server: usize,
        call: usize,
    },
    /// Something that was told to run, once more or for the first time.
    Finish {
        server: usize,
        which: prop::sample::Index,
        failure: Option<bool>,
    },
    /// The next commits go wrong.
    Trouble {
        server: usize,
        faults: Vec<Fault>,
    },
    Wait {
        millis: u64,
    },
    TurnBack {
        millis: u64,
    },
    /// The server is started again and knows nothing.
    Crash {
        server: usize,
    },
    /// A person changes what results would replace.
    Write {
        value: u8,
    },
    Delete,
}

const ACTIONS: [&str; 3] = ["deploy", "tell", "mark"];

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let fault = prop_oneof![Just(Fault::Lost), Just(Fault::Landed), Just(Fault::Definite)];
    let act = prop_oneof![
        // Twice as many calls as claims, so that some are refused.
        8 => (0..2_usize, 0..6_usize).prop_map(|(server, call)| Act::Begin { server, call }),
        5 => (0..2_usize, any::<prop::sample::Index>(), prop::option::weighted(0.3, any::<bool>()))
            .prop_map(|(server, which, failure)| Act::Finish { server, which, failure }),
        2 => (0..2_usize, prop::collection::vec(fault, 1..4)).prop_map(|(server, faults)| Act::Trouble { server, faults }),
        // Short of the deadlines of 30 s and 600 s, at them and beyond.
        3 => prop::sample::select(vec![1, 10_000, 29_999, 30_000, 600_000])
            .prop_map(|millis| Act::Wait { millis }),
        // Within what a clock may fall back, and beyond.
        1 => prop::sample::select(vec![4_000, 5_001, 40_000]).prop_map(|millis| Act::TurnBack { millis }),
        1 => (0..2_usize).prop_map(|server| Act::Crash { server }),
        1 => any::<u8>().prop_map(|value| Act::Write { value }),
        // Rarely, since all begins anew then.
        1 => prop::bool::weighted(0.2).prop_map(|really| if really { Act::Delete } else { Act::Wait { millis: 1 } }),
    ];
    prop::collection::vec(act, 1..40)
}

/// What hosts were told.
#[derive(Default)]
struct Told {
    running: Vec<RunningAction>,
    /// The executions of each call.
    started: BTreeMap<usize, BTreeSet<EventId>>,
    /// How often each was told to run.
    starts: BTreeMap<EventId, usize>,
}

proptest! {
    #[test]
    fn every_execution_is_started_once_and_recorded_once(acts in acts()) {
        let mut world = World::with(|policy| policy.surface.claims = 3);
        let mut told = Told::default();
        for (number, act) in acts.into_iter().enumerate() {
            match act {
                Act::Begin { server, call } => {
                    let request = press(ACTIONS[call % ACTIONS.len()]);
                    match world.try_begin(server, &call.to_string(), request) {
                        Ok(Ok(ActionBegun::Run(running))) => {
                            *told.starts.entry(running.event().clone()).or_default() += 1;
                            told.started.entry(call).or_default().insert(running.event().clone());
                            told.running.push(*running);
                        }
                        Ok(Ok(ActionBegun::Ended { ended, .. })) => {
                            let events = told.started.entry(call).or_default();
                            // What ended was begun by this call, and by no other attempt of it.
                            events.insert(ended.record.event_id.clone());
                        }
                        Ok(Err(_)) | Err(_) => {}
                    }
                }
                Act::Finish { .. } if told.running.is_empty() => {}
                Act::Finish { server, which, failure } => {
                    let running = which.get(&told.running).clone();
                    let outcome = match failure {
                        None => Ok(json!(number)),
                        Some(true) => Err(ActionFailure::TimedOut),
                        Some(false) => Err(ActionFailure::Failed { code: None, message: "no".to_owned() }),
                    };
                    if let Ok(Ok(ended)) = world.try_finish(server, &running, outcome) {
                        prop_assert_eq!(&ended.record.event_id, running.event());
                    }
                }
                Act::Trouble { server, faults } => world.servers[server].expect(faults),
                Act::Wait { millis } => world.wait(millis),
                Act::TurnBack { millis } => world.turn_back(millis),
                Act::Crash { server } => world.servers[server] = world.start(),
                Act::Write { value } => world.put_surface(&json!({"version": "2", "last": {"deploy": value}})),
                Act::Delete => {
                    world.servers.iter().for_each(|server| server.expect([]));
                    let engine = &world.servers[0].engine;
                    let deletion = key("host", &format!("delete {number}"));
                    block_on(engine.delete(&world.canvas, &deletion, world.now())).unwrap();
                    let creation = key("host", &format!("create {number}"));
                    block_on(engine.create(&world.canvas, "", &creation, world.now())).unwrap();
                    world.put_surface(&json!({"version": "3"}));
                }
            }
            // A call is one execution, told to run once.
            prop_assert!(told.started.values().all(|events| events.len() <= 1), "{:?}", told.started);
            prop_assert!(told.starts.values().all(|starts| *starts == 1), "{:?}", told.starts);
            prop_assert!(world.claims() <= 3);
        }
        // After all deadlines whoever comes next ends what nobody has ended.
        world.servers.iter().for_each(|server| server.expect([]));
        world.wait(1_000_000);
        prop_assert!(world.begin(0, "last", press("mark")).is_ok());
        prop_assert_eq!(world.claims(), 0);
        let records = world.records();
        let recorded: BTreeSet<_> = records.iter().map(|record| &record.record.event_id).collect();
        prop_assert_eq!(recorded.len(), records.len(), "each is recorded once");
        prop_assert!(told.starts.keys().all(|event| recorded.contains(event)));
        // And however often they are asked for again, nothing is started.
        for call in told.started.keys() {
            let again = world.begin(1, &call.to_string(), press(ACTIONS[call % ACTIONS.len()]));
            prop_assert!(matches!(again, Ok(ActionBegun::Ended { .. })), "{again:?}");
        }
        prop_assert_eq!(world.records().len(), records.len());
    }
}
