//! Reversible changes of a surface by a command.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::face::step::Mismatch;
use crate::model::blob::BlobId;
use crate::model::tree::Tree;
use crate::surface::file::SurfaceFile;
use crate::surface::state::change::StateChange;
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::surface_state::SurfaceState;
use crate::surface::state::value::StateValue;

/// A change of a surface. The state changes place by place, other files as a whole. All of its places are disjoint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SurfaceDiff {
    /// Changed places of the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StateChange>,
    /// Other changed files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
}

/// A file with its blob before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The file, which is not the state.
    pub file: SurfaceFile,
    /// Blob before the change; `None` if the file did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<BlobId>,
    /// Blob after the change; `None` if the file no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<BlobId>,
}

impl SurfaceDiff {
    /// Returns whether the change is empty.
    pub fn is_empty(&self) -> bool {
        self.state.is_empty() && self.files.is_empty()
    }

    /// Returns the change in the opposite direction.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let file = |change: &FileChange| FileChange { before: change.after, after: change.before, ..*change };
        Self {
            state: self.state.iter().map(|change| change.clone().inverse()).collect(),
            files: self.files.iter().map(file).collect(),
        }
    }

    /// Returns the change of a file, or `None` if the file stays.
    pub(crate) fn of_file(&self, file: SurfaceFile) -> Option<&FileChange> {
        self.files.iter().find(|change| change.file == file)
    }

    /// Whether both change the same file, or the same or nested places of the state.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        if self.files.iter().any(|change| other.of_file(change.file).is_some()) {
            return true;
        }
        let places: BTreeSet<_> = other.state.iter().map(|change| change.path.as_str()).collect();
        self.state.iter().map(|change| change.path.as_str()).any(|place| {
            let inside = format!("{place}/");
            places.contains(place)
                || outer(place).any(|outer| places.contains(outer))
                || places.range(inside.as_str()..).next().is_some_and(|next| next.starts_with(&inside))
        })
    }
}

/// A surface at one moment, on which changes are played.
#[derive(Debug, Clone, Default)]
pub(crate) struct SurfaceFiles {
    /// `None` until it is needed, and on a surface without state.
    pub(crate) state: Option<SurfaceState>,
    files: BTreeMap<SurfaceFile, BlobId>,
    /// Changed places of the state.
    touched: BTreeSet<StatePointer>,
}

impl SurfaceFiles {
    /// Reads the files of a tree, without the state.
    pub(crate) fn of(tree: &Tree) -> Self {
        let files = SurfaceFile::ALL.into_iter().filter_map(|file| Some((file, tree.file(file.of_tree())?)));
        Self { files: files.collect(), ..Self::default() }
    }

    pub(crate) fn file(&self, file: SurfaceFile) -> Option<BlobId> {
        self.files.get(&file).copied()
    }

    /// Applies a change either completely or not at all.
    pub(crate) fn apply(&mut self, diff: &SurfaceDiff) -> Result<(), Mismatch> {
        if diff.files.iter().any(|change| self.file(change.file) != change.before) {
            return Err(Mismatch);
        }
        if !diff.state.is_empty() {
            let state = self.state.as_ref().ok_or(Mismatch)?;
            self.state = Some(state.apply(&diff.state).map_err(|_| Mismatch)?);
            self.touched.extend(diff.state.iter().map(|change| change.path.clone()));
        }
        for FileChange { file, after, .. } in &diff.files {
            match after {
                Some(blob) => self.files.insert(*file, *blob),
                None => self.files.remove(file),
            };
        }
        Ok(())
    }

    /// Makes the surface equal to an earlier or later one. Notes only those places of the state that differ.
    pub(crate) fn restore(&mut self, then: &Self) {
        if let (Some(now), Some(then)) = (&self.state, &then.state) {
            differing(now.value(), then.value(), &StatePointer::root(), &mut self.touched);
        }
        (self.state, self.files) = (then.state.clone(), then.files.clone());
    }

    /// Returns the change from an earlier moment to this one.
    pub(crate) fn since(&self, earlier: &Self) -> SurfaceDiff {
        let touched: BTreeSet<_> = self.touched.iter().map(StatePointer::as_str).collect();
        let is_outermost =
            |place: &&StatePointer| !outer(place.as_str()).any(|outer| touched.contains(outer));
        let at = |files: &Self, place: &StatePointer| {
            files.state.as_ref().and_then(|state| place.of(state.value())).cloned()
        };
        let state = self.touched.iter().filter(is_outermost).filter_map(|place| {
            let (before, after) = (at(earlier, place), at(self, place));
            (before != after).then(|| StateChange { path: place.clone(), before, after })
        });
        let files = SurfaceFile::ALL.into_iter().filter_map(|file| {
            let (before, after) = (earlier.file(file), self.file(file));
            (before != after).then_some(FileChange { file, before, after })
        });
        SurfaceDiff { state: state.collect(), files: files.collect() }
    }
}

/// Adds the outermost places at which two values differ. A list counts as one place.
fn differing(one: &StateValue, two: &StateValue, at: &StatePointer, places: &mut BTreeSet<StatePointer>) {
    let (StateValue::Object(ones), StateValue::Object(twos)) = (one, two) else {
        places.extend((one != two).then(|| at.clone()));
        return;
    };
    for name in ones.keys().chain(twos.keys().filter(|name| !ones.contains_key(*name))) {
        match (ones.get(name), twos.get(name)) {
            (Some(one), Some(two)) => differing(one, two, &at.join(name), places),
            _ => places.extend([at.join(name)]),
        }
    }
}

/// Returns the enclosing places, including the whole.
fn outer(place: &str) -> impl Iterator<Item = &str> {
    place.match_indices('/').map(|(end, _)| &place[..end])
}
