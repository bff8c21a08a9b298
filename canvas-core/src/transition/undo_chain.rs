//! Walks down the stacks of undo and redo.

use std::num::NonZeroU32;

use crate::history::journal::Entry;
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::reach::{Chain, ChainStep};
use crate::model::blob::{BlobId, Missing};
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};

impl<'a> Transition<'a> {
    /// Returns the first `steps` entries of a chain.
    pub(super) fn chain(
        &self,
        start: Option<BlobId>,
        steps: NonZeroU32,
    ) -> Result<Vec<&'a Entry>, Stop<UndoRefusal>> {
        let (limit, asked) = (self.policy.history.reach, steps.get());
        let wanted = usize::try_from(asked).ok().filter(|steps| *steps <= limit);
        let wanted = wanted.ok_or_else(|| Stop::refused(HistoryRefusal::HistoryTooDeep { limit }))?;
        let (mut entries, mut chain) = (Vec::new(), Chain::new(start));
        for available in 0..asked {
            let Some(entry) = self.step_down(&mut chain, 1, wanted - entries.len())? else {
                return Err(Stop::refused(HistoryRefusal::HistoryEmpty { asked, available }));
            };
            entries.push(entry);
        }
        Ok(entries)
    }

    /// Returns the last changes down to a given one, inclusive.
    pub(super) fn chain_to(&self, change: ChangeNumber) -> Result<Vec<&'a Entry>, Stop<UndoRefusal>> {
        let limit = self.policy.history.reach;
        let (mut entries, mut chain) = (Vec::new(), Chain::new(self.head.journal.undo));
        while let Some(entry) =
            self.step_down(&mut chain, change.get(), (limit - entries.len()).saturating_add(1))?
        {
            if entries.len() == limit {
                return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit }));
            }
            let is_it = entry.change == change;
            entries.push(entry);
            if is_it {
                return Ok(entries);
            }
        }
        Err(Stop::refused(HistoryRefusal::HistoryNotFound { change }))
    }

    /// Returns the next entry of a chain, or `None` at the end of the history. See [`Chain::step`] for `oldest` and
    /// `more`.
    pub(super) fn step_down(
        &self,
        chain: &mut Chain,
        oldest: u64,
        more: usize,
    ) -> Result<Option<&'a Entry>, Stop<UndoRefusal>> {
        let (slot, fetched) = (&self.head.journal, self.view.blobs);
        let kept = slot.kept(self.policy.keep_limits());
        match chain.step(slot, (kept, oldest), more, |id| fetched.entry(id)) {
            ChainStep::Entry(entry) => Ok(Some(entry)),
            ChainStep::End | ChainStep::Forgotten(_) => Ok(None),
            ChainStep::Missing(id, likely) => Err(Missing { needed: vec![id], likely }.into()),
            ChainStep::Lost(id) => {
                // An entry that was only a guess before is needed now.
                self.view.blob(id)?;
                Err(Stop::refused(HistoryRefusal::HistoryDamaged { entry: EntryNumber::new(slot.entries) }))
            }
        }
    }
}
