//! What each component shows, and what is to be fetched when: a machine without a clock or a network.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use canvas_lease::Timestamp;

use super::describe::describe;
use super::source::DataResult;
use crate::board::model::data::{DataBinding, DataError, DataErrorCode, DataLoadingState};
use crate::board::model::event::CanvasEvent;
use crate::board::model::id::ComponentId;

/// The data of a board's components.
///
/// The host tells it of components ([`DataStates::track`], [`DataStates::forget`]) and polls it ([`DataStates::due`]);
/// what it names is to be asked of its source, and the answer handed to [`DataStates::settle`]. Each request has a token
/// that is never used again, so an answer that is late, or for another binding, or for a component that is gone, is
/// dropped.
///
/// Nothing of this is stored, enters the history, or changes the board's revision.
///
/// * While a component shows data, a refresh goes on behind them: it is `loading` only where it has none.
/// * Data grow stale by their `ttl`, from the moment that they were handed in: the source's clock is not trusted.
/// * An error that may pass leaves data that are there, as stale, and is tried again: after the source's `retryAfter` or a
///   pause that doubles, whichever is longer, [`DataPolicy::retries`] times, then at the next refresh. Any other
///   error takes the data away, and is tried again only where somebody asks.
/// * A clock that falls back by more than 5 s takes all that is planned with it: nothing waits for it to catch up. One
///   that falls back by less stands still.
#[derive(Debug, Clone)]
pub struct DataStates {
    policy: DataPolicy,
    components: BTreeMap<ComponentId, Slot>,
    /// Requests under way; the component's slot has the same token.
    under_way: BTreeMap<RequestToken, ComponentId>,
    last_token: u64,
    now: Timestamp,
}

/// How patient a host is. All times are milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataPolicy {
    /// A request that has not been answered for so long has failed as `TIMEOUT`.
    pub timeout: u64,
    /// Requests that are under way at once.
    pub under_way: usize,
    /// The first pause before a query that failed is tried again; each next one is twice as long.
    pub first_pause: u64,
    /// The longest pause of these. A source may ask for a longer one, up to a day.
    pub longest_pause: u64,
    /// How often a query that failed is tried again by itself.
    pub retries: u32,
    /// The shortest time between two refreshes, whatever a binding asks for.
    pub shortest_interval: u64,
}

impl Default for DataPolicy {
    /// 30 s, 16 at once, pauses of 1 s to 15 min, 5 retries, refreshes 1 s apart.
    fn default() -> Self {
        Self {
            timeout: 30_000,
            under_way: 16,
            first_pause: 1_000,
            longest_pause: 15 * 60_000,
            retries: 5,
            shortest_interval: 1_000,
        }
    }
}

/// Milliseconds by which a clock may fall back before what is planned moves with it.
const TOLERANCE: u64 = 5_000;
const DAY: u64 = 24 * 60 * 60 * 1_000;

/// Names one request. It is never used for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestToken(u64);

/// A request to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Fetch {
    /// What its answer is settled by.
    pub token: RequestToken,
    /// Who needs it.
    pub component_id: ComponentId,
    /// What to ask, and whom.
    pub binding: DataBinding,
}

#[derive(Debug, Clone)]
struct Slot {
    binding: Option<DataBinding>,
    state: DataLoadingState,
    /// When data that are shown grow stale.
    stale_at: Option<Timestamp>,
    request: Request,
    /// How often the query has failed since it last succeeded.
    failures: u32,
    /// What the source said of the data that are shown: what is pushed and older is dropped.
    as_of: Option<Timestamp>,
    /// Whether data were pushed since the last request was made.
    pushed: bool,
}

#[derive(Debug, Clone, Copy)]
enum Request {
    /// Nothing is planned: somebody must ask.
    Never,
    Planned(Timestamp),
    UnderWay {
        token: RequestToken,
        until: Timestamp,
    },
}

impl DataStates {
    /// No components yet.
    pub const fn new(policy: DataPolicy) -> Self {
        Self {
            policy,
            components: BTreeMap::new(),
            under_way: BTreeMap::new(),
            last_token: 0,
            now: Timestamp::from_millis(0),
        }
    }

    /// A component is there, with this binding: it was made, restored, loaded or changed. The same binding again changes
    /// nothing; another one drops what is shown, because it is another query's.
    pub fn track(&mut self, component_id: &ComponentId, binding: Option<&DataBinding>) {
        if let Some(slot) = self.components.get_mut(component_id) {
            if slot.binding.as_ref() == binding {
                return;
            }
            let same_query = matches!((&slot.binding, binding),
                (Some(old), Some(new)) if old.source == new.source && old.query == new.query);
            if same_query {
                slot.binding = binding.cloned();
                if slot.shows_data() && !matches!(slot.request, Request::UnderWay { .. }) {
                    slot.request = slot.next_refresh(self.now, &self.policy);
                }
                return;
            }
        }
        self.forget(component_id);
        let slot = Slot {
            binding: binding.cloned(),
            state: DataLoadingState::Idle,
            stale_at: None,
            request: binding.map_or(Request::Never, |_| Request::Planned(self.now)),
            failures: 0,
            as_of: None,
            pushed: false,
        };
        self.components.insert(component_id.clone(), slot);
    }

