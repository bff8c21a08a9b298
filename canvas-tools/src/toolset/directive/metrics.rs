//! What a host counts about directives.

use canvas_core::lease::Timestamp;
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::apply::AppliedDirective;
use super::failure::DirectiveFailure;

/// Counters that a host keeps beside its canvases. Retries that were answered from a receipt count as nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DirectiveMetrics {
    /// Patches that were tried.
    pub total_patches: u64,
    /// Patches that the document disagreed with: a stale version, or a hunk that does not fit.
    pub patch_conflicts: u64,
    /// Milliseconds of all patches that were tried.
    pub patch_latency_millis: u64,
    /// Directives that were tried, of every action, those that could not be read included.
    pub total_directives: u64,
    /// Directives that were not done.
    pub failures: u64,
    /// Directives that the document disagreed with.
    pub conflicts: u64,
    /// Milliseconds of all directives that were tried.
    pub latency_millis: u64,
}

impl DirectiveMetrics {
    /// Counts one directive, from `started` to `ended` by the host's clock. A clock that fell back counts as no time.
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

    /// Milliseconds that a patch takes on average; `None` before the first.
    pub fn avg_patch_latency(&self) -> Option<f64> {
        average(self.patch_latency_millis, self.total_patches)
    }

    /// Milliseconds that a directive takes on average; `None` before the first.
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
