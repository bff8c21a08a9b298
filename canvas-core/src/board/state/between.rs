//! The change from one state of a board to another.

use std::sync::Arc;

use super::apply::same;
use super::board::{Board, StoredView};
use super::diff::Diff;
use super::patch::{BoardPatch, ComponentDiff};
use super::settings::{SettingsDiff, ViewDiff};
use super::transaction::settings_between;

impl Board {
    /// Returns the patch that makes this board equal to another state of it. Linear in both.
    pub(crate) fn patch_to(&self, then: &Self) -> BoardPatch {
        let stays = |one: &Self, id, order| one.slot_of(id).is_some_and(|placed| placed.order == order);
        let gone = self.records().filter(|placed| !stays(then, &placed.body.id, placed.order));
        let mut components: Vec<_> = gone.cloned().map(ComponentDiff::Removed).collect();
        for after in then.records() {
            let id = &after.body.id;
            let Some(before) = self.slot_of(id).filter(|before| before.order == after.order) else {
                components.push(ComponentDiff::Added(after.clone()));
                continue;
            };
            if !same(&before.body, &after.body) {
                let (before, after) = (Arc::clone(&before.body), Arc::clone(&after.body));
                components.push(ComponentDiff::Body(Diff { before, after }));
            }
            let bounds = Diff::of(&before.bounds, &after.bounds);
            components.extend(bounds.map(|bounds| ComponentDiff::Bounds { id: id.clone(), bounds }));
        }
        let views = views_between(&self.views, &then.views);
        let views = SettingsDiff { views, ..SettingsDiff::default() };
        let settings = settings_between(&self.meta, &then.meta, vec![views]);
        let settings = (!settings.is_empty()).then(|| Box::new(settings));
        let updated_at = Diff { before: self.updated_at, after: then.updated_at };
        BoardPatch { components, settings, updated_at }
    }
}

fn views_between(before: &[StoredView], after: &[StoredView]) -> Vec<ViewDiff> {
    let (mut gone, mut kept) = (Vec::new(), 0);
    for (index, StoredView { view, .. }) in before.iter().enumerate() {
        match after.get(kept) {
            Some(now) if same(&now.view, view) => kept += 1,
            _ => gone.push(ViewDiff::Removed { index, view: Arc::clone(view) }),
        }
    }
    let came = after.iter().enumerate().skip(kept);
    let came = came.map(|(index, now)| ViewDiff::Added { index, view: Arc::clone(&now.view) });
    gone.into_iter().rev().chain(came).collect()
}