    /// A component is gone. What is under way for it will be dropped.
    pub fn forget(&mut self, component_id: &ComponentId) {
        if let Some(Slot { request: Request::UnderWay { token, .. }, .. }) =
            self.components.remove(component_id)
        {
            self.under_way.remove(&token);
        }
    }

    /// Somebody asks for fresh data: they are due at once, unless they are under way. `false` where there is no such
    /// component, or it has no binding.
    pub fn refresh(&mut self, component_id: &ComponentId) -> bool {
        let now = self.now;
        let Some(slot) = self.components.get_mut(component_id).filter(|slot| slot.binding.is_some()) else {
            return false;
        };
        slot.failures = 0;
        if !matches!(slot.request, Request::UnderWay { .. }) {
            slot.request = Request::Planned(now);
        }
        true
    }

    /// What is to be fetched now, by component, as many as may be under way; and what has failed by waiting too long.
    /// Data that are too old become stale. Linear in the number of components.
    pub fn due(&mut self, now: Timestamp) -> (Vec<Fetch>, Vec<CanvasEvent>) {
        let now = self.clock(now);
        let late: Vec<_> = self
            .components
            .values()
            .filter_map(|slot| match slot.request {
                Request::UnderWay { token, until } if until <= now => Some(token),
                _ => None,
            })
            .collect();
        let events = late.into_iter().filter_map(|token| self.time_out(token)).collect();
        let mut waiting = Vec::new();
        for (component_id, slot) in &mut self.components {
            if slot.stale_at.is_some_and(|at| at <= now) {
                slot.grow_stale();
            }
            match slot.request {
                Request::Planned(at) if at <= now => waiting.push((at, component_id.clone())),
                _ => {}
            }
        }
        // Who has waited longest comes first, so that nobody is passed over for ever.
        waiting.sort();
        waiting.truncate(self.policy.under_way.max(1).saturating_sub(self.under_way.len()));
        let fetches = waiting.into_iter().filter_map(|(_, component_id)| self.fetch(component_id)).collect();
        (fetches, events)
    }

    /// When to poll next; `None` where nothing will ever be due by itself. It may be past.
    pub fn next_due(&self) -> Option<Timestamp> {
        let full = self.under_way.len() >= self.policy.under_way.max(1);
        let times = self.components.values().flat_map(|slot| {
            let request = match slot.request {
                Request::Planned(at) if !full => Some(at),
                Request::UnderWay { until, .. } => Some(until),
                Request::Planned(_) | Request::Never => None,
            };
            [request, slot.stale_at]
        });
        times.flatten().min()
    }

    /// What a source has answered. `None` where nobody waits for it any more; nothing is changed then.
    pub fn settle(
        &mut self,
        token: RequestToken,
        answer: Result<DataResult, DataError>,
        now: Timestamp,
    ) -> Option<CanvasEvent> {
        let now = self.clock(now);
        let component_id = self.under_way.remove(&token)?;
        let slot = self.components.get_mut(&component_id)?;
        match answer {
            // What was pushed meanwhile is newer.
            Ok(result) if slot.pushed && slot.as_of.is_some_and(|as_of| result.meta.fetched_at < as_of) => {
                slot.failures = 0;
                slot.request = slot.next_refresh(now, &self.policy);
                None
            }
            Ok(result) => Some(slot.succeed(component_id, result, now, &self.policy)),
            Err(error) => Some(slot.fail(component_id, error, now, &self.policy)),
        }
    }

    /// Data that come unasked. `None` where they answer another query than the component's, are older than what it shows, or
    /// it is gone; nothing is changed then. What is under way goes on.
    pub fn push(
        &mut self,
        component_id: &ComponentId,
        result: DataResult,
        now: Timestamp,
    ) -> Option<CanvasEvent> {
        let now = self.clock(now);
        let slot = self.components.get_mut(component_id)?;
        let binding = slot.binding.as_ref()?;
        let fits = binding.source == result.meta.source && binding.query == result.meta.query;
        if !fits || slot.as_of.is_some_and(|as_of| result.meta.fetched_at < as_of) {
            return None;
        }
        let request = slot.request;
        let event = slot.succeed(component_id.clone(), result, now, &self.policy);
        slot.pushed = true;
        if let Request::UnderWay { .. } = request {
            slot.request = request;
        }
        Some(event)
    }

    /// What a component shows, as of the last call that named a time; `None` where there is none of this id.
    pub fn state(&self, component_id: &ComponentId) -> Option<&DataLoadingState> {
        self.components.get(component_id).map(|slot| &slot.state)
    }

