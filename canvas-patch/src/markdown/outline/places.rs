//! Headings for the places in a refusal.

use super::model::Outline;
use crate::diff::apply::error::ApplyError;

impl Outline {
    /// Adds to each place in a refusal the nearest heading at or above it. The outline must belong to the text for
    /// which the patch was refused.
    ///
    /// ```
    /// use canvas_patch::{ApplyOptions, Mode, apply, outline};
    ///
    /// let text = "# Plan\n\n## Monday\n- walk\n\n## Tuesday\n- walk\n";
    /// let anchored = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
    /// let refused = apply(text, "@@\n-- walk\n+- run\n", &anchored).unwrap_err();
    /// let refused = outline(text).name_places(refused);
    /// assert_eq!(refused.conflicts()[0].places[1].heading.as_deref(), Some("Tuesday"));
    /// ```
    #[must_use]
    pub fn name_places(&self, mut refused: ApplyError) -> ApplyError {
        for place in refused.conflicts_mut().iter_mut().flat_map(|conflict| &mut conflict.places) {
            let above = self.sections.partition_point(|section| section.heading.start <= place.line);
            place.heading = above.checked_sub(1).map(|i| self.sections[i].title.clone());
        }
        refused
    }
}
