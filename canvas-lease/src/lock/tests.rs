//! Each rule as a story, one step per line, with the clock, the actor, the action and the answer.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::OperationKey;

/// A lease lives 9 ms, is held 20 ms at most, and a clock may step back 5 ms.
const POLICY: LeasePolicy = LeasePolicy {
    ttl: Duration::from_millis(9),
    max_hold: Duration::from_millis(20),
    clock_tolerance: Duration::from_millis(5),
};

/// Plays a story on a new lock at clock 100.
fn check(story: &str) {
    check_from(Lock::new(Timestamp::from_millis(100)), story);
}

/// Plays a story and compares every answer. Also checks after every step that a refusal changed nothing
/// but the clock, and that the state reads back from its stored form.
fn check_from(mut lock: Lock, story: &str) {
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (step, expected) = line.split_once(" -> ").expect("a step and its answer");
        let before = lock.clone();
        let (clock, answer) = play(&mut lock, step);
        match answer {
            Ok(answer) => assert_eq!(answer, expected, "{line}"),
            Err(lease_error) => {
                assert_eq!(lease_error, expected, "{line}");
                let mut observed = before;
                observed.observe(&POLICY, clock);
                assert_eq!(lock, observed, "{line}");
            }
        }
        assert_eq!(serde_json::from_value::<Lock>(stored(&lock)).unwrap(), lock, "{line}");
    }
}

fn play(lock: &mut Lock, step: &str) -> (Timestamp, Result<String, String>) {
    let words: Vec<&str> = step.split_whitespace().collect();
    let clock = Timestamp::from_millis(words[0].parse().expect("a clock"));
    let holder = Holder::new(words[1]);
    let answer = match words[1..] {
        ["store", "held"] => Ok(lock
            .valid_lease(&POLICY, clock)
            .map_or_else(|| "nothing".into(), |lease| lease.id.to_string())),
        ["user", act] => Ok(preemption(lock.preempt(&POLICY, clock, cause(act)))),
        [_, "checks-out", operation, turn] => {
            let turn = turn
                .strip_prefix("turn-")
                .and_then(|turn| turn.parse().ok())
                .and_then(|turn| Turn::new(turn).ok());
            let operation = OperationKey::new(operation);
            let request = CheckOutRequest { holder, operation, turn: turn.expect("a turn") };
            lock.check_out(&POLICY, clock, request).map(grant).map_err(check_out_error)
        }
        [_, "renews", id] => lock.renew(&POLICY, clock, parse(id), &holder).map(grant).map_err(lease_error),
        [_, "beats", id] => lock.heartbeat(&POLICY, clock, parse(id), &holder).map(beat).map_err(lease_error),
        [_, "writes", id] => {
            let permit = lock.authorize(&POLICY, clock, parse(id), &holder).map_err(lease_error);
            permit.map(|permit| format!("{} until {}", permit.id(), permit.expires_at()))
        }
        [_, "checks-in", id] => {
            lock.check_in(&POLICY, clock, parse(id), &holder).map(|it| format!("{it:?}")).map_err(lease_error)
        }
        _ => panic!("no such step: {step}"),
    };
    (clock, answer)
}

fn parse(id: &str) -> LeaseId {
    id.parse().expect("a lease id")
}

fn cause(act: &str) -> PreemptionCause {
    serde_json::from_value(act.into()).expect("a cause")
}

fn grant(grant: Grant) -> String {
    let replayed = if grant.replayed { ", replayed" } else { "" };
    let at_max_hold = if grant.at_max_hold { ", at max hold" } else { "" };
    let left = grant.ttl_remaining.as_millis();
    format!("{} until {}, {left} ms{replayed}{at_max_hold}", grant.id, grant.expires_at)
}

fn beat(heartbeat: HeartbeatOutcome) -> String {
    let kind = if matches!(heartbeat, HeartbeatOutcome::Extended(_)) { "extended" } else { "coalesced" };
    format!("{kind}, {}", grant(*heartbeat.grant()))
}

