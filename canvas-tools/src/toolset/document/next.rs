//! The next legal call after a refused one. The refusal's own text does not name a tool, because the core knows none.

use std::{fmt, iter};

use canvas_core::document::{
    BaseRefusal, Changes, Fits, LinesRefusal, PatchRefusal, StaleBase, StructureRefusal,
};
use canvas_core::lease::{LeaseId, LeaseRefusal, Timestamp};
use canvas_core::refusal::NotAvailable;
use canvas_core::text::{AddressError, Conflict, LineRange, StructureError, Suggestion};
use canvas_core::{Refusal, RevisionId};

use super::tool::Tool;
use crate::hint::{STOP, is_missing};
use crate::reply::seconds_until;

/// The next step of a model. Its text names the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// The same call under the lease that the conversation has.
    UnderOwnLease(LeaseId),
    /// All other tools under that lease.
    UseLease(LeaseId),
    CheckOut,
    CheckOutIn {
        seconds: u64,
    },
    /// Take the lease again, and read before writing.
    CheckOutAndRead,
    /// Take the lease again, and write again if the change still makes sense.
    CheckOutAndWrite,
    /// The same for a call that names no revision.
    CheckOutAndRepeat,
    /// Take the lease again, and search again.
    CheckOutAndSearch,
    CheckInAndOut,
    Read,
    /// Read, and make the same call if it still makes sense.
    ReadAndRepeat,
    ReadLines(LineRange),
    Search,
    SendRebased(Option<RevisionId>),
    /// Write the patch for the text that the refusal shows.
    WriteFor(RevisionId),
    /// The same call, if the model means the stated lines, which the refusal shows.
    AgainIfMeant,
    /// The same call on the current revision.
    OnBase(RevisionId),
    /// The same call on the current revision, if it still makes sense after the changes that others made nearby.
    OnBaseIfMeant(RevisionId),
    Stop,
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [check_out, check_in, grep, read, patch] =
            [Tool::CheckOut, Tool::CheckIn, Tool::Grep, Tool::ReadLines, Tool::ApplyPatch].map(Tool::name);
        match self {
            Self::UnderOwnLease(own) => write!(f, "Next: the same call with lease_id {own}."),
            Self::UseLease(own) => write!(f, "Next: call the other tools with lease_id {own}."),
            Self::CheckOut => write!(f, "Next: call {check_out}, then this call with its lease_id."),
            Self::CheckOutIn { seconds } => write!(f, "Next: call {check_out} in {seconds} s."),
            Self::CheckOutAndRead => write!(f, "Next: call {check_out}, then {read}."),
            Self::CheckOutAndWrite => write!(
                f,
                "Next: call {check_out}, then this call with its lease_id and revision_id, if it still says what you mean."
            ),
            Self::CheckOutAndRepeat => {
                write!(
                    f,
                    "Next: call {check_out}, then this call with its lease_id, if it still says what you mean."
                )
            }
            Self::CheckOutAndSearch => write!(f, "Next: call {check_out}, then {grep}."),
            Self::CheckInAndOut => write!(f, "Next: call {check_in}, then {check_out}."),
            Self::Read => write!(f, "Next: call {read}."),
            Self::ReadAndRepeat => {
                write!(f, "Next: call {read}, then this call again, if it still says what you mean.")
            }
            Self::ReadLines(LineRange { start, end }) => {
                write!(f, "Next: call {read} with start_line {start} and end_line {end}.")
            }
            Self::Search => write!(f, "Next: call {grep}."),
            Self::SendRebased(None) => write!(f, "Next: call {patch} with rebased_patch."),
            Self::SendRebased(Some(now)) => {
                write!(f, "Next: call {patch} with rebased_patch and base_revision_id {now}.")
            }
            Self::WriteFor(now) => {
                write!(f, "Next: call {patch}, written for that text, with base_revision_id {now}.")
            }
            Self::AgainIfMeant => {
                f.write_str("Next: the same call, if you mean the stated lines: they are shown now.")
            }
            Self::OnBase(now) => write!(f, "Next: the same call with base_revision_id {now}."),
            Self::OnBaseIfMeant(now) => {
                write!(f, "Next: the same call with base_revision_id {now}, if it still says what you mean.")
            }
            Self::Stop => f.write_str(STOP),
        }
    }
}

/// The kind of a call, as far as the next call depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// Any other call, for example one that reads or that concerns the lease.
    Other,
    /// A patch.
    Patch,
    /// Lines replaced by number.
    Lines,
    /// An edit of the structure, which cannot name a base.
    Structure,
    /// The replacement of the matches of a search.
    ReplaceAll,
}

/// The canvas and its conversation after a refused call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aftermath {
    pub(crate) kind: CallKind,
    /// Whether any conversation may check out in the running turn.
    pub(crate) turn_open: bool,
    /// Whether the conversation knows the current document.
    pub(crate) has_seen: bool,
    pub(crate) revision: RevisionId,
    /// The current time by the clock that ends leases.
    pub(crate) clock: Timestamp,
}

