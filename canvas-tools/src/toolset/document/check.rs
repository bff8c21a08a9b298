//! Checks a call's arguments, as far as this needs no canvas.

use std::iter;
use std::num::NonZeroUsize;

use canvas_core::document::{Base, EditStructure, ParseRangeHashError, Replacement};
use canvas_core::history::EntryNumber;
use canvas_core::lease::{CheckIn, LeaseId, LeaseRefusal, Renew};
use canvas_core::rollout::Rollout;
use canvas_core::text::{Address, Part};
use canvas_core::{Author, ParseRevisionIdError, Policy, Refused as _, RevisionId};
use serde_json::Value;

use super::arguments::{
    self as types, ApplyPatch, CheckOut, Grep, History, Lease, Outline, RangeText, ReadLines, ReadSection,
    ReplaceLines, Scope,
};
use super::history::{CHANGES, MAX_CHANGES, Page};
use super::reading::Reading;
use super::search::{MAX_CONTEXT, Search, bad_query};
use super::structure::{self, StructureCall};
use super::tool::{DocumentTools, LeaseRule, Tool};
use crate::arguments::arguments_but;
use crate::reply::{PATH_BYTES, ToolError};
use crate::toolset::call::ToolCall;

/// Arguments that passed every check that needs no canvas.
#[derive(Debug)]
pub(super) enum CheckedCall {
    CheckOut,
    Renew(Renew),
    CheckIn(CheckIn),
    Read(ReadAccess, Reading),
    /// Lines of an earlier revision.
    ReadPast(RevisionId, Vec<(usize, usize)>),
    History(Page),
    ApplyPatch(canvas_core::document::ApplyPatch, Option<Resend>),
    ReplaceLines(canvas_core::document::ReplaceLines),
    EditStructure(EditStructure, Option<structure::Search>),
}

/// The hunks of a refused patch that a call replaces.
#[derive(Debug)]
pub(super) struct Resend {
    /// Id of the refused patch.
    pub(super) of: String,
    /// Numbers of the new hunks, counted from 1.
    pub(super) hunks: Vec<NonZeroUsize>,
}

/// The right by which a model reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadAccess {
    /// Under the lease that the rollout requires, if any. The call extends it, and the shown text counts as seen.
    Lease(Option<LeaseId>),
    /// By a snapshot, which leaves no trace.
    Snapshot,
}

/// The `lease_id` of a call, if its tool takes one.
struct LeaseArgument<'a> {
    rule: LeaseRule,
    rollout: Rollout,
    arguments: &'a Value,
}

impl LeaseArgument<'_> {
    /// Returns the lease that the call names. Text that is not a lease id counts as no lease, which the rules refuse if
    /// the rollout needs one. Otherwise the text is refused here, because the rules would accept a missing lease.
    fn id(&self, text: Option<String>) -> Result<Option<LeaseId>, ToolError> {
        match (self.rule, text) {
            (LeaseRule::Never, _) | (LeaseRule::Optional, None) => Ok(None),
            (LeaseRule::Required, None) if self.arguments.get("lease_id").is_some() => {
                let message = "pass the lease_id of your last check-out as a string";
                Err(ToolError::argument("/lease_id", message))
            }
            (LeaseRule::Required, None) => {
                let message = "missing field `lease_id`: pass the lease_id of your last check-out";
                Err(ToolError::argument("", message))
            }
            (_, Some(text)) => match text.parse() {
                Ok(lease) => Ok(Some(lease)),
                Err(_) if self.rollout.needs_lease() => Ok(None),
                Err(_) => Err(LeaseRefusal::NOT_OWNED.view().into()),
            },
        }
    }

    /// Returns the access of a reading tool that needs no lease in any rollout.
    fn access(&self, text: Option<String>) -> Result<ReadAccess, ToolError> {
        if self.rule == LeaseRule::Never || text.is_none() {
            return Ok(ReadAccess::Snapshot);
        }
        self.id(text).map(ReadAccess::Lease)
    }
}

