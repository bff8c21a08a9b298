//! Versions without a random part, and their ingredients.

use std::collections::BTreeMap;

use canvas_core::CanvasId;

/// One part of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Part {
    /// The commits of the store so far.
    Count = 1,
    /// The commits of the canvas so far.
    CountOfCanvas = 2,
    /// How many it has since it was made, or made again.
    CountOfLife = 4,
    /// The revision of the head.
    Revision = 8,
    /// The hash of the head.
    Head = 16,
    /// The second.
    Second = 32,
    /// The millisecond.
    Millisecond = 64,
    /// The number of the connection.
    Connection = 128,
    /// The hash of the version before.
    Before = 256,
}

/// What versions are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Naming(u16);

impl Naming {
    pub(super) const fn of(parts: &[Part]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < parts.len() {
            bits |= parts[i] as u16;
            i += 1;
        }
        Self(bits)
    }

    /// Every set of parts, but the empty one.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (1..512).map(Self)
    }

    pub(super) const fn has(self, part: Part) -> bool {
        self.0 & part as u16 != 0
    }
}

/// The names of versions, by the canvas and the version of the store inside, and what they count.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) by_version: BTreeMap<(CanvasId, String), String>,
    pub(super) count: u64,
    pub(super) of_canvas: BTreeMap<CanvasId, u64>,
    pub(super) of_life: BTreeMap<CanvasId, u64>,
}
