//! Named versions of a canvas, with the commands that make, rename, remove and restore them.
//!
//! A version has a label and the tree of one revision. [`Engine::collect`](crate::Engine::collect) keeps the blobs of the
//! tree, however old it is. The head names their pages next to the draft. They are not content, so they change neither
//! the document nor its revision. People and the host make, rename, remove and restore them, and never a model.
//! [`Engine::erase`](crate::Engine::erase) drops all notes, and the tree of each version that has an
//! erased text. The labels stay.
//!
//! [`Engine::versions`](crate::Engine::versions) lists them, [`Engine::document_at`](crate::Engine::document_at) reads the
//! document of one, [`Engine::faces_at`](crate::Engine::faces_at) its other faces, and [`Restore`] makes them the current
//! ones.

pub(crate) mod label;
pub(crate) mod stored;

pub use self::label::{VersionLabel, VersionLabelError};
pub use self::stored::{MAX_NOTE_BYTES, MAX_VERSIONS, NamedVersion};
pub use crate::transition::refusal::{RestoreRefusal, VersionCommandRefusal, VersionRefusal};
pub use crate::transition::version::{NameVersion, RemoveVersion, RenameVersion, Restore, Restored};