    /// Whether an answer is awaited for a component, also behind data that are shown.
    pub fn is_under_way(&self, component_id: &ComponentId) -> bool {
        self.components.get(component_id).is_some_and(|slot| matches!(slot.request, Request::UnderWay { .. }))
    }

    /// The time that counts. Calls of several threads may come a little out of order.
    fn clock(&mut self, now: Timestamp) -> Timestamp {
        let back = self.now.as_millis().saturating_sub(now.as_millis());
        if back <= TOLERANCE {
            self.now = self.now.max(now);
            return self.now;
        }
        let earlier = |at: Timestamp| Timestamp::from_millis(at.as_millis().saturating_sub(back));
        for slot in self.components.values_mut() {
            slot.stale_at = slot.stale_at.map(earlier);
            slot.request = match slot.request {
                Request::Never => Request::Never,
                Request::Planned(at) => Request::Planned(earlier(at)),
                Request::UnderWay { token, until } => Request::UnderWay { token, until: earlier(until) },
            };
        }
        self.now = now;
        now
    }

    fn fetch(&mut self, component_id: ComponentId) -> Option<Fetch> {
        let slot = self.components.get_mut(&component_id)?;
        let binding = slot.binding.clone()?;
        self.last_token += 1;
        let token = RequestToken(self.last_token);
        slot.request = Request::UnderWay { token, until: later(self.now, self.policy.timeout.max(1)) };
        slot.pushed = false;
        if !slot.shows_data() {
            slot.state = DataLoadingState::Loading { started_at: self.now };
        }
        self.under_way.insert(token, component_id.clone());
        Some(Fetch { token, component_id, binding })
    }

    fn time_out(&mut self, token: RequestToken) -> Option<CanvasEvent> {
        let slot = self.under_way.get(&token).and_then(|id| self.components.get(id))?;
        let error = DataError {
            code: DataErrorCode::Timeout,
            message: format!("the source has not answered within {} ms", self.policy.timeout),
            source: slot.binding.as_ref()?.source.clone(),
            retryable: true,
            retry_after: None,
        };
        self.settle(token, Err(error), self.now)
    }
}

impl Slot {
    const fn shows_data(&self) -> bool {
        matches!(self.state, DataLoadingState::Ready { .. } | DataLoadingState::Stale { .. })
    }

    fn grow_stale(&mut self) {
        self.stale_at = None;
        let state = std::mem::take(&mut self.state);
        self.state = match state {
            DataLoadingState::Ready { data, fetched_at } => DataLoadingState::Stale { data, fetched_at },
            other => other,
        };
    }

    fn succeed(
        &mut self,
        component_id: ComponentId,
        DataResult { data, meta }: DataResult,
        now: Timestamp,
        policy: &DataPolicy,
    ) -> CanvasEvent {
        let (summary, highlights) = describe(&data, &meta);
        self.failures = 0;
        self.as_of = Some(meta.fetched_at);
        self.state = DataLoadingState::Ready { data, fetched_at: meta.fetched_at };
        self.stale_at = Some(later(now, meta.ttl));
        if meta.stale || meta.ttl == 0 {
            self.grow_stale();
        }
        self.request = self.next_refresh(now, policy);
        CanvasEvent::Ready { component_id, summary, highlights }
    }

    fn fail(
        &mut self,
        component_id: ComponentId,
        error: DataError,
        now: Timestamp,
        policy: &DataPolicy,
    ) -> CanvasEvent {
        if error.retryable && self.shows_data() {
            self.grow_stale();
        } else {
            self.state = DataLoadingState::Error { error: error.clone(), attempted_at: now };
            self.stale_at = None;
            self.as_of = None;
        }
        let asked = error.retry_after.unwrap_or(0).min(DAY);
        self.request = if !error.retryable {
            Request::Never
        } else if self.failures < policy.retries {
            let doubled = 1_u64.checked_shl(self.failures).unwrap_or(u64::MAX);
            let pause = policy.first_pause.max(1).saturating_mul(doubled).min(policy.longest_pause.max(1));
            Request::Planned(later(now, pause.max(asked)))
        } else {
            match self.next_refresh(now, policy) {
                Request::Planned(at) => Request::Planned(at.max(later(now, asked))),
                other => other,
            }
        };
        self.failures = self.failures.saturating_add(1);
        CanvasEvent::Error { component_id, error }
    }

    fn next_refresh(&self, now: Timestamp, policy: &DataPolicy) -> Request {
        let interval = self.binding.as_ref().and_then(|binding| binding.refresh_interval);
        interval.map_or(Request::Never, |ms| {
            Request::Planned(later(now, ms.max(policy.shortest_interval).max(1)))
        })
    }
}

fn later(now: Timestamp, ms: u64) -> Timestamp {
    now.saturating_add(Duration::from_millis(ms))
}
