//! When a model may begin again after a person took control.
//!
//! A person's next message would say so, but no client tells its servers of messages. So a turn that a person has ended
//! stays over for a while, and the first check-out after that begins the next one. A prompt of this server, which only
//! people choose, begins it at once. If each conversation has a turn of its own, its first call begins one, because only
//! people who take control end turns there. A conversation whose turn is gone waits too.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use canvas_core::lease::Epoch;
use canvas_core::turn::WorkMode;
use canvas_core::{CanvasId, Snapshot};

use crate::conversation::Seat;
use crate::host::Host;

/// How many canvases are remembered. Of more all are forgotten, and their pauses begin again.
const MOST: usize = 4_096;

/// The turns that people have ended, and since when this process knows it.
#[derive(Debug)]
pub(crate) struct Pauses {
    length: Duration,
    since: Mutex<HashMap<CanvasId, (Epoch, Instant)>>,
}

impl Pauses {
    pub(crate) fn new(length: Duration) -> Self {
        Self { length, since: Mutex::default() }
    }

    /// A person has done something: the pause of this epoch begins, unless it has begun.
    pub(crate) fn begin(&self, canvas: &CanvasId, epoch: Epoch) {
        self.has_passed(canvas, epoch);
    }

    /// Whether the pause of an epoch is over. One that is not known begins now: another process may have ended the turn.
    pub(crate) fn has_passed(&self, canvas: &CanvasId, epoch: Epoch) -> bool {
        self.has_passed_at(canvas, epoch, Instant::now())
    }

    /// Whether a person has ended the turn of this epoch, as far as this process knows, and the pause is not over.
    fn is_running(&self, canvas: &CanvasId, epoch: Epoch) -> bool {
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.get(canvas).is_some_and(|(of, began)| *of == epoch && began.elapsed() < self.length)
    }

    fn has_passed_at(&self, canvas: &CanvasId, epoch: Epoch, now: Instant) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if since.len() >= MOST && !since.contains_key(canvas) {
            since.clear();
        }
        let known = since.entry(canvas.clone()).or_insert((epoch, now));
        if known.0 != epoch {
            *known = (epoch, now);
        }
        now.saturating_duration_since(known.1) >= self.length
    }
}

impl Host {
    /// Whether a model without a turn may begin one. One that proposes disturbs nobody, unless a person took control.
    pub(crate) fn may_begin(&self, canvas: &CanvasId, snapshot: &Snapshot, seat: &Seat) -> bool {
        let epoch = snapshot.head.lock().epoch();
        if seat.proposes() {
            return !self.pauses.is_running(canvas, epoch);
        }
        if seat.had_turn || snapshot.head.work_mode() == WorkMode::Exclusive {
            self.pauses.has_passed(canvas, epoch)
        } else {
            !self.pauses.is_running(canvas, epoch)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_over_after_its_length_and_begins_anew_with_an_epoch() {
        let canvas = CanvasId::new("c").unwrap();
        let (one, two) = (Epoch::new(1).unwrap(), Epoch::new(2).unwrap());
        let (pauses, now) = (Pauses::new(Duration::from_secs(10)), Instant::now());
        assert!(!pauses.has_passed_at(&canvas, one, now));
        let almost = now + Duration::from_millis(9_999);
        assert!(!pauses.has_passed_at(&canvas, one, almost));
        let then = now + Duration::from_secs(10);
        assert!(pauses.has_passed_at(&canvas, one, then));
        assert!(!pauses.has_passed_at(&canvas, two, then));
        assert!(Pauses::new(Duration::ZERO).has_passed(&canvas, one));
    }
}
