//! Flaws that change ids, heads, versions or clocks on their way through.

use std::sync::Arc;
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;
use canvas_core::store::{Commit, Head, Version};

use super::flaw::Flaw;
use super::store::Mutant;
use crate::conformance::stored::{renamed, with_last_conversations, without_receipts};

/// Difference between the clocks of two successive connections.
const SKEW: Duration = Duration::from_secs(60 * 60);

/// Maximum conversations that the flaw in large heads keeps.
const LARGE: usize = 256;

impl<S> Mutant<S> {
    /// Returns the id under which the store keeps a canvas.
    pub(super) fn key(&self, canvas: &CanvasId) -> CanvasId {
        let name = canvas.as_str();
        let kept = match self.flaw {
            Flaw::CutsIdsAtNul => name.split('\0').next().unwrap_or(name).to_owned(),
            Flaw::FoldsIds => name.to_lowercase(),
            _ => return canvas.clone(),
        };
        // If the changed id is empty or too long, keep the original.
        CanvasId::new(&kept).unwrap_or_else(|_| canvas.clone())
    }

    /// Returns the head that the store keeps.
    pub(super) fn kept(&self, head: &Arc<Head>) -> Arc<Head> {
        let key = self.key(head.canvas());
        let changed = match self.flaw {
            Flaw::ForgetsReceipts => Some(without_receipts(head)),
            Flaw::LosesNul => {
                let json = String::from_utf8_lossy(&head.to_json()).replace("\\u0000", "");
                Head::from_json(&key, json.as_bytes()).ok().map(Arc::new)
            }
            Flaw::CutsLargeHeads => Some(with_last_conversations(head, LARGE)),
            _ if key != *head.canvas() => Some(renamed(head, &key)),
            _ => None,
        };
        changed.unwrap_or_else(|| Arc::clone(head))
    }

    /// Returns this store's name for a version.
    pub(super) fn named(&self, version: &Version, head: &Head) -> Version {
        match self.flaw {
            Flaw::NamesVersionsByContent => Version::new(head.revision_id().to_string()),
            Flaw::CountsVersions => {
                let key = (head.canvas().clone(), version.as_str().to_owned());
                let number = self.shared().numbers.get(&key).copied();
                number.map_or_else(|| version.clone(), |number| Version::new(number.to_string()))
            }
            Flaw::NamesVersionsByConnection => Version::new(format!("{}:{}", self.number, version.as_str())),
            _ if self.design.naming.is_some() => self.called(head.canvas(), version),
            _ => version.clone(),
        }
    }

    /// Returns the clock that this store shows.
    pub(super) fn clock(&self, clock: Timestamp) -> Timestamp {
        let mut own = self.own();
        own.last_clock = Some(clock);
        let first = *own.first_clock.get_or_insert(clock);
        match self.flaw {
            Flaw::FreezesItsClock => first,
            Flaw::UsesItsOwnClock => clock.saturating_add(SKEW * self.number),
            _ => clock,
        }
    }

    /// Returns the limit that this store enforces.
    pub(super) fn limit(&self, commit: &Commit) -> Option<Timestamp> {
        let limit = commit.not_after?;
        let is_past = |clock: Option<Timestamp>| clock.is_some_and(|clock| clock >= limit);
        match self.flaw {
            Flaw::IgnoresNotAfter | Flaw::SaysLateAfterWriting => None,
            Flaw::LateForAnyLimit => Some(Timestamp::from_millis(0)),
            Flaw::AcceptsAtTheLimit => Some(limit.saturating_add(Duration::from_millis(1))),
            Flaw::KeepsAnOldClock if !is_past(self.own().last_clock) => None,
            Flaw::UsesItsOwnClock => {
                let millis = limit
                    .saturating_duration_since(Timestamp::from_millis(0))
                    .saturating_sub(SKEW * self.number);
                Some(Timestamp::from_millis(0).saturating_add(millis))
            }
            _ => Some(limit),
        }
    }
}
