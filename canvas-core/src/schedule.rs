//! Scheduling of recurring work, as a machine without a clock.
//!
//! Each key is idle, planned for a time, or under way under a token and a deadline. A failed run is planned again after
//! a pause that doubles. If the clock falls back by more than 5 s, all times move back with it, so that no key waits
//! for it to catch up. If it falls back by less, the time of the schedule does not move, because calls from several
//! threads may arrive slightly out of order.

use std::collections::BTreeMap;
use std::time::Duration;

use canvas_lease::Timestamp;

/// Limits of a schedule, with all times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Time from the start of a run to its deadline; at least 1.
    pub(crate) timeout: u64,
    /// Maximum number of runs under way at once; at least 1.
    pub(crate) under_way: usize,
    /// Pause after the first failure.
    pub(crate) first_pause: u64,
    /// The longest pause that doubling leads to. A failed run may ask for a longer one, up to a day.
    pub(crate) longest_pause: u64,
    /// Number of consecutive failures with a retry.
    pub(crate) retries: u32,
}

/// Identifies one request. A token is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestToken(u64);

/// A schedule of keys, as the module describes. Lookups cost `O(log n)`; methods that look at all keys say so.
#[derive(Debug, Clone)]
pub(crate) struct Schedule<K> {
    limits: Limits,
    items: BTreeMap<K, Item>,
    under_way: BTreeMap<RequestToken, K>,
    last_token: u64,
    now: Timestamp,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    state: State,
    /// Failures since the last call of [`Schedule::forgive`].
    failures: u32,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Only a call of [`Schedule::plan`] makes it due.
    Idle,
    Planned(Timestamp),
    UnderWay {
        token: RequestToken,
        until: Timestamp,
    },
}

const CLOCK_TOLERANCE: u64 = 5_000;
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1_000;

impl<K: Ord + Clone> Schedule<K> {
    pub(crate) const fn new(limits: Limits) -> Self {
        Self {
            limits,
            items: BTreeMap::new(),
            under_way: BTreeMap::new(),
            last_token: 0,
            now: Timestamp::from_millis(0),
        }
    }

    /// Returns the time of the last call of [`advance`](Self::advance), ignoring small steps back of the clock.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// Sets the time. Returns the milliseconds by which all times were moved back, usually 0. If they were moved, the
    /// cost is linear in the keys.
    pub(crate) fn advance(&mut self, now: Timestamp) -> u64 {
        let back = self.now.as_millis().saturating_sub(now.as_millis());
        if back <= CLOCK_TOLERANCE {
            self.now = self.now.max(now);
            return 0;
        }
        for item in self.items.values_mut() {
            item.state = match item.state {
                State::Idle => State::Idle,
                State::Planned(at) => State::Planned(earlier(at, back)),
                State::UnderWay { token, until } => State::UnderWay { token, until: earlier(until, back) },
            };
        }
        self.now = now;
        back
    }

    /// Inserts an idle key. If the key was under way before, that run is dropped.
    pub(crate) fn insert(&mut self, key: K) {
        self.remove(&key);
        self.items.insert(key, Item { state: State::Idle, failures: 0 });
    }

    /// Removes a key. If a run is under way, it is dropped, and its token no longer ends anything.
    pub(crate) fn remove(&mut self, key: &K) {
        if let Some(Item { state: State::UnderWay { token, .. }, .. }) = self.items.remove(key) {
            self.under_way.remove(&token);
        }
    }

    /// Plans a key for a time; `None` makes it idle. A key under way is not affected.
    pub(crate) fn plan(&mut self, key: &K, at: Option<Timestamp>) {
        if let Some(item) = self.items.get_mut(key)
            && !matches!(item.state, State::UnderWay { .. })
        {
            item.state = at.map_or(State::Idle, State::Planned);
        }
    }

    /// Resets the failures of a key, because somebody asked or because it went well.
    pub(crate) fn forgive(&mut self, key: &K) {
        if let Some(item) = self.items.get_mut(key) {
            item.failures = 0;
        }
    }

    #[cfg(test)]
    pub(crate) fn is_under_way(&self, key: &K) -> bool {
        matches!(self.items.get(key), Some(Item { state: State::UnderWay { .. }, .. }))
    }

    /// Returns the runs past their deadline, by key. They stay under way until they are ended. Linear in the keys.
    pub(crate) fn overdue(&self) -> Vec<RequestToken> {
        let late = self.items.values().filter_map(|item| match item.state {
            State::UnderWay { token, until } if until <= self.now => Some(token),
            _ => None,
        });
        late.collect()
    }

