//! Why a patch does not fit, as models read it: every line of the document once, with its number.

use canvas_core::text::{CodePoints, Conflict, Difference, ExceededLimit, Mismatch, Place, Reason};
use serde::Serialize;

use super::lines::numbered;

/// One place at which a patch is at fault.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Conflict"))]
pub(crate) struct ConflictFields {
    /// The hunk, from 1; 0 where the patch as a whole is at fault.
    hunk: usize,
    /// Why.
    reason: Reason,
    /// The line of the patch, from 1, where the fault was seen.
    patch_line: usize,
    /// The line of the document, from 1, that differs or is contested.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The first character of it that differs, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// What the patch has there, at most 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// What the document has there. Left out if `nearby` shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
    /// How they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
    /// The first characters that differ, if they look alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_points: Option<CodePoints>,
    /// That line and its neighbours, `"12: text"`. Left out if no line is like those of the hunk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    nearby: Vec<String>,
    /// The line where what the hunk would leave stands already.
    #[serde(skip_serializing_if = "Option::is_none")]
    present_at: Option<usize>,
    /// The lines where the hunk fits, those of `places` alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    candidates: Vec<usize>,
    /// At most three of several places, those nearest to the stated line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    places: Vec<PlaceFields>,
    /// The line that the header states, if the hunk fits there and it was not shown before.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<usize>,
    /// The limit that was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<ExceededLimit>,
}

/// One of several places where a hunk fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Place"))]
pub(crate) struct PlaceFields {
    /// The nearest heading above.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// Under this header the hunk, alone in a patch, goes there.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    /// The lines of the hunk, with one before and after them, `"12: text"`.
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
