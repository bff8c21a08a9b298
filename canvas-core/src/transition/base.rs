//! The text that a call was made for, and whether a patch for an older text fits the current one.
//!
//! * A patch is moved by the known later changes, never by a line number of the older text.
//! * A patch is tried in two ways, at its one place in the current text, and moved by the known changes. Under
//!   [`WriteRules::rebase`](crate::policy::WriteRules::rebase), it is applied only if both ways give the same text. If
//!   they give different texts, it is not offered either.

use std::borrow::Cow;
use std::ops::Range;

use canvas_patch::{
    Applied, ApplyError, ApplyOptions, Delta, EarlierText, Limits, LineRange, Mode, Reason, Rebase,
    StatedLines, Suggestion, apply, build, find_lines,
};

use crate::document::changes::{Changes, changes_around, changes_since};
use crate::document::range_hash::RangeHash;
use crate::document::replace::{Fate, Replacement, bytes_of, check_fates, guards};
use crate::document::shown::{ShownLines, ShownText};
use crate::model::blob::Missing;
use crate::model::conversation::SyncPoint;
use crate::model::face::Face;
use crate::model::revision::{Base, RevisionId};
use crate::transition::refusal::{BaseRefusal, ReplaceLinesRefusal};
use crate::transition::stale::{Fits, StaleBase};
use crate::transition::step::{Stop, Transition};

/// A patch with the lines that its author was shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'p> {
    pub(super) patch: &'p str,
    pub(super) shown: Option<&'p ShownLines>,
}

/// An older text for which a call was made.
struct Known<'v> {
    point: SyncPoint,
    text: Cow<'v, str>,
}

/// An earlier text with its shown lines.
pub(super) struct ShownBefore<'s> {
    pub(super) text: String,
    pub(super) lines: &'s [Range<usize>],
    /// Later changes, oldest first.
    pub(super) since: Vec<Delta>,
}

/// The base of a call that was not made for the current document.
enum Stale<'v> {
    /// The text of the base is known.
    Known(Known<'v>),
    /// The conversation did not see the document at all.
    Nothing,
    /// The text can no longer be restored.
    OutOfReach,
    /// The canvas never had such a revision.
    Invented,
}

/// The fit of a patch for an older text.
enum Fit {
    /// It fits the current text at one place, and the lines there are unchanged.
    Untouched,
    /// It fits the current text at one place, near which others changed lines.
    Same,
    /// The patch in a form that may still express its author's intent.
    Rebased(String),
    /// The current text already is the result of the patch.
    AlreadyApplied,
    Nowhere,
}

/// A patch as applied, and the changes past which it was moved.
type Patched<'v> = (Result<Applied<'v>, ApplyError>, Option<Changes>);

/// Replacements for the current text, and the changes past which they were moved.
type FoundLines<'r> = (Cow<'r, [Replacement]>, Option<Changes>);

impl<'a> Transition<'a> {
    /// Checks that the call's author knows the current document, from the named base or from the text that it saw.
    pub(super) fn check_base<R: From<BaseRefusal>>(
        &self,
        base: Option<Base>,
        written: Option<Written<'_>>,
    ) -> Result<(), Stop<R>> {
        let Some(stale) = self.stale(base)? else { return Ok(()) };
        Err(Stop::refused(self.stale_base(base, &stale, written)?))
    }

