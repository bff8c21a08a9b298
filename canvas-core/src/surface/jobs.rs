//! The schedule of surfaces' refresh jobs, as a machine without a clock that the host polls.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use canvas_lease::Timestamp;

use crate::model::blob::BlobId;
use crate::model::id::CanvasId;
pub use crate::schedule::RequestToken;
use crate::schedule::{Limits, Schedule, later};
use crate::surface::name::{ActionId, JobId};

/// The refresh jobs of all surfaces of a host.
///
/// The host reports the jobs of a spec ([`RefreshJobs::track`]) and polls for due jobs ([`RefreshJobs::due`]). It runs
/// each of them and reports the outcome ([`RefreshJobs::settle`]).
///
/// * A new job runs for the first time within one period, at a moment that depends on the host's seed. Jobs created
///   together therefore do not run together, nor at once on several hosts.
/// * A run under way is not started again. The next one is due one period after its end. If a host polls late, it runs
///   a job once and does not catch up.
/// * After each consecutive failure the time to the next run doubles, up to [`JobPolicy::longest_pause`] or the period,
///   whichever is longer. A run that is not settled within [`JobPolicy::timeout`] counts as failed.
/// * If the clock falls back by more than 5 s, all planned times move back with it.
///
/// None of this is stored.
#[derive(Debug, Clone)]
pub struct RefreshJobs {
    seed: u64,
    policy: JobPolicy,
    jobs: BTreeMap<JobKey, Job>,
    schedule: Schedule<JobKey>,
}

/// Timing and limits of jobs. All times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobPolicy {
    /// Time after which an unsettled run counts as failed. It is longer than any action may take.
    pub timeout: u64,
    /// Maximum number of runs under way at once.
    pub under_way: usize,
    /// The shortest time between two runs of a job, for any period.
    pub shortest_period: u64,
    /// The longest pause after failures, unless the period is longer.
    pub longest_pause: u64,
}

impl Default for JobPolicy {
    /// Returns 11 min, 16 at once, 1 s apart, and pauses of at most 15 min.
    fn default() -> Self {
        Self { timeout: 660_000, under_way: 16, shortest_period: 1_000, longest_pause: 15 * 60_000 }
    }
}

/// Identifies a job among the jobs of all canvases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey {
    /// The canvas whose spec has the job.
    pub canvas: CanvasId,
    /// Id of the job in its spec.
    pub job: JobId,
}

/// A job and its period, from a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTiming {
    /// Id of the job in the spec.
    pub job: JobId,
    /// Id of the action to run.
    pub action: ActionId,
    /// Period in milliseconds.
    pub every: u64,
}

/// A job for the host to run now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueJob {
    /// Token to pass to [`RefreshJobs::settle`].
    pub token: RequestToken,
    /// Key of the job, with its canvas.
    pub key: JobKey,
    /// Id of the action to run.
    pub action: ActionId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Job {
    action: ActionId,
    period: u64,
}

impl RefreshJobs {
    /// Creates a schedule without jobs. Use a different seed for each host.
    pub const fn new(seed: u64, policy: JobPolicy) -> Self {
        let JobPolicy { timeout, under_way, longest_pause, .. } = policy;
        // A job never stops for good. Each has a first pause of its own.
        let limits = Limits { timeout, under_way, first_pause: 1, longest_pause, retries: u32::MAX };
        Self { seed, policy, jobs: BTreeMap::new(), schedule: Schedule::new(limits) }
    }

    /// Sets all enabled jobs of a canvas, because the spec is new or was read after a start. Jobs that are not among
    /// them are removed, and their runs under way are dropped. Unchanged jobs keep their times. A job with another
    /// period starts again.
    pub fn track(&mut self, canvas: &CanvasId, jobs: impl IntoIterator<Item = JobTiming>, now: Timestamp) {
        self.schedule.advance(now);
        let mut gone = self.of(canvas);
        for JobTiming { job, action, every } in jobs {
            let key = JobKey { canvas: canvas.clone(), job };
            let period = every.max(self.policy.shortest_period).max(1);
            gone.retain(|known| *known != key);
            let known = self.jobs.insert(key.clone(), Job { action, period });
            if known.is_some_and(|known| known.period == period) {
                continue;
            }
            self.schedule.insert(key.clone());
            let first = later(self.schedule.now(), self.first_pause(&key, period));
            self.schedule.plan(&key, Some(first));
        }
        for key in gone {
            self.jobs.remove(&key);
            self.schedule.remove(&key);
        }
    }

    /// Removes the jobs of a canvas that no longer exists.
    pub fn forget(&mut self, canvas: &CanvasId) {
        for key in self.of(canvas) {
            self.jobs.remove(&key);
            self.schedule.remove(&key);
        }
    }

    /// Returns the jobs to run now, the longest waiting first and as many as may be under way. Linear in the number of
    /// jobs.
    pub fn due(&mut self, now: Timestamp) -> Vec<DueJob> {
        self.schedule.advance(now);
        for token in self.schedule.overdue() {
            self.settle(token, false, self.schedule.now());
        }
        let started = self.schedule.start_due();
        let due = started.into_iter().filter_map(|(token, key)| {
            let action = self.jobs.get(&key)?.action.clone();
            Some(DueJob { token, key, action })
        });
        due.collect()
    }

    /// Ends a run with its outcome. Returns `false` and has no effect if the run is no longer wanted.
    pub fn settle(&mut self, token: RequestToken, went_well: bool, now: Timestamp) -> bool {
        self.schedule.advance(now);
        let Some(key) = self.schedule.end(token) else { return false };
        let Some(Job { period, .. }) = self.jobs.get(&key) else { return false };
        if went_well {
            self.schedule.forgive(&key);
            self.schedule.plan(&key, Some(later(self.schedule.now(), *period)));
        } else {
            self.schedule.retry_from(&key, period.saturating_mul(2), *period, None);
        }
        true
    }

    /// Returns the time of the next poll, or `None` if no job will be due by itself. It may be in the past. Linear in
    /// the number of jobs.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.schedule.next_due()
    }

    fn of(&self, canvas: &CanvasId) -> Vec<JobKey> {
        self.jobs.keys().filter(|key| key.canvas == *canvas).cloned().collect()
    }

    /// Returns a time from the shortest period to one whole period, so that removing and creating a job does not make
    /// it run more often.
    fn first_pause(&self, key: &JobKey, period: u64) -> u64 {
        let text = format!("{} {} {}{}", self.seed, key.canvas.as_str().len(), key.canvas, key.job);
        let hash = BlobId::of(text.as_bytes());
        let digits = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        let shortest = self.policy.shortest_period.min(period);
        shortest + u64::from_le_bytes(*digits) % (period - shortest + 1)
    }
}
