//! Documents, with the commands that read and change them, and their answers and refusals.
//!
//! A model writes with [`ApplyPatch`] or [`ReplaceLines`] under a lease, or with [`ApplyEdits`] from the edit format
//! that it was trained on. A person writes with [`Edit`], which preempts the lease, and the host with [`HostEdit`]. All of
//! them can edit the structure with [`EditStructure`].
//! [`Changes`] holds the changes since a revision.

pub(crate) mod changes;
pub(crate) mod outline;
pub(crate) mod quoted;
pub(crate) mod range_hash;
pub(crate) mod replace;
pub(crate) mod shown;
pub(crate) mod step;

pub use self::changes::{Changes, Heading, Headings};
pub use self::range_hash::{ParseRangeHashError, RangeHash};
pub use self::replace::{LinesNow, LinesRefusal, Replacement, edit_lines};
pub use self::shown::ShownLines;
pub use self::step::DocumentStep;
pub use crate::model::protected::{ProtectedPlaces, ProtectedPlacesError};
pub use crate::model::revision::Base;
pub use crate::transition::document::{
    AppliedPatch, ApplyPatch, HostEdit, HostEdited, LineSpan, Read, Readable, ReplaceLines, Shown,
};
pub use crate::transition::edit::{Edit, Edited};
pub use crate::transition::native::{ApplyEdits, Look};
pub use crate::transition::protected::{ProtectedSet, SetProtected};
pub use crate::transition::refusal::{
    ApplyPatchRefusal, BaseRefusal, EditRefusal, EditStructureRefusal, HostEditRefusal, PatchRefusal,
    ReplaceLinesRefusal, StructureRefusal,
};
pub use crate::transition::stale::{Fits, StaleBase, StaleCause, StaleEdit};
pub use crate::transition::structure::EditStructure;