    /// Starts as many due runs as the limit of runs under way permits. The longest waiting starts first, so that every
    /// key gets its turn. Linear in the keys.
    pub(crate) fn start_due(&mut self) -> Vec<(RequestToken, K)> {
        let due = self.items.iter().filter_map(|(key, item)| match item.state {
            State::Planned(at) if at <= self.now => Some((at, key)),
            _ => None,
        });
        let mut due: Vec<(Timestamp, &K)> = due.collect();
        due.sort();
        due.truncate(self.limits.under_way.max(1).saturating_sub(self.under_way.len()));
        let due: Vec<K> = due.into_iter().map(|(_, key)| key.clone()).collect();
        due.into_iter().filter_map(|key| Some((self.start(&key)?, key))).collect()
    }

    fn start(&mut self, key: &K) -> Option<RequestToken> {
        let item = self.items.get_mut(key)?;
        self.last_token += 1;
        let token = RequestToken(self.last_token);
        item.state = State::UnderWay { token, until: later(self.now, self.limits.timeout.max(1)) };
        self.under_way.insert(token, key.clone());
        Some(token)
    }

    /// Returns the key that is under way with this token.
    #[cfg(any(feature = "board", test))]
    pub(crate) fn key(&self, token: RequestToken) -> Option<&K> {
        self.under_way.get(&token)
    }

    /// Ends a run and makes its key idle. Returns `None` if no run is under way with this token.
    pub(crate) fn end(&mut self, token: RequestToken) -> Option<K> {
        let key = self.under_way.remove(&token)?;
        self.items.get_mut(&key)?.state = State::Idle;
        Some(key)
    }

    /// Plans the next run after an ended run that failed. The next run waits for the pause due by now, or for the
    /// requested pause if that is longer. Past the last retry the key is planned at `otherwise`, but not before the
    /// requested pause.
    #[cfg(any(feature = "board", test))]
    pub(crate) fn retry(&mut self, key: &K, asked: u64, otherwise: Option<Timestamp>) {
        self.retry_from(key, self.limits.first_pause, asked, otherwise);
    }

    /// Like `retry`, but with a first pause for this key.
    pub(crate) fn retry_from(&mut self, key: &K, first_pause: u64, asked: u64, otherwise: Option<Timestamp>) {
        let Some(item) = self.items.get_mut(key) else { return };
        let asked = asked.min(DAY);
        let at = if item.failures < self.limits.retries {
            let doubled = 1_u64.checked_shl(item.failures).unwrap_or(u64::MAX);
            let pause = first_pause.max(1).saturating_mul(doubled);
            Some(later(self.now, pause.min(self.limits.longest_pause.max(1)).max(asked)))
        } else {
            otherwise.map(|at| at.max(later(self.now, asked)))
        };
        item.failures = item.failures.saturating_add(1);
        item.state = at.map_or(State::Idle, State::Planned);
    }

    /// Returns the next time at which a run is due or overdue, or `None` if no such time is known. It may be in the
    /// past. Linear in the keys.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        let is_full = self.under_way.len() >= self.limits.under_way.max(1);
        let times = self.items.values().filter_map(|item| match item.state {
            State::Planned(at) if !is_full => Some(at),
            State::UnderWay { until, .. } => Some(until),
            State::Planned(_) | State::Idle => None,
        });
        times.min()
    }
}

pub(crate) fn later(at: Timestamp, ms: u64) -> Timestamp {
    at.saturating_add(Duration::from_millis(ms))
}

