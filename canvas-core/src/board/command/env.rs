//! The environment of a board, with types, rules, time and ids.

use canvas_lease::Timestamp;

use crate::board::model::id::{ComponentId, UndoId, ViewId};
use crate::board::model::placement::GridPolicy;
use crate::board::registry::Registry;
use crate::model::op_key::OpKey;

/// The environment that a command runs in.
#[derive(Debug)]
pub struct BoardEnv<'a> {
    /// The types whose schemas configs are checked against.
    pub registry: &'a Registry,
    /// The same rules for every command of a board.
    pub rules: BoardRules,
    /// Milliseconds since 1970, used as the date of everything that the command makes.
    pub now: Timestamp,
    /// Source of new ids. Because its seed decides them, a retry makes the same ones.
    pub ids: IdSource,
}

/// Rules that a host sets once for its boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardRules {
    /// The policy if a component that requests no place finds no room.
    pub grid: GridPolicy,
    /// Maximum number of commands in a batch. Default 10,000.
    pub batch: usize,
    /// Maximum size of a config as JSON, in bytes. Default 64 KiB.
    pub config_bytes: usize,
    /// Maximum number of views on a board. Default 256.
    pub views: usize,
    /// Maximum number of triggers that commands may give a board. Default 256.
    pub triggers: usize,
    /// Maximum size as JSON of a trigger set by a command, in bytes. Default 4 KiB, because each change writes all
    /// triggers.
    pub trigger_bytes: usize,
}

impl Default for BoardRules {
    fn default() -> Self {
        Self {
            grid: GridPolicy::default(),
            batch: 10_000,
            config_bytes: 64 << 10,
            views: 256,
            triggers: 256,
            trigger_bytes: 4 << 10,
        }
    }
}

/// A sequence of ids determined by its seed, so that a repeated command gives the same ids.
///
/// ```
/// use canvas_core::board::IdSource;
///
/// let ids = || IdSource::seeded(b"conversation, turn and call");
/// assert_eq!(ids().component(), ids().component());
/// assert!(ids().component().as_str().starts_with("cmp_"));
/// ```
#[derive(Debug, Clone)]
pub struct IdSource {
    seed: [u8; 32],
    given: u64,
    /// Hash that supplies the next two ids.
    block: [u8; 32],
}

#[expect(clippy::missing_panics_doc, reason = "such an id is never empty nor long")]
impl IdSource {
    /// Creates the sequence that belongs to these bytes, for example to the key of a call, or to random bytes.
    pub fn seeded(seed: &[u8]) -> Self {
        Self { seed: *blake3::hash(seed).as_bytes(), given: 0, block: [0; 32] }
    }

    /// Derives the ids of a call, so that a retry makes the same ones.
    pub(crate) fn of(operation: &OpKey) -> Self {
        let mut seed = Vec::new();
        for part in [operation.conversation.as_str(), operation.call.as_str()] {
            seed.extend_from_slice(&(part.len() as u64).to_le_bytes());
            seed.extend_from_slice(part.as_bytes());
        }
        seed.extend_from_slice(&operation.turn.get().to_le_bytes());
        if let Some(person) = &operation.person {
            seed.extend_from_slice(person.as_str().as_bytes());
        }
        Self::seeded(&seed)
    }

    /// Returns the next component id, such as `cmp_0a1b2c3d4e5f6g7h`.
    pub fn component(&mut self) -> ComponentId {
        self.next("cmp_", ComponentId::new).expect("20 bytes are a name")
    }

    /// Returns the next view id, such as `view_0a1b2c3d4e5f6g7h`.
    pub fn view(&mut self) -> ViewId {
        self.next("view_", ViewId::new).expect("21 bytes are a name")
    }

    /// Returns the next undo id, such as `undo_0a1b2c3d4e5f6g7h`.
    pub fn undo(&mut self) -> UndoId {
        self.next("undo_", UndoId::new).expect("21 bytes are a name")
    }

    /// Returns an id of 80 bits, in 16 digits that are hard to confuse.
    fn next<T>(&mut self, prefix: &str, name: impl FnOnce(&str) -> T) -> T {
        const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        if self.given.is_multiple_of(2) {
            self.block = *blake3::keyed_hash(&self.seed, &self.given.to_le_bytes()).as_bytes();
        }
        let half = if self.given.is_multiple_of(2) { &self.block[..16] } else { &self.block[16..] };
        self.given += 1;
        let mut id = [0; 21];
        let id = &mut id[..prefix.len() + 16];
        id[..prefix.len()].copy_from_slice(prefix.as_bytes());
        for (digit, byte) in id[prefix.len()..].iter_mut().zip(half) {
            *digit = DIGITS[usize::from(byte & 31)];
        }
        name(std::str::from_utf8(id).expect("digits are text"))
    }
}
