//! When what is done again and again is due: a machine without a clock.
//!
//! Each key is idle, planned for a time, or under way under a token and a deadline. What failed is planned again after a
//! pause that doubles. A clock that falls back by more than 5 s takes all times with it, so that nothing waits for it to
//! catch up; one that falls back by less stands still, since calls of several threads may come a little out of order.

use std::collections::BTreeMap;
use std::time::Duration;

use canvas_lease::Timestamp;

/// The limits of a schedule. All times are milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// From the start of a run to its deadline; at least 1.
    pub(crate) timeout: u64,
    /// Runs that are under way at once; at least 1.
    pub(crate) under_way: usize,
    /// The pause after the first failure.
    pub(crate) first_pause: u64,
    /// The longest pause; who failed may ask for a longer one, up to a day.
    pub(crate) longest_pause: u64,
    /// Failures in a row that are tried again.
    pub(crate) retries: u32,
}

/// Names one request. It is never used for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestToken(u64);

/// See the module. Lookups cost `O(log n)`; what looks at all keys says so.
#[derive(Debug, Clone)]
pub(crate) struct Schedule<K> {
    limits: Limits,
    items: BTreeMap<K, Item>,
    /// The keys of the items that are under way.
    under_way: BTreeMap<RequestToken, K>,
    last_token: u64,
    now: Timestamp,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    state: State,
    /// Failures since it last succeeded.
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

    /// The time of the last call of [`advance`](Self::advance), but for what the clock fell back by.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// Takes the time. Gives the milliseconds by which all times were moved back, mostly 0; where they were, linear in
    /// the keys.
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

    /// A new key, idle. What was under way for the same key before is dropped.
    pub(crate) fn insert(&mut self, key: K) {
        self.remove(&key);
        self.items.insert(key, Item { state: State::Idle, failures: 0 });
    }

    /// A run that is under way is dropped: its token ends nothing any more.
    pub(crate) fn remove(&mut self, key: &K) {
        if let Some(Item { state: State::UnderWay { token, .. }, .. }) = self.items.remove(key) {
            self.under_way.remove(&token);
        }
    }

    /// Makes a key due at a time; `None` makes it idle. One that is under way goes on instead.
    pub(crate) fn plan(&mut self, key: &K, at: Option<Timestamp>) {
        if let Some(item) = self.items.get_mut(key)
            && !matches!(item.state, State::UnderWay { .. })
        {
            item.state = at.map_or(State::Idle, State::Planned);
        }
    }

    /// Forgets the failures of a key: somebody asked, or it went well.
    pub(crate) fn forgive(&mut self, key: &K) {
        if let Some(item) = self.items.get_mut(key) {
            item.failures = 0;
        }
    }

    #[cfg(test)]
    pub(crate) fn is_under_way(&self, key: &K) -> bool {
        matches!(self.items.get(key), Some(Item { state: State::UnderWay { .. }, .. }))
    }

    /// Runs whose deadline has come, by key; linear in the keys. They stay under way until they are ended.
    pub(crate) fn overdue(&self) -> Vec<RequestToken> {
        let late = self.items.values().filter_map(|item| match item.state {
            State::UnderWay { token, until } if until <= self.now => Some(token),
            _ => None,
        });
        late.collect()
    }

    /// Starts what is due, the longest waiting first so that none waits for ever, as many as may be under way. Linear in
    /// the keys.
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

    /// The key that a token is under way for.
    #[cfg(any(feature = "board", test))]
    pub(crate) fn key(&self, token: RequestToken) -> Option<&K> {
        self.under_way.get(&token)
    }

    /// Ends a run: its key is idle. `None` where nothing is under way under this token.
    pub(crate) fn end(&mut self, token: RequestToken) -> Option<K> {
        let key = self.under_way.remove(&token)?;
        self.items.get_mut(&key)?.state = State::Idle;
        Some(key)
    }

    /// A run that was ended has failed: plans the next after the pause that is due by now, or the one that was asked for
    /// where that is longer. Past the last retry the key is planned at `otherwise`, but not before the pause that was asked
    /// for.
    #[cfg(any(feature = "board", test))]
    pub(crate) fn retry(&mut self, key: &K, asked: u64, otherwise: Option<Timestamp>) {
        self.retry_from(key, self.limits.first_pause, asked, otherwise);
    }

    /// As `retry`, with a first pause of this key's own.
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

    /// When something is due or overdue next; `None` where nothing will be by itself. It may be past. Linear in the keys.
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

    /// With these keys planned for these times.
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
        // "a" waits for a place; the next that comes by itself is a deadline.
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
        /// Whatever comes, no more are under way than may be, each token names one run, and polling at `next_due` finds
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
