//! Every order of events in small worlds, tried on the production transitions.
//!
//! The worlds are bounded, so the checker visits all of each. An ordinary run takes three of them that a
//! debug build finishes in seconds. With `CANVAS_MODEL=full` the same test takes two large ones, which is
//! for `--release`:
//!
//! ```text
//! CANVAS_MODEL=full cargo test --release -p canvas-lease --test model -- --nocapture
//! ```
//!
//! A model that finds nothing may have looked at nothing. So the dangers that the rules are made for must
//! come up, and each [`Variant`] brings in one fault whose broken rule must be found.

mod danger;
mod message;
mod oracle;
mod variant;
mod world;

use std::collections::BTreeSet;
use std::time::Instant;

use stateright::{Checker as _, HasDiscoveries, Model as _};

use crate::oracle::Rule;
use crate::variant::Variant;
use crate::world::{Budget, WorldModel};

const NOTHING: Budget = Budget {
    at_once: 2,
    check_outs: 2,
    writes: 2,
    renewals: 0,
    check_ins: 0,
    restarts: 0,
    leaks: 0,
    lost: 0,
    doubled: 0,
    edits: 0,
    messages: 0,
    cancels: 0,
    ticks: 0,
    steps_back: 0,
    falls_back: 0,
};

/// The user does everything a user can, and no time passes.
const USER: Budget = Budget { edits: 1, messages: 1, cancels: 1, ..NOTHING };

/// Clocks do everything clocks can, and one message is under way at a time.
const CLOCK: Budget =
    Budget { at_once: 1, writes: 1, renewals: 2, ticks: 3, steps_back: 1, falls_back: 1, ..NOTHING };

/// Messages go astray, ids come to the wrong hands, and leases expire.
const TRANSPORT: Budget = Budget { check_ins: 1, leaks: 1, lost: 1, ticks: 2, ..NOTHING };

/// The user, the clock and the transport together.
const FULL: Budget =
    Budget { renewals: 1, check_ins: 1, lost: 1, edits: 1, messages: 1, ticks: 2, falls_back: 1, ..NOTHING };

/// As `TRANSPORT`, with renewals, restarts and requests that arrive twice.
const FULL_TRANSPORT: Budget = Budget { renewals: 1, restarts: 1, doubled: 1, ..TRANSPORT };

#[test]
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "this test is a host, and it reports")]
fn production_keeps_every_rule() {
    let full = std::env::var("CANVAS_MODEL").is_ok_and(|value| value == "full");
    let budgets: &[Budget] = if full { &[FULL, FULL_TRANSPORT] } else { &[USER, CLOCK, TRANSPORT] };

    let start = Instant::now();
    let (mut unique, mut total, mut found) = (0, 0, BTreeSet::new());
    for &budget in budgets {
        let checker = WorldModel { variant: Variant::Correct, budget }
            .checker()
            .threads(2)
            // Without this the checker goes on past a broken rule and reports the last way to break it.
            .finish_when(HasDiscoveries::AnyFailures)
            .spawn_bfs()
            .join();
        for rule in Rule::properties() {
            checker.assert_no_discovery(rule.name);
        }
        assert!(!full || checker.unique_state_count() >= 1_000_000, "the full bound is too small");
        unique += checker.unique_state_count();
        total += checker.state_count();
        found.extend(checker.discoveries().into_keys());
    }
    println!("model: {unique} unique states, {total} total, {:.1} s", start.elapsed().as_secs_f64());

    for danger in danger::all() {
        assert!(found.contains(danger.name), "it never came up that {}", danger.name);
    }
}

/// Checks that a fault breaks a rule, and that the checker sees it.
#[expect(clippy::print_stdout, reason = "the runs of all variants make a table")]
fn expose(variant: Variant, budget: Budget, rule: Rule) {
    let checker = WorldModel { variant, budget }
        .checker()
        .finish_when(HasDiscoveries::AnyOf(BTreeSet::from([rule.name()])))
        .spawn_bfs()
        .join();
    checker.assert_any_discovery(rule.name());
    println!("variant {variant:?} is caught: {}", rule.name());
}

macro_rules! variants {
    ($($test:ident: $variant:ident in $world:ident breaks $rule:ident,)*) => {
        $(#[test]
        fn $test() {
            expose(Variant::$variant, $world, Rule::$rule);
        })*
    };
}

// A variant left out here is reported by the compiler as never constructed.
variants! {
    renewal_that_revives: RenewalRevives in CLOCK breaks NoRevival,
    expiry_inclusive: ExpiryInclusive in CLOCK breaks ExpiryBinds,
    clock_followed_back: ClockFollowed in CLOCK breaks ExpiryBinds,
    clock_fall_tolerated: FallTolerated in CLOCK breaks PreemptionWins,
    renewal_that_shortens: RenewalShortens in CLOCK breaks NoShortening,
    max_hold_ignored: MaxHoldIgnored in CLOCK breaks MaxHold,
    expired_lease_that_blocks: ExpiredLeaseBlocks in CLOCK breaks NoFalseLock,
    epoch_kept_on_edit: EpochKeptOnEdit in USER breaks StaleEpochReported,
    epoch_kept_is_counted: EpochKeptOnEdit in USER breaks EpochCounts,
    lease_kept_on_message: LeaseKeptOnMessage in USER breaks NoFalseLock,
    preemption_that_skips_a_held_lock: PreemptionSkipsHeld in USER breaks PreemptionWins,
    write_allowed_when_sent: AllowedWhenSent in USER breaks PreemptionWins,
    base_not_compared: BaseNotCompared in USER breaks NoLostUpdate,
    turn_not_compared: TurnNotCompared in USER breaks TurnOver,
    cancel_that_keeps_the_turn: CancelKeepsTurn in USER breaks TurnOver,
    lease_replaced: LeaseReplaced in USER breaks OneHolder,
    fence_reused: FenceReused in TRANSPORT breaks FreshId,
    fence_reused_is_lowered: FenceReused in TRANSPORT breaks FenceRises,
    check_in_unmatched: CheckInUnmatched in TRANSPORT breaks LeaseLasts,
    check_in_forgotten: CheckInForgotten in TRANSPORT breaks ReleaseBinds,
    holder_not_compared: HolderNotCompared in TRANSPORT breaks HolderOnly,
    retry_refused: RetryRefused in TRANSPORT breaks RetryAnswered,
    operation_not_compared: OperationNotCompared in TRANSPORT breaks FreshId,
}
