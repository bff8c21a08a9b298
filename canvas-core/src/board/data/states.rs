//! The data state of each component and the schedule of its queries, as a machine without a clock or a network.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use canvas_lease::Timestamp;

use super::describe::describe;
use super::source::DataResult;
use crate::board::model::data::{DataBinding, DataError, DataErrorCode, DataLoadingState};
use crate::board::model::event::CanvasEvent;
use crate::board::model::id::ComponentId;
use crate::schedule::{Limits, RequestToken, Schedule, earlier, later};

/// The data of a board's components.
///
/// The host reports components ([`DataStates::track`], [`DataStates::forget`]) and polls for requests
/// ([`DataStates::due`]). For each request it queries the source and passes the result to [`DataStates::settle`]. A
/// request has a token that is never reused. A result is therefore dropped if it is late, if the binding changed, or if
/// the component is gone.
///
/// None of this is stored, enters the history, or changes the board's revision.
///
/// * While a component shows data, a refresh runs in the background. The state is `loading` only if the component has
///   no data to show.
/// * Data become stale after their `ttl`, counted from the moment when the host passed them in, because the source's
///   clock is not trusted.
/// * A retryable error keeps existing data as stale. The query is tried again after the source's `retryAfter` or after
///   a pause that doubles, whichever is longer. This happens [`DataPolicy::retries`] times, then at the next refresh.
///   Any other error removes the data, and the query runs again only if somebody asks for it.
/// * If the clock falls back by more than 5 s, all planned times move back with it, so that no request waits for it to
///   catch up. If it falls back by less, the time does not move.
#[derive(Debug, Clone)]
pub struct DataStates {
    policy: DataPolicy,
    components: BTreeMap<ComponentId, ComponentData>,
    schedule: Schedule<ComponentId>,
}

/// Timeouts, retries and limits that a host sets. All times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataPolicy {
    /// Time after which a request without a result fails as `TIMEOUT`.
    pub timeout: u64,
    /// Maximum number of requests under way at once.
    pub under_way: usize,
    /// The first pause before a failed query is tried again. Each further pause is twice as long.
    pub first_pause: u64,
    /// Limit of these pauses. A source may ask for a longer one, up to a day.
    pub longest_pause: u64,
    /// Number of automatic retries of a failed query.
    pub retries: u32,
    /// The shortest time between two refreshes, even if a binding asks for a shorter one.
    pub shortest_interval: u64,
}

impl Default for DataPolicy {
    /// Returns 30 s, 16 at once, pauses of 1 s to 15 min, 5 retries, and refreshes 1 s apart.
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

/// A request for the host to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Fetch {
    /// Token to pass to [`DataStates::settle`].
    pub token: RequestToken,
    /// The component that waits for the data.
    pub component_id: ComponentId,
    /// Source to ask, and the query for it.
    pub binding: DataBinding,
}

#[derive(Debug, Clone)]
struct ComponentData {
    binding: Option<DataBinding>,
    state: DataLoadingState,
    /// Time at which the shown data become stale.
    stale_at: Option<Timestamp>,
    /// Date of the shown data according to the source. Older pushed data are dropped.
    as_of: Option<Timestamp>,
    /// Whether data were pushed since the last request was made.
    pushed: bool,
}

impl DataStates {
    /// Creates the machine without components. Calls of [`DataStates::track`] add them.
    pub const fn new(policy: DataPolicy) -> Self {
        let DataPolicy { timeout, under_way, first_pause, longest_pause, retries, shortest_interval: _ } =
            policy;
        let limits = Limits { timeout, under_way, first_pause, longest_pause, retries };
        Self { policy, components: BTreeMap::new(), schedule: Schedule::new(limits) }
    }

