//! What a pure transition sees, and what it changes.

use std::sync::{Arc, OnceLock};

use canvas_lease::Timestamp;

#[cfg(feature = "board")]
use crate::board::Registry;
use crate::face::contents::Contents;
use crate::face::fetched::Fetched;
use crate::face::files::Files;
use crate::model::author::Actor;
use crate::model::blob::{Blob, BlobId, Missing};
#[cfg(feature = "surface")]
use crate::model::face::Face;
use crate::model::head::Head;
#[cfg(feature = "surface")]
use crate::surface::Ceiling;

/// A canvas at one moment. The engine loads what the transition asks for and runs it again, so a transition never
/// waits.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) head: &'a Head,
    /// The document at least.
    pub(crate) contents: &'a Contents,
    pub(crate) clock: Timestamp,
    pub(crate) blobs: &'a Fetched,
    #[cfg_attr(
        not(any(feature = "board", feature = "surface")),
        expect(dead_code, reason = "a document has no types")
    )]
    pub(crate) types: &'a Types,
    /// A commit of this very call was of unknown fate, and is settled by now.
    #[cfg_attr(not(feature = "surface"), expect(dead_code, reason = "only actions begin what ends later"))]
    pub(crate) was_in_doubt: bool,
}

impl View<'_> {
    /// The files of the canvas, as far as they are loaded.
    pub(crate) fn files(&self) -> Files<'_> {
        Files { tree: &self.head.draft, contents: self.contents, blobs: self.blobs }
    }

    pub(crate) fn blob(&self, id: BlobId) -> Result<&Blob, Missing> {
        self.contents.blob(id).or_else(|| self.blobs.get(id)).ok_or_else(|| Missing::all(vec![id]))
    }

    /// Whether the canvas is made by this very call: its document is of the revision that is to come.
    #[cfg(feature = "surface")]
    pub(crate) fn is_being_made(&self) -> bool {
        self.head.face_revision(Face::Document) > self.head.revision()
    }

    pub(crate) fn text(&self) -> &str {
        self.contents.document().and_then(Blob::as_text).unwrap_or_default()
    }
}

/// What is committed.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) head: Arc<Head>,
    /// New blobs, the new roots among them.
    pub(crate) blobs: Vec<Blob>,
    /// The faces that have new roots.
    pub(crate) contents: Contents,
    /// The commit must happen before this instant of the store's clock.
    pub(crate) not_after: Option<Timestamp>,
    /// Who changes content by it; `None` where nobody does, and of a canvas that is made.
    pub(crate) actor: Option<Actor>,
}

/// The types that faces have things of, and what they may do. An engine has one value of it, so that no two runs differ
/// by it.
#[derive(Debug, Clone)]
pub(crate) struct Types {
    /// The types of components.
    #[cfg(feature = "board")]
    pub(crate) components: Arc<Registry>,
    /// What surfaces may do.
    #[cfg(feature = "surface")]
    pub(crate) ceiling: Arc<Ceiling>,
}

/// The built-in types, which all engines share.
impl Default for Types {
    fn default() -> Self {
        static BUILT_IN: OnceLock<Types> = OnceLock::new();
        let built_in = || Self {
            #[cfg(feature = "board")]
            components: Arc::new(Registry::built_in()),
            #[cfg(feature = "surface")]
            ceiling: Arc::default(),
        };
        BUILT_IN.get_or_init(built_in).clone()
    }
}

#[cfg(feature = "board")]
impl Types {
    /// With other types of components.
    pub(crate) fn with_components(mut self, components: Arc<Registry>) -> Self {
        self.components = components;
        self
    }
}

#[cfg(test)]
impl PartialEq for Types {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
impl Eq for Types {}

#[cfg(test)]
impl std::hash::Hash for Types {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}