fn preemption(preemption: Preemption) -> String {
    let Preemption { epoch, turn, ended } = preemption;
    let ended = ended.map_or_else(|| "nothing".into(), |lease| lease.id.to_string());
    format!("epoch {epoch}, turn {turn}, ended {ended}")
}

fn check_out_error(lease_error: CheckOutError) -> String {
    match lease_error {
        CheckOutError::Held { until } => format!("HELD until {until}"),
        other => other.reason().unwrap_or_else(|| other.code()).into(),
    }
}

fn lease_error(lease_error: LeaseError) -> String {
    match lease_error {
        LeaseError::StaleEpoch { current } => format!("STALE_EPOCH, now {current}"),
        LeaseError::NotOwned => "LOCK_NOT_OWNED".into(),
        LeaseError::Expired { at } => format!("LEASE_EXPIRED at {at}"),
    }
}

fn stored(lock: &Lock) -> Value {
    serde_json::to_value(lock).unwrap()
}

/// A lease read from its stored form.
fn read(stored: Value) -> Lock {
    serde_json::from_value(stored).unwrap()
}

#[test]
fn a_new_lock_is_open_and_free() {
    let lock = Lock::new(Timestamp::from_millis(100));
    assert_eq!((lock.epoch(), lock.fence(), lock.turn()), (Epoch::ZERO, Fence::ZERO, Turn::ZERO));
    assert_eq!(lock.high_water_mark(), Timestamp::from_millis(100));
    assert!(lock.is_turn_open());
    assert_eq!(lock.lease(), None);
}

#[test]
fn a_lease_records_holder_operation_and_times() {
    let mut lock = Lock::new(Timestamp::from_millis(100));
    play(&mut lock, "100 ada checks-out call-1 turn-0").1.unwrap();
    play(&mut lock, "105 ada renews lease-1-0").1.unwrap();
    let lease = lock.lease().unwrap();
    assert_eq!((lease.holder.as_str(), lease.operation.as_str()), ("ada", "call-1"));
    assert_eq!(
        (lease.acquired_at, lease.renewed_at, lease.expires_at),
        (Timestamp::from_millis(100), Timestamp::from_millis(105), Timestamp::from_millis(114))
    );
    assert!(lock.is_turn_open());
}

#[test]
fn one_holder_at_a_time() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         101 ben checks-out call-2 turn-0 -> HELD until 109
         102 ada checks-out call-3 turn-0 -> HELD until 109
         103 ben checks-out call-1 turn-0 -> HELD until 109
         104 ben writes lease-1-0 -> LOCK_NOT_OWNED
         104 ben renews lease-1-0 -> LOCK_NOT_OWNED
         104 ben beats lease-1-0 -> LOCK_NOT_OWNED
         104 ben checks-in lease-1-0 -> LOCK_NOT_OWNED
         104 ada writes lease-1-0 -> lease-1-0 until 109
         104 store held -> lease-1-0",
    );
}

#[test]
fn a_retried_check_out_returns_the_same_lease() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         104 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 5 ms, replayed
         109 ada checks-out call-1 turn-0 -> lease-2-0 until 118, 9 ms",
    );
}

#[test]
fn the_boundary_is_the_same_for_every_operation() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         108 store held -> lease-1-0
         109 store held -> nothing
         108 ben checks-out call-2 turn-0 -> HELD until 109
         108 ada beats lease-1-0 -> extended, lease-1-0 until 117, 9 ms
         116 ada writes lease-1-0 -> lease-1-0 until 117
         116 ada renews lease-1-0 -> lease-1-0 until 120, 4 ms, at max hold
         119 ada checks-out call-1 turn-0 -> lease-1-0 until 120, 1 ms, replayed, at max hold
         120 ada writes lease-1-0 -> LEASE_EXPIRED at 120
         120 ada renews lease-1-0 -> LEASE_EXPIRED at 120
         120 ada beats lease-1-0 -> LEASE_EXPIRED at 120
         120 ben writes lease-1-0 -> LOCK_NOT_OWNED
         120 ben checks-out call-2 turn-0 -> lease-2-0 until 129, 9 ms
         120 ada renews lease-1-0 -> LOCK_NOT_OWNED
         128 ben checks-in lease-2-0 -> Released",
    );
}

