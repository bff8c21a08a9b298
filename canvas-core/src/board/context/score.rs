//! The value of a model's knowledge of each component.

use std::collections::BTreeMap;

use crate::board::model::data::DataLoadingState;
use crate::board::model::id::ComponentId;
use crate::board::model::workspace::ComponentInstance;
use crate::model::author::Role;

/// Number of recent changes that count.
const RECENT: usize = 16;

/// Values of the components, each of them the sum of these points.
///
/// | what | points |
/// | --- | --- |
/// | each component | 50 |
/// | its data could not be had | 2,000, more than all else together |
/// | changed last of all, second to last, ... | 400, 200, 133, ... (400 / rank, the last 16) |
/// | pinned | 300 |
/// | made by the user | 150 |
/// | its cells, of those of the largest | up to 200 |
#[derive(Debug)]
pub(super) struct Scores<'a> {
    ranks: BTreeMap<&'a ComponentId, u64>,
    largest: u64,
}

impl<'a> Scores<'a> {
    /// `recent` names the components changed most recently, the last change first. An id may occur again.
    pub(super) fn new(components: &[ComponentInstance], recent: &'a [ComponentId]) -> Self {
        let mut ranks = BTreeMap::new();
        for id in recent.iter().take(RECENT) {
            let rank = ranks.len() as u64 + 1;
            ranks.entry(id).or_insert(rank);
        }
        Self { ranks, largest: components.iter().map(area).max().unwrap_or(0).max(1) }
    }

    pub(super) fn of(&self, component: &ComponentInstance) -> u64 {
        let failed = matches!(component.data_state, DataLoadingState::Error { .. });
        let recent = self.ranks.get(&component.id).map_or(0, |rank| 400 / rank);
        let made_by_user = component.meta.created_by == Role::User;
        let share = u128::from(area(component)) * 200 / u128::from(self.largest);
        50 + 2_000 * u64::from(failed)
            + recent
            + 300 * u64::from(component.meta.pinned)
            + 150 * u64::from(made_by_user)
            + share as u64
    }
}

fn area(component: &ComponentInstance) -> u64 {
    u64::from(component.size.cols) * u64::from(component.size.rows)
}
