//! Computes an edit from a directive and a text, in pure code.

use canvas_core::document::LineSpan;
use canvas_core::text::{
    Address, AddressError, ApplyOptions, Delta, Limits, Mode, Offset, Position, PositionMap, Repair,
    Resolved, apply, resolve,
};
use serde::Serialize;

use super::action::Action;
use super::failure::DirectiveError;
use super::parse::{Directive, Edit};
use super::range::CharRange;
use super::target::Located;

/// An edit that is planned but not yet made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The edit. Empty for an annotation.
    pub delta: Delta,
    /// Resulting text.
    pub text: String,
    /// The effect of the edit, with its places.
    pub context: EditContext,
}

/// The effect of an edit with its places, as an editor needs it for display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditContext {
    /// The directive's action.
    pub action: Action,
    /// Net change in characters, such as `+120 chars`.
    pub summary: String,
    /// The changed parts of the new text, in order. For an annotation, its target.
    pub spans: Vec<EditSpan>,
    /// The smallest range of the old text that contains everything removed.
    pub before: CharRange,
    /// The smallest range of the new text that contains everything inserted.
    pub after: CharRange,
    /// The range to select, which is the last changed part, or the place at which text was removed.
    pub selection: CharRange,
    /// Repairs to the form of a patch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// Content of the annotation, if the directive is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A changed part of the new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditSpan {
    /// Lines of the part.
    #[serde(flatten)]
    pub lines: LineSpan,
    /// Characters of the part.
    #[serde(flatten)]
    pub chars: CharRange,
}

/// Plans the effect of a directive on a text. A patch is applied in anchored mode. This does not compare the
/// directive's version; the caller has to check it against the text's.
///
/// Takes time linear in the text and the directive.
///
/// # Errors
///
/// [`DirectiveError`] if a range is outside the text, an address does not lead to one place, a fingerprint does not
/// match, or a patch does not fit.
pub fn plan(text: &str, directive: &Directive, limits: &Limits) -> Result<Planned, DirectiveError> {
    plan_with(text, directive, limits, |address| resolve(text, address))
}

/// Like [`plan`], but finds addresses by an outline that the caller has.
pub(super) fn plan_with(
    text: &str,
    directive: &Directive,
    limits: &Limits,
    resolve: impl FnOnce(&Address) -> Result<Resolved, AddressError>,
) -> Result<Planned, DirectiveError> {
    let action = directive.action();
    match &directive.edit {
        Edit::Insert { target, content } | Edit::Replace { target, content } => {
            let located = target.locate(text, resolve)?;
            let delta = located.edit(text, action, content)?;
            if delta.edits().is_empty() {
                let context = EditContext::still(action, text, &located);
                return Ok(Planned { delta, text: text.into(), context });
            }
            let after = delta.apply(text).expect("the replaced text was read there");
            let context = EditContext::of(action, text, &after, &delta);
            Ok(Planned { delta, text: after, context })
        }
        Edit::Annotate { target, content } => {
            let context = EditContext::still(action, text, &target.locate(text, resolve)?);
            let context = EditContext { note: Some(content.clone()), ..context };
            Ok(Planned { delta: Delta::default(), text: text.into(), context })
        }
        Edit::Patch { diff, .. } => {
            let applied = apply(
                text,
                diff,
                &ApplyOptions { mode: Mode::Anchored, limits: *limits, ..ApplyOptions::default() },
            )?;
            let (delta, repairs) = (applied.delta(), applied.repairs().to_vec());
            let after = applied.into_text();
            let context = EditContext { repairs, ..EditContext::of(action, text, &after, &delta) };
            Ok(Planned { delta, text: after, context })
        }
    }
}

impl EditContext {
    /// Describes an edit that leads from one text to another.
    pub(crate) fn of(action: Action, before: &str, after: &str, delta: &Delta) -> Self {
        let old = PositionMap::new(before);
        let mut new = old.clone();
        new.edit(after, delta.edits());
        let mut spans: Vec<EditSpan> = Vec::with_capacity(delta.edits().len());
        let (mut first, mut last, mut shift, mut net) = (0, 0, 0_isize, 0_isize);
        for (i, one) in delta.edits().iter().enumerate() {
            let (start, old_end) = (one.at.wrapping_add_signed(shift), one.range().end);
            shift += one.new.len() as isize - one.old.len() as isize;
            let end = start + one.new.len();
            let from = position(&old, one.at).scalar;
            if i == 0 {
                first = from;
            }
            last = position(&old, old_end).scalar;
            let (from_new, to_new) = (position(&new, start), position(&new, end));
            net += (to_new.scalar - from_new.scalar) as isize - (last - from) as isize;
            // The edit includes the rest of its last line, unless it ends at the start of a line both before and after.
            let tail = !is_line_start(after, end) || (end < after.len() && !is_line_start(before, old_end));
            let end_line = if tail { to_new.line } else { to_new.line - 1 };
            let lines = LineSpan { start_line: from_new.line, end_line };
            let chars = CharRange::new(from_new.scalar, to_new.scalar).expect("in order");
            spans.push(EditSpan { lines, chars });
        }
        let after = match (spans.first(), spans.last()) {
            (Some(a), Some(z)) => CharRange::new(a.chars.start(), z.chars.end()).expect("in order"),
            _ => CharRange::caret(0),
        };
        Self {
            action,
            summary: format!("{net:+} chars"),
            before: CharRange::new(first, last).expect("in order"),
            after,
            selection: spans.last().map_or(after, |span| span.chars),
            spans,
            repairs: Vec::new(),
            note: None,
        }
    }

    /// Describes a directive that leaves the text unchanged. An annotation has the lines of its target as a span; an
    /// edit has no spans.
    fn still(action: Action, text: &str, located: &Located) -> Self {
        let (bytes, range) = (&located.bytes, located.chars);
        let map = PositionMap::new(text);
        let (start, end) = (position(&map, bytes.start), position(&map, bytes.end));
        // The terminator of a line belongs to the line.
        let ends_line = !bytes.is_empty() && is_line_start(text, bytes.end);
        let end_line = if ends_line { end.line - 1 } else { end.line };
        let lines = LineSpan { start_line: start.line, end_line };
        let spans =
            if action == Action::Annotate { vec![EditSpan { lines, chars: range }] } else { Vec::new() };
        Self {
            action,
            summary: "+0 chars".into(),
            spans,
            before: range,
            after: range,
            selection: range,
            repairs: Vec::new(),
            note: None,
        }
    }
}

fn position(map: &PositionMap<'_>, byte: usize) -> Position {
    map.at(Offset::Byte(byte)).expect("edits begin and end between characters")
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}