#[test]
fn an_expired_lease_is_never_revived() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         109 ada renews lease-1-0 -> LEASE_EXPIRED at 109
         104 ada renews lease-1-0 -> LEASE_EXPIRED at 109
         104 ada writes lease-1-0 -> LEASE_EXPIRED at 109
         104 store held -> nothing",
    );
}

#[test]
fn renewal_reaches_the_maximum_hold_and_no_further() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         100 ada renews lease-1-0 -> lease-1-0 until 109, 9 ms
         101 ada renews lease-1-0 -> lease-1-0 until 110, 9 ms
         109 ada renews lease-1-0 -> lease-1-0 until 118, 9 ms
         111 ada renews lease-1-0 -> lease-1-0 until 120, 9 ms, at max hold
         119 ada beats lease-1-0 -> coalesced, lease-1-0 until 120, 1 ms, at max hold
         119 ada renews lease-1-0 -> lease-1-0 until 120, 1 ms, at max hold
         120 ada renews lease-1-0 -> LEASE_EXPIRED at 120
         120 ada checks-out call-2 turn-0 -> lease-2-0 until 129, 9 ms",
    );
}

#[test]
fn heartbeats_within_a_third_of_the_ttl_are_coalesced() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         102 ada beats lease-1-0 -> coalesced, lease-1-0 until 109, 7 ms
         103 ada beats lease-1-0 -> extended, lease-1-0 until 112, 9 ms
         105 ada beats lease-1-0 -> coalesced, lease-1-0 until 112, 7 ms
         105 ada renews lease-1-0 -> lease-1-0 until 114, 9 ms
         107 ada beats lease-1-0 -> coalesced, lease-1-0 until 114, 7 ms
         108 ada beats lease-1-0 -> extended, lease-1-0 until 117, 9 ms",
    );
}

#[test]
fn checking_in_twice_is_fine() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         101 ada checks-in lease-1-0 -> Released
         101 ada checks-in lease-1-0 -> AlreadyReleased
         101 store held -> nothing
         102 ada writes lease-1-0 -> LOCK_NOT_OWNED
         102 ada checks-out call-1 turn-0 -> lease-2-0 until 111, 9 ms
         111 ada checks-in lease-2-0 -> AlreadyReleased
         111 ada checks-in lease-2-0 -> AlreadyReleased",
    );
}

#[test]
fn a_stale_check_in_releases_nobody() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         109 ben checks-out call-2 turn-0 -> lease-2-0 until 118, 9 ms
         110 ada checks-in lease-1-0 -> AlreadyReleased
         110 ben writes lease-2-0 -> lease-2-0 until 118
         111 user user_edit -> epoch 1, turn 0, ended lease-2-0
         112 ben checks-out call-3 turn-0 -> lease-3-1 until 121, 9 ms
         113 ben checks-in lease-2-0 -> STALE_EPOCH, now 1
         113 ben writes lease-3-1 -> lease-3-1 until 121",
    );
}

#[test]
fn an_id_that_was_never_issued_belongs_to_nobody() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         101 ada writes lease-2-0 -> LOCK_NOT_OWNED
         101 ada writes lease-1-1 -> LOCK_NOT_OWNED
         101 ada checks-in lease-2-0 -> LOCK_NOT_OWNED
         101 ada checks-in lease-1-1 -> LOCK_NOT_OWNED
         102 user user_edit -> epoch 1, turn 0, ended lease-1-0
         103 ada writes lease-2-0 -> LOCK_NOT_OWNED
         103 ada renews lease-1-1 -> LOCK_NOT_OWNED
         103 ada writes lease-1-0 -> STALE_EPOCH, now 1",
    );
}

#[test]
fn a_stale_epoch_is_reported_before_any_other_error() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         109 user user_edit -> epoch 1, turn 0, ended lease-1-0
         110 ada writes lease-1-0 -> STALE_EPOCH, now 1
         110 ben renews lease-1-0 -> STALE_EPOCH, now 1
         110 ada beats lease-1-0 -> STALE_EPOCH, now 1
         110 ada checks-in lease-1-0 -> STALE_EPOCH, now 1
         111 user user_edit -> epoch 2, turn 0, ended nothing
         111 ada writes lease-1-0 -> STALE_EPOCH, now 2",
    );
}

