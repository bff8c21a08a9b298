//! Which text a call was made for, and how a patch fits the text of now that was written for an older one.
//!
//! * A patch is moved by the changes that are known since, never by a line number of the older text.
//! * What is offered, or done under [`Policy::rebase`](crate::Policy::rebase), has been tried: a patch that fits the text of
//!   now at one place, and one that the known changes move, must come to the same text.

use std::borrow::Cow;
use std::ops::Range;

use canvas_patch::{
    Delta, EarlierText, Limits, LineRange, Mode, Options, Rebase, StatedLines, Suggestion, apply, build,
    find_lines,
};

use crate::document::changes::{Changes, changes_around, changes_since};
use crate::document::range_hash::RangeHash;
use crate::document::replace::bytes_of;
use crate::document::shown::{ShownLines, ShownText};
use crate::model::blob::Missing;
use crate::model::face::Face;
use crate::model::head::SyncPoint;
use crate::model::revision::{Base, RevisionId};
use crate::transition::refusal::BaseRefusal;
use crate::transition::stale::StaleBase;
use crate::transition::step::{Stop, Transition};

/// A patch, and the lines that its author was shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'p> {
    pub(super) patch: &'p str,
    pub(super) shown: Option<&'p ShownLines>,
}

/// An older text, for which a call was made.
struct Known<'v> {
    point: SyncPoint,
    text: Cow<'v, str>,
}

/// An earlier text, and the lines of it that were shown.
pub(super) struct ShownBefore<'s> {
    pub(super) text: String,
    pub(super) lines: &'s [Range<usize>],
    /// The later changes, oldest first.
    pub(super) since: Vec<Delta>,
}

/// The base of a call that is not for the document as it is.
enum Stale<'v> {
    /// Its text is known.
    Known(Known<'v>),
    /// The conversation knows nothing at all.
    Nothing,
    /// Nothing tells any more what the text was.
    OutOfReach,
    /// There was no such revision.
    Invented,
}

/// What becomes of a patch for an older text.
enum Fit {
    /// It fits the text of now at one place, where nothing has changed since. The same with exact numbers.
    Untouched(String),
    /// It may still say what its author means, in this form.
    Offered(String),
    /// The text of now is what it leads to.
    AlreadyApplied,
    Nowhere,
}

