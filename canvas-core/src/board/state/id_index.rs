//! Index of slots by component id.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;

use crate::board::model::id::ComponentId;

/// Slots by the ids of their components. The ids stay with the components, so that copying the index copies no ids.
/// Copies share the unchanged tables.
#[derive(Debug, Clone)]
pub(crate) struct IdIndex {
    tables: Vec<Arc<HashTable<Item>>>,
    len: usize,
    hasher: RandomState,
}

/// A slot with the hash of its id, so that a growing table does not look at components.
#[derive(Debug, Clone, Copy)]
struct Item {
    hash: u64,
    slot: u32,
}

const TABLES: usize = 64;

impl Default for IdIndex {
    fn default() -> Self {
        Self { tables: vec![Arc::default(); TABLES], len: 0, hasher: RandomState::new() }
    }
}

impl IdIndex {
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the slot of an id. `id_of` returns the id of any slot in the index.
    pub(crate) fn get<'b>(&self, id: &ComponentId, id_of: impl Fn(u32) -> &'b ComponentId) -> Option<u32> {
        let hash = self.hash(id);
        let is_it = |item: &Item| item.hash == hash && id_of(item.slot) == id;
        self.tables[table(hash)].find(hash, is_it).map(|item| item.slot)
    }

    /// Inserts an id, which must be new.
    pub(crate) fn insert(&mut self, id: &ComponentId, slot: u32) {
        let hash = self.hash(id);
        let table = Arc::make_mut(&mut self.tables[table(hash)]);
        table.insert_unique(hash, Item { hash, slot }, |item| item.hash);
        self.len += 1;
    }

    /// Removes an id and returns its slot.
    pub(crate) fn remove<'b>(
        &mut self,
        id: &ComponentId,
        id_of: impl Fn(u32) -> &'b ComponentId,
    ) -> Option<u32> {
        let hash = self.hash(id);
        let table = Arc::make_mut(&mut self.tables[table(hash)]);
        let is_it = |item: &Item| item.hash == hash && id_of(item.slot) == id;
        let (item, _) = table.find_entry(hash, is_it).ok()?.remove();
        self.len -= 1;
        Some(item.slot)
    }

    fn hash(&self, id: &ComponentId) -> u64 {
        self.hasher.hash_one(id.as_str())
    }
}

/// Uses bits in the middle, because a table uses those at both ends.
const fn table(hash: u64) -> usize {
    (hash >> 32) as usize % TABLES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_shares_the_tables_that_neither_changes() {
        let names: Vec<_> =
            (0..2_000).map(|number| ComponentId::new(&format!("c{number}")).unwrap()).collect();
        let id_of = |slot: u32| &names[slot as usize];
        let mut ids = IdIndex::default();
        for slot in 0..2_000 {
            assert_eq!((ids.len(), ids.get(id_of(slot), id_of)), (slot as usize, None));
            ids.insert(id_of(slot), slot);
        }
        assert!(ids.tables.iter().all(|table| !table.is_empty()), "each has 31 or so");
        let mut copy = ids.clone();
        assert_eq!((copy.remove(id_of(7), id_of), copy.remove(id_of(7), id_of)), (Some(7), None));
        let shared = ids.tables.iter().zip(&copy.tables).filter(|(one, two)| Arc::ptr_eq(one, two)).count();
        assert_eq!((shared, copy.len(), ids.len()), (TABLES - 1, 1_999, 2_000));
        assert_eq!((copy.get(id_of(7), id_of), ids.get(id_of(7), id_of)), (None, Some(7)));
    }
}
