//! The lease over a document: its life, its end, and which refusal comes first.

use std::time::Duration;

use crate::policy_with;
use canvas_core::Policy;
use canvas_core::lease;

use super::story::{check, check_with};

#[test]
fn a_lease_lives_from_check_out_to_check_in() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        2000 model reads lease-1-0 -> r1 until 16000
        3000 model writes c2 lease-1-0 a>c -> r2 +1 −1 until 16000
        4000 model renews c3 lease-1-0 -> until 19000 r2
        5000 model checks-in c4 lease-1-0 -> released r2
        5000 model checks-in c5 lease-1-0 -> was over r2
        5000 model reads lease-1-0 -> LOCK_NOT_OWNED
        5000 model writes c6 lease-1-0 c>d -> LOCK_NOT_OWNED
        5000 other checks-out c7 -> lease-2-0 until 20000 r2
        6000 model checks-in c8 lease-1-0 -> was over r2
        6000 other reads lease-2-0 -> r2 until 20000
        ",
    );
}

#[test]
fn one_lease_at_a_time() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        2000 model checks-out c1 -> again: lease-1-0 until 16000 r1
        2000 model checks-out c2 -> LOCK_NOT_AVAILABLE/HELD
        2000 other checks-out c3 -> LOCK_NOT_AVAILABLE/HELD
        2000 other reads lease-1-0 -> LOCK_NOT_OWNED
        2000 other writes c4 lease-1-0 a>c -> LOCK_NOT_OWNED
        2000 other renews c5 lease-1-0 -> LOCK_NOT_OWNED
        2000 other checks-in c6 lease-1-0 -> LOCK_NOT_OWNED
        15999 model reads lease-1-0 -> r1 until 30999
        16000 other checks-out c7 -> LOCK_NOT_AVAILABLE/HELD
        30999 other checks-out c8 -> lease-2-0 until 45999 r1
        31000 model checks-out c3 -> LOCK_NOT_AVAILABLE/HELD
        ",
    );
}

/// Every operation agrees on which side of the boundary it is.
#[test]
fn a_lease_is_over_at_its_expiry() {
    let before = |act: &str, answer: &str| {
        check(&format!(
            "1000 model checks-out c1 -> lease-1-0 until 16000 r1
             15999 {act} -> {answer}"
        ));
    };
    before("model reads lease-1-0", "r1 until 30999");
    before("model writes c2 lease-1-0 a>c", "r2 +1 −1 until 30999");
    before("model renews c2 lease-1-0", "until 30999 r1");
    before("model checks-in c2 lease-1-0", "released r1");
    before("other checks-out c2", "LOCK_NOT_AVAILABLE/HELD");

    let at = |act: &str, answer: &str| {
        check(&format!(
            "1000 model checks-out c1 -> lease-1-0 until 16000 r1
             16000 {act} -> {answer}"
        ));
    };
    at("model reads lease-1-0", "LEASE_EXPIRED");
    at("model writes c2 lease-1-0 a>c", "LEASE_EXPIRED");
    at("model renews c2 lease-1-0", "LEASE_EXPIRED");
    at("model checks-in c2 lease-1-0", "was over r1");
    at("other checks-out c2", "lease-2-0 until 31000 r1");
    at("model checks-out c2", "lease-2-0 until 31000 r1");
}

/// Each line fails for every reason from its own on; the first one is reported.
#[test]
fn the_first_refusal_that_applies_is_reported() {
    // The old lease is of an older epoch, is not the holder's, has expired, and the patch does not fit.
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        2000 model writes c2 lease-1-0 a>c -> r2 +1 −1 until 16000
        2000 user edits u1 a|z -> epoch 1 r3
        2000 other checks-out c3 -> lease-2-1 until 17000 r3
        40000 model writes c2 lease-1-0 a>c -> again: r2 +1 −1 until 16000
        40000 model writes c4 lease-1-0 nowhere>c -> STALE_EPOCH 1, shown -c -b +a +z
        40000 stranger writes c5 lease-1-0 nowhere>c -> STALE_EPOCH 1, shown -b +z
        40000 model writes c6 lease-2-1 nowhere>c -> LOCK_NOT_OWNED
        40000 other writes c7 lease-2-1 nowhere>c -> LEASE_EXPIRED
        40000 other checks-out c8 -> lease-3-1 until 55000 r3
        40000 other writes c9 lease-3-1 nowhere>c -> STALE_BASE, shown -b +z
        40000 other writes c10 lease-3-1 nowhere>c -> PATCH_REJECTED/NOT_FOUND
        40000 other writes c11 lease-2-1 nowhere>c -> LOCK_NOT_OWNED
        40000 model writes c12 lease-9-1 nowhere>c -> LOCK_NOT_OWNED
        40000 model writes c13 lease-1-9 nowhere>c -> LOCK_NOT_OWNED
        40000 model writes c14 no-lease nowhere>c -> LOCK_NOT_OWNED
        40000 model renews c15 no-lease -> LOCK_NOT_OWNED
        40000 model checks-in c16 no-lease -> LOCK_NOT_OWNED
        40000 model reads no-lease -> LOCK_NOT_OWNED
        ",
    );
}