impl Transition<'_> {
    /// Passes a call whose author knows the document as it is: by the base that it names, or by what it has seen.
    pub(super) fn check_base<R: From<BaseRefusal>>(
        &self,
        base: Option<Base>,
        written: Option<Written<'_>>,
    ) -> Result<(), Stop<R>> {
        let Some(stale) = self.stale(base)? else { return Ok(()) };
        Err(Stop::refused(self.stale_base(base, &stale, written)))
    }

    /// As [`Transition::check_base`], and under the policy also passes a patch without a base that fits where nothing has
    /// changed. Says what has changed then.
    pub(super) fn check_base_or_rebase<R: From<BaseRefusal>>(
        &self,
        base: Option<Base>,
        written: Written<'_>,
    ) -> Result<Option<Changes>, Stop<R>> {
        let Some(stale) = self.stale(base)? else { return Ok(None) };
        if let (true, None, Stale::Known(known)) = (self.policy.rebase, base, &stale)
            && let Fit::Untouched(_) = self.fit(Some(known), written)
        {
            return Ok(Some(self.changes_from(known)));
        }
        Err(Stop::refused(self.stale_base(base, &stale, Some(written))))
    }

    /// What is known of a base; `None` where it is the document of now.
    fn stale(&self, base: Option<Base>) -> Result<Option<Stale<'_>>, Missing> {
        let conversation = self.head.conversation(self.who);
        let seen = conversation.seen.map(|seen| seen.revision);
        let Some(known) = base.map_or(seen, |base| Some(base.revision())) else {
            return Ok(Some(Stale::Nothing));
        };
        if self.head.is_current(Face::Document, known) {
            return Ok(None);
        }
        if known > self.head.revision || known.is_zero() {
            return Ok(Some(Stale::Invented));
        }
        let points = [conversation.seen, conversation.synced, Some(self.head.origin)];
        let found = match (points.into_iter().flatten().find(|point| point.revision == known), base) {
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
        Ok(Some(match found {
            Some(Known { point, .. }) if !names(base, point) => Stale::Invented,
            Some(known) => Stale::Known(known),
            None => Stale::OutOfReach,
        }))
    }

    fn stale_base(&self, base: Option<Base>, stale: &Stale<'_>, written: Option<Written<'_>>) -> BaseRefusal {
        let (mut changes, mut near) = (None, None);
        match stale {
            Stale::Known(known) => {
                let limits = (self.policy.refusal_diff_bytes, &self.policy.patch);
                let (patch, named) = (written.map_or("", |written| written.patch), base.is_some());
                let before = (known.point, &*known.text);
                (changes, near) = changes_around(before, self.text_now(), patch, named, limits);
                changes = changes.or_else(|| Some(self.changes_from(known)));
            }
            Stale::Nothing => changes = Some(self.whole(self.policy.refusal_diff_bytes)),
            Stale::OutOfReach | Stale::Invented => {}
        }
        let is_shown = near.is_some() || changes.as_ref().is_some_and(Changes::is_shown);
        let known = if let Stale::Known(known) = stale { Some(known) } else { None };
        // Whoever is not shown what changed cannot tell whether a patch still says what was meant.
        let fit = written.filter(|_| is_shown).map_or(Fit::Nowhere, |written| self.fit(known, written));
        let already_applied = matches!(fit, Fit::AlreadyApplied);
        let rebased = match fit {
            Fit::Untouched(patch) | Fit::Offered(patch) => Some(patch),
            Fit::AlreadyApplied | Fit::Nowhere => None,
        };
        BaseRefusal::StaleBase(Box::new(StaleBase {
            base,
            changes,
            near,
            rebased: rebased.filter(|patch| patch.len() <= self.policy.refusal_diff_bytes),
            already_applied,
            unknown: matches!(stale, Stale::Invented),
            up_to_date: self.head.has_seen(self.who),
        }))
    }

    /// Collects the earlier texts that the conversation was shown and that others have changed; its own changes are known to
    /// it. Texts that the journal no longer reaches are left out.
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

    /// Whether the caller means these lines, which have its hash. They count if they were shown in the current text, if they
    /// were shown in an earlier text and have not changed or moved, or if no other lines are equal to them.
    pub(super) fn is_meant(
        &self,
        shown: Option<&ShownLines>,
        lines: LineRange,
        hash: RangeHash,
    ) -> Result<bool, Missing> {
        let Some(shown) = shown else { return Ok(true) };
        let (now, place) = (self.view.text(), lines.start.saturating_sub(1)..lines.end);
        let is_shown = |ranges: &[Range<usize>]| {
            ranges.iter().any(|known| known.start <= place.start && place.end <= known.end)
        };
        if place.is_empty() || is_shown(shown.known_of(self.head.document())) {
            return Ok(true);
        }
        for known in shown.before(self.head.document()).filter(|known| is_shown(&known.ranges)) {
            let Some(ShownBefore { text, lines: ranges, since }) = self.known_text(known)? else { continue };
            if RangeHash::of(&text[bytes_of(&text, lines)]) == hash {
                let since: Vec<_> = since.iter().collect();
                let earlier = EarlierText { text: &text, lines: ranges, since: &since };
                return Ok(earlier.follow(place.clone(), now) == Some(place));
            }
        }
        let guarded = now[bytes_of(now, lines)].lines().collect();
        Ok(find_lines(now, &[guarded], 2)[0].len() == 1)
    }

    /// What has changed since an older text: a diff without hunks where it came back.
    fn changes_from(&self, known: &Known<'_>) -> Changes {
        let before = (known.point, &*known.text);
        changes_since(before, self.text_now(), self.policy.refusal_diff_bytes).unwrap_or_else(|| Changes {
            from: Some(RevisionId::new(known.point.revision, known.point.document)),
            to: self.head.revision_id(),
            diff: Some(String::new()),
            whole: None,
            headings: None,
        })
    }

    /// How a patch for an older text fits the text of now. Linear in both texts, and what a diff of them costs.
    fn fit(&self, known: Option<&Known<'_>>, written: Written<'_>) -> Fit {
        let now = self.view.text();
        let here = apply(now, written.patch, &options(StatedLines::Shown(&[]), self.policy.patch));
        if let Err(refused) = &here
            && refused.suggestion() == Some(&Suggestion::AlreadyApplied)
        {
            return Fit::AlreadyApplied;
        }
        let moved = known.map(|known| {
            let stated = ShownLines::stated(written.shown, known.point.document);
            let there = apply(&known.text, written.patch, &options(stated, self.policy.patch)).ok()?;
            Some(moved(&there.delta(), &Delta::between(&known.text, now)))
        });
        match (here, moved.flatten()) {
            (_, Some(Moved::Done)) => Fit::AlreadyApplied,
            (Ok(here), Some(Moved::To(delta))) => match delta.apply(now) {
                Ok(text) if text == here.text() => Fit::Untouched(here.patch()),
                _ => Fit::Nowhere,
            },
            (Ok(here), Some(Moved::Touched) | None) => Fit::Offered(here.patch()),
            (Err(_), Some(Moved::To(delta))) => {
                delta.apply(now).map_or(Fit::Nowhere, |text| Fit::Offered(build(now, &text, 3)))
            }
            (Err(_), Some(Moved::Touched) | None) => Fit::Nowhere,
        }
    }
}

/// A change of an older text past later ones.
enum Moved {
    To(Delta),
    /// A later one has done all of it.
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

fn options(stated_lines: StatedLines<'_>, limits: Limits) -> Options<'_> {
    Options { mode: Mode::Anchored, stated_lines, limits, ..Options::default() }
}

/// Whether a base is the revision of this text: the digits of its id must be right too.
fn names(base: Option<Base>, point: SyncPoint) -> bool {
    match base {
        Some(Base::Id(id)) => id == RevisionId::new(point.revision, point.document),
        Some(Base::Number(_)) | None => true,
    }
}
