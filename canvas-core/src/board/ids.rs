//! Which component has which slot.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;

use super::id::ComponentId;

/// Slots by the ids of their components. The ids stay with the components, so that a copy touches none of them; tables
/// that neither copy has changed are shared.
#[derive(Debug, Clone)]
pub(super) struct Ids {
    tables: Vec<Arc<HashTable<u32>>>,
    len: usize,
    hasher: RandomState,
}

const TABLES: usize = 64;

impl Default for Ids {
    fn default() -> Self {
        Self { tables: vec![Arc::default(); TABLES], len: 0, hasher: RandomState::new() }
    }
}

impl Ids {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// `id_of` tells the ids of those slots that are in it.
    pub(super) fn get<'b>(&self, id: &ComponentId, id_of: impl Fn(u32) -> &'b ComponentId) -> Option<u32> {
        let hash = self.hash(id);
        self.tables[table(hash)].find(hash, |slot| id_of(*slot) == id).copied()
    }

    /// It must not be in it yet.
    pub(super) fn insert<'b>(&mut self, id: &ComponentId, slot: u32, id_of: impl Fn(u32) -> &'b ComponentId) {
        let hash = self.hash(id);
        let hasher = &self.hasher;
        let table = Arc::make_mut(&mut self.tables[table(hash)]);
        table.insert_unique(hash, slot, |slot| hasher.hash_one(id_of(*slot).as_str()));
        self.len += 1;
    }

    /// The slot that it had.
    pub(super) fn remove<'b>(
        &mut self,
        id: &ComponentId,
        id_of: impl Fn(u32) -> &'b ComponentId,
    ) -> Option<u32> {
        let hash = self.hash(id);
        let table = Arc::make_mut(&mut self.tables[table(hash)]);
        let (slot, _) = table.find_entry(hash, |slot| id_of(*slot) == id).ok()?.remove();
        self.len -= 1;
        Some(slot)
    }

    fn hash(&self, id: &ComponentId) -> u64 {
        self.hasher.hash_one(id.as_str())
    }
}

/// By bits in the middle, because a table looks at both ends.
const fn table(hash: u64) -> usize {
    (hash >> 32) as usize % TABLES
}