#[test]
fn an_edit_ends_the_lease_but_not_the_turn() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         101 user user_edit -> epoch 1, turn 0, ended lease-1-0
         101 store held -> nothing
         102 ada checks-out call-1 turn-0 -> lease-2-1 until 111, 9 ms
         103 user cancel -> epoch 2, turn 0, ended lease-2-1
         104 user user_edit -> epoch 3, turn 0, ended nothing
         105 ada checks-out call-2 turn-0 -> USER_ACTIVE",
    );
}

#[test]
fn a_message_ends_the_turn_and_opens_the_next() {
    check(
        "100 ada checks-out call-1 turn-1 -> USER_ACTIVE
         100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         101 user user_message -> epoch 1, turn 1, ended lease-1-0
         102 ada checks-out call-1 turn-0 -> USER_ACTIVE
         102 ada checks-out call-1 turn-2 -> USER_ACTIVE
         102 ada checks-out call-1 turn-1 -> lease-2-1 until 111, 9 ms
         103 ada checks-out call-1 turn-0 -> USER_ACTIVE",
    );
}

#[test]
fn a_cancel_or_a_take_over_closes_the_turn() {
    for act in ["cancel", "take_control"] {
        check(&format!(
            "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
             101 user {act} -> epoch 1, turn 0, ended lease-1-0
             102 ada checks-out call-1 turn-0 -> USER_ACTIVE
             120 ada checks-out call-1 turn-0 -> USER_ACTIVE
             121 user {act} -> epoch 2, turn 0, ended nothing
             122 user user_message -> epoch 3, turn 1, ended nothing
             123 ada checks-out call-2 turn-1 -> lease-2-3 until 132, 9 ms"
        ));
    }
}

#[test]
fn a_closed_turn_is_reported_before_an_exhausted_counter() {
    let last = Epoch::MAX.get();
    check_from(
        read(json!({ "epoch": last, "fence": last, "turn": 0, "clock_mark": 100, "access": "closed" })),
        "100 ada checks-out call-1 turn-0 -> USER_ACTIVE
         100 user user_message -> epoch 9007199254740991, turn 1, ended nothing
         100 ada checks-out call-1 turn-1 -> EPOCH_EXHAUSTED",
    );
}

#[test]
fn a_clock_within_the_tolerance_counts_as_the_high_water_mark() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         105 ada renews lease-1-0 -> lease-1-0 until 114, 9 ms
         100 store held -> lease-1-0
         100 ada renews lease-1-0 -> lease-1-0 until 114, 9 ms
         100 ada beats lease-1-0 -> coalesced, lease-1-0 until 114, 9 ms
         100 user user_edit -> epoch 1, turn 0, ended lease-1-0
         100 ada checks-out call-1 turn-0 -> lease-2-1 until 114, 9 ms",
    );
}

#[test]
fn a_clock_too_far_behind_ends_the_lease() {
    check(
        "100 ada checks-out call-1 turn-0 -> lease-1-0 until 109, 9 ms
         94 store held -> nothing
         94 ada writes lease-1-0 -> STALE_EPOCH, now 1
         94 ben checks-out call-2 turn-0 -> lease-2-1 until 103, 9 ms
         88 ben checks-out call-2 turn-0 -> lease-3-2 until 97, 9 ms
         82 user cancel -> epoch 4, turn 0, ended lease-3-2
         76 ada checks-out call-3 turn-0 -> USER_ACTIVE
         76 user user_message -> epoch 6, turn 1, ended nothing",
    );
}

#[test]
fn a_clock_that_ran_ahead_makes_no_lease_immortal() {
    check(
        "18446744073709551615 ada checks-out call-1 turn-0 -> lease-1-0 until 9007199254740991, 0 ms, at max hold
         18446744073709551615 store held -> nothing
         18446744073709551615 ada writes lease-1-0 -> LEASE_EXPIRED at 9007199254740991
         100 ada checks-out call-1 turn-0 -> lease-2-1 until 109, 9 ms
         109 ada writes lease-2-1 -> LEASE_EXPIRED at 109
         0 ben checks-out call-2 turn-0 -> lease-3-2 until 9, 9 ms",
    );
}

