//! When the refresh jobs of surfaces are due: a machine without a clock, which the host polls.

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
/// The host tells it what a spec asks for ([`RefreshJobs::track`]) and polls it ([`RefreshJobs::due`]); each job that it
/// names is to be run, and what became of it handed to [`RefreshJobs::settle`].
///
/// * A job runs for the first time within one period of being tracked, at a moment that follows from the host's seed, so
///   that jobs which were made together do not run together, nor on each of several hosts at once.
/// * A run that is under way is not started again. The next one is due one period after its end, so a host that polls
///   late runs a job once and makes up for nothing.
/// * After failures in a row the time to the next run doubles each time, up to [`JobPolicy::longest_pause`] or the
///   period, whichever is longer. A run that is not settled within [`JobPolicy::timeout`] has failed.
/// * A clock that falls back by more than 5 s takes all that is planned with it.
///
/// Nothing of this is stored.
#[derive(Debug, Clone)]
pub struct RefreshJobs {
    seed: u64,
    policy: JobPolicy,
    jobs: BTreeMap<JobKey, Job>,
    schedule: Schedule<JobKey>,
}

/// How jobs run. All times are milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobPolicy {
    /// A run that is not settled for so long has failed. Longer than any action may take.
    pub timeout: u64,
    /// Runs that are under way at once.
    pub under_way: usize,
    /// The shortest time between two runs of a job, whatever its period.
    pub shortest_period: u64,
    /// The longest pause after failures, where the period is not longer.
    pub longest_pause: u64,
}

impl Default for JobPolicy {
    /// 11 min, 16 at once, 1 s apart, pauses of 15 min at most.
    fn default() -> Self {
        Self { timeout: 660_000, under_way: 16, shortest_period: 1_000, longest_pause: 15 * 60_000 }
    }
}

/// Names a job among those of all canvases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey {
    /// The canvas.
    pub canvas: CanvasId,
    /// The job of its spec.
    pub job: JobId,
}

/// A job as a spec asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTiming {
    /// The job.
    pub job: JobId,
    /// What it runs.
    pub action: ActionId,
    /// Its period in milliseconds.
    pub every: u64,
}

/// A job that the host is to run now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueJob {
    /// For [`RefreshJobs::settle`].
    pub token: RequestToken,
    /// The canvas and its job.
    pub key: JobKey,
    /// What is to be run.
    pub action: ActionId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Job {
    action: ActionId,
    period: u64,
}

impl RefreshJobs {
    /// Without jobs. Hosts differ by their seeds.
    pub const fn new(seed: u64, policy: JobPolicy) -> Self {
        let JobPolicy { timeout, under_way, longest_pause, .. } = policy;
        // A job never stops for good. Each has a first pause of its own.
        let limits = Limits { timeout, under_way, first_pause: 1, longest_pause, retries: u32::MAX };
        Self { seed, policy, jobs: BTreeMap::new(), schedule: Schedule::new(limits) }
    }

    /// The enabled jobs of a canvas, all of them: the spec is new, or was read after a start. Jobs that are not among them
    /// are gone, and what is under way for them is dropped; those that are as they were keep their times; one with another
    /// period begins anew.
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

    /// The canvas is gone, and its jobs with it.
    pub fn forget(&mut self, canvas: &CanvasId) {
        for key in self.of(canvas) {
            self.jobs.remove(&key);
            self.schedule.remove(&key);
        }
    }

    /// What is to be run now, the longest waiting first, as many as may be under way. Linear in the number of jobs.
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

    /// A run has ended, well or not. `false` where nobody waits for it any more; nothing is changed then.
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

    /// When to poll next; `None` where nothing will ever be due by itself. It may be past. Linear in the number of jobs.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.schedule.next_due()
    }

    fn of(&self, canvas: &CanvasId) -> Vec<JobKey> {
        self.jobs.keys().filter(|key| key.canvas == *canvas).cloned().collect()
    }

    /// From the shortest period to one whole period, so that a job which is removed and made again runs no more often.
    fn first_pause(&self, key: &JobKey, period: u64) -> u64 {
        let text = format!("{} {} {}{}", self.seed, key.canvas.as_str().len(), key.canvas, key.job);
        let hash = BlobId::of(text.as_bytes());
        let digits = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        let shortest = self.policy.shortest_period.min(period);
        shortest + u64::from_le_bytes(*digits) % (period - shortest + 1)
    }
}