/// Returns the next call after a refusal by a document tool. Returns `None` if the refusal itself tells the model to
/// stop, or which arguments to change.
pub(crate) fn after_refusal(refusal: Refusal<'_>, after: Aftermath) -> Option<Next> {
    Some(match refusal {
        Refusal::NotAvailable(NotAvailable::Held { own: Some(own), .. }) => Next::UseLease(*own),
        Refusal::NotAvailable(NotAvailable::Held { until, .. }) => after.check_out_later(*until),
        Refusal::Lease(LeaseRefusal::TooManyCalls { .. }) => Next::CheckInAndOut,
        Refusal::Lease(_) if !after.turn_open => Next::Stop,
        Refusal::Lease(LeaseRefusal::NotOwned { own: Some(own), .. }) => Next::UnderOwnLease(*own),
        Refusal::Lease(LeaseRefusal::NotOwned { held_until: Some(until), .. }) => {
            after.check_out_later(*until)
        }
        Refusal::Lease(refusal) => after.check_out(refusal),
        Refusal::Base(BaseRefusal::StaleBase(stale)) => return after.write_again(stale),
        Refusal::Lines(LinesRefusal::NoSuchLines { .. }) => Next::Read,
        Refusal::Patch(PatchRefusal::NotLocated { lines }) => Next::ReadLines(*lines),
        Refusal::Structure(StructureRefusal::StructureRejected {
            error:
                StructureError::TableShape { line }
                | StructureError::Address(AddressError::FrontMatterUnsupported { line, .. }),
        }) => Next::ReadLines(LineRange { start: *line, end: *line }),
        Refusal::Patch(PatchRefusal::PatchRejected(error)) => match error.suggestion() {
            Some(Suggestion::Rebased(_)) => Next::SendRebased(None),
            Some(_) => return None,
            None if error.conflicts().iter().any(must_search) => Next::Search,
            None if error.conflicts().iter().all(|conflict| conflict.unread.is_some()) => Next::AgainIfMeant,
            None => return None,
        },
        Refusal::Lines(LinesRefusal::ContentChanged { lines, others, .. })
            if iter::once(lines).chain(others).any(|lines| lines.range_hash.is_none()) =>
        {
            Next::Read
        }
        Refusal::NotAvailable(NotAvailable::UserActive)
        | Refusal::Patch(PatchRefusal::EditRefused { .. })
        | Refusal::Structure(_)
        | Refusal::Lines(
            LinesRefusal::ContentChanged { .. } | LinesRefusal::Overlap { .. } | LinesRefusal::NoEffect,
        )
        | Refusal::Call(_)
        | Refusal::Limit(_)
        | Refusal::StaleEdit(_)
        | Refusal::History(_)
        | Refusal::Board(_)
        | Refusal::NewBoard(_) => return None,
        // Document tools meet no other face.
        _ => return None,
    })
}

impl Aftermath {
    fn check_out_later(self, until: Timestamp) -> Next {
        match seconds_until(until, self.clock) {
            0 => Next::CheckOut,
            seconds => Next::CheckOutIn { seconds },
        }
    }

    /// Returns the next call after the end of a lease. A write is repeated only if its author knows the text that it
    /// changes.
    fn check_out(self, refusal: &LeaseRefusal) -> Next {
        let is_known = match refusal {
            LeaseRefusal::StaleEpoch { changes, .. } => changes.as_ref().is_none_or(Changes::is_shown),
            _ => self.has_seen,
        };
        match self.kind {
            CallKind::Other => Next::CheckOut,
            CallKind::ReplaceAll => Next::CheckOutAndSearch,
            CallKind::Patch | CallKind::Lines | CallKind::Structure if !is_known => Next::CheckOutAndRead,
            CallKind::Patch | CallKind::Lines => Next::CheckOutAndWrite,
            CallKind::Structure => Next::CheckOutAndRepeat,
        }
    }

    /// Returns the next call if the base was not the current document.
    fn write_again(self, stale: &StaleBase) -> Option<Next> {
        let now = stale.changes.as_ref().map_or(self.revision, |changes| changes.to);
        if stale.already_applied {
            return None;
        }
        match self.kind {
            CallKind::Structure => return Some(Next::ReadAndRepeat),
            CallKind::ReplaceAll => return Some(Next::Search),
            CallKind::Other | CallKind::Patch | CallKind::Lines => {}
        }
        Some(match stale.fits {
            Some(Fits::Untouched) => Next::OnBase(now),
            Some(Fits::Touched) => Next::OnBaseIfMeant(now),
            None if self.kind == CallKind::Lines => Next::Read,
            None if stale.rebased.is_some() => Next::SendRebased(Some(now)),
            None if stale.shows_changes() && stale.near.as_ref().is_none_or(|near| !near.diff.is_empty()) => {
                Next::WriteFor(now)
            }
            None if stale.up_to_date => Next::OnBase(self.revision),
            None => Next::Read,
        })
    }
}

/// Whether the conflict does not help to correct the patch, because no line of the document resembles the quoted lines.
const fn must_search(conflict: &Conflict) -> bool {
    is_missing(conflict.reason) && conflict.nearby.is_empty() && conflict.present_at.is_none()
}