#[test]
fn the_last_epoch_issues_no_lease() {
    let before_last = Epoch::MAX.get() - 1;
    check_from(
        read(json!({ "epoch": before_last, "fence": 4, "turn": 0, "clock_mark": 100, "access": "open" })),
        "100 ada checks-out call-1 turn-0 -> lease-5-9007199254740990 until 109, 9 ms
         101 user user_edit -> epoch 9007199254740991, turn 0, ended lease-5-9007199254740990
         102 ada writes lease-5-9007199254740990 -> STALE_EPOCH, now 9007199254740991
         102 ada checks-out call-2 turn-0 -> EPOCH_EXHAUSTED
         103 user user_edit -> epoch 9007199254740991, turn 0, ended nothing
         104 ada writes lease-5-9007199254740990 -> STALE_EPOCH, now 9007199254740991
         104 ada writes lease-5-9007199254740991 -> LOCK_NOT_OWNED",
    );
}

#[test]
fn the_last_fence_is_issued_once() {
    let before_last = Fence::MAX.get() - 1;
    check_from(
        read(json!({ "epoch": 0, "fence": before_last, "turn": 0, "clock_mark": 100, "access": "open" })),
        "100 ada checks-out call-1 turn-0 -> lease-9007199254740991-0 until 109, 9 ms
         101 ada checks-out call-1 turn-0 -> lease-9007199254740991-0 until 109, 8 ms, replayed
         109 ada checks-out call-1 turn-0 -> FENCE_EXHAUSTED
         109 ada checks-in lease-9007199254740991-0 -> AlreadyReleased
         109 ben checks-out call-2 turn-0 -> FENCE_EXHAUSTED",
    );
}

#[test]
fn the_last_turn_stays_in_the_last_epoch() {
    let last = Turn::MAX.get();
    check_from(
        read(json!({ "epoch": last, "fence": 0, "turn": last, "clock_mark": 100, "access": "closed" })),
        "100 user user_message -> epoch 9007199254740991, turn 9007199254740991, ended nothing
         100 ada checks-out call-1 turn-9007199254740991 -> EPOCH_EXHAUSTED",
    );
}

#[test]
fn a_policy_of_no_time_issues_expired_leases() {
    for (ttl, max_hold) in [(0, 20), (9, 0)] {
        let policy = LeasePolicy {
            ttl: Duration::from_millis(ttl),
            max_hold: Duration::from_millis(max_hold),
            clock_tolerance: Duration::ZERO,
        };
        let mut lock = Lock::new(Timestamp::from_millis(100));
        let (holder, operation) = (Holder::new("ada"), OperationKey::new("call-1"));
        let request = CheckOutRequest { holder: holder.clone(), operation, turn: Turn::ZERO };
        let grant = lock.check_out(&policy, Timestamp::from_millis(100), request).unwrap();
        assert_eq!(grant.ttl_remaining, Duration::ZERO);
        let refused = lock.authorize(&policy, Timestamp::from_millis(100), grant.id, &holder);
        assert_eq!(refused, Err(LeaseError::Expired { at: Timestamp::from_millis(100) }));
    }
}

#[test]
fn a_shorter_policy_shortens_no_lease() {
    let mut lock = Lock::new(Timestamp::from_millis(100));
    play(&mut lock, "100 ada checks-out call-1 turn-0").1.unwrap();
    for (ttl, max_hold) in [(1, 20), (9, 3), (0, 0)] {
        let policy = LeasePolicy {
            ttl: Duration::from_millis(ttl),
            max_hold: Duration::from_millis(max_hold),
            ..LeasePolicy::default()
        };
        let grant = lock
            .renew(&policy, Timestamp::from_millis(104), parse("lease-1-0"), &Holder::new("ada"))
            .unwrap();
        assert_eq!(grant.expires_at, Timestamp::from_millis(109));
        assert_eq!(lock.lease().unwrap().renewed_at, Timestamp::from_millis(100));
    }
}

