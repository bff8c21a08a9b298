//! Addresses that lead nowhere, as a reply says it.

use std::borrow::Cow;

use canvas_core::text::{self, AddressError, Part};
use serde::Serialize;

/// Maximum bytes of titles in one path. Headings in quotes within quotes have paths of hundreds of titles.
pub(crate) const PATH_BYTES: usize = 4 << 10;

/// What is shown of a path: of one that is too long only the last titles, which is an address too.
pub(crate) fn shown_path<'p, 't>(path: &'p [&'t str]) -> &'p [&'t str] {
    let mut bytes = 0;
    let fits = path.iter().rev().take_while(|title| {
        bytes += title.len();
        bytes <= PATH_BYTES
    });
    &path[path.len() - fits.count()..]
}

/// A section that may have been meant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Candidate {
    /// Titles from the outermost heading down to its own.
    path: Vec<String>,
    /// Only the last titles of the path are given, which is an address too.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_clipped: Option<bool>,
    /// The line of the heading, from 1.
    heading_line: usize,
}

/// What may have been meant.
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

/// The argument that is wrong, as a JSON Pointer into the address.
pub(crate) fn address_place(error: &AddressError) -> &'static str {
    match error {
        AddressError::NoSuchOrdinal { .. } => "/ordinal",
        AddressError::NoSuchPart { part: Part::Item(_), .. } => "/item",
        AddressError::NoSuchPart { part: Part::Fence(_), .. } => "/fence",
        _ => "/path",
    }
}

/// The error's own words, which quote paths, unless they are longer than a model should read: then the candidates
/// have to do.
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
