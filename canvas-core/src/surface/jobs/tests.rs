use proptest::prelude::*;

use super::*;

const POLICY: JobPolicy =
    JobPolicy { timeout: 5_000, under_way: 2, shortest_period: 1_000, longest_pause: 60_000 };

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).unwrap()
}

fn timing(job: &str, every: u64) -> JobTiming {
    JobTiming { job: JobId::new(job).unwrap(), action: ActionId::new("look").unwrap(), every }
}

/// Returns one job of a canvas.
fn one(every: u64) -> RefreshJobs {
    let mut jobs = RefreshJobs::new(7, POLICY);
    jobs.track(&canvas("a"), [timing("poll", every)], at(100_000));
    jobs
}

/// Polls when a job is due, and returns the time.
fn run(jobs: &mut RefreshJobs) -> (RequestToken, u64) {
    let next = jobs.next_due().unwrap();
    let due = jobs.due(next);
    assert_eq!(due.len(), 1, "{due:?} at {next:?}");
    (due[0].token, next.as_millis())
}

#[test]
fn the_first_run_is_within_one_period_and_spread_by_the_seed() {
    for (every, earliest, latest) in [(30_000, 1_000, 30_000), (1_000, 1_000, 1_000), (5, 1_000, 1_000)] {
        let mut moments = std::collections::BTreeSet::new();
        for seed in 0..64 {
            let mut jobs = RefreshJobs::new(seed, POLICY);
            jobs.track(&canvas("a"), [timing("poll", every)], at(100_000));
            let pause = jobs.next_due().unwrap().as_millis() - 100_000;
            assert!((earliest..=latest).contains(&pause), "{every}: {pause}");
            moments.insert(pause);
        }
        assert!(moments.len() >= 50 || earliest == latest, "{every}: {moments:?}");
    }
}

#[test]
fn a_job_runs_once_a_period_however_late_the_host_polls() {
    let mut jobs = one(30_000);
    let (token, first) = run(&mut jobs);
    assert_eq!(jobs.due(at(first + 2_000)), [], "it is under way");
    assert!(jobs.settle(token, true, at(first + 2_000)));
    assert!(!jobs.settle(token, true, at(first + 2_000)), "a second settlement changes nothing");
    assert_eq!(jobs.next_due(), Some(at(first + 32_000)));
    let late = jobs.due(at(first + 500_000));
    assert_eq!(late.len(), 1);
    assert!(jobs.settle(late[0].token, true, at(first + 500_000)));
    assert_eq!(jobs.next_due(), Some(at(first + 530_000)));
}

#[test]
fn failures_double_the_pause_until_one_goes_well() {
    let mut jobs = one(10_000);
    let mut last = None;
    for expected in [None, Some(20_000), Some(40_000), Some(60_000), Some(60_000)] {
        let (token, now) = run(&mut jobs);
        assert_eq!(last.map(|last| now - last), expected);
        assert!(jobs.settle(token, false, at(now)));
        last = Some(now);
    }
    let (token, now) = run(&mut jobs);
    assert!(jobs.settle(token, true, at(now)));
    let (token, next) = run(&mut jobs);
    assert_eq!(next - now, 10_000);
    assert!(jobs.settle(token, false, at(next)));
    assert_eq!(jobs.next_due(), Some(at(next + 20_000)));
    // A period longer than the longest pause is kept.
    let mut slow = one(600_000);
    let (token, now) = run(&mut slow);
    assert!(slow.settle(token, false, at(now)));
    assert_eq!(slow.next_due(), Some(at(now + 600_000)));
}

#[test]
fn a_run_that_nobody_settles_has_failed_at_its_deadline() {
    let mut jobs = one(10_000);
    let (token, now) = run(&mut jobs);
    assert_eq!(jobs.next_due(), Some(at(now + 5_000)));
    assert_eq!(jobs.due(at(now + 5_000)), []);
    assert_eq!(jobs.next_due(), Some(at(now + 25_000)));
    assert!(!jobs.settle(token, true, at(now + 5_001)), "its answer comes too late");
}

