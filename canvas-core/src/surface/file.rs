//! The files of a surface other than its state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::face::TreeFile;

/// A file of a surface that is replaced as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SurfaceFile {
    /// Title, owner and mode.
    Descriptor,
    /// Actions, bindings and jobs.
    Spec,
    /// The manifest of the assets.
    Assets,
}

impl SurfaceFile {
    pub(crate) const ALL: [Self; 3] = [Self::Descriptor, Self::Spec, Self::Assets];

    /// Returns the corresponding file of the tree.
    pub(crate) const fn of_tree(self) -> TreeFile {
        match self {
            Self::Descriptor => TreeFile::Descriptor,
            Self::Spec => TreeFile::Spec,
            Self::Assets => TreeFile::Assets,
        }
    }
}