#[test]
fn every_call_under_the_lease_is_a_sign_of_life() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        5999 model reads lease-1-0 -> r1 until 16000
        6000 model reads lease-1-0 -> r1 until 21000
        10999 model writes c2 lease-1-0 a>c -> r2 +1 −1 until 21000
        11000 model writes c3 lease-1-0 c>d -> r3 +1 −1 until 26000
        25000 model writes c4 lease-1-0 nowhere>d -> PATCH_REJECTED/NOT_FOUND
        26000 model reads lease-1-0 -> r3 until 40000
        39999 model writes c4 lease-1-0 nowhere>d -> again: PATCH_REJECTED/NOT_FOUND
        40000 model reads lease-1-0 -> LEASE_EXPIRED
        ",
    );
}

#[test]
fn nobody_holds_for_ever() {
    let lease = lease::LeasePolicy { max_hold: Duration::from_secs(20), ..lease::LeasePolicy::default() };
    check_with(
        Policy { lease, ..Policy::default() },
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        15000 model renews c2 lease-1-0 -> until 21000 at most r1
        16000 model renews c3 lease-1-0 -> until 21000 at most r1
        20999 model reads lease-1-0 -> r1 until 21000
        21000 model renews c4 lease-1-0 -> LEASE_EXPIRED
        21000 model checks-out c5 -> lease-2-0 until 36000 r1
        ",
    );
}

#[test]
fn a_clock_that_goes_back_revives_nobody() {
    check(
        "
        1000000 model checks-out c1 -> lease-1-0 until 1015000 r1
        1015000 model reads lease-1-0 -> LEASE_EXPIRED
        1015000 model writes c2 lease-1-0 a>c -> LEASE_EXPIRED
        1010000 model reads lease-1-0 -> LEASE_EXPIRED
        1010000 model renews c3 lease-1-0 -> LEASE_EXPIRED
        ",
    );
}

#[test]
fn a_small_step_back_counts_as_standing_still() {
    check(
        "
        10000 model checks-out c1 -> lease-1-0 until 25000 r1
        12000 model writes c2 lease-1-0 a>c -> r2 +1 −1 until 25000
        7000 model renews c3 lease-1-0 -> until 27000 r2
        7000 model writes c4 lease-1-0 c>d -> r3 +1 −1 until 27000
        7000 other checks-out c5 -> LOCK_NOT_AVAILABLE/HELD
        ",
    );
}

#[test]
fn a_long_step_back_costs_the_lease_and_no_more() {
    check(
        "
        100000 model checks-out c1 -> lease-1-0 until 115000 r1
        101000 model writes c2 lease-1-0 a>c -> r2 +1 −1 until 115000
        95999 model writes c3 lease-1-0 c>d -> STALE_EPOCH 1, shown nothing
        95999 model reads lease-1-0 -> STALE_EPOCH 1, shown nothing
        95999 model checks-in c4 lease-1-0 -> STALE_EPOCH 1, shown nothing
        95999 model checks-out c5 -> lease-2-1 until 110999 r2
        96000 model writes c6 lease-2-1 c>d -> r3 +1 −1 until 110999
        ",
    );
    check(
        "
        100000 model checks-out c1 -> lease-1-0 until 115000 r1
        1000 model reads lease-1-0 -> STALE_EPOCH 1, shown nothing
        1000 other checks-out c2 -> lease-2-1 until 16000 r1
        ",
    );
}

#[test]
fn a_clock_that_leaps_and_is_put_right_leaves_no_immortal_lease() {
    check(
        "
        1000 user cancels u1 -> epoch 1
        9000000 model hears m1 -> epoch 2 r1, promoted, reported nothing
        9000000 model checks-out c1 -> lease-1-2 until 9015000 r1
        2000 other checks-out c2 -> lease-2-3 until 17000 r1
        2000 model writes c3 lease-1-2 a>c -> STALE_EPOCH 3, shown nothing
        ",
    );
}

#[test]
fn a_lease_makes_so_many_calls() {
    check_with(
        policy_with(|policy| policy.receipts.calls_per_lease = 4),
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        2000 model writes c2 lease-1-0 a>c -> r2 +1 −1 until 16000
        2000 model writes c3 lease-1-0 nowhere>c -> PATCH_REJECTED/NOT_FOUND
        2000 model reads lease-1-0 -> r2 until 16000
        2000 model renews c4 lease-1-0 -> until 17000 r2
        9000 model renews c5 lease-1-0 -> TOO_MANY_CALLS
        9000 model writes c6 lease-1-0 c>d -> TOO_MANY_CALLS
        9000 model reads lease-1-0 -> TOO_MANY_CALLS
        9000 model writes c2 lease-1-0 a>c -> again: r2 +1 −1 until 16000
        9000 model checks-in c7 lease-1-0 -> released r2
        9000 model checks-out c8 -> lease-2-0 until 24000 r2
        9000 model writes c9 lease-2-0 c>d -> r3 +1 −1 until 24000
        ",
    );
}