    /// Applies a patch to the current document. If its author does not know this document, the patch is moved past the
    /// changes unknown to the author where the rules allow it, and refused with those changes otherwise. Returns the
    /// changes if it was moved.
    pub(super) fn patch_or_refuse<R: From<BaseRefusal>>(
        &self,
        base: Option<Base>,
        written: Written<'_>,
    ) -> Result<Patched<'a>, Stop<R>> {
        let Some(stale) = self.stale(base)? else { return Ok((self.patch(written)?, None)) };
        if let Stale::Known(known) = &stale
            && self.may_move(base, written.shown)
        {
            let moved = if self.has_own_turn() {
                self.moved_whole(known, written)?.map(Ok)
            } else {
                let is_untouched = matches!(self.fit(Some(known), written)?, Fit::Untouched);
                is_untouched.then(|| self.moved_patch(written.patch))
            };
            if let Some(patched) = moved {
                return Ok((patched, self.changes_from(known, self.policy.sync.refusal_diff_bytes)));
            }
        }
        Err(Stop::refused(self.stale_base(base, &stale, Some(written))?))
    }

    /// Whether a change for an older text may be moved past later changes. In a turn of its own, a conversation may also
    /// name the older text if it was shown that text or a later one.
    fn may_move(&self, base: Option<Base>, shown: Option<&ShownLines>) -> bool {
        let Some(base) = base else { return self.policy.writes.rebase || self.has_own_turn() };
        let has_seen = |seen: SyncPoint| base.revision() <= seen.revision;
        let knows = || {
            self.head.conversation(self.who).seen.is_some_and(has_seen)
                || shown.is_some_and(|shown| shown.has_shown(base))
        };
        self.has_own_turn() && knows()
    }

    /// Moves a patch for an older text to the current one. Returns `None` if a later change touches a line that the patch
    /// quotes, if the patch does not fit the older text, or if it means other lines by the texts that its author was
    /// shown. Takes a diff of both texts, and for each hunk time linear in them.
    fn moved_whole(&self, known: &Known<'_>, written: Written<'_>) -> Result<Option<Applied<'a>>, Missing> {
        let now = self.view.text();
        let stated = ShownLines::stated(written.shown, known.point.document);
        let limits = self.policy.document.patch;
        let Ok(there) = apply(&known.text, written.patch, &options(stated, limits)) else { return Ok(None) };
        let since = self.since(known)?;
        let steps: Vec<_> = since.iter().collect();
        let earlier = EarlierText { text: &known.text, lines: &[], since: &steps };
        let is_kept = |lines: &Range<usize>| earlier.follow(lines.clone(), now).is_some();
        if !there.quoted_lines().iter().all(is_kept) {
            return Ok(None);
        }
        let moved = steps.iter().try_fold(there.delta(), |delta, later| delta.transform(later));
        let Some(text) = moved.ok().and_then(|delta| delta.apply(now).ok()) else { return Ok(None) };
        match self.patch(written)? {
            Ok(here) if here.text() == text => return Ok(Some(here)),
            Ok(_) => return Ok(None),
            Err(error) if error.reason() == Reason::Outdated => return Ok(None),
            Err(_) => {}
        }
        // The patch fits several places, so its exact form for the current text takes its place.
        let exact = apply(now, &build(now, &text, 3), &ApplyOptions { limits, ..ApplyOptions::default() });
        Ok(exact.ok().filter(|exact| exact.text() == text))
    }

    /// Returns the changes from an older text to the current one, as far as the journal reaches, or else their sum.
    fn since(&self, known: &Known<'_>) -> Result<Vec<Delta>, Missing> {
        let SyncPoint { revision, document } = known.point;
        let past = self.past(Base::Id(RevisionId::new(revision, document)))?;
        let steps = past.filter(|past| past.document == document).map(|past| past.since());
        Ok(steps.unwrap_or_else(|| vec![Delta::between(&known.text, self.view.text())]))
    }

    /// Looks up a base. Returns `None` if its text equals the current one, even if the document differed in between.
    fn stale(&self, base: Option<Base>) -> Result<Option<Stale<'_>>, Missing> {
        let conversation = self.head.conversation(self.who);
        let seen = conversation.seen.map(|seen| seen.revision);
        let Some(known) = base.map_or(seen, |base| Some(base.revision())) else {
            return Ok(Some(Stale::Nothing));
        };
        let points = || [conversation.seen, conversation.synced].into_iter().flatten();
        let is_of_proposal = |point: &SyncPoint| self.head.is_of_proposal(*point) && names(base, *point);
        let proposed = points().find(|point| point.revision == known && is_of_proposal(point));
        // A proposed text may have the revision of the document, or a later one.
        let is_other = match base {
            Some(Base::Id(id)) if self.head.proposals.is_some() => {
                known >= self.head.faces[Face::Document] && id != RevisionId::new(known, self.head.document())
            }
            _ => false,
        };
        if proposed.is_none() && !is_other && self.head.is_current(Face::Document, known) {
            return Ok(None);
        }
        if known > self.head.revision || known.is_zero() {
            return Ok(Some(Stale::Invented));
        }
        let points = [conversation.seen, conversation.synced, Some(self.head.origin)];
        let found = match (
            points.into_iter().flatten().find(|point| point.revision == known && names(base, *point)),
            base,
        ) {
            (Some(point), _) => {
                let text = self.view.blob(point.document)?.as_text().unwrap_or_default();
                Some(Known { point, text: text.into() })
            }
            (None, Some(base)) => self.past(base)?.map(|past| Known {
                point: SyncPoint { revision: known, document: past.document },
                text: past.text.into(),
            }),
            (None, None) => None,
        };
        let now = SyncPoint { revision: known, document: self.head.document() };
        if found.is_none() && base == Some(Base::Id(RevisionId::new(known, now.document))) {
            return Ok(None);
        }
        Ok(Some(match found {
            // The history has no proposed texts.
            Some(Known { point, .. }) if !names(base, point) && (is_other || self.proposing.is_some()) => {
                Stale::OutOfReach
            }
            Some(Known { point, .. }) if !names(base, point) => Stale::Invented,
            // A text may have two names, one of them from versions that did not store chunks.
            Some(Known { point, text })
                if point.document == self.head.document() || text == self.view.text() =>
            {
                return Ok(None);
            }
            Some(known) => Stale::Known(known),
            None => Stale::OutOfReach,
        }))
    }

    fn stale_base(
        &self,
        base: Option<Base>,
        stale: &Stale<'_>,
        written: Option<Written<'_>>,
    ) -> Result<BaseRefusal, Missing> {
        let known = if let Stale::Known(known) = stale { Some(known) } else { None };
        let invented = matches!(stale, Stale::Invented | Stale::OutOfReach);
        let mut fit = match written {
            Some(written) if !invented => self.fit(known, written)?,
            _ => Fit::Nowhere,
        };
        let (mut changes, mut near) = (None, None);
        match stale {
            Stale::Known(known) => {
                let limits = (self.policy.sync.refusal_diff_bytes, &self.policy.document.patch);
                let patch = written.map_or("", |written| written.patch);
                (changes, near) = changes_around((known.point, &*known.text), self.text_now(), patch, limits);
            }
            Stale::Nothing => changes = Some(self.whole(self.policy.sync.refusal_diff_bytes)),
            Stale::OutOfReach | Stale::Invented => {}
        }
        let is_shown = near.is_some() || changes.as_ref().is_some_and(Changes::is_shown);
        fit = match (fit, &near) {
            // An author that is not shown the changes cannot judge whether the patch still expresses its intent.
            _ if !is_shown => Fit::Nowhere,
            (Fit::Untouched, Some(far)) if far.diff.is_empty() => {
                near = None;
                Fit::Untouched
            }
            (Fit::Untouched, _) => Fit::Same,
            (fit, _) => fit,
        };
        let mut stale_base = StaleBase {
            changes,
            near,
            unknown: matches!(stale, Stale::Invented),
            up_to_date: self.head.has_seen(self.who),
            ..StaleBase::of(base)
        };
        match fit {
            Fit::Untouched => stale_base.fits = Some(Fits::Untouched),
            Fit::Same => stale_base.fits = Some(Fits::Touched),
            Fit::Rebased(patch) => {
                stale_base.rebased =
                    Some(patch).filter(|patch| patch.len() <= self.policy.sync.refusal_diff_bytes);
            }
            Fit::AlreadyApplied => stale_base.already_applied = true,
            Fit::Nowhere => {}
        }
        Ok(BaseRefusal::StaleBase(Box::new(stale_base)))
    }

    /// Collects the earlier texts that the conversation was shown and that others changed since. The conversation
    /// already knows its own changes. Texts that the journal no longer reaches are left out.
    pub(super) fn shown_before<'s>(
        &self,
        shown: Option<&'s ShownLines>,
    ) -> Result<Vec<ShownBefore<'s>>, Missing> {
        let mut before = Vec::new();
        for shown in shown.into_iter().flat_map(|shown| shown.before(self.head.document())) {
            if self.is_changed_by_others(Base::Id(shown.revision))? {
                before.extend(self.known_text(shown)?);
            }
        }
        Ok(before)
    }

    fn known_text<'s>(&self, shown: &'s ShownText) -> Result<Option<ShownBefore<'s>>, Missing> {
        let past = self.past(Base::Id(shown.revision))?.filter(|past| past.document == shown.document);
        Ok(past.map(|past| ShownBefore { lines: &shown.ranges, since: past.since(), text: past.text }))
    }

    /// Checks that the replaced lines are unchanged, and still at the numbers that their author knows. In a turn of its
    /// own, a conversation may also replace lines that moved. Returns the replacements for the current text, and the
    /// changes past which they were moved.
    pub(super) fn find_lines<'r>(
        &self,
        replacements: &'r [Replacement],
        base: Option<Base>,
        shown: Option<&ShownLines>,
    ) -> Result<FoundLines<'r>, Stop<ReplaceLinesRefusal>> {
        let (now, most) = (self.view.text(), self.policy.sync.refusal_diff_bytes);
        let Some(stale) = self.stale(base)? else {
            let mut fates = Vec::with_capacity(replacements.len());
            for (replacement, lines) in guards(now, replacements).map_err(Stop::refused)? {
                fates.push((replacement, self.fate(shown, lines, replacement.expect)?));
            }
            check_fates(now, fates, most).map_err(Stop::refused)?;
            return Ok((Cow::Borrowed(replacements), None));
        };
        let (Stale::Known(known), Some(fates)) = (&stale, self.fates_since(&stale, replacements)) else {
            return Err(Stop::refused(self.stale_base(base, &stale, None)?));
        };
        let changes = self.changes_from(known, most);
        if self.has_own_turn() && self.may_move(base, shown) {
            let is_elsewhere = |lines: &LineRange| {
                shown.is_some_and(|shown| shown.is_shown_elsewhere(known.point.document, *lines))
            };
            let moved = fates
                .iter()
                .map(|(replacement, fate)| Some(replacement.after(fate)?).filter(|_| !is_elsewhere(&fate.0)));
            return match moved.collect() {
                Some(moved) => Ok((Cow::Owned(moved), changes)),
                None => Err(Stop::refused(self.stale_base(base, &stale, None)?)),
            };
        }
        let has_stayed = fates.iter().all(|(_, (_, fate))| *fate == Fate::Stayed);
        if has_stayed && !self.may_move(base, shown) {
            let fits = Some(Fits::Untouched);
            let stale = StaleBase { fits, up_to_date: self.head.has_seen(self.who), ..StaleBase::of(base) };
            return Err(Stop::refused(BaseRefusal::StaleBase(Box::new(stale))));
        }
        let fates = fates.into_iter().map(|(replacement, (_, fate))| (replacement, fate));
        check_fates(now, fates, most).map_err(Stop::refused)?;
        Ok((Cow::Borrowed(replacements), changes))
    }

    /// Follows the lines of an older text to the current one. Returns `None` if the text is unknown, or if the lines do
    /// not have the expected hash even there.
    fn fates_since<'r>(
        &self,
        stale: &Stale<'_>,
        replacements: &'r [Replacement],
    ) -> Option<Vec<(&'r Replacement, (LineRange, Fate))>> {
        let Stale::Known(Known { text, .. }) = stale else { return None };
        let since = Delta::between(text, self.view.text());
        let earlier = EarlierText { text, lines: &[], since: &[&since] };
        let fates = guards(text, replacements).ok()?.into_iter().map(|(replacement, lines)| {
            let was_known = RangeHash::of(&text[bytes_of(text, lines)]) == replacement.expect;
            was_known.then(|| (replacement, (lines, self.fate_since(earlier, lines))))
        });
        fates.collect()
    }

    /// Follows lines that had this hash when the caller was shown them. Lines of the current document with this hash
    /// count as these lines if the caller was shown them there, or if no other lines are equal to them.
    fn fate(&self, shown: Option<&ShownLines>, lines: LineRange, hash: RangeHash) -> Result<Fate, Missing> {
        let (now, place) = (self.view.text(), lines.start.saturating_sub(1)..lines.end);
        let is_same = RangeHash::of(&now[bytes_of(now, lines)]) == hash;
        let is_shown = |ranges: &[Range<usize>]| {
            ranges.iter().any(|known| known.start <= place.start && place.end <= known.end)
        };
        let Some(shown) = shown else {
            return Ok(if is_same { Fate::Stayed } else { Fate::Changed(lines) });
        };
        if is_same && (place.is_empty() || is_shown(shown.known_of(self.head.document()))) {
            return Ok(Fate::Stayed);
        }
        for known in shown.before(self.head.document()).filter(|known| is_shown(&known.ranges)) {
            let Some(ShownBefore { text, lines: ranges, since }) = self.known_text(known)? else { continue };
            if RangeHash::of(&text[bytes_of(&text, lines)]) == hash {
                let since: Vec<_> = since.iter().collect();
                return Ok(self.fate_since(EarlierText { text: &text, lines: ranges, since: &since }, lines));
            }
        }
        let is_sole = || {
            let guarded = now[bytes_of(now, lines)].lines().collect();
            find_lines(now, &[guarded], 2)[0].len() == 1
        };
        Ok(if is_same && is_sole() { Fate::Stayed } else { Fate::Changed(lines) })
    }

    fn fate_since(&self, earlier: EarlierText<'_>, lines: LineRange) -> Fate {
        let (now, place) = (self.view.text(), lines.start.saturating_sub(1)..lines.end);
        match earlier.follow(place.clone(), now) {
            Some(found) if found == place => Fate::Stayed,
            Some(found) => Fate::Moved(LineRange { start: found.start + 1, end: found.end }),
            None => {
                let since = Delta::between(earlier.text, now);
                let bytes = after(bytes_of(earlier.text, lines), &since);
                let start = now[..bytes.start].matches('\n').count() + 1;
                let end = now[..bytes.end].split_inclusive('\n').count();
                // If no line is left, the line above represents them.
                let start = if end < start { end.max(1) } else { start };
                Fate::Changed(LineRange { start, end })
            }
        }
    }

    fn changes_from(&self, known: &Known<'_>, diff_bytes: usize) -> Option<Changes> {
        changes_since((known.point, &known.text), self.text_now(), diff_bytes)
    }

    /// Determines how a patch for an older text fits the current one. Linear in both texts, plus the cost of a diff
    /// between them.
    fn fit(&self, known: Option<&Known<'_>>, written: Written<'_>) -> Result<Fit, Missing> {
        let now = self.view.text();
        let here = apply(now, written.patch, &options(StatedLines::Shown(&[]), self.policy.document.patch));
        if let Err(refused) = &here
            && refused.suggestion() == Some(&Suggestion::AlreadyApplied)
        {
            return Ok(Fit::AlreadyApplied);
        }
        let moved = known.map(|known| {
            let stated = ShownLines::stated(written.shown, known.point.document);
            let there =
                apply(&known.text, written.patch, &options(stated, self.policy.document.patch)).ok()?;
            Some(moved(&there.delta(), &Delta::between(&known.text, now)))
        });
        Ok(match (here, moved.flatten()) {
            (_, Some(Moved::Done)) => Fit::AlreadyApplied,
            (Ok(here), Some(Moved::To(delta))) => match delta.apply(now) {
                Ok(text) if text == here.text() => Fit::Untouched,
                _ => Fit::Nowhere,
            },
            (Ok(here), Some(Moved::Touched) | None) => {
                let again = self.patch(written)?;
                if again.is_ok_and(|again| again.text() == here.text()) {
                    Fit::Same
                } else {
                    Fit::Rebased(here.patch())
                }
            }
            (Err(_), Some(Moved::To(delta))) => {
                delta.apply(now).map_or(Fit::Nowhere, |text| Fit::Rebased(build(now, &text, 3)))
            }
            (Err(_), Some(Moved::Touched) | None) => Fit::Nowhere,
        })
    }

    /// Applies a patch to the current document, given the lines of this document and of earlier texts that its author
    /// was shown.
    pub(super) fn patch(&self, written: Written<'_>) -> Result<Result<Applied<'a>, ApplyError>, Missing> {
        let stated_lines = ShownLines::stated(written.shown, self.head.document());
        let before = self.shown_before(written.shown)?;
        let since: Vec<Vec<_>> = before.iter().map(|before| before.since.iter().collect()).collect();
        let earlier: Vec<_> = before
            .iter()
            .zip(&since)
            .map(|(ShownBefore { text, lines, .. }, since)| EarlierText { text, lines, since })
            .collect();
        let options = ApplyOptions { earlier: &earlier, ..options(stated_lines, self.policy.document.patch) };
        Ok(apply(self.view.text(), written.patch, &options))
    }

    /// Applies a patch for an older text to the current one. Its line numbers belong to the older text, so they do not
    /// count.
    pub(super) fn moved_patch(&self, patch: &str) -> Result<Applied<'a>, ApplyError> {
        apply(self.view.text(), patch, &options(StatedLines::Shown(&[]), self.policy.document.patch))
    }
}