#[test]
fn jobs_that_a_new_spec_has_not_are_gone_and_the_others_go_on() {
    let mut jobs = RefreshJobs::new(7, POLICY);
    let (a, b) = (canvas("a"), canvas("b"));
    jobs.track(&a, [timing("x", 20_000), timing("y", 20_000)], at(0));
    jobs.track(&b, [timing("x", 20_000)], at(0));
    let planned = |jobs: &RefreshJobs, wanted: &str| {
        let mut copy = jobs.clone();
        let due = copy.due(at(20_000)).into_iter().map(|due| format!("{}/{}", due.key.canvas, due.key.job));
        due.filter(|name| name == wanted).count()
    };
    let before = jobs.next_due();
    jobs.track(&a, [timing("x", 20_000), timing("y", 20_000)], at(1));
    assert_eq!(jobs.next_due(), before, "the same jobs again keep their times");
    // Another action does not move it either.
    let other = JobTiming { action: ActionId::new("other").unwrap(), ..timing("x", 20_000) };
    jobs.track(&a, [other], at(2));
    assert_eq!((planned(&jobs, "a/x"), planned(&jobs, "a/y"), planned(&jobs, "b/x")), (1, 0, 1));
    let due: Vec<_> = jobs.due(at(20_000)).into_iter().filter(|due| due.key.canvas == a).collect();
    assert_eq!(due[0].action.as_str(), "other");
    jobs.track(&a, [], at(20_000));
    assert!(!jobs.settle(due[0].token, true, at(20_001)), "a run of a job that is gone is dropped");
    jobs.forget(&b);
    assert_eq!(jobs.next_due(), None);
}

#[test]
fn a_clock_that_falls_back_takes_the_plans_with_it() {
    let mut jobs = one(30_000);
    let left = jobs.next_due().unwrap().as_millis() - 100_000;
    assert_eq!(jobs.due(at(10_000)), []);
    assert_eq!(jobs.next_due(), Some(at(10_000 + left)));
}

proptest! {
    /// At no time is a job under way twice, two runs of one job are a second apart, and polling at `next_due` finds
    /// something to do.
    #[test]
    fn no_job_runs_too_often(
        steps in prop::collection::vec((0..6_u8, 0..3_usize, 0..40_000_u64), 0..120),
        seed in any::<u64>(),
    ) {
        let mut jobs = RefreshJobs::new(seed, POLICY);
        let (mut now, mut under_way) = (1_000_000_u64, BTreeMap::<JobKey, RequestToken>::new());
        let mut started = BTreeMap::<JobKey, u64>::new();
        for (what, number, ms) in steps {
            let name = canvas(["a", "b", "c"][number]);
            match what {
                0 => {
                    jobs.track(&name, [timing("x", ms), timing("y", 700)], at(now));
                    under_way.retain(|key, token| key.canvas != name || jobs.schedule.key(*token).is_some());
                }
                1 => {
                    jobs.forget(&name);
                    under_way.retain(|key, _| key.canvas != name);
                }
                2 => {
                    if let Some((key, token)) = under_way.pop_first() {
                        prop_assert!(jobs.settle(token, ms % 2 == 0, at(now)), "{key:?}");
                    }
                }
                _ => {
                    now = jobs.next_due().map_or(now + ms, |next| now.max(next.as_millis()));
                    let before = jobs.next_due();
                    let due = jobs.due(at(now));
                    under_way.retain(|_, token| jobs.schedule.key(*token).is_some());
                    prop_assert!(before.is_none() || before != jobs.next_due() || !due.is_empty());
                    for DueJob { token, key, .. } in due {
                        let last = started.insert(key.clone(), now);
                        prop_assert!(last.is_none_or(|last| now - last >= 1_000), "{key:?}");
                        prop_assert!(under_way.insert(key, token).is_none());
                    }
                }
            }
            prop_assert!(under_way.len() <= POLICY.under_way);
        }
    }
}
