//! Replies to a model, and to the keeper of its lease, after a command on the document.

use std::iter;

use canvas_core::document::{AppliedPatch, LinesRefusal, Readable};
use canvas_core::lease::{CheckedIn, CheckedOut, LeaseId, LeaseRefusal, Renewed, Timestamp};
use canvas_core::refusal::NotAvailable;
use canvas_core::text::{LineRange, Repair, RepairKind};
use canvas_core::{Refusal, Refused, Snapshot};
use serde_json::{Value, json};

use super::failure::{DocumentDetail, failure};
use super::fields::{CheckInFields, CheckOutFields, PatchFields, RenewFields};
use super::lines::Shown;
use super::next::{Aftermath, CallKind, after_refusal};
use crate::lease_change::{LeaseChange, LeaseTerm};
use crate::reply::{Failure, ToolReply, changed_lines, success};
use crate::session::Session;

/// The answer to a command of a model.
pub(super) trait Answer {
    /// Returns the JSON for the model, without lines. `clock` is the current time by the clock that ends leases.
    fn body(&self, clock: Timestamp) -> Value;

    /// Returns the lines of the canvas that the reply shows.
    fn shown(&self) -> Option<Shown> {
        None
    }

    /// Returns the effect on the named or acquired lease.
    fn lease_change(&self, named: Option<LeaseId>) -> LeaseChange;
}

/// Makes the reply to a command. A retry gets the first answer with its revision and lease. A refusal is sent with the
/// current revision and the next legal call.
pub(super) fn reply<D: Answer, R: Refused>(
    call: (Option<LeaseId>, CallKind),
    result: &Result<D, R>,
    at: (&Session, &Snapshot),
) -> ToolReply {
    reply_with(call, result, at, |_| {})
}

/// Like [`reply`], but adds to a failure what only the call itself knows.
pub(super) fn reply_with<D: Answer, R: Refused>(
    (named, kind): (Option<LeaseId>, CallKind),
    result: &Result<D, R>,
    (session, snapshot): (&Session, &Snapshot),
    add: impl FnOnce(&mut Failure<DocumentDetail>),
) -> ToolReply {
    match result {
        Ok(done) => {
            let reply = ToolReply::new(done.body(snapshot.clock)).with_lease_change(done.lease_change(named));
            match done.shown() {
                Some(Shown { lines, ranges }) => {
                    // A retry is answered as the first call was, but its lines may have changed since.
                    let is_now = reply.revision_id() == Some(&snapshot.revision_id().to_string());
                    let ranges = if is_now { ranges } else { Vec::new() };
                    reply.with(json!({"lines": lines})).with_shown_lines(ranges)
                }
                None => reply,
            }
        }
        Err(refusal) => {
            let refusal = refusal.view();
            let after = Aftermath {
                kind,
                turn_open: snapshot.head.lock_of(&session.conversation).is_turn_open(),
                has_seen: snapshot.head.has_seen(&session.conversation),
                revision: snapshot.revision_id(),
                clock: snapshot.clock,
            };
            let mut failure = failure(refusal, after_refusal(refusal, after), snapshot.clock);
            add(&mut failure);
            let reply = ToolReply::failed(&failure, Some(snapshot));
            reply.with_lease_change(lost(named, refusal)).with_shown_lines(shown_by(refusal))
        }
    }
}

