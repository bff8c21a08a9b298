//! Inputs and outputs of a pure transition.

use std::sync::{Arc, OnceLock};

use canvas_lease::Timestamp;

#[cfg(feature = "board")]
use crate::board::Registry;
use crate::face::contents::Contents;
use crate::face::fetched::Fetched;
use crate::face::files::Files;
use crate::model::actor::Actor;
use crate::model::blob::{Blob, BlobId, Missing};
#[cfg(feature = "surface")]
use crate::model::face::Face;
use crate::model::head::Head;
#[cfg(feature = "surface")]
use crate::surface::Ceiling;

/// A canvas at one moment. The engine loads the blobs that the transition requests and runs it again, so a transition
/// never waits.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) head: &'a Head,
    /// Contains at least the document.
    pub(crate) contents: &'a Contents,
    pub(crate) clock: Timestamp,
    pub(crate) blobs: &'a Fetched,
    #[cfg_attr(
        not(any(feature = "board", feature = "surface")),
        expect(dead_code, reason = "a document has no types")
    )]
    pub(crate) types: &'a Types,
    /// Whether an earlier commit of this same call was indeterminate and is now settled.
    #[cfg_attr(not(feature = "surface"), expect(dead_code, reason = "only actions begin what ends later"))]
    pub(crate) was_in_doubt: bool,
}

impl View<'_> {
    /// Returns the loaded files of the canvas.
    pub(crate) fn files(&self) -> Files<'_> {
        Files { tree: &self.head.draft, contents: self.contents, blobs: self.blobs }
    }

    pub(crate) fn blob(&self, id: BlobId) -> Result<&Blob, Missing> {
        self.contents.blob(id).or_else(|| self.blobs.get(id)).ok_or_else(|| Missing::all(vec![id]))
    }

    /// Whether this same call creates the canvas. Its document then belongs to the revision to come.
    #[cfg(feature = "surface")]
    pub(crate) fn is_being_made(&self) -> bool {
        self.head.face_revision(Face::Document) > self.head.revision()
    }

    pub(crate) fn text(&self) -> &str {
        self.contents.document().and_then(Blob::as_text).unwrap_or_default()
    }
}

/// The change to commit, with everything it puts into the store.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) head: Arc<Head>,
    /// New blobs, including new roots.
    pub(crate) blobs: Vec<Blob>,
    /// Faces with new roots.
    pub(crate) contents: Contents,
    /// The commit must happen before this instant of the store's clock.
    pub(crate) not_after: Option<Timestamp>,
    /// The actor of the content changes; `None` if the content stays the same, and for a new canvas.
    pub(crate) actor: Option<Actor>,
}

/// Component types and the ceiling for surfaces. An engine has a single value of them, so that no two runs differ.
#[derive(Debug, Clone)]
pub(crate) struct Types {
    #[cfg(feature = "board")]
    pub(crate) components: Arc<Registry>,
    /// The widest permissions of any surface.
    #[cfg(feature = "surface")]
    pub(crate) ceiling: Arc<Ceiling>,
}

/// Returns the built-in types, which all engines share.
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
