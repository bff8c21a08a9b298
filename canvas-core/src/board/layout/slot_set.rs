//! A set of slots.

/// A set of slots as a bit mask, up to the highest slot in it.
#[derive(Debug, Default)]
pub(crate) struct SlotSet(Vec<u64>);

impl SlotSet {
    /// Returns whether the slot is new.
    pub(crate) fn insert(&mut self, slot: u32) -> bool {
        let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_new_once() {
        let mut set = SlotSet::default();
        for slot in [0, 63, 64, 99_999, 1] {
            assert_eq!((set.insert(slot), set.insert(slot)), (true, false), "{slot}");
        }
        assert_eq!(set.0.len(), 99_999 / 64 + 1);
    }
}
