//! Version names without a random part, and their components.

use std::collections::BTreeMap;

use canvas_core::CanvasId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Part {
    /// Number of all commits to the store.
    Count = 1,
    /// Number of commits to the canvas.
    CountOfCanvas = 2,
    /// Number of commits since the canvas was created, or created again.
    CountOfLife = 4,
    Revision = 8,
    /// Hash of the head.
    Head = 16,
    /// Clock in seconds.
    Second = 32,
    /// Clock in milliseconds.
    Millisecond = 64,
    /// Number of the connection.
    Connection = 128,
    /// Hash of the previous version.
    Before = 256,
}

/// A set of parts, as a bit mask.
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

    /// Returns all non-empty sets of parts.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (1..512).map(Self)
    }

    pub(super) const fn has(self, part: Part) -> bool {
        self.0 & part as u16 != 0
    }
}

/// Version names, by canvas and inner version, with the counters for their parts.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) by_version: BTreeMap<(CanvasId, String), String>,
    pub(super) count: u64,
    pub(super) of_canvas: BTreeMap<CanvasId, u64>,
    pub(super) of_life: BTreeMap<CanvasId, u64>,
}
