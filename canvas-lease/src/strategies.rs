//! Strategies that generate any value of this crate, for property tests.
//!
//! Half of the numbers are near an end of their range, because rules break there.

use std::time::Duration;

use proptest::prelude::*;

use crate::lock::{Access, Unchecked};
use crate::{
    Epoch, Fence, Holder, Lease, LeaseId, LeasePolicy, Lock, OperationKey, Timestamp, Turn, safe_integer,
};

/// Generates any timestamp.
pub fn timestamps() -> impl Strategy<Value = Timestamp> {
    numbers().prop_map(Timestamp::from_millis)
}

/// Generates policies. Each limit is either shorter than 20 milliseconds or [`Duration::MAX`].
pub fn policies() -> impl Strategy<Value = LeasePolicy> {
    (durations(), durations(), durations()).prop_map(|(ttl, max_hold, clock_tolerance)| LeasePolicy {
        ttl,
        max_hold,
        clock_tolerance,
    })
}

/// Generates one of a few holders, so that equal ones meet.
pub fn holders() -> impl Strategy<Value = Holder> {
    prop::sample::select(&["ada", "ben"][..]).prop_map(Holder::new)
}

/// Generates one of a few operation keys, so that equal ones meet.
pub fn operation_keys() -> impl Strategy<Value = OperationKey> {
    prop::sample::select(&["call-1", "call-2"][..]).prop_map(OperationKey::new)
}

/// Generates any lease id. Most of them were never issued.
pub fn lease_ids() -> impl Strategy<Value = LeaseId> {
    (fences(), epochs()).prop_map(|(fence, epoch)| LeaseId::new(fence, epoch))
}

/// Generates any lock that can be read from a store.
pub fn locks() -> impl Strategy<Value = Lock> {
    let used =
        (epochs(), fences(), turns(), timestamps()).prop_flat_map(|(epoch, fence, turn, high_water_mark)| {
            // A turn above the epoch would be refused half of the time.
            let turn = Turn::new(epoch.get()).map_or(turn, |highest| turn.min(highest));
            accesses(LeaseId::new(fence, epoch), high_water_mark)
                .prop_filter_map("impossible", move |access| {
                    Lock::try_from(Unchecked { epoch, fence, turn, high_water_mark, access }).ok()
                })
        });
    prop_oneof![1 => timestamps().prop_map(Lock::new), 9 => used]
}

fn accesses(id: LeaseId, high_water_mark: Timestamp) -> impl Strategy<Value = Access> {
    prop_oneof![
        // Most rules are about a held lock, so it is drawn most often.
        4 => leases(id, high_water_mark).prop_map(Access::Held),
        1 => Just(Access::Open),
        1 => Just(Access::Closed),
    ]
}

fn leases(id: LeaseId, high_water_mark: Timestamp) -> impl Strategy<Value = Lease> {
    (holders(), operation_keys(), durations(), durations(), durations()).prop_map(
        move |(holder, operation, held, idle, left)| {
            let renewed_at = back(high_water_mark, idle);
            Lease {
                id,
                holder,
                operation,
                acquired_at: back(renewed_at, held),
                renewed_at,
                expires_at: renewed_at.saturating_add(left),
            }
        },
    )
}

fn back(from: Timestamp, by: Duration) -> Timestamp {
    Timestamp::from_millis(u64::try_from(by.as_millis()).map_or(0, |by| from.as_millis().saturating_sub(by)))
}

fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![
        // Most of the time long enough to outlive a few steps, and short enough to end.
        6 => (0_u64..20).prop_map(Duration::from_millis),
        1 => Just(Duration::MAX),
    ]
}

fn epochs() -> impl Strategy<Value = Epoch> {
    numbers().prop_map(|epoch| Epoch::new(epoch).expect("numbers are in range"))
}

/// Generates fences of at least 1, because every lease has such a fence.
fn fences() -> impl Strategy<Value = Fence> {
    numbers().prop_map(|fence| Fence::new(fence.max(1)).expect("numbers are in range"))
}

fn turns() -> impl Strategy<Value = Turn> {
    numbers().prop_map(|turn| Turn::new(turn).expect("numbers are in range"))
}

fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![2 => 0..=safe_integer::MAX, 1 => 0_u64..4, 1 => safe_integer::MAX - 3..=safe_integer::MAX]
}
