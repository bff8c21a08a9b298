//! Counters of directives for a host.

use canvas_core::lease::Timestamp;
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::apply::AppliedDirective;
use super::failure::DirectiveFailure;

/// Counters that you keep with your canvases. Retries answered from a receipt are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DirectiveMetrics {
    /// Number of attempted patches.
    pub total_patches: u64,
    /// Number of patches in conflict with the document: the version was stale, or a hunk did not fit.
    pub patch_conflicts: u64,
    /// Total duration of all attempted patches, in milliseconds.
    pub patch_latency_millis: u64,
    /// Number of attempted directives of every action, including those that could not be parsed.
    pub total_directives: u64,
    /// Number of directives that failed.
    pub failures: u64,
    /// Number of directives in conflict with the document.
    pub conflicts: u64,
    /// Total duration of all attempted directives, in milliseconds.
    pub latency_millis: u64,
}

impl DirectiveMetrics {
    /// Records one directive, from `started` to `ended` by the host's clock. If the clock moves backwards, the duration
    /// counts as 0.
    pub fn record(
        &mut self,
        result: &Result<AppliedDirective, DirectiveFailure>,
        started: Timestamp,
        ended: Timestamp,
    ) {
        if result.as_ref().is_ok_and(|applied| applied.replayed) {
            return;
        }
        let millis = ended.as_millis().saturating_sub(started.as_millis());
        let action = match result {
            Ok(applied) => Some(applied.context.action),
            Err(failure) => failure.action,
        };
        let is_conflict = u64::from(result.as_ref().is_err_and(DirectiveFailure::is_conflict));
        add(&mut self.total_directives, 1);
        add(&mut self.failures, u64::from(result.is_err()));
        add(&mut self.conflicts, is_conflict);
        add(&mut self.latency_millis, millis);
        if action == Some(Action::Patch) {
            add(&mut self.total_patches, 1);
            add(&mut self.patch_conflicts, is_conflict);
            add(&mut self.patch_latency_millis, millis);
        }
    }

    /// Returns the average duration of a patch in milliseconds, or `None` before the first one.
    pub fn avg_patch_latency(&self) -> Option<f64> {
        average(self.patch_latency_millis, self.total_patches)
    }

    /// Returns the average duration of a directive in milliseconds, or `None` before the first one.
    pub fn avg_latency(&self) -> Option<f64> {
        average(self.latency_millis, self.total_directives)
    }
}

fn add(counter: &mut u64, more: u64) {
    *counter = counter.saturating_add(more);
}

fn average(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}