#[test]
fn the_stored_form_is_a_contract() {
    let mut lock = Lock::new(Timestamp::from_millis(100));
    assert_eq!(
        stored(&lock),
        json!({ "epoch": 0, "fence": 0, "turn": 0, "clock_mark": 100, "access": "open" })
    );
    play(&mut lock, "101 user user_message").1.unwrap();
    play(&mut lock, "102 ada checks-out call-1 turn-1").1.unwrap();
    assert_eq!(
        stored(&lock),
        json!({
            "epoch": 1,
            "fence": 1,
            "turn": 1,
            "clock_mark": 102,
            "access": { "held": {
                "id": "lease-1-1",
                "holder": "ada",
                "operation": "call-1",
                "taken_at": 102,
                "renewed_at": 102,
                "expires_at": 111,
            } },
        })
    );
    play(&mut lock, "103 user cancel").1.unwrap();
    assert_eq!(stored(&lock)["access"], "closed");
}

/// Reads a held lock with one change to its stored form, by JSON Pointer.
fn changed(pointer: &str, value: Value) -> Result<Lock, String> {
    let mut stored = json!({
        "epoch": 3,
        "fence": 2,
        "turn": 1,
        "clock_mark": 106,
        "access": { "held": {
            "id": "lease-2-3",
            "holder": "ada",
            "operation": "call-1",
            "taken_at": 102,
            "renewed_at": 105,
            "expires_at": 114,
        } },
    });
    match stored.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
            let parent = stored.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
            parent.insert(name.into(), value);
        }
    }
    serde_json::from_value(stored).map_err(|error| error.to_string())
}

#[test]
fn states_at_the_edge_of_the_possible_can_be_read() {
    for (pointer, value) in [
        ("/turn", json!(3)),
        ("/access", json!("open")),
        ("/access", json!("closed")),
        ("/clock_mark", json!(105)),
        ("/access/held/taken_at", json!(105)),
        ("/access/held/expires_at", json!(105)),
    ] {
        assert!(changed(pointer, value).is_ok(), "{pointer}");
    }
    let last = Epoch::MAX.get();
    read(json!({ "epoch": last, "fence": 0, "turn": last, "clock_mark": 0, "access": "closed" }));
}

#[test]
fn impossible_states_are_refused() {
    for (pointer, value, why) in [
        ("/turn", json!(4), "turn 4"),
        ("/epoch", json!(4), "lease-2-4"),
        ("/fence", json!(3), "lease-3-3"),
        ("/access/held/id", json!("lease-1-3"), "lease-1-3"),
        ("/access/held/id", json!("lease-02-3"), "lease id"),
        ("/access/held/taken_at", json!(106), "renewed_at"),
        ("/access/held/renewed_at", json!(107), "renewed_at"),
        ("/access/held/expires_at", json!(104), "renewed_at"),
        ("/clock_mark", json!(104), "renewed_at"),
        ("/clock_mark", json!(1_u64 << 53), "2^53"),
        ("/epoch", json!(-1), "u64"),
        ("/access", json!("shut"), "unknown variant"),
        ("/access/held/colour", json!("red"), "unknown field"),
        ("/colour", json!("red"), "unknown field"),
    ] {
        let error = changed(pointer, value).expect_err(pointer);
        assert!(error.contains(why), "{pointer}: {error}");
    }
    let last = Epoch::MAX.get();
    for (stored, why) in [
        (json!({ "epoch": 1, "fence": 0, "turn": 1, "clock_mark": 0, "access": "closed" }), "turn 1"),
        (
            json!({ "epoch": last, "fence": 1, "turn": 0, "clock_mark": 0, "access": { "held": {
                "id": "lease-1-9007199254740991", "holder": "ada", "operation": "call-1",
                "taken_at": 0, "renewed_at": 0, "expires_at": 0,
            } } }),
            "last epoch",
        ),
    ] {
        let error = serde_json::from_value::<Lock>(stored).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