/// Maps a range of bytes to the text after some changes. If a change crosses an end of the range, its whole new text is
/// included.
fn after(bytes: Range<usize>, since: &Delta) -> Range<usize> {
    let (mut start, mut end, mut grown) = (bytes.start, bytes.end, 0_isize);
    for edit in since.edits() {
        let (old_end, growth) = (edit.at + edit.old.len(), edit.new.len() as isize - edit.old.len() as isize);
        if edit.at >= bytes.end && edit.at > bytes.start {
            break;
        }
        if old_end <= bytes.start {
            start = start.saturating_add_signed(growth);
        } else if edit.at < bytes.start {
            start = edit.at.saturating_add_signed(grown);
        }
        if old_end <= bytes.end {
            end = end.saturating_add_signed(growth);
        } else {
            end = edit.at.saturating_add_signed(grown) + edit.new.len();
        }
        grown += growth;
    }
    start..end.max(start)
}

/// A change of an older text, moved past later ones.
enum Moved {
    To(Delta),
    /// A later change already contains all of it.
    Done,
    Touched,
}

fn moved(change: &Delta, later: &Delta) -> Moved {
    if let Ok(moved) = change.transform(later) {
        return Moved::To(moved);
    }
    let rest = Rebase::new(change.clone()).past(later);
    if rest.is_ok_and(|rest| rest.into_delta().is_empty()) { Moved::Done } else { Moved::Touched }
}

fn options(stated_lines: StatedLines<'_>, limits: Limits) -> ApplyOptions<'_> {
    ApplyOptions { mode: Mode::Anchored, stated_lines, limits, ..ApplyOptions::default() }
}

/// Whether a base names the revision of this text. The hash in its id must match too.
fn names(base: Option<Base>, point: SyncPoint) -> bool {
    match base {
        Some(Base::Id(id)) => id == RevisionId::new(point.revision, point.document),
        Some(Base::Number(_)) | None => true,
    }
}
