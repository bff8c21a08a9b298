//! Decides when to send a request again.

use std::time::Duration;

/// The maximum number of attempts, and the wait between two of them.
///
/// The wait doubles with each failure, and up to half of it is random. If the provider says how long to wait, the
/// actual wait is never shorter than that. However, if the provider asks for more than [`Retries::max_backoff`], the
/// request is not sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Maximum number of attempts at one request or call, including the first.
    pub attempts: u32,
    /// The wait after the first failure, before jitter.
    pub initial_backoff: Duration,
    /// The longest wait between two attempts. Up to `initial_backoff` may be added to a wait that the provider asks for.
    pub max_backoff: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 4,
            initial_backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(60),
        }
    }
}

impl Retries {
    /// Returns the wait after this many failures in a row, or `None` to give up. `asked` is the wait that the provider
    /// asks for, and `jitter` is a random number from 0 to 1.
    ///
    /// ```
    /// use canvas_providers::Retries;
    /// use std::time::Duration;
    ///
    /// let retries = Retries { attempts: 3, initial_backoff: Duration::from_secs(1), max_backoff: Duration::from_secs(60) };
    /// assert_eq!(retries.wait(2, None, 1.0), Some(Duration::from_secs(2)));
    /// assert_eq!(retries.wait(1, Some(Duration::from_secs(7)), 0.0), Some(Duration::from_secs(7)));
    /// assert_eq!(retries.wait(1, Some(Duration::from_secs(90)), 0.0), None);
    /// assert_eq!(retries.wait(3, None, 0.0), None);
    /// ```
    pub fn wait(&self, failures: u32, asked: Option<Duration>, jitter: f64) -> Option<Duration> {
        if failures >= self.attempts {
            return None;
        }
        let doublings = failures.saturating_sub(1).min(20);
        let wait = self.initial_backoff.saturating_mul(1 << doublings).min(self.max_backoff);
        let chance = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
        match asked {
            Some(asked) if asked > self.max_backoff => None,
            // The provider gave all clients the same wait, so jitter only adds to it.
            Some(asked) => Some(asked + self.initial_backoff.mul_f64(chance)),
            None => Some(wait.mul_f64(0.5 + chance / 2.0)),
        }
    }
}
