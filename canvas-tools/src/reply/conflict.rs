//! Conflicts of a patch in the form that models read, which shows each line of the document once, with its number.

use canvas_core::text::{
    CodePoints, Conflict, Difference, ExceededLimit, LineRange, Mismatch, Place, QuotedLine, Reason, truncate,
};
use serde::Serialize;

use super::lines::numbered;

/// Maximum number of characters of the patch's line shown before the first differing character, and from that character
/// on.
const AROUND: (usize, usize) = (16, 32);

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
    /// Text of the patch at this place, at most 50 characters, or 200 if a part of the document's line is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// Text of the document at this place. Absent if `nearby` shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
    /// Kind of difference. Absent if the text differs in its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
    /// First differing characters, if they look alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_points: Option<CodePoints>,
    /// The line, at most 200 characters, and its neighbours that are not blank, at most 41, as `"12: Text"`. Absent if no
    /// line resembles the hunk's lines.
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
    /// Nearest heading above, if not all places are below the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// Hunk header that selects this place, in a patch with only this hunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    /// The nearest lines before and after the hunk's lines that are not blank, at most 41 characters each, as `"12: Text"`.
    /// A line that is the same at all places is absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    nearby: Vec<String>,
}

impl ConflictFields {
    pub(crate) fn of(conflict: &Conflict) -> Self {
        let Conflict { hunk, reason, patch_line, line, present_at, unread, limit, .. } = *conflict;
        let (mut column, mut expected, mut actual, mut difference, mut code_points) =
            (None, None, None, None, None);
        if let Some(mismatch) = &conflict.mismatch {
            let quoted = conflict.nearby.iter().find(|quoted| Some(quoted.line) == line);
            let is_whole = matches!(
                mismatch.difference,
                Difference::Extra | Difference::LeftOut | Difference::Elided | Difference::EndOfText
            );
            let Mismatch { column: at, expected: patch, actual: text, difference: kind, code_points: points } =
                mismatch;
            column = (!is_whole).then_some(*at);
            expected = Some(match (quoted, text) {
                (Some(quoted), Some(text)) if !is_cut(&quoted.text) => around_difference(patch, text),
                // Both windows are needed to see which part of the patch's line is meant.
                _ => patch.clone(),
            });
            actual = text.clone().filter(|_| quoted.is_none());
            difference = (*kind != Difference::Content).then_some(*kind);
            code_points.clone_from(points);
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
            nearby: conflict
                .nearby
                .iter()
                .filter_map(|quoted| {
                    let is_meant = line == Some(quoted.line);
                    (is_meant || !quoted.text.trim().is_empty()).then(|| numbered(quoted))
                })
                .collect(),
            present_at,
            candidates,
            places: PlaceFields::of(&conflict.places),
            unread,
            limit,
        }
    }
}

impl PlaceFields {
    /// Shows at each place only the text that sets it apart.
    fn of(places: &[Place]) -> Vec<Self> {
        type Side = fn(&Place) -> Option<&QuotedLine>;
        let has_headings = differ(places, |place| place.heading.as_deref());
        let sides: [Side; 2] = [before, after];
        let is_telling = |side: &Side| differ(places, |place| side(place).map(|quoted| quoted.text.as_str()));
        let sides: Vec<Side> = sides.into_iter().filter(is_telling).collect();
        let place = |place: &Place| Self {
            heading: place.heading.clone().filter(|_| has_headings),
            header: place.header.clone(),
            nearby: sides.iter().filter_map(|side| side(place)).map(numbered).collect(),
        };
        places.iter().map(place).collect()
    }
}

/// Whether a text differs between the places.
fn differ(places: &[Place], text: impl Fn(&Place) -> Option<&str>) -> bool {
    places.windows(2).any(|pair| text(&pair[0]) != text(&pair[1]))
}

fn before(place: &Place) -> Option<&QuotedLine> {
    place.nearby.first().filter(|quoted| quoted.line < place.line)
}

fn after(place: &Place) -> Option<&QuotedLine> {
    place.nearby.last().filter(|quoted| quoted.line > place.last_line)
}

/// Returns the part of the patch's line around the first character that differs.
fn around_difference(patch: &str, document: &str) -> String {
    let same = patch.chars().zip(document.chars()).take_while(|(patch, document)| patch == document).count();
    let skipped = same.saturating_sub(AROUND.0);
    let start = patch.char_indices().nth(skipped).map_or(0, |(start, _)| start);
    let lead = if start > 0 { "…" } else { "" };
    format!("{lead}{}", truncate(&patch[start..], same - skipped + AROUND.1))
}

/// Returns the lines of the document whose text the author of the patch knows after reading the conflict.
pub(crate) fn read_in(conflict: &Conflict) -> impl Iterator<Item = LineRange> {
    let own = conflict.places.iter().map(|place| LineRange { start: place.line, end: place.last_line });
    let around = conflict.places.iter().flat_map(|place| [before(place), after(place)].into_iter().flatten());
    let quoted = conflict.nearby.iter().chain(around).filter(|quoted| !is_cut(&quoted.text));
    own.chain(quoted.map(|quoted| LineRange { start: quoted.line, end: quoted.line }))
}

/// Whether a quoted line is cut. A line that has an ellipsis of its own at an end counts as cut.
fn is_cut(text: &str) -> bool {
    text.starts_with('…') || text.ends_with('…')
}
