//! Refresh jobs, which are actions that run periodically.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::model::json_pointer::join_pointer;
use crate::surface::limits::SurfaceLimits;
use crate::surface::name::{ActionId, JobId};
use crate::surface::policy::Ceiling;
use crate::surface::spec::action::{Action, ActionKind, ReadActions};
use crate::surface::spec::binding::read_action;
use crate::surface::spec::fields::{Faults, Fields};

/// An action that runs periodically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshJob {
    /// Id of the job within the spec.
    pub id: JobId,
    /// Time from the end of one run to the next, in milliseconds.
    pub every_ms: u64,
    /// Id of the action to run.
    pub action: ActionId,
    /// Whether the job runs.
    pub enabled: bool,
}

impl RefreshJob {
    /// The shortest period, in milliseconds.
    pub const SHORTEST_MS: u64 = 1_000;
    /// The longest period of one week, in milliseconds.
    pub const LONGEST_MS: u64 = 7 * 24 * 3_600_000;
}

/// Reads the jobs of a spec.
pub(super) fn read(
    spec: &mut Fields<'_>,
    actions: &ReadActions,
    (ceiling, limits): (&Ceiling, &SurfaceLimits),
    faults: &mut Faults,
) -> Vec<RefreshJob> {
    let Some(list) = spec.read::<Vec<Value>>("refresh", faults) else { return Vec::new() };
    let place = spec.at("refresh");
    if list.len() > limits.jobs {
        let (count, limit) = (list.len(), limits.jobs);
        faults.spec(&place, format!("the spec has {count} refresh jobs, the limit is {limit}: remove some"));
        return Vec::new();
    }
    let mut ids = BTreeSet::new();
    let mut jobs = Vec::new();
    for (number, job) in list.iter().enumerate() {
        let here = join_pointer(&place, &number.to_string());
        let Some(job) = read_job(job, &here, actions, ceiling, faults) else { continue };
        if !ids.insert(job.id.clone()) {
            faults.spec(
                &join_pointer(&here, "id"),
                format!("another job has the id {}: give each its own", job.id),
            );
        }
        jobs.push(job);
    }
    jobs
}

fn read_job(
    job: &Value,
    place: &str,
    actions: &ReadActions,
    ceiling: &Ceiling,
    faults: &mut Faults,
) -> Option<RefreshJob> {
    let mut fields = Fields::open(job, place, faults)?;
    let id: Option<JobId> = fields.require("id", faults);
    let every_ms = fields.require::<u64>("everyMs", faults).filter(|every| {
        let is_period = (RefreshJob::SHORTEST_MS..=RefreshJob::LONGEST_MS).contains(every);
        if !is_period {
            let (shortest, longest) = (RefreshJob::SHORTEST_MS, RefreshJob::LONGEST_MS);
            faults.spec(
                &fields.at("everyMs"),
                format!("the period is not {shortest} to {longest} ms: give one of these"),
            );
        }
        is_period
    });
    let at_action = fields.at("action");
    let action = match fields.value("action") {
        Some(action) => read_action(action, &at_action, actions, faults),
        None => {
            faults.spec(fields.place(), "action is missing: add it");
            None
        }
    };
    let enabled = fields.read("enabled", faults).unwrap_or(true);
    fields.finish(faults);
    let action = action?;
    match actions.get(&action) {
        Some(Action { kind: ActionKind::SessionSend { .. }, .. }) => {
            faults.spec(
                &at_action,
                format!("the action {action} sends a message, which no job does: take another one"),
            );
        }
        Some(known) if known.asks(ceiling) => {
            let message = format!(
                "{action} needs a person's yes each time, and a job asks nobody: take a tool that changes nothing, or have the host trust it"
            );
            faults.spec(&at_action, message);
        }
        _ => {}
    }
    Some(RefreshJob { id: id?, every_ms: every_ms?, action, enabled })
}