/// Returns the current lines that a refusal shows in full.
fn shown_by(refusal: Refusal<'_>) -> Vec<LineRange> {
    match refusal {
        Refusal::Lines(LinesRefusal::ContentChanged { lines, others, .. }) => {
            let whole = iter::once(lines).chain(others).filter(|lines| !lines.truncated);
            whole.map(|lines| LineRange { start: lines.start_line, end: lines.end_line }).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the whole seconds until a lease ends.
const fn seconds_left(expires_at: Timestamp, clock: Timestamp) -> u64 {
    expires_at.as_millis().saturating_sub(clock.as_millis()) / 1_000
}

/// Returns the change of a lease that a refusal reports. It is a loss if the named lease is over, or an extension if
/// the caller already holds the lease that it asked for.
fn lost(named: Option<LeaseId>, refusal: Refusal<'_>) -> LeaseChange {
    match (refusal, named) {
        // It was asked for again.
        (Refusal::NotAvailable(NotAvailable::Held { until, own: Some(own) }), _) => {
            LeaseChange::Extended(LeaseTerm::until(*until, *own))
        }
        (Refusal::Lease(LeaseRefusal::TooManyCalls { .. }), _) => LeaseChange::None,
        (Refusal::Lease(_), Some(lease)) => LeaseChange::Lost(lease),
        _ => LeaseChange::None,
    }
}

/// Returns the extension of the named lease, because a call under a lease extends it.
fn extended(named: Option<LeaseId>, expires_at: Option<Timestamp>) -> LeaseChange {
    match (named, expires_at) {
        (Some(lease), Some(expires_at)) => LeaseChange::Extended(LeaseTerm::until(expires_at, lease)),
        _ => LeaseChange::None,
    }
}

impl Answer for CheckedOut {
    fn body(&self, clock: Timestamp) -> Value {
        let Self { lease, epoch, expires_at, revision } = *self;
        let fields = CheckOutFields {
            lease_id: lease,
            revision_id_at_checkout: revision,
            canvas_epoch: epoch,
            expires_in_s: seconds_left(expires_at, clock),
        };
        success(revision, &fields)
    }

    fn lease_change(&self, _: Option<LeaseId>) -> LeaseChange {
        LeaseChange::Acquired(LeaseTerm::until(self.expires_at, self.lease))
    }
}

impl Answer for Renewed {
    fn body(&self, clock: Timestamp) -> Value {
        let Self { lease, expires_at, at_max_hold, revision } = *self;
        success(
            revision,
            &RenewFields { lease_id: lease, expires_in_s: seconds_left(expires_at, clock), at_max_hold },
        )
    }

    fn lease_change(&self, _: Option<LeaseId>) -> LeaseChange {
        let term = LeaseTerm::until(self.expires_at, self.lease);
        LeaseChange::Extended(LeaseTerm { at_max_hold: self.at_max_hold, ..term })
    }
}

impl Answer for CheckedIn {
    fn body(&self, _: Timestamp) -> Value {
        success(self.revision, &CheckInFields { released: self.released })
    }

    fn lease_change(&self, named: Option<LeaseId>) -> LeaseChange {
        named.map_or(LeaseChange::None, LeaseChange::Released)
    }
}

impl Answer for Readable {
    fn body(&self, _: Timestamp) -> Value {
        json!({"ok": true, "revision_id": self.revision})
    }

    fn lease_change(&self, named: Option<LeaseId>) -> LeaseChange {
        extended(named, self.expires_at)
    }
}

impl Answer for AppliedPatch {
    fn body(&self, clock: Timestamp) -> Value {
        // The prompt invites to leave the numbers out.
        let told = |repair: &&Repair| repair.kind != RepairKind::BareHeader;
        let mut notes = Vec::new();
        if self.retaken.is_some() {
            notes.push("Your lease had expired and nobody had missed it: lease_id is your new one.");
        }
        if let Some(changes) = &self.changes {
            notes.push(if changes.diff.is_some() {
                "The document had changed elsewhere meanwhile: changes says how."
            } else {
                "The document had changed elsewhere meanwhile: read before you edit what you have not read since."
            });
        }
        let fields = PatchFields {
            new_revision_id: self.revision,
            applied_hunks: self.summary.hunks,
            repairs: self.repairs.iter().filter(told).collect(),
            lease_id: self.retaken,
            expires_in_s: self.retaken.and(self.expires_at).map(|at| seconds_left(at, clock)),
            changes: self.changes.as_ref(),
            proposed: self.proposed.as_ref(),
            note: (!notes.is_empty()).then(|| notes.join(" ")),
            // `reply` adds them.
            lines: None,
        };
        success(self.revision, &fields)
    }

    fn shown(&self) -> Option<Shown> {
        let (lines, ranges) = changed_lines(self);
        (!lines.is_empty()).then_some(Shown { lines, ranges })
    }

    fn lease_change(&self, named: Option<LeaseId>) -> LeaseChange {
        match (named, self.retaken, self.expires_at) {
            (Some(expired), Some(lease), Some(expires_at)) => {
                LeaseChange::Replaced(expired, LeaseTerm::until(expires_at, lease))
            }
            _ => extended(named, self.expires_at),
        }
    }
}
