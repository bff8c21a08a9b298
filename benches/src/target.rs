//! What the rows of the table aim at, and beside which subject.

use std::fmt;

/// What a number has to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

impl Bound {
    /// The bound itself.
    pub const fn number(self) -> f64 {
        let (Self::AtMost(number) | Self::AtLeast(number)) = self;
        number
    }

    /// Whether a number reaches it.
    pub fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "≤ {most}"),
            Self::AtLeast(least) => write!(f, "≥ {least}"),
        }
    }
}

/// What one subject of a work has to reach at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// The work's name.
    pub work: &'static str,
    /// Bytes of the document, or components of the board; zero where the work has one size.
    pub size: usize,
    /// The subject's name.
    pub subject: &'static str,
    /// What the number counts: `×` and the subject that it is set against, or a unit.
    pub beside: &'static str,
    /// The number.
    pub bound: Bound,
}

const KB_100: usize = 100_000;
const MB: usize = 1_000_000;

const fn at_most(
    work: &'static str,
    size: usize,
    subject: &'static str,
    beside: &'static str,
    most: f64,
) -> Target {
    Target { work, size, subject, beside, bound: Bound::AtMost(most) }
}

const fn at_least(work: &'static str, beside: &'static str, least: f64) -> Target {
    Target { work, size: 0, subject: "canvas", beside, bound: Bound::AtLeast(least) }
}

/// Every target.
pub const TARGETS: [Target; 33] = [
    at_most("apply-1", MB, "canvas", "× memcpy", 1.6),
    at_most("apply-200", MB, "canvas", "× memcpy", 5.0),
    at_most("build-10", MB, "canvas", "× imara-myers", 1.1),
    at_most("build-2000", MB, "canvas", "× imara-myers", 1.1),
    at_most("outline", MB, "canvas", "× pulldown-cmark", 1.15),
    at_most("outline-edit", MB, "canvas", "× full outline", 0.03),
    at_most("structure", MB, "move a section", "× resolve and patch", 3.0),
    at_most("structure", MB, "shift a section", "× resolve and patch", 3.0),
    at_most("structure", MB, "rename", "× resolve and patch", 3.0),
    at_most("structure", MB, "rename with links", "× resolve and patch", 3.0),
    at_most("structure", MB, "set a cell", "× resolve and patch", 3.0),
    at_most("structure", MB, "set a key", "× resolve and patch", 3.0),
    at_most("structure", MB, "check a task", "× resolve and patch", 3.0),
    at_most("structure", MB, "move an item", "× resolve and patch", 3.0),
    at_most("structure-replace", MB, "canvas", "× str::replace", 3.0),
    at_most("preview", MB, "canvas", "× decoding", 2.0),
    at_most("call", KB_100, "canvas", "× blake3 and memcpy", 2.0),
    at_most("call", MB, "canvas", "× blake3 and memcpy", 1.0),
    at_most("merge-words", KB_100, "canvas", "ms", 5.0),
    at_most("past", MB, "blame", "ms", 0.1),
    at_most("past", MB, "text", "× memcpy", 3.0),
    at_most("past", MB, "text, collected", "ms", 5.0),
    at_most("past", MB, "diff", "× texts and patch", 1.2),
    at_most("bytes-edit", MB, "canvas", "bytes", 65_536.0),
    at_most("memory", MB, "outline", "× the text", 3.0),
    at_most("memory", MB, "live-outline", "× the text", 3.0),
    at_most("board-shift", 20_000, "canvas", "ms", 50.0),
    at_least("hot-8", "× one commit a call", 3.0),
    at_least("hot-8-power", "× one commit a call", 3.0),
    at_least("sqlite-small", "× UPDATE of the same bytes", 0.5),
    at_least("sqlite-large", "× UPDATE of the same bytes", 5.0),
    at_least("postgres-steady", "× four statements", 2.5),
    at_least("postgres-hot", "× four statements", 1.5),
];

impl Target {
    /// The target of a subject, if it has one.
    pub fn of(work: &str, size: usize, subject: &str) -> Option<Self> {
        let is_it = |target: &&Self| (target.work, target.size, target.subject) == (work, size, subject);
        TARGETS.iter().find(is_it).copied()
    }
}

/// A target, and what was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// What was aimed at.
    pub target: Target,
    /// What was reached.
    pub value: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_count_as_met() {
        for (bound, value, met) in [
            (Bound::AtMost(2.0), 2.0, true),
            (Bound::AtMost(2.0), 2.1, false),
            (Bound::AtLeast(2.0), 2.0, true),
            (Bound::AtLeast(2.0), 1.9, false),
        ] {
            assert_eq!(bound.is_met(value), met, "{value} {bound}");
        }
    }
}
