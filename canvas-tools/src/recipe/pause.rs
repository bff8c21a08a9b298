//! Limits how often a canvas is replayed.

use std::collections::BTreeMap;
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;

use super::error::ReplayError;

/// Times of the last replay of each canvas, kept for as long as they can still delay another one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplayPauses(BTreeMap<CanvasId, Timestamp>);

impl ReplayPauses {
    /// Admits a replay that begins now and makes later replays of the canvas wait. If the clock moves backwards, no
    /// replay has to wait.
    ///
    /// # Errors
    ///
    /// `RATE_LIMITED` if another replay of the canvas began within `pause`.
    pub fn begin(&mut self, canvas: &CanvasId, now: Timestamp, pause: Duration) -> Result<(), ReplayError> {
        self.0.retain(|_, last| *last <= now && now.saturating_duration_since(*last) < pause);
        if let Some(last) = self.0.get(canvas) {
            return Err(ReplayError::RateLimited { until: last.saturating_add(pause) });
        }
        if !pause.is_zero() {
            self.0.insert(canvas.clone(), now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_of_one_canvas_keep_their_pause_and_the_clock_may_go_back() {
        let (one, other) = (CanvasId::new("one").unwrap(), CanvasId::new("other").unwrap());
        let mut pauses = ReplayPauses::default();
        let mut begin = |canvas: &CanvasId, now| {
            let begun = pauses.begin(canvas, Timestamp::from_millis(now), Duration::from_secs(3));
            begun.map_err(|error| error.to_string())
        };
        let rows = [
            (&one, 10_000, true),
            (&other, 10_001, true),
            (&one, 10_000, false),
            (&one, 12_999, false),
            (&one, 13_000, true),
            (&one, 15_999, false),
            (&one, 9_000, true),
            (&one, 9_001, false),
        ];
        for (canvas, now, passes) in rows {
            assert_eq!(begin(canvas, now).is_ok(), passes, "{canvas} at {now}");
        }
        assert!(begin(&one, 9_001).unwrap_err().contains("12000"));
    }
}