    /// Adds or updates a component after it was made, restored, loaded or changed. The same binding again has no
    /// effect. A binding with another query drops the shown data.
    pub fn track(&mut self, component_id: &ComponentId, binding: Option<&DataBinding>) {
        if let Some(slot) = self.components.get_mut(component_id) {
            if slot.binding.as_ref() == binding {
                return;
            }
            let same_query = matches!((&slot.binding, binding),
                (Some(old), Some(new)) if old.source == new.source && old.query == new.query);
            if same_query {
                slot.binding = binding.cloned();
                if slot.shows_data() {
                    self.schedule.plan(component_id, slot.next_refresh(self.schedule.now(), &self.policy));
                }
                return;
            }
        }
        self.schedule.insert(component_id.clone());
        self.schedule.plan(component_id, binding.map(|_| self.schedule.now()));
        let slot = ComponentData {
            binding: binding.cloned(),
            state: DataLoadingState::Idle,
            stale_at: None,
            as_of: None,
            pushed: false,
        };
        self.components.insert(component_id.clone(), slot);
    }

    /// Removes a component. The result of a request under way for it will be dropped.
    pub fn forget(&mut self, component_id: &ComponentId) {
        self.components.remove(component_id);
        self.schedule.remove(component_id);
    }

    /// Requests fresh data for a component, because somebody asks. They are due at once, unless they are under way.
    /// Returns `false` if the component is unknown or has no binding.
    pub fn refresh(&mut self, component_id: &ComponentId) -> bool {
        let has_binding = self.components.get(component_id).is_some_and(|slot| slot.binding.is_some());
        if has_binding {
            self.schedule.forgive(component_id);
            self.schedule.plan(component_id, Some(self.schedule.now()));
        }
        has_binding
    }

    /// Returns the requests to make now, by component and as many as may be under way, and events for requests that
    /// timed out. Data past their time become stale. Linear in the number of components.
    pub fn due(&mut self, now: Timestamp) -> (Vec<Fetch>, Vec<CanvasEvent>) {
        let now = self.advance(now);
        let overdue = self.schedule.overdue();
        let events = overdue.into_iter().filter_map(|token| self.time_out(token)).collect();
        for slot in self.components.values_mut().filter(|slot| slot.stale_at.is_some_and(|at| at <= now)) {
            slot.grow_stale();
        }
        let started = self.schedule.start_due();
        let fetches = started.into_iter().filter_map(|(token, id)| self.fetch(token, id)).collect();
        (fetches, events)
    }

    /// Returns the time of the next poll, or `None` if no request will be due by itself. It may be in the past.
    pub fn next_due(&self) -> Option<Timestamp> {
        let stale = self.components.values().filter_map(|slot| slot.stale_at).min();
        self.schedule.next_due().into_iter().chain(stale).min()
    }

    /// Takes the result of a request. Returns `None` and has no effect if the request is no longer wanted.
    pub fn settle(
        &mut self,
        token: RequestToken,
        answer: Result<DataResult, DataError>,
        now: Timestamp,
    ) -> Option<CanvasEvent> {
        let now = self.advance(now);
        let component_id = self.schedule.end(token)?;
        let slot = self.components.get_mut(&component_id)?;
        let refresh = slot.next_refresh(now, &self.policy);
        match answer {
            Err(error) => {
                slot.fail(&error, now);
                if error.retryable {
                    self.schedule.retry(&component_id, error.retry_after.unwrap_or(0), refresh);
                }
                Some(CanvasEvent::Error { component_id, error })
            }
            Ok(result) => {
                self.schedule.forgive(&component_id);
                self.schedule.plan(&component_id, refresh);
                // Data pushed in the meantime are newer.
                let is_older = slot.pushed && slot.as_of.is_some_and(|as_of| result.meta.fetched_at < as_of);
                (!is_older).then(|| slot.succeed(component_id, result, now))
            }
        }
    }

