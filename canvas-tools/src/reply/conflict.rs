//! Conflicts of a patch in the form that models read, which shows each line of the document once, with its number.

use canvas_core::text::{CodePoints, Conflict, Difference, ExceededLimit, Mismatch, Place, Reason};
use serde::Serialize;

use super::lines::numbered;

/// One place at which a patch does not fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Conflict"))]
pub(crate) struct ConflictFields {
    /// Hunk, from 1, or 0 for the patch as a whole.
    hunk: usize,
    /// Reason as a stable code.
    reason: Reason,
    /// Line of the patch, from 1, that shows the fault.
    patch_line: usize,
    /// Line of the document, from 1, that differs or that two hunks claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// First differing character of that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// Text of the patch at this place, at most 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// Text of the document at this place. Absent if `nearby` shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
    /// Kind of difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
    /// First differing characters, if they look alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_points: Option<CodePoints>,
    /// The line and its neighbours, as `"12: Text"`. Absent if no line resembles the hunk's lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    nearby: Vec<String>,
    /// Line at which the document already contains the hunk's result.
    #[serde(skip_serializing_if = "Option::is_none")]
    present_at: Option<usize>,
    /// Lines at which the hunk fits. If `places` is present, only those in `places`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    candidates: Vec<usize>,
    /// Up to three places at which the hunk fits, nearest to the stated line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    places: Vec<PlaceFields>,
    /// Line stated by the header. Present if the hunk fits there but its author was not shown this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<usize>,
    /// Exceeded limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<ExceededLimit>,
}

/// One of several places at which a hunk fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Place"))]
pub(crate) struct PlaceFields {
    /// Nearest heading above.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// Hunk header that selects this place, in a patch with only this hunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    /// Lines of the hunk and one line before and after, as `"12: Text"`.
    nearby: Vec<String>,
}

impl ConflictFields {
    pub(crate) fn of(conflict: &Conflict) -> Self {
        let Conflict { hunk, reason, patch_line, line, present_at, unread, limit, .. } = *conflict;
        let (mut column, mut expected, mut actual, mut difference, mut code_points) =
            (None, None, None, None, None);
        if let Some(mismatch) = &conflict.mismatch {
            let is_shown = conflict.nearby.iter().any(|quoted| Some(quoted.line) == line);
            let is_whole = matches!(
                mismatch.difference,
                Difference::Extra | Difference::LeftOut | Difference::Elided | Difference::EndOfText
            );
            let Mismatch { column: at, expected: patch, actual: text, difference: kind, code_points: points } =
                mismatch;
            column = (!is_whole).then_some(*at);
            expected = Some(patch.clone());
            actual = text.clone().filter(|_| !is_shown);
            (difference, code_points) = (Some(*kind), points.clone());
        }
        let candidates = if conflict.places.is_empty() {
            conflict.candidates.iter().copied().take(Conflict::PLACES).collect()
        } else {
            conflict.places.iter().map(|place| place.line).collect()
        };
        Self {
            hunk,
            reason,
            patch_line,
            line,
            column,
            expected,
            actual,
            difference,
            code_points,
            nearby: numbered(&conflict.nearby),
            present_at,
            candidates,
            places: conflict.places.iter().map(PlaceFields::of).collect(),
            unread,
            limit,
        }
    }
}

impl PlaceFields {
    fn of(place: &Place) -> Self {
        let Place { heading, header, nearby, .. } = place;
        Self { heading: heading.clone(), header: header.clone(), nearby: numbered(nearby) }
    }
}