pub(crate) fn earlier(at: Timestamp, ms: u64) -> Timestamp {
    Timestamp::from_millis(at.as_millis().saturating_sub(ms))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits =
        Limits { timeout: 400, under_way: 2, first_pause: 100, longest_pause: 300, retries: 3 };

    fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    /// Returns a schedule with these keys planned for these times.
    fn schedule(plans: &[(&'static str, u64)]) -> Schedule<&'static str> {
        let mut schedule = Schedule::new(LIMITS);
        for (key, time) in plans {
            schedule.insert(*key);
            schedule.plan(key, Some(at(*time)));
        }
        schedule
    }

    fn started(schedule: &mut Schedule<&'static str>, now: u64) -> Vec<&'static str> {
        schedule.advance(at(now));
        schedule.start_due().into_iter().map(|(_, key)| key).collect()
    }

    #[test]
    fn the_longest_waiting_starts_first_and_no_more_than_may_be_under_way() {
        let mut schedule = schedule(&[("a", 30), ("b", 10), ("c", 20), ("d", 90)]);
        assert_eq!((schedule.next_due(), started(&mut schedule, 9)), (Some(at(10)), vec![]));
        assert_eq!(started(&mut schedule, 50), ["b", "c"]);
        // "a" waits for a free slot, so that the next event is a deadline.
        assert_eq!((started(&mut schedule, 60), schedule.next_due()), (vec![], Some(at(450))));
        assert_eq!(schedule.end(RequestToken(1)), Some("b"));
        assert_eq!((schedule.next_due(), started(&mut schedule, 60)), (Some(at(30)), vec!["a"]));
        assert_eq!((schedule.end(RequestToken(1)), schedule.is_under_way(&"a")), (None, true));
    }

    #[test]
    fn a_run_is_overdue_at_its_deadline_and_ends_once() {
        let mut schedule = schedule(&[("a", 0)]);
        assert_eq!(started(&mut schedule, 1_000), ["a"]);
        // Planning does not touch what is under way.
        schedule.plan(&"a", Some(at(0)));
        for (now, overdue) in
            [(1_399, vec![]), (1_400, vec![RequestToken(1)]), (9_000, vec![RequestToken(1)])]
        {
            schedule.advance(at(now));
            assert_eq!(schedule.overdue(), overdue, "{now}");
        }
        assert_eq!(schedule.key(RequestToken(1)), Some(&"a"));
        assert_eq!((schedule.end(RequestToken(1)), schedule.end(RequestToken(1))), (Some("a"), None));
        assert_eq!((schedule.next_due(), schedule.overdue()), (None, vec![]));
    }

    #[test]
    fn what_is_removed_or_inserted_again_ends_no_more() {
        let mut schedule = schedule(&[("a", 0), ("b", 0)]);
        assert_eq!(started(&mut schedule, 0), ["a", "b"]);
        schedule.remove(&"a");
        schedule.insert("b");
        assert_eq!((schedule.end(RequestToken(1)), schedule.end(RequestToken(2))), (None, None));
        assert_eq!((schedule.next_due(), schedule.is_under_way(&"b")), (None, false));
    }

    #[test]
    fn pauses_double_up_to_the_longest_and_then_the_plan_holds() {
        let mut schedule = schedule(&[("a", 0)]);
        let mut now = 0;
        for (asked, otherwise, pause) in [
            (0, None, Some(100)),
            (0, None, Some(200)),
            (1_000, None, Some(1_000)),
            (0, None, None),
            (0, Some(5_000), Some(5_000)),
            (7_000, Some(5_000), Some(7_000)),
            (u64::MAX, Some(5_000), Some(DAY)),
        ] {
            schedule.plan(&"a", Some(at(now)));
            assert_eq!(started(&mut schedule, now), ["a"]);
            let token = schedule.overdue().first().copied().unwrap_or(RequestToken(schedule.last_token));
            schedule.end(token);
            schedule.retry(&"a", asked, otherwise.map(|ms| at(now + ms)));
            assert_eq!(schedule.next_due(), pause.map(|ms| at(now + ms)), "{asked} {otherwise:?}");
            now += pause.unwrap_or(0);
        }
        schedule.forgive(&"a");
        schedule.advance(at(now));
        schedule.retry(&"a", 0, None);
        assert_eq!(schedule.next_due(), Some(at(now + 100)), "failures are counted anew");
    }

    #[test]
    fn a_clock_that_falls_back_far_takes_all_times_with_it() {
        for (back, moved) in [(0, 0), (5_000, 0), (5_001, 5_001), (1_000_000, 1_000_000)] {
            let mut schedule = schedule(&[("a", 1_000_000), ("b", 1_000_100)]);
            assert_eq!(started(&mut schedule, 1_000_000), ["a"]);
            assert_eq!(schedule.advance(at(1_000_000 - back)), moved, "{back}");
            assert_eq!(schedule.now(), at(1_000_000 - moved));
            assert_eq!(schedule.next_due(), Some(at(1_000_100 - moved)));
            schedule.advance(at(1_000_400 - moved));
            assert_eq!(schedule.overdue(), [RequestToken(1)]);
        }
    }

    proptest! {
        /// The limit of runs under way always holds, each token identifies one run, and polling at `next_due` finds
        /// something to do.
        #[test]
        fn polling_when_it_says_is_enough(
            steps in prop::collection::vec((0..5_u8, 0..6_u8, 0..20_000_u64), 0..80),
        ) {
            let mut schedule = Schedule::new(LIMITS);
            let mut tokens = Vec::new();
            for (what, key, ms) in steps {
                match what {
                    0 => schedule.insert(key),
                    1 => schedule.remove(&key),
                    2 => schedule.plan(&key, Some(later(schedule.now(), ms))),
                    3 => {
                        schedule.advance(at(ms));
                    }
                    _ => {
                        if let Some(ended) = tokens.last().and_then(|token| schedule.end(*token)) {
                            schedule.retry(&ended, ms, None);
                        }
                    }
                }
                if let Some(next) = schedule.next_due() {
                    schedule.advance(next);
                    let overdue = schedule.overdue();
                    for token in &overdue {
                        prop_assert!(schedule.end(*token).is_some());
                    }
                    let new = schedule.start_due();
                    prop_assert!(!new.is_empty() || !overdue.is_empty());
                    for (token, key) in new {
                        prop_assert!(!tokens.contains(&token));
                        prop_assert_eq!(schedule.key(token), Some(&key));
                        tokens.push(token);
                    }
                }
                prop_assert!(schedule.under_way.len() <= LIMITS.under_way);
            }
        }
    }
}