    /// Takes data that the source sent unasked. Returns `None` and has no effect if the data answer another query than
    /// the component's, if they are older than the data shown, or if the component is gone. A request under way
    /// continues.
    pub fn push(
        &mut self,
        component_id: &ComponentId,
        result: DataResult,
        now: Timestamp,
    ) -> Option<CanvasEvent> {
        let now = self.advance(now);
        let slot = self.components.get_mut(component_id)?;
        let binding = slot.binding.as_ref()?;
        let fits = binding.source == result.meta.source && binding.query == result.meta.query;
        if !fits || slot.as_of.is_some_and(|as_of| result.meta.fetched_at < as_of) {
            return None;
        }
        slot.pushed = true;
        self.schedule.forgive(component_id);
        self.schedule.plan(component_id, slot.next_refresh(now, &self.policy));
        Some(slot.succeed(component_id.clone(), result, now))
    }

    /// Takes a failure that no request caused. A retryable error keeps existing data as stale; any other removes them.
    /// The machine does not retry. Returns `None` and has no effect if the component has another source or is gone. A
    /// request under way continues.
    pub fn fail(
        &mut self,
        component_id: &ComponentId,
        error: DataError,
        now: Timestamp,
    ) -> Option<CanvasEvent> {
        let now = self.advance(now);
        let slot = self.components.get_mut(component_id)?;
        if slot.binding.as_ref()?.source != error.source {
            return None;
        }
        slot.fail(&error, now);
        self.schedule.forgive(component_id);
        self.schedule.plan(component_id, slot.next_refresh(now, &self.policy));
        Some(CanvasEvent::Error { component_id: component_id.clone(), error })
    }

    /// Returns the data state of a component as of the last call with a time, or `None` if the component is unknown.
    pub fn state(&self, component_id: &ComponentId) -> Option<&DataLoadingState> {
        self.components.get(component_id).map(|slot| &slot.state)
    }

    fn advance(&mut self, now: Timestamp) -> Timestamp {
        let back = self.schedule.advance(now);
        if back > 0 {
            for slot in self.components.values_mut() {
                slot.stale_at = slot.stale_at.map(|at| earlier(at, back));
            }
        }
        self.schedule.now()
    }

    fn fetch(&mut self, token: RequestToken, component_id: ComponentId) -> Option<Fetch> {
        let slot = self.components.get_mut(&component_id)?;
        let binding = slot.binding.clone()?;
        slot.pushed = false;
        if !slot.shows_data() {
            slot.state = DataLoadingState::Loading { started_at: self.schedule.now() };
        }
        Some(Fetch { token, component_id, binding })
    }

    fn time_out(&mut self, token: RequestToken) -> Option<CanvasEvent> {
        let slot = self.schedule.key(token).and_then(|id| self.components.get(id))?;
        let error = DataError {
            code: DataErrorCode::Timeout,
            message: format!("the source has not answered within {} ms", self.policy.timeout),
            source: slot.binding.as_ref()?.source.clone(),
            retryable: true,
            retry_after: None,
        };
        self.settle(token, Err(error), self.schedule.now())
    }
}

impl ComponentData {
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
    ) -> CanvasEvent {
        let (summary, highlights) = describe(&data, &meta);
        self.as_of = Some(meta.fetched_at);
        self.state = DataLoadingState::Ready { data, fetched_at: meta.fetched_at };
        self.stale_at = Some(later(now, meta.ttl));
        if meta.stale || meta.ttl == 0 {
            self.grow_stale();
        }
        CanvasEvent::Ready { component_id, summary, highlights }
    }

    fn fail(&mut self, error: &DataError, now: Timestamp) {
        if error.retryable && self.shows_data() {
            self.grow_stale();
        } else {
            self.state = DataLoadingState::Error { error: error.clone(), attempted_at: now };
            self.stale_at = None;
            self.as_of = None;
        }
    }

    /// Returns the time of the next refresh, if the binding has an interval.
    fn next_refresh(&self, now: Timestamp, policy: &DataPolicy) -> Option<Timestamp> {
        let interval = self.binding.as_ref()?.refresh_interval?;
        Some(later(now, interval.max(policy.shortest_interval).max(1)))
    }
}
