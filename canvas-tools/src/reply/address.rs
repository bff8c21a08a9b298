//! Errors of addresses in the form that replies show.

use std::borrow::Cow;

use canvas_core::text::{self, AddressError, Part, truncate};
use serde::Serialize;

/// Maximum bytes of titles in one path. Headings in quotes within quotes have paths of hundreds of titles.
pub(crate) const PATH_BYTES: usize = 4 << 10;

/// Returns the part of a path that a reply shows. A path that is too long is shortened to its last titles, which still
/// work as an address.
pub(crate) fn shown_path<'p, 't>(path: &'p [&'t str]) -> &'p [&'t str] {
    let mut bytes = 0;
    let fits = path.iter().rev().take_while(|title| {
        bytes += title.len();
        bytes <= PATH_BYTES
    });
    &path[path.len() - fits.count()..]
}

/// Section that the call may have meant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Candidate {
    /// Titles from the outermost heading down to this one.
    path: Vec<String>,
    /// Whether `path` is shortened to its last titles, which still work as an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_clipped: Option<bool>,
    /// Line of the heading, from 1.
    heading_line: usize,
}

/// Places that a call may have meant by its address, in addition to the common error fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AddressDetail {
    /// Sections that the call may have meant, if an address leads to no section or to several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) candidates: Option<Vec<Candidate>>,
    /// Headers, keys or labels that the call may have meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    names: Vec<String>,
    /// Columns that the call may have meant, by their numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    columns: Vec<usize>,
    /// Lines that the refusal is about, or that the call may have meant, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(crate) places: Vec<usize>,
}

impl AddressDetail {
    pub(crate) fn of(error: &AddressError) -> Self {
        let sections = candidates(error);
        Self {
            candidates: (!sections.is_empty()).then_some(sections),
            names: error.candidate_names().iter().map(|name| shorten(name).into_owned()).collect(),
            columns: error.candidate_columns().to_vec(),
            places: error.candidate_lines().to_vec(),
        }
    }
}

/// Returns the first 300 characters of a text by the model or of the document, with an ellipsis if it is longer.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    truncate(text, 300)
}

/// Returns the sections that the call may have meant.
pub(crate) fn candidates(error: &AddressError) -> Vec<Candidate> {
    let candidate = |candidate: &text::Candidate| {
        let path: Vec<&str> = candidate.path.iter().map(String::as_str).collect();
        let shown = shown_path(&path);
        Candidate {
            path: shown.iter().map(|title| (*title).to_owned()).collect(),
            path_clipped: (shown.len() < path.len()).then_some(true),
            heading_line: candidate.heading_line,
        }
    };
    error.candidates().iter().map(candidate).collect()
}

/// Returns a JSON Pointer to the part of the address that is at fault.
pub(crate) fn address_place(error: &AddressError) -> &'static str {
    match error {
        AddressError::NoSuchOrdinal { .. } => "/ordinal",
        AddressError::NoSuchPart { part: Part::Item(_), .. } => "/item",
        AddressError::NoSuchPart { part: Part::Fence(_), .. } => "/fence",
        _ => "/path",
    }
}

/// Returns the error's own message, which quotes paths. If that is too long for a model to read, the reply relies on
/// the candidates instead.
pub(crate) fn address_words(error: &AddressError) -> Cow<'static, str> {
    const BYTES: usize = 1_500;
    let message = error.to_string();
    if message.len() <= BYTES {
        return message.into();
    }
    let what = match error {
        AddressError::Ambiguous { .. } => {
            "several sections have this path: give a longer path, or an ordinal"
        }
        _ => {
            "nothing in the canvas has this address: take one of the candidates, or a path that an outline shows"
        }
    };
    what.into()
}
