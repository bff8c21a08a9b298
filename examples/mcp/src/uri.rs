//! `canvas://{id}/document` and its like.

use std::fmt;

use canvas_core::version::VersionLabel;
use canvas_core::{CanvasId, RevisionId};

/// A part of a canvas that clients read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    /// The Markdown text.
    Document,
    /// The board, as JSON.
    Board,
    /// What happened, newest first, as JSON.
    History,
    /// Changes that wait for a decision, as JSON.
    Proposals,
}

impl Part {
    pub(crate) const ALL: [Self; 4] = [Self::Document, Self::Board, Self::History, Self::Proposals];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Board => "board",
            Self::History => "history",
            Self::Proposals => "proposals",
        }
    }

    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Document => "text/markdown",
            Self::Board | Self::History | Self::Proposals => "application/json",
        }
    }

    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Document => "The document, in Markdown.",
            Self::Board => "The board: its grid and its components.",
            Self::Proposals => {
                "Changes that wait for the user's decision, in parts with their lines before and after."
            }
            Self::History => "The last changes, newest first: number, author, summary, revision.",
        }
    }
}

/// Names a part of a canvas.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CanvasUri {
    pub(crate) canvas: CanvasId,
    pub(crate) part: Part,
}

/// How all of them begin.
const SCHEME: &str = "canvas://";

impl CanvasUri {
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let (id, part) = uri.strip_prefix(SCHEME)?.rsplit_once('/')?;
        let part = Part::ALL.into_iter().find(|known| known.name() == part)?;
        Some(Self { canvas: CanvasId::new(&decode(id)?).ok()?, part })
    }
}

impl fmt::Display for CanvasUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", encode(self.canvas.as_str()), self.part.name())
    }
}

/// Names an earlier document of a canvas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PastUri {
    pub(crate) canvas: CanvasId,
    pub(crate) at: PastPoint,
}

/// When a document was the current one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PastPoint {
    /// At a revision of the document.
    Revision(RevisionId),
    /// At a named version.
    Version(VersionLabel),
}

impl PastUri {
    /// The template of the documents at revisions.
    pub(crate) const REVISION: &str = "canvas://{id}/document{?revision}";
    /// The template of the documents of named versions.
    pub(crate) const VERSION: &str = "canvas://{id}/versions/{label}";

    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let (id, rest) = uri.strip_prefix(SCHEME)?.split_once('/')?;
        let at = match rest.split_once("document?revision=") {
            Some(("", revision)) => PastPoint::Revision(decode(revision)?.parse().ok()?),
            _ => PastPoint::Version(VersionLabel::new(&decode(rest.strip_prefix("versions/")?)?).ok()?),
        };
        Some(Self { canvas: CanvasId::new(&decode(id)?).ok()?, at })
    }
}

impl fmt::Display for PastUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/", encode(self.canvas.as_str()))?;
        match &self.at {
            PastPoint::Revision(revision) => write!(f, "document?revision={revision}"),
            PastPoint::Version(label) => write!(f, "versions/{}", encode(label.as_str())),
        }
    }
}

/// Percent-encodes all that is not unreserved, as templates do.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// What was encoded; `None` where it was not. A `/` that stands as it is belongs to no id.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                bytes.push(u8::try_from(16 * high + low).ok()?);
            }
            b'/' | b'?' | b'#' => return None,
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_read_back() {
        for (id, uri) in [
            ("notes", "canvas://notes/document"),
            ("a b", "canvas://a%20b/document"),
            ("a/b", "canvas://a%2Fb/document"),
            ("ü", "canvas://%C3%BC/document"),
            ("100%", "canvas://100%25/document"),
            ("c.d-e_f~g", "canvas://c.d-e_f~g/document"),
        ] {
            let parsed = CanvasUri { canvas: CanvasId::new(id).unwrap(), part: Part::Document };
            assert_eq!(parsed.to_string(), uri);
            assert_eq!(CanvasUri::parse(uri), Some(parsed));
        }
        assert_eq!(CanvasUri::parse("canvas://n/board").unwrap().part, Part::Board);
        assert_eq!(CanvasUri::parse("canvas://n/history").unwrap().part, Part::History);
        assert_eq!(CanvasUri::parse("canvas://n/proposals").unwrap().part, Part::Proposals);
    }

    #[test]
    fn uris_of_the_past_read_back() {
        let revision = PastPoint::Revision("r3-0123abcd".parse().unwrap());
        let version = |label: &str| PastPoint::Version(VersionLabel::new(label).unwrap());
        for (id, at, uri) in [
            ("a/b", revision, "canvas://a%2Fb/document?revision=r3-0123abcd"),
            ("notes", version("sent"), "canvas://notes/versions/sent"),
            ("notes", version("<b>&\"'"), "canvas://notes/versions/%3Cb%3E%26%22%27"),
            ("notes", version("a/b?c#d %2F"), "canvas://notes/versions/a%2Fb%3Fc%23d%20%252F"),
            ("notes", version("document"), "canvas://notes/versions/document"),
            ("ü", version("日本 ü"), "canvas://%C3%BC/versions/%E6%97%A5%E6%9C%AC%20%C3%BC"),
        ] {
            let past = PastUri { canvas: CanvasId::new(id).unwrap(), at };
            assert_eq!(past.to_string(), uri);
            assert_eq!((PastUri::parse(uri), CanvasUri::parse(uri)), (Some(past), None));
        }
        for uri in [
            "canvas://notes/document",
            "canvas://notes/document?revision=",
            "canvas://notes/document?revision=3",
            "canvas://notes/document?revision=r3-0123abcd&x=1",
            "canvas://notes/board?revision=r3-0123abcd",
            "canvas://notes/versions/",
            "canvas://notes/versions/a/b",
            "canvas://notes/versions/%0A",
            "canvas://notes/versions/%E2%80%AE",
            "canvas://notes/versions/%FF",
            "canvas:///versions/a",
        ] {
            assert_eq!(PastUri::parse(uri), None, "{uri}");
        }
    }

    #[test]
    fn what_names_no_part_of_a_canvas() {
        for uri in [
            "",
            "canvas://",
            "canvas:///document",
            "canvas://notes",
            "canvas://notes/",
            "canvas://notes/text",
            "canvas://a/b/document",
            "canvas://%/document",
            "canvas://%f/document",
            "canvas://%ff/document",
            "canvas://a?b/document",
            "file:///etc/passwd",
            "ui://canvas/document",
        ] {
            assert_eq!(CanvasUri::parse(uri), None, "{uri:?}");
        }
    }
}
