//! Replacing a store's versions by names without a random part.

use canvas_core::lease::Timestamp;
use canvas_core::store::{Commit, Loaded, Version};
use canvas_core::{BlobId, CanvasId};

use super::naming::{Naming, Part};
use super::store::Mutant;

impl<S> Mutant<S> {
    /// Records the name for the version of a successful commit.
    pub(super) fn name(
        &self,
        naming: Naming,
        commit: &Commit,
        (version, clock): (&Version, Timestamp),
        before: Option<&Loaded>,
    ) {
        let canvas = commit.head.canvas();
        let before =
            before.map_or_else(String::new, |row| self.called(canvas, &row.version).as_str().to_owned());
        let millis = clock.saturating_duration_since(Timestamp::from_millis(0)).as_millis();
        let mut shared = self.shared();
        let names = &mut shared.names;
        names.count += 1;
        let of_canvas = names.of_canvas.entry(canvas.clone()).or_default();
        *of_canvas += 1;
        let of_life = names.of_life.entry(canvas.clone()).or_default();
        *of_life += 1;
        let parts = [
            (Part::Count, names.count.to_string()),
            (Part::CountOfCanvas, of_canvas.to_string()),
            (Part::CountOfLife, of_life.to_string()),
            (Part::Revision, commit.head.revision().get().to_string()),
            (Part::Head, BlobId::of(&commit.head.to_json()).to_string()),
            (Part::Second, (millis / 1_000).to_string()),
            (Part::Millisecond, millis.to_string()),
            (Part::Connection, self.number.to_string()),
            (Part::Before, BlobId::of(before.as_bytes()).to_string()),
        ];
        if commit.head.is_deleted() {
            *of_life = 0;
        }
        let parts: Vec<_> = parts.into_iter().filter(|(part, _)| naming.has(*part)).map(|it| it.1).collect();
        names.by_version.insert((canvas.clone(), version.as_str().to_owned()), parts.join("-"));
    }

    /// Returns this store's name for a version of the inner store.
    pub(super) fn called(&self, canvas: &CanvasId, version: &Version) -> Version {
        let key = (canvas.clone(), version.as_str().to_owned());
        self.shared()
            .names
            .by_version
            .get(&key)
            .map_or_else(|| version.clone(), |name| Version::new(name.as_str()))
    }

    /// Maps the expected version back to the inner store's version, if the row has it.
    pub(super) fn meant(&self, expected: Option<Version>, current: Option<&Loaded>) -> Option<Version> {
        let expected = expected?;
        let current = current.filter(|row| self.called(row.head.canvas(), &row.version) == expected);
        Some(current.map_or(expected, |row| row.version.clone()))
    }
}