/// Checks a call and turns it into a task for the engine.
pub(super) fn check(
    toolset: DocumentTools,
    tool: Tool,
    call: &ToolCall,
    policy: &Policy,
) -> Result<CheckedCall, ToolError> {
    policy.permits(tool.access())?;
    let (rule, rollout, sent) = (tool.lease_rule(policy.rollout), policy.rollout, &call.arguments);
    let lease = LeaseArgument { rule, rollout, arguments: sent };
    let hidden = tool.hidden(toolset, rollout);
    if let Some(off) = tool.switched_off(toolset).filter(|off| sent.get(*off).is_some()) {
        return Err(ToolError::argument(&format!("/{off}"), format!("unknown field `{off}`: leave it out")));
    }
    Ok(match tool {
        Tool::CheckOut => {
            let CheckOut {} = arguments_but(&hidden, sent)?;
            CheckedCall::CheckOut
        }
        Tool::RenewLease => {
            CheckedCall::Renew(Renew { lease: lease.id(arguments_but::<Lease>(&hidden, sent)?.lease_id)? })
        }
        Tool::CheckIn => CheckedCall::CheckIn(CheckIn {
            lease: lease.id(arguments_but::<Lease>(&hidden, sent)?.lease_id)?,
        }),
        Tool::Grep => {
            let Grep { lease_id, query, regex, context, from_line } = arguments_but(&hidden, sent)?;
            let access = ReadAccess::Lease(lease.id(lease_id)?);
            if context > Some(MAX_CONTEXT) {
                let message = format!("at most {MAX_CONTEXT} lines are shown around a match: pass fewer");
                return Err(ToolError::argument("/context", message));
            }
            let search = Search::new(query, regex.unwrap_or(false), context, from_line.unwrap_or(1));
            CheckedCall::Read(access, Reading::Grep(search.map_err(|e| bad_query(&e))?))
        }
        Tool::ReadLines => {
            let ReadLines { lease_id, start_line, end_line, more_ranges, revision_id } =
                arguments_but(&hidden, sent)?;
            let past = revision_id.as_deref().map(|id| revision(id, "/revision_id")).transpose()?;
            let access = if past.is_none() { lease.id(lease_id)? } else { None };
            let more_ranges = more_ranges.unwrap_or_default();
            at_most(&more_ranges)?;
            let mut ranges = vec![line_range([start_line, end_line], ["/start_line", "/end_line"])?];
            for (i, range) in more_ranges.into_iter().enumerate() {
                let places = [0, 1].map(|end| format!("/more_ranges/{i}/{end}"));
                ranges.push(line_range(range, places.each_ref().map(String::as_str))?);
            }
            match past {
                Some(past) => CheckedCall::ReadPast(past, ranges),
                None => CheckedCall::Read(ReadAccess::Lease(access), Reading::Lines(ranges)),
            }
        }
        Tool::History => {
            let History { limit, before, versions, .. } = arguments_but(&hidden, sent)?;
            let limit = limit.unwrap_or(CHANGES);
            if !(1..=MAX_CHANGES).contains(&limit) {
                let message = format!("a reply lists 1 to {MAX_CHANGES} changes: pass one of these numbers");
                return Err(ToolError::argument("/limit", message));
            }
            let (before, versions) = (before.map(EntryNumber::new), versions.unwrap_or(false));
            CheckedCall::History(Page { limit, before, versions })
        }
        Tool::ReadAll => {
            let Lease { lease_id } = arguments_but(&hidden, sent)?;
            CheckedCall::Read(ReadAccess::Lease(lease.id(lease_id)?), Reading::All)
        }
        Tool::ApplyPatch => {
            let ApplyPatch { lease_id, patch, base_revision_id, scope, resend } =
                arguments_but(&hidden, sent)?;
            let (lease, base) = (lease.id(lease_id)?, base(base_revision_id.as_deref())?);
            let scope = scope.map(scope_address).transpose().map_err(|e| e.within("/scope"))?;
            let command = canvas_core::document::ApplyPatch { lease, patch, base, scope, shown: None };
            let resend = resend.map(|types::Resend { of, hunks }| Resend { of, hunks });
            CheckedCall::ApplyPatch(command, resend)
        }
        Tool::Outline => {
            let Outline { lease_id, max_level, after_line } = arguments_but(&hidden, sent)?;
            let access = lease.access(lease_id)?;
            let max_level = max_level.unwrap_or(6);
            if !(1..=6).contains(&max_level) {
                return Err(ToolError::argument("/max_level", "the level is not 1 to 6: pass one of these"));
            }
            let outline = Reading::Outline { max_level, after_line: after_line.unwrap_or(0) };
            CheckedCall::Read(access, outline)
        }
        Tool::ReadSection => {
            let ReadSection { lease_id, path, ordinal, item, fence } = arguments_but(&hidden, sent)?;
            let access = lease.access(lease_id)?;
            let section = address(Scope { path, ordinal, item, fence })?;
            CheckedCall::Read(access, Reading::Section(section))
        }
        Tool::ReplaceLines => {
            let ReplaceLines {
                lease_id,
                start_line,
                end_line,
                expect_hash,
                text,
                more_ranges,
                base_revision_id,
            } = arguments_but(&hidden, sent)?;
            let (lease, more_ranges) = (lease.id(lease_id)?, more_ranges.unwrap_or_default());
            at_most(&more_ranges)?;
            let first = RangeText { start_line, end_line, expect_hash, text };
            let more = (0..).zip(more_ranges).map(|(i, range)| {
                replacement(range).map_err(|error| error.within(&format!("/more_ranges/{i}")))
            });
            let replacements = iter::once(replacement(first)).chain(more).collect::<Result<_, _>>()?;
            let base = base(base_revision_id.as_deref())?;
            CheckedCall::ReplaceLines(canvas_core::document::ReplaceLines {
                lease,
                replacements,
                base,
                shown: None,
            })
        }
        Tool::Move => edit(lease, structure::move_place(&hidden, sent)?)?,
        Tool::ReplaceAll => edit(lease, structure::replace_all(&hidden, sent)?)?,
        Tool::EditTable => edit(lease, structure::edit_table(&hidden, sent)?)?,
        Tool::SetFrontMatter => edit(lease, structure::set_front_matter(&hidden, sent)?)?,
        Tool::EditList => edit(lease, structure::edit_list(&hidden, sent)?)?,
        Tool::RenameHeading => edit(lease, structure::rename_heading(&hidden, sent)?)?,
    })
}

