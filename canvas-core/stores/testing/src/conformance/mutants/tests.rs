//! Generated flaws of each kind, in addition to the named ones.

use canvas_core::testing::block_on;

use super::design::{Claim, Design};
use super::kind::CommitKind;
use super::naming::{Naming, Part};
use super::race::{Effect, Race};
use super::*;
use crate::conformance::tests::{Bare, Gates};

/// Whether a check fails on a store of this design.
fn is_killed(harness: &impl Harness, design: Design, check: Check) -> bool {
    // This flaw does nothing without its design.
    let harness = MutantHarness { harness, flaw: Flaw::RacesEdits, design };
    block_on(check.run(&harness)).is_err()
}

/// Returns the races for each kind of commit, with the check that must reveal them.
fn races() -> Vec<(Race, Check)> {
    let mut races = Vec::new();
    for effect in [Effect::Overwrites, Effect::Loses] {
        for every in 1..=3 {
            let of = |kind| Race { every, ..Race::of(kind, effect) };
            let check = |kind| match kind {
                CommitKind::First => Check::CreationsOnThreads,
                CommitKind::Edit | CommitKind::Bump => Check::CommitsOnThreads,
                CommitKind::Deletion | CommitKind::Revival => Check::DeletionsOnThreads,
            };
            races.extend(CommitKind::ALL.map(|kind| (of(Some(kind)), check(kind))));
            races.push((of(None), Check::CommitsOnThreads));
            races.push((Race { limited: true, ..of(None) }, Check::LimitsOnThreads));
        }
    }
    races
}

#[test]
fn a_race_between_look_and_write_is_seen_on_threads() {
    let races = races();
    assert!(races.len() > 40);
    let survivors: Vec<_> = races
        .into_iter()
        .filter(|(race, check)| !is_killed(&Gates::new(), Design::race(*race), *check))
        .collect();
    assert!(survivors.is_empty(), "{survivors:#?}");
}

/// This shows the need for races on threads. With a harness that can block commits, futures meet too.
#[test]
fn no_check_on_one_thread_sees_a_race_within_one_poll() {
    for (race, _) in races().into_iter().filter(|(race, _)| race.every == 1) {
        let mut checks = Check::ALL.iter().filter(|check| !ON_THREADS.contains(check));
        let seen = checks.find(|check| is_killed(&Bare(Gates::new()), Design::race(race), **check));
        assert_eq!(seen, None, "{race:?}");
    }
}

/// Without a random part, a version is safe only if it contains a hash of the whole state together with a count of all
/// earlier states.
#[test]
fn versions_without_chance_are_seen() {
    let checks = [Check::VersionsAreNew, Check::VersionsOfEachLife, Check::VersionsOfAnotherHistory];
    let mut wrong = 0;
    for naming in Naming::all() {
        let counts = [Part::Count, Part::CountOfCanvas, Part::Before];
        let is_right = naming.has(Part::Head) && counts.iter().any(|part| naming.has(*part));
        let is_killed = checks.iter().any(|check| is_killed(&Gates::new(), Design::naming(naming), *check));
        assert_eq!(is_killed, !is_right, "{naming:?}");
        wrong += usize::from(is_killed);
    }
    assert!(wrong > 250, "{wrong}");
}

#[test]
fn what_is_claimed_and_not_done_for_one_kind_of_commit_is_seen() {
    for but in CommitKind::ALL {
        assert!(
            is_killed(&Gates::new(), Design::claim(Claim::NotAfter { but }), Check::LateWritesNothing),
            "{but:?}"
        );
        assert!(
            is_killed(&Gates::new(), Design::claim(Claim::Notify { but }), Check::NotifiesPeers),
            "{but:?}"
        );
    }
}