fn edit(lease: LeaseArgument<'_>, call: StructureCall) -> Result<CheckedCall, ToolError> {
    let StructureCall { lease_id, edit, search } = call;
    let by = Author::Assistant { lease: lease.id(lease_id)? };
    Ok(CheckedCall::EditStructure(EditStructure { by, edit, base: None, scope: None }, search))
}

/// Maximum number of ranges of one call after the first.
const MORE_RANGES: usize = 31;

fn at_most<T>(more_ranges: &[T]) -> Result<(), ToolError> {
    if more_ranges.len() > MORE_RANGES {
        let message = format!("a call takes at most {MORE_RANGES} more ranges: send the rest in another");
        return Err(ToolError::argument("/more_ranges", message));
    }
    Ok(())
}

/// Returns the first and the last line of a range. `at_start` and `at_end` are the places of its ends in the arguments.
fn line_range([start, end]: [u64; 2], [at_start, at_end]: [&str; 2]) -> Result<(usize, usize), ToolError> {
    if start == 0 {
        return Err(ToolError::argument(at_start, "the line is 0: pass 1 or more"));
    }
    if end < start {
        return Err(ToolError::argument(at_end, "pass an end_line that is not before start_line"));
    }
    let line = |line| usize::try_from(line).unwrap_or(usize::MAX);
    Ok((line(start), line(end)))
}

fn replacement(range: RangeText) -> Result<Replacement, ToolError> {
    let RangeText { start_line, end_line: end, expect_hash, text } = range;
    let start = start_line.get();
    if end < start - 1 {
        return Err(ToolError::argument(
            "/end_line",
            "pass an end_line that is not before start_line, or start_line - 1 to insert before start_line",
        ));
    }
    let expect = expect_hash
        .parse()
        .map_err(|e: ParseRangeHashError| ToolError::argument("/expect_hash", e.to_string()))?;
    Ok(Replacement { start, end, expect, text })
}

/// Returns the place that a patch may change. Its size is limited, because a refusal repeats it in the receipt.
fn scope_address(scope: Scope) -> Result<Address, ToolError> {
    let bytes: usize = scope.path.iter().map(String::len).sum();
    if bytes > PATH_BYTES {
        let message =
            format!("the titles have {bytes} bytes, the limit is {PATH_BYTES}: give only the last ones");
        return Err(ToolError::argument("/path", message));
    }
    address(scope)
}

/// Returns the place of the document that these arguments name.
fn address(Scope { path, ordinal, item, fence }: Scope) -> Result<Address, ToolError> {
    let part = match (item, fence) {
        (None, None) => None,
        (Some(item), None) => Some(Part::Item(vec![item.get()])),
        (None, Some(fence)) => Some(Part::Fence(fence.get())),
        (Some(_), Some(_)) => return Err(ToolError::argument("/fence", "pass item or fence, not both")),
    };
    Ok(Address::Section { path, ordinal: ordinal.map(NonZeroUsize::get), part })
}

fn base(revision_id: Option<&str>) -> Result<Option<Base>, ToolError> {
    revision_id.map(|id| revision(id, "/base_revision_id").map(Base::Id)).transpose()
}

fn revision(id: &str, place: &str) -> Result<RevisionId, ToolError> {
    id.parse().map_err(|error: ParseRevisionIdError| ToolError::argument(place, error.to_string()))
}
